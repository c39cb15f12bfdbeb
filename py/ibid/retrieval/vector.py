"""Cosines of a query to every chunk and to every page's mean, in whole numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

_QUERY_STEPS = 127
_MOST_FLOATS = 2**15  # chunks that are held as float32, 1 kB each
_CHUNK_STEPS = 63  # finer ones rank no better (CARD.md) and take 30 bytes a chunk more


class VectorSearcher:
    """Cosines over int8 chunk vectors.

    The query is quantised too and all sums are of whole numbers, so that every host gets the same cosines
    (FACTS: "For the same ranks on every host").
    """

    def __init__(self, vectors: NDArray[np.int8], scale: float, page_firsts: NDArray[np.intp]) -> None:
        """``vectors`` [chunks, dim] in steps of ``scale``; ``page_firsts`` [pages], their first chunks."""
        # Sums of 256 products stay below 2**24: in float32 they are whole numbers too, at half the time.
        self._vectors = vectors
        self._floats = vectors.astype(np.float32) if len(vectors) <= _MOST_FLOATS else None
        self._scale = scale
        # A page's mean vector differs from this sum in length only, which the cosine does not see.
        self._page_sums = np.add.reduceat(vectors, page_firsts, axis=0, dtype=np.int64).astype(np.float64)
        self._page_lengths = np.sqrt(np.einsum("ij,ij->i", self._page_sums, self._page_sums))

    def cosines(self, query: NDArray[np.float32]) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """float64 [chunks] and float64 [pages]; None for a query of zeros, which is near nothing."""
        largest = float(np.abs(query).max(initial=0.0))
        if largest == 0.0:
            return None
        steps = np.rint(query * (_QUERY_STEPS / largest)).astype(np.float64)
        length = math.sqrt(int(np.square(steps).sum()))
        dots: NDArray[Any]
        if self._floats is not None:
            dots = np.einsum("ij,j->i", self._floats, steps.astype(np.float32))
        else:
            dots = np.einsum("ij,j->i", self._vectors, steps.astype(np.int8), dtype=np.int32)
        page_dots = np.einsum("ij,j->i", self._page_sums, steps)
        return (
            dots.astype(np.float64) * (self._scale / length),
            page_dots / np.maximum(self._page_lengths * length, 1.0),
        )


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """int8 steps and the size of one step; one scale for all, which compresses best (FACTS)."""
    largest = float(np.abs(vectors).max(initial=0.0)) or 1.0
    return np.rint(vectors * (_CHUNK_STEPS / largest)).astype(np.int8), largest / _CHUNK_STEPS
