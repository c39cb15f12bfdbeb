"""What occurs most: pairs of neighbours, which get a row of their own, and the pieces each language needs."""

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


def frequent_pieces(
    tokenizer: WordPiece, texts: Sequence[Iterable[Sequence[int]]], count: int
) -> NDArray[np.uint16]:
    """uint16 [V]: bit *i* for the ``count`` pieces that occur most in ``texts[i]`` (token ids), and for all
    single characters there.
    """
    single = np.array([len(entry.removeprefix("##")) == 1 for entry in tokenizer.vocabulary])
    frequent = np.zeros(len(tokenizer), dtype=np.uint16)
    for language, tokens in enumerate(texts):
        uses = np.bincount([number for ids in tokens for number in ids], minlength=len(tokenizer))
        most = np.argsort(-uses, kind="stable")[:count]
        chosen = single & (uses > 0)
        chosen[most[uses[most] > 0]] = True
        chosen[tokenizer.unknown] = False
        frequent |= (chosen.astype(np.uint16) << np.uint16(language)).astype(np.uint16)
    return frequent
