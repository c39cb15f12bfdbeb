"""The tool loop: SPEC 4.2."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ibid.errors import IndexInvalid
from ibid.settings import Settings
from turn_bench import QUESTION, RETENTION, TurnBench

SEARCH = ("search_docs", {"query": QUESTION})
NO_EVIDENCE = ("no_evidence_needed", {"reason": "restates"})


def tool_results(body: dict[str, Any]) -> list[str]:
    return [message["content"] for message in body["messages"] if message["role"] == "tool"]


async def test_searches_then_answers_with_marks() -> None:
    """The model sees the numbered passages of cited pages only; its answer's marks open them."""
    bench = TurnBench()
    turn = await bench.answered()
    (found,) = tool_results(bench.transport.bodies[1])
    assert all(text in found for text in RETENTION)
    assert "passage [1]" in found
    assert "passage [2]" in found
    assert "tidewatch export" not in found
    assert [frame["type"] for frame in turn.frames] == [
        "turn",
        "mode",
        "step",
        "sources",
        "answer",
        "sources",
        "done",
    ]
    assert turn.record["mode"] == "agent"
    assert turn.record["answer"] == "They are kept for 90 days [1]."
    assert (turn.sources, turn.chips, turn.related) == ([1, 2], ["retention.md"], ["export.md"])
    assert turn.record["label"] is None


async def test_tool_choice_is_required_until_a_tool_has_run() -> None:
    """A malformed call is no tool that has run."""
    bench = TurnBench()
    bench.transport.reply_calls(("search_docs", {}))
    await bench.answered()
    choices = [body.get("tool_choice") for body in bench.transport.bodies]
    assert choices == ["required", "required", None]
    assert all("tools" in body for body in bench.transport.bodies)


async def test_text_only_first_reply_is_sent_back_once_then_accepted() -> None:
    """A model that calls no tool is asked once to call one; a second text is the answer."""
    bench = TurnBench()
    bench.transport.reply_text("From memory: 30 days.")
    bench.transport.reply_text("I said: 30 days.")
    turn = await bench.ask()
    assert turn.record["status"] == "done"
    assert turn.record["answer"] == "I said: 30 days."
    assert turn.drawn == turn.record["blocks"]
    assert turn.record["label"] == "No sources cited"
    asked_again = bench.transport.bodies[1]["messages"][-2:]
    assert asked_again[0] == {"role": "assistant", "content": "From memory: 30 days."}
    assert "have not called a tool" in asked_again[1]["content"]


async def test_text_after_a_malformed_first_call_is_accepted() -> None:
    """Only the first reply is sent back for want of a tool call."""
    bench = TurnBench()
    bench.transport.reply_calls(("search_docs", {}))
    bench.transport.reply_text("Never mind.")
    assert (await bench.ask()).record["answer"] == "Never mind."


@pytest.mark.parametrize("blank", [(), ("  \n",), ("<think>hm</think>",)])
async def test_an_empty_reply_is_asked_again_once(blank: tuple[str, ...]) -> None:
    """Blank, or reasoning only: asked again once, then an error."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text(*blank)
    bench.transport.reply_text("90 days [1].")
    assert (await bench.ask()).record["status"] == "done"
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text(*blank)
    bench.transport.reply_text(*blank)
    turn = await bench.ask()
    assert (turn.last["type"], turn.last["code"]) == ("error", "empty_answer")
    assert turn.sources == [1, 2]


async def test_a_body_of_no_bytes_is_an_empty_reply() -> None:
    """Some model servers answer an over-long prompt with nothing at all."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply()
    bench.transport.reply_text("90 days [1].")
    assert (await bench.ask()).record["status"] == "done"


WRITTEN_CALL = ("Let me ", "look.\n<tool_", 'call>\n{"name": "search_docs", "arguments"', ': {"query": "x"}}')


async def test_a_tool_call_written_as_text_is_held_back_and_sent_back_once() -> None:
    """Its markup is never drawn; the model is told once, and may then answer. It leaves no step."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text(*WRITTEN_CALL)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.ask()
    assert turn.record["answer"] == "90 days [1]."
    assert turn.steps == ["search"]
    assert "tool_call" not in json.dumps(turn.frames)
    assert "written as text" in bench.transport.bodies[2]["messages"][-1]["content"]


async def test_a_second_written_call_is_the_error_tool_text() -> None:
    """The prose before it is kept."""
    bench = TurnBench()
    bench.transport.reply_text(*WRITTEN_CALL)
    bench.transport.reply_text(*WRITTEN_CALL)
    turn = await bench.ask()
    assert turn.last["code"] == "tool_text"
    assert turn.record["answer"].strip() == "Let me look."


async def test_a_fenced_example_of_a_tool_call_is_prose() -> None:
    """An answer about tool calls may show one."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    text = 'Write:\n\n```\n<tool_call>\n{"name": "search_docs"}\n```\n\nand `<tool_call>{}` inline [1].'
    bench.transport.reply_text(text)
    turn = await bench.ask()
    assert turn.record["answer"] == text
    assert turn.record["status"] == "done"


