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

FOCUS = """() => {
    const element = document.activeElement;
    const outlined = element.id === 'question' ? element.closest('form') : element;
    const { outlineWidth, outlineStyle } = getComputedStyle(outlined);
    const place = [...document.querySelectorAll('*')].indexOf(element);
    return [`${place} ${element.outerHTML.slice(0, 80)}`,
        element === document.body ? 'page' : `${outlineWidth} ${outlineStyle}`];
}"""
"""What has the focus, and the outline that shows it; past the last element it is the page itself."""


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
        """axe.run(document).then(({ violations }) =>
            violations.map(({ id, nodes }) => ({ id, at: nodes.map(({ html }) => html) })))"""
    )
    return [f"{v['id']}: {v['at']}" for v in found]


def next_focus(reader: Reader) -> list[str]:
    """Presses Tab; the element that has the focus then, and its outline."""
    reader.page.keyboard.press("Tab")
    found: list[str] = reader.page.evaluate(FOCUS)
    return found


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


def test_the_focus_is_always_visible(reader: Reader) -> None:
    """Whatever Tab reaches has an outline of 2 px, on itself or, for the question box, around it."""
    reader.ask(QUESTION)
    seen: list[str] = []
    while (found := next_focus(reader))[0] not in seen:
        seen.append(found[0])
        assert found[1] in ("2px solid", "page"), found[0]
    assert len(seen) >= 10


def test_forced_colours_leave_every_number_a_border(reader: Reader) -> None:
    """Where the system's own colours take the wash behind a number away, a border holds its place."""
    reader.page.emulate_media(forced_colors="active")
    turn = reader.ask(QUESTION)
    numbers = [*turn.locator("button.cite span").all(), *turn.locator(".source-chip .number").all()]
    assert numbers
    for number in numbers:
        assert number.evaluate("(element) => getComputedStyle(element).borderTopStyle") == "solid"


@pytest.mark.parametrize("width", [320, 390, 1280])
def test_the_page_never_scrolls_sideways(reader: Reader, width: int) -> None:
    reader.page.set_viewport_size({"width": width, "height": 700})
    reader.ask("Install from the package index with pipx install tidewatch")
    assert reader.page.evaluate("document.documentElement.scrollWidth - innerWidth") <= 0
