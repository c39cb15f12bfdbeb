"""Chunks to deltas and one completion, with the deviations that endpoints in use make."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ibid.chat_stream import CompletionReader, Delta, ReasoningDelta, TextDelta, Usage
from ibid.sse import ServerSentEvent


def chunk(fields: dict[str, Any], finish: str | None = None, **more: Any) -> str:
    return json.dumps({"choices": [{"index": 0, "delta": fields, "finish_reason": finish}], **more})


def read(*payloads: str, event: str = "message") -> tuple[CompletionReader, list[Delta]]:
    reader = CompletionReader()
    deltas = [delta for payload in payloads for delta in reader.feed(ServerSentEvent(payload, event))]
    return reader, deltas + list(reader.close())


END = chunk({}, "stop")

READ: dict[str, tuple[list[str], str, str]] = {
    "content": ([chunk({"content": "Run"}), chunk({"content": "  it"})], "Run  it", ""),
    "null and missing content": ([chunk({"role": "assistant", "content": None}), chunk({})], "", ""),
    "no choices, null choices": (['{"choices": []}', '{"choices": null}', "{}"], "", ""),
    "delta null": (['{"choices": [{"delta": null}]}', '{"choices": [null, 5]}'], "", ""),
    "other choices are not read": (
        ['{"choices": [{"index": 1, "delta": {"content": "b"}}, {"index": 0, "delta": {"content": "a"}}]}'],
        "a",
        "",
    ),
    "reasoning_content": ([chunk({"reasoning_content": "hm"}), chunk({"content": "A"})], "A", "hm"),
    "reasoning under two names is read once": (
        [chunk({"reasoning": "hm", "reasoning_content": "hm"})],
        "",
        "hm",
    ),
    "think spans": ([chunk({"content": "<thi"}), chunk({"content": "nk>hm</think>\nA"})], "A", "hm"),
    "typed parts": (
        [
            chunk({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "h"}, "m"]}]}),
            chunk({"content": [{"type": "text", "text": "Use "}, {"type": "reference", "ids": [1]}, "pool"]}),
            chunk({"content": {"type": "text", "text": " 4."}}),
            chunk({"content": [{"type": "reasoning", "text": "!"}]}),
        ],
        "Use pool 4.",
        "hm!",
    ),
    "a refusal is what the model says": ([chunk({"content": None, "refusal": "I cannot."})], "I cannot.", ""),
    "a surrogate pair in two chunks": (
        [chunk({"content": "\ud83d"}), chunk({"content": "\ude00"})],
        "😀",
        "",
    ),
    "keep-alives as data": (["", ": waiting", "ping", "5", '"x"', chunk({"content": "A"})], "A", ""),
    "events without a blank line between them": (
        [chunk({"content": "A"}) + "\n" + chunk({"content": "B"}) + "\n[DONE]"],
        "AB",
        "",
    ),
    "one chunk over several data lines": (['{"choices":\n[{"delta":\n{"content": "A"}}]}'], "A", ""),
    "a message beside each delta is not read twice": (
        ['{"choices": [{"delta": {"content": "A"}, "message": {"content": "A"}}]}'],
        "A",
        "",
    ),
    "the old function_call is ignored": ([chunk({"function_call": {"name": "f", "arguments": "{"}})], "", ""),
}


@pytest.mark.parametrize("name", READ)
def test_reads_text_and_reasoning(name: str) -> None:
    """Deltas and completion hold the same text; what is unknown is passed over."""
    payloads, text, reasoning = READ[name]
    reader, deltas = read(*payloads, END)
    completion = reader.completion()
    assert (completion.text, completion.reasoning) == (text, reasoning)
    assert "".join(delta.text for delta in deltas if isinstance(delta, TextDelta)) == text
    assert "".join(delta.text for delta in deltas if isinstance(delta, ReasoningDelta)) == reasoning
    assert all(delta.text for delta in deltas)
    assert reader.finished
    assert completion.complete
    assert not completion.tool_calls


def test_usage_may_follow_the_finish_reason() -> None:
    """Then nothing more is to come, with or without ``[DONE]``."""
    reader, _ = read(chunk({"content": "A"}), END)
    assert (reader.finished, reader.done) == (True, False)
    list(
        reader.feed(
            ServerSentEvent('{"choices": [], "usage": {"prompt_tokens": 41, "completion_tokens": 7}}')
        )
    )
    assert reader.done
    assert reader.completion().usage == Usage(41, 7)


def test_usage_in_every_chunk_does_not_end_the_stream() -> None:
    """Some endpoints count on the way; the last count holds."""
    counting = {"usage": {"prompt_tokens": 4, "completion_tokens": 1}}
    reader, _ = read(
        chunk({"content": "A"}, **counting), chunk({"content": "B"}, "stop", usage={"prompt_tokens": 4})
    )
    assert not reader.done
    assert reader.completion().usage == Usage(4, 0)


@pytest.mark.parametrize("usage", [None, 5, {}, {"prompt_tokens": "4"}])
def test_unreadable_usage_is_none(usage: object) -> None:
    """Token counts are shown, never relied on."""
    reader, _ = read(chunk({"content": "A"}, "stop", usage=usage))
    assert reader.completion().usage is None


def test_nothing_is_read_after_done() -> None:
    """``[DONE]`` ends the answer, also without a finish reason."""
    reader, _ = read(chunk({"content": "A"}), " [DONE] ", chunk({"content": "B"}))
    assert (reader.completion().text, reader.finished, reader.finish_reason) == ("A", True, "")


def test_no_finish_reason_is_not_finished() -> None:
    """Null and "" are none."""
    reader, _ = read(chunk({"content": "A"}), chunk({}, ""))
    assert not reader.finished
    assert reader.started


def test_broken_json_is_counted_and_the_text_goes_on() -> None:
    """The raw event is kept for a debug view; the completion says that text may be missing."""
    broken = '{"choices":[{"index":0,"delta":{"content":"B'
    reader, _ = read(chunk({"content": "A"}), broken, chunk({"content": "C"}), END)
    completion = reader.completion()
    assert (completion.text, completion.complete, completion.damaged) == ("AC", False, (broken,))


@pytest.mark.parametrize(
    ("payload", "event", "error"),
    [
        ('{"error": {"message": "overloaded"}}', "message", {"message": "overloaded"}),
        ('{"error": "overloaded", "choices": []}', "message", "overloaded"),
        ('{"object": "error", "message": "bad"}', "message", {"object": "error", "message": "bad"}),
        ('{"message": "bad"}', "error", {"message": "bad"}),
        ("upstream failed", "error", "upstream failed"),
        (chunk({}, "error"), "message", "the model's provider failed"),
        ('{"choices": [{"delta": {}, "error": {"code": 502}}]}', "message", {"code": 502}),
    ],
)
def test_an_error_in_the_stream_ends_it(payload: str, event: str, error: object) -> None:
    """Nothing after an error counts; ``"error": null`` is none."""
    reader = CompletionReader()
    list(reader.feed(ServerSentEvent('{"error": null, "choices": [{"delta": {"content": "A"}}]}')))
    assert reader.error is None
    list(reader.feed(ServerSentEvent(payload, event)))
    list(reader.feed(ServerSentEvent(chunk({"content": "B"}))))
    list(reader.close())
    assert reader.error == error
    assert reader.completion().text == "A"


def test_the_message_for_the_next_request() -> None:
    """Content is never null, which some endpoints refuse; calls stand as they came."""
    called = [{"index": 0, "id": "k", "function": {"name": "f", "arguments": '{"a":1}'}}]
    reader, _ = read(chunk({"tool_calls": called}), chunk({}, "tool_calls"))
    assert reader.completion().as_message() == {
        "role": "assistant",
        "content": "",
        "tool_calls": [{"id": "k", "type": "function", "function": {"name": "f", "arguments": '{"a":1}'}}],
    }
    assert read(chunk({"content": "A"}), END)[0].completion().as_message() == {
        "role": "assistant",
        "content": "A",
    }
