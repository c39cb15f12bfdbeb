"""An asyncio event loop without sockets or threads, for pytest inside Pyodide.

Pyodide's own loop cannot run until a task is done, and CPython's needs a socket pair. The tests wait for
nothing but each other and a clock that they turn themselves.
"""

from __future__ import annotations

import asyncio
import time
from typing import Any


class _NoSelector:
    """Nothing ever happens outside; only timers are waited for."""

    def select(self, timeout: float | None) -> list[Any]:
        if timeout is None:
            raise RuntimeError("every task waits for another: the test would hang")
        time.sleep(timeout)
        return []


class PlainLoop(asyncio.BaseEventLoop):
    """Runs callbacks and timers."""

    def __init__(self) -> None:
        super().__init__()
        self._selector = _NoSelector()

    def _process_events(self, event_list: list[Any]) -> None:
        pass

    def _write_to_self(self) -> None:
        pass


class PlainPolicy(asyncio.DefaultEventLoopPolicy):
    """Makes such loops."""

    _loop_factory = PlainLoop


def install() -> None:
    """Makes it the loop of this interpreter, instead of Pyodide's, which counts as running all the time."""
    asyncio._set_running_loop(None)
    asyncio.set_event_loop_policy(PlainPolicy())
