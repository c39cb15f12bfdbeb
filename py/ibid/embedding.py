"""Static query embedding: subword tokens -> table rows -> one vector.

No model runs in the browser. The table lives in the space of the transformer that embedded the chunks at
build time, so that its query vectors and their passage vectors can be compared (FACTS, "asymmetric").
"""

from __future__ import annotations

import math
import unicodedata
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from ibid.errors import IndexInvalid

UNKNOWN = "[UNK]"
MAX_WORD_LENGTH = 100  # characters; BERT's own bound, which also bounds the time a word can take
_CONTINUES = "##"

# The blocks that BERT isolates, each character a word of its own: CJK ideographs; no kana, no hangul.
_IDEOGRAPHS = (
    (0x4E00, 0x9FFF),
    (0x3400, 0x4DBF),
    (0x20000, 0x2A6DF),
    (0x2A700, 0x2B73F),
    (0x2B740, 0x2B81F),
    (0x2B920, 0x2CEAF),
    (0xF900, 0xFAFF),
    (0x2F800, 0x2FA1F),
)


class _Normalised(dict[int, str]):
    """What each code point becomes, for ``str.translate``; filled as characters are met.

    Lower case without accents; blanks around what stands alone (punctuation, ideographs); nothing for
    control characters and accents. Character by character, so that the text takes one linear pass.
    """

    def __missing__(self, code: int) -> str:
        text = _normalise(chr(code))
        self[code] = text
        return text


def _normalise(char: str) -> str:
    if char in "\t\n\r":
        return " "
    if char == "\ufffd" or unicodedata.category(char).startswith("C"):
        return ""
    if char.isspace():
        return " "
    decomposed = unicodedata.normalize("NFD", char)
    letters = "".join(c.lower() for c in decomposed if unicodedata.category(c) != "Mn")
    if any(low <= ord(char) <= high for low, high in _IDEOGRAPHS):
        return f" {letters} "
    return "".join(f" {c} " if _is_punctuation(c) else c for c in letters)


def _is_punctuation(char: str) -> bool:
    """BERT's notion: Unicode's, and every ASCII sign that is no letter, digit or blank (``$``, ``+``)."""
    ascii_sign = "!" <= char <= "~" and not char.isalnum()
    return ascii_sign or unicodedata.category(char).startswith("P")


_NORMALISED = _Normalised()


class WordPiece:
    """BERT's uncased tokenisation (Devlin et al. 2018; Wu et al. 2016) over a given vocabulary.

    Agrees with the reference tokenizer on its own vocabulary, but for special tokens: ``[MASK]`` in a text
    is prose here. Time is linear in the text: a word is at most 100 characters, a match no longer than the
    longest entry.
    """

    __slots__ = ("_ids", "_longest", "unknown", "vocabulary")

    def __init__(self, vocabulary: Sequence[str]) -> None:
        """``vocabulary``: the entries in order of their ids, ``[UNK]`` among them. Raises IndexInvalid."""
        self.vocabulary = tuple(vocabulary)
        self._ids = {entry: number for number, entry in enumerate(self.vocabulary)}
        if len(self._ids) != len(self.vocabulary) or UNKNOWN not in self._ids:
            raise IndexInvalid(
                f"The encoder's vocabulary ({len(self.vocabulary)} entries) repeats one or lacks {UNKNOWN}. "
                "Its file is damaged; build the index again."
            )
        self.unknown = self._ids[UNKNOWN]
        self._longest = max(len(entry.removeprefix(_CONTINUES)) for entry in self.vocabulary)

    def __len__(self) -> int:
        return len(self.vocabulary)

    def id_of(self, entry: str) -> int:
        """The id of an entry that is known to be there, such as ``[CLS]``. Raises KeyError."""
        return self._ids[entry]

    def ids(self, text: str) -> list[int]:
        """The tokens of ``text``; a word that cannot be put together from entries is one ``[UNK]``."""
        known = self._ids
        found: list[int] = []
        for word in text.translate(_NORMALISED).split():
            whole = known.get(word)
            if whole is not None:
                found.append(whole)
            else:
                found.extend(self._pieces(word))
        return found

    def _pieces(self, word: str) -> list[int]:
        """Greedy longest match from the left."""
        if len(word) > MAX_WORD_LENGTH:
            return [self.unknown]
        pieces: list[int] = []
        start = 0
        while start < len(word):
            prefix = _CONTINUES if start else ""
            for end in range(min(len(word), start + self._longest), start, -1):
                piece = self._ids.get(prefix + word[start:end])
                if piece is not None:
                    pieces.append(piece)
                    start = end
                    break
            else:
                return [self.unknown]
        return pieces


NO_PAIRS: NDArray[np.uint16] = np.zeros((0, 2), dtype=np.uint16)


