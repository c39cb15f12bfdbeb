"""The committed query encoder: a table of subword vectors in the transformer's space.

``vocabulary.txt`` (BERT's uncased entries), ``table.npy`` (int8: a row of 256 for each entry, then for each
pair of ``pairs.npy``, uint16 [P, 2]), ``projection.npy`` (float32 [384, 256], from the transformer's space),
``encoder.json`` (what belongs to them). ``train.py`` made them;
``CARD.md`` tells how and from what.
"""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.embedding import UNKNOWN, StaticEncoder, WordPiece
from ibid.errors import InputError

FOLDER = Path(__file__).parent
GENERIC = 10_000
# BERT's entries stand in order of their frequency in English from here on; special and single ones before.
FIRST_WORD = 1996


@dataclass(frozen=True, slots=True)
class Asset:
    """The committed encoder; ``calibration`` and ``figures`` as encoder.json holds them."""

    id: str
    encoder: StaticEncoder
    calibration: dict[str, list[list[float]]]
    figures: dict[str, Any]


@cache
def load_tokenizer() -> WordPiece:
    """WordPiece over the whole committed vocabulary, the transformer's own. Raises InputError."""
    return WordPiece(_read("vocabulary.txt").decode().removesuffix("\n").split("\n"))


@cache
def load_projection() -> NDArray[np.float32]:
    """float32 [384, 256] with orthonormal columns: PCA of the teacher's vectors. Raises InputError."""
    return _array("projection.npy").astype(np.float32, copy=False)


@cache
def load_encoder() -> Asset:
    """The whole committed encoder. Raises InputError, IndexInvalid."""
    settings = json.loads(_read("encoder.json"))
    return Asset(
        id=settings["id"],
        encoder=StaticEncoder(_array("table.npy"), settings["scale"], load_tokenizer(), _array("pairs.npy")),
        calibration=settings["calibration"],
        figures=settings["figures"],
    )


def cut_vocabulary(texts: Iterable[str], generic: int = GENERIC) -> StaticEncoder:
    """The encoder cut to a site: the tokens of its texts, the frequent English ones, all single characters,
    and the pairs of these.

    Rows keep their order, so that the same texts give the same bytes. With the single characters kept, a
    word that lost its entry still falls into pieces instead of being unknown.
    """
    whole = load_encoder().encoder
    vocabulary = whole.tokenizer.vocabulary
    kept = set(range(FIRST_WORD, FIRST_WORD + generic))
    for text in texts:
        kept.update(whole.tokenizer.ids(text))
    for number, entry in enumerate(vocabulary):
        if entry == UNKNOWN or (len(entry.removeprefix("##")) == 1 and whole.knows(number)):
            kept.add(number)
    rows = sorted(number for number in kept if number < len(vocabulary))
    places = np.full(len(vocabulary), -1, dtype=np.intp)
    places[rows] = np.arange(len(rows), dtype=np.intp)
    pairs = places[whole.pairs]
    whole_pairs = (pairs >= 0).all(axis=1)
    return StaticEncoder(
        np.concatenate((whole.table[rows], whole.table[len(vocabulary) :][whole_pairs])),
        whole.scale,
        WordPiece([vocabulary[n] for n in rows]),
        pairs[whole_pairs].astype(np.uint16),
    )


def _read(name: str) -> bytes:
    try:
        return (FOLDER / name).read_bytes()
    except OSError as error:
        raise InputError(
            f"The encoder's file {FOLDER / name} cannot be read ({error.strerror}): the checkout is "
            "incomplete; restore it with git, or make it again with: python -m ibid_build.encoder.train"
        ) from error


def _array(name: str) -> NDArray[Any]:
    _read(name)
    array: NDArray[Any] = np.load(FOLDER / name, allow_pickle=False)
    return array
