"""What a browser says and where it goes, watched for a whole test."""

from __future__ import annotations

from urllib.parse import urlsplit

from playwright.sync_api import BrowserContext, ConsoleMessage, Request


class Watch:
    """Collects console lines, uncaught errors and requests of every page, worker and service worker.

    Chromium writes a console line of its own when the reader's endpoint refuses a request or is not there;
    no page can prevent it. Those lines, at an allowed endpoint's address, are the only ones that are let
    pass without the test saying so.
    """

    def __init__(self, context: BrowserContext, site: str) -> None:
        self.allowed = {_origin(site)}
        self.expected: list[str] = []
        """Pieces of console lines that the test itself provokes."""
        self._lines: list[tuple[str, str]] = []
        self._requests: list[Request] = []
        context.on("console", self._console)
        context.on("weberror", lambda error: self._lines.append((str(error.error), "")))
        context.on("request", lambda request: self._requests.append(request))
        context.on("requestfailed", self._failed)

    def allow(self, endpoint: str) -> None:
        """The reader chose this endpoint."""
        self.allowed.add(_origin(endpoint))

    @property
    def console(self) -> list[str]:
        """Console lines that nobody expected."""
        return [
            line
            for line, address in self._lines
            if not any(piece in line or piece in address for piece in self.expected)
            and not (line.startswith("Failed to load resource") and self._is_endpoint(address))
        ]

    @property
    def foreign(self) -> list[str]:
        """Requests to an origin that is neither the site's nor a chosen endpoint's."""
        return [
            request.url
            for request in self._requests
            if urlsplit(request.url).scheme not in ("blob", "data")
            and _origin(request.url) not in self.allowed
        ]

    def _is_endpoint(self, address: str) -> bool:
        return _origin(address) in self.allowed and "/v1/" in address

    def _console(self, message: ConsoleMessage) -> None:
        self._lines.append((message.text, message.location["url"]))

    def _failed(self, request: Request) -> None:
        # A request that the policy refuses never leaves the browser.
        if request.failure == "csp" and request in self._requests:
            self._requests.remove(request)


def _origin(address: str) -> str:
    parts = urlsplit(address)
    return f"{parts.scheme}://{parts.netloc}"
