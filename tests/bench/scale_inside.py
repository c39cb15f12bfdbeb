"""The part of scale.py that runs inside Pyodide: one made-up index, searched and timed."""

from __future__ import annotations

import json
from pathlib import Path
from time import perf_counter

import numpy as np
import pyodide_js
from js import Object
from pyodide.ffi import to_js

from ibid.calibration import PiecewiseLinear
from ibid.embedding import StaticEncoder, WordPiece
from ibid.index import MANY, Calibration, Dense, Index, Lexicon, PageEntry, Postings
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings

QUESTIONS = (
    "How do I stream a response to the client?",
    "read an uploaded file",
    "run a background task after the request is done",
    "what is the default timeout of a connection",
    "configure logging for production",
)


def main(arguments: list[str]) -> None:
    """Prints milliseconds and megabytes as JSON. ``arguments``: folder, encoder, chunks, chunks a page."""
    for number, path in enumerate(arguments[:2]):
        root = to_js({"root": path}, dict_converter=Object.fromEntries)
        pyodide_js.FS.mkdirTree(f"/bench{number}")
        pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, root, f"/bench{number}")
    folder, encoder = Path("/bench0"), Path("/bench1")
    chunks, per_page = map(int, arguments[2:])
    retriever = Retriever(index(folder, encoder, chunks, per_page), Settings())
    for question in QUESTIONS:
        retriever.plan(question)
    rounds = max(1, 200_000 // chunks)
    start = perf_counter()
    for _ in range(rounds):
        for question in QUESTIONS:
            retriever.plan(question)
    milliseconds = (perf_counter() - start) * 1000 / rounds / len(QUESTIONS)
    megabytes = pyodide_js._module.HEAP8.length / 2**20
    print(json.dumps({"ms": milliseconds, "megabytes": megabytes, "bare": bare_product(min(chunks, 10_000))}))


def bare_product(chunks: int) -> float:
    """Milliseconds of one float32 product with every vector of 256 parts: what this machine is worth."""
    vectors, query = np.ones((chunks, 256), dtype=np.float32), np.ones(256, dtype=np.float32)
    np.einsum("ij,j->i", vectors, query)
    start = perf_counter()
    for _ in range(50):
        np.einsum("ij,j->i", vectors, query)
    return (perf_counter() - start) * 20


def index(folder: Path, encoder: Path, chunks: int, per_page: int) -> Index:
    """An index of the arrays in ``folder``."""
    pages = [
        PageEntry("docs", f"p{n}", f"p{n}", f"P{n}", first, min(per_page, chunks - first), 0)
        for n, first in enumerate(range(0, chunks, per_page))
    ]
    vocabulary = (encoder / "vocabulary.txt").read_text("utf-8").removesuffix("\n").split("\n")
    static = StaticEncoder(
        np.load(encoder / "table.npy"), 0.01, WordPiece(vocabulary), np.load(encoder / "pairs.npy")
    )
    plain = PiecewiseLinear([(0, 0), (1.5, 1)])
    levels = [
        Postings(*(np.load(folder / f"{level}-{part}.npy") for part in ("starts", "ordinals", "impacts")))
        for level in ("chunk", "page")
    ]
    bits = np.load(folder / "bits.npy") if chunks > MANY else None
    return Index(
        build="",
        title="",
        language="en",
        pages=tuple(pages),
        chunk_page=np.repeat(np.arange(len(pages), dtype=np.int32), [page.count for page in pages]),
        chunk_ids=np.arange(chunks, dtype=np.uint64),
        lexicon=Lexicon((folder / "terms.bin").read_bytes(), *levels),
        dense=Dense(np.load(folder / "vectors.npy"), 0.01, static, "", bits),
        calibration=Calibration(plain, plain, plain),
        threshold=0.35,
        figures={},
        _loader=None,
        _manifest=None,
    )
