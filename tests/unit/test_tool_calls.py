"""Which call a streamed piece continues, and what of a call may be run."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.tool_calls import ToolCall, ToolCallAssembler


def entry(arguments: Any = "", *, id: Any = None, index: Any = None, name: Any = None) -> dict[str, Any]:  # noqa: A002
    function = {"arguments": arguments} | ({"name": name} if name is not None else {})
    fields = {"id": id, "index": index}
    return {"function": function} | {key: value for key, value in fields.items() if value is not None}


def assemble(*entries: Any) -> list[tuple[str, str, str]]:
    assembler = ToolCallAssembler()
    for one in entries:
        assembler.feed([one])
    return [(call.id, call.name, call.arguments) for call in assembler.calls()]


ASSEMBLED: dict[str, tuple[list[Any], list[tuple[str, str, str]]]] = {
    "pieces joined by index": (
        [
            entry("", id="a", index=0, name="read_page"),
            entry('{"path":', index=0),
            entry("", id="b", index=1, name="search_docs"),
            entry('"x"}', index=0),
            entry("{}", index=1),
        ],
        [("a", "read_page", '{"path":"x"}'), ("b", "search_docs", "{}")],
    ),
    "no index, new ids": (
        [entry("{}", id="a", name="f"), entry('{"q":', id="b", name="f"), entry("1}")],
        [("a", "f", "{}"), ("b", "f", '{"q":1}')],
    ),
    "one index for all, different ids": (
        [entry("{}", id="a", index=0, name="f"), entry("{}", id="b", index=0, name="g")],
        [("a", "f", "{}"), ("b", "g", "{}")],
    ),
    "one id for all, different indexes": (
        [entry("{}", id="a", index=0, name="f"), entry("{}", id="a", index=1, name="g")],
        [("a", "f", "{}"), ("call_2", "g", "{}")],
    ),
    "no ids, different indexes": (
        [entry("{}", index=0, name="f"), entry("{}", index=1, name="g")],
        [("call_1", "f", "{}"), ("call_2", "g", "{}")],
    ),
    "neither ids nor indexes, whole calls": (
        [entry("{}", name="f"), entry("{}", name="f"), entry("{}", name="g")],
        [("call_1", "f", "{}"), ("call_2", "f", "{}"), ("call_3", "g", "{}")],
    ),
    "one id and one index for all, whole calls": (
        [entry("{}", id="a", index=0, name="f"), entry("{}", id="a", index=0, name="f")],
        [("a", "f", "{}"), ("call_2", "f", "{}")],
    ),
    "id and name repeated in every piece": (
        [entry(piece, id="a", index=0, name="f") for piece in ('{"q"', ":", '{"b":', "1}", "}", "")],
        [("a", "f", '{"q":{"b":1}}')],
    ),
    "the index comes only with the second piece": (
        [entry('{"q":', id="a", name="f"), entry("1}", index=0)],
        [("a", "f", '{"q":1}')],
    ),
    "the id comes only with the second piece": (
        [entry('{"q":', index=0, name="f"), entry("1}", id="a", index=0)],
        [("a", "f", '{"q":1}')],
    ),
    "a made-up id is not one that the endpoint uses": (
        [entry("{}", index=0, name="f"), entry("{}", id="call_1", index=1, name="g")],
        [("call_1_", "f", "{}"), ("call_1", "g", "{}")],
    ),
    "arguments as an object, as null; an id as a number": (
        [entry({"q": "é"}, id=7, index=0, name="f"), entry(None, id="b", index=1, name="g")],
        [("7", "f", '{"q": "é"}'), ("b", "g", "")],
    ),
    "a name in two pieces": (
        [entry("", id="a", index=0, name="search_"), entry("", index=0, name="docs"), entry("{}", index=0)],
        [("a", "search_docs", "{}")],
    ),
    "what is no call": (
        [None, 5, "x", {"function": None, "id": None}],
        [("call_1", "", "")],
    ),
}


@pytest.mark.parametrize("name", ASSEMBLED)
def test_puts_calls_together(name: str) -> None:
    """However ids and indexes are given, each call is one, in order, with an id of its own."""
    entries, calls = ASSEMBLED[name]
    assert assemble(*entries) == calls


@pytest.mark.parametrize("entries", [None, {}, "x", 5])
def test_passes_over_what_is_no_list(entries: object) -> None:
    """``tool_calls: null`` is what most endpoints send in most chunks."""
    assembler = ToolCallAssembler()
    assembler.feed(entries)
    assert not assembler


@pytest.mark.parametrize(
    ("arguments", "values"),
    [
        ("", {}),
        (" \n", {}),
        ("{}", {}),
        ('{"q": "a"}', {"q": "a"}),
        ('{"q": "\\ud83d\\ude00 \\ud83d"}', {"q": "😀 \ufffd"}),
        ('{"q": "set', None),
        ('{"q": 1}}', None),
        ("[1]", None),
        ("null", None),
        ("query", None),
        ("[" * 100_000, None),
    ],
)
def test_reads_arguments_or_says_that_they_are_unreadable(arguments: str, values: object) -> None:
    """Nothing means no arguments; half an object is never repaired."""
    assert ToolCall("a", "f", arguments).values == values


def test_goes_back_into_the_history_readable() -> None:
    """A call is replayed as it came, with what its provider wants back; broken arguments are not."""
    extra = {"extra_content": {"google": {"thought_signature": "s"}}}
    assembler = ToolCallAssembler()
    assembler.feed(
        [entry('{"q":"a"}', id="a", index=0, name="f") | extra, entry('{"q', id="b", index=1, name="g")]
    )
    whole, broken = (call.as_dict() for call in assembler.calls())
    function = {"name": "f", "arguments": '{"q":"a"}'}
    assert whole == {"id": "a", "type": "function", "function": function} | extra
    assert broken["function"] == {"name": "g", "arguments": "{}"}


def test_thousands_of_calls_are_no_burden() -> None:
    """A collapsing model's calls are all delivered; the turn engine caps them."""
    calls = assemble(*(entry('{"query": "x"}', id=f"k{n}", index=n, name="search_docs") for n in range(2000)))
    assert len(calls) == 2000
