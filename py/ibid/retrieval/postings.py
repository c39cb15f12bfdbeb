"""Chunks -> the lexicon of an index: terms, BM25F impacts by chunk and by page. Runs at build time."""

from __future__ import annotations

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibid.lexicon import IMPACT_STEPS, Postings, WholeLexicon
from ibid.models import Chunk
from ibid.retrieval import constants
from ibid.text import terms

_FIELDS = (
    (constants.TITLE_WEIGHT, constants.TITLE_B),
    (constants.HEADING_WEIGHT, constants.HEADING_B),
    (constants.BODY_WEIGHT, constants.BODY_B),
)

_Fields = tuple[Counter[str], ...]
"""The terms of one document: of its title, its headings, its body."""


def build_lexicon(chunks: Sequence[Chunk], language: str = "en") -> WholeLexicon:
    """The lexicon of ``chunks``, which stand in the order of their ordinals, those of a page side by side."""
    by_chunk: list[_Fields] = []
    by_page: dict[tuple[str, str], _Fields] = {}
    for chunk in chunks:
        fields = (
            Counter(terms(chunk.title, language)),
            Counter(terms("\n".join(_own_headings(chunk)), language)),
            Counter(terms(chunk.text, language)),
        )
        by_chunk.append(fields)
        page = by_page.setdefault((chunk.source, chunk.path), (Counter(), Counter(), Counter()))
        page[0].update(fields[0] - page[0])  # one title, however many chunks
        page[1].update(fields[1])
        page[2].update(fields[2])
    vocabulary = sorted({term for fields in by_chunk for counts in fields for term in counts})
    rows = {term: row for row, term in enumerate(vocabulary)}
    return WholeLexicon(
        terms="\n".join(vocabulary).encode(),
        chunks=_postings(by_chunk, rows),
        pages=_postings(list(by_page.values()), rows),
    )


def _own_headings(chunk: Chunk) -> Sequence[str]:
    """The heading path without the page's title, which is a field of its own."""
    return chunk.heading_path[chunk.heading_path[:1] == (chunk.title,) :]


def _postings(documents: Sequence[_Fields], rows: dict[str, int]) -> Postings:
    """BM25F's term frequency: each field's count over its length norm, weighted, summed, then saturated."""
    norms = [
        _length_norms([fields[i].total() for fields in documents], b) for i, (_, b) in enumerate(_FIELDS)
    ]
    found_rows, ordinals, frequencies = array("q"), array("q"), array("d")
    for ordinal, fields in enumerate(documents):
        weighted: dict[str, float] = {}
        for counts, (weight, _), norm in zip(fields, _FIELDS, norms, strict=True):
            for term, count in counts.items():
                weighted[term] = weighted.get(term, 0.0) + weight * count / norm[ordinal]
        found_rows.extend(rows[term] for term in weighted)
        frequencies.extend(weighted.values())
        ordinals.extend([ordinal] * len(weighted))
    row_array, ordinal_array = np.array(found_rows, dtype=np.int64), np.array(ordinals, dtype=np.int64)
    frequency = np.array(frequencies, dtype=np.float64)
    order = np.lexsort((ordinal_array, row_array))
    saturated = frequency / (constants.K1 + frequency)
    narrow = len(documents) <= 2**16
    return Postings(
        starts=np.searchsorted(row_array[order], np.arange(len(rows) + 1)).astype(np.uint32),
        ordinals=ordinal_array[order].astype(np.uint16) if narrow else ordinal_array[order].astype(np.uint32),
        impacts=np.maximum(np.rint(saturated[order] * IMPACT_STEPS), 1).astype(np.uint8),
    )


def _length_norms(lengths: Iterable[int], b: float) -> NDArray[np.float64]:
    """1 - b + b * length / mean length: float64 [documents]."""
    array_ = np.array(list(lengths), dtype=np.float64)
    mean = array_.mean()
    return 1 - b + b * array_ / mean if mean else np.ones_like(array_)
