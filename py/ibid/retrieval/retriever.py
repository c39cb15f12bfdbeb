"""A query against an open index: hits, and the plan of a turn."""

from __future__ import annotations

import numpy as np

from ibid.index import Index
from ibid.models import Hit, TurnPlan
from ibid.retrieval import constants
from ibid.retrieval.fusion import best, fuse
from ibid.retrieval.lexical import LexicalSearcher
from ibid.retrieval.query import read_query
from ibid.retrieval.signs import SignSearcher
from ibid.retrieval.vector import ExactSearcher, VectorSearcher
from ibid.settings import Settings
from ibid.tiering import plan_turn
from ibid.vectors import ShardedVectors


class Retriever:
    """Searches one index. No text is fetched."""

    def __init__(self, index: Index, settings: Settings) -> None:
        self.index = index
        self.settings = settings
        self._lexical = LexicalSearcher(index.lexicon, index.chunk_page, len(index.pages))
        self._vector = _vector_searcher(index)

    @property
    def threshold(self) -> float:
        """The relevance that a search must reach: the setting, else the fitted one, not below the floor."""
        if self.settings.relevance_threshold is not None:
            return self.settings.relevance_threshold
        return max(self.settings.source_usefulness_floor, self.index.threshold)

    async def plan(self, query: str) -> TurnPlan:
        """What one search for ``query`` decides (SPEC 3.1). Raises IndexInvalid as :meth:`search`."""
        lexical = self.index.dense is None
        return plan_turn(query, await self.search(query), self.settings, self.threshold, lexical=lexical)

    async def search(self, query: str) -> list[Hit]:
        """The best chunks, at most ``settings.candidates``, by fused score, ties by chunk id.

        In a large index postings and vectors are fetched. Raises IndexInvalid when they cannot be had.
        """
        index = self.index
        asked = read_query(query, index.language)
        lexical = await self._lexical.score(asked)
        compared = None
        if self._vector is not None and index.dense is not None and asked.has_words:
            compared = await self._vector.compare(index.dense.encoder.encode(asked.text), lexical.scores)
        chunks = slice(None) if compared is None else compared.chunks
        bm25, ids = lexical.bm25(chunks), index.chunk_ids[chunks]
        cosines = None if compared is None else compared.cosines
        page_cosines = None if compared is None else compared.page_cosines
        fused = fuse(bm25, cosines, page_cosines)
        places = best(fused, ids, self.settings.candidates)
        if cosines is None:
            places = places[bm25[places] > 0]
        ordinals = places if isinstance(chunks, slice) else chunks[places]
        coverage = lexical.coverage(ordinals)
        calibrated = None if cosines is None else index.calibration.cosine(cosines[places])
        if index.dense is None:
            relevance = index.calibration.coverage(coverage)
        else:
            meaning = np.zeros_like(coverage)
            if calibrated is not None and page_cosines is not None:
                meaning = calibrated + constants.PAGE_RELEVANCE_WEIGHT * page_cosines[places]
            relevance = index.calibration.relevance(meaning + constants.COVERAGE_WEIGHT * coverage)
        pages = [index.pages[number] for number in index.chunk_page[ordinals].tolist()]
        # Python numbers at once: one by one the arrays' own cost more than the search.
        columns = zip(
            ordinals.tolist(),
            index.chunk_ids[ordinals].tolist(),
            pages,
            fused[places].tolist(),
            [None] * len(ordinals) if calibrated is None else calibrated.tolist(),
            np.round(bm25[places], constants.SCORE_DECIMALS).tolist(),
            coverage.tolist(),
            relevance.tolist(),
            lexical.matched_in(ordinals),
            strict=True,
        )
        return [
            Hit(
                ordinal,
                f"{chunk:016x}",
                page.source,
                page.path,
                score,
                cosine,
                bm25,
                covered,
                relevant,
                matched,
            )
            for ordinal, chunk, page, score, cosine, bm25, covered, relevant, matched in columns
        ]


def _vector_searcher(index: Index) -> VectorSearcher | None:
    if index.dense is None:
        return None
    vectors, scale = index.dense.vectors, index.dense.scale
    if isinstance(vectors, ShardedVectors):
        return SignSearcher(vectors, scale, index.chunk_page)
    return ExactSearcher(vectors, scale, index.chunk_page)
