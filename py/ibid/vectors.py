"""Chunk vectors as they are stored: int8 steps, and in a large index their signs and rows in shards."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from ibid.shards import Shards

MANY = 20_000
"""Chunks, up to which all of an index but the texts is loaded when it is opened."""
ROWS_A_SHARD = 64

_BLOCK = 4_096  # vectors turned at a time
_CHUNK_STEPS = 63  # finer ones rank no better (CARD.md) and take 30 bytes a chunk more


@dataclass(frozen=True)
class ShardedVectors:
    """Of a large index's vectors the signs (:func:`sign_bits`); the vectors themselves by shard.

    ``signs`` uint64 [words, chunks]; ``page_signs`` uint64 [words, pages], of the pages' mean vectors.
    ``places`` uint32 [chunks]: a chunk's row, counted through all shards, int8 [64, dim] but for the last.
    """

    signs: NDArray[np.uint64]
    page_signs: NDArray[np.uint64]
    places: NDArray[np.uint32]
    shards: Shards[NDArray[np.int8]]


def sign_words(dim: int) -> int:
    """How many words of 64 signs a vector has: its dimensions, up to the next power of two."""
    return max(64, 1 << (dim - 1).bit_length()) // 64


def sign_bits(vectors: NDArray[np.int8] | NDArray[np.int32]) -> NDArray[np.uint64]:
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


def page_sums(vectors: NDArray[np.int8], firsts: NDArray[np.intp]) -> NDArray[np.int32]:
    """int32 [len(firsts), dim]: the sum of each page's vectors; ``firsts`` are the pages' first chunks.

    A page's mean vector differs from it in length only, which neither a cosine nor a sign sees. One page at
    a time where there are many, as numpy widens all that it adds up.
    """
    sums = np.empty((len(firsts), vectors.shape[1]), dtype=np.int32)
    ends = np.append(firsts, len(vectors))
    for start in range(0, len(firsts), _BLOCK // 16):
        stop = min(start + _BLOCK // 16, len(firsts))
        rows = vectors[ends[start] : ends[stop]]
        sums[start:stop] = np.add.reduceat(rows, firsts[start:stop] - firsts[start], axis=0, dtype=np.int32)
    return sums
