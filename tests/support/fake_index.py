"""A tiny index in memory, and a planner that finds what a test says; tiering is the real one."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence

from ibid.errors import IndexInvalid
from ibid.index import PageEntry
from ibid.models import Chunk, Hit, TurnPlan
from ibid.settings import Settings
from ibid.tiering import plan_turn
from scripted_transport import Gate


class FakeIndex:
    """``pages``: path -> the texts of its passages. The stem of a path is its title.

    Texts are fetched only after ``gate`` was opened, if one is set; with ``damaged`` they cannot be had.
    """

    def __init__(self, pages: Mapping[str, Sequence[str]], title: str = "Tidewatch") -> None:
        self.title = title
        self.language = "en"
        self.pages: list[PageEntry] = []
        self.gate: Gate | None = None
        self.damaged = False
        self._chunks: list[Chunk] = []
        for path, texts in pages.items():
            name = path.removesuffix(".md")
            url = f"{name}.html"
            self.pages.append(
                PageEntry("tidewatch", path, url, name.title(), len(self._chunks), len(texts), 0)
            )
            for n, text in enumerate(texts):
                identity = hashlib.sha256(f"{path} {n} {text}".encode()).hexdigest()[:16]
                headings = (name.title(), f"Part {n + 1}")
                self._chunks.append(
                    Chunk(identity, "tidewatch", path, url, name.title(), f"part-{n + 1}", headings, text)
                )

    def find_page(self, path: str) -> int | None:
        return next((i for i, page in enumerate(self.pages) if page.path == path), None)

    def ordinals(self, path: str) -> range:
        """Where a page's passages stand."""
        page = next(page for page in self.pages if page.path == path)
        return range(page.first, page.first + page.count)

    def chunk_id(self, ordinal: int) -> str:
        return self._chunks[ordinal].id

    async def chunks(self, ordinals: Sequence[int]) -> list[Chunk]:
        if self.gate and ordinals:
            await self.gate.wait()
        if self.damaged:
            raise IndexInvalid("The text shard 0 is damaged.")
        return [self._chunks[ordinal] for ordinal in ordinals]

    async def page_chunks(self, page_number: int) -> list[Chunk]:
        page = self.pages[page_number]
        return await self.chunks(range(page.first, page.first + page.count))


class FakePlanner:
    """Finds for a query the pages that :meth:`find` named for it; nothing for any other query."""

    def __init__(self, index: FakeIndex, settings: Settings) -> None:
        self.queries: list[str] = []
        self._index = index
        self._settings = settings
        self._found: dict[str, list[tuple[str, float | None]]] = {}

    def find(self, query: str, *pages: tuple[str, float | None]) -> None:
        """``pages``: (path, calibrated cosine) from the best fused score down; None: by keywords alone."""
        self._found[query] = list(pages)

    async def plan(self, query: str) -> TurnPlan:
        self.queries.append(query)
        hits: list[Hit] = []
        for path, cosine in self._found.get(query, ()):
            for ordinal in self._index.ordinals(path):
                chunk, score = self._index.chunk_id(ordinal), 1.0 - len(hits) / 100
                hits.append(
                    Hit(ordinal, chunk, "tidewatch", path, score, cosine, bm25=2.0, relevance=cosine or 0.0)
                )
        return plan_turn(query, hits, self._settings, threshold=0.35)
