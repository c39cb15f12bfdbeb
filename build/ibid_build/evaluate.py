"""``ibid eval``: how well an index answers questions whose pages are known."""

from __future__ import annotations

import json
import math
import time
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ibid import foreign_json
from ibid.errors import InputError
from ibid.models import TurnPlan
from ibid.retrieval.retriever import Retriever
from ibid.tiering import select_documents
from ibid_build.published import open_retriever

DEPTH = 10


@dataclass(frozen=True, slots=True)
class Question:
    """``pages`` maps each relevant page to its gain; empty for a question that nothing answers."""

    id: str
    text: str
    pages: Mapping[str, float]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one search did for a question."""

    question: Question
    plan: TurnPlan
    ranked: tuple[str, ...]
    seconds: float

    @property
    def gains(self) -> list[float]:
        """The gain of each of the first ten pages; a relevant page counts once."""
        left = dict(self.question.pages)
        gains = []
        for path in self.ranked[:DEPTH]:
            name = next((name for name in _names(path) if name in left), None)
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
    def cites_right_page(self) -> bool:
        """Whether a relevant page is among the cited ones."""
        return any(name in self.question.pages for page in self.plan.cited for name in _names(page.path))

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
            line |= {"ndcg@10": round(self.ndcg, 4), "pages": sorted(self.question.pages)}
        return line


def eval_command(
    folder: Path,
    queries: Path,
    qrels: Path,
    *,
    unanswerable: Path | None = None,
    per_query: Path | None = None,
    as_json: bool,
    environment: Mapping[str, str],
) -> int:
    """Prints the figures, writes ``per_query`` (JSON lines); 0. Raises InputError, IndexInvalid."""
    questions = read_questions(queries, qrels, unanswerable)
    outcomes = evaluate(open_retriever(folder, environment), questions)
    if per_query is not None:
        lines = [json.dumps(outcome.as_dict(), ensure_ascii=False) + "\n" for outcome in outcomes]
        try:
            per_query.write_text("".join(lines), encoding="utf-8")
        except OSError as error:
            raise InputError(f"{per_query} cannot be written: {error.strerror}; name another file") from error
    figures = summarise(outcomes)
    if as_json:
        print(json.dumps(figures))
    else:
        print("\n".join(f"{name:>20}  {'-' if value is None else value}" for name, value in figures.items()))
    return 0


def evaluate(retriever: Retriever, questions: Iterable[Question]) -> list[Outcome]:
    """Asks every question once, one after another."""
    outcomes = []
    for question in questions:
        start = time.perf_counter()
        plan = retriever.plan(question.text)
        seconds = time.perf_counter() - start
        ranked = tuple(page.path for page in select_documents(plan.hits, len(plan.hits)))
        outcomes.append(Outcome(question, plan, ranked, seconds))
    return outcomes


def summarise(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The figures of SPEC 8; null where no question was of that kind."""
    known = [o for o in outcomes if o.question.pages]
    answered = [o for o in known if o.plan.passes]
    near = [o for o in outcomes if o.question.kind == "near"]
    far = [o for o in outcomes if o.question.kind == "far"]
    return {
        "ndcg@10": _mean(o.ndcg for o in known),
        "recall@5": _mean(o.recall(5) for o in known),
        "recall@10": _mean(o.recall(10) for o in known),
        "mrr@10": _mean(o.reciprocal_rank for o in known),
        "queries": len(known),
        "ms_per_query": _mean(o.seconds * 1000 for o in outcomes),
        "answerable_kept": _mean(o.plan.passes for o in known),
        "near_answered": _mean(o.plan.passes for o in near),
        "far_answered": _mean(o.plan.passes for o in far),
        "chips_per_question": _mean(len(o.plan.cited) for o in answered),
        "right_page_cited": _mean(o.cites_right_page for o in answered),
    }


def read_questions(queries: Path, qrels: Path, unanswerable: Path | None = None) -> list[Question]:
    """The questions of the files (SPEC 8); a query without a relevant page is left out. Raises InputError."""
    pages: dict[str, dict[str, float]] = {}
    for line, row in _rows(qrels, ("query_id", "page")):
        gain = row.get("rel", 1)
        if not isinstance(gain, int | float) or isinstance(gain, bool) or not abs(gain) < 1e9:
            raise InputError(f"{qrels}:{line}: rel is {gain!r}, not a number")
        if gain > 0:
            pages.setdefault(row["query_id"], {})[row["page"]] = float(gain)
    questions = [
        Question(row["id"], row["text"], pages[row["id"]])
        for _, row in _rows(queries, ("id", "text"))
        if row["id"] in pages
    ]
    if not questions:
        raise InputError(f"No query of {queries} has a relevant page in {qrels}; are they of the same set?")
    if unanswerable is not None:
        questions += [
            Question(row["id"], row["text"], {}, row["kind"])
            for _, row in _rows(unanswerable, ("id", "text", "kind"))
        ]
    return questions


def _rows(path: Path, names: Sequence[str]) -> Iterable[tuple[int, dict[str, Any]]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # JSON may hold other line ends
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = foreign_json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number} is not JSON: {error}") from error
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names):
            raise InputError(f"{path}:{number} needs {', '.join(names)} as strings")
        yield number, row


def _names(path: str) -> tuple[str, ...]:
    """What a relevance file may call the page: its path, without extension, or its last part."""
    pure = PurePosixPath(path)
    return path, str(pure.with_suffix("")), pure.name, pure.stem


def _mean(values: Iterable[float]) -> float | None:
    kept = list(values)
    return round(sum(kept) / len(kept), 4) if kept else None
