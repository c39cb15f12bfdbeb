"""Citations: the one grammar of marks, the turn's registry of sources, and what a restated turn keeps.

``marks_in`` is the only place that decides what a mark is (SPEC 4.8); drawing, the source list, the label and
the restatement rule all read its result out of the parsed tree, so that what is drawn is what is listed.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, TypeVar

from ibid import sentences
from ibid.models import Chip, Chunk, Source, Via

Node = dict[str, Any]
AnySource = Source | Mapping[str, Any]
"""A source of this turn, or one as it is stored in a turn's record."""
SourceT = TypeVar("SourceT", Source, Mapping[str, Any], dict[str, Any], AnySource)

LARGEST_NUMBER = 2**53 - 1
"""The largest integer that JavaScript holds exactly; the page could not tell larger ones apart."""
QUOTE_CHARS = 160
UNCITED = "Documents used; no passage is cited in the text"
NO_SOURCES = "No sources cited"

# Possessive, so that a long run of digits or blanks that is no mark costs its length once.
_MARK = re.compile(r"\[([0-9]++(?:[ \t]*+[,，][ \t]*+[0-9]++)*+)\]")  # noqa: RUF001 - the fullwidth comma is meant
_DIGITS = re.compile(r"[0-9]+")


@dataclass(frozen=True)
class Mark:
    """One mark in a text: ``text[start:end]`` reads as ``numbers`` (at least one)."""

    start: int
    end: int
    numbers: tuple[int, ...]


def marks_in(text: str) -> Iterator[Mark]:
    """The marks of one run of text, in order: the citation grammar of SPEC 4.8.

    The caller gives text that may hold marks, never code, links or images.
    """
    for match in _MARK.finditer(text):
        numbers = tuple(_numbers(match[1]))
        if numbers:
            yield Mark(match.start(), match.end(), numbers)


def marks(text: str) -> tuple[int, ...]:
    """The numbers that one run of text cites, in order, as they stand."""
    return tuple(number for mark in marks_in(text) for number in mark.numbers)


def _numbers(text: str) -> Iterator[int]:
    for match in _DIGITS.finditer(text):
        digits = match[0].lstrip("0")
        # By length first: Python refuses to read thousands of digits, and reads them in quadratic time.
        if digits and len(digits) <= 16 and int(digits) <= LARGEST_NUMBER:
            yield int(digits)


def cited_numbers(tree: Sequence[Node]) -> tuple[int, ...]:
    """The numbers that a parsed answer cites, each once, in order of first appearance."""
    seen: dict[int, None] = {}
    for node in _walk(tree):
        if node["type"] == "cite":
            seen.update(dict.fromkeys(node["numbers"]))
    return tuple(seen)


