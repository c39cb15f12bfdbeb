"""Whatever bytes come, cut wherever: the same events, the same completion, and never a crash."""

from __future__ import annotations

import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid.chat_stream import Completion, CompletionReader, ReasoningDelta, TextDelta
from ibid.endpoint_errors import status_error
from ibid.errors import TurnError
from ibid.model_text import PrivateMarks, ThinkingSpans
from ibid.models import Endpoint
from ibid.sse import EventDecoder, ServerSentEvent
from ibid.tool_calls import ToolCallAssembler

PIECES = [
    "\n",
    "\n\n",
    " ",
    "é",
    "İ",
    "\u212a",
    "\ue200",
    "\ue201",
    "\ue202",
    "\uf8ff",
    "\U000f0000",
    "\ud83d",
    "\ude00",
]
PIECES += ["<think>", "</think>", "<THINKING>", "</thinking>", "<", "/", "think", ">", "`", "```", "a"]
PIECES += ["x" * 150]
written = st.lists(st.sampled_from(PIECES), max_size=25).map("".join)

FIELDS = [
    b"data:",
    b"data: ",
    b"event: x",
    b":",
    b"\n",
    b"\r",
    b"\r\n",
    b"a",
    "é🌍".encode(),
    b"\xff",
    b"\xef\xbb\xbf",
]
lines = st.lists(st.sampled_from(FIELDS), max_size=30).map(b"".join)

NAMES = [
    "choices",
    "delta",
    "message",
    "content",
    "text",
    "type",
    "thinking",
    "reasoning",
    "tool_calls",
    "function",
    "name",
    "arguments",
    "id",
    "index",
    "finish_reason",
    "usage",
    "error",
    "refusal",
    "object",
    "extra_content",
]
scalar = st.sampled_from([None, True, -1, 0, 1, 2.5, "", "a", "k1", '{"q":', "1}", "{}", "stop"])
anything = st.recursive(
    scalar,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(NAMES), inner, max_size=4),
    max_leaves=12,
)
function = st.fixed_dictionaries({"name": scalar, "arguments": scalar | anything})
entry = st.fixed_dictionaries({"function": function}, optional={"id": scalar, "index": scalar})
delta = st.fixed_dictionaries(
    {}, optional={"content": written | anything, "tool_calls": st.lists(entry, max_size=3)}
)
choice = st.fixed_dictionaries({"delta": delta}, optional={"finish_reason": scalar})
chunk = anything | st.fixed_dictionaries({"choices": st.lists(choice, max_size=2)})
cuts = st.lists(st.integers(0, 200), max_size=6)
every = list(range(5000))


def cut(whole: Any, cuts: list[int]) -> list[Any]:
    at = [0, *sorted(min(c, len(whole)) for c in cuts), len(whole)]
    return [whole[a:b] for a, b in pairwise(at)]


def events(body: bytes, cuts: list[int]) -> list[ServerSentEvent]:
    decoder = EventDecoder()
    return [event for piece in cut(body, cuts) for event in decoder.feed(piece)]


@given(lines | st.binary(max_size=80), cuts)
def test_events_do_not_depend_on_the_cuts(body: bytes, at: list[int]) -> None:
    """Bytes to events."""
    whole = events(body, [])
    assert events(body, at) == events(body, every) == whole


@given(written, cuts)
def test_text_filters_do_not_depend_on_the_cuts(text: str, at: list[int]) -> None:
    """Reasoning and private marks; what is left can be encoded and is free of private use."""

    def spans(pieces: list[str]) -> tuple[str, str]:
        filter_ = ThinkingSpans()
        parts = [*map(filter_.feed, pieces), filter_.close()]
        return "".join(a for a, _ in parts), "".join(r for _, r in parts)

    def marks(pieces: list[str]) -> str:
        filter_ = PrivateMarks()
        return "".join((*map(filter_.feed, pieces), filter_.close()))

    assert spans(cut(text, at)) == spans(cut(text, every)) == spans([text])
    assert marks(cut(text, at)) == marks(cut(text, every)) == marks([text])
    marks([text]).encode()
    assert not any("\ue000" <= c <= "\uf8ff" or c >= "\U000f0000" for c in marks([text]))


def completion(body: bytes, at: list[int]) -> tuple[Completion, object, bool]:
    reader = CompletionReader()
    deltas = [delta for event in events(body, at) for delta in reader.feed(event)]
    deltas += reader.close()
    done = reader.completion()
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == done.text
    assert "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)) == done.reasoning
    return done, reader.error, reader.finished


@settings(max_examples=300)
@given(st.lists(chunk, max_size=5), cuts)
def test_any_json_is_read_without_a_crash(chunks: list[Any], at: list[int]) -> None:
    """Chunks of every shape; what comes out can be stored and sent back."""
    body = b"".join(b"data: " + json.dumps(one).encode() + b"\n\n" for one in chunks)
    whole = completion(body, [])
    assert completion(body, at) == completion(body, every) == whole
    json.dumps(whole[0].as_message(), ensure_ascii=False).encode()
    ids = [call.id for call in whole[0].tool_calls]
    assert len(set(ids)) == len(ids)
    assert all(ids)


@given(st.lists(st.text('{"q":1} \\', max_size=6), min_size=1, max_size=6), st.booleans(), st.booleans())
def test_one_call_in_any_pieces_is_one_call(pieces: list[str], repeated: bool, with_index: bool) -> None:
    """By id or by index, no piece is lost, doubled or reordered."""
    assembler = ToolCallAssembler()
    for number, piece in enumerate(pieces):
        named = {"name": "f"} if repeated or number == 0 else {}
        place = {"index": 0} if with_index else {}
        marked = {"id": "a"} if repeated or number == 0 else {}
        assembler.feed([{"function": {"arguments": piece, **named}, **place, **marked}])
    assert "".join(call.arguments for call in assembler.calls()) == "".join(pieces)
    if not repeated:
        assert len(assembler.calls()) == 1


@pytest.mark.parametrize("status", [200, 400, 401, 404, 429, 500])
@given(
    body=st.binary(max_size=60) | anything.map(lambda value: json.dumps(value).encode()),
    key=st.text(max_size=12),
)
def test_any_refusal_is_an_error_without_the_key(status: int, body: bytes, key: str) -> None:
    """Whatever the body holds, there is a message and a next step."""
    error = status_error(Endpoint("https://llm.example/v1", "m", key), status, {}, body, 0.0)
    assert isinstance(error, TurnError)
    assert str(error)
    assert error.next
