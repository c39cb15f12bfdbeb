"""A folder that appears whole or not at all."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from ibid.errors import InputError

_MARK = Path("index", "manifest.json")  # what every folder made by ``ibid build`` holds


@contextmanager
def staged_folder(out: Path) -> Iterator[Path]:
    """A new folder beside ``out`` that takes its place when the block ends well, and else vanishes.

    Raises InputError when ``out`` cannot be written or holds something that ``ibid build`` did not make.
    """
    refuse_foreign(out)
    staging = out.parent / f".{out.name}.{os.getpid()}.new"
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        shutil.rmtree(staging, ignore_errors=True)
        staging.mkdir()
    except OSError as error:
        raise InputError(
            f"{out} cannot be written: {error.strerror}; name another folder with --out"
        ) from None
    try:
        yield staging
        _swap(staging, out)
    finally:
        shutil.rmtree(staging, ignore_errors=True)


def refuse_foreign(out: Path) -> None:
    """Raises InputError when writing to ``out`` would destroy something else."""
    if out.is_symlink() or (out.exists() and not out.is_dir()):
        raise InputError(f"{out} is no folder; name another one with --out")
    if out.is_dir() and any(out.iterdir()) and not (out / _MARK).is_file():
        raise InputError(f"{out} holds files that ibid build did not make; empty it, or name another folder")


def _swap(staging: Path, out: Path) -> None:
    old = out.parent / f".{out.name}.{os.getpid()}.old"
    shutil.rmtree(old, ignore_errors=True)
    if out.exists():
        out.rename(old)
    try:
        staging.rename(out)
    except OSError:
        with suppress(OSError):
            old.rename(out)
        raise
    shutil.rmtree(old, ignore_errors=True)
