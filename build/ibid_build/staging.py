"""A folder that appears whole or not at all."""

from __future__ import annotations

import glob
import os
import re
import shutil
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path

from ibid.errors import InputError

_MARK = Path("index", "manifest.json")  # what every folder made by ``ibid build`` holds
_MADE = re.compile(
    r"index/(?:manifest\.json|[a-z0-9-]+-[0-9a-f]{12}\.(?:bin|npy)(?:\.gz)?)"
    r"|(?:app|runtime)/[0-9a-f]{16}/.+"
    r"|_headers|config\.json|embed\.js|index\.html|sw\.js"
    r"|(?:.+/)?(?:\.DS_Store|Thumbs\.db)"  # made by whoever looked at it
)


@contextmanager
def staged_folder(out: Path) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well, and else vanishes.

    Raises InputError when ``out`` cannot be written or holds something that ``ibid build`` did not make.
    """
    refuse_foreign(out)
    staging = out.parent / f".{out.name}.{os.getpid()}.new"
    made = [folder for folder in out.parents if not folder.exists()]
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        for left in _abandoned(out):
            shutil.rmtree(left, ignore_errors=True)
        staging.mkdir()
    except OSError as error:
        _remove_empty(made)
        raise InputError(
            f"{out} cannot be written: {error.strerror}; name another folder with --out"
        ) from None
    try:
        yield staging
        _swap(staging, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)
        _remove_empty(made)


def _abandoned(out: Path) -> Iterator[Path]:
    """Folders that builds of ``out`` left behind when they were killed: their processes are gone."""
    for folder in out.parent.glob(f".{glob.escape(out.name)}.*.new"):
        process = folder.name.removesuffix(".new").rpartition(".")[2]
        if process.isdecimal() and (int(process) == os.getpid() or not _is_running(int(process))):
            yield folder


def _is_running(process: int) -> bool:
    try:
        os.kill(process, 0)
    except (ProcessLookupError, OverflowError):
        return False
    except OSError:  # somebody else's
        return True
    return True


def _remove_empty(folders: Sequence[Path]) -> None:
    """``folders`` from the innermost out; those that hold something stay."""
    with suppress(OSError):
        for folder in folders:
            folder.rmdir()


def refuse_foreign(out: Path) -> None:
    """Raises InputError when writing to ``out`` would destroy something else."""
    if out.is_symlink():
        raise InputError(f"{out} is a link, which the build would replace; name the folder itself with --out")
    if out.exists() and not out.is_dir():
        raise InputError(f"{out} is no folder; name another one with --out")
    if not out.is_dir() or not any(out.iterdir()):
        return
    if not (out / _MARK).is_file():
        raise InputError(f"{out} holds files that ibid build did not make; empty it, or name another folder")
    foreign = _first_foreign(out)
    if foreign is not None:
        raise InputError(
            f"{out} holds {foreign.as_posix()}, which ibid build did not make and would remove; "
            "move it away, or name another folder"
        )


def _first_foreign(out: Path) -> Path | None:
    """A file that no build puts there."""
    files = (path.relative_to(out) for path in sorted(out.rglob("*")) if path.is_symlink() or path.is_file())
    return next((file for file in files if not _MADE.fullmatch(file.as_posix())), None)


def _swap(staging: Path, out: Path) -> None:
    old = out.parent / f".{out.name}.{os.getpid()}.old"
    shutil.rmtree(old, ignore_errors=True)
    try:
        if out.exists():
            out.rename(old)
        staging.rename(out)
    finally:  # also when interrupted between the two
        if out.exists():
            shutil.rmtree(old, ignore_errors=True)
        elif old.exists():
            old.rename(out)
