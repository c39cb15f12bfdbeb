"""Every hit of every question, with all its figures: the same script natively and inside Pyodide."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

from ibid.errors import IndexInvalid
from ibid.index_format import open_index
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings


class Files:
    """An AssetLoader over a folder."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    async def read(self, name: str) -> bytes:
        """The file. Raises IndexInvalid."""
        path = self._folder / name
        if not path.is_file():
            raise IndexInvalid(f"{name} is missing")
        return path.read_bytes()


async def hits(folder: Path) -> str:
    """JSON, of the questions in ``questions.json`` beside the index."""
    retriever = Retriever(await open_index(Files(folder)), Settings())
    questions = json.loads((folder / "questions.json").read_text("utf-8"))
    return json.dumps([[vars(hit) for hit in await retriever.search(question)] for question in questions])


def main(arguments: list[str]) -> None:
    """Prints them."""
    import plain_loop

    plain_loop.install()
    print(asyncio.run(hits(Path(arguments[0]))))
