"""A query against an open index."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from ibid.calibration import PiecewiseLinear
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from small_index import chunk, open_small

CHUNKS = [
    chunk("timers.md", "The timer fires once.", title="Timers"),
    chunk("timers.md", "A pool of timers.", title="Timers"),
    chunk("net.md", "A socket is closed.", title="Network"),
    chunk("cache.md", "The cache holds a file.", title="Caching"),
]


async def test_hits_are_ranked_with_all_their_figures(tmp_path: Path) -> None:
    """Both ways of finding agree here: the page on timers is first."""
    hits = await Retriever(await open_small(tmp_path, CHUNKS), Settings()).search("timer")
    first = hits[0]
    assert (first.path, first.chunk, first.ordinal) == ("timers.md", CHUNKS[0].id, 0)
    assert first.cosine == pytest.approx(1.0, abs=0.02)
    assert (first.coverage, first.matched) == (1.0, ("timer",))
    assert first.bm25 > 0
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


async def test_candidates_bound_what_is_scored(tmp_path: Path) -> None:
    """ "Scored" means: among the candidates."""
    assert (
        len(await Retriever(await open_small(tmp_path, CHUNKS), Settings(candidates=2)).search("timer")) == 2
    )


async def test_a_plan_is_search_and_tiering(tmp_path: Path) -> None:
    """The best page is cited and its passages are given; the rest is related."""
    plan = await Retriever(await open_small(tmp_path, CHUNKS), Settings()).plan("the timer")
    assert plan.passes
    assert [page.path for page in plan.cited] == ["timers.md"]
    assert {hit.path for hit in plan.passages} == {"timers.md"}
    assert [page.path for page in plan.related] == ["net.md", "cache.md"] or len(plan.related) == 2


async def test_what_nothing_is_near_does_not_pass(tmp_path: Path) -> None:
    """A question of another subject is deflected, with related pages only."""
    plan = await Retriever(await open_small(tmp_path, CHUNKS), Settings()).plan("who painted the chapel")
    assert (plan.passes, plan.cited, plan.passages) == (False, (), ())


@pytest.mark.parametrize(
    ("setting", "fitted", "floor", "threshold"),
    [(None, 0.5, 0.35, 0.5), (None, 0.1, 0.35, 0.35), (0.9, 0.5, 0.35, 0.9), (0.35, 0.5, 0.35, 0.35)],
)
async def test_the_threshold(
    tmp_path: Path, setting: float | None, fitted: float, floor: float, threshold: float
) -> None:
    """The maintainer's own, else the fitted one, never below the floor."""
    index = await open_small(tmp_path, CHUNKS, threshold=fitted)
    settings = Settings(relevance_threshold=setting, source_usefulness_floor=floor)
    assert Retriever(index, settings).threshold == threshold


async def test_cosine_is_the_calibrated_one(tmp_path: Path) -> None:
    """The encoder's map is applied before anybody sees a cosine."""
    index = await open_small(tmp_path, CHUNKS)
    halved = replace(index.calibration, cosine=PiecewiseLinear([(0, 0), (1, 0.5)]))
    raw = (await Retriever(index, Settings()).search("timer"))[0].cosine
    found = (await Retriever(replace(index, calibration=halved), Settings()).search("timer"))[0].cosine
    assert raw is not None
    assert found == pytest.approx(raw / 2)


async def test_relevance_adds_coverage_to_the_cosine(tmp_path: Path) -> None:
    """Of two hits with one cosine the one that says more of the query's words is more relevant."""
    chunks = [chunk("a.md", "timer gadget"), chunk("b.md", "timer thing")]
    index = await open_small(tmp_path, chunks)
    halved = replace(index.calibration, relevance=PiecewiseLinear([(0, 0), (2, 1)]))
    hits = await Retriever(replace(index, calibration=halved), Settings()).search("timer gadget")
    assert hits[0].cosine == hits[1].cosine
    assert hits[0].relevance > hits[1].relevance


async def test_a_query_the_encoder_does_not_know_has_no_cosine(tmp_path: Path) -> None:
    """Found by keywords alone: never above the floor, so it is related, not cited."""
    index = await open_small(tmp_path, [*CHUNKS, chunk("x.md", "gadget")])
    plan = await Retriever(index, Settings()).plan("gadget")
    assert [(hit.path, hit.cosine) for hit in plan.hits] == [("x.md", None)]
    assert (plan.passes, plan.cited) == (False, ())
    assert [page.path for page in plan.related] == ["x.md"]


@pytest.mark.parametrize("query", ["", "  ", "!!!", "^^^^", "*"])
async def test_nothing_asked_nothing_found(tmp_path: Path, query: str) -> None:
    """Symbols that stand nowhere in code, or no words at all: no hit, no error."""
    plan = await Retriever(await open_small(tmp_path, CHUNKS), Settings()).plan(query)
    assert (plan.hits, plan.passes, plan.related) == ((), False, ())


async def test_a_symbol_is_found_by_keyword_alone(tmp_path: Path) -> None:
    """To the encoder symbols mean nothing; they must not drag in whatever is nearest."""
    index = await open_small(tmp_path, [*CHUNKS, chunk("op.md", "`->` returns a file.")])
    assert [hit.path for hit in await Retriever(index, Settings()).search("->")] == ["op.md"]


async def test_a_lexical_index_cites_by_coverage(tmp_path: Path) -> None:
    """Cosines are null, and calibrated coverage stands in for them in both bars (SPEC 5)."""
    chunks = [chunk("auth.md", "认证系统使用令牌。"), chunk("run.md", "系统在夜间运行。")]
    plan = await Retriever(await open_small(tmp_path, chunks, dense=False), Settings()).plan("认证令牌")
    assert plan.passes
    assert [(page.path, page.cosine) for page in plan.cited] == [("auth.md", None)]
    other = await Retriever(await open_small(tmp_path, chunks, dense=False), Settings()).plan("天气")
    assert not other.passes


async def test_equal_passages_are_ordered_by_id(tmp_path: Path) -> None:
    """Ties do not depend on the order in which pages were read."""
    twins = [chunk("a.md", "timer", title="T"), chunk("b.md", "timer", title="T")]
    found = await Retriever(await open_small(tmp_path / "1", twins), Settings()).search("timer")
    other = await Retriever(await open_small(tmp_path / "2", twins[::-1]), Settings()).search("timer")
    assert [hit.chunk for hit in found] == [hit.chunk for hit in other] == sorted(c.id for c in twins)


async def test_a_stack_trace_finds_the_error(tmp_path: Path) -> None:
    """The last line decides, however long the stack."""
    frames = "".join(
        f'  File "/x/cache{i}.py", line {i}, in cache\n    return cache(file)\n' for i in range(2000)
    )
    index = await open_small(tmp_path, CHUNKS)
    hits = await Retriever(index, Settings()).search(
        f"Traceback (most recent call last):\n{frames}net.Closed: socket is closed"
    )
    assert hits[0].path == "net.md"
