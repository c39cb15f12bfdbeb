"""Stop, Retry, Regenerate, "Show passages instead" and versions: SPEC 4.10."""

from __future__ import annotations

import asyncio

import pytest

from ibid.errors import AnswerRunning, InputError
from manual_clock import settle
from scripted_transport import Gate
from turn_bench import ENDPOINT, QUESTION, TurnBench

SEARCH = ("search_docs", {"query": QUESTION})


async def test_stopped_before_the_first_byte() -> None:
    """The question is kept, nothing else; the connection is closed."""
    bench = TurnBench()
    response, gate = bench.transport.reply_held()
    turn = await bench.stopped_at(gate)
    assert (turn.last["type"], turn.last["status"], turn.last["stopped"]) == ("done", "stopped", True)
    assert (turn.record["answer"], turn.record["steps"], turn.sources) == ("", [], [])
    assert response.cancelled
    assert response.closed


async def test_stopped_in_a_tool() -> None:
    """The step is kept, and so are words written before the call; no passage was registered yet."""
    bench = TurnBench()
    bench.index.gate = Gate()
    bench.transport.reply_calls(SEARCH, before=["I will look."])
    turn = await bench.stopped_at(bench.index.gate)
    assert turn.record["status"] == "stopped"
    assert turn.steps == ["search"]
    assert (turn.record["answer"], turn.sources) == ("I will look.", [])


async def test_stopped_in_the_text() -> None:
    """Text, steps and sources so far are kept; what was held back undecided is text now."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    response, gate = bench.transport.reply_held("Kept 90 days [1]", ", see [")
    turn = await bench.stopped_at(gate)
    assert turn.record["answer"] == "Kept 90 days [1], see ["
    assert turn.drawn == turn.record["blocks"]
    assert (turn.sources, turn.chips, turn.record["label"]) == ([1, 2], ["retention.md"], None)
    assert response.cancelled


async def test_stopped_while_it_is_sent() -> None:
    """Between the question being stored and the first response."""
    bench = TurnBench()
    asking = asyncio.ensure_future(bench.ask())
    await asyncio.sleep(0)
    bench.engine.stop("c1")
    turn = await asking
    assert turn.record["status"] == "stopped"
    assert turn.record["question"] == QUESTION


async def test_stopping_twice_or_where_nothing_runs_is_nothing() -> None:
    """Nor does it reach other conversations."""
    bench = TurnBench()
    bench.engine.stop("c1")
    _, gate = bench.transport.reply_held("x")
    asking = asyncio.ensure_future(bench.ask())
    await gate.reached.wait()
    await settle()
    bench.engine.stop("c2")
    await settle()
    assert not asking.done()
    bench.engine.stop("c1")
    bench.engine.stop("c1")
    assert (await asking).record["status"] == "stopped"
    assert (await bench.answered()).record["status"] == "done"


async def test_cancelled_from_outside_the_turn_ends_in_good_order() -> None:
    """As if stopped, stored, with its last frame; the cancellation goes on."""
    bench = TurnBench()
    _, gate = bench.transport.reply_held("Ninety")
    asking = asyncio.ensure_future(bench.ask())
    await gate.reached.wait()
    await settle()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    (record,) = await bench.store.turns("c1")
    assert (record["status"], record["answer"]) == ("stopped", "Ninety")
    assert bench.frames[-1]["type"] == "done"


async def test_retry_answers_the_last_question_in_place() -> None:
    """The same turn; a failed attempt without a word leaves no version."""
    bench = TurnBench()
    bench.transport.reply_status(503, "down")
    failed = await bench.ask()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.again("retry", turn=failed.id)
    assert turn.id == failed.id
    assert turn.of_type("turn")[0]["replaces"]
    assert (turn.record["status"], turn.record["error"]) == ("done", None)
    assert (turn.record["versions"], len(await bench.store.turns("c1"))) == ([], 1)


async def test_text_of_a_failed_attempt_is_kept_as_a_version() -> None:
    """All text received is kept."""
    bench = TurnBench()
    bench.transport.reply_cut("Ninety")
    await bench.ask()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.again("retry")
    assert [version["answer"] for version in turn.record["versions"]] == ["Ninety", "90 days [1]."]
    assert turn.record["active"] == 1


async def test_retry_sees_the_turns_before_and_not_itself() -> None:
    """The failed attempt is not part of the history."""
    bench = TurnBench()
    await bench.answered()
    bench.transport.reply_cut("Half")
    await bench.ask("And then?")
    bench.transport.reply_calls(("no_evidence_needed", {"reason": "x"}))
    bench.transport.reply_text("90 days [1].")
    turn = await bench.again("retry")
    messages = [m["content"] for m in bench.transport.bodies[-1]["messages"]]
    assert messages.count("And then?") == 1
    assert "Half" not in messages
    assert turn.sources == [1]


async def test_regenerate_keeps_the_old_answer_as_a_version() -> None:
    """Its previous answer is the turn before, so its own old marks are not inherited."""
    bench = TurnBench()
    one = await bench.answered("Old [1].")
    bench.transport.reply_calls(("no_evidence_needed", {"reason": "x"}))
    bench.transport.reply_text("New [1].")
    turn = await bench.again("regenerate", turn=one.id)
    assert [version["answer"] for version in turn.record["versions"]] == ["Old [1].", "New [1]."]
    assert (turn.record["active"], turn.record["answer"]) == (1, "New [1].")
    assert (turn.sources, turn.record["inherited_from"]) == ([], None)
    assert not turn.last["restores"]


async def test_a_failed_regenerate_leaves_the_old_answer_active() -> None:
    """The page is told to draw it again; text that came is kept as a version."""
    bench = TurnBench()
    one = await bench.answered("Old [1].")
    bench.transport.reply_cut("Ne")
    turn = await bench.again("regenerate")
    assert (turn.last["code"], turn.last["restores"]) == ("interrupted", True)
    assert (turn.record["answer"], turn.record["status"]) == ("Old [1].", "done")
    assert turn.record["sources"] == one.record["sources"]
    assert [version["answer"] for version in turn.record["versions"]] == ["Old [1].", "Ne"]


async def test_show_passages_instead() -> None:
    """The extractive answer to the same question, in place; nothing is sent."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_cut("Ninety")
    failed = await bench.ask()
    turn = await bench.again("passages")
    assert turn.id == failed.id
    assert (turn.record["mode"], turn.record["status"]) == ("extractive", "done")
    assert turn.record["answer"].startswith("Raw readings are kept for 90 days. [1]")
    assert [version["mode"] for version in turn.record["versions"]] == ["agent", "extractive"]
    assert len(bench.transport.requests) == 2


