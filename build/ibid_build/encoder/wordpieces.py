"""Learns the multilingual vocabulary: ``python -m ibid_build.encoder.wordpieces``; needs the extra ``train``.

The vocabulary is an input of the training, as BERT's own is for the English encoder: made once, committed,
and made anew only with the list of sources.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import Any

from tokenizers import Tokenizer, models, normalizers, pre_tokenizers, trainers

from ibid.embedding import UNKNOWN
from ibid.errors import IbidError
from ibid_build.encoder import folder_of
from ibid_build.encoder.catalogues import catalogues, lines_by_language

SIZE = 40_000
ALPHABET = 6_000  # characters, of which Chinese and Japanese need most
_CHARACTERS = 1_200_000  # of text from each language


def main() -> int:
    """Writes ``multilingual/vocabulary.txt``; 2 when the texts cannot be had."""
    try:
        texts = list(training_texts())
    except IbidError as error:
        print(error, file=sys.stderr)
        return 2
    entries = learn(texts)
    (folder_of("multilingual") / "vocabulary.txt").write_text("\n".join(entries) + "\n", "utf-8")
    print(f"{len(entries)} entries from {len(texts)} texts")
    return 0


def training_texts() -> Iterator[str]:
    """Texts of every language, about as many characters of each. Raises InputError."""
    found: dict[str, list[str]] = {}
    for catalogue in catalogues(folder_of("multilingual") / "sources.txt"):
        for language, lines in lines_by_language(catalogue, catalogue.archive.fetch()).items():
            found.setdefault(language, []).extend(line.text for line in lines)
    for texts in found.values():
        left = _CHARACTERS
        step = max(sum(map(len, texts)) // _CHARACTERS, 1)
        for text in texts[::step]:
            if left > 0:
                left -= len(text)
                yield text


def learn(texts: list[str], size: int = SIZE) -> list[str]:
    """The entries, special ones first, then characters, then pieces as they were joined."""
    tokenizer: Any = Tokenizer(models.WordPiece(unk_token=UNKNOWN))
    tokenizer.normalizer = normalizers.BertNormalizer()
    tokenizer.pre_tokenizer = pre_tokenizers.BertPreTokenizer()
    trainer = trainers.WordPieceTrainer(
        vocab_size=size, limit_alphabet=ALPHABET, special_tokens=[UNKNOWN], show_progress=False
    )
    tokenizer.train_from_iterator(texts, trainer)
    entries: dict[str, int] = tokenizer.get_vocab()
    return sorted(entries, key=entries.__getitem__)


if __name__ == "__main__":
    sys.exit(main())
