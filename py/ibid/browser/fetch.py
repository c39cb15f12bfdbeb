"""Requests to the endpoint, and the site's own files, over the browser's fetch."""

from __future__ import annotations

from collections.abc import AsyncIterator, Mapping
from typing import Any

import ibid_assets
import js
from pyodide.ffi import JsException, to_js

from ibid.errors import IndexInvalid, Interrupted, Unreachable
from ibid.ports import HttpRequest

# The key goes to the address it was typed for and nowhere else; nothing of the page goes with it.
_OPTIONS = {"redirect": "error", "credentials": "omit", "cache": "no-store", "referrerPolicy": "no-referrer"}


class FetchResponse:
    """One streamed response; ``headers`` by lower-case name, as far as CORS exposes them."""

    def __init__(self, response: Any, controller: Any, host: str) -> None:
        self.status: int = response.status
        self.headers: Mapping[str, str] = {name.lower(): value for name, value in response.headers}
        self._reader = response.body.getReader() if response.body else None
        self._controller = controller
        self._host = host

    async def chunks(self) -> AsyncIterator[bytes]:
        """The body as it arrives. Raises Interrupted when the connection breaks."""
        while self._reader is not None:
            try:
                part = await self._reader.read()
            except JsException as error:
                raise Interrupted(f"The connection to {self._host} broke ({error.message}).") from error
            if part.done:
                return
            yield part.value.to_bytes()

    async def aclose(self) -> None:
        """Ends the connection; the server sees the disconnect. Safe to call twice."""
        self._controller.abort()


class FetchTransport:
    """An ``ibid.ports.Transport``. Redirects are refused, not followed."""

    async def send(self, request: HttpRequest) -> FetchResponse:
        """Raises Unreachable when no response came. Cancelling aborts the request."""
        controller = js.AbortController.new()
        host: str = js.URL.new(request.url).host
        options: dict[str, Any] = {
            **_OPTIONS,
            "method": request.method,
            "headers": dict(request.headers),
            "signal": controller.signal,
        }
        if request.body is not None:
            options["body"] = request.body.decode()
        try:
            response = await js.fetch(request.url, to_js(options, dict_converter=js.Object.fromEntries))
        except JsException as error:
            raise Unreachable(f"No response from {host} ({error.message}).") from error
        except BaseException:
            controller.abort()
            raise
        return FetchResponse(response, controller, host)


class SiteAssets:
    """An ``ibid.ports.AssetLoader`` over the published folder; ``boot.mjs`` fetches and undoes gzip.

    ``fresh`` passes every cache: for a second try, when the files of two versions have met.
    """

    def __init__(self, base: str, *, fresh: bool = False) -> None:
        self._base = base
        self._fresh = fresh

    async def read(self, name: str) -> bytes:
        """The file's bytes. Raises IndexInvalid."""
        try:
            data = await ibid_assets.read(f"{self._base}{name}", self._fresh)
        except JsException as error:
            raise IndexInvalid(
                f"{name} cannot be loaded ({error.message}).",
                "Check the network and reload the page; offline, only what was loaded before is there.",
            ) from error
        content: bytes = data.to_bytes()
        return content
