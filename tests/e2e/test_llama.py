"""A real llama.cpp server answers in the browser: right key, wrong key, a prompt that is too long, Stop."""

from __future__ import annotations

from playwright.sync_api import expect

from llama_server import LlamaServer
from reader import PATIENCE, Reader

QUESTION = "How long are raw readings kept?"


def test_right_key(reader: Reader, llama: LlamaServer) -> None:
    """The small model's words are not judged; the turn ends, streamed, with a mode."""
    reader.choose_endpoint(llama.base_url, model=llama.model, key=llama.key)
    turn = reader.ask(QUESTION, patience=6 * PATIENCE)
    assert reader.status(turn) in ("done", "deflected")
    assert turn.get_attribute("data-mode") in ("agent", "one-shot")
    assert turn.locator(".answer").inner_text().strip()


def test_wrong_key(reader: Reader, llama: LlamaServer) -> None:
    reader.choose_endpoint(llama.base_url, model=llama.model, key="sk-wrong")
    turn = reader.ask(QUESTION)
    expect(turn.locator('.turn-error[data-code="unauthorized"]')).to_be_visible()


def test_too_long(reader: Reader, llama: LlamaServer) -> None:
    """A question beyond the model's window is ``context_too_long``, after one try with half the history."""
    reader.choose_endpoint(llama.base_url, model=llama.model, key=llama.key)
    turn = reader.ask(QUESTION + " raw readings" * 9000)
    expect(turn.locator('.turn-error[data-code="context_too_long"]')).to_be_visible()


def test_stop_is_seen_by_the_server(reader: Reader, llama: LlamaServer) -> None:
    reader.choose_endpoint(llama.base_url, model=llama.model, key=llama.key)
    reader.type_question("Write a very long story about tides and gauges.")
    expect(reader.last_turn.locator(".answer")).not_to_be_empty(timeout=PATIENCE)
    reader.page.get_by_role("button", name="Stop", exact=True).click()
    reader.until_ended(reader.last_turn)
    assert reader.status(reader.last_turn) == "stopped"
    assert llama.idle_within(10)
