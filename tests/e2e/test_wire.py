"""The worker and a real socket: errors, Stop, what is kept (SPEC 4.10, 4.11)."""

from __future__ import annotations

import os
import signal

import pytest
from playwright.sync_api import expect

from reader import PATIENCE, Reader
from scripted_endpoint import Reply, ScriptedEndpoint

QUESTION = "How long are raw readings kept?"
SEARCH = ("search_docs", {"query": QUESTION})

REFUSALS = [
    (401, "Invalid API key", "unauthorized"),
    (402, "Insufficient balance", "out_of_credit"),
    (429, "You exceeded your current quota, please check your plan and billing details", "out_of_credit"),
    (429, "Slow down", "rate_limited"),
    (404, "The model `m` does not exist", "rejected"),
    (503, "Overloaded", "unavailable"),
]


@pytest.mark.parametrize(("status", "words", "code"), REFUSALS)
def test_each_refusal_has_its_code_and_offers_a_way_on(
    reader: Reader, endpoint: ScriptedEndpoint, status: int, words: str, code: str
) -> None:
    """The question stays, Retry and the passages are offered, and nothing is asked again by itself."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.refuse(status, words)
    turn = reader.ask(QUESTION)
    assert reader.status(turn) == "failed"
    expect(turn.locator(f'.turn-error[data-code="{code}"]')).to_be_visible()
    expect(turn.locator(".question")).to_have_text(QUESTION)
    assert len(endpoint.requests) == 1
    turn.get_by_role("button", name="Show passages instead").click()
    expect(reader.last_turn).to_have_attribute("data-mode", "extractive", timeout=PATIENCE)
    reader.until_ended(reader.last_turn)
    assert len(reader.footnotes(reader.last_turn).chips) >= 1


def test_retry_answers_the_same_question_in_place(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    reader.choose_endpoint(endpoint.base_url)
    endpoint.refuse(503, "Overloaded")
    turn = reader.ask(QUESTION)
    endpoint.calls(SEARCH)
    endpoint.text("Ninety days [1].")
    turn.get_by_role("button", name="Retry").click()
    expect(reader.last_turn).to_have_attribute("data-status", "done", timeout=PATIENCE)
    expect(reader.turns).to_have_count(1)
    expect(reader.last_turn.locator(".turn-error")).to_have_count(0)


def test_stop_reaches_the_server_and_keeps_the_text(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(SEARCH)
    hold = endpoint.hold("Ninety days [1]. ", "After that ")
    reader.type_question(QUESTION)
    expect(reader.last_turn.locator(".answer")).to_contain_text("After that", timeout=PATIENCE)
    assert hold.reached.is_set()
    reader.page.get_by_role("button", name="Stop", exact=True).click()
    reader.until_ended(reader.last_turn)
    assert reader.status(reader.last_turn) == "stopped"
    assert endpoint.requests[-1].disconnected.wait(10)
    expect(reader.last_turn.locator(".answer")).to_contain_text("Ninety days")
    assert [1] in reader.footnotes(reader.last_turn).numbers


def test_a_stream_that_ends_early_is_marked_as_cut(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """No finish reason and no [DONE]: failed, with the text so far, also after a reload."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(SEARCH)
    endpoint.cut("Ninety days [1]")
    turn = reader.ask(QUESTION)
    for _ in range(2):
        assert reader.status(reader.last_turn) == "failed"
        expect(reader.last_turn.locator('.turn-error[data-code="interrupted"]')).to_be_visible()
        expect(turn.locator(".answer")).to_contain_text("Ninety days")
        reader.page.reload()
        reader.until_ready()


