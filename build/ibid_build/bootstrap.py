"""Whether a run differs from an earlier one by more than its questions' chance: the paired bootstrap."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.errors import InputError
from ibid_build.questions import json_rows

RESAMPLES = 10_000
LEVEL = 0.95
_BLOCK = 100

Measures = Mapping[str, float]
"""What a run scored on one question, by the measure's name."""


def read_run(path: Path, names: Sequence[str]) -> dict[str, Measures]:
    """Question id -> measures, of a file that ``ibid eval --per-query`` wrote. Raises InputError."""
    run: dict[str, Measures] = {}
    for line, row in json_rows(path, ("id",)):
        if not row.get("pages"):
            continue  # a question that nothing answers has none
        values = {name: row.get(name) for name in names}
        if not all(isinstance(v, int | float) and not isinstance(v, bool) for v in values.values()):
            raise InputError(
                f"{path}:{line} lacks one of {', '.join(names)}; write it with: ibid eval --per-query"
            )
        run[row["id"]] = {name: float(row[name]) for name in names}
    return run


def compare(run: Mapping[str, Measures], baseline: Mapping[str, Measures]) -> dict[str, Any]:
    """Of each measure the mean difference to the baseline and its 95 % interval, over the questions of both.

    Questions are drawn with replacement, each with its two scores, 10,000 times (Efron 1979; for retrieval:
    Sakai 2006); the interval is that of the percentiles. Raises InputError when the runs share no question.
    """
    shared = [question for question in run if question in baseline]
    if not shared:
        raise InputError("The baseline answers none of these questions; was it made with the same --queries?")
    found: dict[str, Any] = {"queries": len(shared)}
    for name in run[shared[0]]:
        differences = np.array([run[q][name] - baseline[q][name] for q in shared], dtype=np.float64)
        low, high = np.quantile(_resampled_means(differences), [(1 - LEVEL) / 2, (1 + LEVEL) / 2])
        found[name] = {
            "difference": round(float(differences.mean()), 4),
            "low": round(float(low), 4),
            "high": round(float(high), 4),
        }
    return found


def _resampled_means(values: NDArray[np.float64]) -> NDArray[np.float64]:
    """float64 [RESAMPLES]; the same for the same values."""
    generator = np.random.default_rng(0)
    draws = (generator.integers(len(values), size=(_BLOCK, len(values))) for _ in range(RESAMPLES // _BLOCK))
    return np.concatenate([values[rows].mean(axis=1) for rows in draws])
