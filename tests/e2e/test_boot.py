"""The start: from any path, under the shipped policy, whatever a host does to files; failures in words."""

from __future__ import annotations

import gzip
import hashlib
import http.client
import json
import os
import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, expect

from ibid_build.headers import TYPES
from reader import PATIENCE, Reader
from site_server import SiteServer
from watch import Watch

QUESTION = "How long are raw readings kept?"


class PlainHost(SimpleHTTPRequestHandler):
    """A host that sends no header of ours, and undoes gzip on the way, as some do."""

    extensions_map = {**TYPES, "": "application/octet-stream"}  # noqa: RUF012
    disable_nagle_algorithm = True

    def end_headers(self) -> None:
        if self.path.endswith(".gz"):
            self.send_header("Content-Encoding", "gzip")
        super().end_headers()

    def log_message(self, *_: object) -> None:
        pass


class MistakenHost(PlainHost):
    """Calls packed WebAssembly by its type, and does not say that it is packed."""

    def guess_type(self, path: str | os.PathLike[str]) -> str:
        return "application/wasm" if str(path).endswith(".wasm.gz") else super().guess_type(path)

    def end_headers(self) -> None:
        SimpleHTTPRequestHandler.end_headers(self)


class PatientHost(PlainHost):
    """Keeps the engine back until somebody has asked for the index's vectors."""

    asked = threading.Event()

    def do_GET(self) -> None:
        if "/index/vectors-" in self.path:
            self.asked.set()
        if self.path.endswith("/pyodide.asm.wasm.gz") and not self.asked.wait(PATIENCE / 1000):
            self.send_error(503)
        else:
            super().do_GET()


@contextmanager
def plain_host(folder: Path, kind: type[PlainHost] = PlainHost) -> Iterator[str]:
    with ThreadingHTTPServer(("127.0.0.1", 0), partial(kind, directory=str(folder))) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield f"http://127.0.0.1:{server.server_address[1]}/"
        server.shutdown()


def test_the_index_is_on_its_way_before_python_can_run(context: BrowserContext, site: Path) -> None:
    with plain_host(site, PatientHost) as url:
        Reader(context.new_page(), url, Watch(context, url)).open().until_ready()
    assert PatientHost.asked.is_set()


def test_webassembly_under_a_wrong_header_is_unpacked(context: BrowserContext, site: Path) -> None:
    with plain_host(site, MistakenHost) as url:
        watch = Watch(context, url)
        Reader(context.new_page(), url, watch).open().until_ready()
    assert watch.console == []


