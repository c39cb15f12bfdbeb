"""A response's body read under time limits, measured by the injected clock."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Awaitable, Callable, Coroutine
from typing import Any, TypeVar

from ibid.errors import Interrupted
from ibid.ports import Clock, HttpResponse

T = TypeVar("T")

BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class Stalled(Exception):
    """Nothing came within the limit of ``seconds``."""

    def __init__(self, seconds: float) -> None:
        super().__init__(f"nothing came for {seconds:g} seconds")
        self.seconds = seconds


async def within(
    work: Coroutine[Any, Any, T],
    clock: Clock,
    seconds: float,
    *,
    limit: asyncio.Task[None] | None = None,
    discard: Callable[[T], Awaitable[None]] | None = None,
) -> T:
    """The result of ``work``. Raises Stalled after ``seconds``, or when ``limit`` ends if it is given.

    ``work`` has really ended when this returns or raises, so that nothing reads on behind the caller. A
    result that comes together with a cancellation or the limit goes to ``discard``.
    """
    working = asyncio.ensure_future(work)
    timer = limit or asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait((working, timer), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Stalled(seconds)
    except BaseException:
        await _end(working)
        if discard and not working.cancelled() and not working.exception():
            await discard(working.result())
        raise
    finally:
        if timer is not limit:
            timer.cancel()
    # No await from here on: a cancellation now would lose the result with nobody to discard it.
    return working.result()


async def _end(task: asyncio.Task[Any]) -> None:
    if not task.done():
        task.cancel()
        await asyncio.wait((task,))
    if not task.cancelled():
        task.exception()  # retrieved: a failure that came together with a cancellation is of no interest


class TimedBody:
    """Chunks of a body: ``first`` seconds may pass until the first, ``idle`` seconds until each other one.

    Any byte, of a keep-alive comment too, starts the idle limit anew.
    """

    def __init__(self, response: HttpResponse, clock: Clock, *, first: float, idle: float) -> None:
        self._response = response
        self._chunks = response.chunks()
        self._clock = clock
        self._seconds = first
        self._idle = idle
        self._deadline: asyncio.Task[None] | None = None

    def end_within(self, seconds: float) -> None:
        """From the first call on, one limit for all that is still to come replaces the idle limit."""
        if self._deadline is None:
            self._seconds = self._idle = seconds
            self._deadline = asyncio.ensure_future(self._clock.sleep(seconds))

    async def next(self) -> bytes:
        """The next bytes, b"" at the end. Raises Stalled; Interrupted when the connection breaks."""
        chunk = await within(self._next(), self._clock, self._seconds, limit=self._deadline)
        self._seconds = self._idle
        return chunk

    async def _next(self) -> bytes:
        async for chunk in self._chunks:
            if chunk:
                return chunk
        return b""

    async def beginning(self) -> bytes:
        """The bytes up to the first chunk that is not blank; b"" when there is none."""
        start = b""
        while chunk := await self.next():
            start += chunk
            if start.removeprefix(BYTE_ORDER_MARK).strip():
                return start
        return b""

    async def read(self, most: int) -> bytes:
        """The rest, at most about ``most`` bytes; what came before a break or a stall counts."""
        parts: list[bytes] = []
        size = 0
        with contextlib.suppress(Stalled, Interrupted):
            while size < most and (chunk := await self.next()):
                parts.append(chunk)
                size += len(chunk)
        return b"".join(parts)

    async def aclose(self) -> None:
        """Ends the connection. Safe to call twice."""
        if self._deadline is not None:
            await _end(self._deadline)
        await self._response.aclose()
