"""Sites of MkDocs and Sphinx with the plugin in their configuration: built, opened, asked, followed."""

from __future__ import annotations

import functools
import shutil
import subprocess
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from reader import PATIENCE, Reader
from watch import Watch

DOCS = Path(__file__).parents[1] / "data/tidewatch"
QUESTION = "How long are raw readings kept?"

MKDOCS = """
site_name: Tidewatch
docs_dir: docs
plugins:
  - ibid:
      label: Ask Tidewatch
theme:
  name: {theme}
  font: false
  highlightjs: false
"""
SPHINX = """
project = "Tidewatch"
extensions = ["ibid_build.plugins.sphinx"]
html_theme = "{theme}"
ibid_button = {{"label": "Ask Tidewatch"}}
"""
RST = """
Retention
=========

Readings are thinned out as they age.

Raw readings
------------

Raw readings are kept for 90 days. After that, hourly means stand in for them.
"""


def mkdocs_site(folder: Path, theme: str) -> Path:
    shutil.copytree(DOCS, folder / "docs", ignore=shutil.ignore_patterns("ibid.toml"))
    (folder / "mkdocs.yml").write_text(MKDOCS.format(theme=theme))
    run("-m", "mkdocs", "build", "--quiet", cwd=folder)
    return folder / "site"


def sphinx_site(folder: Path, theme: str) -> Path:
    folder.mkdir(exist_ok=True)
    (folder / "conf.py").write_text(SPHINX.format(theme=theme))
    (folder / "index.rst").write_text("Tidewatch\n=========\n\n.. toctree::\n\n   guide/retention\n")
    (folder / "guide").mkdir()
    (folder / "guide/retention.rst").write_text(RST)
    run("-m", "sphinx", "--quiet", "-b", "html", ".", "site", cwd=folder)
    return folder / "site"


def run(*arguments: str, cwd: Path) -> None:
    done = subprocess.run([sys.executable, *arguments], cwd=cwd, capture_output=True, text=True)
    assert done.returncode == 0, done.stdout + done.stderr


@contextmanager
def served(folder: Path) -> Iterator[str]:
    """As any static host does, under a path."""

    class Quiet(SimpleHTTPRequestHandler):
        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), functools.partial(Quiet, directory=str(folder.parent)))
    thread = threading.Thread(target=server.serve_forever, args=(0.05,))
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}/{folder.name}/"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


@pytest.mark.parametrize(
    ("build", "theme", "page"),
    [
        (mkdocs_site, "material", "alerts/"),
        (mkdocs_site, "readthedocs", "alerts/"),
        (sphinx_site, "alabaster", "guide/retention.html"),
        (sphinx_site, "furo", "index.html"),
    ],
    ids=["mkdocs-material", "mkdocs-readthedocs", "sphinx-alabaster", "sphinx-furo"],
)
def test_a_reader_asks_from_any_page_and_follows_the_citation(
    tmp_path: Path, context: BrowserContext, build: object, theme: str, page: str
) -> None:
    """The button of the page, the app in its frame, a cited page, and the very heading there."""
    assert callable(build)
    with served(build(tmp_path / "project", theme)) as url:
        watch = Watch(context, url)
        watch.expected.append("favicon.ico")  # which Sphinx's sites lack
        tab = context.new_page()
        tab.goto(url + page)
        tab.locator("ibid-ask").get_by_role("button", name="Ask Tidewatch", exact=True).click()
        frame = tab.locator("ibid-ask iframe").element_handle().content_frame()
        assert frame is not None
        expect(frame.locator("html")).to_have_attribute("data-ibid", "ready", timeout=PATIENCE)
        reader = Reader(frame, url, watch)  # type: ignore[arg-type]
        turn = reader.ask(QUESTION)
        assert reader.status(turn) == "done"
        address = turn.locator("a.source-chip").first.evaluate("chip => chip.href")
        target = context.new_page()
        target.goto(address)
        assert "#" in target.url
        heading = target.locator(f"[id='{target.url.split('#')[1]}']")
        expect(heading).to_have_count(1)
        expect(target.locator("ibid-ask")).to_have_count(1)
        assert watch.console == []
        assert watch.foreign == []
