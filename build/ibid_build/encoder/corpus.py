"""The training texts: documentation of the packages in ``packages.txt``, fetched, read, and sampled."""

from __future__ import annotations

import random
import re
import tarfile
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path, PurePosixPath

from ibid_build.encoder import folder_of
from ibid_build.encoder.archives import Archive
from ibid_build.encoder.forms import SHARES, Form, forms
from ibid_build.encoder.prose import lines

SUFFIXES = (".rst", ".md", ".txt")
_HISTORY = re.compile(r"release|change|history|whatsnew|news|roadmap|licen[cs]e|authors|contributors", re.I)


@dataclass(frozen=True, slots=True)
class Package:
    """A source distribution. ``docs``: its folders with documentation; ``held_out``: never trained on."""

    archive: Archive
    docs: tuple[str, ...]
    held_out: bool


def packages() -> list[Package]:
    """The list, packages.txt: a package a line, columns parted by blanks, ``#`` starts a comment."""
    listing = folder_of("english") / "packages.txt"
    found = []
    for row in listing.read_text("utf-8").splitlines():
        if row.strip() and not row.startswith("#"):
            pin, sha256, licence, docs, role = row.split()
            archive = Archive("sdist", pin, sha256, licence)
            found.append(Package(archive, tuple(docs.split(",")), role == "held-out"))
    return found


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
    rng = random.Random(package.archive.name)  # noqa: S311 - sampling, not secrets
    return shuffled(
        (
            produced
            for path, text in documents(archive, package.docs)
            for line in lines(text, PurePosixPath(path).suffix)
            for produced in forms(line, rng)
        ),
        rng,
    )


def shuffled(produced: Iterable[tuple[Form, str]], rng: random.Random) -> dict[Form, list[str]]:
    """The different texts of each form, in an order that ``rng`` fixes."""
    found: dict[Form, dict[str, None]] = defaultdict(dict)
    for form, text in produced:
        found[form][text] = None
    orders: dict[Form, list[str]] = {}
    for form in SHARES:
        texts = list(found[form])
        rng.shuffle(texts)
        orders[form] = texts
    return orders


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
