"""What a question costs as a documentation grows: ``python tests/bench/scale.py [CHUNKS...]`` prints a table.

Indexes are made up: terms by Zipf's law, some 65 a chunk; vectors whose neighbours are as near as in Linux's
documentation (cosines of .70 to the nearest, .60 to the tenth, .49 to the hundredth, .37 to the thousandth);
20 chunks a page. They are written and opened as any other, and searched inside Pyodide under Node, with the
committed query encoder: encode, rank, fuse, to the hits, once all that the questions need was fetched. What
is transferred is counted before the first question, without the encoder, and for a first question.
``recall``: of a hundred questions near some passage, how many of the ten nearest get an exact cosine.
"""

from __future__ import annotations

import asyncio
import hashlib
import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ibid.calibration import PiecewiseLinear
from ibid.index import Calibration, Dense
from ibid.index_format import IndexContents, open_index, write_index
from ibid.lexicon import Postings, WholeLexicon
from ibid.models import Chunk
from ibid.packed_postings import rows_by_page
from ibid.retrieval.signs import SignSearcher
from ibid.retrieval.vector import ExactSearcher
from ibid.vectors import MANY, ShardedVectors
from ibid_build.encoder import load_encoder
from ibid_build.local_assets import LocalAssets
from ibid_build.runtime import MODULES, PROJECT, prepare_runtime
from ibid_build.vector_order import neighbours_together

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DIM = 256
SCALE = 0.01
TERMS_A_CHUNK = 65
CHUNKS_A_PAGE = 20
A_SUBJECT, A_TOPIC = 2_000, 200
NEAREST = 10


