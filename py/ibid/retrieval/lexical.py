"""BM25F over shipped postings, by chunk and by page, and how much of a query each chunk contains."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.index import IMPACT_STEPS, Lexicon, Postings
from ibid.query import Term
from ibid.retrieval import constants
from ibid.retrieval.vocabulary import Vocabulary

_UNIT = 256  # of a score: sums are whole numbers, so that every host ranks alike


@dataclass(frozen=True, slots=True)
class LexicalScores:
    """float64 [chunks] each; ``coverage`` is the share (0..1) of the query's idf mass in the chunk.

    ``matched`` are the terms that the index knows with the chunks (rising ordinals) that contain each.
    """

    bm25: NDArray[np.float64]
    coverage: NDArray[np.float64]
    matched: tuple[tuple[str, NDArray[np.unsignedinteger[Any]]], ...]

    def matched_in(self, ordinal: int) -> tuple[str, ...]:
        """The query's terms that the chunk contains."""
        found: list[str] = []
        for term, ordinals in self.matched:
            place = int(np.searchsorted(ordinals, ordinal))
            if place < len(ordinals) and ordinals[place] == ordinal:
                found.append(term)
        return tuple(found)


class LexicalSearcher:
    """Scores every chunk of an index for the terms of a query."""

    def __init__(self, lexicon: Lexicon, chunk_page: NDArray[np.int32], pages: int) -> None:
        """``chunk_page`` [chunks] is each chunk's page number, below ``pages``."""
        self._vocabulary = Vocabulary(lexicon.terms)
        self._by_chunk = lexicon.chunks
        self._by_page = lexicon.pages
        self._chunk_page = chunk_page
        self._pages = pages

    def score(self, query: Sequence[Term]) -> LexicalScores:
        """BM25F of each chunk plus 0.3 times that of its page, and coverage.

        A word that the index does not know stands for the known words closest to it, at half its weight. An
        identifier that it does not know is judged by its parts alone, and an unknown symbol by nothing.
        """
        chunks = len(self._chunk_page)
        chunk_scores = np.zeros(chunks, dtype=np.int32)
        page_scores = np.zeros(self._pages, dtype=np.int32)
        covered = np.zeros(chunks, dtype=np.int32)
        mass = 0
        matched: list[tuple[str, NDArray[np.unsignedinteger[Any]]]] = []
        fuzzy_left = constants.MAX_FUZZY_WORDS
        for term in query:
            row = self._vocabulary.row(term.text)
            weight = term.weight
            if row is not None:
                rows = [row]
                own_mass = _units(weight * _idf(_count(self._by_chunk, row), chunks))
                mass += own_mass
            elif term.kind in ("whole", "symbol"):
                continue
            else:
                rows = self._stand_ins(term) if fuzzy_left else []
                fuzzy_left -= bool(fuzzy_left and term.letters)
                mass += _units(weight * _idf(0, chunks))
                weight *= constants.FUZZY_WEIGHT
                own_mass = _units(weight * _idf(0, chunks))
            for known in rows:
                self._add(self._by_chunk, known, weight, chunk_scores)
                self._add(self._by_page, known, weight * constants.PAGE_BM25_WEIGHT, page_scores)
                matched.append((self._vocabulary.term(known), _ordinals(self._by_chunk, known)))
            if rows:
                covered[np.unique(np.concatenate([_ordinals(self._by_chunk, r) for r in rows]))] += own_mass
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
            return self._vocabulary.term(row)[0] != term.text[0], -_count(self._by_chunk, row)

        return sorted(self._vocabulary.near(term.text, term.letters), key=rank)[: constants.MAX_FUZZY_TERMS]

    @staticmethod
    def _add(postings: Postings, row: int, weight: float, scores: NDArray[np.int32]) -> None:
        """A document stands once in a row, so that plain indexed addition reaches each."""
        start, end = int(postings.starts[row]), int(postings.starts[row + 1])
        factor = np.int32(_units(weight * _idf(end - start, len(scores))))
        scores[postings.ordinals[start:end]] += factor * postings.impacts[start:end]


def _count(postings: Postings, row: int) -> int:
    return int(postings.starts[row + 1]) - int(postings.starts[row])


def _ordinals(postings: Postings, row: int) -> NDArray[np.unsignedinteger[Any]]:
    return postings.ordinals[int(postings.starts[row]) : int(postings.starts[row + 1])]


def _idf(count: int, documents: int) -> float:
    return math.log1p((documents - count + 0.5) / (count + 0.5))


def _units(value: float) -> int:
    return round(_UNIT * value)
