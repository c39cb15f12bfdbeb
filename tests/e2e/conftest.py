"""A built site, a real server, a real Chromium: the console stays empty, and nothing foreign is asked for."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Playwright, sync_playwright

from chromium import FLAGS, chromium_path
from llama_server import LlamaServer
from reader import Reader
from scripted_endpoint import ScriptedEndpoint
from site_server import SiteServer, ibid_build
from watch import Watch

DOCS = Path(__file__).parents[1] / "data/tidewatch"


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker("e2e")


@pytest.fixture(scope="session")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The small documentation, built as a maintainer builds it."""
    out = tmp_path_factory.mktemp("site") / "tidewatch"
    ibid_build(DOCS, out)
    return out


@pytest.fixture(scope="session")
def server(site: Path) -> Iterator[SiteServer]:
    with SiteServer(site) as running:
        yield running


@pytest.fixture(scope="session")
def playwright_driver() -> Iterator[Playwright]:
    os.environ["PW_EXPERIMENTAL_SERVICE_WORKER_NETWORK_EVENTS"] = "1"
    with sync_playwright() as driver:
        yield driver


@pytest.fixture(scope="session")
def browser(playwright_driver: Playwright) -> Iterator[Browser]:
    with playwright_driver.chromium.launch(executable_path=chromium_path(), args=FLAGS) as running:
        yield running


@pytest.fixture
def context(browser: Browser) -> Iterator[BrowserContext]:
    """A fresh profile."""
    with browser.new_context(viewport={"width": 1280, "height": 800}) as fresh:
        yield fresh


@pytest.fixture
def watch(context: BrowserContext, server: SiteServer) -> Iterator[Watch]:
    """Fails the test when the console was not empty or a foreign host was asked for."""
    watching = Watch(context, server.url)
    yield watching
    assert watching.console == []
    assert watching.foreign == []


@pytest.fixture
def fresh_reader(context: BrowserContext, server: SiteServer, watch: Watch) -> Reader:
    """A reader who has not opened the page yet."""
    return Reader(context.new_page(), server.url, watch)


@pytest.fixture
def reader(fresh_reader: Reader) -> Reader:
    """A reader in front of a page that is ready."""
    return fresh_reader.open().until_ready()


@pytest.fixture
def endpoint() -> Iterator[ScriptedEndpoint]:
    with ScriptedEndpoint() as running:
        yield running


@pytest.fixture(scope="session")
def llama() -> Iterator[LlamaServer]:
    with LlamaServer() as running:
        yield running
