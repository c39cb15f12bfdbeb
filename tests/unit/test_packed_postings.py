"""Postings come back as they were packed."""

from __future__ import annotations

import numpy as np
import pytest

from ibid.errors import IndexInvalid
from ibid.index import Postings
from ibid.packed_postings import PARTS, pack, unpack


def postings(*rows: list[int]) -> Postings:
    ordinals = [ordinal for row in rows for ordinal in row]
    starts = np.cumsum([0, *map(len, rows)])
    impacts = np.arange(len(ordinals)) % 63 + 1
    return Postings(starts.astype(np.uint32), np.array(ordinals, dtype=np.uint32), impacts.astype(np.uint8))


@pytest.mark.parametrize(
    ("rows", "documents"),
    [
        ([[0]], 1),
        ([[0, 1, 2], [2], [0, 2]], 3),
        ([[5], [], [5], []], 6),
        ([[0, 70_000], [69_999]], 70_001),
        ([[4_000_000_000 - n] for n in range(9)], 2**32),
        ([], 4),
        ([[], []], 4),
    ],
    ids=["one", "three rows", "empty rows", "wide gaps", "sums beyond 32 bits", "no rows", "nothing in them"],
)
def test_a_round_trip(rows: list[list[int]], documents: int) -> None:
    """Every row, also where the sums over all rows pass 2**32."""
    before = postings(*rows)
    after = unpack("chunk", pack(before), len(rows), documents)
    assert after.starts.tolist() == before.starts.tolist()
    assert after.ordinals.tolist() == before.ordinals.tolist()
    assert after.impacts.tolist() == before.impacts.tolist()
    assert after.ordinals.dtype == (np.uint16 if documents <= 2**16 else np.uint32)


def test_small_numbers_take_two_bytes() -> None:
    """Counts and gaps each by their own largest."""
    packed = pack(postings([0, 70_000], [1]))
    assert [packed[name].dtype for name in PARTS] == [np.uint16, np.uint32, np.uint8]


def test_hostile_gaps_cannot_reach_beyond() -> None:
    """Sums that wrap around come out as documents that are not there, or as rows that fall."""
    packed = pack(postings([0, 1, 2], [0, 1, 2]))
    for value in (0, 2**31, 2**32 - 1):
        for place in range(1, 6):
            gaps = packed["gaps"].astype(np.uint32)
            gaps[place] = value
            if place == 3 and value == 0:
                continue  # the first of a row may be 0
            with pytest.raises(IndexInvalid, match="chunk-gaps"):
                unpack("chunk", packed | {"gaps": gaps}, 2, 3)
