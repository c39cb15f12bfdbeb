"""A queue-fed Transport: each request takes the next reply from the script."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import chat_chunks
from ibid.errors import Interrupted, Unreachable
from ibid.ports import HttpRequest


class Gate:
    """A place in a body where the stream waits until the test opens it (or for ever)."""

    def __init__(self) -> None:
        self.reached = asyncio.Event()
        self._open = asyncio.Event()

    def open(self) -> None:
        self._open.set()

    async def wait(self) -> None:
        self.reached.set()
        await self._open.wait()


@dataclass
class ScriptedResponse:
    """A reply of the script; ``body`` holds bytes, gates to wait at, and exceptions to raise."""

    body: Iterable[bytes | Gate | Exception]
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=lambda: {"content-type": "text/event-stream"})
    closed: bool = False
    cancelled: bool = False

    async def chunks(self) -> AsyncIterator[bytes]:
        try:
            for part in self.body:
                if isinstance(part, Gate):
                    await part.wait()
                elif isinstance(part, Exception):
                    raise part
                else:
                    await asyncio.sleep(0)  # as on a network, others run between two chunks
                    yield part
        except asyncio.CancelledError:
            self.cancelled = True
            raise

    async def aclose(self) -> None:
        self.closed = True


class ScriptedTransport:
    """An ``ibid.ports.Transport``. Queue replies first; a request without one fails the test.

    ::

        transport.reply_calls(("search_docs", {"query": "retry limit"}))
        transport.reply_text("The limit is 3 [1].")
        …
        assert transport.bodies[0]["tool_choice"] == "required"
    """

    def __init__(self) -> None:
        self._script: list[ScriptedResponse | Gate | Exception] = []
        self.requests: list[HttpRequest] = []
        self.responses: list[ScriptedResponse] = []

    @property
    def bodies(self) -> list[dict[str, Any]]:
        """The JSON bodies of all requests so far, in order."""
        return [json.loads(request.body or b"{}") for request in self.requests]

    @property
    def left(self) -> int:
        """Replies that no request has taken."""
        return len(self._script)

    async def send(self, request: HttpRequest) -> ScriptedResponse:
        self.requests.append(request)
        await asyncio.sleep(0)
        if not self._script:
            raise AssertionError(f"request {len(self.requests)} has no reply in the script: {request.body!r}")
        reply = self._script.pop(0)
        if isinstance(reply, Gate):
            await reply.wait()
            return await self.send(self.requests.pop())
        if isinstance(reply, Exception):
            raise reply
        self.responses.append(reply)
        return reply

    def reply(
        self,
        *body: bytes | Gate | Exception,
        status: int = 200,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedResponse:
        """The next reply, part by part; headers by lower-case name."""
        response = ScriptedResponse(body, status, headers or {"content-type": "text/event-stream"})
        self._script.append(response)
        return response

    def reply_text(self, *pieces: str, reason: str = "stop") -> ScriptedResponse:
        """A streamed answer, one delta a piece."""
        return self.reply(*chat_chunks.answer(*pieces, reason=reason))

    def reply_calls(
        self, *called: tuple[str, Mapping[str, Any] | str], before: Iterable[str] = ()
    ) -> ScriptedResponse:
        """Tool calls ``(name, arguments)`` in one message, after some text; text arguments go as they are."""
        return self.reply(*chat_chunks.calls(*called, before=before))

    def reply_status(
        self,
        status: int,
        message: str = "refused",
        *,
        kind: str = "invalid_request_error",
        code: str | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> ScriptedResponse:
        """A refusal in the API's own form."""
        sent = {"content-type": "application/json", **(headers or {})}
        return self.reply(chat_chunks.refusal(message, kind, code), status=status, headers=sent)

    def reply_cut(self, *pieces: str) -> ScriptedResponse:
        """Text, then a clean end of the connection without a finish reason."""
        return self.reply(*map(chat_chunks.text, pieces))

    def reply_broken(self, *pieces: str) -> ScriptedResponse:
        """Text, then a connection that breaks."""
        return self.reply(*map(chat_chunks.text, pieces), Interrupted("The connection broke."))

    def reply_held(self, *pieces: str) -> tuple[ScriptedResponse, Gate]:
        """Text, then nothing until the gate is opened; after that a normal end."""
        gate = Gate()
        rest = (chat_chunks.finish(), chat_chunks.usage(), chat_chunks.DONE)
        return self.reply(*map(chat_chunks.text, pieces), gate, *rest), gate

    def reply_nothing(self) -> None:
        """No response at all."""
        self._script.append(Unreachable("No response."))

    def reply_silence(self) -> Gate:
        """Not even a status, until the gate is opened: then the next reply."""
        gate = Gate()
        self._script.append(gate)
        return gate
