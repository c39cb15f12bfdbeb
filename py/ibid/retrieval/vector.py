"""Cosines of a query to every chunk and to every page's mean, in whole numbers."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibid.vectors import page_sums

_QUERY_STEPS = 127


@dataclass(frozen=True)
class Compared:
    """``chunks`` are the ordinals worth adding up scores for, rising, or all; a cosine for each, float64,
    and for each that of its page.
    """

    chunks: NDArray[np.intp] | slice
    cosines: NDArray[np.float64]
    page_cosines: NDArray[np.float64]


class VectorSearcher(Protocol):
    """Compares a query with the passages."""

    async def compare(self, query: NDArray[np.float32], words: NDArray[np.int32]) -> Compared | None:
        """None for a query of zeros, which is near nothing. ``words`` [chunks] score what to look at, too."""
        ...


class ExactSearcher:
    """Compares with every vector.

    The query is quantised too and all sums are of whole numbers, so that every host gets the same cosines
    (FACTS: "For the same ranks on every host").
    """

    def __init__(self, vectors: NDArray[np.int8], scale: float, chunk_page: NDArray[np.int32]) -> None:
        """``vectors`` [chunks, dim] in steps of ``scale``; ``chunk_page`` [chunks], rising by page."""
        # Sums of 256 products stay below 2**24: in float32 they are whole numbers too, at half the time.
        self._vectors = vectors.astype(np.float32)
        self._scale = scale
        self._chunk_page = chunk_page
        firsts = np.flatnonzero(np.diff(chunk_page, prepend=-1))
        self._page_sums = page_sums(vectors, firsts).astype(np.float64)
        self._page_lengths = np.sqrt(np.einsum("ij,ij->i", self._page_sums, self._page_sums))

    async def compare(self, query: NDArray[np.float32], words: NDArray[np.int32]) -> Compared | None:
        """All chunks."""
        del words
        steps = query_steps(query)
        length = length_of(steps)
        if length == 0.0:
            return None
        dots = np.einsum("ij,j->i", self._vectors, steps.astype(np.float32))
        page_dots = np.einsum("ij,j->i", self._page_sums, steps.astype(np.float64))
        return Compared(
            slice(None),
            dots.astype(np.float64) * (self._scale / length),
            (page_dots / np.maximum(self._page_lengths * length, 1.0))[self._chunk_page],
        )


def query_steps(query: NDArray[np.float32]) -> NDArray[np.int8]:
    """int8 [dim]: the query in 127 steps of its own largest part."""
    largest = float(np.abs(query).max(initial=0.0))
    return np.rint(query * (_QUERY_STEPS / largest)).astype(np.int8) if largest else query.astype(np.int8)


def length_of(steps: NDArray[np.int8]) -> float:
    """The Euclidean length, from whole numbers."""
    return math.sqrt(int(np.square(steps.astype(np.int64)).sum()))
