"""Markup of documentation sources -> headings and sentences, for training only.

Rough on purpose: what is not clearly prose is left out. The index is built by ``ibid_build.sources``, which
may lose nothing; a training text may.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

Kind = Literal["heading", "sentence"]


class Line(NamedTuple):
    """A heading, or a sentence under the nearest one."""

    kind: Kind
    text: str
    heading: str


_UNDERLINE = re.compile(r"^([=\-~^\"'`#*+:.<>_!$%&])\1{2,}\s*$")
_MARKDOWN_HEADING = re.compile(r"^(#{1,6})\s+(.+?)\s*#*\s*$")
_FENCE = re.compile(r"^\s*(```|~~~)")
_PROSE_DIRECTIVES = frozenset(
    ["note", "warning", "tip", "important", "seealso", "versionadded", "versionchanged", "deprecated"]
)
_DIRECTIVE = re.compile(r"^\.\.\s+([\w:-]+)::\s*(.*)$")
_SENTENCE_END = re.compile(r"(?<=[.!?:])\s+(?=[A-Z\"'(])")
_INLINE = (
    (re.compile(r"!\[[^\]]*\]\([^)]*\)"), " "),
    (re.compile(r"\[([^\]]+)\]\([^)]*\)"), r"\1"),
    (re.compile(r"\[([^\]]+)\]\[[^\]]*\]"), r"\1"),
    (re.compile(r"[`_]?`([^`<]+?)\s*<[^>]*>`_{0,2}"), r"\1"),
    (re.compile(r":[\w:+-]+:`[~!]?\.?([^`]+)`"), r"\1"),
    (re.compile(r"\{[\w:-]+\}`[~!]?([^`]+)`"), r"\1"),
    (re.compile(r"``?([^`]+)``?_{0,2}"), r"\1"),
    (re.compile(r"\*\*([^*]+)\*\*"), r"\1"),
    (re.compile(r"(?<!\w)\*([^*]+)\*(?!\w)"), r"\1"),
    (re.compile(r"\|([\w -]+)\|"), r"\1"),
    (re.compile(r"<[^>]{1,80}>"), " "),
    (re.compile(r"https?://\S+"), " "),
    (re.compile(r"\s+"), " "),
)


def lines(text: str, suffix: str) -> Iterator[Line]:
    """The headings and sentences of one file; ``suffix`` ``.md`` reads Markdown, others reStructuredText."""
    heading = ""
    for kind, raw in _markdown(text) if suffix == ".md" else _restructured(text):
        plain = clean(raw)
        if kind == "heading":
            if is_heading(plain):
                heading = plain
                yield Line("heading", plain, heading)
            continue
        for sentence in _SENTENCE_END.split(plain):
            if is_sentence(sentence):
                yield Line("sentence", sentence, heading)


def clean(raw: str) -> str:
    """Inline markup removed, the words of links and code kept."""
    for pattern, replacement in _INLINE:
        raw = pattern.sub(replacement, raw)
    return raw.strip(" *\t").removesuffix("::").rstrip()


def is_heading(text: str) -> bool:
    """One to twelve ASCII words, mostly letters; no bare version numbers or dates."""
    if not text.isascii():
        return False
    return 1 <= len(text.split()) <= 12 and sum(c.isalpha() for c in text) >= max(3, len(text) // 2)


def is_sentence(text: str) -> bool:
    """Four to forty words that are mostly letters: prose, not output, tables or code."""
    letters = sum(c.isalpha() or c == " " for c in text)
    return 4 <= len(text.split()) <= 40 and letters >= 0.85 * len(text) and text.isascii()


def _markdown(text: str) -> Iterator[tuple[Kind, str]]:
    fenced = False
    paragraph: list[str] = []
    for line in [*text.split("\n"), ""]:
        if _FENCE.match(line):
            fenced = not fenced
            continue
        heading = _MARKDOWN_HEADING.match(line)
        starts_item = re.match(r"^\s*([-*+]|\d+[.)])\s+", line)
        if paragraph and (fenced or heading or starts_item or not line.strip()):
            yield "sentence", " ".join(paragraph)
            paragraph = []
        if fenced or line.startswith(("    ", "\t", "|", "<", ":::", "---", "!!!")) or "::" in line:
            continue
        if heading:
            yield "heading", heading.group(2)
        elif line.strip():
            paragraph.append(line[starts_item.end() :] if starts_item else line.strip())


def _restructured(text: str) -> Iterator[tuple[Kind, str]]:
    skipped: int | None = None  # the indent of what opened a literal block; deeper lines belong to it
    for block in re.split(r"\n\s*\n", text.expandtabs(4)):
        rows = [row for row in block.split("\n") if row.strip()]
        if not rows:
            continue
        indent = len(rows[0]) - len(rows[0].lstrip())
        if skipped is not None and indent > skipped:
            continue
        skipped = None
        while (len(rows) > 1 and _UNDERLINE.match(rows[1])) or (rows and _UNDERLINE.match(rows[0])):
            if _UNDERLINE.match(rows[0]):
                rows = rows[1:]
                continue
            yield "heading", rows[0].strip()
            rows = rows[2:]
        if not rows:
            continue
        directive = _DIRECTIVE.match(rows[0].strip())
        if directive:
            name, argument = directive.groups()
            if name in _PROSE_DIRECTIVES:
                yield "sentence", " ".join(row.strip() for row in [argument, *rows[1:]])
            elif name.split(":")[-1] not in ("function", "method", "class", "option", "attribute", "module"):
                skipped = indent
            continue
        if rows[0].lstrip().startswith((">>>", "..", "$", "+-", "==", "| ", "#", ":")):
            skipped = indent if rows[0].lstrip().startswith("..") else None
            continue
        if rows[-1].rstrip().endswith("::"):
            skipped = indent
        for item in re.split(r"\n\s*(?:[-*+]|\d+[.)]|#\.)\s+", "\n" + "\n".join(rows)):
            if item.strip():
                yield "sentence", " ".join(item.split())
