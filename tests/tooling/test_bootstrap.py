"""The paired bootstrap: what one run has over another, and how sure that is."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ibid.errors import InputError
from ibid_build.bootstrap import compare


def run(values: list[float]) -> dict[str, dict[str, float]]:
    return {str(number): {"ndcg@10": value} for number, value in enumerate(values)}


def test_a_constant_gain_is_certain() -> None:
    """Questions differ, their differences do not: pairing takes the questions' own spread away."""
    found = compare(run([0.6, 0.1, 0.9]), run([0.5, 0.0, 0.8]))["ndcg@10"]
    assert found == {"difference": 0.1, "low": 0.1, "high": 0.1}


def test_the_interval_is_that_of_the_mean() -> None:
    """Of many questions the percentiles come to 1.96 standard errors on either side."""
    values = [math.sin(n * n) for n in range(400)]
    found = compare(run(values), run([0.0] * 400))["ndcg@10"]
    error = float(np.std(values)) / math.sqrt(400)
    assert found["high"] - found["low"] == pytest.approx(2 * 1.96 * error, rel=0.05)
    assert found["difference"] == pytest.approx(float(np.mean(values)), abs=1e-4)
    assert found["low"] < found["difference"] < found["high"]


def test_only_shared_questions_are_compared() -> None:
    """A question that one of the runs lacks says nothing; runs that share none are refused."""
    assert compare(run([1.0, 1.0, 1.0]), run([0.5]))["queries"] == 1
    with pytest.raises(InputError, match="same --queries"):
        compare(run([1.0]), {})


def test_the_same_runs_give_the_same_interval() -> None:
    """Chance has a fixed seed."""
    values = [math.sin(n * n) for n in range(50)]
    assert compare(run(values), run([0.0] * 50)) == compare(run(values), run([0.0] * 50))
