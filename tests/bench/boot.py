"""Boot to ready against bare stock Pyodide, and what a first visit transfers.

``PYTHONPATH=tests/support python tests/bench/boot.py SITE [RUNS]`` prints a table. Both sides come from the
same server, uncompressed and with the same caching; the stock side is npm's own files with stock numpy, in a
worker, and also fetches the index. Runs are interleaved, each in a fresh profile; trust the ratios, not the
seconds.

Cold is the first visit of a browser that has ended its own start, warm the second and the third.
"""

from __future__ import annotations

import json
import shutil
import statistics
import sys
import tempfile
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import BrowserContext, Playwright, sync_playwright

from chromium import FLAGS, chromium_path
from ibid_build.headers import HEADERS_FILE
from ibid_build.runtime import MODULES, fetch_numpy, runtime_lock
from ibid_build.serve import SiteServer

VISITS = ("cold", "warm, second visit", "warm, third visit")
PATIENCE = 120_000  # milliseconds
SETTLE = 1500  # milliseconds in which the browser ends its own start, and keeps what it compiled

_STOCK_PAGE = '<!doctype html><link rel="icon" href="data:,"><script type="module" src="page.js"></script>'
_STOCK_SCRIPT = """
const worker = new Worker('worker.mjs', { type: 'module' });
worker.onmessage = () => { document.documentElement.dataset.ibid = 'ready'; };
"""
_STOCK_WORKER = """
import { loadPyodide } from './pyodide.mjs';
const index = INDEX.map(async (name) => (await fetch(name)).arrayBuffer());
const python = await loadPyodide({ packages: ['numpy'] });
python.runPython('import numpy');
await Promise.all(index);
postMessage('ready');
"""
_WATCH = """
new MutationObserver(() => {
  if (document.documentElement?.dataset.ibid === 'ready') window.readyAt ??= performance.now();
}).observe(document, { subtree: true, childList: true, attributes: true, attributeFilter: ['data-ibid'] });
"""


def stock_site(site: Path, out: Path) -> None:
    """Bare Pyodide from npm's files, numpy's own wheel, and the index of ``site``."""
    for name in runtime_lock()["pyodide"]["files"]:
        shutil.copy(MODULES / "pyodide" / name, out)
    numpy = fetch_numpy(print)
    shutil.copy(numpy, out / numpy.name.split("-", 1)[1])
    shutil.copytree(site / "index", out / "index")
    manifest = json.loads((site / "index" / "manifest.json").read_bytes())
    parts = [
        f"index/{part['file']}"
        for name, part in manifest["parts"].items()
        if name != "report" and not name.startswith("texts-")
    ]
    (out / "index.html").write_text(_STOCK_PAGE)
    (out / "page.js").write_text(_STOCK_SCRIPT)
    (out / "worker.mjs").write_text(_STOCK_WORKER.replace("INDEX", json.dumps(parts)))
    (out / HEADERS_FILE).write_text("/*\n  Cache-Control: public, max-age=31536000, immutable\n")


@contextmanager
def served(folder: Path) -> Iterator[str]:
    with SiteServer(folder, 0) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        yield server.url
        server.shutdown()


@contextmanager
def profile(driver: Playwright) -> Iterator[BrowserContext]:
    with tempfile.TemporaryDirectory() as folder:
        context = driver.chromium.launch_persistent_context(
            folder, executable_path=chromium_path(), args=FLAGS
        )
        context.add_init_script(_WATCH)
        yield context
        context.close()


def visits(driver: Playwright, url: str, *, offline: bool) -> list[float]:
    """Milliseconds to ready of each visit. ``offline``: the service worker is awaited in between."""
    times = []
    with profile(driver) as context:
        for _ in VISITS:
            page = context.new_page()
            page.wait_for_timeout(SETTLE)
            page.goto(url)
            page.wait_for_function("window.readyAt", timeout=PATIENCE)
            times.append(page.evaluate("window.readyAt"))
            if offline:
                page.wait_for_selector("html[data-offline=ready]", timeout=PATIENCE)
            page.wait_for_timeout(SETTLE)
            page.close()
    return times


def transferred(driver: Playwright, url: str) -> dict[str, int]:
    """Bytes of bodies that a first visit loads, by kind, the service worker's own included."""
    sizes: dict[str, int] = {"encoder": 0, "index": 0, "runtime": 0, "app": 0}
    with profile(driver) as context:
        context.on(
            "requestfinished",
            lambda request: _count(sizes, request.url[len(url) :], request.sizes()["responseBodySize"]),
        )
        page = context.new_page()
        page.goto(url)
        page.wait_for_selector("html[data-offline=ready]", timeout=PATIENCE)
    return sizes


def _count(sizes: dict[str, int], path: str, size: int) -> None:
    kind = "encoder" if path.startswith("index/encoder") else path.split("/")[0]
    sizes[kind if kind in sizes else "app"] += size


def main(site: Path, runs: int) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        stock_site(site, Path(folder))
        with served(site) as ours, served(Path(folder)) as stock:
            pairs = [
                (visits(driver, stock, offline=False), visits(driver, ours, offline=True))
                for _ in range(runs)
            ]
            sizes = transferred(driver, ours)
    print(f"{'boot to ready, median of ' + str(runs):32}{'stock':>8}{'ibid':>8}{'ratio':>8}{'allowed':>9}")
    for place, name in enumerate(VISITS):
        stock_ms, ibid_ms = (statistics.median(run[side][place] for run in pairs) for side in (0, 1))
        print(f"{name:32}{stock_ms:8.0f}{ibid_ms:8.0f}{ibid_ms / stock_ms:8.2f}{0.65:9.2f}")
    print(
        f"\n{'first visit, MB uncompressed':32}" + "".join(f"{kind:>10}" for kind in sizes) + f"{'all':>10}"
    )
    print(" " * 32 + "".join(f"{size / 1e6:10.2f}" for size in [*sizes.values(), sum(sizes.values())]))


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 5)
