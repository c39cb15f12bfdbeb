"""The Transport of the terminal: requests to the endpoint over httpx."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from types import TracebackType
from typing import Self

import httpx

from ibid.errors import Interrupted, Unreachable
from ibid.ports import HttpRequest

_TIMEOUT = httpx.Timeout(None, connect=15.0)
"""Seconds; reading has no limit here, because the chat client keeps its own."""


class HttpxResponse:
    """One streamed response; ``headers`` by lower-case name."""

    def __init__(self, response: httpx.Response) -> None:
        self.status = response.status_code
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers.items()}
        self._response = response

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises Interrupted when the connection breaks."""
        try:
            async for chunk in self._response.aiter_bytes():
                yield chunk
        except (httpx.TransportError, httpx.DecodingError) as error:
            host = self._response.url.host
            raise Interrupted(f"The connection to {host} broke ({_cause(error)}).") from error

    async def aclose(self) -> None:
        """Ends the connection; the server sees the disconnect. Safe to call twice."""
        await self._response.aclose()


class HttpTransport:
    """An ``ibid.ports.Transport``; use it as an async context manager. Redirects are never followed."""

    def __init__(self) -> None:
        self._client = httpx.AsyncClient(timeout=_TIMEOUT, follow_redirects=False)

    async def send(self, request: HttpRequest) -> HttpxResponse:
        """Raises Unreachable when no response came. Cancelling aborts the request."""
        try:
            built = self._client.build_request(
                request.method, request.url, headers=request.headers, content=request.body
            )
            return HttpxResponse(await self._client.send(built, stream=True))
        # ValueError: a host name that IDNA cannot encode (UnicodeError) or that is too long
        except (httpx.TransportError, httpx.InvalidURL, ValueError) as error:
            raise Unreachable(f"No response from {_host(request.url)} ({_cause(error)}).") from error

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self._client.aclose()


def _host(url: str) -> str:
    return url.split("://", 1)[-1].split("/", 1)[0]


def _cause(error: Exception) -> str:
    """The system's own words, or the kind of error where it has none."""
    return str(error).rstrip(".") or type(error).__name__
