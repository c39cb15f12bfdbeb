"""Which transformer embeds the chunks for which encoder, and what its vectors depend on."""

from __future__ import annotations

import hashlib
import platform
from dataclasses import dataclass

from ibid_build.chunk_encoder import ChunkEncoder
from ibid_build.encoder import EncoderName, load_space, load_tokenizer


@dataclass(frozen=True, slots=True)
class Teacher:
    """The transformer of an encoder, loaded when it is called: here, or on a worker that got this value."""

    encoder: EncoderName

    def __call__(self) -> ChunkEncoder:
        """Takes seconds. Raises InputError when its package is missing or damaged."""
        if self.encoder == "english":
            from ibid_build.embedding_models import Transformer

            return Transformer()
        from ibid_build.multilingual_model import MultilingualTransformer

        return MultilingualTransformer()

    @property
    def dim(self) -> int:
        """Length of the vectors."""
        return int(load_space(self.encoder).projection.shape[1])

    @property
    def id(self) -> str:
        """What a chunk's vector depends on beside its text: model, our files, library, processor."""
        space = load_space(self.encoder)
        digest = hashlib.sha256("\0".join([*self._model(), platform.machine()]).encode())
        digest.update(space.projection.tobytes() + space.centre.tobytes())
        return f"{self.encoder}-{digest.hexdigest()[:16]}"

    def _model(self) -> list[str]:
        if self.encoder == "english":
            import onnxruntime

            from ibid_build.embedding_models import MAX_TOKENS, MODEL_SHA256

            tokens = load_tokenizer("english").vocabulary
            return [MODEL_SHA256, onnxruntime.__version__, str(MAX_TOKENS), *tokens]
        from ibid_build.multilingual_model import VERSION, WEIGHTS_SHA256

        return [WEIGHTS_SHA256, VERSION]
