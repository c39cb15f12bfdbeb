"""A clock that stands still until a test moves it."""

from __future__ import annotations

import asyncio


class ManualClock:
    """A ``ibid.ports.Clock``; :meth:`advance` ends the sleeps whose time has come."""

    def __init__(self, now: float = 1_800_000_000.0) -> None:
        self._now = now
        self._sleepers: list[tuple[float, asyncio.Future[None]]] = []

    def now(self) -> float:
        return self._now

    async def sleep(self, seconds: float) -> None:
        sleeper: tuple[float, asyncio.Future[None]] = (
            self._now + seconds,
            asyncio.get_running_loop().create_future(),
        )
        self._sleepers.append(sleeper)
        try:
            await sleeper[1]
        finally:
            self._sleepers.remove(sleeper)

    @property
    def sleeping(self) -> list[float]:
        """Seconds that each sleeper still has to wait."""
        return [at - self._now for at, _ in self._sleepers]

    async def advance(self, seconds: float) -> None:
        """Moves on, and lets everything run that has something to do now."""
        await settle()
        self._now += seconds
        for at, future in list(self._sleepers):
            if at <= self._now and not future.done():
                future.set_result(None)
        await settle()


async def settle(turns: int = 50) -> None:
    """Lets the other tasks run until each waits for something that only the test can bring."""
    for _ in range(turns):
        await asyncio.sleep(0)
