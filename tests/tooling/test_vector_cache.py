"""Chunk vectors are embedded once, kept beside the repository, and never trusted."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from ibid_build import vector_cache
from ibid_build.vector_cache import CachedEncoder
from static_chunks import StaticChunks

TEXTS = ["the water rises", "the gauge is read", "an alert is sent"]


class Bench:
    """A cache over an encoder that remembers what it was given."""

    def __init__(self, file: Path) -> None:
        self.file = file
        self.inner = StaticChunks()
        self.said: list[str] = []

    def encoder(self, encoder_id: str = "one") -> CachedEncoder:
        return CachedEncoder(lambda: self.inner, encoder_id, 256, self.file, self.said.append)

    def embedded(self, texts: list[str], encoder_id: str = "one") -> list[str]:
        """What the inner encoder was asked for; the vectors are checked."""
        before = len(self.inner.texts)
        found = self.encoder(encoder_id).encode(texts)
        asked = self.inner.texts[before:]
        assert np.array_equal(found, StaticChunks().encode(texts))
        return asked


@pytest.fixture
def bench(tmp_path: Path) -> Bench:
    return Bench(tmp_path / "deep" / "vectors.sqlite")


def test_only_what_is_new_is_embedded(bench: Bench) -> None:
    """The same bits whether they were kept or made; a text counts as it stands."""
    assert bench.embedded(TEXTS) == TEXTS
    assert bench.embedded([*TEXTS[::-1], "The water rises"]) == ["The water rises"]
    assert bench.said == ["3 of 4 passages were embedded by an earlier build"]


def test_nothing_new_needs_no_model(bench: Bench) -> None:
    """Loading one takes a second."""
    bench.embedded(TEXTS)
    unloadable = CachedEncoder(lambda: pytest.fail("loaded"), "one", 256, bench.file)
    assert np.array_equal(unloadable.encode(TEXTS), StaticChunks().encode(TEXTS))


def test_another_encoder_starts_anew(bench: Bench) -> None:
    """Its id is a part of the key: another model, projection or library."""
    bench.embedded(TEXTS)
    assert bench.embedded(TEXTS, "two") == TEXTS
    assert bench.embedded(TEXTS, "one") == []


@pytest.mark.parametrize(
    "vector",
    [
        None,
        "text",
        b"",
        np.full(256, np.nan, "<f4").tobytes(),
        np.full(256, 3e38, "<f4").tobytes(),
        bytes(1024),
    ],
    ids=["none", "text", "empty", "not finite", "beyond all floats", "zeros"],
)
def test_a_vector_that_cannot_be_one_is_embedded_again(bench: Bench, vector: object) -> None:
    """And mended in the file."""
    bench.embedded(TEXTS)
    with sqlite3.connect(bench.file) as store:
        store.execute("UPDATE vectors SET vector = ?", (vector,))
    store.close()
    assert bench.embedded(TEXTS) == TEXTS
    assert bench.embedded(TEXTS) == []


@pytest.mark.parametrize("damage", [b"no database at all " * 100, b"SQLite format 3\0" + bytes(4096)])
def test_a_file_that_is_no_database_is_begun_anew(bench: Bench, damage: bytes) -> None:
    """Nothing is lost but time."""
    bench.file.parent.mkdir()
    bench.file.write_bytes(damage)
    assert bench.embedded(TEXTS) == TEXTS
    assert bench.embedded(TEXTS) == []


def test_a_file_damaged_in_the_middle(bench: Bench) -> None:
    """What can be read is used, what cannot is embedded again."""
    many = [f"{text} at {hour}" for text in TEXTS for hour in range(100)]
    bench.embedded(many)
    data = bytearray(bench.file.read_bytes())
    data[8_192:120_000] = bytes(120_000 - 8_192)
    bench.file.write_bytes(data)
    bench.embedded(many)


def test_where_nothing_can_be_kept_everything_is_embedded(tmp_path: Path) -> None:
    """The cache's place is taken by a file: the build goes on."""
    (tmp_path / "taken").write_bytes(b"")
    bench = Bench(tmp_path / "taken" / "vectors.sqlite")
    assert bench.embedded(TEXTS) == TEXTS


def test_what_no_build_used_for_longest_goes_first(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Two are kept here: the latest."""
    monkeypatch.setattr(vector_cache, "MOST_VECTORS", 2)
    for text in [*TEXTS, TEXTS[1]]:
        bench.embedded([text])
    assert bench.embedded(TEXTS[1:]) == []
    assert bench.embedded(TEXTS[:1]) == TEXTS[:1]


def test_a_broken_build_keeps_what_it_had(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """A block is written as soon as it is embedded."""
    monkeypatch.setattr(vector_cache, "_BLOCK", 1)

    class Broken(StaticChunks):
        def encode(self, texts, progress=None):  # type: ignore[no-untyped-def]
            if texts == TEXTS[1:2]:
                raise KeyboardInterrupt
            return super().encode(texts, progress)

    with pytest.raises(KeyboardInterrupt):
        CachedEncoder(Broken, "one", 256, bench.file).encode(TEXTS)
    assert bench.embedded(TEXTS) == TEXTS[1:]


def test_progress_counts_all_texts(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """The known ones first, then each block on top."""
    monkeypatch.setattr(vector_cache, "_BLOCK", 1)
    bench.embedded(TEXTS[:1])
    seen: list[tuple[int, int]] = []
    bench.encoder().encode(TEXTS, lambda done, total: seen.append((done, total)))
    assert seen == [(1, 3), (2, 3), (3, 3)]


def test_two_builds_at_once(bench: Bench) -> None:
    """Four processes with the same file: each gets its vectors, and all of them are kept."""
    program = (
        "import sys; from pathlib import Path; from static_chunks import StaticChunks;"
        "from ibid_build.vector_cache import CachedEncoder;"
        "e = CachedEncoder(StaticChunks, 'one', 256, Path(sys.argv[1]));"
        "[e.encode([f'{sys.argv[2]} {n}']) for n in range(20)]"
    )
    support = Path(__file__).parents[1] / "support"
    runs = [
        subprocess.Popen([sys.executable, "-c", program, bench.file, name], cwd=support) for name in "abcd"
    ]
    assert [run.wait() for run in runs] == [0] * 4
    assert bench.embedded([f"{name} {n}" for name in "abcd" for n in range(20)]) == []
