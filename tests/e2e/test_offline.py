"""Offline means that the server process is gone: the page still opens, answers, and shows old turns (6a)."""

from __future__ import annotations

from pathlib import Path

from playwright.sync_api import BrowserContext, expect

from reader import PATIENCE, Reader
from site_server import SiteServer
from watch import Watch

QUESTION = "How long are raw readings kept?"


def test_after_one_complete_visit_the_server_is_not_needed(site: Path, context: BrowserContext) -> None:
    """First visit online; the server is killed; reload, read the old conversation, ask, follow a citation."""
    with SiteServer(site) as server:
        watch = Watch(context, server.url)
        visit(Reader(context.new_page(), server.url, watch), server)
    assert watch.console == []
    assert watch.foreign == []


def visit(reader: Reader, server: SiteServer) -> None:
    reader.open().until_ready()
    turn = reader.ask(QUESTION)
    before = reader.footnotes(turn)
    assert before.chips
    expect(reader.page.locator("html")).to_have_attribute("data-offline", "ready", timeout=PATIENCE)
    server.kill()
    reader.page.reload()
    expect(reader.turns).to_have_count(1)
    assert reader.footnotes(reader.last_turn) == before
    reader.until_ready()
    fresh = reader.ask("How do I calibrate a gauge with two points?")
    assert reader.status(fresh) == "done"
    assert any("/calibration/" in chip for chip in reader.footnotes(fresh).chips)
    dialog = reader.open_passage(fresh.locator("button.cite").first)
    expect(dialog.locator("mark").first).to_be_visible()
