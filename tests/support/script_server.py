"""The HTTP side of the scripted endpoint: sockets, CORS, and whether the client is still there."""

from __future__ import annotations

import contextlib
import json
import select
import socket
import struct
import threading
from collections.abc import Sequence
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, ClassVar, Protocol

from endpoint_script import Delay, Hold, Part, Reply, Request, refusal

GLANCE = 0.02
"""Seconds between two looks at whether the client is still there."""


class Player(Protocol):
    """Decides the replies, and keeps the record."""

    origins: Sequence[str] | None
    preflights: list[Request]
    others: list[Request]
    closing: threading.Event

    def take(self, request: Request) -> Reply: ...


class ScriptServer(ThreadingHTTPServer):
    daemon_threads = False  # joined by server_close: no thread outlives its test

    def __init__(self, address: tuple[str, int], endpoint: Player) -> None:
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
    server: ScriptServer
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
            step = GLANCE if seconds is None else min(GLANCE, seconds - waited)
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
