"""Another site that embeds the page: a few HTML texts on an origin of their own."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from types import TracebackType
from typing import Self


class HostSite:
    """Serves ``pages`` (path to HTML, which may be added later) while the context is open.

    ``url`` names it localhost and ``other_url`` 127.0.0.1: to a browser these are two sites.
    """

    def __init__(self, pages: Mapping[str, str] | None = None) -> None:
        self.pages = dict(pages or {})
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self.pages))
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))

    @property
    def url(self) -> str:
        return f"http://localhost:{self._server.server_port}/"

    @property
    def other_url(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}/"

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()


def _handler(pages: Mapping[str, str]) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            page = pages.get(self.path.lstrip("/"))
            body = (page or "").encode()
            self.send_response(404 if page is None else 200)
            self.send_header("Content-Type", "text/html; charset=utf-8")
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            """Quiet."""

    return Handler
