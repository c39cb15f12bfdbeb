"""Collects headings and blocks in reading order into sections."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from ibid.models import Block, BlockKind, Section


def join_rows(rows: Sequence[Sequence[str]]) -> str:
    """A table as :class:`ibid.models.Block` has it: every row with as many cells as the widest.

    A bar between blanks inside a cell (``str | None``) gets no-break blanks, so that it parts no cells.
    """
    width = max((len(row) for row in rows), default=0)
    lines = []
    for row in rows:
        if any(row):
            cells = (cell.replace(" | ", "\u00a0|\u00a0") for cell in row)
            lines.append(" | ".join([*cells, *[""] * (width - len(row))]))
    return "\n".join(lines)


@dataclass(slots=True)
class _Open:
    heading: str
    level: int
    anchor: str
    line: int
    blocks: list[Block] = field(default_factory=list)

    def reopened(self) -> _Open:
        return _Open(self.heading, self.level, self.anchor, self.line)


class SectionBuilder:
    """Fed with headings and blocks; gives the page's sections.

    Text before the first heading is in a section of level 0 without heading or anchor.
    """

    def __init__(self) -> None:
        self._sections = [_Open("", 0, "", 0)]

    @property
    def level(self) -> int:
        """Level of the section that is open now; 0 before the first heading."""
        return self._sections[-1].level

    @property
    def anchor(self) -> str:
        """Anchor of the section that is open now."""
        return self._sections[-1].anchor

    def heading(self, text: str, level: int, anchor: str, line: int = 0) -> None:
        """Opens a section."""
        self._sections.append(_Open(text, level, anchor, line))

    def block(self, kind: BlockKind, text: str, language: str = "", line: int = 0) -> None:
        """Adds a block to the open section; blank text is no block."""
        if text.strip():
            self._sections[-1].blocks.append(Block(kind, text, language, line))

    def mark(self) -> int:
        """A handle of the open section, for :meth:`resume`."""
        return len(self._sections) - 1

    def resume(self, mark: int) -> None:
        """Goes on with a section left open earlier, as when a nested API entry has ended.

        The page's order is kept: the continuation is a section of its own, with the same anchor.
        """
        if mark != len(self._sections) - 1:
            self._sections.append(self._sections[mark].reopened())

    def build(self) -> tuple[Section, ...]:
        """The sections; an empty one is kept only if it has a heading and is no continuation."""
        kept: list[Section] = []
        seen: set[tuple[str, int, str]] = set()
        for opened in self._sections:
            key = (opened.heading, opened.level, opened.anchor)
            if opened.blocks or (opened.heading and key not in seen):
                kept.append(
                    Section(opened.heading, opened.level, opened.anchor, tuple(opened.blocks), opened.line)
                )
            seen.add(key)
        return tuple(kept)
