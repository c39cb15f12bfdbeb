"""The chat client against a real model server: llama.cpp's own."""

from __future__ import annotations

import asyncio
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import aclosing

import pytest

from ibid.chat_client import ChatClient, ChatRequest
from ibid.chat_stream import Completion, TextDelta
from ibid.connection import diagnose
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import ContextTooLong, CutOff, Unauthorized
from ibid.models import Endpoint
from ibid_build.http_transport import HttpTransport
from llama_server import CONTEXT_TOKENS, LlamaServer

PATIENCE = 30.0
"""Seconds that the server may take to notice something before the test fails."""


class WallClock:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


@pytest.fixture(scope="module")
def server() -> Iterator[LlamaServer]:
    with LlamaServer() as running:
        yield running


@pytest.fixture
async def transport() -> AsyncIterator[HttpTransport]:
    async with HttpTransport() as opened:
        yield opened


def client(server: LlamaServer, transport: HttpTransport, key: str | None = None) -> ChatClient:
    endpoint = Endpoint(server.base_url, server.model, server.key if key is None else key)
    return ChatClient(transport, endpoint, WallClock(), EndpointMemory())


def asking(question: str, max_tokens: int | None = 8) -> ChatRequest:
    return ChatRequest(({"role": "user", "content": question},), max_tokens=max_tokens)


async def test_streams_text_and_counts_tokens(server: LlamaServer, transport: HttpTransport) -> None:
    """With the right key an answer is streamed in several deltas, with its usage."""
    events = [event async for event in client(server, transport).stream(asking("Say hello.", 200))]
    completion = events[-1]
    assert isinstance(completion, Completion)
    assert len(events) > 2
    assert "".join(event.text for event in events[:-1] if isinstance(event, TextDelta)) == completion.text
    assert completion.complete
    assert completion.usage is not None
    assert completion.usage.completion_tokens > 0


async def test_the_length_limit_is_cut_off(server: LlamaServer, transport: HttpTransport) -> None:
    """The text up to the limit is given out, then the error."""
    got: list[object] = []

    async def collect() -> None:
        async for event in client(server, transport).stream(asking("Tell a long story.", 5)):
            got.append(event)

    with pytest.raises(CutOff):
        await collect()
    assert got


@pytest.mark.parametrize("key", ["sk-wrong", ""])
async def test_a_wrong_key_is_unauthorized(server: LlamaServer, transport: HttpTransport, key: str) -> None:
    """The key is named as what to check; it is not shown."""
    with pytest.raises(Unauthorized, match="API key") as caught:
        [event async for event in client(server, transport, key).stream(asking("Hello."))]
    assert "sk-wrong" not in str(caught.value)


async def test_a_long_prompt_is_too_long(server: LlamaServer, transport: HttpTransport) -> None:
    """The server's refusal is told apart from all others."""
    with pytest.raises(ContextTooLong, match="exceeds the available context"):
        [e async for e in client(server, transport).stream(asking("word " * (2 * CONTEXT_TOKENS)))]


async def test_leaving_the_stream_stops_the_model(server: LlamaServer, transport: HttpTransport) -> None:
    """After the reader has left, the server soon works on nothing: Stop reaches it."""
    long = asking("Write the numbers from one to one thousand in words.", None)
    async with aclosing(client(server, transport).stream(long)) as events:
        await anext(events)
        assert server.busy()
    assert await asyncio.to_thread(server.idle_within, PATIENCE)


async def test_diagnoses_the_connection(server: LlamaServer, transport: HttpTransport) -> None:
    """A working endpoint is reported as such, with the address that was called; a wrong key as the key."""
    good = await diagnose(client(server, transport))
    assert (good.ok, good.kind, good.url) == (True, "ok", f"{server.base_url}/chat/completions")
    bad = await diagnose(client(server, transport, "sk-wrong"))
    assert (bad.ok, bad.kind) == (False, "key")