@pytest.mark.parametrize(
    ("name", "arguments", "sentence"),
    [
        ("search_docs", "{", "no readable JSON object"),
        ("search_docs", {}, "'query' is missing"),
        ("search_docs", {"query": ["x"]}, "must be a string, and is an array"),
        ("search_docs", {"query": " "}, "'query' is empty"),
        ("search_docs", {"query": {"text": "x"}}, "must be a string, and is an object"),
        ("read_page", {"path": None}, "must be a string, and is null"),
        ("read_page", {"path": 3}, "must be a string, and is a number"),
        ("read_page", {"path": True}, "must be a string, and is a boolean"),
        ("open_page", {"path": "retention.md"}, "no tool of that name"),
    ],
)
async def test_a_malformed_call_is_not_run(name: str, arguments: Any, sentence: str) -> None:
    """The model gets a sentence that says what was wrong, the reader a step; nothing is searched instead."""
    bench = TurnBench()
    bench.transport.reply_calls((name, arguments))
    bench.transport.reply_text("I could not look it up.")
    turn = await bench.ask()
    assert sentence in tool_results(bench.transport.bodies[1])[0]
    assert turn.steps == ["refused"]
    assert bench.planner.queries == []
    call = bench.transport.bodies[1]["messages"][-2]["tool_calls"][0]
    json.loads(call["function"]["arguments"])


async def test_a_malformed_no_evidence_needed_leaves_no_step() -> None:
    """The model is told, the reader need not be."""
    bench = TurnBench()
    bench.transport.reply_calls(("no_evidence_needed", {}))
    bench.transport.reply_text("Hello.")
    turn = await bench.ask("Hi")
    assert "'reason' is missing" in tool_results(bench.transport.bodies[1])[0]
    assert turn.steps == []


async def test_parallel_calls_are_numbered_in_call_order() -> None:
    """Each result goes back under its own id."""
    bench = TurnBench()
    bench.planner.find("floods", ("alerts.md", 0.6))
    bench.transport.reply_calls(("search_docs", {"query": "floods"}), SEARCH)
    bench.transport.reply_text("Both [1][2].")
    turn = await bench.ask()
    assert turn.chips == ["alerts.md", "retention.md"]
    results = [m for m in bench.transport.bodies[1]["messages"] if m["role"] == "tool"]
    assert [m["tool_call_id"] for m in results] == ["call_1", "call_2"]
    assert "flood_level_m" in results[0]["content"]


async def test_equal_calls_are_answered_once() -> None:
    """In one message and across rounds; the repeated call finds a note, not the passages again."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH, SEARCH)
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.ask()
    assert bench.planner.queries == [QUESTION]
    assert turn.steps == ["search"]
    assert ["this very call before" in result for result in tool_results(bench.transport.bodies[2])] == [
        False,
        True,
        True,
    ]


async def test_at_the_cap_of_rounds_one_tool_free_request_is_made() -> None:
    """A model that searches for ever is asked to answer from what it has."""
    bench = TurnBench(settings=Settings(max_tool_rounds=2))
    for _ in range(2):
        bench.transport.reply_calls(SEARCH)
    bench.transport.reply_text("90 days [1].")
    turn = await bench.ask()
    assert ["tools" in body for body in bench.transport.bodies] == [True, True, False]
    assert turn.record["status"] == "done"


async def test_at_the_cap_of_calls_the_rest_is_dropped() -> None:
    """Of thousands of calls in one message eight are answered; the history holds those and no more."""
    bench = TurnBench()
    calls = [("search_docs", {"query": f"q{n}"}) for n in range(300)]
    bench.transport.reply_calls(*calls)
    bench.transport.reply_text("Nothing in there.")
    turn = await bench.ask()
    assert bench.planner.queries == [f"q{n}" for n in range(8)]
    assert "tools" not in bench.transport.bodies[1]
    assert len(tool_results(bench.transport.bodies[1])) == 8
    assert turn.record["steps"][-1]["text"].startswith("292 more calls")


async def test_calls_without_tools_offered_are_not_run() -> None:
    """A tool-free request that is answered with a call anyway counts as empty."""
    bench = TurnBench(settings=Settings(max_tool_rounds=1))
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_calls(("search_docs", {"query": "more"}))
    bench.transport.reply_text("90 days [1].")
    turn = await bench.ask()
    assert bench.planner.queries == [QUESTION]
    assert turn.record["status"] == "done"


async def test_words_before_a_tool_call_give_way_to_the_answer() -> None:
    """They are drawn as they come, and replaced once the answer begins."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH, before=["I will look."])
    bench.transport.reply_text("90 days [1].")
    turn = await bench.ask()
    drawn = [frame["blocks"] for frame in turn.of_type("answer")]
    assert "I will look." in json.dumps(drawn[0])
    assert turn.record["answer"] == "90 days [1]."
    assert turn.drawn == turn.record["blocks"]


