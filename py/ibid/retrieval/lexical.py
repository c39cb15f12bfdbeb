"""BM25F over shipped postings, by chunk and by page, and how much of a query each chunk contains."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.lexicon import IMPACT_STEPS, Lexicon
from ibid.retrieval import constants
from ibid.retrieval.query import Query, Term
from ibid.retrieval.vocabulary import Vocabulary

_UNIT = 256  # of a score: sums are whole numbers, so that every host ranks alike

_ALL = slice(None)
_Ordinals = NDArray[np.unsignedinteger[Any]]


@dataclass(frozen=True)
class LexicalScores:
    """``scores`` int32 [chunks]: BM25 in whole units; ``covered`` int32 [chunks]: its idf mass in each.

    ``mass`` is that of the whole query; ``matched`` are the terms that the index knows with the chunks
    (rising ordinals) that contain each. In a large index few chunks are asked for in real numbers.
    """

    scores: NDArray[np.int32]
    covered: NDArray[np.int32]
    mass: int
    matched: tuple[tuple[str, _Ordinals], ...]

    def bm25(self, chunks: NDArray[np.intp] | slice = _ALL) -> NDArray[np.float64]:
        """float64 [len(chunks)]."""
        return self.scores[chunks].astype(np.float64) * ((constants.K1 + 1) / (_UNIT * IMPACT_STEPS))

    def coverage(self, chunks: NDArray[np.intp] | slice = _ALL) -> NDArray[np.float64]:
        """float64 [len(chunks)]: the share (0..1) of the query's idf mass in each chunk."""
        return self.covered[chunks].astype(np.float64) / max(self.mass, 1)

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
        self._lexicon = lexicon
        self._vocabulary = Vocabulary(lexicon.terms)
        self._chunk_page = chunk_page
        self._pages = pages

    async def score(self, query: Query) -> LexicalScores:
        """BM25F of each chunk plus 0.3 times that of its page, and coverage.

        A word that the index does not know stands for the known words closest to it, at half its weight. An
        identifier that it does not know is judged by its parts alone, an unknown symbol by nothing, an
        unknown pair of characters by the known pairs around it. Raises IndexInvalid when postings cannot be
        had.
        """
        found = self._look_up(query)
        names = self._names(query)
        postings = await self._lexicon.postings([row for each in found for row in each.rows] + list(names))
        chunks = len(self._chunk_page)
        chunk_scores, page_scores = np.zeros(chunks, dtype=np.int32), np.zeros(self._pages, dtype=np.int32)
        covered, mass = np.zeros(chunks, dtype=np.int32), 0
        matched: list[tuple[str, _Ordinals]] = []

        def add(row: int, weight: float) -> None:
            """A document stands once in a row, so that plain indexed addition reaches each."""
            term = postings[row]
            _add(term.chunks, term.chunk_impacts, weight, chunk_scores)
            _add(term.pages, term.page_impacts, weight * constants.PAGE_BM25_WEIGHT, page_scores)
            matched.append((self._vocabulary.term(row), term.chunks))

        for each in found:
            own_mass = _units(each.weight * _idf(each.count, chunks))
            mass += own_mass
            for row in each.rows:
                add(row, each.weight * each.likeness)
            if each.rows:
                documents = [postings[row].chunks for row in each.rows]
                anywhere = documents[0] if len(documents) == 1 else np.unique(np.concatenate(documents))
                covered[anywhere] += round(own_mass * each.likeness)
        for row, weight in names.items():
            add(row, weight)
        scores = chunk_scores + page_scores[self._chunk_page]
        return LexicalScores(scores, covered, mass, tuple(matched))

    def _look_up(self, query: Query) -> list[_Found]:
        """The query's terms as the index knows them; those that cannot count against it are left out."""
        known = {term.text: self._vocabulary.row(term.text) for term in query.terms}
        known_pairs = {
            c for t in query.terms if t.kind == "pair" and known[t.text] is not None for c in t.text
        }
        fuzzy_left = constants.MAX_FUZZY_WORDS
        found: list[_Found] = []
        for term in query.terms:
            row = known[term.text]
            if row is not None:
                found.append(_Found(term.weight, int(self._lexicon.chunk_counts[row]), (row,)))
                continue
            if term.kind in ("whole", "symbol") or (
                term.kind == "pair" and known_pairs.issuperset(term.text)
            ):
                continue
            stand_ins = self._stand_ins(term) if fuzzy_left else ()
            fuzzy_left -= bool(fuzzy_left and term.letters)
            # One that no chunk has counts like one that a single chunk has: its own formula would let one
            # unknown word outweigh two known ones in a small documentation.
            found.append(_Found(term.weight, 1, stand_ins, constants.FUZZY_WEIGHT))
        return found

    def _names(self, query: Query) -> dict[int, float]:
        """Rows of the identifiers that neighbouring words make, with their weights."""
        terms = {term.text for term in query.terms}
        rows = {self._vocabulary.row(name): weight for name, weight in query.names if name not in terms}
        return {row: weight for row, weight in rows.items() if row is not None}

    def _stand_ins(self, term: Term) -> tuple[int, ...]:
        """Known terms for an unknown one: the closest words, or the pairs that a single character opens.

        Of equally close words those with the same first letter come first, then the more frequent ones.
        """
        if term.kind == "pair":
            return tuple(self._vocabulary.starting(term.text)) if len(term.text) == 1 else ()

        def rank(row: int) -> tuple[bool, int]:
            return self._vocabulary.term(row)[0] != term.text[0], -int(self._lexicon.chunk_counts[row])

        near = sorted(self._vocabulary.near(term.text, term.letters), key=rank)
        return tuple(near[: constants.MAX_FUZZY_TERMS])


@dataclass(frozen=True)
class _Found:
    """A term of the query: ``count`` chunks have it, and the ``rows`` of the index that stand for it."""

    weight: float
    count: int
    rows: tuple[int, ...]
    likeness: float = 1.0


def _add(ordinals: _Ordinals, impacts: NDArray[np.uint8], weight: float, scores: NDArray[np.int32]) -> None:
    factor = np.int32(_units(weight * _idf(len(ordinals), len(scores))))
    scores[ordinals] += factor * impacts


def _idf(count: int, documents: int) -> float:
    return math.log1p((documents - count + 0.5) / (count + 0.5))


def _units(value: float) -> int:
    return round(_UNIT * value)
