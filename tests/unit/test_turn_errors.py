"""One terminal frame, whatever happens; question and text are kept: SPEC 4.11."""

from __future__ import annotations

import logging
from collections.abc import Callable

import pytest

import chat_chunks
from ibid.citations import NO_SOURCES
from ibid.turn import AskRequest
from turn_bench import QUESTION, Turn, TurnBench

SEARCH = ("search_docs", {"query": QUESTION})
Script = Callable[[TurnBench], object]


def after_a_search(script: Script) -> Script:
    """The failure comes while the answer is written."""

    def played(bench: TurnBench) -> None:
        bench.transport.reply_calls(SEARCH)
        script(bench)

    return played


def with_a_broken_event(text: str) -> list[bytes]:
    """The stream ends well, but one of its events is no JSON: words may be missing."""
    broken = b'data: {"choices":[{"delta":{"content":"no\n\n'
    return [chat_chunks.text(text), broken, chat_chunks.finish(), chat_chunks.DONE]


BEFORE: list[tuple[str, Script]] = [
    ("out_of_credit", lambda b: b.transport.reply_status(402, "pay")),
    ("out_of_credit", lambda b: b.transport.reply_status(429, "You exceeded your current quota")),
    ("rate_limited", lambda b: b.transport.reply_status(429, "slow down")),
    ("unauthorized", lambda b: b.transport.reply_status(401, "bad key")),
    ("unavailable", lambda b: b.transport.reply_status(503, "down")),
    ("rejected", lambda b: b.transport.reply_status(404, "no such path")),
    ("unreachable", lambda b: b.transport.reply_nothing()),
]
MIDWAY: list[tuple[str, Script]] = [
    ("interrupted", lambda b: b.transport.reply_cut("90 days [1]")),
    ("interrupted", lambda b: b.transport.reply_broken("90 days [1]")),
    ("interrupted", lambda b: b.transport.reply(*with_a_broken_event("90 days [1]"))),
    ("cut_off", lambda b: b.transport.reply_text("90 days [1]", reason="length")),
    ("cut_off", lambda b: b.transport.reply_text("90 days [1]", reason="content_filter")),
]


def check_ends_once(turn: Turn, code: str) -> None:
    kinds = [frame["type"] for frame in turn.frames]
    assert kinds[0] == "turn"
    assert kinds[-2:] == ["sources", "error"]
    assert sum(kind in ("done", "error") for kind in kinds) == 1
    assert turn.last["code"] == code
    assert turn.last["message"]
    assert turn.last["next"]
    assert turn.record["status"] == "failed"
    assert turn.record["error"] == {key: turn.last[key] for key in ("code", "message", "next")}
    assert turn.record["question"] == QUESTION
    assert turn.last["stored"]


async def test_words_before_a_call_rest_on_nothing_that_it_found() -> None:
    """The model had not seen the passage when it wrote the mark, so the mark opens none."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH, before=["Kept for 90 days [1]."])
    bench.transport.reply_status(503, "down")
    turn = await bench.ask()
    assert turn.record["answer"] == "Kept for 90 days [1]."
    assert (turn.sources, turn.chips, turn.record["label"]) == ([], [], NO_SOURCES)
    assert turn.steps == ["search"]


async def test_words_between_two_calls_keep_what_the_first_found() -> None:
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_calls(("read_page", {"path": "radio.md"}), before=["Kept for 90 days [1]."])
    bench.transport.reply_status(503, "down")
    turn = await bench.ask()
    assert (turn.sources, turn.chips, turn.record["label"]) == ([1, 2], ["retention.md"], None)


@pytest.mark.parametrize(("code", "script"), BEFORE)
async def test_before_any_text(code: str, script: Script) -> None:
    """The question is kept; no label stands under an error without text."""
    bench = TurnBench()
    script(bench)
    turn = await bench.ask()
    check_ends_once(turn, code)
    assert (turn.record["answer"], turn.last["label"], turn.sources) == ("", None, [])
    assert len(bench.transport.requests) == 1


@pytest.mark.parametrize(("code", "script"), MIDWAY)
async def test_in_the_text(code: str, script: Script) -> None:
    """All text received is kept, drawn and stored, with the turn's own sources."""
    bench = TurnBench()
    after_a_search(script)(bench)
    turn = await bench.ask()
    check_ends_once(turn, code)
    assert turn.record["answer"] == "90 days [1]"
    assert turn.drawn == turn.record["blocks"]
    assert (turn.sources, turn.chips) == ([1, 2], ["retention.md"])


async def test_calls_of_a_message_that_was_cut_off_are_not_run() -> None:
    """Thousands of calls and the finish reason ``length``: none of them can be trusted to be whole."""
    bench = TurnBench()
    calls = [chat_chunks.call(*SEARCH, identity=f"call_{n}", index=n) for n in range(2_000)]
    bench.transport.reply(*calls, chat_chunks.finish("length"), chat_chunks.DONE)
    turn = await bench.ask()
    check_ends_once(turn, "cut_off")
    assert turn.steps == []