async def test_versions_switch_on_the_last_turn_only() -> None:
    """And only to versions that are there, and not while an answer is written."""
    bench = TurnBench()
    one = await bench.answered("Old [1].")
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("New [1].")
    await bench.again("regenerate")
    record = await bench.engine.switch_version("c1", one.id, 0)
    assert (record["answer"], record["active"]) == ("Old [1].", 0)
    assert await bench.record(one.id) == record
    with pytest.raises(InputError, match="no version 2"):
        await bench.engine.switch_version("c1", one.id, 2)
    async with bench.store.lock("c1"):
        with pytest.raises(AnswerRunning):
            await bench.engine.switch_version("c1", one.id, 1)
    await bench.answered()
    with pytest.raises(AnswerRunning, match="no longer the last question"):
        await bench.engine.switch_version("c1", one.id, 1)


@pytest.mark.parametrize("how", ["retry", "regenerate", "passages"])
async def test_only_the_last_turn_is_answered_again(how: str) -> None:
    """Another tab may have gone on: then the reader is told, and nothing is changed."""
    bench = TurnBench()
    one = await bench.answered()
    await bench.answered()
    before = await bench.store.turns("c1")
    turn = await bench.again(how, turn=one.id)
    assert [frame["type"] for frame in turn.frames] == ["turn", "sources", "error"]
    assert turn.last["code"] == "answer_running"
    assert await bench.store.turns("c1") == before


async def test_a_question_that_is_not_stored_cannot_be_answered_in_place() -> None:
    """The reader is told to ask it again."""
    bench = TurnBench()
    turn = await bench.again("retry", turn="t9")
    assert (turn.last["code"], turn.last["next"]) == ("not_saved", "Ask it again.")


async def test_an_interrupted_turn_can_be_retried_after_a_reload() -> None:
    """A record that says "streaming" while nobody writes it was cut by a crash."""
    bench = TurnBench()
    _, gate = bench.transport.reply_held("Ninety")
    asking = asyncio.ensure_future(bench.ask())
    await gate.reached.wait()
    await bench.clock.advance(5)
    (crashed,) = await bench.store.turns("c1")
    bench.engine.stop("c1")
    await asking
    await bench.store.put_turn(crashed)
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.again("retry", ENDPOINT)
    assert turn.id == crashed["id"]
    assert [version["status"] for version in turn.record["versions"]] == ["failed", "done"]
