"""The store in a real browser: two tabs, deletion, recovery, and every way in which storage fails."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from playwright.sync_api import BrowserContext, Page

from site_server import SiteServer

NAME = "ibid:/"

OpenTab = Callable[..., Page]


@pytest.fixture
def open_tab(context: BrowserContext, server: SiteServer, site: Path) -> OpenTab:
    """Opens a tab with a store and no page around it; ``double`` runs before anything else."""
    app = json.loads((site / "config.json").read_bytes())["app"]
    start = """async ([base, app]) => {
        const { openStore } = await import(`${base}${app}js/store.js`);
        const before = performance.now();
        window.store = await openStore(base);
        window.openedIn = performance.now() - before;
        window.changes = [];
        window.store.subscribe((change) => window.changes.push(change));
    }"""

    def opened(double: str = "") -> Page:
        tab = context.new_page()
        if double:
            tab.add_init_script(double)
        tab.goto(f"{server.url}config.json")
        tab.evaluate(start, [server.url, app])
        return tab

    return opened


def turn(name: str, conversation: str = "c", seq: int = 1, **fields: Any) -> dict[str, Any]:
    record = {"version": 1, "id": name, "conversation": conversation, "seq": seq, "status": "done"}
    return {**record, "question": f"Question {name}?", "answer": f"Answer {name}.", "versions": [], **fields}


def put(tab: Page, record: dict[str, Any]) -> str:
    """What the write came to: "" or the reason of its refusal."""
    return tab.evaluate("(r) => store.putTurn(r).then(() => '', (e) => e.message)", record)


def turns(tab: Page, conversation: str = "c") -> list[str]:
    return [record["id"] for record in tab.evaluate("(c) => store.turns(c)", conversation)]


def conversations(tab: Page) -> list[str]:
    return [conversation["id"] for conversation in tab.evaluate("store.conversations()")]


def changed(tab: Page, op: str) -> None:
    """Waits until the tab has heard of it."""
    tab.evaluate(
        """async (op) => {
            while (!changes.some((change) => (change?.op ?? 'kept') === op)) {
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
        }""",
        op,
    )


def test_turns_are_kept_in_order_and_conversations_by_last_use(open_tab: OpenTab) -> None:
    """The order is a counter in the store; no clock has a say. The title is the first question's."""
    tab = open_tab()
    for record in (turn("b", seq=2), turn("a", question=" How   long?\n"), turn("x", "d"), turn("c", seq=3)):
        assert put(tab, record) == ""
    assert turns(tab) == ["a", "b", "c"]
    assert conversations(tab) == ["c", "d"]
    tab.evaluate("store.renameConversation('d', 'Another name')")
    titles = tab.evaluate("store.conversations().then((all) => all.map(({ title }) => title))")
    assert titles == ["Question b?", "Another name"]
    assert tab.evaluate("store.search('another NAME').then((found) => [...found])") == ["d"]
    assert tab.evaluate("store.search('answer c.').then((found) => [...found])") == ["c"]
    assert tab.evaluate("store.search('c. nowhere').then((found) => [...found])") == []


def test_records_come_back_as_they_were_written(open_tab: OpenTab) -> None:
    """Fields of a newer version too; a turn that is written again replaces itself."""
    tab = open_tab()
    record = turn("a", blocks=[{"type": "rule"}], from_the_future={"x": [1, None]})
    put(tab, turn("a", answer="half"))
    put(tab, record)
    assert tab.evaluate("store.turns('c')") == [record]


def test_settings_are_kept_and_their_values_not_told_to_other_tabs(open_tab: OpenTab) -> None:
    """A key may be among them."""
    tab, other = open_tab(), open_tab()
    assert tab.evaluate("store.getSetting('keys').then((value) => value ?? null)") is None
    tab.evaluate("store.setSetting('keys', { 'https://a.example': 'sk-secret' })")
    changed(other, "setting")
    assert other.evaluate("changes") == [{"op": "setting", "name": "keys"}]
    assert other.evaluate("store.getSetting('keys')") == {"https://a.example": "sk-secret"}


def test_two_tabs_lose_nothing_of_each_other(open_tab: OpenTab) -> None:
    """One record a turn: what either wrote is in both, and each hears of the other's."""
    one, two = open_tab(), open_tab()
    put(one, turn("m1", seq=1))
    put(two, turn("m2", seq=2))
    put(one, turn("m3", seq=3))
    assert turns(one) == turns(two) == ["m1", "m2", "m3"]
    changed(two, "turn")
    changed(one, "turn")


def test_a_deleted_conversation_is_not_brought_back_by_a_stream(open_tab: OpenTab) -> None:
    """Deleted in one tab while the other writes into it: the write is refused and leaves nothing."""
    writing, deleting = open_tab(), open_tab()
    put(writing, turn("a", status="streaming"))
    put(writing, turn("x", "d"))
    writing.evaluate("store.logQuery({ conversation: 'c', query: 'q' })")
    deleting.evaluate("store.deleteConversation('c')")
    assert "deleted while this answer was written" in put(writing, turn("a", status="done"))
    assert conversations(writing) == ["d"]
    assert everything(writing, "turns") == [turn("x", "d")]
    assert everything(writing, "query_log") == []
    deleting.evaluate("store.deleteAll()")
    assert "deleted" in put(writing, turn("y", "d", seq=2))
    assert conversations(writing) == []


def everything(tab: Page, table: str) -> list[dict[str, Any]]:
    """What is in the database itself."""
    return tab.evaluate(
        """([name, table]) => new Promise((resolve) => {
            indexedDB.open(name).onsuccess = ({ target: { result: db } }) => {
                db.transaction(table).objectStore(table).getAll().onsuccess = ({ target }) => {
                    resolve(target.result);
                    db.close();
                };
            };
        })""",
        [NAME, table],
    )


def test_one_writer_a_conversation_across_tabs(open_tab: OpenTab) -> None:
    """The lock is refused at once elsewhere, and free again when it is released or its tab is gone."""
    one, two = open_tab(), open_tab()
    take = "store.lock('c').then((release) => { window.release = release; return release !== null; })"
    assert one.evaluate(take)
    assert not two.evaluate(take)
    assert two.evaluate(take.replace("'c'", "'d'"))
    one.evaluate("release()")
    assert two.evaluate(take)
    two.close()
    until_free(one)
    assert one.evaluate(take)


def until_free(tab: Page) -> None:
    """Waits until the browser has let go of a closed tab's locks."""
    tab.evaluate(
        """async () => {
            while ((await navigator.locks.query()).held.length > 0) {
                await new Promise((resolve) => setTimeout(resolve, 5));
            }
        }"""
    )


@pytest.mark.parametrize("status", ["pending", "streaming"])
def test_a_turn_that_nobody_writes_any_more_reads_as_interrupted(open_tab: OpenTab, status: str) -> None:
    """Its text is kept; while somebody writes it, it is left alone."""
    writing, reading = open_tab(), open_tab()
    writing.evaluate("store.lock('c')")
    put(writing, turn("a", status=status, answer="Half an", versions=[{"status": status}]))
    assert reading.evaluate("store.turns('c')")[0]["status"] == status
    writing.close()
    until_free(reading)
    [record] = reading.evaluate("store.turns('c')")
    assert (record["status"], record["error"]["code"], record["answer"]) == (
        "failed",
        "interrupted",
        "Half an",
    )
    assert record["versions"][0]["status"] == "failed"
    assert everything(reading, "turns") == [record]


NO_STORAGE = {
    "missing": "Object.defineProperty(window, 'indexedDB', { value: undefined });",
    "throws": "IDBFactory.prototype.open = () => { throw new DOMException('denied', 'SecurityError'); };",
    "fails": """IDBFactory.prototype.open = () => {
        const request = new EventTarget();
        request.error = new DOMException('no', 'InvalidStateError');
        setTimeout(() => request.dispatchEvent(new Event('error')));
        return request;
    };""",
    "hangs": "IDBFactory.prototype.open = () => new EventTarget();",
}


@pytest.mark.parametrize("double", NO_STORAGE.values(), ids=NO_STORAGE)
def test_without_storage_everything_works_in_memory(open_tab: OpenTab, double: str) -> None:
    """Within two seconds; it says that nothing is kept; tabs and worker follow each other while they live."""
    one, two = open_tab(double), open_tab(double)
    for tab in (one, two):
        assert tab.evaluate("openedIn") < 2000
        assert not tab.evaluate("store.kept")
        assert "not kept on this device" in tab.evaluate("store.keptNote")
    assert put(one, turn("a")) == ""
    changed(two, "turn")
    assert turns(two) == ["a"]
    two.evaluate("store.renameConversation('c', 'Named')")
    changed(one, "rename")
    assert one.evaluate("store.conversations()")[0]["title"] == "Named"
    one.evaluate("store.deleteConversation('c')")
    changed(two, "delete")
    assert conversations(two) == []
    assert "deleted" in put(two, turn("a"))


def test_what_a_newer_version_wrote_is_read_and_left_alone(open_tab: OpenTab) -> None:
    """After a roll-back: reading works, writing is refused with a sentence, nothing is deleted."""
    newer = open_tab()
    put(newer, turn("a"))
    newer.evaluate(
        """(name) => new Promise((resolve) => {
            const request = indexedDB.open(name, 9);
            request.onupgradeneeded = () => request.result.createObjectStore('future');
            request.onsuccess = () => { request.result.close(); resolve(); };
        })""",
        NAME,
    )
    older = open_tab()
    assert turns(older) == ["a"]
    assert not older.evaluate("store.kept")
    assert "newer version" in older.evaluate("store.keptNote")
    assert "newer version" in put(older, turn("b", seq=2))
    assert [record["id"] for record in everything(older, "turns")] == ["a"]


def test_what_was_written_in_memory_moves_to_a_database_that_opens_late(open_tab: OpenTab) -> None:
    """Another tab blocks it for longer than anyone waits, then closes."""
    blocking = open_tab()
    put(blocking, turn("old", "before"))
    blocking.evaluate(
        """(name) => new Promise((resolve) => {
            indexedDB.open(name).onsuccess = ({ target }) => {
                window.held = target.result; // It ignores versionchange.
                indexedDB.deleteDatabase(name).onblocked = resolve;
            };
        })""",
        NAME,
    )
    tab = open_tab()
    assert not tab.evaluate("store.kept")
    put(tab, turn("a"))
    tab.evaluate("store.setSetting('theme', 'dark')")
    blocking.evaluate("held.close()")
    changed(tab, "kept")
    tab.evaluate(
        "new Promise((resolve) => { (function wait() { store.kept ? resolve() : setTimeout(wait, 5); })(); })"
    )
    put(tab, turn("b", seq=2))
    assert turns(tab) == ["a", "b"]
    assert [record["id"] for record in everything(tab, "turns")] == ["a", "b"]
    assert everything(tab, "settings") == [{"name": "theme", "value": "dark"}]


def test_a_connection_closed_in_the_background_is_opened_again_once(open_tab: OpenTab) -> None:
    """The write is repeated, and is there."""
    tab = open_tab()
    put(tab, turn("a"))
    tab.evaluate(
        """() => {
            const { transaction } = IDBDatabase.prototype;
            let closed = false;
            IDBDatabase.prototype.transaction = function (...arguments_) {
                if (!closed) this.close(); // The browser's own words then: InvalidStateError.
                closed = true;
                return transaction.apply(this, arguments_);
            };
        }"""
    )
    assert put(tab, turn("b", seq=2)) == ""
    assert turns(tab) == ["a", "b"]


def test_the_query_log_forgets_the_oldest(open_tab: OpenTab) -> None:
    """Five hundred retrievals are kept."""
    tab = open_tab()
    tab.evaluate(
        """async () => {
            for (let n = 0; n < 503; n++) await store.logQuery({ conversation: 'c', query: String(n) });
        }"""
    )
    kept = [entry["query"] for entry in everything(tab, "query_log")]
    assert (len(kept), kept[0], kept[-1]) == (500, "3", "502")
