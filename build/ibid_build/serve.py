"""``ibid serve``: the published folder on this machine, with the headers that a host would send."""

from __future__ import annotations

import errno
import os
from functools import partial
from http import HTTPStatus
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from io import BytesIO
from pathlib import Path
from typing import BinaryIO
from urllib.parse import unquote

from ibid.errors import InputError
from ibid_build.headers import HEADERS_FILE, OTHER_TYPE, TYPES, Rules, headers_of, read_rules

HOST = "127.0.0.1"
DEFAULT_PORT = 8000

_OF_A_FILE = {"Cache-Control", "Content-Encoding"}


class SiteServer(ThreadingHTTPServer):
    """Serves one folder on the loopback address. ``port`` 0 picks a free one."""

    daemon_threads = True

    def __init__(self, folder: Path, port: int = DEFAULT_PORT) -> None:
        """Raises InputError when the folder is none of ours, or the port is taken."""
        if not (folder / "index.html").is_file():
            raise InputError(f"{folder} holds no site; build one first: ibid build SRC --out {folder}")
        headers = folder / HEADERS_FILE
        rules = read_rules(headers.read_text("utf-8")) if headers.is_file() else {}
        try:
            super().__init__((HOST, port), partial(_Handler, rules=rules, directory=str(folder)))
        except (OSError, OverflowError) as error:
            raise InputError(_refusal(error, port)) from None

    @property
    def url(self) -> str:
        """The site's address."""
        return f"http://{HOST}:{self.server_address[1]}/"


def serve_command(folder: Path, port: int = DEFAULT_PORT) -> int:
    """Serves until interrupted. Raises InputError."""
    with SiteServer(folder, port) as server:
        print(f"Serving {folder} at {server.url} (Ctrl+C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()
    return 0


def _refusal(error: Exception, port: int) -> str:
    if isinstance(error, OSError) and error.errno == errno.EADDRINUSE:
        return (
            f"port {port} is taken by another program; choose another one, or 0 for any: --port 0 "
            "(make demo PORT=0)"
        )
    return f"port {port} cannot be used ({error}); choose one from 1024 to 65535, or 0 for any free one"


class _Handler(SimpleHTTPRequestHandler):
    """Files alone: folders are not listed, nothing is compressed on the way."""

    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True  # else every small file waits 40 ms for the browser's acknowledgement
    wbufsize = -1
    extensions_map = {**TYPES, "": OTHER_TYPE}  # noqa: RUF012  (the base class has it as a class attribute)

    def __init__(self, *arguments: object, rules: Rules, directory: str) -> None:
        self._rules = rules
        self._status = 0
        self.path = ""  # a request that cannot be read has none
        super().__init__(*arguments, directory=directory)  # type: ignore[arg-type]

    def send_head(self) -> BytesIO | BinaryIO | None:
        try:
            return super().send_head()
        except ValueError:  # such as a path with a null byte
            self.send_error(HTTPStatus.BAD_REQUEST)
            return None

    def send_response(self, code: int, message: str | None = None) -> None:
        self._status = code
        super().send_response(code, message)

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return self._ruled().get("Content-Type") or super().guess_type(path)

    def end_headers(self) -> None:
        """``guess_type`` has given the type; an error is neither the file nor to be kept."""
        left_out = {"Content-Type"} | (_OF_A_FILE if self._status >= HTTPStatus.BAD_REQUEST else set())
        for name, value in self._ruled().items():
            if name not in left_out:
                self.send_header(name, value)
        super().end_headers()

    def _ruled(self) -> dict[str, str]:
        return headers_of(unquote(self.path.partition("?")[0].partition("#")[0]), self._rules)

    def list_directory(self, path: object) -> None:
        self.send_error(HTTPStatus.NOT_FOUND)

    def log_message(self, *_: object) -> None:
        """Quiet: the browser's network panel says it better."""
