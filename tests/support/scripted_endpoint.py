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
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import chat_chunks
from endpoint_script import Break, Delay, Hold, Part, Reply, Request, read_script, refusal
from script_server import GLANCE, ScriptServer

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
        self._server = ScriptServer(("127.0.0.1", port), self)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(GLANCE,))

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
                endpoint.closing.wait(GLANCE)


if __name__ == "__main__":
    main()
