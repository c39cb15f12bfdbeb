"""The training texts: documentation of the packages in ``packages.txt``, fetched, read, and sampled."""

from __future__ import annotations

import hashlib
import random
import re
import subprocess
import sys
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ibid.errors import InputError
from ibid_build.encoder import FOLDER
from ibid_build.encoder.forms import SHARES, Form, forms
from ibid_build.encoder.prose import lines

SUFFIXES = (".rst", ".md", ".txt")
_HISTORY = re.compile(r"release|change|history|whatsnew|news|roadmap|licen[cs]e|authors|contributors", re.I)


@dataclass(frozen=True, slots=True)
class Package:
    """A source distribution. ``docs``: its folders with documentation; ``held_out``: never trained on."""

    name: str
    version: str
    sha256: str
    licence: str
    docs: tuple[str, ...]
    held_out: bool

    @property
    def pin(self) -> str:
        """As pip names it."""
        return f"{self.name}=={self.version}"


def packages(listing: Path = FOLDER / "packages.txt") -> list[Package]:
    """The list: a package a line, columns parted by blanks, ``#`` starts a comment."""
    found = []
    for row in listing.read_text("utf-8").splitlines():
        if row.strip() and not row.startswith("#"):
            pin, sha256, licence, docs, role = row.split()
            name, version = pin.split("==")
            found.append(Package(name, version, sha256, licence, tuple(docs.split(",")), role == "held-out"))
    return found


def fetch(package: Package, folder: Path) -> Path:
    """The source archive in ``folder``, downloaded with pip if need be, verified. Raises InputError."""
    target = folder / f"{package.name}-{package.version}"
    if not any(target.glob("*")):
        command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--dest", str(target)]
        run = subprocess.run(  # noqa: S603 - our own list, no shell
            [*command, "--no-binary", package.name, package.pin], capture_output=True, text=True, check=False
        )
        if run.returncode:
            raise InputError(
                f"{package.pin} could not be downloaded: {run.stderr.strip()[-300:]}\n"
                "Check the network and pip's settings, then run the command again; what is there is kept."
            )
    (archive,) = target.iterdir()
    digest = hashlib.sha256(archive.read_bytes()).hexdigest()
    if digest != package.sha256:
        raise InputError(
            f"{archive} has sha256 {digest}, not {package.sha256}: the download is damaged or was replaced; "
            "delete the folder and run the command again."
        )
    return archive


def documents(archive: Path, docs: Iterable[str]) -> Iterator[tuple[str, str]]:
    """(path inside the archive, text) of every documentation file, in order of path."""
    prefixes = tuple(f"{folder}/" for folder in docs)
    with tarfile.open(archive) as tar:
        for member in sorted(tar.getmembers(), key=lambda m: m.name):
            inner = str(PurePosixPath(*PurePosixPath(member.name).parts[1:]))
            if (
                member.isfile()
                and inner.startswith(prefixes)
                and inner.endswith(SUFFIXES)
                and not _HISTORY.search(inner)
            ):
                stream = tar.extractfile(member)
                if stream is not None:
                    yield inner, stream.read().decode("utf-8", "replace")


def candidates(package: Package, archive: Path) -> dict[Form, list[str]]:
    """All different texts that one package gives, each form in a shuffled order fixed by its name."""
    rng = random.Random(package.name)  # noqa: S311 - sampling, not secrets
    found: dict[Form, dict[str, None]] = defaultdict(dict)
    for path, text in documents(archive, package.docs):
        for line in lines(text, PurePosixPath(path).suffix):
            for form, produced in forms(line, rng):
                found[form][produced] = None
    shuffled: dict[Form, list[str]] = {}
    for form in SHARES:
        texts = list(found[form])
        rng.shuffle(texts)
        shuffled[form] = texts
    return shuffled


def sample(texts: Mapping[str, Mapping[Form, list[str]]], total: int) -> list[str]:
    """``total`` different texts (fewer if there are not as many), shuffled with a fixed seed.

    Each form gets its share; within a form the packages take turns, so that a large one cannot crowd out
    the small ones: more *different* documentation is what helps (FACTS).
    """
    chosen: dict[str, str] = {}
    for form, share in SHARES.items():
        wanted = len(chosen) + round(share * total)
        queues = [iter(texts[name][form]) for name in sorted(texts)]
        while queues and len(chosen) < wanted:
            for queue in list(queues):
                text = next(queue, None)
                if text is None:
                    queues.remove(queue)
                elif len(chosen) < wanted:
                    chosen.setdefault(text.lower(), text)
    ordered = list(chosen.values())
    random.Random(total).shuffle(ordered)  # noqa: S311
    return ordered
