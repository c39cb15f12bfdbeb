"""An order in which near vectors stand together, so that a question needs few shards of them."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibid.vectors import ROWS_A_SHARD

_SAMPLE = 8_192  # vectors that tell the axis along which a group is parted


def neighbours_together(vectors: NDArray[np.int8], size: int = ROWS_A_SHARD) -> NDArray[np.intp]:
    """A permutation, intp [n], of which every ``size`` are near each other. The same vectors, the same order.

    Groups are halved across their first principal axis (Sproull 1991), at a multiple of ``size``.
    """
    done: list[NDArray[np.intp]] = []
    waiting = [np.arange(len(vectors), dtype=np.intp)]
    while waiting:
        group = waiting.pop()
        shards = -(-len(group) // size)
        if shards <= 1:
            done.append(group)
            continue
        middle = shards // 2 * size
        along = vectors[group].astype(np.float32) @ _axis(vectors[group[:: -(-len(group) // _SAMPLE)]])
        parted = group[np.argsort(along, kind="stable")]
        waiting += [parted[middle:], parted[:middle]]  # the lower half is taken up first
    return np.concatenate(done)


def _axis(vectors: NDArray[np.int8]) -> NDArray[np.float32]:
    """float32 [dim]: the direction in which they differ most."""
    centred = vectors - vectors.mean(axis=0, dtype=np.float64)
    _, axes = np.linalg.eigh(centred.T @ centred)
    axis = axes[:, -1]
    turned: NDArray[np.float32] = (axis * np.sign(axis[np.abs(axis).argmax()])).astype(np.float32)
    return turned
