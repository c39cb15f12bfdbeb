"""A turn that restates keeps its sources: SPEC 4.7, read off the last ``sources`` frame and the record."""

from __future__ import annotations

from typing import Any

import pytest

from turn_bench import QUESTION, Turn, TurnBench

NO_EVIDENCE = ("no_evidence_needed", {"reason": "shorter"})
READ = ("read_page", {"path": "retention.md"})


async def first_turn(bench: TurnBench, text: str) -> Turn:
    """Reads a page of two passages, registered as 1 and 2, and says ``text``."""
    bench.transport.reply_calls(READ)
    bench.transport.reply_text(text)
    return await bench.ask()


async def restated(bench: TurnBench, text: str, *calls: tuple[str, Any]) -> Turn:
    """The next turn: some calls in one message, then ``text``."""
    if calls:
        bench.transport.reply_calls(*calls)
    else:
        bench.transport.reply_text("Sent back for want of a call.")
    bench.transport.reply_text(text)
    return await bench.ask("Make it shorter")


async def test_restating_keeps_the_source_it_cites() -> None:
    """(a) The same object, number and passage, in the last frame and in the record; no related."""
    bench = TurnBench()
    one = await first_turn(bench, "For 90 days [1].")
    two = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert two.of_type("sources")[-1]["sources"] == two.record["sources"] == one.record["sources"][:1]
    assert two.chips == ["retention.md"]
    assert two.of_type("sources")[-1]["chips"][0]["opens"] == 1
    assert two.last["inherited_from"] == two.record["inherited_from"] == one.id
    assert two.related == []
    assert (two.last["label"], two.steps) == (None, [])


async def test_citing_what_was_never_cited_keeps_nothing() -> None:
    """(b) Source 2 was registered, but the first answer's text does not cite it."""
    bench = TurnBench()
    await first_turn(bench, "For 90 days [1].")
    two = await restated(bench, "`keep_days` [2].", NO_EVIDENCE)
    assert (two.sources, two.chips, two.record["inherited_from"]) == ([], [], None)
    assert two.record["label"] == "No sources cited"


async def test_a_search_that_finds_nothing_keeps_nothing() -> None:
    """(c) The turn gathered: only its own sources count, and it has none."""
    bench = TurnBench()
    await first_turn(bench, "For 90 days [1].")
    two = await restated(bench, "90 days [1].", ("search_docs", {"query": "nothing"}))
    assert (two.sources, two.record["status"]) == ([], "deflected")


