"""``ibid search``: the retrieval of the browser, in the terminal."""

from __future__ import annotations

import asyncio
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

from ibid.index import Index
from ibid.models import Chunk, PageHit, TurnPlan
from ibid_build.published import open_retriever

_SHOWN_HITS = 10
_SHOWN_CHARS = 200


def search_command(folder: Path, query: str, *, as_json: bool, environment: Mapping[str, str]) -> int:
    """Prints what a search for ``query`` finds and decides; 0. Raises InputError, IndexInvalid."""
    retriever = open_retriever(folder, environment)
    index = retriever.index
    plan = asyncio.run(retriever.plan(query))
    chunks = asyncio.run(index.chunks([hit.ordinal for hit in plan.hits]))
    if as_json:
        print(json.dumps(search_document(index, plan, chunks), ensure_ascii=False))
    else:
        print(_report(plan, chunks, retriever.threshold))
    return 0


def search_document(index: Index, plan: TurnPlan, chunks: Sequence[Chunk]) -> dict[str, Any]:
    """The document of SPEC 8; ``chunks`` are those of the plan's hits, in order."""
    return {
        "query": plan.query,
        "passes": plan.passes,
        "deflected": not plan.passes,
        "relevance": plan.relevance,
        "cited": [_page(index, page) for page in plan.cited],
        "related": [_page(index, page) for page in plan.related],
        "hits": [
            {
                "rank": rank,
                "source": hit.source,
                "path": hit.path,
                "url": chunk.url,
                "anchor": chunk.anchor,
                "heading_path": list(chunk.heading_path),
                "text": chunk.text,
                "cosine": hit.cosine,
                "bm25": hit.bm25,
                "score": hit.score,
            }
            for rank, (hit, chunk) in enumerate(zip(plan.hits, chunks, strict=True), 1)
        ],
    }


def _page(index: Index, page: PageHit) -> dict[str, Any]:
    entry = index.pages[int(index.chunk_page[page.hits[0].ordinal])]
    return {
        "source": page.source,
        "path": page.path,
        "url": entry.url,
        "title": entry.title,
        "cosine": page.cosine,
        "score": page.score,
    }


def _report(plan: TurnPlan, chunks: Sequence[Chunk], threshold: float) -> str:
    verdict = "passes" if plan.passes else "deflected"
    lines = [f"relevance {plan.relevance:.3f} (threshold {threshold:.3f}): {verdict}"]
    for label, pages in (("cited", plan.cited), ("related", plan.related)):
        lines += [f"{label}: {page.path}  (cosine {_shown(page.cosine)})" for page in pages]
    for rank, (hit, chunk) in enumerate(zip(plan.hits, chunks, strict=True), 1):
        if rank > _SHOWN_HITS:
            break
        text = " ".join(chunk.text.split())
        scores = f"score {hit.score:.3f}  cosine {_shown(hit.cosine)}  bm25 {hit.bm25:.2f}"
        lines += [
            "",
            f"{rank}. {' > '.join(chunk.heading_path) or chunk.title}",
            f"   {chunk.href}",
            f"   {scores}  {' '.join(hit.matched)}",
            f"   {text[:_SHOWN_CHARS]}{'…' if len(text) > _SHOWN_CHARS else ''}",
        ]
    return "\n".join(lines)


def _shown(cosine: float | None) -> str:
    return "-" if cosine is None else f"{cosine:.3f}"
