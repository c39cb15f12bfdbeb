"""A question finds the same passages, with the same figures to the last digit, natively and in Pyodide."""

from __future__ import annotations

import asyncio
import json
import shutil
import subprocess
import sysconfig
from pathlib import Path

import hits
import pytest

from ibid.vectors import MANY
from ibid_build.build import build_command
from ibid_build.progress import Progress
from ibid_build.runtime import MODULES, PROJECT, prepare_runtime
from questions import QUESTIONS

HERE = Path(__file__).parent


@pytest.fixture(scope="module", params=[MANY, 10], ids=["whole", "sharded"])
def folder(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small documentation's index, as it is and as if it were large, and the questions."""
    folder = tmp_path_factory.mktemp("hits") / "index"
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("ibid_build.pack.MANY", request.param)
        _build(folder)
    (folder / "questions.json").write_text(json.dumps(QUESTIONS), "utf-8")
    shutil.copytree(HERE, folder.parent / "pyodide", ignore=shutil.ignore_patterns("__pycache__"))
    return folder


def _build(folder: Path) -> None:
    build_command(
        PROJECT / "tests/data/tidewatch",
        folder,
        config_file=None,
        index_only=True,
        environment={},
        progress=Progress(),
    )


def test_the_same_hits_natively_and_inside_pyodide(folder: Path) -> None:
    """CPython's numpy and the one that a site ships: ranks, scores, cosines, terms, all of them."""
    command = ["node", HERE / "run_script.mjs", MODULES / "pyodide", prepare_runtime(print).folder]
    command += [sysconfig.get_path("purelib"), folder.parent, "pyodide/hits.py", "tests/index"]
    inside = subprocess.run(command, capture_output=True, text=True)
    assert inside.returncode == 0, inside.stderr[-2000:]
    natively = json.loads(asyncio.run(hits.hits(folder)))
    assert json.loads(inside.stdout) == natively
    assert sum(map(len, natively)) > 100
