"""Bytes to server-sent events, without I/O.

The rules are those of the WHATWG HTML standard, section 9.2.6 "Interpreting an event stream". ``id`` and
``retry`` are not kept: they serve reconnection, and an answer is never resumed.
"""

from __future__ import annotations

import codecs
import re
from dataclasses import dataclass

_LINE_END = re.compile(r"\r\n|\r|\n")


@dataclass(frozen=True)
class ServerSentEvent:
    """One dispatched event; ``data`` is its data lines joined by a line feed."""

    data: str
    event: str = "message"


class EventDecoder:
    """Feed it the body as it arrives, cut anywhere; it gives each event as soon as its blank line is there.

    What stands after the last blank line is half an event and is never given out.
    """

    def __init__(self) -> None:
        # One decoder for the whole body: a character may be cut by the network. "-sig" drops one leading BOM.
        self._decoder = codecs.getincrementaldecoder("utf-8-sig")(errors="replace")
        self._line: list[str] = []  # pieces of the line that is still open, joined once, when it ends
        self._after_return = False
        self._event = ""
        self._data: list[str] = []

    def feed(self, chunk: bytes) -> list[ServerSentEvent]:
        """The events that this chunk completes, in order; never raises."""
        text = self._decoder.decode(chunk)
        if not text:
            return []
        if self._after_return and text[0] == "\n":
            text = text[1:]  # the second half of a CR LF whose CR has already ended the line
            self._after_return = False
            if not text:
                return []
        self._after_return = text.endswith("\r")
        *ended, rest = _LINE_END.split(text)
        events = []
        for piece in ended:
            line = "".join((*self._line, piece))
            self._line.clear()
            event = self._read(line)
            if event:
                events.append(event)
        if rest:
            self._line.append(rest)
        return events

    def _read(self, line: str) -> ServerSentEvent | None:
        if not line:
            return self._dispatch()
        name, _, value = line.partition(":")  # a comment is a line whose name is empty
        value = value.removeprefix(" ")
        if name == "data":
            self._data.append(value)
        elif name == "event":
            self._event = value
        return None

    def _dispatch(self) -> ServerSentEvent | None:
        data, event = self._data, self._event
        self._data, self._event = [], ""
        return ServerSentEvent("\n".join(data), event or "message") if data else None
