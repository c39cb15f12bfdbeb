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


class StaticEncoder:
    """A table of subword vectors; a text's vector is the normalised sum of its tokens' rows.

    The rows' lengths are learned term weights. ``table`` is int8 [V, dim]; one ``scale`` turns its steps
    into the transformer's unit. A row of zeros is a token that the encoder does not know.
    """

    __slots__ = ("_known", "_whole", "scale", "table", "tokenizer")

    def __init__(self, table: NDArray[np.int8], scale: float, tokenizer: WordPiece) -> None:
        """Raises IndexInvalid when the parts do not fit each other."""
        if table.ndim != 2 or table.dtype != np.int8 or table.shape[1] == 0:
            raise IndexInvalid(
                f"The encoder's table is {table.dtype} {table.shape}, not int8 with two dimensions. "
                "Its file is damaged or foreign; build the index again."
            )
        if table.shape[0] != len(tokenizer):
            raise IndexInvalid(
                f"The encoder's table has {table.shape[0]} rows for a vocabulary of {len(tokenizer)}. "
                "The two files belong to different builds; publish the whole folder again."
            )
        if not (math.isfinite(scale) and scale > 0):
            raise IndexInvalid(
                f"The encoder's scale is {scale!r}, not a number above 0. "
                "The manifest is damaged; build the index again."
            )
        self.table = table
        self.scale = scale
        self.tokenizer = tokenizer
        self._known: NDArray[np.bool] = np.any(table, axis=1, keepdims=True)[:, 0]
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
        ids, counts = np.unique(np.array(self.tokenizer.ids(text), dtype=np.int64), return_counts=True)
        kept = self._known[ids]
        total = np.einsum("i,ij->j", counts[kept], self.table[ids[kept]], dtype=np.int64)
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
