"""The part of scale.py that runs inside Pyodide: one made-up index, searched and timed."""

from __future__ import annotations

import asyncio
import json
import sys
from pathlib import Path
from time import perf_counter

import numpy as np
import pyodide_js
from js import Object
from pyodide.ffi import to_js

from ibid.errors import IndexInvalid
from ibid.index_format import open_index
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings

QUESTIONS = (
    "How do I stream a response to the client?",
    "read an uploaded file",
    "run a background task after the request is done",
    "what is the default timeout of a connection",
    "configure logging for production",
)


class Files:
    """An AssetLoader over a folder, which counts what it reads as it was stored."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.bytes = 0

    async def read(self, name: str) -> bytes:
        """The file. Raises IndexInvalid."""
        path = self.folder / name
        if not path.is_file():
            raise IndexInvalid(f"{name} is missing")
        data = path.read_bytes()
        self.bytes += 0 if "/encoder-" in name else len(data)
        return data


def main(arguments: list[str]) -> None:
    """Prints milliseconds, megabytes and bytes as JSON. ``arguments``: the index's folder."""
    root = to_js({"root": arguments[0]}, dict_converter=Object.fromEntries)
    pyodide_js.FS.mkdirTree("/bench")
    pyodide_js.FS.mount(pyodide_js.FS.filesystems.NODEFS, root, "/bench")
    sys.path.insert(0, str(Path(__file__).parent.parent / "pyodide"))
    import plain_loop

    plain_loop.install()
    print(json.dumps(asyncio.run(measured(Files(Path("/bench"))))))


async def measured(files: Files) -> dict[str, float]:
    """Of the index in ``files``."""
    retriever = Retriever(await open_index(files), Settings())
    opened = files.bytes
    await retriever.plan(QUESTIONS[0])
    asked = files.bytes - opened
    for question in QUESTIONS:
        await retriever.plan(question)
    chunks = len(retriever.index.chunk_ids)
    rounds = max(2, 200_000 // chunks)
    start = perf_counter()
    for _ in range(rounds):
        for question in QUESTIONS:
            await retriever.plan(question)
    milliseconds = (perf_counter() - start) * 1000 / rounds / len(QUESTIONS)
    megabytes = pyodide_js._module.HEAP8.length / 2**20
    bare = bare_product(min(chunks, 10_000))
    return {"ms": milliseconds, "megabytes": megabytes, "bare": bare, "opened": opened, "asked": asked}


def bare_product(chunks: int) -> float:
    """Milliseconds of one float32 product with every vector of 256 parts: what this machine is worth."""
    vectors, query = np.ones((chunks, 256), dtype=np.float32), np.ones(256, dtype=np.float32)
    np.einsum("ij,j->i", vectors, query)
    start = perf_counter()
    for _ in range(50):
        np.einsum("ij,j->i", vectors, query)
    return (perf_counter() - start) * 20
