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
    discard: Callable[[T], Awaitable[None]],
) -> T:
    """The result of ``work``. Raises Stalled after ``seconds``.

    ``work`` has really ended when this returns or raises. A result that comes together with a cancellation
    or with the limit goes to ``discard``.
    """
    working = asyncio.ensure_future(work)
    timer = asyncio.ensure_future(clock.sleep(seconds))
    try:
        await asyncio.wait((working, timer), return_when=asyncio.FIRST_COMPLETED)
        if not working.done():
            raise Stalled(seconds)
    except BaseException:
        await _end(working)
        if not working.cancelled() and not working.exception():
            await discard(working.result())
        raise
    finally:
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
        self._due = 0.0
        self._ending = False
        self._expired = False
        self._reader: asyncio.Task[Any] | None = None
        self._watchdog: asyncio.Task[None] | None = None

    def end_within(self, seconds: float) -> None:
        """From the first call on, one limit for all that is still to come replaces the idle limit."""
        if not self._ending:
            self._ending = True
            self._set_due(seconds)

    async def next(self) -> bytes:
        """The next bytes, b"" at the end. Raises Stalled; Interrupted when the connection breaks."""
        if not self._ending:
            self._set_due(self._seconds)
        if self._expired:
            raise Stalled(self._seconds)
        # As asyncio.timeout does: the watchdog cancels the task that reads. A task for each read and a timer
        # for each wait cost 2.2 ms a chunk in Pyodide, where a turn of the event loop is dear; this, 0.3 ms.
        reader = asyncio.current_task()
        assert reader is not None  # noqa: S101 - a coroutine that runs has a task
        cancellations = reader.cancelling()
        self._reader = reader
        try:
            chunk = await self._next()
        except asyncio.CancelledError:
            if self._expired and reader.uncancel() <= cancellations:
                raise Stalled(self._seconds) from None
            raise
        finally:
            self._reader = None
        self._seconds = self._idle
        return chunk

    def _set_due(self, seconds: float) -> None:
        """The limit counts from now; a watchdog that sleeps for longer than that is replaced."""
        due = self._clock.now() + seconds
        if self._watchdog is None or self._watchdog.done() or due < self._due:
            if self._watchdog is not None:
                self._watchdog.cancel()
            self._expired = False
            self._watchdog = asyncio.ensure_future(self._watch())
        self._due, self._seconds = due, seconds

    async def _watch(self) -> None:
        while (left := self._due - self._clock.now()) > 0:
            await self._clock.sleep(left)
        self._expired = True
        if self._reader is not None:
            self._reader.cancel()

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
        if self._watchdog is not None:
            self._watchdog.cancel()
        await self._response.aclose()