async def test_a_read_page_is_cited_and_leaves_related() -> None:
    """Read passages are numbered and ``via`` read; the page is no longer nearby."""
    bench = TurnBench()
    bench.transport.reply_calls(SEARCH)
    bench.transport.reply_calls(("read_page", {"path": "export.md"}))
    bench.transport.reply_text("One row a minute [3].")
    turn = await bench.ask()
    assert turn.chips == ["retention.md", "export.md"]
    assert turn.related == []
    assert [source["via"] for source in turn.record["sources"]] == ["search", "search", "read"]
    assert turn.record["sources"][2]["cosine"] is None


async def test_read_page_keeps_its_budget() -> None:
    """What does not fit in 24,000 characters is neither shown nor numbered; one line says how much it is."""
    bench = TurnBench({"long.md": ["a" * 10_000, "b" * 14_000, "c" * 5, "d" * 7]})
    bench.transport.reply_calls(("read_page", {"path": "long.md"}))
    bench.transport.reply_text("Long [1].")
    turn = await bench.ask()
    assert turn.sources == [1, 2]
    (page,) = tool_results(bench.transport.bodies[1])
    assert "(2 more passages of this page, 12 characters, left out" in page
    assert "ccccc" not in page


async def test_a_page_whose_first_passage_is_over_budget_is_not_read() -> None:
    """Nothing is registered, so the page is not cited."""
    bench = TurnBench({"long.md": ["a" * 24_001]})
    bench.transport.reply_calls(("read_page", {"path": "long.md"}))
    bench.transport.reply_text("Too long.")
    turn = await bench.ask()
    assert (turn.steps, turn.sources, turn.chips) == (["read"], [], [])
    assert tool_results(bench.transport.bodies[1])[0].startswith("(1 more passage of this page, 24,001")


async def test_a_page_that_does_not_exist_is_said_to_the_model() -> None:
    """It leaves a step and registers nothing."""
    bench = TurnBench()
    bench.transport.reply_calls(("read_page", {"path": "nowhere.md"}))
    bench.transport.reply_text("There is no such page.")
    turn = await bench.ask()
    assert "no page 'nowhere.md'" in tool_results(bench.transport.bodies[1])[0]
    assert (turn.steps, turn.sources, turn.record["status"]) == (["read"], [], "done")


async def test_no_evidence_needed_leaves_no_step() -> None:
    """Small talk is answered without a trace."""
    bench = TurnBench()
    bench.transport.reply_calls(NO_EVIDENCE)
    bench.transport.reply_text("You are welcome.")
    turn = await bench.ask("Thanks")
    assert (turn.steps, turn.sources, turn.record["label"]) == ([], [], "No sources cited")


async def test_a_search_that_does_not_pass_deflects() -> None:
    """The model's words are kept under the label; at most two pages are nearby, none is cited."""
    bench = TurnBench()
    bench.planner.find("x", ("radio.md", 0.2), ("export.md", 0.1), ("alerts.md", 0.1))
    bench.transport.reply_calls(("search_docs", {"query": "x"}))
    bench.transport.reply_text("The documentation does not say.")
    turn = await bench.ask("x")
    assert "Nothing relevant" in tool_results(bench.transport.bodies[1])[0]
    assert (turn.last["status"], turn.last["deflected"]) == ("deflected", True)
    assert (turn.sources, turn.chips, turn.related) == ([], [], ["radio.md", "export.md"])
    assert turn.record["answer"] == "The documentation does not say."
    assert turn.record["label"] == "No sources cited"


async def test_texts_that_cannot_be_had_end_the_turn() -> None:
    """The search is a step; the error says what is damaged."""
    bench = TurnBench()
    bench.index.damaged = True
    bench.transport.reply_calls(SEARCH)
    turn = await bench.ask()
    assert turn.last["code"] == IndexInvalid.code
    assert turn.steps == ["search"]


async def test_provider_marks_are_rewritten_when_they_can_be_meant() -> None:
    """``【1†source】`` is ``[1]`` once 1 is registered; a number that is not stays as it is."""
    bench = TurnBench()
    turn = await bench.answered("90 days 【1†source】, not 【7】.")
    assert turn.record["answer"] == "90 days [1], not 【7】."
    assert turn.of_type("sources")[-1]["chips"][0]["numbers"] == [1]
