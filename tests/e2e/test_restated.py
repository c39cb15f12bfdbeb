"""An answer that only restates the last one keeps its sources: live, and after a reload (SPEC 4.7)."""

from __future__ import annotations

import pytest
from playwright.sync_api import Locator, expect

from reader import Footnotes, Reader
from scripted_endpoint import ScriptedEndpoint

READ = ("read_page", {"path": "retention.md"})
RESTATE = ("no_evidence_needed", {"reason": "restates the last answer"})
FIRST = "Raw readings are kept for ninety days [1]."
ONE_SOURCE = [[1]]


@pytest.fixture
def answered(reader: Reader, endpoint: ScriptedEndpoint) -> Reader:
    """A conversation whose first turn read one page and cites its first passage."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(READ)
    endpoint.text(FIRST)
    first = reader.ask("How long are raw readings kept?")
    assert reader.footnotes(first).numbers == ONE_SOURCE
    return reader


def live_and_reloaded(reader: Reader) -> list[tuple[Footnotes, list[tuple[int, bool]]]]:
    """What the last turn shows before and after a reload."""
    live = (reader.footnotes(reader.last_turn), reader.marks(reader.last_turn))
    turns = reader.turns.count()
    reader.page.reload()
    reader.until_ready()
    expect(reader.turns).to_have_count(turns)
    return [live, (reader.footnotes(reader.last_turn), reader.marks(reader.last_turn))]


def stored_turns(reader: Reader) -> list[dict]:
    return sorted(reader.stored(), key=lambda record: record["seq"])


def passage_text(reader: Reader, opener: Locator) -> str:
    """What the dialog shows once Python has drawn it: before that it holds the record's bare words."""
    dialog = reader.open_passage(opener)
    expect(dialog).not_to_have_attribute("data-busy", "")
    text = dialog.inner_text()
    reader.close_passage()
    return text


def test_a_restatement_keeps_the_source_it_cites(answered: Reader, endpoint: ScriptedEndpoint) -> None:
    """(a) No tool but ``no_evidence_needed``, cites [1]: source 1 of the turn before, the same passage."""
    first_passage = passage_text(answered, answered.turns.first.locator("button.cite").first)
    endpoint.calls(RESTATE)
    endpoint.text("Ninety days [1].")
    answered.ask("Shorter, please")
    for footnotes, marks in live_and_reloaded(answered):
        assert footnotes.numbers == ONE_SOURCE
        assert footnotes.label is None
        assert marks == [(1, True)]
    before, after = stored_turns(answered)
    assert after["sources"] == before["sources"][:1]
    assert after["inherited_from"] == before["id"]
    assert passage_text(answered, answered.last_turn.locator("button.cite").first) == first_passage


def test_a_number_that_the_last_answer_did_not_cite_keeps_nothing(
    answered: Reader, endpoint: ScriptedEndpoint
) -> None:
    """(b) [2] was registered by the turn before but stands nowhere in its text: no sources, a muted mark."""
    endpoint.calls(RESTATE)
    endpoint.text("They are folded into hourly means [2].")
    answered.ask("And after that?")
    for footnotes, marks in live_and_reloaded(answered):
        assert footnotes == Footnotes(chips=[], numbers=[], nearby=[], label="No sources cited")
        assert marks == [(2, False)]
    assert stored_turns(answered)[-1]["sources"] == []


def test_a_search_that_finds_nothing_is_no_restatement(answered: Reader, endpoint: ScriptedEndpoint) -> None:
    """(c) The turn searched: it has only its own sources, and it found none."""
    endpoint.calls(("search_docs", {"query": "best pizza topping in Naples"}))
    endpoint.text("Ninety days [1].")
    answered.ask("Which pizza goes with that?")
    for footnotes, marks in live_and_reloaded(answered):
        assert footnotes.chips == []
        assert marks == [(1, False)]
    assert stored_turns(answered)[-1]["sources"] == []


def test_one_shot_keeps_the_source_when_asked_to_shorten(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """(d) An endpoint without tools: "make it shorter" is neither deflected nor searched into new sources."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.refuse(400, "tools are not supported")
    endpoint.refuse(400, "tools are not supported")
    endpoint.text(FIRST)
    first = reader.ask("How long are raw readings kept?")
    assert first.get_attribute("data-mode") == "one-shot"
    cited = reader.footnotes(first).numbers
    assert [1] in cited
    endpoint.text("Ninety days [1].")
    shorter = reader.ask("make it shorter")
    assert shorter.get_attribute("data-status") == "done"
    for footnotes, marks in live_and_reloaded(reader):
        assert footnotes.numbers == ONE_SOURCE
        assert marks == [(1, True)]
    before, after = stored_turns(reader)
    assert after["sources"] == before["sources"][:1]
