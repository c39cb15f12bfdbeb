"""``ibid eval``: how well an index answers questions whose pages are known."""

from __future__ import annotations

import asyncio
import json
import math
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibid.errors import InputError
from ibid.models import TurnPlan
from ibid.retrieval.retriever import Retriever
from ibid.tiering import select_documents
from ibid_build.bootstrap import compare, read_run
from ibid_build.published import open_retriever
from ibid_build.questions import Question, named_as, read_questions

DEPTH = 10
MEASURES = ("ndcg@10", "recall@5", "recall@10", "mrr@10")


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search did for a question; ``ranked`` are the pages found, ``ceiling`` the most cited."""

    question: Question
    plan: TurnPlan
    ranked: tuple[str, ...]
    seconds: float
    ceiling: int

    @property
    def gains(self) -> list[float]:
        """The gain of each of the first ten pages; a relevant page counts once."""
        left = dict(self.question.pages)
        gains = []
        for path in self.ranked[:DEPTH]:
            name = named_as(path, left)
            gains.append(left.pop(name) if name is not None else 0.0)
        return gains

    @property
    def ndcg(self) -> float:
        """nDCG@10 (Järvelin, Kekäläinen 2002) with linear gains."""
        best = sorted(self.question.pages.values(), reverse=True)[:DEPTH]
        ideal = sum(gain / math.log2(place + 2) for place, gain in enumerate(best))
        return sum(gain / math.log2(place + 2) for place, gain in enumerate(self.gains)) / ideal

    def recall(self, depth: int) -> float:
        """The share of the relevant pages among the first ``depth``."""
        return sum(gain > 0 for gain in self.gains[:depth]) / len(self.question.pages)

    @property
    def reciprocal_rank(self) -> float:
        """1 / place of the first relevant page among ten, else 0."""
        return next((1 / place for place, gain in enumerate(self.gains, 1) if gain > 0), 0.0)

    @property
    def measures(self) -> dict[str, float]:
        """What is averaged over the questions, and compared with a baseline."""
        return {
            "ndcg@10": self.ndcg,
            "recall@5": self.recall(5),
            "recall@10": self.recall(10),
            "mrr@10": self.reciprocal_rank,
        }

    @property
    def chips_right(self) -> int:
        """How many of the cited pages are relevant."""
        return sum(named_as(page.path, self.question.pages) is not None for page in self.plan.cited)

    @property
    def within_reach(self) -> bool:
        """Whether a relevant page stands among the first that the ceiling would let be cited."""
        return any(named_as(path, self.question.pages) for path in self.ranked[: self.ceiling])

    def as_dict(self) -> dict[str, Any]:
        """One line of ``--per-query``."""
        line: dict[str, Any] = {
            "id": self.question.id,
            "text": self.question.text,
            "kind": self.question.kind or "answerable",
            "passes": self.plan.passes,
            "relevance": round(self.plan.relevance, 4),
            "cited": [page.path for page in self.plan.cited],
            "ranked": list(self.ranked[:DEPTH]),
            "ms": round(self.seconds * 1000, 3),
        }
        if self.question.pages:
            line |= {name: round(value, 6) for name, value in self.measures.items()}
            line["pages"] = sorted(self.question.pages)
        return line


def eval_command(
    folder: Path,
    queries: Path,
    qrels: Path,
    *,
    unanswerable: Path | None = None,
    per_query: Path | None = None,
    baseline: Path | None = None,
    as_json: bool,
    environment: Mapping[str, str],
) -> int:
    """Prints the figures, writes ``per_query`` (JSON lines); 0. Raises InputError, IndexInvalid.

    ``baseline`` is such a file of an earlier run, to which the figures are compared.
    """
    questions = read_questions(queries, qrels, unanswerable)
    earlier = None if baseline is None else read_run(baseline, MEASURES)
    outcomes = evaluate(open_retriever(folder, environment), questions)
    if per_query is not None:
        lines = [json.dumps(outcome.as_dict(), ensure_ascii=False) + "\n" for outcome in outcomes]
        try:
            per_query.write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{per_query} cannot be written: {error.strerror}; name another file") from error
    figures = summarise(outcomes)
    if earlier is not None:
        figures["baseline"] = compare(
            {o.question.id: o.measures for o in outcomes if o.question.pages}, earlier
        )
    print(json.dumps(figures) if as_json else "\n".join(_lines(figures)))
    return 0


def _lines(figures: Mapping[str, Any]) -> Iterator[str]:
    compared = figures.get("baseline", {})
    for name, value in figures.items():
        if name == "baseline":
            continue
        line = f"{name:>20}  {'-' if value is None else value}"
        if name in MEASURES and compared:
            found = compared[name]
            line += f"  {found['difference']:+.4f} [{found['low']:+.4f}, {found['high']:+.4f}]"
        yield line
    if compared:
        yield f"In brackets: the 95 % interval of the difference, over {compared['queries']} shared queries"


def evaluate(retriever: Retriever, questions: Iterable[Question]) -> list[Outcome]:
    """Asks every question once, one after another."""
    return asyncio.run(_asked(retriever, questions))


async def _asked(retriever: Retriever, questions: Iterable[Question]) -> list[Outcome]:
    outcomes = []
    for question in questions:
        start = time.perf_counter()
        plan = await retriever.plan(question.text)
        seconds = time.perf_counter() - start
        ranked = tuple(page.path for page in select_documents(plan.hits, len(plan.hits)))
        outcomes.append(Outcome(question, plan, ranked, seconds, retriever.settings.top_n_docs))
    return outcomes


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of SPEC 8, and what a chip is worth; null where no question was of that kind.

    Of the answered questions: chips on each; the share of chips on a relevant page; how often a relevant
    page is among them, and how often of the times that it stood among the pages the ceiling would admit.
    """
    known = [o for o in outcomes if o.question.pages]
    answered = [o for o in known if o.plan.passes]
    near = [o for o in outcomes if o.question.kind == "near"]
    far = [o for o in outcomes if o.question.kind == "far"]
    chips = sum(len(o.plan.cited) for o in answered)
    return {
        **{name: _mean(o.measures[name] for o in known) for name in MEASURES},
        "queries": len(known),
        "ms_per_query": _mean(o.seconds * 1000 for o in outcomes),
        "answerable_kept": _mean(o.plan.passes for o in known),
        "near_answered": _mean(o.plan.passes for o in near),
        "far_answered": _mean(o.plan.passes for o in far),
        "chips_per_question": _mean(len(o.plan.cited) for o in answered),
        "chips_right": round(sum(o.chips_right for o in answered) / chips, 4) if chips else None,
        "right_page_cited": _mean(o.chips_right > 0 for o in answered),
        "right_page_kept": _mean(o.chips_right > 0 for o in answered if o.within_reach),
    }


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return round(sum(kept) / len(kept), 4) if kept else None
