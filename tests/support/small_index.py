"""A small index made in memory: chunks with words, a query encoder of a few words, vectors to match."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np

from ibid.calibration import PiecewiseLinear
from ibid.embedding import StaticEncoder, WordPiece
from ibid.errors import IndexInvalid
from ibid.index import Calibration, Dense, Index
from ibid.index_format import IndexContents, open_index, write_index
from ibid.models import Chunk
from ibid.retrieval.postings import build_lexicon
from ibid.vectors import quantise

WORDS = ("timer", "socket", "cache", "token", "pool", "file")
"""What the small encoder knows: each word is a direction of its own."""


def chunk(path: str, text: str, *, heading: str = "", title: str = "", source: str = "docs") -> Chunk:
    """A chunk of a page; its id is a hash of what it says."""
    headings = (title or path, heading) if heading else (title or path,)
    digest = hashlib.sha256("\x1e".join((source, path, *headings, text)).encode()).hexdigest()[:16]
    return Chunk(digest, source, path, f"https://docs.example/{path}", title or path, heading, headings, text)


def encoder() -> StaticEncoder:
    """Knows ``WORDS``, one dimension each."""
    table = np.zeros((len(WORDS) + 1, len(WORDS)), dtype=np.int8)
    table[1:] = np.eye(len(WORDS), dtype=np.int8) * 100
    return StaticEncoder(table, 0.01, WordPiece(["[UNK]", *WORDS]))


def identity() -> PiecewiseLinear:
    """Maps 0..1 to itself."""
    return PiecewiseLinear([(0, 0), (1, 1)])


def contents(chunks: Sequence[Chunk], *, dense: bool = True, threshold: float = 0.35) -> IndexContents:
    """An index of ``chunks`` whose vectors are those of their own texts under the small encoder."""
    part = None
    if dense:
        vectors, scale = quantise(np.stack([encoder().encode(c.text.replace(".", " ")) for c in chunks]))
        part = Dense(vectors, scale, encoder(), "small")
    return IndexContents(
        title="Small",
        chunks=chunks,
        language="en",
        lexicon=build_lexicon(chunks),
        dense=part,
        calibration=Calibration(cosine=identity(), relevance=identity(), coverage=identity()),
        threshold=threshold,
        figures={"made": "by a test"},
        report=[{"severity": "info", "page": "", "line": 0, "what": "made by a test", "next": ""}],
    )


class MemoryAssets:
    """An AssetLoader over a mapping of names to bytes; ``reads`` are the names asked for."""

    def __init__(self, files: Mapping[str, bytes]) -> None:
        self.files = dict(files)
        self.reads: list[str] = []

    @classmethod
    def of(cls, folder: Path) -> MemoryAssets:
        """All files under ``folder``."""
        paths = [path for path in sorted(folder.rglob("*")) if path.is_file()]
        return cls({path.relative_to(folder).as_posix(): path.read_bytes() for path in paths})

    async def read(self, name: str) -> bytes:
        """The file. Raises IndexInvalid."""
        self.reads.append(name)
        if name not in self.files:
            raise IndexInvalid(f"{name} is missing")
        return self.files[name]


async def open_small(
    tmp_path: Path, chunks: Sequence[Chunk], *, dense: bool = True, threshold: float = 0.35
) -> Index:
    """Writes and opens the index of ``chunks``."""
    write_index(tmp_path, contents(chunks, dense=dense, threshold=threshold))
    return await open_index(MemoryAssets.of(tmp_path))
