"""One score out of two, and the same order on every host."""

from __future__ import annotations

import numpy as np
import pytest

from ibid.retrieval.fusion import best, fuse


def test_the_formula() -> None:
    """0.5 * BM25 / best BM25 + cosine + 0.6 * page cosine."""
    fused = fuse(np.array([4.0, 2.0, 0.0]), np.array([0.1, 0.2, 0.3]), np.array([0.5, 0.5, 0.0]))
    assert fused.tolist() == pytest.approx([0.5 + 0.1 + 0.3, 0.25 + 0.2 + 0.3, 0.3])


def test_without_cosines_keywords_decide() -> None:
    """A lexical index, or a query that the encoder does not know."""
    assert fuse(np.array([4.0, 2.0]), None, None).tolist() == [0.5, 0.25]


def test_without_keywords_cosines_decide() -> None:
    """No division by a best BM25 of zero."""
    assert fuse(np.zeros(2), np.array([0.1, 0.2]), np.zeros(2)).tolist() == [0.1, 0.2]


def test_scores_are_rounded() -> None:
    """Differences that hosts may disagree on are none."""
    assert fuse(np.zeros(2), np.array([0.1, 0.1 + 1e-9]), np.zeros(2)).tolist() == [0.1, 0.1]


@pytest.mark.parametrize(
    ("scores", "ids", "count", "order"),
    [
        ([0.1, 0.9, 0.5], [1, 2, 3], 3, [1, 2, 0]),
        ([0.1, 0.9, 0.5], [1, 2, 3], 2, [1, 2]),
        ([0.5, 0.5, 0.5], [3, 1, 2], 3, [1, 2, 0]),
        ([0.5, 0.5, 0.5], [3, 1, 2], 1, [1]),
        ([0.5, 0.9, 0.5, 0.5], [9, 8, 2**64 - 1, 1], 2, [1, 3]),
        ([0.5], [1], 50, [0]),
        ([], [], 50, []),
    ],
)
def test_best_first_ties_by_id(scores: list[float], ids: list[int], count: int, order: list[int]) -> None:
    """Also where the cut goes through a tie: the lower id stays."""
    found = best(np.array(scores, dtype=np.float64), np.array(ids, dtype=np.uint64), count)
    assert found.tolist() == order
