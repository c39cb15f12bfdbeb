"""Postings come back as they were packed."""

from __future__ import annotations

import numpy as np
import pytest

from ibid.errors import IndexInvalid
from ibid.lexicon import Postings, WholeLexicon
from ibid.packed_postings import pack, rows_by_page, shard_firsts, unpack


def lexicon(*rows: list[int], a_page: int = 1) -> WholeLexicon:
    """Terms with these chunks, every ``a_page`` of which are a page."""
    ordinals = np.array([ordinal for row in rows for ordinal in row], dtype=np.uint32)
    starts = np.cumsum([0, *map(len, rows)]).astype(np.uint32)
    chunks = Postings(starts, ordinals, (np.arange(len(ordinals)) % 63 + 1).astype(np.uint8))
    by_page = [sorted({ordinal // a_page for ordinal in row}) for row in rows]
    page_ordinals = np.array([page for row in by_page for page in row], dtype=np.uint32)
    page_starts = np.cumsum([0, *map(len, by_page)]).astype(np.uint32)
    impacts = (np.arange(len(page_ordinals)) % 31 + 1).astype(np.uint8)
    return WholeLexicon(b"", chunks, Postings(page_starts, page_ordinals, impacts))


def same(one: Postings, other: Postings) -> bool:
    return all(
        left.tolist() == right.tolist()
        for left, right in zip(vars(one).values(), vars(other).values(), strict=True)
    )


def pages_of(chunks: int, a_page: int) -> np.ndarray:
    return (np.arange(chunks) // a_page).astype(np.int32)


@pytest.mark.parametrize(
    ("rows", "chunks", "a_page"),
    [
        ([[0]], 1, 1),
        ([[0, 1, 2], [2], [0, 2]], 3, 2),
        ([[5], [], [5], []], 6, 3),
        ([[], [0, 1], [1, 2], []], 3, 3),
        ([[0, 70_000], [69_999]], 70_001, 20),
        ([[80_000_000 - n] for n in range(60)], 80_000_001, 1_000_000),
        ([[], []], 4, 1),
    ],
    ids=["one", "pages", "empty rows", "a page in two rows", "wide gaps", "sums beyond 32 bits", "nothing"],
)
def test_a_round_trip(rows: list[list[int]], chunks: int, a_page: int) -> None:
    """Every row, also where the sums over all rows pass 2**32; the pages are found out."""
    before = lexicon(*rows, a_page=a_page)
    chunk_page = pages_of(chunks, a_page)
    pages = int(chunk_page[-1]) + 1
    by_chunk, by_page = unpack("x", pack(before, 0, len(rows)), before.chunk_counts, chunk_page, pages)
    assert same(by_chunk, before.chunks)
    assert same(by_page, before.pages)
    assert by_chunk.ordinals.dtype == (np.uint16 if chunks <= 2**16 else np.uint32)


def test_some_terms_can_be_packed() -> None:
    """As a shard holds them: rows counted from the first of them."""
    before = lexicon([0, 1], [1, 4], [2, 3, 5], [0])
    by_chunk, by_page = unpack("x", pack(before, 1, 3), before.chunk_counts[1:3], pages_of(6, 1), 6)
    assert by_chunk.row(0)[0].tolist() == [1, 4]
    assert by_chunk.row(1)[0].tolist() == [2, 3, 5]
    assert by_page.row(1)[1].tolist() == before.pages.row(2)[1].tolist()


def test_gaps_take_the_bytes_that_the_widest_needs() -> None:
    assert [pack(lexicon([0, gap]), 0, 1)[0] for gap in (255, 256, 65_536, 2**24)] == [1, 2, 3, 4]


@pytest.mark.parametrize(
    ("counts", "size", "firsts"),
    [
        ([1, 1, 1], 100, [0]),
        ([5, 5, 5, 5], 10, [0, 2]),
        ([50, 1, 1, 50, 1], 10, [0, 1, 4]),
        ([0, 0], 1, [0]),
        ([3] * 7, 1, [0, 1, 2, 3, 4, 5, 6]),
    ],
)
def test_shards_end_where_they_are_full(counts: list[int], size: int, firsts: list[int]) -> None:
    assert shard_firsts(np.array(counts, dtype=np.uint16), size).tolist() == firsts


def test_hostile_bytes_cannot_reach_beyond() -> None:
    """Sums that wrap around come out as documents that are not there, or as rows that fall."""
    before = lexicon([0, 1, 2], [0, 1, 2])
    counts, chunk_page = before.chunk_counts, pages_of(3, 1)
    packed = pack(before, 0, 2)
    for value in (0, 3, 128, 255):
        for place in range(1, 7):
            forged = packed.copy()
            forged[place] = value
            if place in (1, 4) and value == 0:
                continue  # the first of a row may be 0
            with pytest.raises(IndexInvalid, match="'x'"):
                unpack("x", forged, counts, chunk_page, 3)
    for wrong in (
        packed[:-1],
        packed[:4],
        packed[:0],
        np.append(packed, packed[:1]),
        packed.astype(np.uint16),
    ):
        with pytest.raises(IndexInvalid, match="'x'"):
            unpack("x", wrong, counts, chunk_page, 3)
    for size in (0, 5, 255):
        forged = packed.copy()
        forged[0] = size
        with pytest.raises(IndexInvalid, match="'x'"):
            unpack("x", forged, counts, chunk_page, 3)


def test_a_page_is_found_in_every_row_that_ends_or_begins_with_it() -> None:
    chunks = lexicon([0, 1], [1, 2], [], [3]).chunks
    starts, pages = rows_by_page(chunks, np.array([0, 0, 0, 1], dtype=np.int32), 2)
    assert starts.tolist() == [0, 1, 2, 2, 3]
    assert pages.tolist() == [0, 0, 1]
