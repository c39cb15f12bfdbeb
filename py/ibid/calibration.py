"""The monotone map from an encoder's raw scale to the calibrated one (SPEC 5)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import overload

import numpy as np
from numpy.typing import NDArray

from ibid.errors import IndexInvalid


class PiecewiseLinear:
    """A never-falling function given by knots ``(x, y)``: straight between them, flat outside.

    A raw cosine means something else for every encoder, so each ships such a map, which sends its own
    best separating value to 0.35. Order is kept: ``a <= b`` gives ``map(a) <= map(b)``.
    """

    __slots__ = ("_x", "_y")

    def __init__(self, knots: Iterable[Sequence[float]]) -> None:
        """Knots need two or more finite pairs, x rising strictly, y never falling. Raises IndexInvalid."""
        pairs = list(knots)
        try:
            table = np.array(pairs, dtype=np.float64)
        except (TypeError, ValueError, OverflowError):
            table = np.empty(0)
        if table.ndim != 2 or table.shape[0] < 2 or table.shape[1] != 2:
            raise _invalid(pairs, "two or more pairs of numbers are needed")
        if not np.isfinite(table).all():
            raise _invalid(pairs, "every number must be finite")
        x, y = table[:, 0].copy(), table[:, 1].copy()
        if (np.diff(x) <= 0).any():
            raise _invalid(pairs, "the first numbers must rise")
        if (np.diff(y) < 0).any():
            raise _invalid(pairs, "the second numbers must not fall")
        self._x, self._y = x, y

    @property
    def knots(self) -> list[list[float]]:
        """JSON-ready, the inverse of the constructor."""
        return [[float(x), float(y)] for x, y in zip(self._x, self._y, strict=True)]

    @overload
    def __call__(self, values: float) -> float: ...

    @overload
    def __call__(self, values: NDArray[np.floating]) -> NDArray[np.float64]: ...

    def __call__(self, values: float | NDArray[np.floating]) -> float | NDArray[np.float64]:
        """The map of one number, or of an array of any shape, element by element."""
        if isinstance(values, np.ndarray):
            mapped: NDArray[np.float64] = np.interp(values, self._x, self._y)
            return mapped
        return float(np.interp(values, self._x, self._y))


def _invalid(pairs: list[Sequence[float]], rule: str) -> IndexInvalid:
    shown = ", ".join(map(str, pairs[:4])) + (", …" if len(pairs) > 4 else "")
    return IndexInvalid(
        f"The calibration knots [{shown}] cannot be used: {rule}. "
        "The index is damaged or was written by another version; build it again."
    )
