"""The frozen values that the rooms hand to each other; none knows of storage or of a host."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal

Via = Literal["search", "read"]
Mode = Literal["agent", "one-shot", "extractive"]
Status = Literal["pending", "streaming", "done", "deflected", "stopped", "failed"]
BlockKind = Literal["paragraph", "item", "code", "table", "term"]


@dataclass(frozen=True)
class Block:
    """One block of a section as it reads: ``text`` is plain (inline code keeps its backticks).

    ``kind`` ``table``: one row a line, cells joined by `` | ``, the first line is the header.
    ``kind`` ``item``: one list item, with its marker ("- " or "1. ") and two blanks a level before it.
    ``line`` is the 1-based line in the source file, 0 where there is none (built HTML).
    """

    kind: BlockKind
    text: str
    language: str = ""
    line: int = 0


@dataclass(frozen=True)
class Section:
    """A heading with the anchor that the built site really has ("" = top of the page)."""

    heading: str
    level: int
    anchor: str
    blocks: tuple[Block, ...] = ()
    line: int = 0


@dataclass(frozen=True)
class Page:
    """One documentation page. ``path`` is relative to the root, POSIX, NFC; ``url`` is what opens."""

    source: str
    path: str
    url: str
    title: str
    sections: tuple[Section, ...]
    language: str = ""


@dataclass(frozen=True)
class Chunk:
    """The passage that is embedded and ranked.

    ``id`` is a content hash (16 hex digits of SHA-256 over source, path, anchor, heading path, text).
    ``text`` is plain text; code stands in Markdown fences (```` ```lang ````), blocks are parted by a
    blank line. ``heading_path`` goes from the page's first heading to the section's own.
    ``start`` and ``end`` are character offsets in the page's text (its chunks' texts joined by a blank line).
    """

    id: str
    source: str
    path: str
    url: str
    title: str
    anchor: str
    heading_path: tuple[str, ...]
    text: str
    start: int = 0
    end: int = 0
    line: int = 0

    @property
    def href(self) -> str:
        """URL with anchor."""
        return f"{self.url}#{self.anchor}" if self.anchor else self.url


@dataclass(frozen=True)
class Hit:
    """A chunk found for a query.

    ``ordinal`` is its row in the index; ``score`` the fused score (rounded, ties by chunk id);
    ``cosine`` calibrated, 0..1, None when there is none (keywords alone, or a lexical index);
    ``bm25`` raw; ``coverage`` the share (0..1) of the query's idf mass that the chunk contains;
    ``relevance`` on the same calibrated scale.
    """

    ordinal: int
    chunk: str
    source: str
    path: str
    score: float
    cosine: float | None
    bm25: float = 0.0
    coverage: float = 0.0
    relevance: float = 0.0
    matched: tuple[str, ...] = ()


@dataclass(frozen=True)
class PageHit:
    """A page with its hit chunks, best first; ``cosine`` is the bar value (best calibrated cosine)."""

    source: str
    path: str
    score: float
    cosine: float | None
    hits: tuple[Hit, ...]


@dataclass(frozen=True)
class TurnPlan:
    """What one search decided. ``passages`` are the hits given to the model, at most six, best first.

    ``nearby`` is ``related`` before its cap, from which the related pages of a whole turn are drawn.
    """

    query: str
    passes: bool
    relevance: float
    cited: tuple[PageHit, ...]
    related: tuple[PageHit, ...]
    hits: tuple[Hit, ...]
    passages: tuple[Hit, ...] = ()
    nearby: tuple[PageHit, ...] = ()


@dataclass(frozen=True)
class Source:
    """A passage registered in a turn under ``n``; SPEC 4.5. ``url`` carries the anchor."""

    n: int
    chunk: str
    source: str
    path: str
    url: str
    title: str
    heading_path: tuple[str, ...]
    text: str
    quote: str
    cosine: float | None
    via: Via
    extra: dict[str, Any] = field(default_factory=dict, compare=False)


@dataclass(frozen=True)
class Related:
    """A page that scored but did not earn a citation; opens its best hit. ``url`` carries the anchor."""

    source: str
    path: str
    url: str
    title: str
    heading_path: tuple[str, ...]
    chunk: str
    text: str
    cosine: float | None


@dataclass(frozen=True)
class Chip:
    """One cited page under an answer: the numbers of the marks that point into it, and what it opens."""

    path: str
    url: str
    title: str
    heading_path: tuple[str, ...]
    numbers: tuple[int, ...]
    opens: int


@dataclass(frozen=True)
class Step:
    """Something the turn did, shown to the reader. ``at`` is seconds since the epoch."""

    kind: Literal["search", "read", "refused", "note", "thinking"]
    text: str
    at: float


@dataclass(frozen=True)
class Endpoint:
    """An OpenAI-compatible endpoint that the reader chose. ``key`` never leaves the request's header."""

    base_url: str
    model: str
    key: str = field(default="", repr=False)
