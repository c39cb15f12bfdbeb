"""The page inside another site's page, by one script tag (SPEC 6b): a frame, in a dialog, behind a button."""

from __future__ import annotations

from collections.abc import Iterator
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import BrowserContext, Locator, Playwright, expect

from chromium import PlainChromium
from host_site import HostSite
from reader import Reader
from site_server import SiteServer
from watch import Watch

QUESTION = "How long are raw readings kept?"
LARGEST_SCRIPT = 8_000
"""Bytes that a host page loads before anyone clicks."""

HOSTILE_STYLES = """
html { font-size: 10px; color-scheme: dark }
* { box-sizing: content-box !important; font-size: 30px !important; letter-spacing: 4px }
button, input, iframe, dialog { display: none !important }
header { position: fixed; inset: 0 0 auto 0; height: 60px; z-index: 2147483000 }
"""

COUNT_KEYS = (
    "<script>window.keys = []; document.addEventListener('keydown', (e) => keys.push(e.key))</script>"
)

FOREIGN = """<script>
window.replies = [];
addEventListener('message', (event) => replies.push(event.data));
const messages = [{ type: 'ibid:close' }, { type: 'ibid:ready' }, { type: 'ask', text: 'hi' },
    { type: 'config', baseUrl: 'https://x.evil.example' }, { type: 'height', value: 1e9 },
    JSON.parse('{"__proto__": {"type": "ibid:close"}}'), null];
for (const message of messages) parent.postMessage(message, '*');
parent.postMessage('the last one', '*');
</script>"""


class Host:
    """A page of another site, with the script tag in it."""

    def __init__(self, context: BrowserContext, site: HostSite, app: str, watch: Watch) -> None:
        self.page = context.new_page()
        self.page.set_viewport_size({"width": 1280, "height": 800})
        self.watch = watch
        self.app = app
        self.fetched: list[str] = []
        self._site = site
        watch.allow(site.url)
        self.page.on("request", lambda request: self.fetched.append(request.url))

    def show(self, attributes: str = "", head: str = "", body: str = "") -> Host:
        """Opens the page; ``attributes`` are the script tag's."""
        script = f'<script src="{self.app}embed.js" defer {attributes}></script>'
        self._site.pages[""] = (
            f'<!doctype html><html lang="en"><title>Tide tables</title><link rel="icon" href="data:,">{head}'
            f'{script}<header>Site</header><p style="margin-top:80px"><a href="#x" id="probe">link</a>'
            f'<input id="search" aria-label="Search"></p>{body}</html>'
        )
        self.page.goto(self._site.url)
        return self

    @property
    def from_app(self) -> list[str]:
        """Paths that were asked of the app's origin."""
        return [url.removeprefix(self.app) for url in self.fetched if url.startswith(self.app)]

    @property
    def ask(self) -> Locator:
        return self.page.locator("ibid-ask").get_by_role("button", name="Ask", exact=True)

    @property
    def dialog(self) -> Locator:
        return self.page.locator("ibid-ask dialog[open]")

    @property
    def frames(self) -> Locator:
        return self.page.locator("ibid-ask iframe")

    def open(self) -> Reader:
        self.ask.click()
        return self.reader()

    def reader(self) -> Reader:
        """A reader of what is in the frame, once it is ready."""
        frame = self.frames.element_handle().content_frame()
        assert frame is not None
        return Reader(frame, self.app, self.watch).until_ready()  # type: ignore[arg-type]

    def owner_of(self, x: float, y: float) -> str:
        """The name of the element at a point of the window."""
        name: str = self.page.evaluate("([x, y]) => document.elementFromPoint(x, y).localName", [x, y])
        return name


@pytest.fixture
def host_site() -> Iterator[HostSite]:
    with HostSite() as running:
        yield running


@pytest.fixture
def host(context: BrowserContext, host_site: HostSite, server: SiteServer, watch: Watch) -> Host:
    """In Playwright's own Chromium, which denies storage to third-party frames."""
    return Host(context, host_site, server.url, watch)


@pytest.fixture
def plain_host(playwright_driver: Playwright, host_site: HostSite, server: SiteServer) -> Iterator[Host]:
    """In Chromium as readers have it: a frame's storage is its own for each embedding site."""
    with PlainChromium() as chromium:
        browser = playwright_driver.chromium.connect_over_cdp(chromium.address)
        [context] = browser.contexts
        watch = Watch(context, server.url)
        yield Host(context, host_site, server.url, watch)
        assert watch.console == []
        assert watch.foreign == []
        browser.close()


