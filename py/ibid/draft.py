"""The text of an answer while it is written: drawn as it comes, at most once a drawn frame."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from ibid.citations import cited_numbers
from ibid.evidence import Announce
from ibid.ports import Clock
from ibid.protocol import answer_frame
from ibid.streaming_markdown import Patch, StreamingTree

FRAME_SECONDS = 0.03
"""Between two answer frames; about two frames of a 60 Hz screen."""


class Draft:
    """One text at a time: what a new message writes takes the place of the message before.

    A message that turns out to call tools has said nothing that belongs to the answer, but its words stay
    on screen, and are kept should the turn end there, until the next message has words of its own.

    ``source_count`` tells how many sources the turn has registered by now.
    """

    def __init__(
        self,
        clock: Clock,
        announce: Announce,
        may_cite: Callable[[int], bool],
        source_count: Callable[[], int],
    ) -> None:
        self._clock = clock
        self._announce = announce
        self._may_cite = may_cite
        self._source_count = source_count
        self.known = 0
        """Sources that were registered when the text was begun: its marks can mean no later one."""
        self._tree = StreamingTree(may_cite)
        self._undrawn = ""
        self._starts_anew = True
        self._replaces = False  # an earlier message is still on screen
        self._drawn_at = float("-inf")

    @property
    def text(self) -> str:
        """The text as it is stored."""
        return self._tree.text

    @property
    def blocks(self) -> list[dict[str, Any]]:
        """Its top-level blocks, as last drawn."""
        return self._tree.tree

    @property
    def cited(self) -> tuple[int, ...]:
        """The numbers that the text cites, in order of first appearance."""
        return cited_numbers(self.blocks)

    def start_message(self) -> None:
        """What is added from now on replaces the text."""
        self._starts_anew = True

    def add(self, text: str) -> None:
        """Add to the text without drawing it yet. Blanks before a message's first word are dropped."""
        if self._starts_anew:
            text = text.lstrip()
            if not text:
                return
            self._replaces = bool(self.blocks)
            self._tree = StreamingTree(self._may_cite)
            self.known = self._source_count()
            self._undrawn, self._starts_anew = "", False
        self._undrawn += text

    async def write(self, text: str) -> None:
        """Add to the text, and draw it if the last drawing is long enough ago."""
        self.add(text)
        if self._clock.now() - self._drawn_at >= FRAME_SECONDS:
            await self.draw()

    async def draw(self) -> None:
        """Draw what has been added."""
        if self._undrawn:
            undrawn, self._undrawn = self._undrawn, ""
            patch = self._tree.feed(undrawn)
            if patch is not None:
                await self._show(patch)

    async def end_message(self) -> None:
        """Draw the message to its end: nothing in it is undecided any more."""
        await self.draw()
        before = self.blocks
        patch = self._tree.close()
        if self.blocks != before or self._replaces:
            await self._show(patch)

    async def _show(self, patch: Patch) -> None:
        self._drawn_at = self._clock.now()
        self._replaces = False
        await self._announce(answer_frame(patch.start, patch.blocks))
