"""Pages to chunks: passages of one section each, cut where a reader would cut.

The transformer reads 256 word pieces, about 1,000 characters of English with the heading path in front; the
words after that are still found by BM25 and still read by the model. So a section is shared out evenly in
pieces near ``TARGET``, and only what cannot be cut well may grow up to ``LIMIT``.
"""

from __future__ import annotations

import hashlib
import re
import unicodedata
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ibid.models import Block, Chunk, Page, Section

TARGET = 1_000
WHOLE = 1_300
"""A section up to this size is not cut at all: two halves of it would say less than the whole."""
LIMIT = 1_800
"""No chunk of prose is longer: six of them and the question fit the smallest context windows in use."""
CODE_LIMIT = 3_600
"""A block of code up to this size is not cut: half a program answers nothing."""

_SENTENCE_END = re.compile(r"(?<=[.!?\u2026])[\"')\]\u201d\u2019]*\s+|(?<=[\u3002\uff01\uff1f])")
_BACKTICKS = re.compile("`{3,}")
_FLAG_LETTERS = re.compile("[\U0001f1e6-\U0001f1ff]{2}")
_EXTENDERS = frozenset("\u200c\u200d\ufe0e\ufe0f")
_LEAD_IN = 120  # characters up to which a label or an introduction stays with what follows


@dataclass(frozen=True, slots=True)
class _Piece:
    text: str
    line: int
    leads: bool = False  # says something only together with the next piece
    code: bool = False


def chunk_page(page: Page) -> list[Chunk]:
    """Chunks in reading order. Every section keeps its own; a chunk has one anchor and one heading path.

    A section without text gives a chunk (of its heading) only where no section below it carries the heading.
    Equal chunks of one section are kept once, so that ids are unique.
    """
    chunks: list[Chunk] = []
    seen: set[str] = set()
    offset = 0
    for position, (section, heading_path) in enumerate(_with_paths(page)):
        pieces = _pack([piece for block in section.blocks for piece in _pieces(block)])
        if not pieces and _is_leaf(page.sections, position) and section.heading:
            pieces = [_Piece(section.heading, section.line)]
        for piece in pieces:
            chunk_id = _content_id(page, section.anchor, heading_path, piece.text)
            if chunk_id in seen:
                continue
            seen.add(chunk_id)
            end = offset + len(piece.text)
            chunks.append(
                Chunk(
                    id=chunk_id,
                    source=page.source,
                    path=page.path,
                    url=page.url,
                    title=page.title,
                    anchor=section.anchor,
                    heading_path=heading_path,
                    text=piece.text,
                    start=offset,
                    end=end,
                    line=piece.line or section.line,
                )
            )
            offset = end + 2
    return chunks


def _with_paths(page: Page) -> Iterator[tuple[Section, tuple[str, ...]]]:
    """Each section with the headings above it, outermost first, its own last."""
    above: list[Section] = []
    for section in page.sections:
        if section.level:
            while above and above[-1].level >= section.level:
                above.pop()
            above.append(section)
        yield section, tuple(s.heading for s in above if s.heading)


def _is_leaf(sections: Sequence[Section], position: int) -> bool:
    following = sections[position + 1] if position + 1 < len(sections) else None
    return following is None or following.level <= sections[position].level


def _content_id(page: Page, anchor: str, heading_path: tuple[str, ...], text: str) -> str:
    parts = (page.source, page.path, anchor, "\x1f".join(heading_path), text)
    return hashlib.sha256("\x1e".join(parts).encode("utf-8", "surrogatepass")).hexdigest()[:16]


def _pieces(block: Block) -> Iterator[_Piece]:
    """A block as text, in pieces within the limits."""
    if block.kind == "code":
        fence = _fence(block.text)
        room = CODE_LIMIT - 2 * len(fence) - len(block.language) - 2
        for text, line in _cut_lines(block.text, room, block.line):
            yield _Piece(f"{fence}{block.language}\n{text}\n{fence}", line, code=True)
    elif block.kind == "table":
        yield from _cut_table(block)
    elif len(block.text) <= LIMIT:
        yield _Piece(block.text, block.line, _leads(block))
    else:
        for text in cut_prose(block.text, LIMIT):
            yield _Piece(text, block.line)


def _leads(block: Block) -> bool:
    """A label ("Note", a tab's name), a term, or an introduction ending in a colon."""
    text = block.text.rstrip()
    if block.kind == "term" or text.endswith((":", "\uff1a")):
        return True
    return block.kind == "paragraph" and len(text) <= _LEAD_IN and text[-1:].isalnum()


def _fence(code: str) -> str:
    longest = max((len(run) for run in _BACKTICKS.findall(code)), default=2)
    return "`" * (longest + 1)


