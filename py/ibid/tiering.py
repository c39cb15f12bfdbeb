"""Hits -> cited pages, related pages, passages for the model (SPEC 3.1). Deterministic and pure.

The functions that choose pages read only ``source``, ``path``, ``score`` and ``cosine`` of a chunk.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Sequence
from operator import attrgetter
from typing import Protocol, TypeVar

from ibid.models import Hit, PageHit, TurnPlan
from ibid.settings import Settings

MAX_PASSAGES = 6
"""Passages put before the model by one search."""


class _Placed(Protocol):
    @property
    def source(self) -> str: ...
    @property
    def path(self) -> str: ...


_PlacedT = TypeVar("_PlacedT", bound=_Placed)
_Bar = Callable[[Hit], float | None]
_cosine: _Bar = attrgetter("cosine")
_relevance: _Bar = attrgetter("relevance")


def select_documents_tiered(
    chunks: Sequence[Hit], n: int, floor: float, related_cap: int
) -> tuple[list[PageHit], list[PageHit]]:
    """``(cited, related)``: at most ``n`` pages that clear the floor; at most ``related_cap`` that do not.

    Both in the order of the pages' best fused scores. A page without a cosine never clears the floor, not
    even a floor of zero; a page that cleared it but found no slot is in neither list.
    """
    cited, related = _tiers(chunks, n, floor, _cosine)
    return cited, related[:related_cap]


def select_documents(chunks: Sequence[Hit], n: int) -> list[PageHit]:
    """The ``n`` best pages by fused score, with no bar at all."""
    return _pages(chunks)[:n]


def plan_turn(
    query: str, hits: Sequence[Hit], settings: Settings, threshold: float, *, lexical: bool = False
) -> TurnPlan:
    """What one search decides, from its hits.

    ``threshold`` is the relevance that the best hit must reach. In a ``lexical`` index relevance, which is
    calibrated coverage there, stands in for the missing cosines at the floor too (SPEC 5). A search that
    does not pass cites nothing, gives the model nothing, and relates its top pages. A page that stands well
    behind the best one finds no slot: where one page answers, there is one chip (SPEC 4.9).
    """
    # More pages than passages could not each be given to the model, and only a given page may be cited.
    n = min(settings.top_n_docs, MAX_PASSAGES)
    relevance = max((hit.relevance for hit in hits), default=0.0)
    bar = _relevance if lexical else _cosine
    cited, nearby = _tiers(hits, n, settings.source_usefulness_floor, bar)
    cited = [page for page in cited if page.score >= settings.runner_up_share * cited[0].score]
    passes = bool(cited) and relevance >= threshold
    if not passes:
        cited, nearby = [], _pages(hits)
    return TurnPlan(
        query=query,
        passes=passes,
        relevance=relevance,
        cited=tuple(cited),
        related=tuple(nearby[: settings.related_max_docs]),
        hits=tuple(hits),
        passages=_passages(cited),
        nearby=tuple(nearby),
    )


def merge_plans(
    plans: Iterable[TurnPlan], read: Collection[tuple[str, str]], related_cap: int
) -> tuple[tuple[PageHit, ...], tuple[PageHit, ...]]:
    """``(cited, related)`` over the searches of one turn, in call order.

    ``read`` holds (source, path) of the pages that the model read: they are cited by that alone and so leave
    ``related``. The cap is applied once, at the end: what leaves makes room for the next page.
    """
    plans = list(plans)
    cited = _distinct((page for plan in plans for page in plan.cited), ())
    taken = {(page.source, page.path) for page in cited} | set(read)
    related = _distinct((page for plan in plans for page in plan.nearby), taken)
    return tuple(cited), tuple(related[:related_cap])


def _tiers(chunks: Sequence[Hit], n: int, floor: float, bar: _Bar) -> tuple[list[PageHit], list[PageHit]]:
    """The pages that clear the floor, at most ``n``; all those that do not."""
    clear: list[PageHit] = []
    below: list[PageHit] = []
    for page in _pages(chunks):
        value = max((v for v in map(bar, page.hits) if v is not None), default=None)
        (clear if value is not None and value >= floor else below).append(page)
    return clear[:n], below


def _pages(chunks: Iterable[Hit]) -> list[PageHit]:
    """Each page once, by its best score; equal scores keep the order in which they came."""
    hits_of: dict[tuple[str, str], list[Hit]] = {}
    for chunk in sorted(chunks, key=_negative_score):
        hits_of.setdefault((chunk.source, chunk.path), []).append(chunk)
    return [
        PageHit(
            source=source,
            path=path,
            score=hits[0].score,
            cosine=max((hit.cosine for hit in hits if hit.cosine is not None), default=None),
            hits=tuple(hits),
        )
        for (source, path), hits in hits_of.items()
    ]


def _passages(cited: Sequence[PageHit]) -> tuple[Hit, ...]:
    """The best hit of every cited page, then their other hits by score, six in all, best first."""
    firsts = [page.hits[0] for page in cited]
    others = sorted((hit for page in cited for hit in page.hits[1:]), key=_negative_score)
    return tuple(sorted([*firsts, *others][:MAX_PASSAGES], key=_negative_score))


def _distinct(pages: Iterable[_PlacedT], taken: Collection[tuple[str, str]]) -> list[_PlacedT]:
    """The first of each page, without those in ``taken``."""
    found: dict[tuple[str, str], _PlacedT] = {}
    for page in pages:
        place = (page.source, page.path)
        if place not in taken:
            found.setdefault(place, page)
    return list(found.values())


def _negative_score(hit: Hit) -> float:
    return -hit.score
