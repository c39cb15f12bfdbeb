"""From the tiers of a search to chips and nearby pages, over a whole turn: SPEC 3.1 and 4.9."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.settings import Settings
from turn_bench import Turn, TurnBench

Call = tuple[str, dict[str, Any]]


def search(query: str) -> Call:
    return ("search_docs", {"query": query})


def read(path: str) -> Call:
    return ("read_page", {"path": path})


async def answered(bench: TurnBench, text: str, *calls: Call) -> Turn:
    """A turn in agent mode that makes the calls one after the other."""
    for call in calls:
        bench.transport.reply_calls(call)
    bench.transport.reply_text(text)
    return await bench.ask("Q?")


async def test_a_strong_and_a_weak_page() -> None:
    """One chip, one nearby; the weak page is never shown to the model."""
    bench = TurnBench()
    bench.planner.find("a", ("retention.md", 0.8), ("export.md", 0.2))
    turn = await answered(bench, "90 days [1].", search("a"))
    assert (turn.chips, turn.related) == (["retention.md"], ["export.md"])
    assert "tidewatch export" not in str(bench.transport.bodies)


async def test_nothing_relevant() -> None:
    """No chip, at most two nearby."""
    bench = TurnBench()
    bench.planner.find("a", ("radio.md", 0.3), ("export.md", 0.2), ("alerts.md", None))
    turn = await answered(bench, "It does not say.", search("a"))
    assert (turn.chips, turn.related) == ([], ["radio.md", "export.md"])


async def test_two_useful_pages() -> None:
    """Two chips; a third that clears the floor too is in neither list."""
    bench = TurnBench()
    bench.planner.find("a", ("retention.md", 0.8), ("export.md", 0.6), ("alerts.md", 0.5), ("radio.md", 0.1))
    turn = await answered(bench, "Both [1][3].", search("a"))
    assert (turn.chips, turn.related) == (["retention.md", "export.md"], ["radio.md"])


async def test_a_weak_page_that_the_model_read() -> None:
    """A chip, not nearby, also beyond the ceiling; the turn is not deflected."""
    bench = TurnBench()
    bench.planner.find("a", ("radio.md", 0.1))
    turn = await answered(bench, "Channel 7 [1].", search("a"), read("radio.md"))
    assert (turn.chips, turn.related) == (["radio.md"], [])
    assert (turn.record["status"], turn.record["sources"][0]["via"]) == ("done", "read")


async def test_met_by_search_and_then_read() -> None:
    """The passage keeps its number and its cosine, and becomes ``via`` read."""
    bench = TurnBench()
    bench.planner.find("a", ("radio.md", 0.7))
    turn = await answered(bench, "Channel 7 [1].", search("a"), read("radio.md"))
    (source,) = turn.record["sources"]
    assert (source["n"], source["via"], source["cosine"]) == (1, "read", 0.7)


async def test_several_searches() -> None:
    """Cited in order of registration; nearby in call order, without what is cited, capped once."""
    bench = TurnBench()
    bench.planner.find("a", ("retention.md", 0.8), ("export.md", 0.2), ("radio.md", 0.1))
    bench.planner.find("b", ("export.md", 0.7), ("alerts.md", 0.2))
    turn = await answered(bench, "Both [1][3].", search("a"), search("b"))
    assert (turn.chips, turn.related) == (["retention.md", "export.md"], ["radio.md", "alerts.md"])


@pytest.mark.parametrize(("second", "status"), [("b", "done"), ("c", "deflected")])
async def test_deflected_only_if_no_search_passed(second: str, status: str) -> None:
    """One that passed is enough."""
    bench = TurnBench()
    bench.planner.find("b", ("radio.md", 0.7))
    turn = await answered(bench, "So.", search("a"), search(second))
    assert turn.record["status"] == status


async def test_chips_without_marks_stay() -> None:
    """Documents were used; the label says that no passage is cited in the text."""
    bench = TurnBench()
    bench.planner.find("a", ("retention.md", 0.8))
    turn = await answered(bench, "90 days.", search("a"))
    assert turn.record["label"] == "Documents used; no passage is cited in the text"
    (chip,) = turn.record["chips"]
    assert (chip["numbers"], chip["opens"]) == ([], 1)


async def test_related_pages_open_their_best_hit() -> None:
    """With the anchor, and never more of them than the setting says."""
    bench = TurnBench(settings=Settings(related_max_docs=1))
    bench.planner.find("a", ("retention.md", 0.2), ("radio.md", 0.1))
    turn = await answered(bench, "It does not say.", search("a"))
    (page,) = turn.record["related"]
    assert (page["path"], page["url"]) == ("retention.md", "retention.html#part-1")
    assert page["text"].startswith("Raw readings")


async def test_the_query_log_has_every_scored_page_of_every_search() -> None:
    """With its scores and its tier; a page that cleared the floor but found no slot has none."""
    bench = TurnBench(settings=Settings(top_n_docs=1))
    bench.planner.find("a", ("retention.md", 0.8), ("export.md", 0.5), ("radio.md", None))
    turn = await answered(bench, "90 days [1].", search("a"), search("b"))
    first, second = bench.store.query_log
    assert {entry["turn"] for entry in (first, second)} == {turn.id}
    assert [(page["path"], page["tier"], page["cosine"]) for page in first["pages"]] == [
        ("retention.md", "cited", 0.8),
        ("export.md", "none", 0.5),
        ("radio.md", "related", None),
    ]
    assert (first["passes"], second["passes"], second["pages"]) == (True, False, [])
