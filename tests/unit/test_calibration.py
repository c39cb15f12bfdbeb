"""The calibration map: monotone, exact at its knots, flat outside, and refused when it cannot be a map."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ibid.calibration import PiecewiseLinear
from ibid.errors import IndexInvalid

KNOTS = [[0.0, 0.0], [0.46, 0.35], [1.0, 1.0]]


@pytest.mark.parametrize(
    ("value", "mapped"),
    [
        (0.0, 0.0),
        (0.46, 0.35),
        (1.0, 1.0),
        (0.23, 0.175),
        (0.73, 0.675),
        (-0.4, 0.0),
        (1.7, 1.0),
    ],
)
def test_a_number_maps_along_the_straight_line_between_its_knots(value: float, mapped: float) -> None:
    """Straight between the knots, flat outside of them; a number gives a plain float."""
    result = PiecewiseLinear(KNOTS)(value)
    assert type(result) is float
    assert result == pytest.approx(mapped)


def test_an_array_maps_element_by_element_and_keeps_its_shape_and_order() -> None:
    """Vectorised: the same values as one by one, never falling."""
    calibrate = PiecewiseLinear(KNOTS)
    values = np.linspace(-1, 2, 300).reshape(3, 100)
    mapped = calibrate(values)
    assert mapped.shape == (3, 100)
    assert mapped.ravel().tolist() == [calibrate(float(value)) for value in values.ravel()]
    assert (np.diff(mapped.ravel()) >= 0).all()


def test_the_knots_read_back_as_they_were_given() -> None:
    """``knots`` is JSON-ready and builds the same map."""
    assert PiecewiseLinear(KNOTS).knots == KNOTS
    assert PiecewiseLinear(PiecewiseLinear(KNOTS).knots).knots == KNOTS


@pytest.mark.parametrize(
    ("knots", "rule"),
    [
        ([], "two or more"),
        ([[0, 0]], "two or more"),
        ([[0, 0, 0], [1, 1, 1]], "two or more"),
        ([[0, 0], [1]], "two or more"),
        ([["a", "b"], ["c", "d"]], "two or more"),
        ([[0, 0], [math.nan, 1]], "finite"),
        ([[0, 0], [1, math.inf]], "finite"),
        ([[0, 0], [0, 1]], "must rise"),
        ([[1, 0], [0, 1]], "must rise"),
        ([[0, 1], [1, 0]], "must not fall"),
    ],
)
def test_knots_that_are_no_monotone_map_are_refused(knots: list[list[float]], rule: str) -> None:
    """The message shows the knots, says which rule they break, and what to do."""
    with pytest.raises(IndexInvalid, match=rule) as caught:
        PiecewiseLinear(knots)
    assert "build it again" in str(caught.value)


def test_a_level_stretch_is_allowed() -> None:
    """Never falling is enough: two knots may share their second number."""
    assert PiecewiseLinear([[0, 0], [0.5, 0.5], [0.8, 0.5], [1, 1]])(0.7) == 0.5
