"""Ibid's WordPiece against the reference implementation (package ``tokenizers``), on any text at all."""

from __future__ import annotations

import unicodedata

from hypothesis import example, given, settings
from hypothesis import strategies as st
from tokenizers import BertWordPieceTokenizer

from ibid_build.encoder import load_tokenizer

OURS = load_tokenizer("english")
REFERENCE = BertWordPieceTokenizer({entry: number for number, entry in enumerate(OURS.vocabulary)})

ANY = st.characters(exclude_categories=["Cs", "Cn"])
WORDS = st.sampled_from([entry.removeprefix("##") for entry in OURS.vocabulary if entry[0] != "["])
TEXTS = st.one_of(
    st.text(ANY, max_size=200),
    st.lists(WORDS, max_size=20).map(" ".join),
    st.lists(st.one_of(WORDS, st.text(ANY, max_size=3)), max_size=30).map("".join),
)


@settings(max_examples=1_000, deadline=None)
@given(TEXTS)
@example("np.linalg.norm(x) raised E0382 in src/__init__.py")
@example("Straße, naïve ﬁne ½ Ⅷ ǆ İstanbul")
@example("한국어 漢字かな交じり文 🇩🇪 👩‍💻")
@example("a\u200bb\u00adc\ufeffd\u2028e\x00f\x85g")
@example("x" * 101)
def test_the_same_tokens_as_the_reference(text: str) -> None:
    """Every assigned character, the vocabulary's own entries, and both stuck together."""
    assert OURS.ids(text) == REFERENCE.encode(text, add_special_tokens=False).ids, [
        unicodedata.name(char, hex(ord(char))) for char in text
    ]
