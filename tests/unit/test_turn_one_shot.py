"""Answers by an endpoint that takes no tools, and how that is found out: SPEC 4.2 and 4.3."""

from __future__ import annotations

import pytest

from ibid.models import Endpoint
from turn_bench import ENDPOINT, QUESTION, TurnBench

TOKEN = "NEW_QUESTION"


async def one_shot_bench(answer: str = "For 90 days [1].") -> TurnBench:
    """A bench whose endpoint is known to take no tools, with one answered turn."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text(answer)
    await bench.ask()
    bench.frames.clear()
    return bench


async def test_a_refused_tool_choice_is_left_out() -> None:
    """400 on the first request: the same one again without it, and the turn stays in agent mode."""
    bench = TurnBench()
    bench.transport.reply_status(400, "Unsupported parameter: tool_choice")
    turn = await bench.answered()
    first, second, _ = bench.transport.bodies
    assert first.pop("tool_choice") == "required"
    assert first == second
    assert turn.record["mode"] == "agent"
    await bench.answered()
    assert "tool_choice" not in bench.transport.bodies[3]


async def test_refused_tools_make_the_turn_one_shot_and_are_remembered() -> None:
    """The passages go into the one request; the next turn asks without tools at once."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text("For 90 days [1].")
    turn = await bench.ask()
    assert ["tools" in body for body in bench.transport.bodies] == [True, True, False]
    assert "90 days. After that" in bench.transport.bodies[2]["messages"][-1]["content"]
    assert [frame["mode"] for frame in turn.of_type("mode")] == ["one-shot"]
    assert (turn.sources, turn.chips, turn.steps) == ([1, 2], ["retention.md"], ["search"])
    bench.transport.reply_text("Again: 90 days [1].")
    turn = await bench.ask()
    assert turn.of_type("turn")[0]["mode"] == "one-shot"
    assert len(bench.transport.requests) == 4


async def test_another_model_at_the_same_address_is_asked_anew() -> None:
    """What was learned is kept per base URL and model."""
    bench = await one_shot_bench()
    bench.transport.reply_text("Sent back.")
    bench.transport.reply_text("Hello.")
    await bench.ask("Hello", Endpoint(ENDPOINT.base_url, "other", "sk-test"))
    assert bench.transport.bodies[-1]["tools"]


async def test_refused_in_every_form_is_rejected_and_nothing_is_remembered() -> None:
    """Then it was not the tools."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_status(400, "No such luck")
    turn = await bench.ask()
    assert turn.last["code"] == "rejected"
    assert "No such luck" in turn.last["message"]
    await bench.answered()
    assert bench.transport.bodies[3]["tool_choice"] == "required"


@pytest.mark.parametrize(
    ("status", "message", "code"),
    [
        (401, "bad key", "unauthorized"),
        (402, "pay", "out_of_credit"),
        (429, "slow down", "rate_limited"),
        (500, "boom", "rejected"),
        (503, "down", "unavailable"),
        (404, "no such path", "rejected"),
        (400, "Incorrect API key provided", None),
        (400, "The model `x` does not exist", None),
        (400, "You exceeded your current quota", None),
    ],
)
async def test_no_other_failure_degrades(status: int, message: str, code: str | None) -> None:
    """Only a 400 or 422 about the request itself is tried again in a plainer form."""
    bench = TurnBench()
    bench.transport.reply_status(status, message)
    turn = await bench.ask()
    assert len(bench.transport.requests) == 1
    assert turn.last["type"] == "error"
    assert code in (None, turn.last["code"])


async def test_a_refusal_after_the_first_reply_does_not_degrade() -> None:
    """Tools were taken once, so the refusal is about something else."""
    bench = TurnBench()
    bench.transport.reply_calls(("search_docs", {"query": QUESTION}))
    bench.transport.reply_status(400, "bad request")
    turn = await bench.ask()
    assert (turn.last["code"], turn.sources) == ("rejected", [1, 2])


@pytest.mark.parametrize(
    "reply",
    [(TOKEN,), ("NEW_", "QUEST", "ION"), (f"**{TOKEN}**",), (f"`{TOKEN.lower()}`.",), (f"{TOKEN}\nBut…",)],
)
async def test_on_the_token_a_short_follow_up_is_rewritten(reply: tuple[str, ...]) -> None:
    """The token is never drawn; the last question's words are added, and the search passes."""
    bench = await one_shot_bench()
    bench.planner.find(f"{QUESTION} And floods?", ("alerts.md", 0.7))
    bench.transport.reply_text(*reply)
    bench.transport.reply_text("Set `flood_level_m` [1].")
    turn = await bench.ask("And floods?")
    assert turn.chips == ["alerts.md"]
    assert turn.steps == ["search", "search"]
    assert turn.record["answer"] == "Set `flood_level_m` [1]."
    assert turn.record["inherited_from"] is None
    assert TOKEN not in str(turn.frames)