def _walk(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from _walk(node.get("children", ()))


class SourceRegistry:
    """The passages registered in one turn, numbered from 1 in order of first registration (SPEC 4.5)."""

    def __init__(self) -> None:
        self._by_chunk: dict[str, Source] = {}

    def add(self, chunk: Chunk, cosine: float | None, via: Via) -> Source:
        """Register a passage; one met again keeps its number.

        ``cosine`` is calibrated, None when there is none; one that is known is never lost again. A passage
        met by search and then read becomes ``via: read``, and stays so.
        """
        known = self._by_chunk.get(chunk.id)
        if known is None:
            source = _source(len(self._by_chunk) + 1, chunk, cosine, via)
        else:
            source = replace(
                known,
                cosine=cosine if known.cosine is None else known.cosine,
                via="read" if "read" in (via, known.via) else "search",
            )
        self._by_chunk[chunk.id] = source
        return source

    def sources(self) -> tuple[Source, ...]:
        """All registered sources, in order of their numbers."""
        return tuple(self._by_chunk.values())

    def __len__(self) -> int:
        return len(self._by_chunk)


def _source(n: int, chunk: Chunk, cosine: float | None, via: Via) -> Source:
    return Source(
        n=n,
        chunk=chunk.id,
        source=chunk.source,
        path=chunk.path,
        url=chunk.href,
        title=chunk.title,
        heading_path=chunk.heading_path,
        text=chunk.text,
        quote=quote(chunk.text),
        cosine=cosine,
        via=via,
    )


def quote(text: str) -> str:
    """The beginning of a passage on one line, at most 160 characters, cut between words."""
    line = " ".join(text.split())
    if len(line) <= QUOTE_CHARS:
        return line
    cut = line.rfind(" ", QUOTE_CHARS // 2, QUOTE_CHARS - 1)
    return line[: cut if cut > 0 else QUOTE_CHARS - 1] + "…"


def carried_sources(
    *,
    gathered: bool,
    cited: Collection[int],
    previous_cited: Collection[int],
    previous_sources: Sequence[SourceT],
) -> tuple[SourceT, ...]:
    """The previous answer's sources that a restated turn keeps: the same objects (SPEC 4.7).

    ``gathered``: this turn left a step or registered a source of its own. ``cited`` and ``previous_cited``
    are the numbers cited in the *texts* of this and of the previous answer. Nothing is kept unless the turn
    gathered nothing, cites something, and cites only what the previous text cites.
    """
    if gathered or not cited or not set(cited) <= set(previous_cited):
        return ()
    return tuple(source for source in previous_sources if _field(source, "n") in cited)


def chips(sources: Sequence[AnySource], cited: Collection[int]) -> list[Chip]:
    """One chip per page of ``sources`` (those of a turn, in order of registration), SPEC 4.9.

    A chip lists the cited numbers that point into its page, ascending, and opens the one cited first in the
    text; without marks it opens the page's first registered passage.
    """
    pages: dict[tuple[str, str], list[AnySource]] = {}
    for source in sources:
        pages.setdefault((_field(source, "source"), _field(source, "path")), []).append(source)
    return [_chip(passages, cited) for passages in pages.values()]


def _chip(passages: Sequence[AnySource], cited: Collection[int]) -> Chip:
    by_number = {_field(source, "n"): source for source in passages}
    marked = [number for number in cited if number in by_number]
    opened = by_number[marked[0]] if marked else passages[0]
    return Chip(
        path=_field(opened, "path"),
        url=_field(opened, "url"),
        title=_field(opened, "title"),
        heading_path=tuple(_field(opened, "heading_path")),
        numbers=tuple(sorted(set(marked))),
        opens=_field(opened, "n"),
    )


def label(cited: Collection[int], sources: Sequence[AnySource]) -> str | None:
    """What stands under an answer none of whose marks opens a source; None when one does (SPEC 4.9).

    A turn has chips exactly when it has sources.
    """
    if any(_field(source, "n") in cited for source in sources):
        return None
    return UNCITED if sources else NO_SOURCES


def _field(source: AnySource, name: str) -> Any:
    return source[name] if isinstance(source, Mapping) else getattr(source, name)


def marked_sentence(tree: Sequence[Node], occurrence: int, *, verbatim: bool = False) -> str:
    """The sentence of the answer that the mark with index ``occurrence`` (from 0, in reading order) supports.

    It is the sentence that the mark ends or stands in; at the start of a block the one that follows; for a
    mark alone in its block, the block before (a code block, say). In an extractive answer (``verbatim``) it
    is all that stands between the mark before and this one. "" when there is no such mark or no text.
    """
    before = ""
    for text, positions in _runs(tree):
        if occurrence < len(positions):
            position = positions[occurrence]
            if verbatim:
                start = positions[occurrence - 1] if occurrence else 0
                return text[start:position].strip() or before
            return sentences.around(text, position) or before
        occurrence -= len(positions)
        before = text.strip() or before
    return ""


def _runs(nodes: Sequence[Node]) -> Iterator[tuple[str, list[int]]]:
    """The text of each block that holds text, without its marks, and the offsets at which they stood."""
    for node in nodes:
        if node["type"] in _BLOCKS_OF_BLOCKS:
            yield from _runs(node["children"])
        else:
            parts: list[str] = []
            positions: list[int] = []
            length = 0
            for inner in _walk([node]):
                if inner["type"] == "cite":
                    positions.append(length)
                text = _plain(inner)
                parts.append(text)
                length += len(text)
            yield "".join(parts), positions


def _plain(node: Node) -> str:
    if node["type"] == "break":
        return " "
    # With its backticks, as a passage's text has it: both then split and match alike.
    return f"`{node['text']}`" if node["type"] == "code" else str(node.get("text", ""))


_BLOCKS_OF_BLOCKS = frozenset({"list", "item", "quote", "table", "row"})
