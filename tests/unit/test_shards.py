"""Shards are fetched once, held for a while, and shared by all who wait."""

from __future__ import annotations

import asyncio

import pytest

from ibid.shards import Shards, shard_name


class Source:
    """Hands out a number's square when it is told to."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self.open = asyncio.Event()
        self.broken = False

    async def load(self, number: int) -> int:
        self.asked.append(number)
        await self.open.wait()
        if self.broken:
            raise OSError("broken")
        return number * number


async def test_shards_are_fetched_side_by_side_and_once() -> None:
    source = Source()
    shards = Shards(source.load, 4)
    waiting = [asyncio.create_task(shards.get_all([2, 3, 2])) for _ in range(2)]
    await asyncio.sleep(0)
    await asyncio.sleep(0)
    source.open.set()
    assert [await task for task in waiting] == [{2: 4, 3: 9}] * 2
    assert await shards.get(3) == 9
    assert source.asked == [2, 3]


async def test_the_least_recently_used_goes() -> None:
    source = Source()
    source.open.set()
    shards = Shards(source.load, 2)
    for number in (1, 2, 1, 3, 1, 2):
        await shards.get(number)
    assert source.asked == [1, 2, 3, 2]


async def test_more_than_are_held_can_be_asked_for() -> None:
    source = Source()
    source.open.set()
    assert await Shards(source.load, 2).get_all(range(5)) == {n: n * n for n in range(5)}


async def test_who_stops_waiting_does_not_stop_others() -> None:
    source = Source()
    shards = Shards(source.load, 2)
    impatient, patient = asyncio.create_task(shards.get(5)), asyncio.create_task(shards.get(5))
    await asyncio.sleep(0)
    impatient.cancel()
    await asyncio.sleep(0)
    source.open.set()
    assert await patient == 25
    assert source.asked == [5]


async def test_a_failure_is_not_remembered() -> None:
    source = Source()
    source.open.set()
    source.broken = True
    shards = Shards(source.load, 2)
    with pytest.raises(OSError, match="broken"):
        await shards.get(1)
    source.broken = False
    assert await shards.get(1) == 1


def test_the_names_of_shards_end_in_digits() -> None:
    """By which the page knows what not to fetch early."""
    assert [shard_name("texts", n) for n in (0, 12, 4321)] == ["texts-000", "texts-012", "texts-4321"]
