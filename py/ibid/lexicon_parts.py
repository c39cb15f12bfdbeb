"""The lexicon as parts of an index."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from ibid.index_parts import Manifest, Part, damaged, read_array, read_text
from ibid.lexicon import Counts, Lexicon, ShardedLexicon, WholeLexicon
from ibid.packed_postings import pack, shard_firsts, unpack
from ibid.ports import AssetLoader
from ibid.shards import shard_name


def lexicon_parts(lexicon: WholeLexicon, *, sharded: bool) -> dict[str, Part]:
    """All postings in one part, or in shards of some terms each."""
    counts = lexicon.chunk_counts
    narrow = np.uint16 if int(counts.max(initial=0)) < 2**16 else np.uint32
    parts: dict[str, Part] = {"terms": lexicon.terms, "chunk-counts": counts.astype(narrow)}
    if not sharded:
        return parts | {"postings": pack(lexicon, 0, len(counts))}
    firsts = shard_firsts(counts)
    parts["posting-firsts"] = firsts
    for number, (first, last) in enumerate(pairwise([*firsts.tolist(), len(counts)])):
        parts[shard_name("postings", number)] = pack(lexicon, first, last)
    return parts


async def read_lexicon(
    loader: AssetLoader, manifest: Manifest, chunk_page: NDArray[np.int32], pages: int, *, sharded: bool
) -> Lexicon:
    terms = await read_text(loader, manifest, "terms")
    counts: Counts = await read_array(loader, manifest, "chunk-counts")
    term_count = terms.count(b"\n") + 1
    if counts.dtype not in (np.uint16, np.uint32) or counts.shape != (term_count,):
        raise damaged("chunk-counts", f"it is {counts.dtype} {counts.shape}, not of the {term_count} terms")

    async def load(name: str, counts: Counts) -> WholeLexicon:
        packed = await read_array(loader, manifest, name)
        return WholeLexicon(terms, *unpack(name, packed, counts, chunk_page, pages))

    if not sharded:
        return await load("postings", counts)
    firsts = await read_array(loader, manifest, "posting-firsts")
    bounds = np.append(firsts, np.uint32(term_count))
    if firsts.dtype != np.uint32 or bounds.ndim != 1 or bounds[0] != 0 or (bounds[1:] <= bounds[:-1]).any():
        raise damaged("posting-firsts", f"its shards do not share out the {term_count} terms")

    async def load_shard(number: int) -> WholeLexicon:
        return await load(shard_name("postings", number), counts[bounds[number] : bounds[number + 1]])

    return ShardedLexicon(terms, counts, firsts, load_shard)
