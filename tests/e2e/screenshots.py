"""Pictures of every state of the page: ``python tests/e2e/screenshots.py OUT [--port N]``.

Builds the tests' documentation, serves it, plays a scripted endpoint, and writes ``STATE-LOOK.png`` for the
states that the look is checked by, each in light, dark and phone width. ``passage-light.png`` is the README's
``picture.png``.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

TESTS = Path(__file__).parents[1]
sys.path.append(str(TESTS / "support"))

from playwright.sync_api import Browser, BrowserContext, expect, sync_playwright  # noqa: E402

import chat_chunks  # noqa: E402
from chromium import FLAGS, chromium_path  # noqa: E402
from endpoint_script import Break, Hold, Reply  # noqa: E402
from reader import PATIENCE, Reader  # noqa: E402
from scripted_endpoint import ScriptedEndpoint  # noqa: E402
from site_server import SiteServer  # noqa: E402
from watch import Watch  # noqa: E402

KEPT = "How long are raw readings kept, and can I keep them longer?"
NOT_COVERED = "What is the best pizza topping in Naples?"
READ = ("read_page", {"path": "retention.md"})
ANSWER = """Raw readings are kept for **ninety days**. After that they are folded into hourly means, which \
are kept for ever [1].

To keep them longer, set another number of days in `station.toml`; zero keeps every raw reading [1]:

```toml
keep_raw_days = 365
```

To free space by hand, run `tidewatch prune`. It deletes raw readings older than a date, never the hourly \
means, and prints how many rows it removed [2].
"""
WHERE = "Alerts are sent by e-mail or to a webhook [1]."
HALF = ANSWER.index("```toml")


@dataclass(frozen=True)
class Look:
    """One way to look at the page."""

    name: str
    scheme: Literal["light", "dark"]
    width: int
    height: int


LOOKS = (
    Look("light", "light", 1280, 800),
    Look("dark", "dark", 1280, 800),
    Look("phone", "light", 390, 844),
)


class Photographer:
    """Takes the pictures of one look, in the order in which a reader comes to the states."""

    def __init__(self, context: BrowserContext, server: SiteServer, look: Look, out: Path) -> None:
        self._context = context
        self._server = server
        self._look = look
        self._out = out
        self._reader = Reader(context.new_page(), server.url, Watch(context, server.url))

    def take_all(self, endpoint: ScriptedEndpoint) -> None:
        reader, page = self._reader, self._reader.page
        reader.open().until_ready()
        expect(page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
        self._shoot("empty")
        self._settings(endpoint)
        self._answer(endpoint)
        self._deflection(endpoint)
        self._error(endpoint)
        self._offline()

    def _settings(self, endpoint: ScriptedEndpoint) -> None:
        reader, page = self._reader, self._reader.page
        address = endpoint.base_url.replace("127.0.0.1", "localhost")
        reader.choose_endpoint(address, model="llama3.2", key="sk-picture")
        page.get_by_role("button", name="Settings", exact=True).first.click()
        endpoint.text("Yes.")
        page.get_by_role("button", name="Test connection").click()
        expect(page.locator("dialog.settings .result")).to_contain_text("answer", timeout=PATIENCE)
        self._shoot("settings")
        page.get_by_role("button", name="Close", exact=True).click()

    def _answer(self, endpoint: ScriptedEndpoint) -> None:
        reader = self._reader
        endpoint.calls(("search_docs", {"query": "how long raw readings are kept"}), READ)
        hold = Hold()
        first, *rest = chat_chunks.answer(ANSWER[:HALF], ANSWER[HALF:])[1:]
        endpoint.play(Reply((first, hold, *rest)))
        reader.type_question(KEPT)
        expect(reader.last_turn.locator(".answer")).to_contain_text("zero keeps", timeout=PATIENCE)
        self._shoot("answering")
        hold.release()
        reader.until_ended(reader.last_turn)
        self._shoot("answered")
        reader.open_passage(reader.last_turn.locator("button.cite").first)
        self._shoot("passage")
        reader.close_passage()

    def _deflection(self, endpoint: ScriptedEndpoint) -> None:
        endpoint.calls(("search_docs", {"query": "best pizza topping in Naples"}))
        endpoint.text("The documentation does not cover this.")
        self._reader.ask(NOT_COVERED)
        self._shoot("deflected")

    def _error(self, endpoint: ScriptedEndpoint) -> None:
        endpoint.calls(("search_docs", {"query": "where alerts are sent"}))
        hold = Hold()
        endpoint.play(Reply((chat_chunks.text(f"{WHERE} Give its address"), hold, Break())))
        self._reader.type_question("Where are alerts sent?")
        expect(self._reader.last_turn.locator(".answer")).to_contain_text("Give its", timeout=PATIENCE)
        hold.release()
        self._reader.until_ended(self._reader.last_turn)
        self._shoot("error")

    def _offline(self) -> None:
        """The server is gone, and the browser knows that there is no network."""
        reader = self._reader
        reader.choose_endpoint("", model="")
        self._server.kill()
        self._context.set_offline(True)
        reader.page.reload()
        reader.until_ready()
        reader.ask("How far does the LoRa radio link reach?")
        self._shoot("offline")

    def _shoot(self, state: str) -> None:
        page = self._reader.page
        page.evaluate("document.fonts.ready.then(() => undefined)")
        path = self._out / f"{state}-{self._look.name}.png"
        page.screenshot(path=path, animations="disabled", caret="hide")
        print(path, flush=True)


def photograph(browser: Browser, site: Path, look: Look, out: Path, port: int) -> None:
    """All states in one look, from a fresh profile."""
    with (
        SiteServer(site) as server,
        ScriptedEndpoint(port=port) as endpoint,
        browser.new_context(
            viewport={"width": look.width, "height": look.height},
            color_scheme=look.scheme,
            reduced_motion="reduce",
        ) as context,
    ):
        Photographer(context, server, look, out).take_all(endpoint)


def main() -> None:
    parser = argparse.ArgumentParser(prog="screenshots.py", description=__doc__)
    parser.add_argument("out", type=Path, help="the folder for the pictures")
    parser.add_argument(
        "--port", type=int, default=11434, help="the scripted endpoint's, as the pictures show it"
    )
    arguments = parser.parse_args()
    arguments.out.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as driver:
        site = Path(folder) / "site"
        docs = TESTS / "data/tidewatch"
        subprocess.run(
            [sys.executable, "-m", "ibid_build", "build", str(docs), "--out", str(site)], check=True
        )
        with driver.chromium.launch(executable_path=chromium_path(), args=FLAGS) as browser:
            for look in LOOKS:
                photograph(browser, site, look, arguments.out, arguments.port)


if __name__ == "__main__":
    main()