@pytest.mark.parametrize("has_headers", [True, False])
def test_what_the_first_visit_compiled_is_used_by_the_next(
    context: BrowserContext, site: Path, has_headers: bool
) -> None:
    """The browser keeps it beside its own copy, where the host sent WebAssembly; else beside the held one."""
    with SiteServer(site) as server, plain_host(site) as plain:
        url = server.url if has_headers else plain
        reader = Reader(context.new_page(), url, Watch(context, url)).open().until_ready()
        expect(reader.page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
        kind, encoding = reader.page.evaluate(
            """async () => {
                const { runtime } = JSON.parse(document.getElementById('config').textContent);
                const { headers } = await fetch(`${runtime}pyodide.asm.wasm.gz`);
                return [headers.get('Content-Type'), headers.get('Content-Encoding')];
            }"""
        )
    assert kind == "application/wasm"
    assert encoding == ("gzip" if has_headers else None)


def test_it_runs_from_any_path_of_a_host_that_unpacks(
    context: BrowserContext, site: Path, tmp_path: Path
) -> None:
    """Two levels down, without our headers, gzip undone by the host: it answers, and is kept offline."""
    shutil.copytree(site, tmp_path / "docs" / "ask")
    with plain_host(tmp_path) as url:
        watch = Watch(context, url)
        reader = Reader(context.new_page(), f"{url}docs/ask/", watch).open().until_ready()
        turn = reader.ask(QUESTION)
        assert reader.footnotes(turn).chips
        expect(reader.page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
        databases = reader.page.evaluate("indexedDB.databases().then((all) => all.map(({ name }) => name))")
    assert databases == ["ibid:/docs/ask/"]
    assert watch.console == []
    assert watch.foreign == []


def test_a_question_before_python_is_there_is_answered_when_it_is(fresh_reader: Reader) -> None:
    """The box takes it at once."""
    reader = fresh_reader.open()
    turn = reader.ask(QUESTION)
    assert reader.status(turn) == "done"
    assert reader.footnotes(turn).chips


def damage_packages(site: Path) -> None:
    [path] = site.glob("runtime/*/packages.zip.gz")
    path.write_bytes(gzip.compress(b"not a zip at all, but as long as one has to be"))


def damage_vectors(site: Path) -> None:
    [path] = site.glob("index/vectors-*")
    path.write_bytes(gzip.compress(gzip.decompress(path.read_bytes())[:-1]))


def damage_manifest(site: Path) -> None:
    path = site / "index" / "manifest.json"
    path.write_text(json.dumps({**json.loads(path.read_bytes()), "schema": 99}))


def remove_wasm(site: Path) -> None:
    [path] = site.glob("runtime/*/pyodide.asm.wasm.gz")
    path.unlink()


@pytest.mark.parametrize(
    ("damage", "says"),
    [
        (remove_wasm, "pyodide.asm.wasm.gz"),
        (damage_packages, "packages.zip.gz"),
        (damage_vectors, "vectors"),
        (damage_manifest, "schema version 99"),
    ],
    ids=[
        "a runtime file is missing",
        "a runtime file is damaged",
        "an index part is damaged",
        "a newer index",
    ],
)
def test_what_cannot_start_says_why(
    context: BrowserContext, site: Path, tmp_path: Path, damage: Callable[[Path], None], says: str
) -> None:
    """The page names the file and says what to do; it never waits for ever."""
    broken = tmp_path / "site"
    shutil.copytree(site, broken)
    damage(broken)
    with SiteServer(broken) as server:
        reader = Reader(context.new_page(), server.url, Watch(context, server.url)).open()
        expect(reader.page.locator("html")).to_have_attribute("data-ibid", "failed", timeout=PATIENCE)
        state = reader.page.locator(".state")
        expect(state).to_contain_text(says)
        expect(state).to_contain_text("eload")


def test_a_new_version_is_fetched_whole_and_then_offered(
    context: BrowserContext, site: Path, tmp_path: Path
) -> None:
    """The tab goes on with what it holds; the old version serves until the reader takes the new one."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    with plain_host(folder) as url:
        reader = Reader(context.new_page(), url, Watch(context, url)).open().until_ready()
        expect(reader.page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
        publish(folder, '"title": "Tidewatch"', '"title": "Tidewatch 2"')
        reader.page.reload()
        expect(reader.page.locator("h1")).to_have_text("Tidewatch")
        offer = reader.page.get_by_role("button", name="Reload")
        expect(offer).to_be_visible(timeout=PATIENCE)
        offer.click()
        expect(reader.page.locator("h1")).to_have_text("Tidewatch 2", timeout=PATIENCE)
        reader.until_ready()


def test_half_a_new_version_changes_nothing(context: BrowserContext, site: Path, tmp_path: Path) -> None:
    """A deploy that is cut, or answers with its fallback page: the old version serves, and keeps serving."""
    folder = tmp_path / "site"
    shutil.copytree(site, folder)
    with plain_host(folder) as url:
        reader = Reader(context.new_page(), url, Watch(context, url)).open().until_ready()
        expect(reader.page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
        publish(folder, '"title": "Tidewatch"', '"title": "Tidewatch 2"')
        (folder / "config.json").write_text("<!doctype html><title>Not found</title>")
        reader.page.reload()
        reader.until_ready()
        update = "navigator.serviceWorker.ready.then((r) => r.update()).then(() => 'held', (e) => 'refused')"
        reader.page.evaluate(update)
        expect(reader.page.get_by_role("button", name="Reload")).to_have_count(0)
    # The host is gone too.
    reader.page.reload()
    expect(reader.page.locator("h1")).to_have_text("Tidewatch")
    reader.until_ready()
    assert reader.footnotes(reader.ask(QUESTION)).chips


def publish(folder: Path, old: str, new: str) -> None:
    """Another version: one text changed, in the page and in its configuration, and the list made anew."""
    first, _, rest = (folder / "sw.js").read_text().partition("\n")
    release = json.loads(first.removeprefix("self.release = ").removesuffix(";"))
    release["build"] += "-next"
    for name in ("index.html", "config.json"):
        text = (folder / name).read_text().replace(old, new)
        assert new in text
        (folder / name).write_text(text)
        release["files"][name]["sha256"] = [hashlib.sha256(text.encode()).hexdigest()]
    (folder / "sw.js").write_text(f"self.release = {json.dumps(release)};\n{rest}")


def test_the_server_says_where_it_is(server: SiteServer) -> None:
    """And answers there."""
    host = server.url.removeprefix("http://").rstrip("/")
    connection = http.client.HTTPConnection(host, timeout=10)
    connection.request("GET", "/")
    assert connection.getresponse().status == 200
    connection.close()
