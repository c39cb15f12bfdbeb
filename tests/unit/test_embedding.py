"""Static query embedding: WordPiece as BERT has it, and the normalised sum of the tokens' rows."""

from __future__ import annotations

import math

import numpy as np
import pytest

from ibid.embedding import MAX_WORD_LENGTH, StaticEncoder, WordPiece
from ibid.errors import IndexInvalid

VOCABULARY = [
    *("[UNK]", "the", "embed", "##ding", "##s", "un", "##want", "##ed", "run", "cafe", "a", "##b"),
    *("-", "_", "$", ".", "!", "！", "，", "漢", "字", "no", "verify", "init", "i", "straße"),
]


@pytest.fixture
def tokenizer() -> WordPiece:
    """A vocabulary small enough to read."""
    return WordPiece(VOCABULARY)


@pytest.mark.parametrize(
    ("text", "pieces"),
    [
        ("", []),
        (" \t\r\n ", []),
        ("the", ["the"]),
        ("THE  Embeddings", ["the", "embed", "##ding", "##s"]),
        ("unwanted", ["un", "##want", "##ed"]),
        ("unwantedX run", ["[UNK]", "run"]),
        ("Café cafe\u0301", ["cafe", "cafe"]),
        ("İ", ["i"]),
        ("--no-verify", ["-", "-", "no", "-", "verify"]),
        ("__init__", ["_", "_", "init", "_", "_"]),
        ("$a.b!", ["$", "a", ".", "[UNK]", "!"]),
        ("the漢字run", ["the", "漢", "字", "run"]),
        ("漢，字！", ["漢", "，", "字", "！"]),
        ("ab\u200b\u0000b\ufffd", ["a", "##b", "##b"]),
        ("the\u00a0run\u2028the\u3000run", ["the", "run", "the", "run"]),
        ("STRAßE", ["straße"]),
        ("[UNK]", ["[UNK]", "[UNK]", "[UNK]"]),
    ],
)
def test_words_fall_into_the_longest_known_pieces(tokenizer: WordPiece, text: str, pieces: list[str]) -> None:
    """Lower case, no accents or controls, punctuation and ideographs alone, greedy from the left."""
    assert [VOCABULARY[number] for number in tokenizer.ids(text)] == pieces


@pytest.mark.parametrize(
    ("word", "pieces"),
    [
        ("a" + "b" * (MAX_WORD_LENGTH - 1), MAX_WORD_LENGTH),
        ("a" + "b" * MAX_WORD_LENGTH, 1),
    ],
)
def test_a_word_of_more_than_a_hundred_characters_is_one_unknown(
    tokenizer: WordPiece, word: str, pieces: int
) -> None:
    """BERT's bound, to the character; it also bounds the work that one word can cause."""
    assert len(tokenizer.ids(word)) == pieces


@pytest.mark.parametrize("text", ["a" * 100_000, "漢" * 100_000, "a." * 50_000, "\u0301" * 100_000])
def test_the_work_is_linear_in_the_text(text: str) -> None:
    """Vocabulary look-ups are counted: at most a fixed number for each character, whatever the text."""

    class Counted(dict[str, int]):
        lookups = 0

        def get(self, key: str, default: int | None = None) -> int | None:  # type: ignore[override]
            Counted.lookups += 1
            return super().get(key, default)

    tokenizer = WordPiece(VOCABULARY)
    longest = max(len(entry) for entry in VOCABULARY)
    object.__setattr__(tokenizer, "_ids", Counted(tokenizer._ids))
    tokenizer.ids(text)
    assert Counted.lookups <= (longest + 1) * len(text)


@pytest.mark.parametrize("vocabulary", [[], ["the"], ["[UNK]", "the", "the"]])
def test_a_vocabulary_that_cannot_be_one_is_refused(vocabulary: list[str]) -> None:
    """Entries are different from each other, and ``[UNK]`` is among them."""
    with pytest.raises(IndexInvalid, match="build the index again"):
        WordPiece(vocabulary)


