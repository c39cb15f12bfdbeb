"""The browser runtime, ready to be copied into a site: Python, numpy, our own code, PyScript.

``runtime_lock.json`` beside this file pins every version; moving up is a change of that file and of
``package.json``. What npm brought is verified, the standard library, numpy and all wheels are compiled to
bytecode inside that same Pyodide, and the result is kept in the user's cache under a hash of its inputs.
"""

from __future__ import annotations

import gzip
import json
import shutil
import subprocess
import tempfile
import zipfile
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from ibid.errors import InputError
from ibid_build.wheels import Report, build_own_wheel, cache_folder, fetch, sha256, write_whole

PROJECT = Path(__file__).resolve().parents[2]
MODULES = PROJECT / "node_modules"

_HERE = Path(__file__).parent
_LOCK = _HERE / "runtime_lock.json"
_COMPILERS = ("compile_archive.py", "compile_runtime.mjs")
_LOCK_INFO = "info: {}"  # in boot.mjs, where the ABI of Pyodide's own lock file goes
_NPM = "run this in the project's folder, then again the same command: npm ci"


@dataclass(frozen=True, slots=True)
class Runtime:
    """The files of one runtime. ``id`` is a hash of them, and names their folder in a site."""

    id: str
    folder: Path


@dataclass(frozen=True, slots=True)
class _Archive:
    """Sources to compile into one zip."""

    name: str
    sources: tuple[Path, ...]
    drop: tuple[str, ...] = ()

    @property
    def key(self) -> str:
        parts = [path.read_bytes() for path in self.sources] + [
            (_HERE / name).read_bytes() for name in _COMPILERS
        ]
        return sha256("".join([*map(sha256, parts), *self.drop, _pyodide_version()]).encode())[:24]


@cache
def runtime_lock() -> dict[str, Any]:
    """The pinned versions, sources and hashes."""
    lock: dict[str, Any] = json.loads(_LOCK.read_bytes())
    return lock


def prepare_runtime(report: Report) -> Runtime:
    """The runtime for this project's sources, made if it is not in the cache.

    Raises InputError when npm's packages are missing or others, when a wheel cannot be had, or when Node
    is missing.
    """
    verify_modules()
    lock = runtime_lock()
    with tempfile.TemporaryDirectory() as temporary:
        work = Path(temporary)
        own = build_own_wheel(PROJECT, work)
        wheels = [fetch(wheel["file"], wheel["sha256"], [wheel], report) for wheel in lock["wheels"]]
        numpy = fetch_numpy(report)
        pyodide = MODULES / "pyodide"
        archives = [
            _Archive("python_stdlib.zip", (pyodide / "python_stdlib.zip",), tuple(lock["pyodide"]["drop"])),
            _Archive("numpy.zip", (numpy,), tuple(lock["numpy"]["drop"])),
            _Archive("packages.zip", (*wheels, own), ("*.dist-info/*", "*.typed")),
            _Archive("pyscript.zip", (_pyscript_package(work),)),
        ]
        compiled = _compiled(archives, report)
        files = dict(_files(compiled, [numpy, *wheels], work))
        digest = sha256(
            json.dumps({name: sha256(path.read_bytes()) for name, path in sorted(files.items())}).encode()
        )
        folder = cache_folder("runtime") / digest[:16]
        if not folder.is_dir():
            _copy_whole(files, folder)
    return Runtime(digest[:16], folder)


def verify_modules() -> None:
    """Raises InputError unless npm's packages are there in the pinned versions, untouched."""
    lock = runtime_lock()
    for name, package in (("pyodide", "pyodide"), ("pyscript", "@pyscript/core"), ("idb", "idb")):
        manifest = MODULES / package / "package.json"
        if not manifest.is_file():
            raise InputError(f"{package} is not installed ({manifest} is missing); {_NPM}")
        version = json.loads(manifest.read_bytes())["version"]
        if version != lock[name]["version"]:
            raise InputError(f"{package} is {version}, {_LOCK.name} pins {lock[name]['version']}; {_NPM}")
    for file, digest in lock["pyodide"]["files"].items():
        path = MODULES / "pyodide" / file
        if not path.is_file() or sha256(path.read_bytes()) != digest:
            raise InputError(f"{path} is not the file that {_LOCK.name} pins; {_NPM}")


def fetch_numpy(report: Report) -> Path:
    """numpy's wheel for this Pyodide, with the sha256 that Pyodide's own lock file demands."""
    entry = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_bytes())["packages"]["numpy"]
    return fetch(entry["file_name"], entry["sha256"], runtime_lock()["numpy"]["sources"], report)


def _pyscript_package(work: Path) -> Path:
    """PyScript's own Python, which it writes out and imports at every start, as a zip of its caches to be.

    Beside the written sources the interpreter finds ``__pycache__`` filled, and compiles nothing.
    """
    script = (MODULES / "@pyscript" / "core" / "src" / "stdlib" / "pyscript.js").read_text("utf-8")
    sources = json.loads(script[script.index("{") : script.rindex("}") + 1])["pyscript"]
    path = work / "pyscript-sources.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, source in sorted(sources.items()):
            cached = f"pyscript/__pycache__/{name.removesuffix('.py')}.{_cache_tag()}.py"
            archive.writestr(zipfile.ZipInfo(cached, (1980, 1, 1, 0, 0, 0)), source)
    return path


