"""Encoders that are another thing on a cluster's worker than in the process that builds."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from static_chunks import StaticChunks


class _Zeros(StaticChunks):
    def encode(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        return np.zeros((len(texts), 256), dtype=np.float32)


def foreign(builder: int) -> StaticChunks:
    """Other bits, but in the process ``builder``."""
    return StaticChunks() if os.getpid() == builder else _Zeros()


def lacking(builder: int) -> StaticChunks:
    """A package is missing, but in the process ``builder``."""
    if os.getpid() == builder:
        return StaticChunks()
    raise ModuleNotFoundError("No module named 'onnxruntime'")
