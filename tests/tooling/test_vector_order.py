"""Near vectors stand together."""

from __future__ import annotations

import numpy as np

from ibid_build.vector_order import neighbours_together


def clustered(groups: int, each: int, dim: int = 16) -> np.ndarray:
    rng = np.random.default_rng(3)
    centres = rng.normal(size=(groups, dim)) * 20
    rows = centres[np.arange(groups * each) % groups] + rng.normal(size=(groups * each, dim))
    return np.clip(np.rint(rows), -63, 63).astype(np.int8)


def test_every_vector_has_one_place() -> None:
    """Also where they do not fill the last shard, or are all the same."""
    for vectors in (clustered(5, 21), np.ones((37, 4), dtype=np.int8), clustered(1, 3)):
        order = neighbours_together(vectors, size=8)
        assert sorted(order.tolist()) == list(range(len(vectors)))
        assert np.array_equal(order, neighbours_together(vectors, size=8))


def test_a_shard_holds_what_is_near() -> None:
    """Vectors of eight groups, taken in turn, end up with their own."""
    groups = neighbours_together(clustered(8, 16), size=16) % 8
    assert all(len(set(shard.tolist())) == 1 for shard in groups.reshape(8, 16))
