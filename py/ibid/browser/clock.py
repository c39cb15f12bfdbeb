"""Time in the browser."""

from __future__ import annotations

import asyncio
import time


class BrowserClock:
    """An ``ibid.ports.Clock`` on the worker's own event loop."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Waits; cancellable."""
        await asyncio.sleep(seconds)
