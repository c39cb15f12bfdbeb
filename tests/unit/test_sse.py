"""Bytes to events, as the WHATWG event stream says."""

from __future__ import annotations

import pytest

from ibid.sse import EventDecoder, ServerSentEvent


def decode(body: bytes, step: int | None = None) -> list[ServerSentEvent]:
    decoder = EventDecoder()
    step = step or len(body) or 1
    return [event for i in range(0, len(body), step) for event in decoder.feed(body[i : i + step])]


def data(*texts: str) -> list[ServerSentEvent]:
    return [ServerSentEvent(text) for text in texts]


CASES: dict[str, tuple[bytes, list[ServerSentEvent]]] = {
    "one blank after the colon is dropped, no more": (
        b"data: a\n\ndata:b\n\ndata:  c\n\n",
        data("a", "b", " c"),
    ),
    "lines may end in LF, CR, CR LF, mixed": (
        b"data: a\r\rdata: b\r\n\r\ndata: c\n\r\ndata: d\r\n\n",
        data("a", "b", "c", "d"),
    ),
    "data lines are joined by a line feed": (b"data: a\ndata: b\ndata\n\n", data("a\nb\n")),
    "comments are dropped, also inside an event": (b": hi\n\n:\ndata: a\n:x\ndata: b\n\n", data("a\nb")),
    "an event without data is none": (b"event: ping\n\nid: 4\n\ndata: a\n\n", data("a")),
    "the event's name is kept, and forgotten after it": (
        b"event: error\ndata: a\n\ndata: b\n\n",
        [ServerSentEvent("a", "error"), ServerSentEvent("b")],
    ),
    "unknown fields are ignored": (b"retry: 10\nfoo: bar\ndata: a\n\n", data("a")),
    "a byte order mark counts only at the very start": (
        b"\xef\xbb\xbfdata: a\n\n\xef\xbb\xbfdata: b\n\n",
        data("a"),
    ),
    "characters of several bytes": ("data: 缓存 🌍 é\n\n".encode(), data("缓存 🌍 é")),
    "bytes that are no UTF-8 become U+FFFD": (b"data: a\xffb\n\n", data("a\ufffdb")),
    "other line separators of Unicode end no line": (
        "data: a\u2028b\u0085c\x0bd\n\n".encode(),
        data("a\u2028b\u0085c\x0bd"),
    ),
    "half an event at the end is not read": (b"data: a\n\ndata: half\n", data("a")),
    "an empty body": (b"", []),
}


@pytest.mark.parametrize("name", CASES)
@pytest.mark.parametrize("step", [None, 1, 2, 3])
def test_reads_events_however_they_are_cut(name: str, step: int | None) -> None:
    """The same bytes give the same events, whole, byte by byte, or in pieces."""
    body, events = CASES[name]
    assert decode(body, step) == events


def test_an_event_comes_with_its_blank_line_not_later() -> None:
    """Also where the blank line is a lone CR: what follows is not waited for."""
    decoder = EventDecoder()
    assert decoder.feed(b"data: a\r") == []
    assert decoder.feed(b"\r") == data("a")
    assert decoder.feed(b"\n") == []
    assert decoder.feed(b"data: b\n\n") == data("b")


def test_a_long_line_in_small_pieces_stays_linear() -> None:
    """A line of a megabyte is put together once, when it ends."""
    decoder = EventDecoder()
    decoder.feed(b"data: ")
    for _ in range(20_000):
        assert decoder.feed(b"x" * 50) == []
    assert decoder.feed(b"\n\n") == data("x" * 1_000_000)