def _cache_tag() -> str:
    """What names the caches of Pyodide's Python: ``cpython-313``."""
    info = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_bytes())["info"]
    return "cpython-" + "".join(info["python"].split(".")[:2])


def _pyodide_version() -> str:
    version: str = runtime_lock()["pyodide"]["version"]
    return version


def _compiled(archives: Sequence[_Archive], report: Report) -> dict[str, Path]:
    """Each archive compiled and gzipped, under its name with ``.gz``; from the cache where it is there."""
    folder = cache_folder("compiled")
    targets = {archive.name: folder / f"{archive.key}.gz" for archive in archives}
    missing = [archive for archive in archives if not targets[archive.name].is_file()]
    if missing:
        report(f"Compiling {', '.join(archive.name for archive in missing)} inside Pyodide")
        with tempfile.TemporaryDirectory() as work:
            jobs = [
                {
                    "sources": [str(path) for path in archive.sources],
                    "drop": archive.drop,
                    "target": str(Path(work) / archive.name),
                }
                for archive in missing
            ]
            _run_node(jobs)
            for archive in missing:
                write_whole(targets[archive.name], _packed((Path(work) / archive.name).read_bytes()))
    return {f"{name}.gz": path for name, path in targets.items()}


def _run_node(jobs: Sequence[Mapping[str, Any]]) -> None:
    node = shutil.which("node")
    if node is None:
        raise InputError(
            "node is not on the PATH; the runtime is compiled with it: install Node.js 20 or newer"
        )
    command = [node, str(_HERE / "compile_runtime.mjs"), str(MODULES / "pyodide")]
    done = subprocess.run(command, input=json.dumps(jobs), text=True, capture_output=True)  # noqa: S603
    if done.returncode:
        raise InputError(f"Compiling the runtime failed: {done.stderr.strip()}; {_NPM}")


def _files(compiled: Mapping[str, Path], wheels: Sequence[Path], work: Path) -> Iterator[tuple[str, Path]]:
    """Every file of the runtime by its name there."""
    yield from compiled.items()
    pyodide = MODULES / "pyodide"
    for name in ("pyodide.asm.js", "pyodide.mjs"):
        yield name, pyodide / name
    wasm = cache_folder("compiled") / f"{runtime_lock()['pyodide']['files']['pyodide.asm.wasm'][:24]}.gz"
    if not wasm.is_file():
        write_whole(wasm, _packed((pyodide / "pyodide.asm.wasm").read_bytes()))
    yield "pyodide.asm.wasm.gz", wasm
    for pattern in runtime_lock()["pyscript"]["files"]:
        found = sorted((MODULES / "@pyscript" / "core" / "dist").glob(pattern))
        if not found:
            raise InputError(f"@pyscript/core has no file {pattern}, which {_LOCK.name} lists; {_NPM}")
        yield from ((f"pyscript/{path.name}", path) for path in found)
    boot = work / "boot.mjs"
    boot.write_text(_boot_source(), encoding="utf-8")
    yield "boot.mjs", boot
    yield "worker.py", PROJECT / "site" / "worker.py"
    yield from _licenses(wheels, work)


def _boot_source() -> str:
    source = (PROJECT / "site" / "boot.mjs").read_text("utf-8")
    if source.count(_LOCK_INFO) != 1:
        raise InputError(f"site/boot.mjs must hold {_LOCK_INFO!r} once; restore the file")
    info = json.loads((MODULES / "pyodide" / "pyodide-lock.json").read_bytes())["info"]
    return source.replace(_LOCK_INFO, f"info: {json.dumps(info)}")


def _licenses(wheels: Sequence[Path], work: Path) -> Iterator[tuple[str, Path]]:
    """The licence texts that came with what is redistributed, and one list of it all."""
    lock = runtime_lock()
    named = {name: lock[name] for name in ("pyodide", "pyscript", "idb", "numpy")}
    lines = [f"{name} {entry['version']}: {entry['license']}" for name, entry in named.items()]
    lines += [f"{wheel['requirement'].replace('==', ' ')}: {wheel['license']}" for wheel in lock["wheels"]]
    listed = work / "THIRD-PARTY.txt"
    listed.write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")
    yield "licenses/THIRD-PARTY.txt", listed
    yield "licenses/pyscript.txt", MODULES / "@pyscript" / "core" / "LICENSE"
    yield "licenses/idb.txt", MODULES / "idb" / "LICENSE"
    for wheel in wheels:
        package = wheel.name.split("-")[1]
        with zipfile.ZipFile(wheel) as archive:
            names = [name for name in archive.namelist() if ".dist-info/" in name and "LICENSE" in name]
            text = b"\n".join(archive.read(name) for name in sorted(names))
        path = work / f"{package}.txt"
        path.write_bytes(text)
        yield f"licenses/{package}.txt", path


def _packed(data: bytes) -> bytes:
    return gzip.compress(data, 9, mtime=0)


def _copy_whole(files: Mapping[str, Path], folder: Path) -> None:
    partial = Path(tempfile.mkdtemp(dir=folder.parent))
    for name, path in files.items():
        target = partial / name
        target.parent.mkdir(parents=True, exist_ok=True)
        shutil.copyfile(path, target)
    partial.replace(folder)
