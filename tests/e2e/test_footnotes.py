"""What earns a citation and what is only nearby, on a small documentation, in the browser (SPEC 3.1, 4.9)."""

from __future__ import annotations

import pytest
from playwright.sync_api import expect

from reader import Reader
from scripted_endpoint import ScriptedEndpoint

ONE_PAGE_ONLY = "How far does the LoRa radio link reach?"
NOT_COVERED = "What is the best pizza topping in Naples?"

CONTRAST = """(element) => {
    const rgb = (text) => text.match(/[\\d.]+/g).map(Number);
    const light = ([r, g, b]) => {
        const linear = (v) => (v <= 0.04045 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4);
        const [x, y, z] = [r, g, b].map((v) => linear(v / 255));
        return 0.2126 * x + 0.7152 * y + 0.0722 * z;
    };
    let behind = element;
    while (rgb(getComputedStyle(behind).backgroundColor)[3] === 0) behind = behind.parentElement;
    const a = light(rgb(getComputedStyle(element).color));
    const b = light(rgb(getComputedStyle(behind).backgroundColor));
    return (Math.max(a, b) + 0.05) / (Math.min(a, b) + 0.05);
}"""
"""The contrast of an element's text with what is behind it (WCAG 2.2, 1.4.3)."""


def test_a_subject_that_one_page_alone_touches_gets_exactly_one_chip(reader: Reader) -> None:
    turn = reader.ask(ONE_PAGE_ONLY)
    footnotes = reader.footnotes(turn)
    assert [chip.split("#")[0] for chip in footnotes.chips] == ["https://tidewatch.example/radio/"]
    assert turn.locator(".answer button.cite").count() > 0


def test_a_deflected_turn_cites_nothing(reader: Reader) -> None:
    """No chip, at most two nearby pages, none of them of class ``source-chip``, and the label."""
    turn = reader.ask(NOT_COVERED)
    assert reader.status(turn) == "deflected"
    footnotes = reader.footnotes(turn)
    assert footnotes.chips == []
    assert len(footnotes.nearby) <= 2
    assert turn.locator(".source-chip").count() == 0
    assert turn.locator(".related-doc.source-chip").count() == 0
    assert footnotes.label == "No sources cited"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_the_related_row_is_quiet_but_readable(reader: Reader, scheme: str) -> None:
    """Its text has a contrast of at least 4.5:1 in both themes; it opens the passage as chips do."""
    reader.page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    turn = reader.ask(NOT_COVERED)
    row = turn.locator(".msg-meta.related-docs")
    expect(row).to_contain_text("Nearby docs, in case:")
    for element in [row, *row.locator(".related-doc").all()]:
        assert element.evaluate(CONTRAST) >= 4.5
    link = row.locator(".related-doc").first
    href = link.get_attribute("href")
    dialog = reader.open_passage(link)
    assert (dialog.get_by_role("link", name="Open page").get_attribute("href") or "").startswith(href or "?")


def test_a_page_that_the_model_read_is_cited_however_weak(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(("search_docs", {"query": NOT_COVERED}), ("read_page", {"path": "radio.md"}))
    endpoint.text("Hold the button on both boards [1].")
    footnotes = reader.footnotes(reader.ask(NOT_COVERED))
    assert [chip.split("#")[0] for chip in footnotes.chips] == ["https://tidewatch.example/radio/"]
    assert not any("/radio/" in page for page in footnotes.nearby)


def test_marks_light_up_their_footnote_and_open_the_sentence(reader: Reader) -> None:
    """An extractive answer's mark opens its passage with exactly the quoted sentence highlighted."""
    turn = reader.ask(ONE_PAGE_ONLY)
    mark = turn.locator(".answer button.cite").first
    dialog = reader.open_passage(mark)
    highlighted = dialog.locator("mark")
    expect(highlighted.first).to_be_visible()
    words = " ".join(highlighted.all_inner_texts())
    assert words.split()[0] in turn.locator(".answer").inner_text()
    reader.close_passage()
    expect(mark).to_be_focused()


def test_a_record_without_related_still_opens(reader: Reader) -> None:
    """Fields that older records lack take their default."""
    reader.ask(ONE_PAGE_ONLY)
    drop_related(reader)
    reader.page.reload()
    reader.until_ready()
    expect(reader.turns).to_have_count(1)
    assert reader.footnotes(reader.last_turn).nearby == []
    assert len(reader.footnotes(reader.last_turn).chips) == 1


def drop_related(reader: Reader) -> None:
    reader.page.evaluate(
        """async () => {
            const { name } = (await indexedDB.databases()).find((d) => d.name.startsWith('ibid:'));
            const db = await new Promise((done) => {
                const request = indexedDB.open(name);
                request.onsuccess = () => done(request.result);
            });
            const work = db.transaction('turns', 'readwrite');
            const turns = work.objectStore('turns');
            const all = await new Promise((done) => {
                const request = turns.getAll();
                request.onsuccess = () => done(request.result);
            });
            for (const turn of all) { delete turn.related; turns.put(turn); }
            await new Promise((done) => { work.oncomplete = done; });
            db.close();
        }"""
    )
