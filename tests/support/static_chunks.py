"""Chunk vectors for tests without the transformer: the query encoder's own."""

from __future__ import annotations

from collections.abc import Callable, Sequence

import numpy as np
from numpy.typing import NDArray

from ibid_build.encoder import EncoderName, load_encoder


class StaticChunks:
    """Encodes chunks with the query encoder's table; ``texts`` are what it was given."""

    def __init__(self, name: EncoderName = "english") -> None:
        self.name = name
        self.texts: list[str] = []

    def encode(
        self, texts: Sequence[str], progress: Callable[[int, int], None] | None = None
    ) -> NDArray[np.float32]:
        """float32 [len(texts), dim]."""
        self.texts += texts
        if progress is not None:
            progress(len(texts), len(texts))
        encoder = load_encoder(self.name).encoder
        return np.stack([encoder.encode(text) for text in texts])
