"""Postings as they travel: gaps between documents, byte by byte, and impacts.

Gaps are small where ordinals are not, and their high bytes are mostly zeros, which cost next to nothing when
they stand together: on Git's manual 47 bytes a chunk, 55 as whole numbers, 85 as plain ordinals. A page has
the terms of its chunks, so that of its postings the impacts alone travel, 15 bytes a chunk less.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibid.index_parts import Array, damaged
from ibid.lexicon import Counts, Ordinals, Postings, WholeLexicon

POSTINGS_A_SHARD = 2**15
"""At least, but for the last shard; a term's stay together."""


def shard_firsts(chunk_counts: Counts, size: int = POSTINGS_A_SHARD) -> NDArray[np.uint32]:
    """The first term of each shard, rising from 0: uint32 [shards]."""
    ends = np.cumsum(chunk_counts, dtype=np.int64)
    firsts = [0]
    while firsts[-1] < len(ends):
        before = int(ends[firsts[-1] - 1]) if firsts[-1] else 0
        firsts.append(int(np.searchsorted(ends, before + size)) + 1)
    return np.array(firsts[:-1] or [0], dtype=np.uint32)


def pack(lexicon: WholeLexicon, first: int, last: int) -> NDArray[np.uint8]:
    """The postings of the terms from ``first`` to before ``last``: uint8 [bytes].

    A byte that tells how many bytes a gap has (1 to 4); the lowest byte of each gap, then the next higher one
    of each; the impacts by chunk, then those by page. A row's first gap is its first document itself.
    """
    starts = lexicon.chunks.starts[first : last + 1].astype(np.int64)
    span = slice(int(starts[0]), int(starts[-1]))
    ordinals = lexicon.chunks.ordinals[span].astype(np.int64)
    gaps = np.diff(ordinals, prepend=0)
    firsts = _firsts(np.diff(starts))
    gaps[firsts] = ordinals[firsts]
    size = max(1, (int(gaps.max(initial=0)).bit_length() + 7) // 8)
    pages = slice(int(lexicon.pages.starts[first]), int(lexicon.pages.starts[last]))
    return np.concatenate(
        [
            np.array([size], dtype=np.uint8),
            *((gaps >> (8 * place)).astype(np.uint8) for place in range(size)),
            lexicon.chunks.impacts[span],
            lexicon.pages.impacts[pages],
        ]
    )


def unpack(
    name: str, packed: Array, counts: Counts, chunk_page: NDArray[np.int32], pages: int
) -> tuple[Postings, Postings]:
    """The postings by chunk and by page of the terms that are in ``counts`` chunks each.

    Each row rises, and all documents are there. Raises IndexInvalid naming the part.
    """
    if packed.dtype != np.uint8 or packed.ndim != 1 or not len(packed) or not 1 <= packed[0] <= 4:
        raise damaged(name, f"it is {packed.dtype} {packed.shape}, not the bytes of postings")
    starts = np.concatenate((np.zeros(1, dtype=np.uint64), np.cumsum(counts, dtype=np.uint64)))
    count, size = int(starts[-1]), int(packed[0])
    if len(packed) < 1 + count * (size + 1):
        raise damaged(name, f"it ends before the {count} postings of its terms")
    gaps = packed[1 : 1 + size * count].reshape(size, count)
    ordinals = _ordinals(name, counts, gaps, len(chunk_page))
    impacts = packed[1 + size * count :]
    by_chunk = Postings(starts.astype(np.uint32), ordinals, impacts[:count])
    page_starts, page_ordinals = rows_by_page(by_chunk, chunk_page, pages)
    if len(impacts) != count + len(page_ordinals):
        raise damaged(name, f"it has {len(impacts)} impacts, not {count} and {len(page_ordinals)}")
    return by_chunk, Postings(page_starts, page_ordinals, impacts[count:])


def rows_by_page(
    chunks: Postings, chunk_page: NDArray[np.int32], pages: int
) -> tuple[NDArray[np.uint32], Ordinals]:
    """``starts`` and ``ordinals`` of the pages that hold each term: those of the chunks that do."""
    found = chunk_page[chunks.ordinals]
    is_new = np.ones(len(found) + 1, dtype=np.bool)
    is_new[1:-1] = found[1:] != found[:-1]
    is_new[chunks.starts] = True  # a row's first page, though the row before may end with it
    new = is_new[:-1]
    before = np.concatenate((np.zeros(1, dtype=np.uint32), np.cumsum(new, dtype=np.uint32)))
    return before[chunks.starts], _narrow(found[new], pages)


def _ordinals(name: str, counts: Counts, gaps: NDArray[np.uint8], documents: int) -> Ordinals:
    whole = np.zeros(gaps.shape[1], dtype=np.uint32)
    for place, row in enumerate(gaps):
        whole |= row.astype(np.uint32) << np.uint32(8 * place)
    # Sums may pass 2**32 over many rows; differences within a row do not, so modulo 2**32 is exact.
    ordinals = np.cumsum(whole, dtype=np.uint32)
    firsts = _firsts(counts)
    before = ordinals[firsts] - whole[firsts]
    ordinals -= np.repeat(before, counts[counts > 0].astype(np.intp))
    if len(ordinals) and int(ordinals.max()) >= documents:
        raise damaged(name, f"it names a document beyond the {documents} there are")
    rises = ordinals[1:] > ordinals[:-1]
    rises[firsts[1:] - 1] = True
    if not rises.all():
        raise damaged(name, "its rows do not rise")
    return _narrow(ordinals, documents)


def _firsts(counts: NDArray[np.integer]) -> NDArray[np.intp]:
    """Where each row that is not empty begins."""
    ends = np.cumsum(counts, dtype=np.intp)
    return (ends - counts.astype(np.intp))[counts > 0]


def _narrow(ordinals: Array, documents: int) -> Ordinals:
    return ordinals.astype(np.uint16) if documents <= 2**16 else ordinals.astype(np.uint32)
