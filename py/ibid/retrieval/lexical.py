"""BM25F over shipped postings, by chunk and by page, and how much of a query each chunk contains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.index import IMPACT_STEPS, Lexicon, Postings
from ibid.retrieval import constants
from ibid.retrieval.query import Query, Term
from ibid.retrieval.vocabulary import Vocabulary

_UNIT = 256  # of a score: sums are whole numbers, so that every host ranks alike

_Ordinals = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class LexicalScores:
    """float64 [chunks] each; ``coverage`` is the share (0..1) of the query's idf mass in the chunk.

    ``matched`` are the terms that the index knows with the chunks (rising ordinals) that contain each.
    """

    bm25: NDArray[np.float64]
    coverage: NDArray[np.float64]
    matched: tuple[tuple[str, _Ordinals], ...]

    def matched_in(self, chunks: NDArray[np.intp]) -> list[tuple[str, ...]]:
        """For each of ``chunks`` (ordinals) the query's terms that it contains."""
        found: list[list[str]] = [[] for _ in chunks]
        for term, ordinals in self.matched:
            wanted = chunks.astype(ordinals.dtype)  # else the whole row would be converted
            places = np.searchsorted(ordinals, wanted)
            there = ordinals[np.minimum(places, len(ordinals) - 1)] == wanted
            for place in np.flatnonzero(there).tolist():
                found[place].append(term)
        return [tuple(terms) for terms in found]


class LexicalSearcher:
    """Scores every chunk of an index for the terms of a query."""

    def __init__(self, lexicon: Lexicon, chunk_page: NDArray[np.int32], pages: int) -> None:
        """``chunk_page`` [chunks] is each chunk's page number, below ``pages``."""
        self._vocabulary = Vocabulary(lexicon.terms)
        self._by_chunk = _Rows(lexicon.chunks, len(chunk_page))
        self._by_page = _Rows(lexicon.pages, pages)
        self._chunk_page = chunk_page

    def score(self, query: Query) -> LexicalScores:
        """BM25F of each chunk plus 0.3 times that of its page, and coverage.

        A word that the index does not know stands for the known words closest to it, at half its weight. An
        identifier that it does not know is judged by its parts alone, an unknown symbol by nothing, an
        unknown pair of characters by the known pairs around it.
        """
        chunk_scores, page_scores = self._by_chunk.zeros(), self._by_page.zeros()
        covered, mass = self._by_chunk.zeros(), 0
        matched: list[tuple[str, _Ordinals]] = []

        def add(row: int, weight: float) -> None:
            self._by_chunk.add(row, weight, chunk_scores)
            self._by_page.add(row, weight * constants.PAGE_BM25_WEIGHT, page_scores)
            matched.append((self._vocabulary.term(row), self._by_chunk.ordinals(row)))

        known = {term.text: self._vocabulary.row(term.text) for term in query.terms}
        known_pairs = {
            c for t in query.terms if t.kind == "pair" and known[t.text] is not None for c in t.text
        }
        fuzzy_left = constants.MAX_FUZZY_WORDS
        for term in query.terms:
            row = known[term.text]
            if row is not None:
                own_mass = _units(term.weight * self._by_chunk.idf(row))
                mass += own_mass
                add(row, term.weight)
                covered[self._by_chunk.ordinals(row)] += own_mass
                continue
            if term.kind in ("whole", "symbol") or (
                term.kind == "pair" and known_pairs.issuperset(term.text)
            ):
                continue
            own_mass = _units(term.weight * self._by_chunk.idf(None))
            mass += own_mass
            stand_ins = self._stand_ins(term) if fuzzy_left else []
            fuzzy_left -= bool(fuzzy_left and term.letters)
            for stand_in in stand_ins:
                add(stand_in, term.weight * constants.FUZZY_WEIGHT)
            if stand_ins:
                anywhere = np.unique(np.concatenate([self._by_chunk.ordinals(row) for row in stand_ins]))
                covered[anywhere] += round(own_mass * constants.FUZZY_WEIGHT)
        for name, weight in query.names:
            row = self._vocabulary.row(name)
            if row is not None and name not in known:
                add(row, weight)
        total = (chunk_scores + page_scores[self._chunk_page]).astype(np.float64)
        return LexicalScores(
            bm25=total * ((constants.K1 + 1) / (_UNIT * IMPACT_STEPS)),
            coverage=covered.astype(np.float64) / max(mass, 1),
            matched=tuple(matched),
        )

    def _stand_ins(self, term: Term) -> list[int]:
        """Known terms for an unknown one: the closest words, or the pairs that a single character opens.

        Of equally close words those with the same first letter come first, then the more frequent ones.
        """
        if term.kind == "pair":
            return self._vocabulary.starting(term.text) if len(term.text) == 1 else []

        def rank(row: int) -> tuple[bool, int]:
            return self._vocabulary.term(row)[0] != term.text[0], -len(self._by_chunk.ordinals(row))

        return sorted(self._vocabulary.near(term.text, term.letters), key=rank)[: constants.MAX_FUZZY_TERMS]


class _Rows:
    """One level of postings over a number of documents."""

    def __init__(self, postings: Postings, documents: int) -> None:
        self._postings = postings
        self._documents = documents

    def zeros(self) -> NDArray[np.int32]:
        return np.zeros(self._documents, dtype=np.int32)

    def ordinals(self, row: int) -> _Ordinals:
        return self._postings.ordinals[self._span(row)]

    def idf(self, row: int | None) -> float:
        """Of a term; None, a term that no document has, counts like one that a single document has.

        Its own formula would let one unknown word outweigh two known ones in a small documentation.
        """
        count = 1 if row is None else len(self.ordinals(row))
        return math.log1p((self._documents - count + 0.5) / (count + 0.5))

    def add(self, row: int, weight: float, scores: NDArray[np.int32]) -> None:
        """A document stands once in a row, so that plain indexed addition reaches each."""
        factor = np.int32(_units(weight * self.idf(row)))
        scores[self.ordinals(row)] += factor * self._postings.impacts[self._span(row)]

    def _span(self, row: int) -> slice:
        return slice(int(self._postings.starts[row]), int(self._postings.starts[row + 1]))


def _units(value: float) -> int:
    return round(_UNIT * value)
