"""The messages from the worker to the page, version 1: one builder a kind, and the guard of their order.

Every frame has ``type``, ``conversation`` and ``turn``. A turn's frames are: ``turn``, which says the
version, then any of ``mode``, ``step``, ``answer`` and ``sources``, then a last ``sources``, then exactly one
``done`` or ``error`` (SPEC 4.10).
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Any

PROTOCOL_VERSION = 1

Frame = dict[str, Any]
Emit = Callable[[Frame], Awaitable[None]]

_TERMINAL = frozenset({"done", "error"})


def turn_frame(seq: int, question: str, mode: str | None, *, replaces: bool) -> Frame:
    """The question was accepted. ``replaces``: it is answered again, in place."""
    return {
        "type": "turn",
        "version": PROTOCOL_VERSION,
        "seq": seq,
        "question": question,
        "mode": mode,
        "replaces": replaces,
    }


def mode_frame(mode: str) -> Frame:
    """How the turn is answered, once that is known."""
    return {"type": "mode", "mode": mode}


def step_frame(step: dict[str, Any]) -> Frame:
    """Something the turn did."""
    return {"type": "step", "step": step}


def answer_frame(first: int, blocks: Sequence[dict[str, Any]]) -> Frame:
    """A patch: the top-level blocks from index ``first`` on are now ``blocks``."""
    return {"type": "answer", "from": first, "blocks": list(blocks)}


def sources_frame(sources: Sequence[dict[str, Any]], chips: Sequence[dict[str, Any]]) -> Frame:
    """All sources and chips of the turn so far; the last one of a turn holds."""
    return {"type": "sources", "sources": list(sources), "chips": list(chips)}


def done_frame(
    *,
    status: str,
    related: Sequence[dict[str, Any]],
    stopped: bool,
    deflected: bool,
    label: str | None,
    inherited_from: str | None,
    restores: bool,
) -> Frame:
    """The turn ended well, or was stopped. ``restores``: an earlier version stays the active one."""
    return {
        "type": "done",
        "status": status,
        "related": list(related),
        "stopped": stopped,
        "deflected": deflected,
        "label": label,
        "inherited_from": inherited_from,
        "restores": restores,
    }


def error_frame(
    error: dict[str, str],
    *,
    label: str | None = None,
    related: Sequence[dict[str, Any]] = (),
    restores: bool = False,
    stored: bool = True,
) -> Frame:
    """The turn failed. ``error`` has code, message and next; ``stored`` False: a reload will not show it."""
    return {
        "type": "error",
        **error,
        "label": label,
        "related": list(related),
        "restores": restores,
        "stored": stored,
    }


class FrameWriter:
    """Sends the frames of one turn, and holds their order: nothing follows the terminal frame."""

    def __init__(self, emit: Emit, conversation: str, turn: str) -> None:
        self._emit = emit
        self._ids = {"conversation": conversation, "turn": turn}
        self._last = ""

    @property
    def ended(self) -> bool:
        """Whether the terminal frame has been sent."""
        return self._last in _TERMINAL

    async def send(self, frame: Frame) -> None:
        """Send one frame. Raises RuntimeError for one out of order: a mistake of the caller's, never sent."""
        kind = frame["type"]
        if self.ended:
            raise RuntimeError(f"a {kind!r} frame after the turn's last frame ({self._last!r})")
        if (kind == "turn") != (self._last == ""):
            raise RuntimeError(f"a {kind!r} frame where the turn's first frame must be 'turn', and it alone")
        if kind in _TERMINAL and self._last != "sources":
            raise RuntimeError(f"a {kind!r} frame must follow the last 'sources' frame, not {self._last!r}")
        self._last = kind
        await self._emit({"type": kind, **self._ids, **frame})
