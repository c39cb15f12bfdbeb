"""axe-core finds nothing, the keyboard does everything, 320 px lose nothing (LOOK, "Checks")."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import expect

from reader import Reader
from scripted_endpoint import ScriptedEndpoint

AXE = (Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js").read_text(encoding="utf-8")
QUESTION = "How far does the LoRa radio link reach?"


def violations(reader: Reader) -> list[str]:
    """What axe-core finds, in words; it runs in an isolated world, past the page's CSP."""
    cdp = reader.page.context.new_cdp_session(reader.page)
    tree = cdp.send("Page.getFrameTree")["frameTree"]["frame"]["id"]
    world = cdp.send("Page.createIsolatedWorld", {"frameId": tree, "worldName": "axe"})["executionContextId"]

    def run(expression: str) -> Any:
        result = cdp.send(
            "Runtime.evaluate",
            {"expression": expression, "contextId": world, "awaitPromise": True, "returnByValue": True},
        )
        assert "exceptionDetails" not in result, result
        return result["result"].get("value")

    run(AXE + "; 0")
    found = run(
        "axe.run(document).then((r) => r.violations.map(({ id, nodes }) => ({ id, at: nodes.map((n) => n.html) })))"
    )
    return [f"{v['id']}: {v['at']}" for v in found]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_axe_finds_nothing(reader: Reader, endpoint: ScriptedEndpoint, scheme: str) -> None:
    """Empty, answered, passage open, deflected, error and settings, in both themes."""
    reader.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    assert violations(reader) == []
    turn = reader.ask(QUESTION)
    assert violations(reader) == []
    reader.open_passage(turn.locator("button.cite").first)
    assert violations(reader) == []
    reader.close_passage()
    reader.ask("What is the best pizza topping in Naples?")
    assert violations(reader) == []
    reader.choose_endpoint(endpoint.base_url)
    endpoint.refuse(401, "Invalid API key")
    reader.ask(QUESTION)
    assert violations(reader) == []
    reader.page.get_by_role("button", name="Settings", exact=True).first.click()
    assert violations(reader) == []


def test_the_keyboard_does_everything(reader: Reader) -> None:
    """Ask, reach the first mark, open its passage, come back to the mark."""
    page = reader.page
    page.get_by_role("textbox", name="Ask a question").focus()
    page.keyboard.type(QUESTION)
    page.keyboard.press("Enter")
    reader.until_ended(reader.last_turn)
    mark = reader.last_turn.locator("button.cite").first
    for _ in range(60):
        page.keyboard.press("Shift+Tab")
        if mark.evaluate("(element) => element === document.activeElement"):
            break
    expect(mark).to_be_focused()
    page.keyboard.press("Enter")
    expect(page.locator("dialog.passage[open]")).to_be_visible()
    page.keyboard.press("Escape")
    expect(mark).to_be_focused()


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(reader: Reader, width: int) -> None:
    reader.page.set_viewport_size({"width": width, "height": 700})
    reader.ask("Install from the package index with pipx install tidewatch")
    assert reader.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