class StaticEncoder:
    """A table of subword vectors; a text's vector is the normalised sum of its tokens' and pairs' rows.

    The rows' lengths are learned term weights. ``table`` is int8 [V + P, dim]: V rows of tokens, then P of
    tokens that follow each other, named by ``pairs``, uint16 [P, 2], in rising order. One ``scale`` turns
    its steps into the transformer's unit. A row of zeros is a token that the encoder does not know.
    """

    __slots__ = ("_keys", "_known", "_whole", "pairs", "scale", "table", "tokenizer")

    def __init__(
        self,
        table: NDArray[np.int8],
        scale: float,
        tokenizer: WordPiece,
        pairs: NDArray[np.uint16] = NO_PAIRS,
    ) -> None:
        """Raises IndexInvalid when the parts do not fit each other."""
        if table.ndim != 2 or table.dtype != np.int8 or table.shape[1] == 0:
            raise IndexInvalid(
                f"The encoder's table is {table.dtype} {table.shape}, not int8 with two dimensions. "
                "Its file is damaged or foreign; build the index again."
            )
        if pairs.ndim != 2 or pairs.shape[1] != 2 or pairs.dtype != np.uint16:
            raise IndexInvalid(
                f"The encoder's pairs are {pairs.dtype} {pairs.shape}, not uint16 with two columns. "
                "Their file is damaged or foreign; build the index again."
            )
        keys = pair_keys(pairs, len(tokenizer))
        if table.shape[0] != len(tokenizer) + len(keys):
            raise IndexInvalid(
                f"The encoder's table has {table.shape[0]} rows for a vocabulary of {len(tokenizer)} and "
                f"{len(keys)} pairs. The files belong to different builds; publish the whole folder again."
            )
        if (pairs >= len(tokenizer)).any() or (keys[1:] <= keys[:-1]).any():
            raise IndexInvalid(
                "The encoder's pairs are out of order or name tokens that it does not have. "
                "Their file is damaged; publish the whole folder again."
            )
        if not (math.isfinite(scale) and scale > 0):
            raise IndexInvalid(
                f"The encoder's scale is {scale!r}, not a number above 0. "
                "The manifest is damaged; build the index again."
            )
        self.table = table
        self.scale = scale
        self.tokenizer = tokenizer
        self.pairs = pairs
        self._keys = keys
        self._known: NDArray[np.bool] = np.any(table[: len(tokenizer)], axis=1, keepdims=True)[:, 0]
        self._known[tokenizer.unknown] = False
        self._whole = self._known & [not entry.startswith(_CONTINUES) for entry in tokenizer.vocabulary]

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self.table.shape[1])

    def knows(self, token: int) -> bool:
        """Whether the token has a vector."""
        return bool(self._known[token])

    def encode(self, text: str) -> NDArray[np.float32]:
        """float32 [dim] of length 1; zeros when no token of ``text`` is known.

        The sum and its square are whole numbers, so that every host gets the same bits.
        """
        rows = rows_of(self.tokenizer.ids(text), self._keys, self.tokenizer)
        rows, counts = np.unique(rows, return_counts=True)
        total = np.einsum("i,ij->j", counts, self.table[rows], dtype=np.int64)
        square = int((total * total).sum())
        if square == 0:
            return np.zeros(self.dim, dtype=np.float32)
        vector: NDArray[np.float32] = (total / math.sqrt(square)).astype(np.float32)
        return vector

    def unknown_share(self, text: str) -> float:
        """The share (0..1) of the text's tokens that are no whole words with a vector; 0 for no tokens.

        Pieces count as unknown, since a language that the vocabulary was not made for falls into pieces:
        0.43-0.57 in Spanish, French and German, 0.10-0.13 in English documentation, code included.
        """
        ids = self.tokenizer.ids(text)
        if not ids:
            return 0.0
        return 1.0 - float(self._whole[ids].mean())


def rows_of(ids: Sequence[int], keys: NDArray[np.uint32], tokenizer: WordPiece) -> NDArray[np.intp]:
    """intp [n]: a table's rows for a text's token ids, then those of its pairs; ``keys`` rise."""
    tokens: NDArray[np.intp] = np.array(
        [number for number in ids if number != tokenizer.unknown], dtype=np.intp
    )
    if len(tokens) < 2 or not len(keys):
        return tokens
    wanted = pair_keys(np.stack((tokens[:-1], tokens[1:]), axis=1), len(tokenizer))
    places = np.searchsorted(keys, wanted)
    found = keys[np.minimum(places, len(keys) - 1)] == wanted
    rows: NDArray[np.intp] = np.concatenate((tokens, places[found] + len(tokenizer)))
    return rows


def pair_keys(pairs: NDArray[np.integer], tokens: int) -> NDArray[np.uint32]:
    """uint32 [P]: one number a pair of token ids, in the pairs' own order; ``tokens`` is below 2**16."""
    wide = pairs.astype(np.uint32)
    keys: NDArray[np.uint32] = wide[:, 0] * np.uint32(tokens) + wide[:, 1]
    return keys
