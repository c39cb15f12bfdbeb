"""What a person sees while a command works: a bar on a terminal, plain lines elsewhere; on stderr only."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable
from typing import TextIO

_WIDTH = 24
_LINES = 4  # plain lines a step, where nobody watches, and more of a slow one:
_SILENCE = 15.0  # seconds without a line after which it looks hung
_TELLING = 5.0  # seconds of work after which its pace says something, and that are worth waiting for


class Progress:
    """Reports steps and how far each is. ``clock`` counts seconds."""

    def __init__(self, stream: TextIO | None = None, clock: Callable[[], float] = time.monotonic) -> None:
        self._stream = stream if stream is not None else sys.stderr
        self._is_terminal = self._stream.isatty()
        self._clock = clock
        self._bar = False

    def say(self, line: str) -> None:
        """One line that stays."""
        self._clear()
        print(line, file=self._stream, flush=True)

    def step(self, label: str) -> Callable[[int, int], None]:
        """Starts a step; the result is called with (done, total)."""
        shown, shown_at = 0, self._clock()
        first: tuple[int, float] | None = None

        def update(done: int, total: int) -> None:
            nonlocal shown, shown_at, first
            now = self._clock()
            first = first or (done, now)
            parts = 100 if self._is_terminal else _LINES
            part = done * parts // max(total, 1)
            if part == shown and now - shown_at < _SILENCE:
                return
            shown, shown_at = part, now
            left = _time_left(done - first[0], total - done, now - first[1])
            if self._is_terminal:
                self._draw(label, f"{done}/{total}{left}", done, total)
            else:
                self.say(f"{label}: {done} of {total}{left}")

        return update

    def _draw(self, label: str, figures: str, done: int, total: int) -> None:
        filled = _WIDTH * done // max(total, 1)
        bar = "█" * filled + "░" * (_WIDTH - filled)
        print(f"\r\x1b[K{label} {bar} {figures}", end="", file=self._stream, flush=True)
        self._bar = True
        if done >= total:
            print(file=self._stream)
            self._bar = False

    def _clear(self) -> None:
        if self._bar:
            print("\r\x1b[K", end="", file=self._stream)
            self._bar = False


def _time_left(done: int, left: int, seconds: float) -> str:
    """At the pace so far; nothing before that can be told, or when little is left."""
    if done <= 0 or seconds < _TELLING:
        return ""
    rest = seconds * left / done
    if rest < _TELLING:
        return ""
    return f", about {rest:.0f} s left" if rest < 100 else f", about {rest / 60:.0f} min left"
