"""Asks an OpenAI-compatible endpoint and reads its streamed answer (SPEC 4.11, 6)."""

from __future__ import annotations

import json
import re
from collections.abc import AsyncGenerator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from ibid.chat_addresses import blocked_as_mixed_content, chat_url, host_of, unreachable_advice
from ibid.chat_answer import ChatAnswer
from ibid.chat_stream import Completion, ReasoningDelta, TextDelta
from ibid.endpoint_errors import status_error
from ibid.endpoint_memory import EndpointMemory, OptionalField
from ibid.errors import Rejected, Unauthorized, Unreachable
from ibid.models import Endpoint
from ibid.ports import Clock, HttpRequest, HttpResponse, Transport
from ibid.refusal_words import names_field
from ibid.timed_body import Stalled, TimedBody, within

ToolChoice = Literal["required", "auto", "none"]

_LARGEST_REFUSAL = 64_000
"""Bytes of a refusal that are read."""


@dataclass(frozen=True)
class ChatRequest:
    """What is asked. ``messages`` and ``tools`` have the API's own form; no ``max_tokens``, no limit sent."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    tool_choice: ToolChoice | None = None
    max_tokens: int | None = None


class ChatClient:
    """Streams completions from one endpoint.

    ``page_origin`` is the page's own origin (``https://docs.example``), "" outside a browser: it is named
    in the advice when an endpoint cannot be reached. Nothing is retried, except that a request whose
    optional field was refused by name goes again without that field.
    """

    def __init__(
        self,
        transport: Transport,
        endpoint: Endpoint,
        clock: Clock,
        memory: EndpointMemory,
        *,
        page_origin: str = "",
        first_seconds: float = 300.0,
        idle_seconds: float = 120.0,
        usage_seconds: float = 3.0,
    ) -> None:
        """Limits, measured by ``clock.sleep``: ``first_seconds`` to the response and to its first byte (a
        model on a slow machine reads a long prompt for minutes), ``idle_seconds`` without any byte after
        that, ``usage_seconds`` for the token counts after the answer's end."""
        self.endpoint = endpoint
        self.page_origin = page_origin
        self._transport = transport
        self._clock = clock
        self._memory = memory
        self._first_seconds = first_seconds
        self._idle_seconds = idle_seconds
        self._usage_seconds = usage_seconds

    async def stream(
        self, request: ChatRequest
    ) -> AsyncGenerator[TextDelta | ReasoningDelta | Completion, None]:
        """Deltas as they come, then exactly one Completion, the last item.

        Wrap it in ``contextlib.aclosing`` (or cancel the task): leaving the loop then ends the connection
        at once, and the server sees it.

        Raises, after every delta that did arrive was given out:
        Rejected (``.degradable`` tells whether a plainer request may pass), ContextTooLong, OutOfCredit,
        RateLimited, Unauthorized, Unavailable, Unreachable; EmptyAnswer for a body of no bytes (some
        servers answer an over-long prompt so); Interrupted when the stream broke, stood still or carried
        an error object; CutOff for the finish reasons ``length`` and ``content_filter``. No tool call of
        a stream that raises is ever given out.
        """
        response = await self._open(request)
        answer = ChatAnswer(
            self.endpoint,
            response,
            TimedBody(response, self._clock, first=self._first_seconds, idle=self._idle_seconds),
            self._usage_seconds,
        )
        try:
            while not answer.ended:
                for delta in await answer.read():
                    yield delta
        finally:
            await answer.aclose()
        yield answer.completion()

    async def _open(self, request: ChatRequest) -> HttpResponse:
        """A response of status 2xx; a field that is refused by name is left out, each at most once."""
        left_out: set[OptionalField] = set()
        while True:
            payload = self._payload(request, self._memory.refused(self.endpoint) | left_out)
            response = await self._send(payload)
            if 200 <= response.status < 300:
                if left_out:
                    self._memory.remember(self.endpoint, *left_out)
                return response
            refusal = await self._refusal(response)
            error = status_error(self.endpoint, response.status, response.headers, refusal, self._clock.now())
            named = _named_field(payload, refusal)
            if named is None or not (isinstance(error, Rejected) and error.degradable):
                raise error
            left_out.add(named)

    def _payload(self, request: ChatRequest, refused: frozenset[OptionalField]) -> dict[str, Any]:
        payload: dict[str, Any] = {"messages": list(request.messages), "stream": True}
        if self.endpoint.model:
            payload["model"] = self.endpoint.model
        optional: dict[OptionalField, Any] = {
            "stream_options": {"include_usage": True},
            "tools": list(request.tools) or None,
            "tool_choice": request.tool_choice if request.tools and "tools" not in refused else None,
            "max_tokens": request.max_tokens,
        }
        if "max_tokens" in refused:
            optional["max_completion_tokens"] = optional.pop("max_tokens")
        for name, value in optional.items():
            if value is not None and name not in refused:
                payload[name] = value
        return payload

    async def _send(self, payload: Mapping[str, Any]) -> HttpResponse:
        url = chat_url(self.endpoint.base_url)
        if blocked_as_mixed_content(self.endpoint.base_url, self.page_origin):
            raise Unreachable(*unreachable_advice(self.endpoint.base_url, self.page_origin))
        # A lone surrogate, which no encoding takes, must not make a conversation unsendable: "replace".
        body = json.dumps(payload, ensure_ascii=False).encode("utf-8", "replace")
        request = HttpRequest("POST", url, self._headers(), body)
        try:
            return await within(
                self._transport.send(request),
                self._clock,
                self._first_seconds,
                lambda response: response.aclose(),
            )
        except (Unreachable, Stalled) as error:
            message, step = unreachable_advice(self.endpoint.base_url, self.page_origin)
            if not self.page_origin and isinstance(error, Unreachable):
                message = str(error)  # outside a browser the cause is known
            raise Unreachable(message, step) from error

    def _headers(self) -> dict[str, str]:
        headers = {"Content-Type": "application/json", "Accept": "text/event-stream"}
        key = self.endpoint.key.strip()
        if not re.fullmatch(r"[!-~]*", key):  # a request header takes no others, and fails without saying why
            raise Unauthorized(
                f"The API key for {host_of(self.endpoint.base_url)} holds a character that no key has.",
                "Copy the key again and paste it in Settings.",
            )
        if key:  # without one, simple local servers need not allow the header
            headers["Authorization"] = f"Bearer {key}"
        return headers

    async def _refusal(self, response: HttpResponse) -> bytes:
        body = TimedBody(response, self._clock, first=self._idle_seconds, idle=self._idle_seconds)
        try:
            return await body.read(_LARGEST_REFUSAL)
        finally:
            await body.aclose()


def _named_field(payload: Mapping[str, Any], refusal: bytes) -> OptionalField | None:
    """The optional field, among those sent, that a refusal names and that the client may leave out."""
    names: tuple[OptionalField, ...] = ("max_tokens", "max_completion_tokens", "stream_options")
    return next((name for name in names if name in payload and names_field(refusal, name)), None)
