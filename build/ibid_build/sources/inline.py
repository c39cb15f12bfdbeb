"""Inline Markdown (a parser's children of one block) to the plain text that a reader sees."""

from __future__ import annotations

import re
from collections.abc import MutableMapping, Sequence
from dataclasses import dataclass
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.token import Token

from ibid_build.sources.hidden import HiddenSpan, read_tag, visible_attributes
from ibid_build.sources.names import names

# The parser looks for each bracket's partner up to the end of what it is given: a bound keeps long text
# linear, and text that is mostly brackets (a minified file, an attack) has no links that matter.
_PIECE = 6_000
_MOST_BRACKETS = 10  # one in so many characters
_ROLE = re.compile(r"\{([\w:+-]{1,60})\}$")
_PROSE_ROLES = names("ref doc term numref abbr sub sup eq pep rfc guilabel menuselection any download")
_ICON = re.compile(r":(?:material|fontawesome|octicons|simple)(?:-[a-z0-9]+)+:")
_KEYS = re.compile(r"\+\+([a-z0-9-]+(?:\+[a-z0-9-]+)*)\+\+")
_FOOTNOTE = re.compile(r"\[\^[^\]\s]{1,100}\]")
_HEADING_ID = re.compile(r"\{:?([^{}\n]{1,300})\}\s*$")
_ATTRIBUTE = re.compile(r"[.#][\w:.-]+|[\w:-]+=(?:\"[^\"{}]*\"|'[^'{}]*'|[^\s\"'{}]+)|-")


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading as read (``text``), as its tool turns it into an id (``slug_text``), and its own id."""

    text: str
    slug_text: str
    explicit: str


def parse_inline(md: MarkdownIt, content: str, env: MutableMapping[str, Any]) -> list[Token]:
    """Children of an inline block, in time linear in its length."""
    if content.count("[") + content.count("<") > max(len(content) // _MOST_BRACKETS, 200):
        return [Token("text", "", 0, content=content)]
    if len(content) <= _PIECE:
        return _parse(md, content, env)
    tokens: list[Token] = []
    start = 0
    while start < len(content):
        end = start + _PIECE
        if end < len(content):
            cut = max(content.rfind("\n", start, end), content.rfind(" ", start, end))
            end = cut + 1 if cut > start else end
        tokens += _parse(md, content[start:end], env)
        start = end
    return tokens


def _parse(md: MarkdownIt, content: str, env: MutableMapping[str, Any]) -> list[Token]:
    tokens: list[Token] = []
    md.inline.parse(content, md, env, tokens)
    return tokens


def plain_text(
    tokens: Sequence[Token], *, ticks: bool = True, alt: bool = True, components: bool = True
) -> str:
    """The visible text; inline code keeps backticks if ``ticks``, pictures give their ``alt``.

    ``components`` False leaves out what custom elements show from their attributes.
    """
    parts: list[str] = []
    hidden = HiddenSpan()
    for token in tokens:
        match token.type:
            case "html_inline":
                was_open = hidden.open
                hidden.feed(token.content)
                if not was_open and not hidden.open:
                    parts.append(_tag_text(token.content, alt, components))
            case _ if hidden.open:
                continue
            case "text" | "text_special":
                parts.append(_clean_text(token.content))
            case "code_inline":
                parts.append(_code(parts, token.content, ticks))
            case "softbreak":
                parts.append(" ")
            case "hardbreak":
                parts.append("\n")
            case "image" if alt:
                parts.append(plain_text(token.children or (), ticks=ticks))
    lines = (" ".join(line.split()) for line in "".join(parts).split("\n"))
    return "\n".join(line for line in lines if line)


def read_heading(tokens: Sequence[Token], *, attributes: bool, alt_in_slug: bool) -> Heading:
    """The heading without its attribute list; ``attributes`` False keeps a list as text."""
    tokens = list(tokens)
    explicit = ""
    if attributes and tokens and tokens[-1].type in ("text", "text_special"):
        last = tokens[-1]
        match = _HEADING_ID.search(last.content)
        if match and _is_attribute_list(match.group(1)):
            named = re.search(r"(?:^|\s)#([^\s}]+)|(?:^|\s)id=[\"']?([^\s\"'}]+)", match.group(1))
            explicit = (named.group(1) or named.group(2)) if named else ""
            tokens[-1] = Token("text", "", 0, content=last.content[: match.start()])
    text = plain_text(tokens, ticks=False).replace("\n", " ")
    slug_text = plain_text(tokens, ticks=False, alt=alt_in_slug, components=False).replace("\n", " ")
    return Heading(text, slug_text, explicit)


def _tag_text(markup: str, alt: bool, components: bool) -> str:
    name, closing, attributes = read_tag(markup)
    if name.lower() in ("br", "p", "li", "tr"):
        return "\n"
    if name.lower() in ("td", "th", "dt", "dd"):
        return " "
    if closing or not name or not (alt if name == "img" else components):
        return ""
    shown = visible_attributes(name, attributes)
    return shown if name == "img" or not shown else f" {shown} "


def _code(parts: list[str], content: str, ticks: bool) -> str:
    """Inline code; a MyST role before it (``{func}`name```) decides what is shown."""
    role = _ROLE.search(parts[-1]) if parts else None
    if role:
        parts[-1] = parts[-1][: role.start()]
        content = role_text(content)
        if role.group(1).rpartition(":")[2] in _PROSE_ROLES:
            return content
    if not ticks:
        return content
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", content)), default=0))
    pad = " " if content.startswith("`") or content.endswith("`") else ""
    return f"{fence}{pad}{content}{pad}{fence}"


def role_text(content: str) -> str:
    """What a role shows: the title before ``<target>``, else the name, after ``~`` only its last part."""
    title, opening, _ = content.rpartition("<")
    if opening and content.endswith(">") and title.strip():
        return title.strip()
    if content.startswith("~"):
        return content[1:].rpartition(".")[2]
    return content.removeprefix("!")


def _clean_text(text: str) -> str:
    """Leaves out icons, footnote marks, key markup and attribute lists."""
    if ":" in text:
        text = _ICON.sub("", text)
    if "++" in text:
        text = _KEYS.sub(r"\1", text)
    if "[^" in text:
        text = _FOOTNOTE.sub("", text)
    return strip_attribute_lists(text) if "{" in text else text


def strip_attribute_lists(text: str) -> str:
    """Removes ``{: .class #id key=value }``; other braces are text."""
    parts, start = [], 0
    while (opening := text.find("{", start)) >= 0:
        closing = text.find("}", opening, opening + 400)
        inner = text[opening + 1 : closing].removeprefix(":") if closing > 0 else ""
        if closing > 0 and inner.strip() and _is_attribute_list(inner):
            parts.append(text[start:opening].rstrip(" \t"))
            start = closing + 1
        else:
            parts.append(text[start : opening + 1])
            start = opening + 1
    return "".join(parts) + text[start:]


def _is_attribute_list(inner: str) -> bool:
    rest = inner.strip()
    while rest:
        match = _ATTRIBUTE.match(rest)
        if not match or (match.end() < len(rest) and not rest[match.end()].isspace()):
            return False
        rest = rest[match.end() :].lstrip()
    return True
