"""Where a maintainer's own questions fall in a published index, and which of them were lost."""

from __future__ import annotations

import asyncio
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibid.index import Index
from ibid.models import TurnPlan
from ibid.retrieval.retriever import Retriever
from ibid.tiering import select_documents
from ibid_build.findings import Finding
from ibid_build.questions import GoldenQuestion, named_as


@dataclass(frozen=True, slots=True)
class Fall:
    """What a search did with a golden question.

    ``wanted`` are the paths of the pages it may cite: none of them if the index has no page so named.
    ``rank`` is the place of the first of them among all pages found, None if there is none.
    """

    golden: GoldenQuestion
    plan: TurnPlan
    threshold: float
    wanted: frozenset[str]
    rank: int | None

    @property
    def kept(self) -> bool:
        """Whether a page that should be cited is, or nothing is where nothing should be."""
        if not self.golden.pages:
            return not self.plan.passes
        return any(page.path in self.wanted for page in self.plan.cited)

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready."""
        return {
            "question": self.golden.text,
            "line": self.golden.line,
            "pages": list(self.golden.pages),
            "kept": self.kept,
            "passes": self.plan.passes,
            "relevance": round(self.plan.relevance, 4),
            "rank": self.rank,
            "cited": [page.path for page in self.plan.cited],
        }

    def __str__(self) -> str:
        cited = ", ".join(page.path for page in self.plan.cited) or "nothing"
        return f"{self.plan.relevance:.2f}  {self.golden.text}: cites {cited}"

    def finding(self, file: Path) -> Finding:
        """The error of a lost question."""
        what, advice = self._loss()
        return Finding("error", str(file), self.golden.line, f"{self.golden.text!r} {what}", advice)

    def _loss(self) -> tuple[str, str]:
        if self.golden.pages and not self.wanted:
            return (
                f"should cite {' or '.join(self.golden.pages)}, which the index does not have",
                "name the page as ibid search prints it, or see what ibid check says was left out",
            )
        cited = ", ".join(page.path for page in self.plan.cited)
        bar = f"relevance {self.plan.relevance:.2f}, needed {self.threshold:.2f}"
        if not self.golden.pages:
            return (
                f"should not be answered, but cites {cited} ({bar})",
                "raise relevance_threshold in ibid.toml",
            )
        wanted = " or ".join(self.golden.pages)
        place = "was not found" if self.rank is None else f"came up as number {self.rank}"
        if not self.plan.passes:
            return (
                f"should cite {wanted}, but is not answered ({bar}; the page {place})",
                "use the question's words in that page, or lower relevance_threshold in ibid.toml",
            )
        return (
            f"should cite {wanted}, but cites {cited}; the page {place}",
            "use the question's words in that page's headings and text, or raise top_n_docs in ibid.toml",
        )


def fall(retriever: Retriever, golden: Sequence[GoldenQuestion]) -> Iterator[Fall]:
    """Asks each question once."""
    for question in golden:
        plan = asyncio.run(retriever.plan(question.text))
        wanted = frozenset(path for name in question.pages for path in _paths(retriever.index, name))
        pages = select_documents(plan.hits, len(plan.hits))
        places = (place for place, page in enumerate(pages, 1) if page.path in wanted)
        yield Fall(question, plan, retriever.threshold, wanted, next(places, None))


def _paths(index: Index, name: str) -> Iterator[str]:
    """The pages that a maintainer may mean: by path, however it is written, else by last part."""
    number = index.find_page(name)
    if number is not None:
        yield index.pages[number].path
        return
    yield from (page.path for page in index.pages if named_as(page.path, (name,)))
