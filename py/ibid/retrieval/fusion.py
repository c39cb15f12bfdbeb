"""One score out of BM25 and cosines, and the best of it in an order that every host agrees on."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from ibid.retrieval import constants


def fuse(
    bm25: NDArray[np.float64],
    cosines: NDArray[np.float64] | None,
    page_cosines: NDArray[np.float64] | None,
) -> NDArray[np.float64]:
    """float64 [chunks]: 0.5 * BM25 / best BM25 + cosine + 0.6 * cosine to the page's mean.

    ``page_cosines`` [chunks] is each chunk's page's. Without cosines the keywords alone decide.
    """
    best = float(bm25.max(initial=0.0))
    fused = bm25 * (constants.BM25_WEIGHT / best) if best > 0 else np.zeros_like(bm25)
    if cosines is not None and page_cosines is not None:
        fused = fused + cosines + constants.PAGE_COSINE_WEIGHT * page_cosines
    rounded: NDArray[np.float64] = np.round(fused, constants.SCORE_DECIMALS)
    return rounded


def best(scores: NDArray[np.float64], ids: NDArray[np.uint64], count: int) -> NDArray[np.intp]:
    """The ordinals of the ``count`` highest scores, best first, ties by id: intp [at most count]."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        ordinals = np.flatnonzero(scores >= least)
    else:
        ordinals = np.arange(len(scores))
    order = np.lexsort((ids[ordinals], -scores[ordinals]))
    return ordinals[order[:count]]
