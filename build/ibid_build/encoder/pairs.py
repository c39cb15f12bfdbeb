"""Which neighbouring tokens get a row of their own: the cheapest context that a word can have."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibid.embedding import WordPiece, pair_keys


def frequent_pairs(texts: Iterable[Sequence[int]], tokenizer: WordPiece, count: int) -> NDArray[np.uint16]:
    """uint16 [count, 2]: the neighbours that occur in the most places of ``texts`` (token ids), rising.

    Of equally frequent ones the lower ids are taken.
    """
    found = []
    for ids in texts:
        tokens = np.array(ids, dtype=np.intp)
        tokens = tokens[tokens != tokenizer.unknown]
        found.append(pair_keys(np.stack((tokens[:-1], tokens[1:]), axis=1), len(tokenizer)))
    keys, counts = np.unique(np.concatenate(found), return_counts=True)
    kept = np.sort(keys[np.lexsort((keys, -counts))[:count]])
    return np.stack((kept // len(tokenizer), kept % len(tokenizer)), axis=1).astype(np.uint16)
