"""What a question would send, shown before it is sent (SPEC 6)."""

from __future__ import annotations

import json
import math
from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, NoReturn

from ibid.attempt import Attempt, Resources
from ibid.chat_addresses import host_of
from ibid.conversations import TurnRecord
from ibid.models import Endpoint
from ibid.ports import HttpRequest
from ibid.protocol import Frame


@dataclass(frozen=True)
class Preview:
    """``messages`` as the endpoint would get them; ``tokens`` is an estimate for the whole request."""

    host: str
    tokens: int
    messages: list[dict[str, Any]]


class _WouldSend(Exception):
    def __init__(self, body: bytes) -> None:
        self.body = body


class _NoTransport:
    """Takes the request and sends nothing."""

    async def send(self, request: HttpRequest) -> NoReturn:
        raise _WouldSend(request.body or b"{}")


async def preview(
    resources: Resources,
    question: str,
    turns: Sequence[TurnRecord],
    endpoint: Endpoint | None,
    *,
    boundary: str,
    offline: bool,
) -> Preview | None:
    """The first request of the turn: the very code that answers is run up to where it would send."""
    mode = resources.first_mode(endpoint, offline=offline)
    if endpoint is None or mode == "extractive":
        return None
    dry = replace(resources, transport=_NoTransport())
    try:
        await Attempt(dry, question, turns, endpoint, mode, boundary, _unseen).write()
    except _WouldSend as request:
        body = request.body.decode()
        return Preview(host_of(endpoint.base_url), _tokens(body), json.loads(body)["messages"])
    return None


async def _unseen(frame: Frame) -> None:
    """Frames of a turn that does not take place."""


def _tokens(text: str) -> int:
    """About four characters a token in Latin script, about one in others; models differ by a third."""
    latin = sum(1 for character in text if ord(character) < 0x250)
    return math.ceil(latin / 4 + (len(text) - latin))
