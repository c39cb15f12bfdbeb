"""Where answerable and unanswerable questions part: the bar of a site, fitted when it is built (SPEC 5)."""

from __future__ import annotations

import asyncio
import itertools
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from ibid.index import Index
from ibid.models import Chunk
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid_build.probes import probes_in

KEPT = 0.95  # of the site's own headings at least pass
NEAR_PASSED = 0.15  # of the near probes at most pass
FAR_PASSED = 0.02  # of the far probes: one of sixty, as a single question is no measure
FAR_AT_MOST = 0.25  # of the far probes, whatever the headings say
HEADINGS_EASIER = 0.2
"""How far the relevance of headings lies above that of what readers ask: on Git's manual 95 % of headings
reach .61 and of questions .35, on Anthropic's documentation .56 and .42."""
MAX_HEADINGS = 200
_FLAT = 0.01


@dataclass(frozen=True, slots=True)
class ThresholdFit:
    """The bar on relevance, never below the floor, and what it was fitted on, JSON-ready."""

    threshold: float
    figures: dict[str, Any]


def fit_threshold(index: Index, chunks: Sequence[Chunk], settings: Settings) -> ThresholdFit:
    """The lowest bar that keeps the probes out, but not so high that the site's own headings miss it.

    A site whose subject is close to all of software finds every technical question relevant and needs a
    higher bar. Its headings, asked as questions, are answerable by construction: they bound the bar from
    above, a good way below what they reach themselves, since readers' questions are harder to recognise. Far
    probes bound it from below: in some languages all that is technical looks a little relevant.
    The probes are in the documentation's language: what relevance means differs from one to the next.
    """
    floor = settings.source_usefulness_floor
    retriever = Retriever(index, replace(settings, relevance_threshold=floor))
    near, far = (all_reached(retriever, probes) for probes in probes_in(index.language))
    own = all_reached(retriever, list(heading_probes(chunks)))
    wanted = max(bar_that_passes(near, NEAR_PASSED), bar_that_passes(far, FAR_PASSED))
    ceiling = bar_that_keeps(own, KEPT) - HEADINGS_EASIER if own else 1.0
    least = max(bar_that_passes(far, FAR_AT_MOST), floor)
    threshold = round(min(max(min(wanted, ceiling), least), 1.0), 4)
    return ThresholdFit(
        threshold,
        {
            "threshold": threshold,
            "headings": len(own),
            "headings_kept": round(_share(own, threshold), 4),
            "near_probes": len(near),
            "near_answered": round(_share(near, threshold), 4),
            "far_probes": len(far),
            "far_answered": round(_share(far, threshold), 4),
        },
    )


async def reached(retriever: Retriever, query: str) -> float:
    """The relevance of the best hit; 0 when the query does not pass at the retriever's own bar."""
    plan = await retriever.plan(query)
    return plan.relevance if plan.passes else 0.0


def all_reached(retriever: Retriever, queries: Sequence[str]) -> list[float]:
    """Of each query."""

    async def ask() -> list[float]:
        return [await reached(retriever, query) for query in queries]

    return asyncio.run(ask())


def bar_that_passes(values: Sequence[float], share: float) -> float:
    """The lowest bar, in steps of .0001, that at most ``share`` of the values reach."""
    allowed = math.floor(share * len(values))
    over = sorted(values, reverse=True)
    return _rounded(math.nextafter(over[allowed], math.inf), 1) if allowed < len(over) else 0.0


def bar_that_keeps(values: Sequence[float], share: float) -> float:
    """The highest bar, in steps of .0001, that at least ``share`` of the values reach; there are values."""
    return _rounded(sorted(values)[math.floor((1 - share) * len(values))], -1)


def heading_probes(chunks: Sequence[Chunk]) -> list[str]:
    """Headings of two words or more, with their page's title, spread evenly over the site; at most 200."""
    found: dict[str, None] = {}
    for chunk in chunks:
        heading = chunk.heading_path[-1] if chunk.heading_path else chunk.title
        text = heading if chunk.title in heading else f"{chunk.title}: {heading}"
        if len(text.split()) > 1 or not text.isascii():
            found[text] = None
    probes = list(found)
    step = max(len(probes) / MAX_HEADINGS, 1.0)
    return [probes[math.floor(place * step)] for place in range(min(len(probes), MAX_HEADINGS))]


def best_separator(sets: Sequence[tuple[Sequence[float], Sequence[float]]]) -> float:
    """The bar that makes the fewest mistakes on (answerable, unanswerable) values of one or more sets.

    Both kinds of mistakes count as shares, and each set the same: the largest mean difference of the two
    cumulative distributions (Youden 1950). The difference is all but flat around its top, so the middle of
    the bars that come within .01 of it is taken, which a few questions more or less do not move.
    """
    values = sorted({value for pair in sets for kind in pair for value in kind})
    bars = [(low + high) / 2 for low, high in itertools.pairwise(values)] or values
    gains = [sum(_share(yes, bar) - _share(no, bar) for yes, no in sets) / len(sets) for bar in bars]
    good = [bar for bar, gain in zip(bars, gains, strict=True) if gain >= max(gains) - _FLAT]
    return (good[0] + good[-1]) / 2


def _rounded(value: float, direction: int) -> float:
    """To four decimals, up (1) or down (-1)."""
    near = round(value, 4)
    beyond = (near - value) * direction < 0
    return round(near + direction * 1e-4, 4) if beyond else near


def _share(values: Sequence[float], bar: float) -> float:
    return sum(value >= bar for value in values) / max(len(values), 1)
