"""The encoder's maps put the best separators of retrieval sets where the floor is."""

from __future__ import annotations

import asyncio
from pathlib import Path

from ibid_build.calibrate_encoder import BAR, Set, fit, report
from ibid_build.evaluate import Question
from small_index import chunk, open_small

CHUNKS = [
    chunk("timer.md", "The timer fires once.", title="Timer"),
    chunk("net.md", "A socket is closed.", title="Socket"),
]
QUESTIONS = (
    Question("1", "the timer", {"timer": 1}),
    Question("2", "closed socket", {"net": 1}),
    Question("3", "timer and cache and pool and token and file", {}, "near"),
    Question("4", "who painted the chapel", {}, "far"),
)


def small_set(tmp_path: Path) -> Set:
    return Set("small", asyncio.run(open_small(tmp_path, CHUNKS)), QUESTIONS, QUESTIONS)


def test_each_map_sends_its_separator_to_the_floor(tmp_path: Path) -> None:
    """From nothing over the separator, which is the default floor, to the whole."""
    calibration = fit([small_set(tmp_path)])
    for each in (calibration.cosine, calibration.relevance, calibration.coverage):
        assert each.knots[0] == [0, 0]
        assert each.knots[1][1] == BAR
        assert each.knots[2][1] == 1


def test_the_cosine_parts_from_far_questions_only(tmp_path: Path) -> None:
    """A near question may share the subject; keeping it out is relevance's part, together with coverage."""
    calibration = fit([small_set(tmp_path)])
    near = 1 / 5**0.5  # one of the five words that the question and the passage's vector share
    assert calibration.cosine.knots[1][0] > 0
    assert calibration.relevance.knots[1][0] > calibration.cosine(near)


def test_the_report_is_of_the_other_half(tmp_path: Path) -> None:
    """With the maps in place the answerable questions pass, the others do not."""
    each = small_set(tmp_path)
    figures = report(each, fit([each]))
    assert (figures["queries"], figures["fitted on"]) == (2, 4)
    assert (figures["answerable_kept"], figures["near_answered"], figures["far_answered"]) == (1.0, 0.0, 0.0)
