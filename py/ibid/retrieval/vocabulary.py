"""The index's terms: exact look-up, and words within one or two edits of an unknown one."""

from __future__ import annotations

from bisect import bisect_left
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

ONE_EDIT = 5  # letters from which a word may differ in one place
TWO_EDITS = 9  # letters from which it may differ in two
_NO_WORD = np.uint32(1 << 26)
_MAX_COMPARED = 4_096
_MAX_STARTING = 16


class Vocabulary:
    """Terms sorted by code point; a term's row is its place."""

    def __init__(self, terms: bytes) -> None:
        """``terms``: UTF-8, one a line."""
        self._bytes = terms
        self._terms = terms.decode("utf-8", "replace").split("\n")

    def __len__(self) -> int:
        return len(self._terms)

    def row(self, term: str) -> int | None:
        """The term's row."""
        row = bisect_left(self._terms, term)
        return row if row < len(self._terms) and self._terms[row] == term else None

    def term(self, row: int) -> str:
        """The term of a row."""
        return self._terms[row]

    def starting(self, prefix: str) -> list[int]:
        """Rows of terms that start with ``prefix``, at most 16."""
        row = bisect_left(self._terms, prefix)
        rows: list[int] = []
        while row < len(self._terms) and len(rows) < _MAX_STARTING and self._terms[row].startswith(prefix):
            rows.append(row)
            row += 1
        return rows

    def near(self, word: str, letters: int) -> list[int]:
        """Rows of the words closest to ``word``: one edit apart if it had 5 letters, two if it had 9.

        ``letters`` counts the word before stemming. An edit inserts, drops or changes a letter, or swaps two
        neighbours (Damerau 1964). Only words of a-z are compared, at most 4,096 of them, all at once.
        """
        edits = 2 if letters >= TWO_EDITS else 1 if letters >= ONE_EDIT else 0
        if not edits or not (word.isascii() and word.isalpha()):
            return []
        lengths, letter_sets = self._shapes
        own = np.bitwise_or.reduce(_LETTER_BITS[np.frombuffer(word.encode(), dtype=np.uint8)])
        close = (lengths >= len(word) - edits) & (lengths <= len(word) + edits) & (letter_sets < _NO_WORD)
        close &= np.bitwise_count(letter_sets ^ own) <= 2 * edits
        rows = np.flatnonzero(close)[:_MAX_COMPARED]
        if not len(rows):
            return []
        distances = _distances(word, self._letters(rows), lengths[rows], edits)
        best = int(distances.min())
        return [int(row) for row in rows[distances == best]] if best <= edits else []

    @cached_property
    def _starts(self) -> NDArray[np.intp]:
        raw = np.frombuffer(self._bytes, dtype=np.uint8)
        return np.concatenate((np.zeros(1, dtype=np.intp), np.flatnonzero(raw == ord("\n")) + 1))

    @cached_property
    def _shapes(self) -> tuple[NDArray[np.intp], NDArray[np.uint32]]:
        """Each term's length in bytes and the set of its letters, one bit each; a bit above for all else."""
        raw = np.frombuffer(self._bytes + b"\n", dtype=np.uint8)
        lengths = np.diff(self._starts, append=len(raw)) - 1
        return lengths, np.bitwise_or.reduceat(_LETTER_BITS[raw], self._starts)

    def _letters(self, rows: NDArray[np.intp]) -> NDArray[np.uint8]:
        """uint8 [len(rows), longest]: the terms' bytes, whatever follows them beyond their length."""
        raw = np.frombuffer(self._bytes, dtype=np.uint8)
        places = self._starts[rows][:, None] + np.arange(int(self._shapes[0][rows].max()))
        letters: NDArray[np.uint8] = raw[np.minimum(places, len(raw) - 1)]
        return letters


def _distances(
    word: str, letters: NDArray[np.uint8], lengths: NDArray[np.intp], edits: int
) -> NDArray[np.int8]:
    """Edit distance (optimal string alignment) from ``word`` to each row of ``letters``: int8 [rows].

    Column by column, and in each only what lies within ``edits`` of the diagonal (Ukkonen 1985): whatever is
    farther comes out as more than ``edits``. ``before[i]`` is the distance of the word's first i letters to
    the row's letters so far.
    """
    own = word.encode()
    zeros = np.zeros(len(letters), dtype=np.int8)
    far = zeros + (edits + 1)
    before = [zeros + i if i <= edits else far for i in range(len(own) + 1)]
    earlier = before
    result = far.copy()
    for column in range(letters.shape[1]):
        now = [far] * (len(own) + 1)
        if column < edits:
            now[0] = zeros + (column + 1)
        for i in range(max(1, column + 1 - edits), min(len(own), column + 1 + edits) + 1):
            letter = own[i - 1]
            changed = before[i - 1] + (letters[:, column] != letter)
            cost = np.minimum(np.minimum(before[i], now[i - 1]) + 1, changed)
            if i > 1 and column:
                swapped = (letters[:, column - 1] == letter) & (letters[:, column] == own[i - 2])
                cost = np.where(swapped, np.minimum(cost, earlier[i - 2] + 1), cost)
            now[i] = cost
        earlier, before = before, now
        result = np.where(lengths == column + 1, before[-1], result)
    return result


def _letter_bits() -> NDArray[np.uint32]:
    bits = np.full(256, _NO_WORD, dtype=np.uint32)
    bits[ord("\n")] = 0
    bits[ord("a") : ord("z") + 1] = np.uint32(1) << np.arange(26, dtype=np.uint32)
    return bits


_LETTER_BITS = _letter_bits()
