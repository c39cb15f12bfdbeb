"""The bytes an OpenAI-compatible endpoint streams, built piece by piece."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

DONE = b"data: [DONE]\n\n"


def sse(payload: object) -> bytes:
    """One event."""
    return f"data: {json.dumps(payload, ensure_ascii=False)}\n\n".encode()


def delta(fields: Mapping[str, Any], finish_reason: str | None = None) -> bytes:
    """One chunk with one choice."""
    choice = {"index": 0, "delta": dict(fields), "finish_reason": finish_reason}
    return sse({"id": "c1", "object": "chat.completion.chunk", "model": "scripted", "choices": [choice]})


def text(piece: str) -> bytes:
    return delta({"content": piece})


def call(
    name: str, arguments: Mapping[str, Any] | str, identity: str = "call_1", index: int | None = 0
) -> bytes:
    """One whole tool call; ``arguments`` as text are sent as they are."""
    written = arguments if isinstance(arguments, str) else json.dumps(arguments, ensure_ascii=False)
    entry: dict[str, Any] = {"type": "function", "function": {"name": name, "arguments": written}}
    if identity:
        entry["id"] = identity
    if index is not None:
        entry["index"] = index
    return delta({"tool_calls": [entry]})


def finish(reason: str = "stop") -> bytes:
    return delta({}, reason)


def usage(prompt: int = 11, completion: int = 7) -> bytes:
    return sse(
        {"id": "c1", "choices": [], "usage": {"prompt_tokens": prompt, "completion_tokens": completion}}
    )


def answer(*pieces: str, reason: str = "stop") -> list[bytes]:
    """A whole stream of text; one chunk a piece."""
    return [delta({"role": "assistant", "content": None}), *map(text, pieces), finish(reason), usage(), DONE]


def calls(*called: tuple[str, Mapping[str, Any] | str], before: Iterable[str] = ()) -> list[bytes]:
    """A whole stream of tool calls ``(name, arguments)``, numbered call_1, call_2, …, after some text."""
    parts = [call(name, arguments, f"call_{n + 1}", n) for n, (name, arguments) in enumerate(called)]
    return [*map(text, before), *parts, finish("tool_calls"), usage(), DONE]


def refusal(message: str, kind: str = "invalid_request_error", code: str | None = None) -> bytes:
    """The body of an error in the API's own form."""
    return json.dumps({"error": {"message": message, "type": kind, "param": None, "code": code}}).encode()