def _cut_lines(text: str, room: int, line: int) -> Iterator[tuple[str, int]]:
    """Code too long for one chunk, cut at blank lines if that does not leave it half empty, else at lines."""
    if len(text) <= room:
        yield text, line
        return
    lines = [
        part
        for whole in text.split("\n")
        for part in (cut_prose(whole, room) if len(whole) > room else [whole])
    ]
    start = 0
    while start < len(lines):
        end, size, blank = start, 0, start
        while end < len(lines) and (end == start or size + len(lines[end]) + 1 <= room):
            size += len(lines[end]) + 1
            end += 1
            if end < len(lines) and not lines[end].strip() and size > room // 2:
                blank = end
        if end < len(lines) and blank > start:
            end = blank
        part = "\n".join(lines[start:end]).strip("\n")
        if part.strip():
            yield part, line
        start = end


def _cut_table(block: Block) -> Iterator[_Piece]:
    """Rows are never cut while they fit; each part repeats the header."""
    if len(block.text) <= LIMIT:
        yield _Piece(block.text, block.line)
        return
    header, *rows = block.text.split("\n")
    if len(header) > LIMIT // 3:
        header, rows = "", [header, *rows]
    room = LIMIT - len(header) - 1
    current: list[str] = []
    size = 0
    for row in (
        part for whole in rows for part in (cut_prose(whole, room) if len(whole) > room else [whole])
    ):
        if current and size + len(row) + 1 > min(room, TARGET):
            yield _Piece("\n".join(filter(None, [header, *current])), block.line)
            current, size = [], 0
        current.append(row)
        size += len(row) + 1
    if current:
        yield _Piece("\n".join(filter(None, [header, *current])), block.line)


def cut_prose(text: str, room: int) -> list[str]:
    """Parts of at most ``room`` characters: at sentences, else at blanks, else between whole characters."""
    parts: list[str] = []
    start = 0
    while len(text) - start > room:
        end = _last_cut(text, start, start + room)
        parts.append(text[start:end].strip())
        start = end
    parts.append(text[start:].strip())
    return [part for part in parts if part]


def _last_cut(text: str, start: int, limit: int) -> int:
    half = start + (limit - start) // 2
    sentence = max((m.end() for m in _SENTENCE_END.finditer(text, half, limit + 1)), default=0)
    if half < sentence <= limit:
        return sentence
    blank = max(text.rfind(" ", half, limit), text.rfind("\n", half, limit))
    if blank > 0:
        return blank + 1
    end = limit
    while end > half and not _is_boundary(text, end):
        end -= 1
    return end if end > half else limit


def _is_boundary(text: str, position: int) -> bool:
    """Whether a cut here splits no letter from its accent and no emoji from its parts."""
    before, after = text[position - 1], text[position]
    if unicodedata.category(after)[0] == "M" or after in _EXTENDERS or before == "\u200d":
        return False
    if "\U0001f3fb" <= after <= "\U0001f3ff":  # skin tones
        return False
    if "\u1100" <= before <= "\u11ff" and "\u1100" <= after <= "\u11ff":  # parts of a Hangul syllable
        return False
    letters = 0  # a flag is two letters of their own kind
    while letters < position and _FLAG_LETTERS.match(text[position - letters - 1 : position - letters + 1]):
        letters += 1
    return letters % 2 == 0


def _pack(pieces: list[_Piece]) -> list[_Piece]:
    """Joins a section's pieces into chunks of even size; what leads in stays with what it leads to."""
    groups = list(_groups(pieces))
    total = sum(len(group.text) + 2 for group in groups)
    if not groups:
        return []
    count = 1 if total <= WHOLE else -(-total // TARGET)
    goal = total / count
    packed: list[_Piece] = []
    current: list[_Piece] = []
    size = 0
    for group in groups:
        length = len(group.text)
        too_long = size + 2 + length > LIMIT
        # past the goal with the whole group, and closer to it without
        better_apart = size + length / 2 > goal and size > TARGET // 3
        if current and (too_long or better_apart):
            packed.append(_joined(current))
            current, size = [], 0
        current.append(group)
        size += length + 2
    if current:
        packed.append(_joined(current))
    return packed


def _groups(pieces: list[_Piece]) -> Iterator[_Piece]:
    held: list[_Piece] = []
    for piece in pieces:
        size = sum(len(p.text) + 2 for p in held)
        room = CODE_LIMIT if piece.code and size <= 2 * _LEAD_IN else LIMIT - size
        if held and len(piece.text) > room:
            yield _joined(held)
            held = []
        held.append(piece)
        if not piece.leads:
            yield _joined(held)
            held = []
    if held:
        yield _joined(held)


def _joined(pieces: list[_Piece]) -> _Piece:
    return _Piece("\n\n".join(piece.text for piece in pieces), next((p.line for p in pieces if p.line), 0))