async def test_on_the_token_without_anything_found_the_turn_is_deflected() -> None:
    """Ibid's own text; no model text; both searches are steps."""
    bench = await one_shot_bench()
    bench.planner.find("And the moon?", ("radio.md", 0.2))
    bench.transport.reply_text(TOKEN)
    turn = await bench.ask("And the moon?")
    assert turn.record["answer"] == "The documentation does not cover this."
    assert (turn.last["status"], turn.sources, turn.related) == ("deflected", [], ["radio.md"])
    assert turn.steps == ["search", "search"]
    assert turn.record["label"] == "No sources cited"


async def test_a_long_question_is_not_rewritten() -> None:
    """It says itself what it is about."""
    bench = await one_shot_bench()
    bench.transport.reply_text(TOKEN)
    question = "Which phase of the moon gives the very highest tides here in spring?"
    turn = await bench.ask(question)
    assert bench.planner.queries[1:] == [question]
    assert turn.record["status"] == "deflected"


async def test_without_a_previous_answer_no_request_is_made() -> None:
    """There is nothing to restate: deflected by the search alone."""
    bench = TurnBench()
    bench.refuse_tools()
    turn = await bench.ask("And the moon?")
    assert len(bench.transport.requests) == 2
    assert turn.record["status"] == "deflected"


async def test_the_request_to_restate_shows_the_previous_exchange_and_no_passages() -> None:
    """The answer with its marks, and no tool messages, which this endpoint would refuse."""
    bench = await one_shot_bench()
    bench.transport.reply_text("90 days [1].")
    await bench.ask("Shorter")
    messages = bench.transport.bodies[-1]["messages"]
    assert [message["role"] for message in messages] == ["system", "user", "assistant", "user"]
    assert messages[2]["content"] == "For 90 days [1]."
    assert "passage [" not in str(messages)


async def test_the_beginning_of_a_reply_is_held_until_it_cannot_be_the_token() -> None:
    """Then all of it is drawn."""
    bench = await one_shot_bench()
    bench.transport.reply_text("NEW", "_", "er readings: 90 days [1].")
    turn = await bench.ask("Shorter")
    assert turn.record["answer"] == "NEW_er readings: 90 days [1]."
    assert turn.sources == [1]


async def test_stopped_while_held_back_the_reply_is_no_text() -> None:
    """Nobody knows yet whether it is the token."""
    bench = await one_shot_bench()
    _, gate = bench.transport.reply_held("NEW_Q")
    turn = await bench.stopped_at(gate, "Shorter")
    assert (turn.record["status"], turn.record["answer"], turn.steps) == ("stopped", "", [])


async def test_an_empty_reply_is_asked_again_once() -> None:
    """As in the tool loop."""
    bench = TurnBench()
    bench.refuse_tools()
    bench.transport.reply_text()
    bench.transport.reply_text("For 90 days [1].")
    assert (await bench.ask()).record["status"] == "done"
    bench.transport.reply_text()
    bench.transport.reply_text()
    assert (await bench.ask()).last["code"] == "empty_answer"
