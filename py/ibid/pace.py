"""A stream with its pauses made visible."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator
from typing import TypeVar

from ibid.ports import Clock

T = TypeVar("T")


async def with_pauses(stream: AsyncIterator[T], clock: Clock, seconds: float) -> AsyncGenerator[T | None]:
    """The stream's items, and None when it makes wait, ``seconds`` after the first item since the last None.

    What was coalesced can be drawn then: without it the last words before a long pause would stay unseen.
    Close it (``contextlib.aclosing``) before the stream.
    """
    upcoming: asyncio.Future[T] | None = None
    pause: asyncio.Future[None] | None = None
    try:
        while True:
            upcoming = upcoming or asyncio.ensure_future(anext(stream))
            await asyncio.wait([f for f in (upcoming, pause) if f], return_when=asyncio.FIRST_COMPLETED)
            if upcoming.done():
                try:
                    item = upcoming.result()
                except StopAsyncIteration:
                    return
                upcoming = None
                # One timer for all items of an interval: a timer for each would cost more than the items do.
                pause = pause or asyncio.ensure_future(clock.sleep(seconds))
                yield item
            else:
                pause = None
                yield None
    finally:
        waiting = [future for future in (upcoming, pause) if future is not None and not future.done()]
        for future in waiting:
            future.cancel()
        if waiting:
            # Not awaited themselves: their cancellation would pass for our own.
            await asyncio.wait(waiting)
        if upcoming is not None and not upcoming.cancelled():
            upcoming.exception()  # looked at, or the loop complains that nobody did
