"""Tries an endpoint out: what the button "Test connection" runs."""

from __future__ import annotations

from contextlib import aclosing
from dataclasses import dataclass
from typing import Literal

from ibid.chat_addresses import chat_url, host_of
from ibid.chat_client import ChatClient, ChatRequest
from ibid.errors import CutOff, Rejected, TurnError, Unauthorized, Unreachable

Kind = Literal["ok", "wrong_address", "unreachable", "key", "model", "other"]

_QUESTION = ChatRequest(({"role": "user", "content": "Reply with the word yes."},), max_tokens=16)


@dataclass(frozen=True)
class Diagnosis:
    """What came of it. ``url`` is the address that was called, "" if the base URL is no address."""

    ok: bool
    kind: Kind
    message: str
    next: str
    url: str


async def diagnose(client: ChatClient) -> Diagnosis:
    """Asks for one word, streamed, as a turn would, so that what passes here passes there; never raises
    a TurnError."""
    base_url = client.endpoint.base_url
    try:
        url = chat_url(base_url)
    except Unreachable as error:
        return Diagnosis(False, "wrong_address", str(error), error.next, "")
    try:
        async with aclosing(client.stream(_QUESTION)) as deltas:
            async for _ in deltas:
                pass
    except CutOff:
        pass  # a model that thinks for longer than the limit allows is a working model
    except TurnError as error:
        return Diagnosis(False, _kind(error), str(error), error.next, url)
    model = client.endpoint.model or "The model"
    return Diagnosis(True, "ok", f"{model} at {host_of(base_url)} answers.", "Ask a question.", url)


def _kind(error: TurnError) -> Kind:
    match error:
        case Unauthorized() | Rejected(about="key"):
            return "key"
        case Rejected(about="model"):
            return "model"
        case Rejected(about="address"):
            return "wrong_address"
        case Unreachable():
            return "unreachable"
    return "other"