def box(host: Host) -> dict[str, float]:
    """Where the button stands, and how large it is."""
    found = host.ask.bounding_box()
    assert found is not None
    return dict(found)


def test_before_a_click_there_is_a_button_and_a_small_script(host: Host) -> None:
    """No frame, nothing but embed.js asked of the app, and that is at most 8 kB."""
    with host.page.expect_response("**/embed.js") as script:
        host.show()
    expect(host.ask).to_be_visible()
    host.page.wait_for_load_state("networkidle")
    assert host.frames.count() == 0
    assert host.from_app == ["embed.js"]
    assert len(script.value.body()) <= LARGEST_SCRIPT


def test_a_click_opens_a_frame_that_answers_and_keeps_its_conversations(plain_host: Host) -> None:
    """The chip leads to the host page's tab; a reload of the host page shows the conversation again."""
    host = plain_host.show()
    frame = host.open()
    expect(host.dialog).to_be_visible()
    turn = frame.ask(QUESTION)
    footnotes = frame.footnotes(turn)
    assert [urlsplit(chip).path for chip in footnotes.chips] == ["/retention/"]
    assert turn.locator("a.source-chip").first.get_attribute("target") == "_top"
    expect(frame.page.locator(".not-kept")).to_have_count(0)
    host.page.reload()
    again = host.open()
    expect(again.turns).to_have_count(1)
    assert again.footnotes(again.last_turn) == footnotes
    assert again.status(again.last_turn) == "done"


def test_the_frame_of_another_site_has_conversations_of_its_own(plain_host: Host, server: SiteServer) -> None:
    """Storage is partitioned by the embedding site: what was asked there is not on the app's own page."""
    plain_host.show().open().ask(QUESTION)
    own = Reader(plain_host.page.context.new_page(), server.url, plain_host.watch).open().until_ready()
    expect(own.turns).to_have_count(0)
    assert own.stored("conversations") == []


def test_without_storage_it_answers_and_says_what_is_not_kept(host: Host) -> None:
    frame = host.show().open()
    expect(frame.page.locator(".not-kept")).to_have_text(
        "Conversations are not kept on this device: the browser allows this page no storage."
    )
    expect(frame.page.get_by_text("Not kept for offline use.")).to_be_visible()
    turn = frame.ask(QUESTION)
    assert frame.status(turn) == "done"
    assert frame.footnotes(turn).chips


def test_the_host_page_may_prefill_the_box_and_never_sends(host: Host) -> None:
    """``window.ibid.open({question})``, before the frame is there and after."""
    host.show()
    expect(host.ask).to_be_visible()
    for question in ("Where are alerts sent?", QUESTION):
        host.page.evaluate("(question) => window.ibid.open({ question })", question)
        frame = host.reader()
        expect(frame.page.get_by_role("textbox", name="Ask a question")).to_have_value(question)
        expect(frame.turns).to_have_count(0)


