"""Asks an OpenAI-compatible endpoint and reads its streamed answer (SPEC 4.11, 6)."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

from ibid.chat_stream import Completion, ReasoningDelta, TextDelta
from ibid.models import Endpoint
from ibid.ports import Clock, Transport

ToolChoice = Literal["required", "auto", "none"]
OptionalField = Literal["max_tokens", "max_completion_tokens", "stream_options", "tool_choice", "tools"]


@dataclass(frozen=True, slots=True)
class ChatRequest:
    """What is asked. ``messages`` and ``tools`` have the API's own form; no ``max_tokens``, no limit sent."""

    messages: Sequence[Mapping[str, Any]]
    tools: Sequence[Mapping[str, Any]] = ()
    tool_choice: ToolChoice | None = None
    max_tokens: int | None = None


@dataclass(slots=True)
class EndpointMemory:
    """Which optional fields an endpoint refused, by base URL and model; they are not sent again.

    The client learns ``stream_options`` and the limit's name by itself. ``tool_choice`` and ``tools`` are
    the turn engine's to learn (SPEC 4.2); ``tools`` refused means one-shot.
    """

    _refused: dict[tuple[str, str], set[OptionalField]] = field(default_factory=dict)

    def refused(self, endpoint: Endpoint) -> frozenset[OptionalField]:
        """The fields that this endpoint does not take."""
        return frozenset(self._refused.get((endpoint.base_url, endpoint.model), ()))

    def remember(self, endpoint: Endpoint, *fields: OptionalField) -> None:
        """Leave these fields out of every later request to this endpoint."""
        self._refused.setdefault((endpoint.base_url, endpoint.model), set()).update(fields)


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
        idle_seconds: float = 120.0,
        usage_seconds: float = 3.0,
    ) -> None:
        """``idle_seconds`` without any byte end the stream; ``usage_seconds`` is how long a finished answer
        is waited on for its token counts. Both are measured by ``clock.sleep``."""
        raise NotImplementedError

    def stream(self, request: ChatRequest) -> AsyncIterator[TextDelta | ReasoningDelta | Completion]:
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
        raise NotImplementedError
