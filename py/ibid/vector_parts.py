"""The chunk vectors as parts of an index."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibid.index import Dense
from ibid.index_parts import Manifest, Part, damaged, read_array, typed
from ibid.ports import AssetLoader
from ibid.shards import Shards, shard_name
from ibid.vectors import ROWS_A_SHARD, ShardedVectors, page_sums, sign_bits, sign_words

HELD_SHARDS = 512  # of 16 kB


def vector_parts(
    dense: Dense, page_firsts: NDArray[np.intp], order: NDArray[np.intp] | None, *, sharded: bool
) -> dict[str, Part]:
    """The vectors, or their signs and their shards, in which the chunks stand in ``order``."""
    if isinstance(dense.vectors, ShardedVectors):
        raise ValueError("only an index with all vectors at hand can be written")
    vectors = dense.vectors
    if not sharded:
        return {"vectors": vectors}
    order = np.arange(len(vectors)) if order is None else order
    places = np.empty(len(vectors), dtype=np.uint32)
    places[order] = np.arange(len(vectors), dtype=np.uint32)
    parts: dict[str, Part] = {
        "signs": sign_bits(vectors),
        "page-signs": sign_bits(page_sums(vectors, page_firsts)),
        "places": places,
    }
    for number, start in enumerate(range(0, len(vectors), ROWS_A_SHARD)):
        parts[shard_name("vectors", number)] = vectors[order[start : start + ROWS_A_SHARD]]
    return parts


async def read_vectors(
    loader: AssetLoader, manifest: Manifest, chunks: int, pages: int, dim: int, *, sharded: bool
) -> NDArray[np.int8] | ShardedVectors:
    """All vectors of a small index, the signs of a large one's. Raises IndexInvalid."""
    if not sharded:
        vectors = await read_array(loader, manifest, "vectors")
        return typed(vectors, "vectors", np.int8, (chunks, dim))
    signs = await read_array(loader, manifest, "signs")
    page_signs = await read_array(loader, manifest, "page-signs")
    places = await read_array(loader, manifest, "places")
    typed(signs, "signs", np.uint64, (sign_words(dim), chunks))
    typed(page_signs, "page-signs", np.uint64, (sign_words(dim), pages))
    typed(places, "places", np.uint32, (chunks,))
    if int(places.max()) >= chunks or int(np.bincount(places).max()) > 1:
        raise damaged("places", "it does not give each passage a row of its own")

    async def load(number: int) -> NDArray[np.int8]:
        name = shard_name("vectors", number)
        rows = min(ROWS_A_SHARD, chunks - number * ROWS_A_SHARD)
        return typed(await read_array(loader, manifest, name), name, np.int8, (rows, dim))

    return ShardedVectors(signs, page_signs, places, Shards(load, HELD_SHARDS))
