"""A reader of the page: does what a person does, reads what a person sees (SPEC 8's roles and classes)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Locator, Page, expect

from watch import Watch

PATIENCE = 30_000
"""Milliseconds to wait for a state before the test fails; the first boot on a busy machine takes seconds."""

_TERMINAL = ["done", "deflected", "stopped", "failed"]


@dataclass(frozen=True)
class Footnotes:
    """What stands under an answer."""

    chips: list[str]
    numbers: list[list[int]]
    nearby: list[str]
    label: str | None


class Reader:
    """Drives one browser page."""

    def __init__(self, page: Page, url: str, watch: Watch) -> None:
        self.page = page
        self.url = url
        self.watch = watch

    def open(self, path: str = "") -> Reader:
        self.page.goto(self.url + path)
        return self

    def until_ready(self) -> Reader:
        expect(self.page.locator("html")).to_have_attribute("data-ibid", "ready", timeout=PATIENCE)
        return self

    def choose_endpoint(
        self, base_url: str, model: str = "scripted", key: str = "", remember: bool = False
    ) -> None:
        self.watch.allow(base_url)
        self.page.get_by_role("button", name="Settings", exact=True).first.click()
        self.page.get_by_label("Base URL").fill(base_url)
        self.page.get_by_label("Model", exact=True).fill(model)
        self.page.get_by_label("API key").fill(key)
        if remember:
            self.page.get_by_label("Remember on this device").check()
        self.page.get_by_role("button", name="Save", exact=True).click()

    def in_new_tab(self) -> Reader:
        """The same person in a second tab of the same conversation."""
        tab = Reader(self.page.context.new_page(), self.url, self.watch)
        tab.page.goto(self.page.url)
        return tab.until_ready()

    def type_question(self, question: str) -> None:
        box = self.page.get_by_role("textbox", name="Ask a question")
        box.fill(question)
        box.press("Enter")

    def ask(self, question: str, patience: int = PATIENCE) -> Locator:
        """Asks and waits until the new turn has ended; returns its article."""
        before = self.turns.count()
        self.type_question(question)
        turn = self.turns.nth(before)
        self.until_ended(turn, patience)
        return turn

    @property
    def turns(self) -> Locator:
        return self.page.locator("article.turn")

    @property
    def last_turn(self) -> Locator:
        return self.turns.last

    def until_ended(self, turn: Locator, patience: int = PATIENCE) -> None:
        ended = ", ".join(f'[data-status="{status}"]' for status in _TERMINAL)
        expect(turn.and_(self.page.locator(ended))).to_have_count(1, timeout=patience)

    def status(self, turn: Locator) -> str | None:
        return turn.get_attribute("data-status")

    def footnotes(self, turn: Locator) -> Footnotes:
        chips = turn.locator("a.source-chip")
        label = turn.locator(".no-sources")
        return Footnotes(
            chips=[chip.get_attribute("href") or "" for chip in chips.all()],
            numbers=[
                [int(n) for n in chip.locator(".chip-numbers").inner_text().replace(",", " ").split()]
                if chip.locator(".chip-numbers").count()
                else []
                for chip in chips.all()
            ],
            nearby=[
                a.get_attribute("href") or ""
                for a in turn.locator(".msg-meta.related-docs .related-doc").all()
            ],
            label=label.inner_text() if label.count() and label.is_visible() else None,
        )

    def marks(self, turn: Locator) -> list[tuple[int, bool]]:
        """(number, resolved) of each mark in the answer, in reading order."""
        return [
            (
                int(mark.get_attribute("data-n") or 0),
                "cite-unresolved" not in (mark.get_attribute("class") or ""),
            )
            for mark in turn.locator(".answer button.cite").all()
        ]

    def open_passage(self, opener: Locator) -> Locator:
        opener.click()
        dialog = self.page.locator("dialog.passage[open]")
        expect(dialog).to_be_visible(timeout=PATIENCE)
        return dialog

    def close_passage(self) -> None:
        self.page.keyboard.press("Escape")
        expect(self.page.locator("dialog.passage[open]")).to_have_count(0)

    def until_stored(self, text: str) -> None:
        """Waits until the answer of some turn, finished or not, holds this text in the store."""
        for _ in range(PATIENCE // 100):
            if any(text in turn["answer"] for turn in self.stored()):
                return
            self.page.wait_for_timeout(100)
        raise AssertionError(f"{text!r} did not reach the store")

    def stored(self, store: str = "turns") -> list[dict[str, Any]]:
        """All records of one IndexedDB store of the page's own database."""
        records: list[dict[str, Any]] = self.page.evaluate(
            """async (store) => {
                const databases = await indexedDB.databases();
                const names = databases.map((d) => d.name).filter((n) => n.startsWith('ibid:'));
                const all = [];
                for (const name of names) {
                    const db = await new Promise((done, fail) => {
                        const request = indexedDB.open(name);
                        request.onsuccess = () => done(request.result);
                        request.onerror = () => fail(request.error);
                    });
                    all.push(...await new Promise((done, fail) => {
                        const request = db.transaction(store).objectStore(store).getAll();
                        request.onsuccess = () => done(request.result);
                        request.onerror = () => fail(request.error);
                    }));
                    db.close();
                }
                return all;
            }""",
            store,
        )
        return records
