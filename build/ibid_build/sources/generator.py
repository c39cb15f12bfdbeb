"""Which documentation tool a folder of Markdown belongs to, and what that tool decides: ids and addresses."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path, PurePosixPath
from urllib.parse import quote

from ibid_build.config import GeneratorName
from ibid_build.sources.anchors import AnchorRule


@dataclass(frozen=True, slots=True)
class Generator:
    """A tool with the settings that matter here. ``markdown`` is a plain folder, as GitHub shows it.

    ``content`` is the folder that holds the pages, ``exclude`` its own patterns of what it does not publish.
    """

    name: GeneratorName
    rule: AnchorRule
    content: Path
    directory_urls: bool = False
    base: str = ""
    site_url: str = ""
    site_name: str = ""
    exclude: tuple[str, ...] = ()
    options: frozenset[str] = field(default_factory=frozenset)
    titles: Mapping[str, str] = field(default_factory=dict)
    """Titles that the tool's navigation gives, by path."""

    def url(self, path: str, slug: str = "") -> str:
        """The page's address relative to the site's root; ``slug`` is Docusaurus' front matter."""
        pure = PurePosixPath(path)
        parent = "" if str(pure.parent) == "." else f"{pure.parent}/"
        stem = pure.stem
        is_index = stem == "index" or (stem == "README" and self.name in ("mkdocs", "docusaurus"))
        match self.name:
            case "mkdocs":
                tail = "" if is_index else f"{stem}/" if self.directory_urls else f"{stem}.html"
                if is_index and not self.directory_urls:
                    tail = "index.html"
            case "docusaurus":
                return _quote_path(self.base + _docusaurus_route(pure, slug))
            case "vitepress":
                tail = "" if is_index else stem if self.directory_urls else f"{stem}.html"
            case "sphinx":
                tail = f"{stem}/" if self.directory_urls and not is_index else f"{stem}.html"
                if self.directory_urls and is_index:
                    tail = ""
            case _:
                tail = pure.name
        return _quote_path(self.base + parent + tail)


def _quote_path(path: str) -> str:
    """Percent-encoded where an address needs it."""
    return quote(path, safe="/-._~!$&'()*+,;=:@")


def read_settings(path: Path | None) -> str:
    """The text of a tool's settings file, "" without one."""
    return path.read_text(encoding="utf-8-sig", errors="replace") if path else ""


def text_of(value: object) -> str:
    """A setting that must be text, "" when it is something else."""
    return value.strip() if isinstance(value, str) else ""


def _docusaurus_route(path: PurePosixPath, slug: str) -> str:
    """Number prefixes go; an index, README or file named as its folder stands for the folder."""
    if slug.startswith("/"):
        return slug.lstrip("/")
    parts = [re.sub(r"^\d+\s*[-_.]+\s*", "", part) or part for part in path.with_suffix("").parts]
    if slug:
        return "/".join([*parts[:-1], slug.removeprefix("./")])
    last = parts[-1].lower()
    if last in ("index", "readme") or (len(parts) > 1 and last == parts[-2].lower()):
        return "/".join(parts[:-1]) + ("/" if len(parts) > 1 else "")
    return "/".join(parts)


def html_url(path: str) -> str:
    """The address of a built page relative to the site's root; an index file stands for its folder."""
    folder, _, name = path.rpartition("/")
    if name in ("index.html", "index.htm"):
        return _quote_path(f"{folder}/") if folder else ""
    return _quote_path(path)


def title_from(path: str) -> str:
    """As MkDocs makes a title of a file name."""
    pure = PurePosixPath(path)
    stem = pure.parent.name if pure.stem.lower() in ("index", "readme") and pure.parent.name else pure.stem
    words = re.sub(r"[-_]+", " ", stem).strip() or stem
    return words.capitalize() if words.islower() else words
