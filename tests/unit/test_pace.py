"""A stream's pauses are told, its end and its errors come through, and nothing is left running."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator
from contextlib import aclosing

import pytest

from ibid.pace import with_pauses
from manual_clock import ManualClock, settle
from scripted_transport import Gate


class Source:
    """Items, gates to wait at, an error to raise; notes whether it was closed."""

    def __init__(self, *parts: str | Gate | Exception) -> None:
        self.parts = parts
        self.closed = False

    async def stream(self) -> AsyncIterator[str]:
        try:
            for part in self.parts:
                if isinstance(part, Gate):
                    await part.wait()
                elif isinstance(part, Exception):
                    raise part
                else:
                    yield part
        finally:
            self.closed = True


async def collect(source: Source, clock: ManualClock, items: list[str | None]) -> None:
    async with aclosing(with_pauses(source.stream(), clock, 0.03)) as paced:
        async for item in paced:
            items.append(item)


async def test_a_pause_is_told_once() -> None:
    """However long it is; the next item may be followed by the next pause."""
    clock, items = ManualClock(), list[str | None]()
    first, second = Gate(), Gate()
    collecting = asyncio.ensure_future(collect(Source("a", "b", first, "c", second), clock, items))
    await clock.advance(0.03)
    await clock.advance(5)
    assert items == ["a", "b", None]
    first.open()
    await clock.advance(0.03)
    assert items == ["a", "b", None, "c", None]
    second.open()
    await collecting
    assert clock.sleeping == []


async def test_a_stream_without_pauses_is_left_as_it_is() -> None:
    """Its end included."""
    clock, items = ManualClock(), list[str | None]()
    await collect(Source("a", "b"), clock, items)
    assert items == ["a", "b"]
    assert clock.sleeping == []


async def test_an_error_comes_through() -> None:
    """After the items before it."""
    clock, items = ManualClock(), list[str | None]()
    with pytest.raises(OSError, match="broke"):
        await collect(Source("a", OSError("broke")), clock, items)
    assert items == ["a"]
    assert clock.sleeping == []


async def test_cancelled_it_ends_the_stream() -> None:
    """In whatever it waits for."""
    clock, source = ManualClock(), Source("a", Gate())
    collecting = asyncio.ensure_future(collect(source, clock, []))
    await settle()
    collecting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await collecting
    assert source.closed
    assert clock.sleeping == []
