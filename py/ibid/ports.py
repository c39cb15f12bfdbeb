"""What the core needs of its host, as Protocols; adapters live in ``ibid.browser`` and ``ibid_build``."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field
from typing import Any, Protocol


class AssetLoader(Protocol):
    """Reads a file of the published folder by its plain relative name."""

    async def read(self, name: str) -> bytes:
        """The file's bytes; whoever reads them undoes gzip where a host has not. Raises IndexInvalid."""
        ...


@dataclass(frozen=True)
class HttpRequest:
    """One request to the endpoint. Redirects are never followed (SPEC 6)."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None = None


class HttpResponse(Protocol):
    """A response whose body is read once, as it comes."""

    status: int
    headers: Mapping[str, str]
    """Names in lower case; a browser shows only what CORS exposes."""

    def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises Interrupted when the connection breaks."""
        ...

    async def aclose(self) -> None:
        """Ends the connection; the server sees the disconnect. Safe to call twice."""
        ...


class Transport(Protocol):
    """Sends one request."""

    async def send(self, request: HttpRequest) -> HttpResponse:
        """Raises Unreachable when no response came. Cancelling aborts the request."""
        ...


class TurnStore(Protocol):
    """Where conversations are kept. Records are JSON-ready dicts owned by ``ibid.conversations``."""

    async def turns(self, conversation: str) -> list[dict[str, Any]]:
        """All turn records of a conversation, in order of ``seq``."""
        ...

    async def put_turn(self, record: dict[str, Any]) -> None:
        """Insert or replace one turn by its ``id``, and touch its conversation, in one transaction.

        Creates the conversation on the first turn; a conversation deleted meanwhile is not brought back.
        Raises NotSaved.
        """
        ...

    async def log_query(self, entry: dict[str, Any]) -> None:
        """Append one retrieval to the query log. Raises NotSaved."""
        ...

    def lock(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """One writer a conversation, across tabs. Raises AnswerRunning at once when taken."""
        ...


class Clock(Protocol):
    """Time, injectable."""

    def now(self) -> float:
        """Seconds since the epoch."""
        ...

    async def sleep(self, seconds: float) -> None:
        """Waits; cancellable."""
        ...
