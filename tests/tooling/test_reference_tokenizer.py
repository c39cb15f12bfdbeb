"""Ibid's WordPiece against the reference implementation (package ``tokenizers``), on any text at all."""

from __future__ import annotations

import unicodedata
from typing import Any

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import Tokenizer, models, normalizers, pre_tokenizers

from ibid.embedding import UNKNOWN, WordPiece
from ibid_build.encoder import ENCODERS, EncoderName, load_tokenizer


def reference(ours: WordPiece) -> Tokenizer:
    """BERT's pipeline over the same vocabulary."""
    vocabulary = {entry: number for number, entry in enumerate(ours.vocabulary)}
    tokenizer: Any = Tokenizer(models.WordPiece(vocabulary, unk_token=UNKNOWN, max_input_chars_per_word=100))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    return tokenizer


OURS = {name: load_tokenizer(name) for name in ENCODERS}
REFERENCE = {name: reference(ours) for name, ours in OURS.items()}


def _known_to_both(char: str) -> bool:
    """The reference's tables of marks are old: it does not strip those that are younger than Unicode 3.2."""
    return unicodedata.category(char) != "Mn" or unicodedata.ucd_3_2_0.category(char) == "Mn"


ANY = st.characters(exclude_categories=["Cs", "Cn"]).filter(_known_to_both)
WORDS = st.sampled_from(
    [entry.removeprefix("##") for ours in OURS.values() for entry in ours.vocabulary if entry[0] != "["]
)
TEXTS = st.one_of(
    st.text(ANY, max_size=200),
    st.lists(WORDS, max_size=20).map(" ".join),
    st.lists(st.one_of(WORDS, st.text(ANY, max_size=3)), max_size=30).map("".join),
)


@pytest.mark.parametrize("name", ENCODERS)
@settings(max_examples=1_000, deadline=None)
@given(text=TEXTS)
@example(text="np.linalg.norm(x) raised E0382 in src/__init__.py")
@example(text="Straße, naïve ﬁne ½ Ⅷ ǆ İstanbul")
@example(text="한국어 漢字かな交じり文 🇩🇪 👩‍💻")
@example(text="a\u200bb\u00adc\ufeffd\u2028e\x00f\x85g")
@example(text="x" * 101)
def test_the_same_tokens_as_the_reference(name: EncoderName, text: str) -> None:
    """Every assigned character, the vocabularies' own entries, and both stuck together."""
    assert OURS[name].ids(text) == REFERENCE[name].encode(text, add_special_tokens=False).ids, [
        unicodedata.name(char, hex(ord(char))) for char in text
    ]
