"""A query in a large index: the signs of every vector first, whole vectors of what comes close."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from ibid.retrieval import constants
from ibid.retrieval.fusion import fuse
from ibid.retrieval.vector import Compared, length_of, query_steps
from ibid.vectors import ROWS_A_SHARD, ShardedVectors, sign_bits


class SignSearcher:
    """Compares with all signs, and with the vectors of the shards that hold most of what leads then.

    Of two vectors at an angle a, a share a / pi of the signs differs (Goemans, Williamson 1995), which
    estimates a cosine to .06; the passages that could be cited get the exact one. Which shards are fetched
    depends on the question alone, and so does every cosine.
    """

    def __init__(self, vectors: ShardedVectors, scale: float, chunk_page: NDArray[np.int32]) -> None:
        """The vectors are in steps of ``scale``; ``chunk_page`` [chunks] is each chunk's page number."""
        self._vectors = vectors
        self._scale = scale
        self._chunk_page = chunk_page
        signs = 64 * len(vectors.signs)
        self._cosine_of = np.array(
            [round(math.cos(math.pi * differing / signs), 6) for differing in range(signs + 1)]
        )

    async def compare(self, query: NDArray[np.float32], words: NDArray[np.int32]) -> Compared | None:
        """The nearest passages and those with most of the words. Raises IndexInvalid."""
        steps = query_steps(query)
        length = length_of(steps)
        if length == 0.0:
            return None
        asked = sign_bits(steps[None])[:, 0]
        differing = _differing(self._vectors.signs, asked)
        chunks = np.union1d(_least(differing, constants.CONSIDERED), _with_most(words, constants.CONSIDERED))
        cosines = self._cosine_of[differing[chunks]]
        pages = self._cosine_of[_differing(self._vectors.page_signs, asked)][self._chunk_page[chunks]]
        leading = np.argsort(-fuse(words[chunks].astype(np.float64), cosines, pages), kind="stable")
        places = self._vectors.places[chunks]
        wanted = _first_different(places[leading] // ROWS_A_SHARD, constants.VECTOR_SHARDS)
        shards = await self._vectors.shards.get_all(wanted.tolist())
        for number, rows in shards.items():
            held = np.flatnonzero(places // ROWS_A_SHARD == number)
            dots = np.einsum("ij,j->i", rows[places[held] % ROWS_A_SHARD], steps, dtype=np.int32)
            cosines[held] = dots * (self._scale / length)
        return Compared(chunks, cosines, pages)


def _differing(signs: NDArray[np.uint64], asked: NDArray[np.uint64]) -> NDArray[np.int16]:
    """int16 [n]: in how many signs each of [words, n] differs from the query's [words]."""
    counts = np.zeros(signs.shape[1], dtype=np.int16)
    for word, own in zip(signs, asked, strict=True):
        counts += np.bitwise_count(word ^ own)
    return counts


def _least(values: NDArray[np.int16], count: int) -> NDArray[np.intp]:
    """Rising places of the ``count`` least values, and of all that equal the last of them."""
    upto = np.cumsum(np.bincount(values))
    return np.flatnonzero(values <= np.searchsorted(upto, min(count, len(values))))


def _with_most(words: NDArray[np.int32], count: int) -> NDArray[np.intp]:
    """Rising places of the ``count`` highest scores above 0, and of all that equal the last of them."""
    found = np.flatnonzero(words)
    if len(found) > count:
        scores = words[found]
        found = found[scores >= np.partition(scores, len(scores) - count)[len(scores) - count]]
    return found


def _first_different(values: NDArray[np.uint32], count: int) -> NDArray[np.uint32]:
    """The first ``count`` different values, in their order."""
    _, firsts = np.unique(values, return_index=True)
    return values[np.sort(firsts)[:count]]
