"""What a scripted endpoint plays: replies, as values or as JSON."""

from __future__ import annotations

import json
import threading
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import chat_chunks


@dataclass(frozen=True)
class Delay:
    """A pause in a body."""

    seconds: float


class Hold:
    """A place in a body where the server waits until :meth:`release`, or until the client leaves."""

    def __init__(self) -> None:
        self.reached = threading.Event()
        self.released = threading.Event()

    def release(self) -> None:
        self.released.set()


class Break:
    """Ends the connection with a reset, in the middle of the body."""


Part = bytes | Delay | Hold | Break


@dataclass(frozen=True)
class Reply:
    """A response; a body that does not end in Break ends cleanly."""

    body: Sequence[Part] = ()
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass
class Request:
    """What a client sent; header names in lower case. ``over`` is set when its reply has ended."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    disconnected: threading.Event = field(default_factory=threading.Event)
    """Set when the client left before the reply had ended."""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


def refusal(status: int, message: str, headers: Mapping[str, str] | None = None) -> Reply:
    """An error in the API's own form."""
    return Reply(
        (chat_chunks.refusal(message),), status, {"Content-Type": "application/json", **(headers or {})}
    )


def read_script(path: Path) -> list[Reply]:
    """Replies from JSON: a list of objects, each one of

    - ``{"text": ["The limit is ", "3 [1]."], "delay": 0.05, "finish": "stop", "then": "cut"}``
      (``then``: ``cut`` ends without a finish reason, ``reset`` breaks the connection, ``hold`` stands
      still for ever; left out, the answer ends well);
    - ``{"calls": [["search_docs", {"query": "retry limit"}]]}``;
    - ``{"status": 429, "message": "slow down", "headers": {"Retry-After": "7"}}``;
    - ``{"raw": "data: …\\n\\n", "status": 200, "headers": {}}``.
    """
    return [_read_reply(entry) for entry in json.loads(path.read_text(encoding="utf-8"))]


def _read_reply(entry: Mapping[str, Any]) -> Reply:
    headers = entry.get("headers", {})
    if "raw" in entry:
        return Reply((entry["raw"].encode(),), entry.get("status", 200), headers)
    if "calls" in entry:
        return Reply(chat_chunks.calls(*((name, arguments) for name, arguments in entry["calls"])))
    if "text" not in entry:
        return refusal(entry["status"], entry.get("message", "refused"), headers)
    parts: list[Part] = []
    for piece in entry["text"]:
        parts += [Delay(entry.get("delay", 0.0)), chat_chunks.text(piece)]
    match entry.get("then"):
        case "cut":
            pass
        case "reset":
            parts.append(Break())
        case "hold":
            parts.append(Hold())
        case _:
            parts += [chat_chunks.finish(entry.get("finish", "stop")), chat_chunks.usage(), chat_chunks.DONE]
    return Reply(parts, headers=headers)
