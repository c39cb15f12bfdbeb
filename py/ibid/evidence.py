"""What one turn gathers: steps, searches, pages read, and the passages registered as its sources."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from ibid.citations import SourceRegistry, chips
from ibid.conversations import plain_dict, source_dict
from ibid.errors import TurnError
from ibid.index import PageEntry
from ibid.models import Chunk, Hit, PageHit, Related, Source, Step, TurnPlan
from ibid.ports import Clock
from ibid.protocol import Frame, sources_frame, step_frame
from ibid.tiering import merge_plans

READ_BUDGET = 24_000
"""Characters of a page that one ``read_page`` gives to the model."""

DEFLECTION = "The documentation does not cover this."
"""The whole text of a deflected turn in the modes where no model speaks."""

Announce = Callable[[Frame], Awaitable[None]]


class Passages(Protocol):
    """The part of an index that a turn reads: ``ibid.index.Index`` in production."""

    @property
    def title(self) -> str:
        """The documentation's title."""
        ...

    @property
    def language(self) -> str:
        """The documentation's, ISO 639-1."""
        ...

    @property
    def pages(self) -> Sequence[PageEntry]:
        """All pages, by number."""
        ...

    def find_page(self, path: str) -> int | None:
        """The page's number, forgiving about the path's form."""
        ...

    async def chunks(self, ordinals: Sequence[int]) -> list[Chunk]:
        """Raises IndexInvalid when their texts cannot be had."""
        ...

    async def page_chunks(self, page_number: int) -> list[Chunk]:
        """All chunks of a page, in order. Raises IndexInvalid."""
        ...


class Planner(Protocol):
    """Searches and decides: ``ibid.retrieval.Retriever`` in production."""

    async def plan(self, query: str) -> TurnPlan:
        """No text is fetched. Raises IndexInvalid when the index cannot be had."""
        ...


@dataclass(frozen=True)
class PageRead:
    """What ``read_page`` gives: the passages within the budget, and how much was left out."""

    title: str
    sources: tuple[Source, ...]
    left_out_passages: int
    left_out_chars: int


