"""The YAML (or TOML) block at the head of a Markdown file."""

from __future__ import annotations

import re
import tomllib
from dataclasses import dataclass, field
from typing import Any

import yaml

from ibid_build.findings import Finding
from ibid_build.sources.visible import whole

_TITLE_LINE = re.compile(r"^title[ \t]*[:=](.+)$", re.MULTILINE)
_KEY_LINE = re.compile(r"^[\w.\"'-]+[ \t]*[:=]", re.MULTILINE)
_MAX_CHARS = 64_000


class _AsWritten(yaml.SafeLoader):
    """Plain values stay the text that was written: ``1.10`` is no number and ``2030-01-01`` no date."""


_AsWritten.yaml_implicit_resolvers = {}


@dataclass(frozen=True, slots=True)
class FrontMatter:
    """``values`` as written (from YAML plain values are text); ``lines`` is how many the block takes."""

    values: dict[str, Any] = field(default_factory=dict)
    lines: int = 0

    @property
    def title(self) -> str:
        """The title, "" where there is none or it is no text."""
        value = self.values.get("title")
        if not isinstance(value, str) or value in ("null", "~"):
            return ""
        return " ".join(value.split())

    def text(self, name: str) -> str:
        """A text value, "" where it is missing or of another kind."""
        value = self.values.get(name)
        return whole(value).strip() if isinstance(value, str) else ""

    def hidden(self) -> str:
        """Why the page is not for the public: "draft", "unlisted", "noindex", or ""."""
        if _true(self.values.get("draft")) or _false(self.values.get("published")):
            return "draft"
        if _true(self.values.get("unlisted")):
            return "unlisted"
        search = self.values.get("search")
        excluded = _true(search.get("exclude")) if isinstance(search, dict) else _false(search)
        if excluded or _true(self.values.get("noindex")) or _true(self.values.get("search_exclude")):
            return "noindex"
        return "noindex" if "noindex" in str(self.values.get("robots", "")).lower() else ""


def split_front_matter(text: str, page: str) -> tuple[FrontMatter, str, list[Finding]]:
    """The front matter, the text after it, and a warning when the block cannot be read.

    A first line ``---`` that opens no block of keys is a rule: the text stays whole.
    """
    fence = text[:3]
    first, _, rest = text.partition("\n")
    if fence not in ("---", "+++") or first.rstrip() != fence:
        return FrontMatter(), text, []
    closing = re.search(rf"^(?:{re.escape(fence)}|\.\.\.)[ \t]*$", rest, re.MULTILINE)
    if closing is None or (closing.group().startswith("...") and fence != "---"):
        return FrontMatter(), text if rest.strip() else "", []
    block, body = rest[: closing.start()], rest[closing.end() :].removeprefix("\n")
    if block.strip() and not _looks_like_keys(block):
        return FrontMatter(), text, []
    lines = block.count("\n") + 2
    try:
        return FrontMatter(_parse(block, fence), lines), body, []
    except (yaml.YAMLError, tomllib.TOMLDecodeError, ValueError, RecursionError) as error:
        match = _TITLE_LINE.search(block)
        values = {"title": match.group(1).strip().strip("\"'")} if match else {}
        values |= {name: True for name in ("draft", "unlisted", "noindex") if _line_says_true(block, name)}
        reason = str(getattr(error, "problem", None) or error).splitlines()[0]
        finding = Finding(
            "warning",
            page,
            1 + getattr(getattr(error, "problem_mark", None), "line", 0) + 1,
            f"front matter cannot be read: {reason}",
            "put the value in quotes; the title was taken from its line or from the first heading",
        )
        return FrontMatter(values, lines), body, [finding]


def _parse(block: str, fence: str) -> dict[str, Any]:
    if len(block) > _MAX_CHARS:
        raise ValueError(f"it has {len(block):,} characters, more than {_MAX_CHARS:,}")
    values = tomllib.loads(block) if fence == "+++" else yaml.load(block, Loader=_AsWritten)  # noqa: S506
    if values is None:
        return {}
    if not isinstance(values, dict):
        raise ValueError("it holds no keys")
    return {str(name): value for name, value in values.items()}


def _looks_like_keys(block: str) -> bool:
    """A block begins with a key (comments before it are fine) and not with a blank line and prose."""
    for line in block.split("\n"):
        if line.strip() and not line.lstrip().startswith("#"):
            return bool(_KEY_LINE.match(line)) or line.startswith(("{", "- "))
    return True


def _line_says_true(block: str, name: str) -> bool:
    return bool(
        re.search(rf"^{name}[ \t]*[:=][ \t]*[\"']?(?:true|yes|on)\b", block, re.MULTILINE | re.IGNORECASE)
    )


def _true(value: Any) -> bool:
    return value is True or (isinstance(value, str) and value.strip().lower() in ("true", "yes", "on"))


def _false(value: Any) -> bool:
    return value is False or (isinstance(value, str) and value.strip().lower() in ("false", "no", "off"))
