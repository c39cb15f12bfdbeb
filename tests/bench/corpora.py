"""Real documentation, read and checked: ``python tests/bench/corpora.py [NAME...]`` prints a table.

Debian's documentation packages, fetched with ``apt-get download``, are built into indexes without vectors.
``anchors``: the share of indexed anchors that stand in the built page; ``longest``: characters of the longest
chunk; ``silent``: pages without a chunk that no finding names; ``covered``: of what Chromium shows of the
main region (innerText) of up to 40 pages, navigation apart, the share of characters that stand in some chunk
of the page. The pages with the lowest shares are told on the error stream.
"""

from __future__ import annotations

import asyncio
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from playwright.sync_api import Page, sync_playwright
from selectolax.lexbor import LexborHTMLParser

from chromium import FLAGS, chromium_path
from ibid.index_format import open_index
from ibid.models import Chunk
from ibid_build.local_assets import LocalAssets
from ibid_build.wheels import cache_folder

SHOWN_PAGES = 40
NAVIGATION = """
.toctree-wrapper, .toc, #toc, .toc-backref, .related, .prev-next-area, .prev-next-bottom, .bd-footer,
.prev-next-footer, .navheader, .navfooter, #footer, .toplang, .bottomlang, #quickview, #path, .headerlink
"""
"""What leads elsewhere, and is to be left out."""
_DROP = "selector => document.querySelectorAll(selector).forEach(element => element.remove())"
_WORD = re.compile(r"\w")


@dataclass(frozen=True)
class Corpus:
    """``main`` is the region that a reader takes for the page's text, as a CSS selector."""

    name: str
    generator: str
    package: str
    root: str
    main: str

    def folder(self) -> Path:
        """The documentation, fetched if need be."""
        unpacked = cache_folder("manuals") / self.package
        if not unpacked.is_dir():
            unpacked.parent.mkdir(parents=True, exist_ok=True)
            subprocess.run(["apt-get", "download", "--quiet", self.package], cwd=unpacked.parent, check=True)
            (archive,) = unpacked.parent.glob(f"{self.package}_*.deb")
            subprocess.run(["dpkg-deb", "-x", archive, unpacked], check=True)
            archive.unlink()
        return unpacked / self.root


CORPORA = (
    Corpus("Python", "Sphinx", "python3.11-doc", "usr/share/doc/python3.11/html", "[role=main]"),
    Corpus(
        "Django",
        "Sphinx",
        "python-django-doc",
        "usr/share/doc/python-django-doc/html",
        "#bd .yui-b, [role=main]",
    ),
    Corpus("Linux", "Sphinx, alabaster", "linux-doc-6.1", "usr/share/doc/linux-doc-6.1/html", "[role=main]"),
    Corpus(
        "pandas",
        "Sphinx, pydata",
        "python-pandas-doc",
        "usr/share/doc/python-pandas-doc/html",
        "article, main",
    ),
    Corpus(
        "Click", "Sphinx, Pallets", "python-click-doc", "usr/share/doc/python-click-doc/html", "[role=main]"
    ),
    Corpus("Git", "AsciiDoc, man pages", "git-doc", "usr/share/doc/git-doc", "body"),
    Corpus("PostgreSQL", "DocBook", "postgresql-doc-15", "usr/share/doc/postgresql-doc-15/html", "body"),
    Corpus("MkDocs", "MkDocs", "mkdocs-doc", "usr/share/doc/mkdocs/html", "[role=main]"),
    Corpus("Node.js", "its own", "nodejs-doc", "usr/share/doc/nodejs/api", "#apicontent"),
    Corpus(
        "Apache, 8 languages", "its own", "apache2-doc", "usr/share/doc/apache2-doc/manual", "#page-content"
    ),
    Corpus("GIMP in German", "DocBook", "gimp-help-de", "usr/share/gimp/2.0/help/de", "body"),
)


def main(wanted: Sequence[str]) -> None:
    """A row a corpus."""
    print("| documentation | made by | pages | chunks | s | MB | anchors | longest | silent | covered |")
    print("|---|---|---|---|---|---|---|---|---|---|", flush=True)
    with sync_playwright() as driver, tempfile.TemporaryDirectory() as folder:
        browser = driver.chromium.launch(executable_path=chromium_path(), args=FLAGS)
        page = browser.new_page(java_script_enabled=False)
        for corpus in CORPORA:
            if not wanted or corpus.name in wanted:
                print(row(corpus, Path(folder) / corpus.package, page), flush=True)
        browser.close()