def test_an_address_that_answers_with_a_web_page_says_so(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    reader.choose_endpoint(endpoint.base_url)
    page = b"<!doctype html><title>Sign in</title><script>document.title = 'taken'</script>"
    endpoint.play(Reply((page,), 200, {"Content-Type": "text/html"}))
    turn = reader.ask(QUESTION)
    expect(turn.locator(".turn-error")).to_contain_text("web page")
    assert "taken" not in reader.page.title()


def test_a_second_tab_is_refused_while_the_first_answers(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """One answer at a time in a conversation: ``answer_running``; the running one is not disturbed."""
    reader.choose_endpoint(endpoint.base_url)
    endpoint.calls(SEARCH)
    endpoint.text("Ninety days [1].")
    reader.ask(QUESTION)
    other = reader.in_new_tab()
    expect(other.turns).to_have_count(1)
    endpoint.calls(SEARCH)
    hold = endpoint.hold("Hourly means ")
    reader.type_question("And then?")
    expect(reader.last_turn.locator(".answer")).to_contain_text("Hourly means", timeout=PATIENCE)
    other.type_question("Me too")
    expect(other.page.locator('[data-code="answer_running"]')).to_be_visible(timeout=PATIENCE)
    hold.release()
    expect(reader.last_turn).to_have_attribute("data-status", "done", timeout=PATIENCE)
    expect(other.page.locator("article.turn", has_text="And then?")).to_have_attribute(
        "data-status", "done", timeout=PATIENCE
    )


def test_a_tab_killed_in_mid_stream_reopens_with_its_text(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """The turn reloads as failed with ``interrupted``, the text that came is there, and Retry answers it."""
    reader.choose_endpoint(endpoint.base_url, remember=True)
    endpoint.calls(SEARCH)
    endpoint.hold("Ninety days [1]. ", "After that ")
    reader.type_question(QUESTION)
    expect(reader.last_turn.locator(".answer")).to_contain_text("After that", timeout=PATIENCE)
    reader.until_stored("After that")
    crash(reader)
    again = reader.in_new_tab()
    expect(again.last_turn).to_have_attribute("data-status", "failed")
    expect(again.last_turn.locator('.turn-error[data-code="interrupted"]')).to_be_visible()
    expect(again.last_turn.locator(".answer")).to_contain_text("Ninety days")
    endpoint.calls(SEARCH)
    endpoint.text("Ninety days [1].")
    again.last_turn.get_by_role("button", name="Retry").click()
    expect(again.last_turn).to_have_attribute("data-status", "done", timeout=PATIENCE)


def crash(reader: Reader) -> None:
    """Kills the processes that run pages and workers: no unload handler runs."""
    browser = reader.page.context.browser
    assert browser is not None
    processes = browser.new_browser_cdp_session().send("SystemInfo.getProcessInfo")["processInfo"]
    with reader.page.expect_event("crash"):
        for process in processes:
            if process["type"] == "renderer":
                os.kill(process["id"], signal.SIGKILL)


def test_a_question_typed_before_python_is_ready_is_answered_then(fresh_reader: Reader) -> None:
    fresh_reader.open()
    expect(fresh_reader.page.get_by_role("textbox", name="Ask a question")).to_be_visible()
    fresh_reader.type_question(QUESTION)
    fresh_reader.until_ready()
    fresh_reader.until_ended(fresh_reader.last_turn)
    assert fresh_reader.status(fresh_reader.last_turn) == "done"


def test_wrong_and_right_key_in_test_connection(reader: Reader, endpoint: ScriptedEndpoint) -> None:
    """The key goes to its endpoint only, as a header only, and is in no stored record."""
    endpoint.key = "sk-test-5f2a"
    reader.choose_endpoint(endpoint.base_url, key="sk-test-5f2a")
    endpoint.calls(SEARCH)
    endpoint.text("Ninety days [1].")
    reader.ask(QUESTION)
    assert {r.headers.get("authorization") for r in endpoint.requests} == {"Bearer sk-test-5f2a"}
    assert "sk-test-5f2a" not in str(reader.stored("turns")) + str(reader.stored("query_log"))
    assert "sk-test-5f2a" not in str(reader.stored("settings"))
