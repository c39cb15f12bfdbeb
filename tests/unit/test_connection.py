"""What "Test connection" says."""

from __future__ import annotations

import pytest

import chat_chunks as chunks
from ibid.chat_client import ChatClient
from ibid.connection import diagnose
from ibid.endpoint_memory import EndpointMemory
from ibid.models import Endpoint
from manual_clock import ManualClock
from scripted_transport import ScriptedTransport


def client(transport: ScriptedTransport, base_url: str = "https://llm.example") -> ChatClient:
    return ChatClient(transport, Endpoint(base_url, "m", "sk-1"), ManualClock(), EndpointMemory())


@pytest.mark.parametrize("reason", ["stop", "length"])
async def test_a_working_endpoint(reason: str) -> None:
    """One small streamed request; a model that thinks past the limit works too."""
    transport = ScriptedTransport()
    transport.reply_text("yes", reason=reason)
    found = await diagnose(client(transport))
    assert (found.ok, found.kind, found.message) == (True, "ok", "m at llm.example answers.")
    assert found.url == "https://llm.example/v1/chat/completions"
    assert transport.bodies[0]["max_tokens"] == 16
    assert transport.bodies[0]["stream"] is True


@pytest.mark.parametrize(
    ("status", "words", "kind"),
    [
        (401, "bad key", "key"),
        (400, "API key not valid", "key"),
        (404, "model m not found", "model"),
        (404, "Not Found", "wrong_address"),
        (307, "", "wrong_address"),
        (429, "slow down", "other"),
        (402, "no credit", "other"),
        (503, "down", "other"),
        (400, "no", "other"),
    ],
)
async def test_says_what_is_wrong(status: int, words: str, kind: str) -> None:
    """The kind, the sentence, the next step, and the address that was called."""
    transport = ScriptedTransport()
    transport.reply_status(status, words)
    found = await diagnose(client(transport))
    assert (found.ok, found.kind) == (False, kind)
    assert found.message
    assert found.next
    assert found.url


async def test_a_web_page_is_a_wrong_address() -> None:
    """The commonest mistake: the site's address in the place of its API's."""
    transport = ScriptedTransport()
    transport.reply(b"<!doctype html>", headers={"content-type": "text/html"})
    assert (await diagnose(client(transport))).kind == "wrong_address"


async def test_no_response_and_no_address() -> None:
    """Unreachable, or not even an address: then nothing was called."""
    transport = ScriptedTransport()
    transport.reply_nothing()
    assert (await diagnose(client(transport))).kind == "unreachable"
    found = await diagnose(client(transport, "llm.example"))
    assert (found.kind, found.url) == ("wrong_address", "")


async def test_a_stream_that_breaks_is_told() -> None:
    """Not every fault has a kind of its own."""
    transport = ScriptedTransport()
    transport.reply(chunks.text("y"))
    found = await diagnose(client(transport))
    assert (found.ok, found.kind) == (False, "other")