async def test_one_shot_restates_without_a_step() -> None:
    """(d) "Make it shorter" is neither searched into a deflection nor into new sources."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text("For 90 days [1].")
    one = await bench.ask()
    bench.transport.reply_text("90 days [1].")
    two = await bench.ask("Make it shorter")
    assert two.record["mode"] == "one-shot"
    assert (two.sources, two.steps, two.record["status"]) == ([1], [], "done")
    assert two.record["inherited_from"] == one.id
    assert "passage [" not in str(bench.transport.bodies[-1]["messages"])


TABLE = [
    ("For 90 days [1].", (NO_EVIDENCE,), "90 days [1].", [1]),
    ("For 90 days [1].", (), "90 days [1].", [1]),
    ("For 90 days [1].", (NO_EVIDENCE,), "Longer [2].", []),
    ("For 90 days [1].", (NO_EVIDENCE,), "90 days, longer [1][2].", []),
    ("90 days [1], one an hour [3].", (NO_EVIDENCE,), "One an hour [3].", [3]),
    ("For 90 days [1].", (("search_docs", {"query": "nothing"}),), "90 days [1].", []),
    ("For 90 days [1].", (("search_docs", {}),), "90 days [1].", []),
    ("For 90 days [1].", (("no_evidence_needed", {}),), "90 days [1].", [1]),
    ("For 90 days [1].", (NO_EVIDENCE, ("read_page", {"path": "no.md"})), "90 days [1].", []),
    ("For 90 days [1].", (NO_EVIDENCE,), "90 days 【1†source】.", [1]),
    ("For 90 days [1].", (NO_EVIDENCE,), "Longer 【2】.", []),
    ("For 90 days [1].", (NO_EVIDENCE,), "90 days.", []),
    ("For 90 days [1].", (NO_EVIDENCE,), "90 days `[1]`.", []),
    ("Run `x[1]` [2].", (NO_EVIDENCE,), "Run it [1].", []),
    ("For 90 days.", (NO_EVIDENCE,), "90 days [1].", []),
]


@pytest.mark.parametrize(("previous", "calls", "text", "kept"), TABLE)
async def test_what_is_kept(
    previous: str, calls: tuple[tuple[str, Any], ...], text: str, kept: list[int]
) -> None:
    """Kept only if nothing was gathered, something is cited, and all of it is cited in the previous text."""
    bench = TurnBench({"retention.md": ["One.", "Two.", "Three."]})
    one = await first_turn(bench, previous)
    two = await restated(bench, text, *calls)
    assert two.sources == kept
    assert [source["n"] for source in two.record["sources"]] == kept
    assert [s for s in one.record["sources"] if s["n"] in kept] == two.record["sources"]
    assert two.record["inherited_from"] == (one.id if kept else None)
    assert bool(two.chips) == bool(kept)


async def test_chains_can_only_shrink() -> None:
    """The third turn inherits from the second, which inherited from the first."""
    bench = TurnBench()
    await first_turn(bench, "90 days [1], or longer [2].")
    two = await restated(bench, "90 days [1].", NO_EVIDENCE)
    three = await restated(bench, "90 [1].", NO_EVIDENCE)
    assert (three.sources, three.record["inherited_from"]) == ([1], two.id)
    four = await restated(bench, "90, or longer [1][2].", NO_EVIDENCE)
    assert four.sources == []


async def test_a_turn_stopped_midway_keeps_what_its_text_cites() -> None:
    """On the text so far."""
    bench = TurnBench()
    one = await first_turn(bench, "90 days [1], or longer [2].")
    bench.transport.reply_calls(NO_EVIDENCE)
    _, gate = bench.transport.reply_held("90 days [1], or")
    two = await bench.stopped_at(gate, "Make it shorter")
    assert (two.sources, two.record["status"]) == ([1], "stopped")
    assert two.record["inherited_from"] == one.id


async def test_a_failed_turn_is_no_previous_answer_and_never_inherits() -> None:
    """The turn after it restates the answer before it."""
    bench = TurnBench()
    one = await first_turn(bench, "For 90 days [1].")
    bench.transport.reply_calls(NO_EVIDENCE)
    bench.transport.reply_cut("90 days [1]")
    two = await bench.ask("Make it shorter")
    assert (two.last["code"], two.sources, two.record["answer"]) == ("interrupted", [], "90 days [1]")
    three = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert (three.sources, three.record["inherited_from"]) == ([1], one.id)


async def test_a_stopped_turn_is_the_previous_answer() -> None:
    """Its text cites nothing, so nothing can be kept; nobody looks further back."""
    bench = TurnBench()
    await first_turn(bench, "For 90 days [1].")
    bench.transport.reply_calls(NO_EVIDENCE)
    _, gate = bench.transport.reply_held("Ninety")
    await bench.stopped_at(gate, "Make it shorter")
    three = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert three.sources == []


async def test_a_turn_stopped_without_a_word_is_no_answer() -> None:
    """There is nothing of it to restate, or to replay."""
    bench = TurnBench()
    one = await first_turn(bench, "For 90 days [1].")
    _, gate = bench.transport.reply_held()
    await bench.stopped_at(gate, "Make it shorter")
    three = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert three.record["inherited_from"] == one.id


async def test_a_deflected_turn_is_the_previous_answer_and_cites_nothing() -> None:
    """The answer before the deflection is out of reach."""
    bench = TurnBench()
    await first_turn(bench, "For 90 days [1].")
    bench.transport.reply_calls(("search_docs", {"query": "nothing"}))
    bench.transport.reply_text("The documentation does not say.")
    await bench.ask("Who wrote it?")
    three = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert three.sources == []


async def test_the_active_version_counts() -> None:
    """After switching back, the first version's marks are the ones that can be kept."""
    bench = TurnBench()
    one = await first_turn(bench, "For 90 days [1].")
    bench.transport.reply_calls(READ)
    bench.transport.reply_text("See `keep_days` [2].")
    await bench.again("regenerate")
    await bench.engine.switch_version("c1", one.id, 0)
    assert (await restated(bench, "90 days [1].", NO_EVIDENCE)).sources == [1]


async def test_an_extractive_answer_may_be_restated_by_a_model() -> None:
    """It has marks and sources like any other."""
    bench = TurnBench()
    one = await bench.ask(QUESTION, endpoint=None)
    two = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert (two.sources, two.record["inherited_from"]) == ([1], one.id)


async def test_a_restated_turn_logs_no_query() -> None:
    """In one-shot mode the search that was put aside is not logged either."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text("For 90 days [1].")
    await bench.ask()
    logged = len(bench.store.query_log)
    bench.transport.reply_text("90 days [1].")
    await bench.ask("Make it shorter")
    assert (logged, len(bench.store.query_log)) == (1, 1)


async def test_unknown_fields_of_a_stored_source_are_inherited_too() -> None:
    """The same objects, unchanged."""
    bench = TurnBench()
    one = await first_turn(bench, "For 90 days [1].")
    one.record["sources"][0]["edition"] = "second"
    await bench.store.put_turn(one.record)
    two = await restated(bench, "90 days [1].", NO_EVIDENCE)
    assert two.of_type("sources")[-1]["sources"][0]["edition"] == "second"
