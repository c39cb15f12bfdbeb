"""Ibid in other languages beside BM25: ``python tests/bench/languages.py [SETS]`` prints a table in Markdown.

SETS is the folder that ``language_sets.py`` wrote; without it the sets are written anew. Both systems see the
same chunks. ``BM25`` has the fields, the pairs and the endings of each language; ``kept`` is the share of
questions that are answered, ``near`` and ``far`` those of questions that the documentation does not cover.
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path
from typing import Any

import language_sets

from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid_build.calibrate_encoder import open_set
from ibid_build.choice import EncoderChoice
from ibid_build.evaluate import evaluate, summarise

SYSTEMS: tuple[EncoderChoice, ...] = ("none", "")
FIGURES = ("ndcg@10", "recall@10", "answerable_kept", "near_answered", "far_answered")


def main() -> None:
    """A row a language."""
    with tempfile.TemporaryDirectory() as folder:
        if len(sys.argv) > 1:
            sets = Path(sys.argv[1])
        else:
            sets = Path(folder) / "sets"
            language_sets.main(sets)
        print("| | chunks | questions | nDCG@10 | | recall@10 | | kept | | near | | far | |")
        print("|---|---|---|---|---|---|---|---|---|---|---|---|---|")
        print("| | | |" + " BM25 | Ibid |" * len(FIGURES))
        for path in sorted(sets.iterdir()):
            print(row(path, Path(folder)), flush=True)


def row(path: Path, folder: Path) -> str:
    """Of one language's set."""
    found: list[dict[str, Any]] = []
    for system in SYSTEMS:
        opened = open_set(system, path, folder / f"{path.name}-{system}")
        found.append(
            summarise(evaluate(Retriever(opened.index, Settings()), opened.fitted + opened.reported))
        )
    cells = [f"{each[name]:.3f}".lstrip("0") for name in FIGURES for each in found]
    return f"| {path.name} | {len(opened.index.chunk_ids)} | {found[0]['queries']} | {' | '.join(cells)} |"


if __name__ == "__main__":
    main()