async def test_context_refused_twice() -> None:
    """The history is halved and the request resent once; then the reader is told to start anew."""
    bench = TurnBench()
    for _ in range(4):
        await bench.answered()
    sent = len(bench.transport.requests)
    for _ in range(2):
        bench.transport.reply_status(400, "maximum context length exceeded", code="context_length_exceeded")
    turn = await bench.ask()
    check_ends_once(turn, "context_too_long")
    whole, halved = (body["messages"] for body in bench.transport.bodies[sent:])
    assert len(halved) < len(whole) / 2 + 2
    assert "new conversation" in turn.last["next"]


async def test_context_refused_once() -> None:
    """The halved history is the one that the rest of the turn is asked with."""
    bench = TurnBench()
    for _ in range(4):
        await bench.answered()
    bench.transport.reply_status(400, "maximum context length exceeded", code="context_length_exceeded")
    turn = await bench.answered()
    assert turn.record["status"] == "done"
    assert len(bench.transport.bodies[-1]["messages"]) < len(bench.transport.bodies[-3]["messages"])


async def test_an_answer_is_running() -> None:
    """A second question in the same conversation is refused and not stored; others go on side by side."""
    bench = TurnBench()
    async with bench.store.lock("c1"):
        turn = await bench.ask()
    assert [frame["type"] for frame in turn.frames] == ["turn", "sources", "error"]
    assert (turn.last["code"], turn.last["stored"]) == ("answer_running", False)
    assert await bench.store.turns("c1") == []
    async with bench.store.lock("c2"):
        assert (await bench.answered()).record["status"] == "done"


async def test_an_answer_that_cannot_be_stored_stays_on_screen() -> None:
    """The reader is told; nothing pretends to be saved."""
    bench = TurnBench()
    bench.store.fails = True
    turn = await bench.answered()
    assert (turn.last["code"], turn.last["stored"]) == ("not_saved", False)
    assert "storage is full" in turn.last["message"]
    assert turn.drawn
    assert (turn.sources, turn.record) == ([1, 2], {})


async def test_a_failed_turn_that_cannot_be_stored_says_both() -> None:
    """Its own error comes first."""
    bench = TurnBench()
    bench.store.fails = True
    bench.transport.reply_status(503, "down")
    turn = await bench.ask()
    assert (turn.last["code"], turn.last["stored"]) == ("unavailable", False)
    assert "could not be stored" in turn.last["message"]


async def test_a_conversation_that_a_newer_version_wrote_is_refused() -> None:
    """Nothing is asked, and nothing of it is written over."""
    bench = TurnBench()
    stored = {"id": "t1", "conversation": "c1", "seq": 1, "question": "Q?", "version": 7}
    await bench.store.put_turn(stored)
    turn = await bench.ask()
    assert turn.last["code"] == "not_saved"
    assert "record version 7" in turn.last["message"]
    assert await bench.store.turns("c1") == [stored]
    assert bench.transport.requests == []


async def test_a_mistake_of_our_own_ends_the_turn_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Its kind is named, the traceback is logged, and the text so far is kept."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)

    def broken(query: str) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr(bench.planner, "plan", broken)
    with caplog.at_level(logging.ERROR):
        turn = await bench.ask()
    check_ends_once(turn, "interrupted")
    assert "ZeroDivisionError: a bug" in turn.last["message"]
    assert "Traceback" in caplog.text


async def test_a_mistake_before_the_turn_begins_ends_it_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """A store that cannot even be read."""
    bench = TurnBench()

    async def broken(conversation: str) -> list[dict[str, object]]:
        raise KeyError("seq")

    monkeypatch.setattr(bench.store, "turns", broken)
    frames: list[str] = []

    async def emit(frame: dict[str, object]) -> None:
        frames.append(str(frame["type"]))

    await bench.engine.ask(AskRequest("c1", "Q?"), emit)
    assert frames == ["turn", "sources", "error"]


async def test_a_mistake_at_the_very_end_ends_the_turn_too(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """What was drawn is kept, and stored."""
    bench = TurnBench()

    async def broken(*, fetch: bool) -> None:
        raise ZeroDivisionError("a bug")

    monkeypatch.setattr("ibid.evidence.Evidence.related", lambda self, fetch: broken(fetch=fetch))
    turn = await bench.answered()
    check_ends_once(turn, "interrupted")
    assert turn.record["answer"] == "They are kept for 90 days [1]."


async def test_a_store_that_fails_in_its_own_way_is_not_saved(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    """Whatever it raises."""
    bench = TurnBench()

    async def broken(record: dict[str, object]) -> None:
        raise OSError("disk")

    monkeypatch.setattr(bench.store, "put_turn", broken)
    turn = await bench.answered()
    assert (turn.last["code"], turn.last["stored"]) == ("not_saved", False)


async def test_the_key_is_nowhere_in_frames_or_records() -> None:
    """Not even where the endpoint repeats it."""
    bench = TurnBench()
    bench.transport.reply_status(401, "Incorrect API key provided: sk-test")
    turn = await bench.ask()
    assert "sk-test" not in str(turn.frames) + str(turn.record)
