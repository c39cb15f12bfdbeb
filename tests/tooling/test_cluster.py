"""Embedding on a dask cluster: the same bytes, whoever dies; and what is said where there is none."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import numpy as np
import pytest

from ibid.errors import InputError
from ibid_build import build, cluster, wheels
from ibid_build.cluster import ClusterEncoder
from ibid_build.embedding_models import Transformer
from ibid_build.progress import Progress
from ibid_build.teachers import Teacher
from odd_workers import foreign, lacking
from static_chunks import StaticChunks

SUPPORT = Path(__file__).parents[1] / "support"
TEXTS = [f"The gauge at pier {n} is read every {n % 7 + 1} minutes." for n in range(48)]


class LocalCluster:
    """A scheduler and two workers, each a process of its own that nobody starts again."""

    def __init__(self, folder: Path) -> None:
        with socket.create_server(("127.0.0.1", 0)) as free:
            port = free.getsockname()[1]
        self.address = f"tcp://127.0.0.1:{port}"
        self._folder = folder
        self.scheduler = self._start(
            "scheduler", "--host", "127.0.0.1", "--port", str(port), "--no-dashboard"
        )
        self.workers = [self.add_worker() for _ in range(2)]

    def add_worker(self) -> subprocess.Popen[bytes]:
        plain = ["--nthreads", "1", "--no-nanny", "--no-dashboard", "--host", "127.0.0.1"]
        return self._start("worker", self.address, *plain)

    def close(self) -> None:
        for process in (*self.workers, self.scheduler):
            process.kill()
            process.wait()

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-m", "distributed.cli.dask_" + arguments[0], *arguments[1:]]
        with (self._folder / "log").open("ab") as log:
            return subprocess.Popen(command, cwd=SUPPORT, stdout=log, stderr=log)


@pytest.fixture(scope="module")
def local_cluster(tmp_path_factory: pytest.TempPathFactory) -> Iterator[LocalCluster]:
    cluster = LocalCluster(tmp_path_factory.mktemp("cluster"))
    yield cluster
    cluster.close()


@pytest.fixture(autouse=True)
def small_tasks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(cluster, "TEXTS_PER_TASK", 2)


def test_a_worker_killed_midway_costs_nothing_but_time(local_cluster: LocalCluster) -> None:
    """Two workers begin, one is killed after the first texts; every bit is as on this machine alone."""
    seen: list[tuple[int, int]] = []

    def progress(done: int, total: int) -> None:
        if not seen:
            local_cluster.workers[0].kill()
            local_cluster.workers[0].wait()
        seen.append((done, total))

    found = ClusterEncoder(local_cluster.address, Teacher("english")).encode(TEXTS, progress)
    assert np.array_equal(found, Transformer().encode(TEXTS))
    assert (seen[0], seen[-1]) == ((2, 48), (48, 48))
    local_cluster.workers[0] = local_cluster.add_worker()


def test_a_build_on_a_cluster_gives_the_same_bytes(
    local_cluster: LocalCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As one without; each has a cache of its own, so that both embed."""
    docs = tmp_path / "docs"
    docs.mkdir()
    for number in range(6):
        text = f"# Pier {number}\n\n{TEXTS[number]}\n\n## Reading\n\n{TEXTS[-number]}\n"
        (docs / f"pier{number}.md").write_text(text)
    trees = []
    for name, address in (("here", None), ("there", local_cluster.address)):
        monkeypatch.setattr(wheels, "user_cache_path", lambda _, name=name: tmp_path / f"cache-{name}")
        out = tmp_path / name
        build.build_command(
            docs, out, config_file=None, index_only=True, environment={}, progress=Progress(), cluster=address
        )
        trees.append({p.relative_to(out): p.read_bytes() for p in out.rglob("*") if p.is_file()})
    assert trees[0] == trees[1]
    assert len(trees[0]) > 10


@pytest.mark.parametrize(
    ("load", "says"), [(foreign, "other bits than this machine"), (lacking, "onnxruntime")]
)
def test_a_worker_of_another_kind_fails_the_build(
    local_cluster: LocalCluster, load: Callable[[int], StaticChunks], says: str
) -> None:
    """Better no index than one that is another on every machine."""
    with pytest.raises(InputError, match=says):
        ClusterEncoder(local_cluster.address, partial(load, os.getpid())).encode(TEXTS)


def test_a_scheduler_that_is_not_there(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its address, and how to start one."""
    monkeypatch.setattr(cluster, "CONNECT_SECONDS", 1)
    with pytest.raises(InputError, match=r"tcp://127\.0\.0\.1:9 .*start one with: dask scheduler"):
        ClusterEncoder("tcp://127.0.0.1:9", StaticChunks).encode(TEXTS)
    with pytest.raises(InputError, match="No scheduler answers at nowhere"):
        ClusterEncoder("nowhere", StaticChunks).encode(TEXTS)
