"""Pieces of a large thing, fetched when they are asked for; the last few are held."""

from __future__ import annotations

import asyncio
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Shards(Generic[T]):
    """Shards by number. What is asked for twice at once is fetched once."""

    def __init__(self, load: Callable[[int], Awaitable[T]], most: int) -> None:
        """``load`` fetches one; ``most`` are held, those that were used last."""
        self._load = load
        self._most = most
        self._held: OrderedDict[int, T] = OrderedDict()
        self._coming: dict[int, asyncio.Task[T]] = {}

    async def get(self, number: int) -> T:
        """One shard. Raises what ``load`` raises; the next call then tries again."""
        if number in self._held:
            self._held.move_to_end(number)
            return self._held[number]
        task = self._coming.get(number)
        if task is None:
            task = self._coming[number] = asyncio.ensure_future(self._load(number))
            task.add_done_callback(lambda done: self._arrived(number, done))
        # Who stops waiting does not take the shard away from others who wait for it.
        return await asyncio.shield(task)

    async def get_all(self, numbers: Iterable[int]) -> dict[int, T]:
        """Several, fetched side by side."""
        wanted = list(dict.fromkeys(numbers))
        return dict(zip(wanted, await asyncio.gather(*map(self.get, wanted)), strict=True))

    def _arrived(self, number: int, task: asyncio.Task[T]) -> None:
        del self._coming[number]
        if not task.cancelled() and task.exception() is None:
            self._held[number] = task.result()
            if len(self._held) > self._most:
                self._held.popitem(last=False)


def shard_name(kind: str, number: int) -> str:
    """The part that holds a shard; names that end in digits are those that are not read on opening."""
    return f"{kind}-{number:03d}"