def row(corpus: Corpus, out: Path, page: Page) -> str:
    """Builds and checks one."""
    root = corpus.folder()
    seconds, megabytes = build(root, out)
    with ThreadPoolExecutor(1) as beside:  # the browser's driver keeps an event loop running in this thread
        by_path, named, more = beside.submit(lambda: asyncio.run(read(out))).result()
    everything = [chunk for chunks in by_path.values() for chunk in chunks]
    sound, wanted = anchors(root, by_path)
    covered = coverage(corpus, root, by_path, page)
    cells = [
        corpus.name,
        corpus.generator,
        f"{len(by_path):,}",
        f"{len(everything):,}",
        f"{seconds:.0f}",
        f"{megabytes:.0f}",
        f"{sound / max(wanted, 1):.2%}",
        str(max(len(chunk.text) for chunk in everything)),
        str(len(silent(root, by_path, named)) - more),
        f"{covered:.2%}",
    ]
    return f"| {' | '.join(cells)} |"


def build(root: Path, out: Path) -> tuple[float, float]:
    """Seconds and megabytes (the peak) of ``ibid build`` without vectors."""
    config = out.with_suffix(".toml")
    config.write_text('encoder = "none"\n')
    command = [sys.executable, "-m", "ibid_build", "build", str(root), "--index-only"]
    start = time.perf_counter()
    process = subprocess.Popen(
        [*command, "--out", str(out), "--config", str(config)], stderr=subprocess.DEVNULL
    )
    _, status, usage = os.wait4(process.pid, 0)
    if status:
        sys.exit(f"{' '.join(command)} failed")
    return time.perf_counter() - start, usage.ru_maxrss / 1024


async def read(out: Path) -> tuple[dict[str, list[Chunk]], set[str], int]:
    """The chunks of each page, the pages that findings name, and how many more they count."""
    index = await open_index(LocalAssets(out))
    chunks = {page.path: await index.page_chunks(number) for number, page in enumerate(index.pages)}
    named: set[str] = set()
    counted = 0
    for finding in await index.report():
        listed, _, more = finding["what"].partition(" left out: ")[2].partition(" and ")
        named.update((finding["page"], *listed.split(", ")))
        counted += int(more.split()[0]) if more else 0
    return chunks, named, counted


def anchors(root: Path, by_path: dict[str, list[Chunk]]) -> tuple[int, int]:
    """How many chunks' anchors stand in their page, of how many."""
    sound = wanted = 0
    for path, chunks in by_path.items():
        tree = LexborHTMLParser((root / path).read_bytes())
        there = {node.attributes.get(name) for name in ("id", "name") for node in tree.css(f"[{name}]")}
        asked = [chunk.anchor for chunk in chunks if chunk.anchor]
        wanted += len(asked)
        sound += sum(anchor in there for anchor in asked)
    return sound, wanted


def silent(root: Path, by_path: dict[str, list[Chunk]], named: set[str]) -> list[str]:
    """Built pages that were left out without a word."""
    paths = (path.relative_to(root).as_posix() for path in root.rglob("*.html"))
    return [path for path in paths if path not in by_path and path not in named]


def coverage(corpus: Corpus, root: Path, by_path: dict[str, list[Chunk]], page: Page) -> float:
    """The share of shown characters that are in some chunk, over pages evenly spread."""
    paths = sorted(by_path)
    shown = found = 0
    shares: list[tuple[float, str, str]] = []
    for path in paths[:: max(1, len(paths) // SHOWN_PAGES)][:SHOWN_PAGES]:
        page.goto((root / path).as_uri())
        page.evaluate(_DROP, NAVIGATION)
        region = page.locator(corpus.main).first
        text = region.inner_text() if region.count() else ""
        have = plain(" ".join([c.title, *c.heading_path, c.text]) for c in by_path[path])
        pieces = [piece for line in text.split("\n") for piece in re.split(r"\t|(?<=[.:;]) ", line)]
        missing = [piece for piece in pieces if plain([piece]) not in have]
        total, lost = (sum(len(plain([piece])) for piece in group) for group in (pieces, missing))
        shown, found = shown + total, found + total - lost
        if lost:
            shares.append((1 - lost / total, path, json.dumps(missing[:6], ensure_ascii=False)[:300]))
    for share, path, examples in sorted(shares)[:3]:
        print(f"{corpus.name}: {share:.1%} of {path}: {examples}", file=sys.stderr)
    return found / max(shown, 1)


def plain(texts: Iterable[str]) -> str:
    """Letters and digits alone, so that neither blanks nor marks of code count."""
    return "".join(_WORD.findall(" ".join(texts))).casefold()


if __name__ == "__main__":
    main(sys.argv[1:])
