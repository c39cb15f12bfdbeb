"""The bar of a site is fitted on its own headings and on questions that hardly any site answers."""

from __future__ import annotations

import asyncio
import math
from pathlib import Path

import pytest

from ibid.settings import Settings
from ibid_build.calibrate import bar_that_passes, best_separator, fit_threshold, heading_probes
from ibid_build.probes import FAR, NEAR
from small_index import chunk, open_small

CHUNKS = [
    chunk("timers.md", "The timer fires once.", title="Timer basics"),
    chunk("net.md", "A socket is closed.", title="Socket", heading="Closing the socket"),
]


def test_a_site_far_from_the_probes_keeps_the_floor(tmp_path: Path) -> None:
    """Where no probe comes near, the floor alone is the bar, and every heading passes."""
    fit = fit_threshold(asyncio.run(open_small(tmp_path, CHUNKS)), CHUNKS, Settings())
    assert fit.threshold == 0.35
    assert (fit.figures["near_answered"], fit.figures["far_answered"]) == (0.0, 0.0)
    assert fit.figures["headings_kept"] == 1.0


def test_a_site_close_to_the_probes_gets_a_higher_bar(tmp_path: Path) -> None:
    """Where technical questions all look half relevant, the bar rises until few of them pass."""
    halves = [" ".join(probe.split()[: len(probe.split()) // 2 + 1]) for probe in NEAR]
    chunks = [*CHUNKS, *(chunk(f"p{i}.md", half) for i, half in enumerate(halves))]
    fit = fit_threshold(asyncio.run(open_small(tmp_path, chunks, dense=False)), CHUNKS, Settings())
    assert fit.threshold > 0.35
    assert fit.figures["near_answered"] <= 0.15


def test_headings_bound_the_bar(tmp_path: Path) -> None:
    """The site's own headings must go on passing, whatever the probes say."""
    chunks = [chunk(f"p{i}.md", f"{probe} token") for i, probe in enumerate(NEAR)]
    index = asyncio.run(open_small(tmp_path, chunks, dense=False))
    fit = fit_threshold(index, [chunk("x.md", "x", title="no word of this is there: timer")], Settings())
    assert fit.threshold == 0.35


@pytest.mark.parametrize(
    ("values", "share", "passing"),
    [
        ([0.1, 0.2, 0.3, 0.4], 0.25, 1),
        ([0.1, 0.2, 0.3, 0.4], 0.0, 0),
        ([0.3, 0.3, 0.3], 0.34, 0),
        ([], 0.1, 0),
    ],
)
def test_the_bar_that_at_most_a_share_reaches(values: list[float], share: float, passing: int) -> None:
    """Equal values stay together, on the far side of the bar."""
    bar = bar_that_passes(values, share)
    assert sum(value >= bar for value in values) == passing
    assert math.isfinite(bar)


def test_the_best_separator_lies_between_the_kinds() -> None:
    """Midway where nothing overlaps; where it does, the least mistakes of both kinds."""
    assert best_separator([([0.6, 0.8], [0.1, 0.4])]) == pytest.approx(0.5)
    assert 0.4 < best_separator([([0.3, 0.6, 0.7, 0.8], [0.1, 0.2, 0.3, 0.4])]) <= 0.6


def test_headings_are_asked_with_their_page() -> None:
    """A heading such as "Options" says nothing without its title; equal ones are asked once."""
    chunks = [
        chunk("a.md", "x", title="Timers", heading="Options"),
        chunk("a.md", "y", title="Timers", heading="Options"),
        chunk("b.md", "z", title="Word"),
        chunk("c.md", "z", title="认证"),
    ]
    assert heading_probes(chunks) == ["Timers: Options", "认证"]


def test_many_headings_are_thinned_evenly() -> None:
    """Two hundred at most, from the first page to the last."""
    probes = heading_probes([chunk(f"{i}.md", "x", title=f"Title {i:04}") for i in range(1000)])
    assert (len(probes), probes[0], probes[-1]) == (200, "Title 0000", "Title 0995")


def test_the_probes_are_questions_of_their_own() -> None:
    """Some sixty of each kind, none twice."""
    assert len(set(NEAR)) == len(NEAR) >= 60
    assert len(set(FAR)) == len(FAR) >= 60
    assert not set(NEAR) & set(FAR)