class Evidence:
    """Gathers for one turn, and announces every step and source as a frame.

    A step is announced before its texts are fetched: a turn that is stopped meanwhile did search.
    """

    def __init__(
        self, index: Passages, planner: Planner, clock: Clock, announce: Announce, *, related_cap: int
    ) -> None:
        self._index = index
        self._planner = planner
        self._clock = clock
        self._announce = announce
        self._related_cap = related_cap
        self._registry = SourceRegistry()
        self._read: set[tuple[str, str]] = set()
        self._nearby: dict[int, Chunk] = {}
        self.steps: list[Step] = []
        self.plans: list[TurnPlan] = []

    @property
    def sources(self) -> tuple[Source, ...]:
        """What is registered so far, by number."""
        return self._registry.sources()

    @property
    def language(self) -> str:
        """The documentation's, ISO 639-1."""
        return self._index.language

    @property
    def gathered(self) -> bool:
        """Whether the turn left a step or registered a source of its own (SPEC 4.7)."""
        return bool(self.steps) or len(self._registry) > 0

    @property
    def deflected(self) -> bool:
        """At least one search ran, none passed, and nothing was read (SPEC 3.1)."""
        return bool(self.plans) and not any(plan.passes for plan in self.plans) and not self._read

    async def step(self, kind: Literal["search", "read", "refused"], text: str) -> None:
        """Leave a step."""
        step = Step(kind, text, self._clock.now())
        self.steps.append(step)
        await self._announce(step_frame(plain_dict(step)))

    async def plan(self, query: str) -> TurnPlan:
        """Search without leaving a trace; :meth:`accept` makes it part of the turn."""
        return await self._planner.plan(query)

    async def accept(self, plan: TurnPlan) -> tuple[Source, ...]:
        """Make a search part of the turn; the passages it gives to the model, registered, best first."""
        self.plans.append(plan)
        await self.step("search", plan.query)
        chunks = await self._index.chunks([hit.ordinal for hit in plan.passages])
        found = tuple(
            self._registry.add(chunk, hit.cosine, "search")
            for chunk, hit in zip(chunks, plan.passages, strict=True)
        )
        if found:
            await self._announce_sources()
        # Now, so that the end of the turn, which a reader who stops it waits for, need not fetch anything.
        await self._fetch_nearby(plan.related)
        return found

    async def search(self, query: str) -> tuple[Source, ...]:
        """Search; empty when nothing relevant enough was found."""
        return await self.accept(await self.plan(query))

    async def read(self, path: str) -> PageRead | None:
        """Read a page in order, as far as the budget goes; None when there is no such page."""
        number = self._index.find_page(path)
        if number is None:
            await self.step("read", f"{path} (no such page)")
            return None
        title = self._index.pages[number].title
        await self.step("read", title)
        chunks = await self._index.page_chunks(number)
        shown = _within(chunks, READ_BUDGET)
        sources = tuple(self._registry.add(chunk, None, "read") for chunk in chunks[:shown])
        if sources:
            self._read.add((chunks[0].source, chunks[0].path))
            await self._announce_sources()
        left_out = chunks[shown:]
        return PageRead(
            title=title,
            sources=sources,
            left_out_passages=len(left_out),
            left_out_chars=sum(len(chunk.text) for chunk in left_out),
        )

    async def _announce_sources(self) -> None:
        drawn = [plain_dict(chip) for chip in chips(self.sources, ())]
        await self._announce(sources_frame([source_dict(source) for source in self.sources], drawn))

    async def related(self, *, fetch: bool) -> list[Related]:
        """The pages to offer "in case", each with its best hit; those whose texts cannot be had are left out.

        ``fetch`` False: only those whose texts are at hand.
        """
        _, pages = merge_plans(self.plans, self._read, self._related_cap)
        if fetch:
            await self._fetch_nearby(pages)
        at_hand = ((page, self._nearby.get(page.hits[0].ordinal)) for page in pages)
        return [_related(page, chunk) for page, chunk in at_hand if chunk is not None]

    async def _fetch_nearby(self, pages: Sequence[PageHit]) -> None:
        wanted = [page.hits[0].ordinal for page in pages if page.hits[0].ordinal not in self._nearby]
        with contextlib.suppress(TurnError):  # an aid: no turn fails for it
            self._nearby.update(zip(wanted, await self._index.chunks(wanted), strict=True))

    def query_log(self, conversation: str, turn: str) -> list[dict[str, Any]]:
        """One entry a search: every scored page with its scores and tier."""
        return [
            {
                "version": 1,
                "conversation": conversation,
                "turn": turn,
                "at": self._clock.now(),
                "query": plan.query,
                "passes": plan.passes,
                "relevance": plan.relevance,
                "pages": scored_pages(plan),
            }
            for plan in self.plans
        ]


def _within(chunks: Sequence[Chunk], budget: int) -> int:
    """How many of the first chunks fit together."""
    for i, chunk in enumerate(chunks):
        budget -= len(chunk.text)
        if budget < 0:
            return i
    return len(chunks)


def _related(page: PageHit, chunk: Chunk) -> Related:
    return Related(
        source=page.source,
        path=page.path,
        url=chunk.href,
        title=chunk.title,
        heading_path=chunk.heading_path,
        chunk=chunk.id,
        text=chunk.text,
        cosine=page.cosine,
    )


def scored_pages(plan: TurnPlan) -> list[dict[str, Any]]:
    """What the query log keeps of a search: every scored page, JSON-ready."""
    tiers = {(page.source, page.path): "cited" for page in plan.cited}
    tiers |= {(page.source, page.path): "related" for page in plan.related}
    pages: dict[tuple[str, str], list[Hit]] = {}
    for hit in plan.hits:
        pages.setdefault((hit.source, hit.path), []).append(hit)
    return [
        {
            "source": source,
            "path": path,
            "tier": tiers.get((source, path), "none"),
            "score": max(hit.score for hit in hits),
            "cosine": max((hit.cosine for hit in hits if hit.cosine is not None), default=None),
            "bm25": max(hit.bm25 for hit in hits),
            "relevance": max(hit.relevance for hit in hits),
        }
        for (source, path), hits in pages.items()
    ]
