"""Chunk vectors kept in the user's cache, so that a build embeds only what is new."""

from __future__ import annotations

import hashlib
import sqlite3
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing, suppress
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from ibid_build.chunk_encoder import ChunkEncoder, Progress
from ibid_build.teachers import Teacher
from ibid_build.wheels import cache_folder

MOST_VECTORS = 500_000  # half a gigabyte; beyond it those that no build used for longest go
_BLOCK = 4_096  # texts embedded between two writes: what a broken build can lose
_BUSY = 60.0  # seconds that one build waits for another's write
_TABLE = "CREATE TABLE IF NOT EXISTS vectors (key BLOB PRIMARY KEY, vector BLOB, used REAL)"

Floats = NDArray[np.float32]


class CachedEncoder:
    """Another encoder's vectors, bit by bit, each text embedded once.

    A vector is found by the hash of its text and of the encoder's id. What is read is not trusted: a vector
    that is not of length 1 is embedded again, a file that is no database is begun anew, and where no file
    can be had, everything is embedded.
    """

    def __init__(
        self,
        load: Callable[[], ChunkEncoder],
        encoder_id: str,
        dim: int,
        file: Path,
        say: Callable[[str], None] = lambda _: None,
    ) -> None:
        """``load`` makes the encoder, which is not needed where every text is known."""
        self._load = load
        self._id = encoder_id
        self._dim = dim
        self._file = file
        self._say = say

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """float32 [len(texts), dim], rows of length 1. ``progress`` starts with what was known."""
        keys = [hashlib.sha256(f"{self._id}\0{text}".encode()).digest() for text in texts]
        vectors = np.empty((len(texts), self._dim), dtype=np.float32)
        with closing(_open(self._file)) as store:
            missing = []
            for place, key in enumerate(keys):
                vector = self._read(store, key)
                if vector is None:
                    missing.append(place)
                else:
                    vectors[place] = vector
            known = len(texts) - len(missing)
            if known:
                self._say(f"{known} of {len(texts)} passages were embedded by an earlier build")
            if progress is not None:
                progress(known, len(texts))
            for places, found in self._embedded(texts, missing, progress):
                vectors[places] = found
                _write(store, ((keys[place], vectors[place].tobytes()) for place in places))
            _keep(store, keys)
        return vectors

    def _embedded(
        self, texts: Sequence[str], places: Sequence[int], progress: Progress | None
    ) -> Iterator[tuple[Sequence[int], Floats]]:
        """The texts at ``places`` in blocks, with their vectors."""
        encoder = self._load() if places else None
        known = len(texts) - len(places)
        while encoder is not None and places:
            block, places = places[:_BLOCK], places[_BLOCK:]
            yield (
                block,
                encoder.encode([texts[place] for place in block], _shifted(progress, known, len(texts))),
            )
            known += len(block)

    def _read(self, store: sqlite3.Connection, key: bytes) -> Floats | None:
        row = None
        with suppress(sqlite3.DatabaseError):  # damaged in the middle
            row = store.execute("SELECT vector FROM vectors WHERE key = ?", (key,)).fetchone()
        if row is None or not isinstance(row[0], bytes) or len(row[0]) != 4 * self._dim:
            return None
        vector: Floats = np.frombuffer(row[0], dtype="<f4")
        with np.errstate(over="ignore", invalid="ignore"):
            return vector if abs(float(vector @ vector) - 1) < 1e-3 else None


def in_users_cache(
    teacher: Teacher, say: Callable[[str], None], load: Callable[[], ChunkEncoder] | None = None
) -> CachedEncoder:
    """Around the teacher, or around what ``load`` makes of it elsewhere."""
    return CachedEncoder(
        load or teacher, teacher.id, teacher.dim, cache_folder("vectors") / "vectors.sqlite", say
    )


def _open(file: Path) -> sqlite3.Connection:
    """The database in ``file``, made if need be; one in memory where that cannot be."""
    with suppress(OSError):
        file.parent.mkdir(parents=True, exist_ok=True)
    for _ in range(2):
        try:
            return _with_table(sqlite3.connect(file, timeout=_BUSY))
        except sqlite3.OperationalError:  # no folder, no right to write, or locked for all too long
            break
        except sqlite3.DatabaseError:
            file.unlink(missing_ok=True)
    return _with_table(sqlite3.connect(":memory:"))


def _with_table(store: sqlite3.Connection) -> sqlite3.Connection:
    try:
        store.execute(_TABLE)
    except sqlite3.Error:
        store.close()
        raise
    return store


def _write(store: sqlite3.Connection, rows: Iterable[tuple[bytes, bytes]]) -> None:
    """A full disk or a busy file costs the next build time, not this one its result."""
    with suppress(sqlite3.Error), store:
        store.executemany("INSERT OR REPLACE INTO vectors VALUES (?, ?, 0)", rows)


def _keep(store: sqlite3.Connection, keys: Iterable[bytes]) -> None:
    """Marks what was used now, and drops what was not for longest when there is too much."""
    now = time.time()
    with suppress(sqlite3.Error), store:
        store.executemany("UPDATE vectors SET used = ? WHERE key = ?", ((now, key) for key in keys))
        store.execute(
            "DELETE FROM vectors WHERE key IN (SELECT key FROM vectors ORDER BY used DESC LIMIT -1 OFFSET ?)",
            (MOST_VECTORS,),
        )


def _shifted(progress: Progress | None, before: int, total: int) -> Progress | None:
    return None if progress is None else lambda done, _: progress(before + done, total)
