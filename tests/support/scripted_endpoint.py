"""A real OpenAI-compatible server on 127.0.0.1 that plays a script: a real socket, real CORS, no model.

::

    with ScriptedEndpoint() as endpoint:
        endpoint.calls(("search_docs", {"query": "retry limit"}))
        endpoint.text("The limit is ", "3 [1].")
        …  # ask at endpoint.base_url
        assert endpoint.requests[0].json["tool_choice"] == "required"

By hand: ``python -m scripted_endpoint script.json --port 8099`` (see ``endpoint_script.read_script``).
"""

from __future__ import annotations

import argparse
import contextlib
import json
import select
import socket
import struct
import threading
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import TracebackType
from typing import Any, ClassVar, Self

import chat_chunks
from endpoint_script import Break, Delay, Hold, Part, Reply, read_script, refusal

_GLANCE = 0.02
"""Seconds between two looks at whether the client is still there."""


@dataclass
class Request:
    """What a client sent; header names in lower case. ``over`` is set when its reply has ended."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    disconnected: threading.Event = field(default_factory=threading.Event)
    """Set when the client left before the reply had ended."""
    over: threading.Event = field(default_factory=threading.Event)

    @property
    def json(self) -> dict[str, Any]:
        value: dict[str, Any] = json.loads(self.body)
        return value


Script = Reply | Callable[[Request], Reply]


class ScriptedEndpoint:
    """Queue replies, then ask; each ``POST …/chat/completions`` takes the next one.

    ``origins`` None answers any page's origin (CORS), else only those named. With ``key`` set, another key
    is refused with 401, and no reply is taken. A reply may be a function of the request.
    ``requests`` holds the completions asked for, ``preflights`` the browser's OPTIONS requests,
    ``others`` all else.
    """

    def __init__(self, *, port: int = 0, key: str = "", origins: Sequence[str] | None = None) -> None:
        self.key = key
        self.origins = origins
        self.requests: list[Request] = []
        self.preflights: list[Request] = []
        self.others: list[Request] = []
        self.closing = threading.Event()
        self._script: list[Script] = []
        self._lock = threading.Lock()
        self._server = _Server(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(_GLANCE,))

    @property
    def origin(self) -> str:
        return f"http://127.0.0.1:{self._server.server_port}"

    @property
    def base_url(self) -> str:
        return f"{self.origin}/v1"

    @property
    def left(self) -> int:
        """Replies that no request has taken."""
        return len(self._script)

    def play(self, *replies: Script) -> None:
        """Append replies to the script."""
        self._script.extend(replies)

    def text(self, *pieces: str, delay: float = 0.0, reason: str = "stop") -> None:
        """A streamed answer, one delta a piece, with a pause of ``delay`` seconds between them."""
        parts: list[Part] = []
        for part in chat_chunks.answer(*pieces, reason=reason):
            parts += [Delay(delay), part] if delay else [part]
        self.play(Reply(parts))

    def calls(self, *called: tuple[str, Mapping[str, Any] | str]) -> None:
        """Tool calls ``(name, arguments)`` in one message; text arguments are sent as they are."""
        self.play(Reply(chat_chunks.calls(*called)))

    def refuse(self, status: int, message: str = "refused", headers: Mapping[str, str] | None = None) -> None:
        """A refusal in the API's own form."""
        self.play(refusal(status, message, headers))

    def hold(self, *pieces: str) -> Hold:
        """Text, then a stream that stands still until it is released; after that a normal end."""
        hold = Hold()
        end = (chat_chunks.finish(), chat_chunks.usage(), chat_chunks.DONE)
        self.play(Reply((*map(chat_chunks.text, pieces), hold, *end)))
        return hold

    def cut(self, *pieces: str, reset: bool = False) -> None:
        """Text, then an end without a finish reason: a clean one, or a reset connection."""
        parts: list[Part] = list(map(chat_chunks.text, pieces))
        self.play(Reply([*parts, Break()] if reset else parts))

    def take(self, request: Request) -> Reply:
        """The next reply of the script, for a request that was just recorded."""
        with self._lock:
            self.requests.append(request)
            if self.key and request.headers.get("authorization") != f"Bearer {self.key}":
                return refusal(401, "Incorrect API key provided.")
            if not self._script:
                return refusal(500, f"The script has no reply for request {len(self.requests)}.")
            entry = self._script.pop(0)
        return entry(request) if callable(entry) else entry

    def __enter__(self) -> Self:
        self._thread.start()
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.closing.set()
        self._server.shutdown()
        self._server.hang_up()
        self._server.server_close()
        self._thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = False  # joined by server_close: no thread outlives its test

    def __init__(self, address: tuple[str, int], endpoint: ScriptedEndpoint) -> None:
        super().__init__(address, _Handler)
        self.endpoint = endpoint
        self._open: set[socket.socket] = set()

    def get_request(self) -> tuple[socket.socket, Any]:
        connection, address = super().get_request()
        self._open.add(connection)
        return connection, address

    def shutdown_request(self, request: Any) -> None:
        self._open.discard(request)
        super().shutdown_request(request)

    def hang_up(self) -> None:
        """Ends the connections that browsers open ahead of a request they may never send."""
        for connection in list(self._open):
            with contextlib.suppress(OSError):
                connection.shutdown(socket.SHUT_RDWR)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server
    _quiet: ClassVar = (BrokenPipeError, ConnectionResetError)

    def log_message(self, format: str, *args: Any) -> None:  # noqa: A002 - the base class names it so
        """Nothing: the test reads ``requests``."""

    def handle(self) -> None:
        with contextlib.suppress(*self._quiet):
            super().handle()

    def do_OPTIONS(self) -> None:
        request = self._request()
        self.server.endpoint.preflights.append(request)
        self._start(
            Reply(
                status=204,
                headers={
                    "Access-Control-Allow-Methods": "GET, POST, OPTIONS",
                    "Access-Control-Allow-Headers": "authorization, content-type",
                    "Access-Control-Allow-Private-Network": "true",
                },
            )
        )
        request.over.set()

    def do_GET(self) -> None:
        request = self._request()
        self.server.endpoint.others.append(request)
        if request.path.split("?")[0].endswith("/models"):
            listing = {"object": "list", "data": [{"id": "scripted", "object": "model"}]}
            self._play(
                request, Reply((json.dumps(listing).encode(),), 200, {"Content-Type": "application/json"})
            )
        else:
            self._play(request, refusal(404, f"There is nothing at {request.path}."))

    def do_POST(self) -> None:
        request = self._request()
        if request.path.split("?")[0].endswith("/chat/completions"):
            self._play(request, self.server.endpoint.take(request))
        else:
            self.server.endpoint.others.append(request)
            self._play(request, refusal(404, f"There is nothing at {request.path}."))

    def _request(self) -> Request:
        length = int(self.headers.get("Content-Length") or 0)
        headers = {name.lower(): value for name, value in self.headers.items()}
        return Request(self.command, self.path, headers, self.rfile.read(length))

    def _start(self, reply: Reply) -> None:
        self.close_connection = True
        self.send_response(reply.status)
        names = {name.lower() for name in reply.headers}
        if reply.body and "content-type" not in names:
            self.send_header("Content-Type", "text/event-stream")
        if reply.body:
            self.send_header("Transfer-Encoding", "chunked")
        elif reply.status != 204:
            self.send_header("Content-Length", "0")
        origin = self.headers.get("Origin")
        allowed = self.server.endpoint.origins
        if origin and (allowed is None or origin in allowed):
            self.send_header("Access-Control-Allow-Origin", origin)
        self.send_header("Vary", "Origin")
        self.send_header("Connection", "close")
        for name, value in reply.headers.items():
            self.send_header(name, value)
        self.end_headers()

    def _play(self, request: Request, reply: Reply) -> None:
        try:
            self._start(reply)
            if reply.body and self._write(reply.body):
                self.wfile.write(b"0\r\n\r\n")
        except (*self._quiet, _ClientLeft):
            request.disconnected.set()
        finally:
            request.over.set()

    def _write(self, body: Sequence[Part]) -> bool:
        """True if the body came to its clean end. Raises _ClientLeft."""
        for part in body:
            if isinstance(part, bytes):
                self.wfile.write(b"%x\r\n%s\r\n" % (len(part), part))
                self._look(0)
            elif isinstance(part, Delay):
                self._wait(threading.Event(), part.seconds)
            elif isinstance(part, Hold):
                part.reached.set()
                self._wait(part.released, None)
            else:
                linger_not = struct.pack("ii", 1, 0)
                self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, linger_not)
                return False
        return True

    def _wait(self, event: threading.Event, seconds: float | None) -> None:
        waited = 0.0
        while not event.is_set() and (seconds is None or waited < seconds):
            step = _GLANCE if seconds is None else min(_GLANCE, seconds - waited)
            self._look(step)
            waited += step
            if self.server.endpoint.closing.is_set():
                raise _ClientLeft

    def _look(self, seconds: float) -> None:
        """Waits, and raises _ClientLeft when the client has ended the connection meanwhile."""
        readable, _, _ = select.select([self.connection], [], [], seconds)
        if readable and not self.connection.recv(1, socket.MSG_PEEK):
            raise _ClientLeft


class _ClientLeft(Exception):
    pass


def main() -> None:
    parser = argparse.ArgumentParser(prog="scripted_endpoint", description=__doc__)
    parser.add_argument("script", type=Path, help="a JSON file of replies, played over and over")
    parser.add_argument("--port", type=int, default=8099)
    parser.add_argument("--key", default="", help="refuse every other key")
    arguments = parser.parse_args()
    replies = read_script(arguments.script)
    with ScriptedEndpoint(port=arguments.port, key=arguments.key) as endpoint:
        print(f"{endpoint.base_url} plays {len(replies)} replies; Ctrl-C ends it.", flush=True)
        with contextlib.suppress(KeyboardInterrupt):
            while True:
                if not endpoint.left:
                    endpoint.play(*replies)
                endpoint.closing.wait(_GLANCE)


if __name__ == "__main__":
    main()
