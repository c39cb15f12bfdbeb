"""Tiering: which pages are cited, which are related, which passages the model is given (SPEC 3.1)."""

from __future__ import annotations

from types import SimpleNamespace
from typing import Any

import pytest

from ibid.models import Hit, TurnPlan
from ibid.settings import Settings
from ibid.tiering import merge_plans, plan_turn, select_documents, select_documents_tiered


def hit(
    path: str, score: float, cosine: float | None, relevance: float | None = None, source: str = "docs"
) -> Hit:
    bar = relevance if relevance is not None else cosine or 0.0
    return Hit(0, f"{path}@{score}", source, path, score, cosine, relevance=bar)


def paths(pages: Any) -> list[str]:
    return [page.path for page in pages]


STRONG, USEFUL, WEAK = hit("strong", 0.9, 0.7), hit("useful", 0.8, 0.5), hit("weak", 0.7, 0.2)

TABLE = [
    # rule, chunks, n, floor, cap, cited, related
    ("nothing found, nothing listed", [], 2, 0.35, 2, [], []),
    ("a strong page is cited, a weak one is related", [STRONG, WEAK], 2, 0.35, 2, ["strong"], ["weak"]),
    ("two useful pages are both cited", [STRONG, USEFUL], 2, 0.35, 2, ["strong", "useful"], []),
    ("the ceiling is no quota", [STRONG, WEAK, hit("x", 0.1, 0.1)], 5, 0.35, 5, ["strong"], ["weak", "x"]),
    (
        "a page above the floor without a slot is in neither list",
        [STRONG, USEFUL, WEAK],
        1,
        0.35,
        2,
        ["strong"],
        ["weak"],
    ),
    ("nothing clears the floor", [WEAK, hit("x", 0.6, 0.1)], 2, 0.35, 2, [], ["weak", "x"]),
    (
        "a weak page ranked above a cited one is related",
        [hit("weak", 0.95, 0.2), STRONG],
        2,
        0.35,
        2,
        ["strong"],
        ["weak"],
    ),
    ("the floor itself is enough", [hit("edge", 0.5, 0.35)], 2, 0.35, 2, ["edge"], []),
    ("found by keywords alone: below any floor", [hit("words", 0.9, None)], 2, 0.0, 2, [], ["words"]),
    (
        "each page once; its best cosine is the bar",
        [hit("p", 0.9, 0.1), hit("p", 0.5, 0.6)],
        2,
        0.35,
        2,
        ["p"],
        [],
    ),
    (
        "a page with and without cosines clears by those it has",
        [hit("p", 0.9, None), hit("p", 0.5, 0.6)],
        2,
        0.35,
        2,
        ["p"],
        [],
    ),
    (
        "order is by the best score, not by arrival",
        [hit("b", 0.2, 0.6), hit("a", 0.9, 0.6)],
        2,
        0.35,
        2,
        ["a", "b"],
        [],
    ),
    (
        "equal scores keep their order",
        [hit("b", 0.5, 0.6), hit("a", 0.5, 0.6)],
        2,
        0.35,
        2,
        ["b", "a"],
        [],
    ),
    (
        "a score counts, whatever the cosine",
        [hit("high", 0.9, 0.4), hit("near", 0.5, 0.9)],
        1,
        0.35,
        2,
        ["high"],
        [],
    ),
    ("related may be switched off", [STRONG, WEAK], 2, 0.35, 0, ["strong"], []),
    ("related is capped", [hit(str(i), 1 - i / 10, 0.1) for i in range(5)], 2, 0.35, 2, [], ["0", "1"]),
]


@pytest.mark.parametrize(
    ("chunks", "n", "floor", "cap", "cited", "related"),
    [row[1:] for row in TABLE],
    ids=[row[0] for row in TABLE],
)
def test_pages_are_tiered(
    chunks: list[Hit], n: int, floor: float, cap: int, cited: list[str], related: list[str]
) -> None:
    """Each row of the table is one rule of SPEC 3.1."""
    found = select_documents_tiered(chunks, n, floor, cap)
    assert (paths(found[0]), paths(found[1])) == (cited, related)


def test_the_same_path_of_two_sources_is_two_pages() -> None:
    """A page is its source and its path together."""
    chunks = [hit("intro", 0.9, 0.7, source="a"), hit("intro", 0.8, 0.2, source="b")]
    cited, related = select_documents_tiered(chunks, 2, 0.35, 2)
    assert [(p.source, p.path) for p in (*cited, *related)] == [("a", "intro"), ("b", "intro")]


def test_only_four_attributes_are_read() -> None:
    """Callers may pass light objects with source, path, score and cosine."""
    chunks: Any = [SimpleNamespace(source="s", path="p", score=1.0, cosine=0.5)]
    cited, _ = select_documents_tiered(chunks, 1, 0.35, 1)
    assert (cited[0].cosine, cited[0].hits) == (0.5, tuple(chunks))
    assert paths(select_documents(chunks, 1)) == ["p"]


def test_plain_selection_has_no_bar() -> None:
    """``select_documents`` takes pages without a cosine too, in order of score."""
    assert paths(select_documents([WEAK, hit("words", 0.9, None), STRONG], 2)) == ["words", "strong"]
    assert paths(select_documents([WEAK], 0)) == []


