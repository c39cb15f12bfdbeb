"""An index whose postings and vectors are fetched when a question needs them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import ibid.packed_postings
import ibid.vector_parts
from ibid.errors import IndexInvalid
from ibid.index import Index
from ibid.index_format import open_index, write_index
from ibid.models import Chunk
from ibid.retrieval import signs
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid.vectors import ShardedVectors
from small_index import WORDS, MemoryAssets, chunk, contents, open_small

CHUNKS = [
    chunk(f"{n // 3}.md", f"{word} {other} number{n}")
    for n, (word, other) in enumerate((word, other) for word in WORDS for other in WORDS)
]
QUESTIONS = ("timer", "cache pool", "socket token file", "nubmer7", "nothing of it", "??", "")
ROWS = 4


@pytest.fixture(autouse=True)
def _small_shards(monkeypatch: pytest.MonkeyPatch) -> None:
    """So that a few passages make several."""
    for module in (ibid.vector_parts, signs):
        monkeypatch.setattr(module, "ROWS_A_SHARD", ROWS)
    monkeypatch.setattr(ibid.packed_postings.shard_firsts, "__defaults__", (8,))


def assets_of(
    folder: Path, chunks: Sequence[Chunk] = CHUNKS, order: Sequence[int] | None = None
) -> MemoryAssets:
    permuted = None if order is None else np.array(order, dtype=np.intp)
    write_index(folder, replace(contents(chunks), sharded=True, order=permuted))
    return MemoryAssets.of(folder)


async def large(folder: Path) -> tuple[Index, MemoryAssets]:
    assets = assets_of(folder, order=range(len(CHUNKS))[::-1])
    return await open_index(assets), assets


async def test_it_finds_what_a_small_one_finds(tmp_path: Path) -> None:
    """The same cosines, word scores and coverage, as long as all the shards may be fetched."""
    everything = Settings(candidates=len(CHUNKS))
    few = Retriever(await open_small(tmp_path / "small", CHUNKS), everything)
    many = Retriever((await large(tmp_path / "large"))[0], everything)
    for question in QUESTIONS:
        ours, theirs = await many.search(question), await few.search(question)
        assert {hit.chunk: (hit.cosine, hit.bm25, hit.coverage) for hit in ours} == {
            hit.chunk: (hit.cosine, hit.bm25, hit.coverage) for hit in theirs
        }


async def test_opening_it_fetches_no_shard(tmp_path: Path) -> None:
    """Of vectors the signs, of postings the terms and their counts."""
    index, assets = await large(tmp_path)
    read = {name.removeprefix("index/").rsplit("-", 1)[0] for name in assets.reads}
    assert {"signs", "page-signs", "places", "terms", "chunk-counts", "posting-firsts"} < read
    assert not [name for name in read if name[-1].isdigit()]
    assert index.dense is not None
    assert isinstance(index.dense.vectors, ShardedVectors)


async def test_a_question_fetches_what_it_needs_once(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The shards of its terms, and as many of the vectors as are allowed."""
    monkeypatch.setattr("ibid.retrieval.constants.VECTOR_SHARDS", 2)
    index, assets = await large(tmp_path)
    retriever = Retriever(index, Settings())
    assets.reads.clear()
    first = await retriever.search("timer cache")
    read = [name.removeprefix("index/") for name in assets.reads]
    assert len([name for name in read if name.startswith("vectors-")]) == 2
    assert 1 <= len([name for name in read if name.startswith("postings-")]) <= 2
    assets.reads.clear()
    assert await retriever.search("timer cache") == first
    assert assets.reads == []


async def test_what_is_fetched_depends_on_the_question_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Shards that an earlier question left do not change a rank."""
    monkeypatch.setattr("ibid.retrieval.constants.VECTOR_SHARDS", 1)
    fresh = await Retriever((await large(tmp_path / "a"))[0], Settings()).search("cache pool")
    used = Retriever((await large(tmp_path / "b"))[0], Settings())
    for question in QUESTIONS:
        await used.search(question)
    assert await used.search("cache pool") == fresh


async def test_the_best_passage_gets_its_exact_cosine(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Though one shard in nine is fetched, and few passages are looked at."""
    monkeypatch.setattr("ibid.retrieval.constants.VECTOR_SHARDS", 1)
    monkeypatch.setattr("ibid.retrieval.constants.CONSIDERED", 5)
    few = Retriever(await open_small(tmp_path / "small", CHUNKS), Settings())
    many = Retriever((await large(tmp_path / "large"))[0], Settings())
    (best, *others) = await many.search("socket token")
    assert best == replace((await few.search("socket token"))[0], score=best.score)
    assert len(others) < len(CHUNKS) - 1


async def test_a_shard_that_is_missing_or_damaged_is_named(tmp_path: Path) -> None:
    """And once it is there, the same question is answered."""
    index, assets = await large(tmp_path)
    retriever = Retriever(index, Settings())
    names = [name for name in assets.files if name.startswith("index/vectors-")]
    whole = {name: assets.files.pop(name) for name in names}
    with pytest.raises(IndexInvalid, match="vectors-"):
        await retriever.search("timer")
    assets.files |= {name: data[:-1] + b"!" for name, data in whole.items()}
    with pytest.raises(IndexInvalid, match="vectors-"):
        await retriever.search("timer")
    assets.files |= whole
    assert await retriever.search("timer")


async def test_everything_is_read_to_verify_it(tmp_path: Path) -> None:
    """Shards that no question asked for, too."""
    index, assets = await large(tmp_path)
    await index.verify()
    assets.files["index/" + next(n for n in _names(assets) if n.startswith("postings-"))] = b"x"
    with pytest.raises(IndexInvalid, match="postings-"):
        await index.verify()


def _names(assets: MemoryAssets) -> list[str]:
    return [name.removeprefix("index/") for name in assets.files]


@pytest.mark.parametrize(
    ("part", "values", "message"),
    [
        ("places", [0] * len(CHUNKS), "a row of its own"),
        ("places", [*range(1, len(CHUNKS)), 4_000_000_000], "a row of its own"),
        ("posting-firsts", [1, 2], "share out"),
        ("posting-firsts", [0, 9, 9], "share out"),
        ("posting-firsts", [0, 4_000_000], "share out"),
    ],
)
async def test_a_forged_part_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, part: str, values: list[int], message: str
) -> None:
    """Whoever made all hashes anew cannot lead a search out of the arrays."""
    module = ibid.vector_parts if part == "places" else ibid.lexicon_parts
    real = module.read_array

    async def forged(loader: object, manifest: object, name: str) -> object:
        return np.array(values, dtype=np.uint32) if name == part else await real(loader, manifest, name)

    monkeypatch.setattr(module, "read_array", forged)
    with pytest.raises(IndexInvalid, match=message):
        await open_index(assets_of(tmp_path))
