"""The order of a turn's frames: SPEC 4.10."""

from __future__ import annotations

from typing import Any

import pytest

from ibid.protocol import (
    Frame,
    FrameWriter,
    answer_frame,
    done_frame,
    error_frame,
    mode_frame,
    sources_frame,
    step_frame,
    turn_frame,
)

TURN = turn_frame(1, "Q?", None, replaces=False)
SOURCES = sources_frame([], [])
DONE = done_frame(
    status="done",
    related=[],
    stopped=False,
    deflected=False,
    label=None,
    inherited_from=None,
    restores=False,
)
ERROR = error_frame({"code": "rejected", "message": "No.", "next": "Retry."})


async def written(*frames: Frame) -> list[dict[str, Any]]:
    sent: list[dict[str, Any]] = []

    async def emit(frame: Frame) -> None:
        sent.append(frame)

    writer = FrameWriter(emit, "c1", "t1")
    for frame in frames:
        await writer.send(frame)
    return sent


async def test_every_frame_names_its_conversation_and_turn() -> None:
    """And its type."""
    step = step_frame({"kind": "search", "text": "x", "at": 0.0})
    sent = await written(TURN, mode_frame("agent"), step, answer_frame(0, []), SOURCES, DONE)
    assert {(frame["conversation"], frame["turn"]) for frame in sent} == {("c1", "t1")}
    assert [frame["type"] for frame in sent] == ["turn", "mode", "step", "answer", "sources", "done"]


@pytest.mark.parametrize(
    ("frames", "why"),
    [
        ((SOURCES,), "first frame"),
        ((TURN, TURN), "first frame"),
        ((TURN, DONE), "must follow the last 'sources'"),
        ((TURN, SOURCES, answer_frame(0, []), ERROR), "must follow the last 'sources'"),
        ((TURN, SOURCES, DONE, ERROR), "after the turn's last frame"),
        ((TURN, SOURCES, ERROR, SOURCES), "after the turn's last frame"),
    ],
)
async def test_frames_out_of_order_are_never_sent(frames: tuple[Frame, ...], why: str) -> None:
    """``turn`` first and once, a last ``sources``, then exactly one ``done`` or ``error``."""
    with pytest.raises(RuntimeError, match=why):
        await written(*frames)


def test_an_error_frame_has_all_that_the_reader_is_told() -> None:
    """Code, message and next step; by default the turn is stored and stays."""
    assert ERROR == {
        "type": "error",
        "code": "rejected",
        "message": "No.",
        "next": "Retry.",
        "label": None,
        "related": [],
        "restores": False,
        "stored": True,
    }
