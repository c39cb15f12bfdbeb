"""The wheel that is shipped passes its unit tests: natively in a fresh environment, and inside Pyodide."""

from __future__ import annotations

import gzip
import io
import shutil
import subprocess
import sys
import sysconfig
import zipfile
from pathlib import Path

import pytest

from ibid_build.runtime import MODULES, PROJECT, Runtime, prepare_runtime
from ibid_build.wheels import build_own_wheel

UNIT = PROJECT / "tests" / "unit"
QUIET = ["-q", "--no-header", "-p", "no:cacheprovider"]


@pytest.fixture(scope="session")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return build_own_wheel(PROJECT, tmp_path_factory.mktemp("wheel"))


@pytest.fixture(scope="session")
def runtime() -> Runtime:
    return prepare_runtime(print)


def test_the_wheel_holds_the_one_package(wheel: Path) -> None:
    """Nothing of the build, the site or the tests is in it."""
    names = zipfile.ZipFile(wheel).namelist()
    assert {name.split("/")[0] for name in names if ".dist-info/" not in name} == {"ibid"}


def test_the_wheel_is_the_same_at_every_build(wheel: Path, tmp_path: Path) -> None:
    """Same sources, same bytes."""
    assert build_own_wheel(PROJECT, tmp_path).read_bytes() == wheel.read_bytes()


def test_the_browser_gets_every_module_of_the_wheel(wheel: Path, runtime: Runtime) -> None:
    """Compiled, each one; and no source."""
    modules = {f"{name}c" for name in zipfile.ZipFile(wheel).namelist() if name.endswith(".py")}
    packed = (runtime.folder / "packages.zip.gz").read_bytes()
    shipped = set(zipfile.ZipFile(io.BytesIO(gzip.decompress(packed))).namelist())
    assert modules <= shipped
    assert not [name for name in shipped if name.endswith(".py")]


def test_the_unit_tests_pass_on_the_installed_wheel(wheel: Path, tmp_path: Path) -> None:
    """In an environment that knows nothing of this checkout."""
    subprocess.run([sys.executable, "-m", "venv", tmp_path / "env"], check=True)
    python = tmp_path / "env" / "bin" / "python"
    tools = ["pytest", "pytest-asyncio", "hypothesis"]
    install = [python, "-m", "pip", "install", "--quiet", "--disable-pip-version-check", wheel, *tools]
    subprocess.run(install, check=True)
    project = _project_without_sources(tmp_path / "project")
    tests = [python, "-m", "pytest", *QUIET, "tests/unit"]
    done = subprocess.run(tests, cwd=project, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout[-5000:]


def test_the_unit_tests_pass_inside_pyodide(runtime: Runtime) -> None:
    """On the numpy and the bytecode that a site ships, under Node; hypothesis is no pure Python."""
    command = ["node", PROJECT / "tests/pyodide/run_script.mjs", MODULES / "pyodide", runtime.folder]
    command += [sysconfig.get_path("purelib"), PROJECT / "tests", "pyodide/inside.py"]
    command += [*QUIET, "-p", "pytest_asyncio.plugin"]
    using_it = [path for path in sorted(UNIT.glob("*.py")) if "hypothesis import" in path.read_text()]
    ignored = [f"--ignore={path.relative_to(PROJECT)}" for path in using_it]
    done = subprocess.run([*command, *ignored, "tests/unit"], capture_output=True, text=True)
    assert done.returncode == 0, (done.stdout[-5000:], done.stderr[-2000:])


def _project_without_sources(folder: Path) -> Path:
    shutil.copytree(PROJECT / "tests", folder / "tests", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(PROJECT / "pyproject.toml", folder)
    return folder
