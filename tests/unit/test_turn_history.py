"""What a turn sends of the turns before it: SPEC 4.6, through the engine."""

from __future__ import annotations

from ibid.models import Endpoint
from ibid.settings import Settings
from ibid.turn import AskRequest
from turn_bench import ENDPOINT, TurnBench


def roles(bench: TurnBench, request: int) -> list[str]:
    return [message["role"] for message in bench.transport.bodies[request]["messages"]]


async def test_the_previous_tool_exchange_is_replayed() -> None:
    """In full, with its passages, just before the answer; the one before that is not."""
    bench = TurnBench()
    await bench.answered("Kept 90 days [1].")
    await bench.answered("Longer with `keep_days` [2].")
    await bench.answered()
    messages = bench.transport.bodies[4]["messages"]
    assert [m["role"] for m in messages] == [
        *("system", "user", "assistant", "user", "assistant", "tool", "assistant", "user"),
    ]
    assert messages[2]["content"] == "Kept 90 days."
    assert "passage [1]" in messages[5]["content"]
    assert messages[6]["content"] == "Longer with `keep_days` [2]."


async def test_what_was_sent_back_is_not_replayed() -> None:
    """Only calls and their results are part of the exchange."""
    bench = TurnBench()
    bench.transport.reply_text("Sent back.")
    await bench.answered()
    await bench.answered()
    assert roles(bench, 3) == ["system", "user", "assistant", "tool", "assistant", "user"]


async def test_the_history_keeps_its_budget() -> None:
    """The current question goes out whatever its size."""
    bench = TurnBench(settings=Settings(history_chars=40))
    await bench.answered()
    await bench.answered("x" * 50)
    bench.transport.reply_text("Sent back.")
    bench.transport.reply_text("So.")
    await bench.ask("y" * 100)
    assert roles(bench, 4) == ["system", "user"]


async def test_a_preview_is_the_request_that_would_be_sent() -> None:
    """It sends nothing, stores nothing, and is followed by that very request."""
    bench = TurnBench()
    await bench.answered()
    shown = await bench.preview("And then?")
    assert shown is not None
    assert (len(bench.transport.requests), len(await bench.store.turns("c1"))) == (2, 1)
    bench.transport.reply_text("Sent back.")
    bench.transport.reply_text("So.")
    await bench.ask("And then?")
    sent = bench.transport.bodies[2]["messages"]
    assert shown.messages[1:] == sent[1:]
    assert shown.host == "llm.example"
    assert 100 < shown.tokens < 5_000


async def test_a_preview_of_a_one_shot_request_shows_the_passages() -> None:
    """They would be sent with it."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text("90 days [1].")
    await bench.ask()
    shown = await bench.preview()
    assert shown is not None
    assert "Raw readings are kept" in shown.messages[-1]["content"]


async def test_nothing_is_previewed_where_nothing_would_be_sent() -> None:
    """No endpoint, one out of reach, or a one-shot question that is deflected by its search."""
    bench = TurnBench()
    assert await bench.preview(endpoint=None) is None
    assert await bench.preview(endpoint=Endpoint(ENDPOINT.base_url, "m"), offline=True) is None
    bench.refuse_tools()
    bench.transport.reply_text("90 days [1].")
    await bench.ask()
    bench.transport.reply_text("NEW_QUESTION")
    await bench.ask("And the moon?")
    fresh = AskRequest("c2", "And the moon?", ENDPOINT)
    assert await bench.engine.preview(fresh) is None