def make(chunks: int, folder: Path) -> NDArray[np.int8]:
    """Writes an index of ``chunks`` passages to ``folder``; their vectors."""
    rng = np.random.default_rng(chunks)
    vectors = made_up_vectors(rng, chunks)
    chunk_page = (np.arange(chunks) // CHUNKS_A_PAGE).astype(np.int32)
    plain = PiecewiseLinear([(0, 0), (1.5, 1)])
    asset = load_encoder("english")
    sharded = chunks > MANY
    contents = IndexContents(
        title="Scale",
        language="en",
        chunks=[passage(number) for number in range(chunks)],
        lexicon=made_up_lexicon(rng, chunk_page),
        dense=Dense(vectors, SCALE, asset.encoder, asset.id),
        calibration=Calibration(plain, plain, plain),
        threshold=0.35,
        figures={},
        sharded=sharded,
        order=neighbours_together(vectors) if sharded else None,
    )
    write_index(folder, contents)
    return vectors


def passage(number: int) -> Chunk:
    """Of some page, without a text."""
    page = f"p{number // CHUNKS_A_PAGE}"
    identity = hashlib.sha256(str(number).encode()).hexdigest()[:16]
    return Chunk(identity, "docs", page, page, page, "", (page,), "")


def made_up_vectors(rng: np.random.Generator, chunks: int) -> NDArray[np.int8]:
    """int8 [chunks, 256]: subjects, in them topics, in them passages."""
    subjects, topics = (
        rng.standard_normal((-(-chunks // each), DIM), dtype=np.float32) for each in (A_SUBJECT, A_TOPIC)
    )
    vectors = np.empty((chunks, DIM), dtype=np.int8)
    for start in range(0, chunks, 50_000):
        part = np.arange(start, min(start + 50_000, chunks))
        noise = rng.standard_normal((len(part), DIM), dtype=np.float32)
        rows = 0.68 * subjects[part // A_SUBJECT] + 0.42 * topics[part // A_TOPIC] + 0.6 * noise
        rows /= np.linalg.norm(rows, axis=1, keepdims=True)
        vectors[part] = np.rint(np.clip(rows / SCALE, -63, 63))
    return vectors


def made_up_lexicon(rng: np.random.Generator, chunk_page: NDArray[np.int32]) -> WholeLexicon:
    """The encoder's own words first, so that a question finds frequent ones, then made-up ones."""
    chunks = len(chunk_page)
    words = words_of(max(chunks * 2, 5_000))
    ranks = rng.permutation(len(words))
    found = [np.arange(len(words)) * chunks + np.arange(len(words)) % chunks]  # no word without a chunk
    for start in range(0, chunks, 50_000):
        part = np.arange(start, min(start + 50_000, chunks))
        terms = ranks[zipf(rng, len(words), len(part) * TERMS_A_CHUNK)]
        found.append(np.unique(terms * chunks + np.repeat(part, TERMS_A_CHUNK)))
    keys = np.unique(np.concatenate(found))
    starts = np.searchsorted(keys, np.arange(len(words) + 1) * chunks).astype(np.uint32)
    by_chunk = Postings(starts, (keys % chunks).astype(np.uint32), impacts(rng, len(keys)))
    page_starts, pages = rows_by_page(by_chunk, chunk_page, int(chunk_page[-1]) + 1)
    return WholeLexicon(
        "\n".join(words).encode(), by_chunk, Postings(page_starts, pages, impacts(rng, len(pages)))
    )


def impacts(rng: np.random.Generator, count: int) -> NDArray[np.uint8]:
    """Small ones are frequent, as in documentation."""
    return np.clip(rng.gamma(2.0, 6.0, count), 1, 63).astype(np.uint8)


def zipf(rng: np.random.Generator, words: int, count: int) -> NDArray[np.int64]:
    """Ranks below ``words``, each as likely as 1 / rank."""
    return np.minimum((words + 1.0) ** rng.random(count) - 1, words - 1).astype(np.int64)


def words_of(count: int) -> list[str]:
    """In order of code points."""
    known = [
        entry
        for entry in load_encoder("english").encoder.tokenizer.vocabulary
        if entry.isalpha() and entry.isascii()
    ]
    return sorted(set(known[:count]) | {f"word{n}" for n in range(max(count - len(known), 0))})


def recall(folder: Path, vectors: NDArray[np.int8]) -> float:
    """The share of the ten nearest passages that get their exact cosine, over a hundred questions."""
    index = asyncio.run(open_index(LocalAssets(folder)))
    if index.dense is None or not isinstance(index.dense.vectors, ShardedVectors):
        return 1.0
    searcher = SignSearcher(index.dense.vectors, SCALE, index.chunk_page)
    exact = ExactSearcher(vectors, SCALE, index.chunk_page)
    no_words = np.zeros(len(vectors), dtype=np.int32)
    rng = np.random.default_rng(7)
    found = []
    for number in rng.integers(0, len(vectors), 100):
        query = vectors[number] * np.float32(SCALE) + rng.standard_normal(DIM).astype(np.float32) / 22
        ours, theirs = (asyncio.run(each.compare(query, no_words)) for each in (searcher, exact))
        if ours is None or theirs is None or isinstance(ours.chunks, slice):
            raise AssertionError("a made-up question has a vector")
        nearest = np.argsort(-theirs.cosines, kind="stable")[:NEAREST]
        places = np.searchsorted(ours.chunks, nearest)
        places[places == len(ours.chunks)] = 0
        same = (ours.chunks[places] == nearest) & (ours.cosines[places] == theirs.cosines[nearest])
        found.append(float(same.mean()))
    return float(np.mean(found))


def main() -> None:
    """A row a size."""
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    runtime = prepare_runtime(lambda line: print(line, file=sys.stderr))
    print("| chunks | ms a question | one product, to 10 k | MB | bytes a chunk | kB a question | recall |")
    print("|---|---|---|---|---|---|---|", flush=True)
    for chunks in sizes:
        with tempfile.TemporaryDirectory() as name:
            vectors = make(chunks, Path(name))
            command = ["node", PROJECT / "tests/pyodide/run_script.mjs", MODULES / "pyodide", runtime.folder]
            command += [sysconfig.get_path("purelib"), PROJECT / "tests", "bench/scale_inside.py", name]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
            if done.returncode:
                sys.exit(done.stderr[-2000:])
            found = json.loads(done.stdout.splitlines()[-1])
            print(
                f"| {chunks:,} | {found['ms']:.2f} | {found['bare']:.2f} | {found['megabytes']:.0f} "
                f"| {found['opened'] / chunks:.0f} | {found['asked'] / 1000:.0f} "
                f"| {recall(Path(name), vectors):.3f} |",
                flush=True,
            )


if __name__ == "__main__":
    main()
