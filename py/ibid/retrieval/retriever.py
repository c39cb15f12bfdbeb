"""A query against an open index: hits, and the plan of a turn."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibid.index import Index
from ibid.models import Hit, TurnPlan
from ibid.retrieval import constants
from ibid.retrieval.fusion import best, fuse
from ibid.retrieval.lexical import LexicalSearcher
from ibid.retrieval.query import Query, read_query
from ibid.retrieval.vector import VectorSearcher
from ibid.settings import Settings
from ibid.tiering import plan_turn


class Retriever:
    """Searches one index. Arrays only: no text is fetched, nothing is awaited."""

    def __init__(self, index: Index, settings: Settings) -> None:
        self.index = index
        self.settings = settings
        self._lexical = LexicalSearcher(index.lexicon, index.chunk_page, len(index.pages))
        self._vector: VectorSearcher | None = None
        if index.dense is not None:
            firsts = np.array([page.first for page in index.pages], dtype=np.intp)
            self._vector = VectorSearcher(index.dense.vectors, index.dense.scale, firsts, index.dense.bits)

    @property
    def threshold(self) -> float:
        """The relevance that a search must reach: the setting, else the fitted one, not below the floor."""
        if self.settings.relevance_threshold is not None:
            return self.settings.relevance_threshold
        return max(self.settings.source_usefulness_floor, self.index.threshold)

    def plan(self, query: str) -> TurnPlan:
        """What one search for ``query`` decides (SPEC 3.1)."""
        lexical = self.index.dense is None
        return plan_turn(query, self.search(query), self.settings, self.threshold, lexical=lexical)

    def search(self, query: str) -> list[Hit]:
        """The best chunks, at most ``settings.candidates``, by fused score, ties by chunk id."""
        index = self.index
        asked = read_query(query, index.language)
        lexical = self._lexical.score(asked)
        meant = self._encoded(asked)
        chunks = self._considered(meant, lexical.bm25)
        bm25, page_of, ids = lexical.bm25[chunks], index.chunk_page[chunks], index.chunk_ids[chunks]
        cosines = None
        page_cosines = None
        if self._vector is not None and meant is not None:
            found = self._vector.cosines(meant, None if isinstance(chunks, slice) else chunks)
            if found is not None:
                cosines, page_cosines = found[0], found[1][page_of]
        fused = fuse(bm25, cosines, page_cosines)
        places = best(fused, ids, self.settings.candidates)
        if cosines is None:
            places = places[bm25[places] > 0]
        ordinals = places if isinstance(chunks, slice) else chunks[places]
        coverage = lexical.coverage[ordinals]
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
            np.round(lexical.bm25[ordinals], constants.SCORE_DECIMALS).tolist(),
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

    def _encoded(self, asked: Query) -> NDArray[np.float32] | None:
        """The query's vector; None where there is nothing to compare it with, or no word in it."""
        dense = self.index.dense
        return dense.encoder.encode(asked.text) if dense is not None and asked.has_words else None

    def _considered(
        self, meant: NDArray[np.float32] | None, bm25: NDArray[np.float64]
    ) -> NDArray[np.intp] | slice:
        """The chunks whose scores are worth adding up: all, or in a large index the best of each kind."""
        by_meaning = None
        if self._vector is not None and meant is not None:
            by_meaning = self._vector.nearest(meant, constants.CONSIDERED)
        if by_meaning is None:
            return slice(None)
        return np.union1d(by_meaning, best(bm25, self.index.chunk_ids, constants.CONSIDERED))