@pytest.fixture
def encoder() -> StaticEncoder:
    """Five entries in three dimensions; ``blank`` is known to the tokenizer but has no vector."""
    table = np.array([[9, 9, 9], [3, 0, 0], [0, 4, 0], [0, 0, 0], [0, 0, 5]], dtype=np.int8)
    return StaticEncoder(table, 0.01, WordPiece(["[UNK]", "east", "north", "blank", "##ern"]))


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("east", [1, 0, 0]),
        ("East, north!", [0.6, 0.8, 0]),
        ("east east east east north north north", [math.sqrt(0.5), math.sqrt(0.5), 0]),
        ("east nowhere blank", [1, 0, 0]),
        ("nowhere", [0, 0, 0]),
        ("", [0, 0, 0]),
    ],
)
def test_a_text_is_the_normalised_sum_of_its_rows(
    encoder: StaticEncoder, text: str, vector: list[float]
) -> None:
    """Long rows weigh more, repeated tokens count again, unknown ones not at all; zeros if none is known."""
    found = encoder.encode(text)
    assert found.dtype == np.float32
    assert found.shape == (encoder.dim,)
    assert found == pytest.approx(vector)


@pytest.mark.parametrize(
    ("text", "vector"),
    [
        ("east north", [4, 4, 0]),
        ("north east", [0, 0, 1]),
        ("north east north east", [1, 0, 18]),
        ("north nowhere east", [0, 0, 1]),
        ("north north", [0, 1, 0]),
    ],
)
def test_a_pair_of_neighbours_adds_a_row_of_its_own(text: str, vector: list[float]) -> None:
    """In its order only, as often as it stands there; an unknown word does not part its neighbours."""
    table = np.array([[0, 0, 0], [3, 0, 0], [0, 4, 0], [1, 0, 0], [-3, -4, 9]], dtype=np.int8)
    pairs = np.array([[1, 2], [2, 1]], dtype=np.uint16)
    encoder = StaticEncoder(table, 0.01, WordPiece(["[UNK]", "east", "north"]), pairs)
    assert encoder.encode(text) == pytest.approx(np.array(vector) / np.linalg.norm(vector))


def test_a_long_text_does_not_overflow(encoder: StaticEncoder) -> None:
    """100 kB of one word: the sum is taken in whole numbers that are wide enough."""
    assert encoder.encode("north " * 100_000) == pytest.approx([0, 1, 0])


@pytest.mark.parametrize(
    ("text", "share"),
    [
        ("", 0.0),
        ("east north", 0.0),
        ("east nowhere", 0.5),
        ("blank", 1.0),
        ("漢字 east", 2 / 3),
        ("northern", 0.5),
    ],
)
def test_the_unknown_share_counts_all_but_whole_known_words(
    encoder: StaticEncoder, text: str, share: float
) -> None:
    """Unknown words, entries without a vector, and the pieces of words (SPEC 5: is the language known?)."""
    assert encoder.unknown_share(text) == pytest.approx(share)


@pytest.mark.parametrize(
    ("table", "scale", "message"),
    [
        (np.zeros((2, 3), dtype=np.float32), 1.0, "int8 with two dimensions"),
        (np.zeros(2, dtype=np.int8), 1.0, "int8 with two dimensions"),
        (np.zeros((2, 0), dtype=np.int8), 1.0, "int8 with two dimensions"),
        (np.zeros((3, 3), dtype=np.int8), 1.0, "3 rows for a vocabulary of 2"),
        (np.zeros((2, 3), dtype=np.int8), 0.0, "scale"),
        (np.zeros((2, 3), dtype=np.int8), math.nan, "scale"),
    ],
)
def test_parts_that_do_not_fit_each_other_are_refused(table: np.ndarray, scale: float, message: str) -> None:
    """Shape, type, rows and scale are checked before anything is encoded."""
    with pytest.raises(IndexInvalid, match=message):
        StaticEncoder(table, scale, WordPiece(["[UNK]", "a"]))


@pytest.mark.parametrize(
    ("pairs", "message"),
    [
        (np.array([[0, 1]], dtype=np.uint16), "vocabulary of 2 and 1 pairs"),
        (np.array([[1, 0], [0, 1]], dtype=np.uint16), "out of order"),
        (np.array([[0, 1], [0, 1]], dtype=np.uint16), "out of order"),
        (np.array([[0, 1], [0, 2]], dtype=np.uint16), "tokens that it does not have"),
        (np.array([[0, 1]], dtype=np.int64), "not uint16 with two columns"),
        (np.array([0, 1], dtype=np.uint16), "not uint16 with two columns"),
    ],
)
def test_pairs_that_do_not_fit_are_refused(pairs: np.ndarray, message: str) -> None:
    """Their type, their number, their order, and the tokens that they name."""
    with pytest.raises(IndexInvalid, match=message):
        StaticEncoder(np.zeros((4, 3), dtype=np.int8), 1.0, WordPiece(["[UNK]", "a"]), pairs)