def test_the_styles_of_the_host_do_not_reach_in(host: Host) -> None:
    """The button's place and size are those on a page without styles; the dialog lies above the header."""
    plain = box(host.show())
    host.show(head=f"<style>{HOSTILE_STYLES}</style>")
    assert box(host) == plain
    frame = host.open()
    expect(frame.page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    link = host.dialog.get_by_role("link", name="Open in a tab")
    assert link.evaluate("(link) => getComputedStyle(link).letterSpacing") == "normal"
    dialog = host.dialog.bounding_box()
    assert dialog is not None
    assert dialog["y"] < 60
    assert host.owner_of(dialog["x"] + 20, 50) == "ibid-ask"
    assert host.owner_of(20, 50) == "header"


def test_only_the_button_covers_the_host_page(host: Host) -> None:
    """Closed, before and after it was open, every other point of the window is the host's."""
    host.show()
    for _ in range(2):
        button = box(host)
        inside = (button["x"] + button["width"] / 2, button["y"] + button["height"] / 2)
        assert host.owner_of(*inside) == "ibid-ask"
        for x in range(8, 1280, 24):
            for y in range(8, 800, 24):
                is_button = (
                    button["x"] <= x <= button["x"] + button["width"]
                    and button["y"] <= y <= button["y"] + button["height"]
                )
                assert is_button or host.owner_of(x, y) != "ibid-ask", (x, y)
        host.open()
        host.dialog.get_by_role("button", name="Close").click()
        expect(host.dialog).to_have_count(0)


def test_messages_of_a_foreign_frame_are_ignored(host: Host, host_site: HostSite) -> None:
    """They neither close the dialog nor get a reply."""
    host_site.pages["foreign"] = FOREIGN
    host.watch.allow(host_site.other_url)
    host.show()
    host.open()
    heard = """(address) => new Promise((done) => {
        addEventListener('message', ({ data }) => data === 'the last one' && done());
        const frame = document.createElement('iframe');
        document.body.append(Object.assign(frame, { src: address, name: 'foreign' }));
    })"""
    host.page.evaluate(heard, f"{host_site.other_url}foreign")
    expect(host.dialog).to_be_visible()
    foreign = host.page.frame(name="foreign")
    assert foreign is not None
    assert foreign.evaluate("window.replies") == []


def test_messages_of_the_host_page_set_nothing_and_send_nothing(host: Host) -> None:
    """Unknown types, wrong shapes and settings are passed over; a prefill after them still arrives."""
    frame = host.show().open()
    host.page.evaluate(
        """(question) => {
            const { contentWindow } = document.querySelector('ibid-ask').shadowRoot.querySelector('iframe');
            const messages = [{ type: 'ask', text: question }, { type: 'ibid:ask', question },
                { type: 'config', baseUrl: 'https://x.evil.example' }, { type: '__proto__' }, 'ibid:prefill',
                null, { type: 'ibid:prefill', question: { length: 3 } }, { type: 'ibid:prefill', question }];
            for (const message of messages) contentWindow.postMessage(message, '*');
        }""",
        QUESTION,
    )
    expect(frame.page.get_by_role("textbox", name="Ask a question")).to_have_value(QUESTION)
    expect(frame.turns).to_have_count(0)
    frame.page.get_by_role("button", name="Settings", exact=True).first.click()
    expect(frame.page.get_by_label("Base URL")).to_have_value("")


def test_a_key_in_the_script_tag_is_ignored_and_not_repeated(host: Host) -> None:
    """There are no attributes for endpoint and key; the warning names the attribute, not its value."""
    host.watch.expected.append("Ibid ignores data-")
    warnings: list[str] = []
    host.page.on("console", lambda message: warnings.append(message.text))
    host.show('data-api-key="sk-sample-0000SECRET0000" data-base-url="https://llm.example/v1"')
    frame = host.open()
    assert [line.split(":")[0] for line in warnings] == [
        "Ibid ignores data-api-key",
        "Ibid ignores data-base-url",
    ]
    assert not any("SECRET" in line or "llm.example" in line for line in [*warnings, *host.fetched])
    frame.page.get_by_role("button", name="Settings", exact=True).first.click()
    expect(frame.page.get_by_label("Base URL")).to_have_value("")


def test_escape_closes_what_lies_on_top(host: Host) -> None:
    """First the passage inside the frame, then the dialog; the focus is then on the button."""
    frame = host.show().open()
    turn = frame.ask(QUESTION)
    passage = frame.open_passage(turn.locator("button.cite").first)
    host.page.keyboard.press("Escape")
    expect(passage).to_have_count(0)
    expect(host.dialog).to_be_visible()
    host.page.keyboard.press("Escape")
    expect(host.dialog).to_have_count(0)
    expect(host.ask).to_be_focused()
    host.ask.press("Enter")
    host.dialog.get_by_role("button", name="Close").press("Escape")
    expect(host.dialog).to_have_count(0)


def test_keys_pressed_inside_do_not_reach_the_hotkeys_of_the_host(host: Host) -> None:
    """Neither those typed in the frame, nor those on the button and the dialog's own buttons."""
    frame = host.show(head=COUNT_KEYS).open()
    frame.page.get_by_role("textbox", name="Ask a question").press("s")
    host.dialog.get_by_role("button", name="Close").press("s")
    host.ask.press("s")
    assert host.page.evaluate("window.keys") == []
    host.page.locator("#search").press("k")
    assert host.page.evaluate("window.keys") == ["k"]


def test_a_key_of_the_host_s_choice_opens_it(host: Host) -> None:
    """``data-open-key``; never while something is being typed."""
    host.show('data-open-key="/"')
    host.page.locator("#search").press("/")
    expect(host.page.locator("#search")).to_have_value("/")
    expect(host.dialog).to_have_count(0)
    host.page.locator("#probe").press("/")
    expect(host.dialog).to_be_visible()


@pytest.mark.parametrize(("theme", "scheme"), [("dark", "dark"), ("light", "light"), ("auto", "light dark")])
def test_the_theme_of_the_script_tag_is_the_frame_s(host: Host, theme: str, scheme: str) -> None:
    frame = host.show(f'data-theme="{theme}" data-label="Ask"').open()
    assert frame.page.locator("html").evaluate("(root) => getComputedStyle(root).colorScheme") == scheme
