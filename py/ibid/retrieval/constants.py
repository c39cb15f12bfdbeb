"""Every number that ranking depends on, with the measurement behind it.

Tuned on the half of the git set with odd query numbers and on the Anthropic set, never on the other half.
"""

from __future__ import annotations

# BM25F (Robertson, Zaragoza 2009), the same for chunks and for pages.
K1 = 1.2
TITLE_WEIGHT, HEADING_WEIGHT, BODY_WEIGHT = 8.0, 2.0, 1.0
TITLE_B, HEADING_B, BODY_B = 0.4, 0.4, 0.75
PAGE_BM25_WEIGHT = 0.3

# Fusion: 0.5 * BM25 / best BM25 + cosine + 0.6 * cosine to the page's mean vector.
BM25_WEIGHT = 0.5
PAGE_COSINE_WEIGHT = 0.6
SCORE_DECIMALS = 6  # beyond them hosts may differ

# Relevance: calibrated cosine + 0.5 * share of the query's idf mass in the chunk, then the encoder's map.
COVERAGE_WEIGHT = 0.5

NAME_WEIGHT = 0.3  # of an identifier that neighbouring words of the query make
FUZZY_WEIGHT = 0.5  # of a word that was only nearly found
MAX_FUZZY_WORDS = 8  # of one query; each costs a comparison with up to 4,096 words
MAX_FUZZY_TERMS = 3  # that one word may stand for
