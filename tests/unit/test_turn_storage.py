"""What is drawn, what is stored, and when: SPEC 4.10."""

from __future__ import annotations

import asyncio
from typing import Any

import pytest

from ibid.errors import NotSaved
from manual_clock import settle
from turn_bench import QUESTION, TurnBench

SEARCH = ("search_docs", {"query": QUESTION})


async def test_the_question_is_stored_before_the_request_goes_out() -> None:
    """And the turn before its last frame."""
    bench = TurnBench()
    events: list[str] = []
    put_turn, send, emit = bench.store.put_turn, bench.transport.send, bench.emit

    async def noted_put(record: dict[str, Any]) -> None:
        events.append(f"stored {record['status']}")
        await put_turn(record)

    async def noted_send(request: Any) -> Any:
        events.append("request")
        return await send(request)

    async def noted_emit(frame: dict[str, Any]) -> None:
        events.append(frame["type"])
        await emit(frame)

    bench.store.put_turn = noted_put  # type: ignore[method-assign]
    bench.transport.send = noted_send  # type: ignore[method-assign]
    bench.emit = noted_emit  # type: ignore[method-assign]
    await bench.answered()
    assert events[:3] == ["turn", "stored pending", "request"]
    assert events[-3:] == ["stored done", "sources", "done"]


async def test_what_is_stored_is_what_was_live() -> None:
    """Blocks, sources, chips, steps, related and label of the record are those of the frames."""
    bench = TurnBench()
    turn = await bench.answered("Kept **90 days** [1].\n\n- then `thinned` [2]\n")
    last = turn.of_type("sources")[-1]
    assert turn.record["blocks"] == turn.drawn
    assert turn.record["sources"] == last["sources"]
    assert turn.record["chips"] == last["chips"]
    assert turn.record["steps"] == [frame["step"] for frame in turn.of_type("step")]
    assert turn.record["related"] == turn.last["related"]
    assert turn.record["label"] == turn.last["label"]


async def test_the_text_so_far_is_saved_at_intervals() -> None:
    """Text, steps and sources are in the store while the answer is written: a crash loses about a second."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    _, gate = bench.transport.reply_held("Kept 90 days [1].")
    asking = asyncio.ensure_future(bench.ask())
    await gate.reached.wait()
    await settle()
    (record,) = await bench.store.turns("c1")
    assert (record["status"], record["answer"]) == ("pending", "")
    await bench.clock.advance(1)
    (record,) = await bench.store.turns("c1")
    assert (record["status"], record["answer"]) == ("streaming", "Kept 90 days [1].")
    assert record["blocks"] == bench.frames[-1]["blocks"]
    assert [chip["path"] for chip in record["chips"]] == ["retention.md"]
    assert [step["kind"] for step in record["steps"]] == ["search"]
    gate.open()
    assert (await asking).record["status"] == "done"
    assert bench.clock.sleeping == []


async def test_at_most_one_answer_frame_a_drawn_frame() -> None:
    """Deltas that come at once are drawn together; what waits is drawn when nothing more comes."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    _, gate = bench.transport.reply_held(*("word " * 50).split(" "))
    asking = asyncio.ensure_future(bench.ask())
    await gate.reached.wait()
    await settle(300)
    drawn = [frame for frame in bench.frames if frame["type"] == "answer"]
    assert len(drawn) == 1
    await bench.clock.advance(0.05)
    drawn = [frame for frame in bench.frames if frame["type"] == "answer"]
    assert len(drawn) == 2
    gate.open()
    turn = await asking
    assert turn.drawn == turn.record["blocks"]


@pytest.mark.parametrize("failure", [NotSaved("The storage is full."), OSError("disk")])
async def test_a_query_log_that_cannot_be_written_fails_no_turn(
    failure: Exception, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """It is an aid; the answer is what must be kept."""
    bench = TurnBench()

    async def broken(entry: dict[str, Any]) -> None:
        raise failure

    monkeypatch.setattr(bench.store, "log_query", broken)
    assert (await bench.answered()).record["status"] == "done"
