"""The text of a passage: its blocks and its sentences.

Documentation text is never parsed as Markdown. What a chunk's text marks is read, and no more: fences, list
markers, table rows (cells joined by `` | ``) and inline code in backticks.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Literal

from ibid import sentences

Kind = Literal["paragraph", "item", "table", "code"]
Span = tuple[int, int]

_FENCE = re.compile(r"(`{3,})([^`]*)")
_ITEM = re.compile(r"( *)([-*+]|[0-9]{1,9}[.)]) +(?=\S)")
# Between cells joined by " | "; empty cells and trimmed lines leave fewer blanks around it.
_CELL_BORDER = re.compile(r"(?:(?<=[ \t])|^)\|(?=[ \t]|$)")


@dataclass(frozen=True)
class Part:
    """A block of a passage: ``text[start:end]`` is what it says, without fence or list marker.

    ``level`` (from 0) and ``ordered`` are an item's, ``language`` is a code block's.
    """

    kind: Kind
    start: int
    end: int
    language: str = ""
    level: int = 0
    ordered: bool = False


@dataclass(frozen=True)
class Sentence:
    """``text[start:end]``: of a paragraph a sentence, of a table a row, else the whole item or code block."""

    start: int
    end: int
    kind: Kind


@dataclass(frozen=True)
class _Line:
    start: int
    end: int
    text: str


def _lines(text: str) -> list[_Line]:
    lines: list[_Line] = []
    start = 0
    for line in text.split("\n"):
        lines.append(_Line(start, start + len(line), line))
        start += len(line) + 1
    return lines


def parts(text: str) -> list[Part]:
    """The blocks of a passage in order; each character but markers, fences and blanks is in one of them."""
    lines = _lines(text)
    found: list[Part] = []
    i = 0
    while i < len(lines):
        fence = _FENCE.fullmatch(lines[i].text)
        if fence:
            i = _take_code(lines, i, fence, found)
        elif not lines[i].text.strip():
            i += 1
        else:
            last = _end_of_block(lines, i)
            found += _prose(lines[i:last])
            i = last
    return found


def _take_code(lines: list[_Line], opening: int, fence: re.Match[str], found: list[Part]) -> int:
    closing = opening + 1
    while closing < len(lines) and not _closes(lines[closing].text, fence[1]):
        closing += 1
    if closing > opening + 1:
        start, end = lines[opening + 1].start, lines[closing - 1].end
        found.append(Part("code", start, end, language=fence[2].strip()))
    return closing + 1


def _closes(line: str, fence: str) -> bool:
    line = line.strip()
    return len(line) >= len(fence) and not line.strip("`")


def _end_of_block(lines: list[_Line], i: int) -> int:
    while i < len(lines) and lines[i].text.strip() and not _FENCE.fullmatch(lines[i].text):
        i += 1
    return i


def _prose(lines: list[_Line]) -> Iterator[Part]:
    if _is_table(lines):
        yield Part("table", lines[0].start, lines[-1].end)
        return
    if not _ITEM.match(lines[0].text):
        yield Part("paragraph", lines[0].start, lines[-1].end)
        return
    item: Part | None = None
    for line in lines:
        match = _ITEM.match(line.text)
        if match:
            if item:
                yield item
            level, ordered = len(match[1]) // 2, match[2][0].isdigit()
            item = Part("item", line.start + match.end(), line.end, level=level, ordered=ordered)
        elif item:
            item = Part("item", item.start, line.end, level=item.level, ordered=item.ordered)
    if item:
        yield item


def _is_table(lines: list[_Line]) -> bool:
    borders = {len(_CELL_BORDER.findall(line.text)) for line in lines}
    return len(lines) > 1 and len(borders) == 1 and borders != {0}


def rows(text: str, table: Part) -> Iterator[list[Span]]:
    """The cells of a table's rows as offsets into ``text``; the first row is the header."""
    for line in _lines(text[table.start : table.end]):
        borders = [match.start() for match in _CELL_BORDER.finditer(line.text)]
        edges = zip([0, *(border + 1 for border in borders)], [*borders, len(line.text)], strict=True)
        offset = table.start + line.start
        yield [_without_blanks(text, offset + start, offset + end) for start, end in edges]


def _without_blanks(text: str, start: int, end: int) -> Span:
    cell = text[start:end]
    if not cell.strip():
        return start, start
    return start + len(cell) - len(cell.lstrip()), end - len(cell) + len(cell.rstrip())


def sentence_spans(text: str) -> list[Sentence]:
    """The sentences of a passage in order."""
    found: list[Sentence] = []
    for part in parts(text):
        if part.kind == "paragraph":
            inside = sentences.spans(text[part.start : part.end])
            found += (Sentence(part.start + start, part.start + end, part.kind) for start, end in inside)
        elif part.kind == "table":
            found += (Sentence(cells[0][0], cells[-1][1], part.kind) for cells in rows(text, part))
        else:
            found.append(Sentence(part.start, part.end, part.kind))
    return found
