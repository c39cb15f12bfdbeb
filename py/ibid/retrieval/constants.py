"""Every number that ranking depends on, with the measurement behind it.

Measured as nDCG@10 by page on three sets: A, 100 questions on Anthropic's documentation; G, 264 tasks on
Git's manual (every second one); R, the other 264, looked at last. Differences below .01 are noise there. As
it is: A .827, G .721, R .754; with the transformer itself in place of the query table .841, .750, .763.
"""

from __future__ import annotations

# BM25F (Robertson, Zaragoza 2009), the same for chunks and for pages. By keywords alone: A .813, G .626, R
# .674. Title weights of 4 or 12, heading weights of 1 or 4: within .005. The title counted again among the
# headings: G -.003, R -.008.
K1 = 1.2
TITLE_WEIGHT, HEADING_WEIGHT, BODY_WEIGHT = 8.0, 2.0, 1.0
TITLE_B, HEADING_B, BODY_B = 0.4, 0.4, 0.75

# The page's own BM25F beside the chunk's. 0: A +.002, G -.005, R -.016; 0.6: A -.002, G +.003, R +.001.
PAGE_BM25_WEIGHT = 0.3

# 0.5 * BM25 / best BM25 + cosine + 0.6 * cosine to the page's mean vector.
# BM25 at 0.3: A -.017, G -.001, R -.007; at 0.8: A +.005, G -.007, R -.010.
# Page cosine at 0: A +.008, G -.050, R -.053; at 0.8: A -.004, G +.002, R +.002.
BM25_WEIGHT = 0.5
PAGE_COSINE_WEIGHT = 0.6
SCORE_DECIMALS = 6  # beyond them hosts may differ

# In a large index this many chunks by words and as many by meaning are looked at closely, and the vectors of
# those that lead are fetched, by shards of 64. Of the ten nearest are then, in Linux's documentation (62,035
# chunks) and in a million made-up ones, .959 and .960 in 64 shards of 10 kB, .939 in 40; in 32 shards of 128,
# at the same bytes, .954 and .898; in 16 of 256 .92.
CONSIDERED = 2_000
VECTOR_SHARDS = 64

# Relevance: calibrated cosine + 0.7 * cosine to the page's mean + 0.6 * share of the query's idf mass in the
# chunk, then the encoder's map. Area under the curve, answerable against near questions of Git's manual:
# .968; without the page .951, without coverage .936. Weights of 0.5 and 0.5: .967.
COVERAGE_WEIGHT = 0.6
PAGE_RELEVANCE_WEIGHT = 0.7
MOST_RELEVANT = 1 + PAGE_RELEVANCE_WEIGHT + COVERAGE_WEIGHT

# A piece of an identifier tells less than the identifier, which it is searched beside; so does what surrounds
# the error line of a pasted log. Neither occurs often enough in the sets to be measured.
PART_WEIGHT = 0.5
CONTEXT_WEIGHT = 0.5

# Identifiers that neighbouring words of the query make. Two words make one by chance ("remote branch":
# remote-branch): at 1.0 they cost G .023 by keywords, at 0.3 nothing. Three or more do not.
PAIR_NAME_WEIGHT = 0.3
LONG_NAME_WEIGHT = 2.0

FUZZY_WEIGHT = 0.5  # of a word that was only nearly found; 0 to 0.5 is level where nobody mistypes
MAX_FUZZY_WORDS = 8  # of one query; each costs a comparison with up to 4,096 words
MAX_FUZZY_TERMS = 3  # that one word may stand for
