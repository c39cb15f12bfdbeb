"""Terms and their postings: all at hand, or in shards that are fetched when a question needs them."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibid.shards import Shards

IMPACT_STEPS = 63  # of 255, which rank no better, each chunk would take 16 bytes more
HELD_SHARDS = 128  # of 32,768 postings, 5 bytes each

Ordinals = NDArray[np.uint16] | NDArray[np.uint32]
Counts = NDArray[np.uint16] | NDArray[np.uint32]


@dataclass(frozen=True)
class Postings:
    """Term -> documents, in compressed sparse rows.

    The documents of term t are ``ordinals[starts[t]:starts[t + 1]]``, rising; ``impacts`` are BM25F's
    saturated term frequencies tf / (k1 + tf) in steps of 1 / IMPACT_STEPS. idf is left to the reader.
    """

    starts: NDArray[np.uint32]
    ordinals: Ordinals
    impacts: NDArray[np.uint8]

    def row(self, number: int) -> tuple[Ordinals, NDArray[np.uint8]]:
        """The documents of one term, and their impacts."""
        span = slice(int(self.starts[number]), int(self.starts[number + 1]))
        return self.ordinals[span], self.impacts[span]


@dataclass(frozen=True)
class TermPostings:
    """One term's, by chunk and by page."""

    chunks: Ordinals
    chunk_impacts: NDArray[np.uint8]
    pages: Ordinals
    page_impacts: NDArray[np.uint8]


class Lexicon(Protocol):
    """What a search reads."""

    @property
    def terms(self) -> bytes:
        """Sorted by code point, one a line, UTF-8."""
        ...

    @property
    def chunk_counts(self) -> Counts:
        """[terms]: in how many chunks each occurs."""
        ...

    async def postings(self, rows: Sequence[int]) -> Mapping[int, TermPostings]:
        """Those of some terms, by their rows. Raises IndexInvalid when they cannot be had."""
        ...


@dataclass(frozen=True)
class WholeLexicon:
    """All postings at hand. A page has the terms of its chunks."""

    terms: bytes
    chunks: Postings
    pages: Postings

    @property
    def chunk_counts(self) -> Counts:
        """uint32 [terms]."""
        return np.diff(self.chunks.starts)

    async def postings(self, rows: Sequence[int]) -> Mapping[int, TermPostings]:
        """Nothing is copied."""
        return {row: self.row(row) for row in rows}

    def row(self, number: int) -> TermPostings:
        """One term's."""
        return TermPostings(*self.chunks.row(number), *self.pages.row(number))


class ShardedLexicon:
    """The terms at hand, their postings in shards."""

    def __init__(
        self,
        terms: bytes,
        chunk_counts: Counts,
        firsts: NDArray[np.uint32],
        load: Callable[[int], Awaitable[WholeLexicon]],
    ) -> None:
        """Shard n has the terms from ``firsts[n]`` on; ``load`` fetches it, its first term in row 0."""
        self.terms = terms
        self.chunk_counts = chunk_counts
        self._firsts = firsts
        self._shards = Shards(load, HELD_SHARDS)

    async def postings(self, rows: Sequence[int]) -> Mapping[int, TermPostings]:
        """Fetched side by side. Raises IndexInvalid."""
        numbers = np.searchsorted(self._firsts, np.array(rows, dtype=np.intp), side="right") - 1
        shards = await self._shards.get_all(numbers.tolist())
        return {
            row: shards[number].row(row - int(self._firsts[number]))
            for row, number in zip(rows, numbers.tolist(), strict=True)
        }
