"""Drops what stands on most built pages: banners, notices and navigation that no selector knows."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace

from ibid.models import Block, Page
from ibid_build.sources.containers import ADMONITIONS

_MIN_PAGES = 5  # on fewer, "most pages" says nothing
_MOST = 0.5


def drop_boilerplate(pages: Sequence[Page]) -> tuple[list[Page], tuple[str, ...]]:
    """The pages without blocks that are equal on more than half of them, and those blocks' texts."""
    if len(pages) < _MIN_PAGES:
        return list(pages), ()
    counts: Counter[str] = Counter()
    for page in pages:
        counts.update({_key(block) for section in page.sections for block in section.blocks})
    common = {key for key, count in counts.items() if count > _MOST * len(pages) and not _is_label(key)}
    if not common:
        return list(pages), ()
    return [_without(page, common) for page in pages], tuple(sorted(common))


def _without(page: Page, common: set[str]) -> Page:
    """A page that says nothing else keeps its text."""
    sections = tuple(
        replace(section, blocks=tuple(b for b in section.blocks if _key(b) not in common))
        for section in page.sections
    )
    if not any(section.blocks for section in sections):
        return page
    return replace(page, sections=tuple(s for s in sections if s.blocks or s.heading))


def _key(block: Block) -> str:
    return " ".join(block.text.split())


def _is_label(key: str) -> bool:
    return key.lower().rstrip(":") in ADMONITIONS or key in ("See also", "Parameters:", "Returns:", "Example")
