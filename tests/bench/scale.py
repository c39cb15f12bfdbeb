"""What a question costs as a documentation grows: ``python tests/bench/scale.py [CHUNKS...]`` prints a table.

Indexes are made up: terms by Zipf's law, some 65 a chunk, vectors around centres, 20 chunks a page. They are
searched inside Pyodide under Node, with the committed query encoder: encode, rank, fuse, to the hits.
"""

from __future__ import annotations

import json
import subprocess
import sys
import sysconfig
import tempfile
from pathlib import Path

import numpy as np

from ibid.index import MANY
from ibid.retrieval.vector import sign_bits
from ibid_build.encoder import folder_of, load_encoder
from ibid_build.runtime import MODULES, PROJECT, prepare_runtime

SIZES = (1_000, 10_000, 100_000, 1_000_000)
DIM = 256
TERMS_A_CHUNK = 65
CHUNKS_A_PAGE = 20
CHUNKS_A_CENTRE = 200


def make(chunks: int, folder: Path) -> None:
    """Writes the arrays of an index of ``chunks`` passages to ``folder``."""
    rng = np.random.default_rng(chunks)
    centres = rng.standard_normal((max(chunks // CHUNKS_A_CENTRE, 1), DIM), dtype=np.float32)
    vectors = np.empty((chunks, DIM), dtype=np.int8)
    for start in range(0, chunks, 50_000):
        part = np.arange(start, min(start + 50_000, chunks))
        noise = rng.standard_normal((len(part), DIM), dtype=np.float32)
        vectors[part] = np.rint(np.clip((centres[part // CHUNKS_A_CENTRE] + noise) * 8, -42, 42))
    np.save(folder / "vectors.npy", vectors)
    if chunks > MANY:
        np.save(folder / "bits.npy", sign_bits(vectors))
    words = words_of(max(chunks * 2, 5_000))
    for level, documents, length in (
        ("chunk", chunks, TERMS_A_CHUNK),
        ("page", max(chunks // CHUNKS_A_PAGE, 1), TERMS_A_CHUNK * 6),
    ):
        keys = [np.arange(len(words)) * documents + np.arange(len(words)) % documents]  # no word without one
        for start in range(0, documents, 50_000):
            count = min(50_000, documents - start)
            terms = zipf(rng, len(words), count * length)
            keys.append(np.unique(terms * documents + np.repeat(np.arange(start, start + count), length)))
        postings = np.sort(np.concatenate(keys))
        starts = np.searchsorted(postings, np.arange(len(words) + 1) * documents)
        narrow = np.uint16 if documents <= 2**16 else np.uint32
        np.save(folder / f"{level}-starts.npy", starts.astype(np.uint32))
        np.save(folder / f"{level}-ordinals.npy", (postings % documents).astype(narrow))
        np.save(folder / f"{level}-impacts.npy", rng.integers(1, 64, len(postings), dtype=np.uint8))
    (folder / "terms.bin").write_bytes("\n".join(words).encode())


def zipf(rng: np.random.Generator, words: int, count: int) -> np.ndarray:
    """Ranks below ``words``, each as likely as 1 / rank."""
    return np.minimum((words + 1.0) ** rng.random(count) - 1, words - 1).astype(np.int64)


def words_of(count: int) -> list[str]:
    """The encoder's own words first, so that a question finds frequent ones, then made-up ones."""
    known = [
        entry
        for entry in load_encoder("english").encoder.tokenizer.vocabulary
        if entry.isalpha() and entry.isascii()
    ]
    return sorted(set(known[:count]) | {f"word{n}" for n in range(max(count - len(known), 0))})


def main() -> None:
    """A row a size."""
    sizes = [int(size) for size in sys.argv[1:]] or SIZES
    runtime = prepare_runtime(lambda line: print(line, file=sys.stderr))
    print(f"{'chunks':>10}{'ms a question':>16}{'MB in memory':>15}{'ms of one product, up to 10 k':>32}")
    for chunks in sizes:
        with tempfile.TemporaryDirectory() as name:
            make(chunks, Path(name))
            command = ["node", PROJECT / "tests/pyodide/run_script.mjs", MODULES / "pyodide", runtime.folder]
            command += [sysconfig.get_path("purelib"), PROJECT / "tests", "bench/scale_inside.py"]
            command += [name, str(folder_of("english")), str(chunks), str(CHUNKS_A_PAGE)]
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            sys.exit(done.stderr[-2000:])
        found = json.loads(done.stdout.splitlines()[-1])
        print(
            f"{chunks:>10,}{found['ms']:>16.2f}{found['megabytes']:>15.0f}{found['bare']:>32.2f}", flush=True
        )


if __name__ == "__main__":
    main()
