"""What embeds chunks at build time, whoever does it and wherever."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

Progress = Callable[[int, int], None]
"""Called with (texts done, texts in all)."""


class ChunkEncoder(Protocol):
    """``embedding_models.Transformer`` is one, ``vector_cache.CachedEncoder`` another around it."""

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """float32 [len(texts), dim], rows of length 1."""
        ...
