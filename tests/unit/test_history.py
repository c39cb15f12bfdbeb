"""What is replayed of earlier turns, and what of it goes first: SPEC 4.6."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.conversations import Answer, TurnRecord
from ibid.history import History, without_marks

CALL = {"id": "1", "type": "function", "function": {"name": "search_docs", "arguments": '{"query":"x"}'}}
EXCHANGE: list[dict[str, Any]] = [
    {"role": "assistant", "content": "", "tool_calls": [CALL]},
    {"role": "tool", "tool_call_id": "1", "content": "passage [1]"},
]


def turn(n: int, answer: str = "", status: Any = "done", **fields: Any) -> TurnRecord:
    shown = Answer(status, answer=answer or f"A{n} [1].", exchange=EXCHANGE, **fields)
    return TurnRecord(f"t{n}", "c1", n, f"Q{n}", 0.0, (shown,))


def replayed(turns: list[TurnRecord], messages: int = 20, chars: int = 32_000) -> list[str]:
    """Contents, with ``calls`` and ``result`` for the messages of a tool exchange."""
    names = {"tool": "result"}
    return [
        "calls" if "tool_calls" in message else names.get(message["role"], message["content"])
        for message in History(turns, messages, chars).messages()
    ]


def test_the_exchange_stands_just_before_the_previous_answer() -> None:
    """Of the last answer only; marks go from every answer but that one."""
    assert replayed([turn(1), turn(2)]) == ["Q1", "A1.", "Q2", "calls", "result", "A2 [1]."]


def test_a_failed_turn_replays_only_its_question() -> None:
    """It is no answer, so the exchange is the one of the answer before it."""
    failed = turn(2, "Half [1]", "failed")
    assert replayed([turn(1), failed]) == ["Q1", "calls", "result", "A1 [1].", "Q2"]


def test_a_stopped_answer_says_so_to_the_model() -> None:
    """In a line before it."""
    stopped = replayed([turn(1, "Half [1]", "stopped", stopped=True)])[-1]
    assert stopped == "(The reader stopped this answer before it was finished.)\n\nHalf [1]"


def test_at_most_twenty_stored_messages_in_whole_pairs() -> None:
    """The exchange is no stored message; an odd number leaves no half pair."""
    turns = [turn(n) for n in range(1, 31)]
    assert replayed(turns)[0] == "Q21"
    assert replayed(turns, messages=5)[0] == "Q29"
    assert replayed(turns, messages=1) == replayed(turns, messages=0) == []


def test_over_budget_the_exchange_goes_first_then_the_oldest_pairs() -> None:
    """Never half a message; a turn that is too long alone leaves nothing."""
    turns = [turn(1, "a" * 98), turn(2, "b" * 98)]
    size = 200 + len('search_docs{"query":"x"}passage [1]')
    assert "calls" in replayed(turns, chars=size)
    assert replayed(turns, chars=size - 1) == ["Q1", "a" * 98, "Q2", "b" * 98]
    assert replayed(turns, chars=199) == ["Q2", "b" * 98]
    assert replayed(turns, chars=99) == []


def test_an_endpoint_without_tools_sees_no_tool_messages() -> None:
    """It would refuse them."""
    history = History([turn(1)], 20, 32_000, with_exchange=False)
    assert [message["role"] for message in history.messages()] == ["user", "assistant"]


def test_halving_keeps_the_newer_half() -> None:
    """Down to nothing."""
    history = History([turn(n, "x" * 100) for n in range(1, 5)], 20, 32_000)
    halved = history.halved()
    assert [m["content"] for m in halved.messages() if m["role"] == "user"] == ["Q3", "Q4"]
    assert halved.halved().halved().messages() == []


@pytest.mark.parametrize(
    ("text", "without"),
    [
        ("Kept 90 days [1][3], then [4, 6] thinned [2，5].", "Kept 90 days, then thinned."),
        ("# Limits [2]\n\n- a [1]\n- b", "# Limits\n\n- a\n- b"),
        ("| a | b |\n|---|---|\n| x [1] | y |", "| a | b |\n|---|---|\n| x | y |"),
        (r"Escaped \[2\].", "Escaped."),
        ("Code `x[1]` and\n\n```\nd[0] [1]\n```", "Code `x[1]` and\n\n```\nd[0] [1]\n```"),
        ("A [link [1]](https://a.example) [1](https://b.example)", None),
        ("No marks: [a] [0] [1", None),
        ("Half escaped [1\\] and \\[2], named [3&#93; &lbrack;4&rsqb;.", "Half escaped and, named."),
        ("Nested [1[1]] d.", "Nested d."),
    ],
)
def test_marks_are_taken_out_and_nothing_else(text: str, without: str | None) -> None:
    """Old numbers must not leak: they would open the last answer's passages."""
    assert without_marks(text) == (text if without is None else without)
