"""Retrieval sets in eight languages: ``python tests/bench/language_sets.py FOLDER`` writes one a language.

The documentation are Debian's packages of GIMP's manual and LibreOffice's help, fetched with ``apt-get
download`` and read as a maintainer's own would be; the questions are ours (``languages/``). A set has
``corpus.jsonl``, ``queries.jsonl``, ``qrels.jsonl`` and ``unanswerable.jsonl``. Needs a Debian machine.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.sources import read_tree
from ibid_build.wheels import cache_folder

QUESTIONS = Path(__file__).parent / "languages"


@dataclass(frozen=True)
class Manual:
    """A translated documentation; ``package``, ``root`` and ``names`` have one form for every language."""

    name: str
    package: str
    root: str
    languages: Mapping[str, tuple[str, str]]  # ours: (in the package's name, in its folder)
    config: BuildConfig

    def unpacked(self, language: str) -> Path:
        """The documentation's folder, fetched if need be."""
        in_name, in_folder = self.languages[language]
        package = self.package.format(in_name)
        folder = cache_folder("manuals") / package
        if not folder.is_dir():
            folder.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["apt-get", "download", "--quiet", package], cwd=folder.parent, check=True)
            (archive,) = folder.parent.glob(f"{package}_*.deb")
            subprocess.run(["dpkg-deb", "-x", archive, folder], check=True)
            archive.unlink()
        return folder / self.root.format(in_folder)


MANUALS = (
    Manual(
        "gimp",
        "gimp-help-{}",
        "usr/share/gimp/2.0/help/{}",
        {name: (name, name) for name in ("de", "fr", "es", "ru", "ja")} | {"pt": ("pt-br", "pt_BR")},
        BuildConfig(),
    ),
    Manual(
        "libreoffice",
        "libreoffice-help-{}",
        "usr/share/libreoffice/help/{}/text",
        {"zh": ("zh-cn", "zh-CN"), "ko": ("ko", "ko")},
        BuildConfig(
            content_selector="#DisplayArea",
            exclude=("*", "!/swriter/guide/", "!/scalc/guide/", "!/shared/guide/"),
        ),
    ),
)


def main(out: Path) -> None:
    """Writes all sets."""
    for manual in MANUALS:
        asked = tomllib.loads((QUESTIONS / f"{manual.name}.toml").read_text("utf-8"))
        for language in manual.languages:
            folder = out / language
            folder.mkdir(parents=True, exist_ok=True)
            write_set(folder, manual, language, asked)
            print(folder, file=sys.stderr)


def write_set(folder: Path, manual: Manual, language: str, asked: Mapping[str, Any]) -> None:
    """One language's. A question whose page was not found is a fault of the list."""
    pages = read_tree(manual.unpacked(language), manual.config).pages
    chunks = [chunk for page in pages for chunk in chunk_page(page)]
    names = {page.path.removesuffix(".html"): page.path for page in pages}
    questions = [each for each in asked["question"] if language in each]
    write_rows(
        folder / "corpus.jsonl",
        (
            {
                "id": chunk.id,
                "page": chunk.path,
                "title": chunk.title,
                "heading": " > ".join(chunk.heading_path),
                "text": chunk.text,
            }
            for chunk in chunks
        ),
    )
    write_rows(
        folder / "queries.jsonl",
        ({"id": str(number), "text": each[language]} for number, each in enumerate(questions)),
    )
    write_rows(
        folder / "qrels.jsonl",
        (
            {"query_id": str(number), "page": names[page]}
            for number, each in enumerate(questions)
            for page in each["pages"]
        ),
    )
    write_rows(
        folder / "unanswerable.jsonl",
        (
            {"id": f"none-{number}", "text": each[language], "kind": each["kind"]}
            for number, each in enumerate(asked["elsewhere"])
        ),
    )


def write_rows(file: Path, rows: Iterable[Mapping[str, str]]) -> None:
    """JSON lines."""
    file.write_text("".join(json.dumps(row, ensure_ascii=False) + "\n" for row in rows), "utf-8")


if __name__ == "__main__":
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/bench/language_sets.py FOLDER, to write the sets to")
    main(Path(sys.argv[1]))
