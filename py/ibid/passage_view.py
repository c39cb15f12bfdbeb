"""What the passage dialog shows: the passage with the words an answer rests on, and the page around it."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ibid.citations import marked_sentence
from ibid.conversations import TurnRecord
from ibid.index import Index
from ibid.models import Chunk
from ibid.passages import highlight, passage_tree

AROUND = 4_000
"""Characters of the page shown on either side of the passage, in whole chunks."""

State = Literal["current", "changed", "missing"]
"""The index holds this passage; it holds the page without it; it holds neither."""

_Node = dict[str, Any]


@dataclass(frozen=True)
class PassageView:
    """``blocks`` are the passage's nodes (``ibid.markdown``), the words it was cited for in a ``mark``."""

    state: State
    title: str
    heading_path: tuple[str, ...]
    url: str
    blocks: list[_Node]
    before: list[_Node]
    after: list[_Node]


async def view_stored(
    index: Index, turns: Sequence[Mapping[str, Any]], turn: str, n: int, occurrence: int | None
) -> PassageView | None:
    """As :func:`view_source`, from a conversation's stored records. Raises IndexInvalid, RecordInvalid."""
    record = next((record for record in turns if record["id"] == turn), None)
    return None if record is None else await view_source(index, TurnRecord.from_dict(record), n, occurrence)


async def view_source(index: Index, turn: TurnRecord, n: int, occurrence: int | None) -> PassageView | None:
    """The stored passage of the turn's source ``n``; None when the turn has no such source.

    ``occurrence`` counts the answer's marks with this number, from 0; None: no mark was clicked.
    Raises IndexInvalid when the texts around it cannot be had.
    """
    answer = turn.shown
    source = next((source for source in answer.sources if source.n == n), None)
    if source is None:
        return None
    mark = None if occurrence is None else _mark_index(answer.blocks, n, occurrence)
    span = None
    if mark is not None:
        claim = marked_sentence(answer.blocks, mark, verbatim=answer.mode == "extractive")
        span = highlight(source.text, claim, index.language)
    state, before, after = await _around(index, source.chunk, source.path)
    blocks = passage_tree(source.text, span)
    return PassageView(state, source.title, source.heading_path, source.url, blocks, before, after)


async def view_chunk(index: Index, chunk_id: str) -> PassageView | None:
    """A passage of the index by its id; None when the index does not hold it. Raises IndexInvalid."""
    ordinal = index.ordinal_of(chunk_id)
    if ordinal is None:
        return None
    [chunk] = await index.chunks([ordinal])
    state, before, after = await _around(index, chunk_id, chunk.path)
    blocks = passage_tree(chunk.text)
    return PassageView(state, chunk.title, chunk.heading_path, chunk.href, blocks, before, after)


def _mark_index(blocks: Sequence[_Node], n: int, occurrence: int) -> int | None:
    """Which of all marks, in reading order, holds the ``occurrence``-th mention of ``n``."""
    for index, numbers in enumerate(_marks(blocks)):
        occurrence -= numbers.count(n)
        if occurrence < 0:
            return index
    return None


def _marks(nodes: Iterable[Mapping[str, Any]]) -> Iterable[list[int]]:
    for node in nodes:
        if node["type"] == "cite":
            yield node["numbers"]
        yield from _marks(node.get("children", ()))


async def _around(index: Index, chunk_id: str, path: str) -> tuple[State, list[_Node], list[_Node]]:
    ordinal = index.ordinal_of(chunk_id)
    if ordinal is None:
        return ("missing" if index.find_page(path) is None else "changed"), [], []
    number = int(index.chunk_page[ordinal])
    chunks = await index.page_chunks(number)
    place = ordinal - index.pages[number].first
    passage = chunks[place]
    before = list(reversed(_within(reversed(chunks[:place]))))
    after = _within(chunks[place + 1 :])
    nodes_before = _drawn(before, ())
    if before and before[-1].heading_path != passage.heading_path:
        nodes_before += _heading(passage)
    return "current", nodes_before, _drawn(after, passage.heading_path)


def _within(chunks: Iterable[Chunk]) -> list[Chunk]:
    taken: list[Chunk] = []
    room = AROUND
    for chunk in chunks:
        room -= len(chunk.text)
        if room < 0:
            break
        taken.append(chunk)
    return taken


def _drawn(chunks: Sequence[Chunk], heading_path: tuple[str, ...]) -> list[_Node]:
    """Their blocks, each new section under its heading."""
    nodes: list[_Node] = []
    for chunk in chunks:
        if chunk.heading_path != heading_path:
            nodes += _heading(chunk)
            heading_path = chunk.heading_path
        nodes += passage_tree(chunk.text)
    return nodes


def _heading(chunk: Chunk) -> list[_Node]:
    if not chunk.heading_path:
        return []
    level = min(len(chunk.heading_path), 6)
    return [
        {"type": "heading", "level": level, "children": [{"type": "text", "text": chunk.heading_path[-1]}]}
    ]
