"""Fits an encoder's maps on retrieval sets: ``python -m ibid_build.calibrate_encoder NAME SET... [--write]``.

A SET is a folder with ``corpus.jsonl``, ``queries.jsonl``, ``qrels.jsonl`` and ``unanswerable.jsonl``. This
is a part of a release, not of a build. The figures are of every second question, with maps fitted on the
others; the maps themselves are fitted on all.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import sys
import tempfile
from collections.abc import Callable, Coroutine, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from ibid.calibration import PiecewiseLinear
from ibid.errors import IbidError
from ibid.index import Calibration, Index
from ibid.retrieval import constants
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid_build.calibrate import KEPT, bar_that_keeps, best_separator, reached
from ibid_build.choice import EncoderChoice
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.encoder import ENCODERS, folder_of
from ibid_build.evaluate import evaluate, summarise
from ibid_build.pack import pack
from ibid_build.questions import Question, read_questions
from ibid_build.sources.jsonl import read_corpus
from ibid_build.teachers import Teacher
from ibid_build.vector_cache import in_users_cache

COSINE_KEPT = (
    0.985  # at .975 the floor alone costs so much that relevance lets in .175 near questions, not .145
)
BAR = 0.35  # where every map puts its best separator; the default floor of the settings

Score = Callable[[Retriever, str], Coroutine[Any, Any, float]]


@dataclass(frozen=True, slots=True)
class Set:
    """An opened retrieval set: its index, and its questions in two halves."""

    name: str
    index: Index
    fitted: tuple[Question, ...]
    reported: tuple[Question, ...]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(
        prog="python -m ibid_build.calibrate_encoder",
        description="Fits the encoder's maps on retrieval sets.",
    )
    parser.add_argument("encoder", choices=ENCODERS)
    parser.add_argument("sets", nargs="+", type=Path, metavar="SET")
    parser.add_argument("--write", action="store_true", help="write the maps into encoder.json")
    options = parser.parse_args(arguments)
    try:
        with tempfile.TemporaryDirectory() as folder:
            sets = [
                open_set(options.encoder, path, Path(folder) / str(n)) for n, path in enumerate(options.sets)
            ]
            halfway = fit(sets)
            figures = {each.name: report(each, halfway) for each in sets}
            calibration = fit([replace(each, fitted=each.fitted + each.reported) for each in sets])
    except IbidError as error:
        print(error, file=sys.stderr)
        return 2
    knots = {name: getattr(calibration, name).knots for name in ("cosine", "relevance", "coverage")}
    print(json.dumps({"calibration": knots, "figures": figures}, indent=1))
    if options.write:
        path = folder_of(options.encoder) / "encoder.json"
        asset: dict[str, Any] = json.loads(path.read_bytes())
        asset["calibration"] = knots
        asset["figures"]["calibration"] = figures
        path.write_text(json.dumps(asset, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
    return 0


def open_set(encoder: EncoderChoice, path: Path, folder: Path) -> Set:
    """Packs the set's corpus for ``encoder`` into ``folder`` and opens it. Raises InputError."""
    result = read_corpus(path / "corpus.jsonl", BuildConfig())
    chunks = [chunk for page in result.pages for chunk in chunk_page(page)]

    def progress(done: int, total: int) -> None:
        if done % 500 == 0:
            print(f"{path.name}: {done} of {total} passages", file=sys.stderr)

    index = pack(
        chunks,
        folder,
        title=path.name,
        settings=Settings(),
        encoder=lambda name: in_users_cache(Teacher(name), lambda line: print(line, file=sys.stderr)),
        wanted=encoder,
        progress=progress,
    )
    files = (path / f"{name}.jsonl" for name in ("queries", "qrels", "unanswerable"))
    questions = read_questions(*files)
    return Set(path.name, index, tuple(questions[1::2]), tuple(questions[::2]))


def fit(sets: Sequence[Set]) -> Calibration:
    """The three maps; each set counts the same.

    The cosine's separator is that from *far* questions, since a cosine cannot tell more than this
    documentation's subject from others; it is lowered to where it alone loses at most 1.5 % of the
    answerable questions of every set. Relevance has to keep near questions out: as high as 95 % of the
    answerable questions of every set allow. Coverage alone cannot do both, and goes to its best separator.
    """
    raw = PiecewiseLinear([(0, 0), (1, 1)])
    unmapped = Calibration(cosine=raw, relevance=raw, coverage=raw)
    cosines = _scores(sets, unmapped, _best_cosine)
    far = [(scores[""], scores["far"]) for scores in cosines]
    cosine = _map(min(best_separator(far), _kept(cosines, COSINE_KEPT)), 1.0)
    top = constants.MOST_RELEVANT
    halfway = Calibration(cosine, PiecewiseLinear([(0, 0), (top, top)]), raw)
    words = _scores(sets, unmapped, _best_coverage, lexical=True)
    covered = [(scores[""], scores["near"] + scores["far"]) for scores in words]
    return Calibration(
        cosine=cosine,
        relevance=_map(_kept(_scores(sets, halfway, reached), KEPT), top),
        coverage=_map(best_separator(covered), 1.0),
    )


def report(each: Set, calibration: Calibration) -> dict[str, Any]:
    """The figures of ``ibid eval`` on the half that was not fitted on, at the floor alone."""
    index = replace(each.index, calibration=calibration, threshold=BAR)
    figures = summarise(evaluate(Retriever(index, Settings()), each.reported))
    del figures["ms_per_query"]  # of this machine, not of the encoder
    return figures | {"fitted on": len(each.fitted)}


def _scores(
    sets: Sequence[Set],
    calibration: Calibration,
    score: Score,
    *,
    lexical: bool = False,
) -> list[dict[str, list[float]]]:
    """Of each set the scores of the questions fitted on, by kind."""
    found = []
    for each in sets:
        index = replace(each.index, calibration=calibration)
        retriever = Retriever(replace(index, dense=None) if lexical else index, Settings())
        scores: dict[str, list[float]] = {"": [], "near": [], "far": []}
        for question in each.fitted:
            scores[question.kind].append(asyncio.run(score(retriever, question.text)))
        found.append(scores)
    return found


def _kept(scores: Sequence[Mapping[str, Sequence[float]]], share: float) -> float:
    """The highest bar that ``share`` of the answerable questions of every set reach, less half of the gap
    to the next unanswerable one.
    """
    bars = []
    for each in scores:
        bar = bar_that_keeps(each[""], share)
        below = [value for value in (*each["near"], *each["far"]) if value < bar]
        bars.append((bar + max(below, default=bar)) / 2)
    return min(bars)


async def _best_cosine(retriever: Retriever, query: str) -> float:
    return max((hit.cosine or 0.0 for hit in await retriever.search(query)), default=0.0)


async def _best_coverage(retriever: Retriever, query: str) -> float:
    return max((hit.coverage for hit in await retriever.search(query)), default=0.0)


def _map(separator: float, top: float) -> PiecewiseLinear:
    return PiecewiseLinear([(0, 0), (round(separator, 4), BAR), (top, 1)])


if __name__ == "__main__":
    sys.exit(main())
