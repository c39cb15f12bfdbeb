"""Embedding beyond one machine: the workers of a dask.distributed scheduler share out the texts."""

from __future__ import annotations

import hashlib
import logging
from collections.abc import Callable, Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from ibid.errors import InputError
from ibid_build.chunk_encoder import ChunkEncoder, Progress

try:
    from distributed import Client, as_completed
except ImportError:
    raise InputError(
        "--cluster needs dask.distributed, which is not installed: pip install -e '.[cluster]'"
    ) from None

TEXTS_PER_TASK = 32
CONNECT_SECONDS = 10
WORKER_SECONDS = 60
_RETRIES = 3  # of a task whose worker vanished; one that fails by itself fails the build
_PROBE = ("Tide tables are read from the harbour's own file.", "alarm_offset = 5  # minutes")

Floats = NDArray[np.float32]


class ForeignWorker(RuntimeError):
    """A worker whose vectors are not, bit by bit, those of the machine that builds."""


class ClusterEncoder:
    """Embeds on every worker that the scheduler at ``address`` has, also on those that come later.

    Each worker first embeds a probe, whose bits must be those of this machine: so that the index is the same
    wherever it was made. A task whose worker vanishes goes to another one.
    """

    def __init__(self, address: str, load: Callable[[], ChunkEncoder]) -> None:
        """``load`` makes the encoder, here for the probe and on each worker: a function that they import."""
        self._address = address
        self._load = load

    def encode(self, texts: Sequence[str], progress: Progress | None = None) -> Floats:
        """float32 [len(texts), dim], rows of length 1. Raises InputError when the cluster cannot do it."""
        logging.getLogger("distributed").setLevel(logging.CRITICAL)  # what matters comes as an error
        probe = _bits(self._load())
        places = range(0, len(texts), TEXTS_PER_TASK)
        found: dict[int, Floats] = {}
        with self._client() as client:
            futures = {
                client.submit(
                    _embed,
                    self._load,
                    probe,
                    texts[start : start + TEXTS_PER_TASK],
                    retries=_RETRIES,
                    pure=False,
                ): start
                for start in places
            }
            for future in as_completed(futures):
                error = future.exception()
                if error is not None:
                    raise _told(error, self._address) from error
                found[futures[future]] = future.result()
                if progress is not None:
                    progress(sum(map(len, found.values())), len(texts))
        return np.concatenate([found[start] for start in places])

    def _client(self) -> Client:
        try:
            client = Client(self._address, timeout=CONNECT_SECONDS)
        except (OSError, ValueError) as error:
            raise InputError(
                f"No scheduler answers at {self._address} ({error or 'no answer'}); start one with: "
                "dask scheduler, and name the address that it prints: --cluster tcp://HOST:8786"
            ) from error
        try:
            client.wait_for_workers(1, timeout=WORKER_SECONDS)
        except TimeoutError as error:
            client.close()
            raise InputError(
                f"The scheduler at {self._address} has no worker; start one on each machine, in an "
                f"environment that has this version of Ibid: dask worker {self._address}"
            ) from error
        return client


def _embed(load: Callable[[], ChunkEncoder], probe: str, texts: Sequence[str]) -> Floats:
    """Runs on a worker."""
    encoder, bits = _checked(load)
    if bits != probe:
        raise ForeignWorker
    return encoder.encode(texts)


@cache
def _checked(load: Callable[[], ChunkEncoder]) -> tuple[ChunkEncoder, str]:
    """The encoder of this process, and the bits of its probe: once for the same ``load``."""
    encoder = load()
    return encoder, _bits(encoder)


def _bits(encoder: ChunkEncoder) -> str:
    return hashlib.sha256(encoder.encode(_PROBE).tobytes()).hexdigest()


def _told(error: BaseException, address: str) -> InputError:
    if isinstance(error, ForeignWorker):
        return InputError(
            f"A worker of {address} embeds a text to other bits than this machine: its Ibid, its "
            "onnxruntime or its processor is another one; use workers of one kind, and build on one of them"
        )
    return InputError(
        f"A worker of {address} could not embed ({type(error).__name__}: {error}); "
        "install this version of Ibid there, with its extra: pip install -e '.[build]'"
    )
