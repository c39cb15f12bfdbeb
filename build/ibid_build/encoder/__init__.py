"""The committed query encoders: tables of subword vectors in a transformer's space.

A folder each. ``vocabulary.txt``: word pieces, one a line. ``table.npy``: int8, a row of 256 for each of
them, then for each pair of ``pairs.npy``, uint16 [P, 2]. ``projection.npy``, float32 [384, 256], and
``centre.npy``, float32 [384], lead from the transformer's space to the table's. ``frequent.npy``, uint16 [V]:
bit *i* is set where a reader of language *i* may well type the piece. ``encoder.json``: what belongs to them.
``train.py`` made them; ``CARD.md`` tells how and from what.
"""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import NDArray

from ibid.embedding import StaticEncoder, WordPiece
from ibid.errors import InputError

EncoderName = Literal["english", "multilingual"]
ENCODERS: tuple[EncoderName, ...] = get_args(EncoderName)

LANGUAGE_SHARE = 0.05
"""Of a site's passages, from which their language's frequent words are shipped too."""


@dataclass(frozen=True, slots=True)
class Space:
    """From the transformer's vectors [n, 384] to the table's [n, 256]: centred, projected, of length 1.

    ``projection`` float32 [384, 256] has orthonormal columns: principal axes of what the encoder learned
    from. ``centre`` float32 [384] is the mean of a transformer whose vectors all lie in one corner, or zeros.
    """

    projection: NDArray[np.float32]
    centre: NDArray[np.float32]

    def into(self, vectors: NDArray[np.float32]) -> NDArray[np.float32]:
        """float32 [n, 256]."""
        found: NDArray[np.float32] = np.matmul(vectors - self.centre, self.projection)
        found /= np.linalg.norm(found, axis=1, keepdims=True)
        return found


@dataclass(frozen=True, slots=True)
class Asset:
    """A committed encoder; ``calibration`` and ``figures`` as encoder.json holds them."""

    name: EncoderName
    id: str
    encoder: StaticEncoder
    languages: tuple[str, ...]
    frequent: NDArray[np.uint16]
    calibration: dict[str, list[list[float]]]
    figures: dict[str, Any]

    def votes(self, texts: Sequence[str]) -> NDArray[np.intp]:
        """intp [languages]: how many of ``texts`` are in each language, a text in its likeliest."""
        votes = np.zeros(len(self.languages), dtype=np.intp)
        bits = np.arange(len(self.languages), dtype=np.uint16)
        for text in texts:
            familiar = self.frequent[self.encoder.tokenizer.ids(text)][:, None] >> bits & 1
            votes[int(familiar.sum(axis=0).argmax())] += 1
        return votes


def folder_of(name: EncoderName) -> Path:
    """Where the encoder's files are."""
    return Path(__file__).parent / name


@cache
def load_tokenizer(name: EncoderName) -> WordPiece:
    """WordPiece over the whole committed vocabulary. Raises InputError."""
    return WordPiece(_read(name, "vocabulary.txt").decode().removesuffix("\n").split("\n"))


@cache
def load_space(name: EncoderName) -> Space:
    """Where the encoder's vectors live. Raises InputError."""
    return Space(_array(name, "projection.npy"), _array(name, "centre.npy"))


@cache
def load_encoder(name: EncoderName) -> Asset:
    """The whole committed encoder. Raises InputError, IndexInvalid."""
    settings = json.loads(_read(name, "encoder.json"))
    table, pairs = _array(name, "table.npy"), _array(name, "pairs.npy")
    return Asset(
        name=name,
        id=settings["id"],
        encoder=StaticEncoder(table, settings["scale"], load_tokenizer(name), pairs),
        languages=tuple(settings["languages"]),
        frequent=_array(name, "frequent.npy"),
        calibration=settings["calibration"],
        figures=settings["figures"],
    )


def cut_vocabulary(asset: Asset, texts: Sequence[str]) -> StaticEncoder:
    """The encoder cut to a site: the pieces of its texts, the frequent ones and the single characters of its
    languages, and the pairs of these.

    Rows keep their order, so that the same texts give the same bytes. With the single characters kept, a
    word that lost its entry still falls into pieces instead of being unknown.
    """
    whole = asset.encoder
    vocabulary = whole.tokenizer.vocabulary
    wanted = np.zeros(len(vocabulary), dtype=np.bool)
    wanted[whole.tokenizer.unknown] = True
    for language in np.flatnonzero(asset.votes(texts) >= LANGUAGE_SHARE * len(texts)):
        wanted |= (asset.frequent >> np.uint16(language) & 1).astype(np.bool)
    for text in texts:
        wanted[whole.tokenizer.ids(text)] = True
    places = np.where(wanted, np.cumsum(wanted) - 1, -1)
    pairs = places[whole.pairs]
    whole_pairs = (pairs >= 0).all(axis=1)
    return StaticEncoder(
        np.concatenate((whole.table[: len(vocabulary)][wanted], whole.table[len(vocabulary) :][whole_pairs])),
        whole.scale,
        WordPiece([vocabulary[number] for number in np.flatnonzero(wanted)]),
        pairs[whole_pairs].astype(np.uint16),
    )


def _read(name: EncoderName, file: str) -> bytes:
    path = folder_of(name) / file
    try:
        return path.read_bytes()
    except OSError as error:
        raise InputError(
            f"The encoder's file {path} cannot be read ({error.strerror}): the checkout is incomplete; "
            f"restore it with git, or make it again with: python -m ibid_build.encoder.train {name}"
        ) from error


def _array(name: EncoderName, file: str) -> NDArray[Any]:
    _read(name, file)
    array: NDArray[Any] = np.load(folder_of(name) / file, allow_pickle=False)
    return array