def plan(hits: list[Hit], threshold: float = 0.4, **settings: Any) -> TurnPlan:
    return plan_turn("q", hits, Settings(**settings), threshold)


def test_a_search_passes_on_relevance_and_a_cited_page() -> None:
    """Both are needed: relevance at the threshold, and one page above the floor."""
    assert plan([hit("p", 0.9, 0.5, relevance=0.4)]).passes
    assert not plan([hit("p", 0.9, 0.5, relevance=0.39)]).passes
    assert not plan([hit("p", 0.9, 0.3, relevance=0.9)]).passes
    assert not plan([]).passes


def test_relevance_is_the_best_of_all_hits() -> None:
    """The gate looks at every scored hit, not only at the first."""
    found = plan([hit("a", 0.9, 0.5, relevance=0.1), hit("b", 0.8, 0.5, relevance=0.6)])
    assert (found.passes, found.relevance) == (True, 0.6)


def test_a_search_that_does_not_pass_relates_its_top_pages() -> None:
    """It cites nothing and gives nothing to the model; pages above the floor may be related then."""
    found = plan([hit("clear", 0.9, 0.5), WEAK, hit("x", 0.1, 0.1)], threshold=0.8)
    assert (found.cited, found.passages, paths(found.related)) == ((), (), ["clear", "weak"])


def test_passages_belong_to_cited_pages_only() -> None:
    """A weak page never reaches the prompt, however high its fused score."""
    found = plan([hit("weak", 0.99, 0.2), STRONG])
    assert paths(found.passages) == ["strong"]
    assert paths(found.related) == ["weak"]


def test_every_cited_page_has_a_passage() -> None:
    """Six passages in all, best first: one of each cited page, the rest by score."""
    crowd = [hit("a", 0.9 - i / 100, 0.6) for i in range(8)]
    found = plan([*crowd, hit("b", 0.1, 0.6)], runner_up_share=0)
    assert paths(found.passages) == ["a"] * 5 + ["b"]
    assert [h.score for h in found.passages] == sorted((h.score for h in found.passages), reverse=True)


def test_no_more_pages_are_cited_than_passages_given() -> None:
    """A ceiling above six passages cannot cite a page that the model never saw."""
    found = plan([hit(str(i), 1 - i / 20, 0.6) for i in range(9)], top_n_docs=9, runner_up_share=0)
    assert {p.path for p in found.cited} == {p.path for p in found.passages}
    assert len(found.cited) == 6


@pytest.mark.parametrize(
    ("score", "share", "cited"),
    [
        (0.90, 0.9, ["first", "second"]),
        (0.89, 0.9, ["first"]),
        (0.01, 0.0, ["first", "second"]),
        (1.00, 1.0, ["first", "second"]),
    ],
)
def test_a_page_well_behind_the_best_finds_no_slot(score: float, share: float, cited: list[str]) -> None:
    """It cleared the floor, so it is not related either; a weak page above them is no measure."""
    hits = [hit("weak", 5.0, 0.2), hit("first", 1.0, 0.6), hit("second", score, 0.6)]
    found = plan(hits, runner_up_share=share)
    assert (paths(found.cited), paths(found.related)) == (cited, ["weak"])
    assert {p.path for p in found.passages} == set(cited)


def test_a_lexical_index_is_tiered_by_relevance() -> None:
    """Where the encoder does not know the language, coverage stands in and cosines stay null."""
    hits = [hit("zh", 0.9, None, relevance=0.6), hit("en", 0.5, None, relevance=0.1)]
    found = plan_turn("q", hits, Settings(), 0.4, lexical=True)
    assert (paths(found.cited), paths(found.related), found.cited[0].cosine) == (["zh"], ["en"], None)


def test_plans_merge_in_call_order() -> None:
    """Cited is the union in order of registration; what is cited anywhere is not related."""
    first = plan([hit("a", 0.9, 0.6), hit("b", 0.8, 0.2)])
    second = plan([hit("b", 0.9, 0.6), hit("a", 0.8, 0.6), hit("c", 0.7, 0.1)])
    cited, related = merge_plans([first, second], (), 2)
    assert (paths(cited), paths(related)) == (["a", "b"], ["c"])


def test_related_is_capped_once_after_reading() -> None:
    """A page that the model read leaves ``related`` and makes room for the next one."""
    found = plan([hit("a", 0.9, 0.2), hit("b", 0.8, 0.2), hit("c", 0.7, 0.2), hit("d", 0.6, 0.2)])
    assert paths(found.related) == ["a", "b"]
    assert paths(merge_plans([found], {("docs", "a")}, 2)[1]) == ["b", "c"]


def test_the_ceiling_holds_per_search() -> None:
    """Two searches may cite more pages together than one may."""
    plans = [plan([hit(name, 0.9, 0.6)], top_n_docs=1) for name in "abc"]
    assert paths(merge_plans(plans, (), 2)[0]) == ["a", "b", "c"]


def test_no_search_no_pages() -> None:
    """A turn without a search relates nothing."""
    assert merge_plans([], {("docs", "a")}, 2) == ((), ())
