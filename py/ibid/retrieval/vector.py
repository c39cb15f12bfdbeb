"""Cosines of a query to every chunk and to every page's mean, in whole numbers."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.index import sign_words

_QUERY_STEPS = 127
_BLOCK = 4_096  # vectors turned at a time
_PAGES = 256  # of which the vectors are summed at a time
_CHUNK_STEPS = 63  # finer ones rank no better (CARD.md) and take 30 bytes a chunk more


class VectorSearcher:
    """Cosines over int8 chunk vectors.

    The query is quantised too and all sums are of whole numbers, so that every host gets the same cosines
    (FACTS: "For the same ranks on every host").
    """

    def __init__(
        self,
        vectors: NDArray[np.int8],
        scale: float,
        page_firsts: NDArray[np.intp],
        bits: NDArray[np.uint64] | None = None,
    ) -> None:
        """``vectors`` [chunks, dim] in steps of ``scale``; ``page_firsts`` [pages], their first chunks.

        ``bits`` uint64 [words, chunks] are what :func:`sign_bits` makes of the vectors, where there are many.
        """
        # Sums of 256 products stay below 2**24: in float32 they are whole numbers too, at half the time.
        self._vectors = vectors
        self._floats = vectors.astype(np.float32) if bits is None else None
        self._bits = bits
        self._scale = scale
        # A page's mean vector differs from this sum in length only, which the cosine does not see.
        self._page_sums = _sums(vectors, page_firsts)
        self._page_lengths = np.sqrt(np.einsum("ij,ij->i", self._page_sums, self._page_sums))

    def nearest(self, query: NDArray[np.float32], count: int) -> NDArray[np.intp] | None:
        """The ``count`` chunks (or more, equally far) that differ from the query in the fewest signs.

        Rising ordinals; None where there are too few chunks to leave any out.
        """
        if self._bits is None:
            return None
        asked = sign_bits(_steps(query)[None])
        distances = np.zeros(self._bits.shape[1], dtype=np.int16)
        for word, own in zip(self._bits, asked[:, 0], strict=True):
            distances += np.bitwise_count(word ^ own)
        if count < len(distances):
            return np.flatnonzero(distances <= np.partition(distances, count - 1)[count - 1])
        return np.arange(len(distances))

    def cosines(
        self, query: NDArray[np.float32], chunks: NDArray[np.intp] | None = None
    ) -> tuple[NDArray[np.float64], NDArray[np.float64]] | None:
        """float64 [chunks] and float64 [pages]; None for a query of zeros, which is near nothing.

        ``chunks`` are the ordinals wanted, all by default.
        """
        steps = _steps(query).astype(np.float64)
        length = math.sqrt(int(np.square(steps).sum()))
        if length == 0.0:
            return None
        rows = self._vectors if chunks is None else self._vectors[chunks]
        dots: NDArray[Any]
        if self._floats is not None and chunks is None:
            dots = np.einsum("ij,j->i", self._floats, steps.astype(np.float32))
        else:
            dots = np.einsum("ij,j->i", rows, steps.astype(np.int8), dtype=np.int32)
        page_dots = np.einsum("ij,j->i", self._page_sums, steps)
        return (
            dots.astype(np.float64) * (self._scale / length),
            page_dots / np.maximum(self._page_lengths * length, 1.0),
        )


def _sums(vectors: NDArray[np.int8], firsts: NDArray[np.intp]) -> NDArray[np.float64]:
    """float64 [len(firsts), dim]: whole numbers, each the sum of a page's vectors.

    Some pages at a time, as numpy widens all that it adds up.
    """
    sums = np.empty((len(firsts), vectors.shape[1]), dtype=np.float64)
    ends = np.append(firsts, len(vectors))
    for start in range(0, len(firsts), _PAGES):
        stop = min(start + _PAGES, len(firsts))
        rows = vectors[ends[start] : ends[stop]]
        sums[start:stop] = np.add.reduceat(rows, firsts[start:stop] - firsts[start], axis=0, dtype=np.int64)
    return sums


def _steps(query: NDArray[np.float32]) -> NDArray[np.int8]:
    """int8 [dim]: the query in 127 steps of its own largest part."""
    largest = float(np.abs(query).max(initial=0.0))
    return np.rint(query * (_QUERY_STEPS / largest)).astype(np.int8) if largest else query.astype(np.int8)


def sign_bits(vectors: NDArray[np.int8]) -> NDArray[np.uint64]:
    """uint64 [words, n]: the signs of each vector [n, dim] after a rotation, 64 a word, words side by side.

    Principal axes differ in what they tell, their signs would not: a Walsh-Hadamard transform with fixed
    signs before it spreads it evenly (Ailon, Chazelle 2009). Of the ten best chunks 80 % are then among the
    50 that differ least, 99 % among 500; without it 68 % and 96 % (git, 4,673 chunks). Dimensions are padded
    with zeros to a power of two, 64 at least.
    """
    count, dim = vectors.shape
    size = 64 * sign_words(dim)
    hashed = np.arange(dim, dtype=np.uint32) * np.uint32(2_654_435_761) >> np.uint32(16)
    flips = 1 - 2 * (hashed & np.uint32(1)).astype(np.int32)
    bits = np.empty((size // 64, count), dtype=np.uint64)
    for start in range(0, count, _BLOCK):
        part = vectors[start : start + _BLOCK]
        turned = np.zeros((len(part), size), dtype=np.int32)
        turned[:, :dim] = part * flips
        half = 1
        while half < size:
            pairs = turned.reshape(len(part), -1, 2, half)
            turned = np.stack((pairs[:, :, 0] + pairs[:, :, 1], pairs[:, :, 0] - pairs[:, :, 1]), axis=2)
            half *= 2
        packed = np.packbits(turned.reshape(len(part), size) > 0, axis=1, bitorder="little")
        bits[:, start : start + _BLOCK] = packed.view("<u8").T
    return bits


def quantise(vectors: NDArray[np.float32]) -> tuple[NDArray[np.int8], float]:
    """int8 steps and the size of one step; one scale for all, which compresses best (FACTS)."""
    largest = float(np.abs(vectors).max(initial=0.0)) or 1.0
    return np.rint(vectors * (_CHUNK_STEPS / largest)).astype(np.int8), largest / _CHUNK_STEPS
