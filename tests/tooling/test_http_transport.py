"""The terminal's transport on a real socket, alone and under the chat client."""

from __future__ import annotations

import asyncio
import socket
import time
from contextlib import aclosing

import pytest

import chat_chunks
from endpoint_script import Hold, Reply
from ibid.chat_client import ChatClient, ChatRequest
from ibid.chat_stream import Completion, TextDelta
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import Interrupted, Rejected, Unreachable
from ibid.models import Endpoint
from ibid.ports import HttpRequest
from ibid_build.http_transport import HttpTransport
from scripted_endpoint import ScriptedEndpoint

PATIENCE = 10.0
"""Seconds that an event may take before the test fails."""

QUESTION = ChatRequest(({"role": "user", "content": "How high?"},))


class WallClock:
    def now(self) -> float:
        return time.time()

    async def sleep(self, seconds: float) -> None:
        await asyncio.sleep(seconds)


def client(transport: HttpTransport, base_url: str, key: str = "sk-1") -> ChatClient:
    return ChatClient(transport, Endpoint(base_url, "m", key), WallClock(), EndpointMemory())


def request(url: str) -> HttpRequest:
    return HttpRequest("POST", url, {"Content-Type": "application/json"}, b"{}")


async def test_streams_an_answer() -> None:
    """Deltas come one by one while the body is still open, then the completion."""
    with ScriptedEndpoint() as endpoint:
        hold = endpoint.hold("It is ", "3 [1].")
        async with (
            HttpTransport() as transport,
            aclosing(client(transport, endpoint.base_url).stream(QUESTION)) as events,
        ):
            assert await anext(events) == TextDelta("It is ")
            assert await anext(events) == TextDelta("3 [1].")
            hold.release()
            last = await anext(events)
    assert isinstance(last, Completion)
    assert (last.text, last.finish_reason) == ("It is 3 [1].", "stop")
    assert endpoint.requests[0].headers["authorization"] == "Bearer sk-1"


async def test_no_key_no_authorization_header() -> None:
    """Without a key the header is not sent at all."""
    with ScriptedEndpoint() as endpoint:
        endpoint.text("yes")
        async with HttpTransport() as transport:
            [*_] = [event async for event in client(transport, endpoint.base_url, key="").stream(QUESTION)]
    assert "authorization" not in endpoint.requests[0].headers


async def test_leaving_the_stream_is_seen_by_the_server() -> None:
    """Closing the generator, as Stop does, ends the connection at once."""
    with ScriptedEndpoint() as endpoint:
        endpoint.hold("It is ")
        async with HttpTransport() as transport:
            async with aclosing(client(transport, endpoint.base_url).stream(QUESTION)) as events:
                await anext(events)
            gone = endpoint.requests[0].disconnected
            assert await asyncio.to_thread(gone.wait, PATIENCE)


async def test_cancelling_is_seen_by_the_server() -> None:
    """A cancelled task ends the connection too, in the middle of a read."""
    with ScriptedEndpoint() as endpoint:
        hold = endpoint.hold()
        async with HttpTransport() as transport:

            async def answer() -> None:
                async with aclosing(client(transport, endpoint.base_url).stream(QUESTION)) as events:
                    async for _ in events:
                        pass

            task = asyncio.create_task(answer())
            assert await asyncio.to_thread(hold.reached.wait, PATIENCE)
            task.cancel()
            with pytest.raises(asyncio.CancelledError):
                await task
            assert await asyncio.to_thread(endpoint.requests[0].disconnected.wait, PATIENCE)


async def test_done_ends_the_connection_that_the_server_holds_open() -> None:
    """After ``[DONE]`` nothing is waited for; the server sees the reader leave."""
    with ScriptedEndpoint() as endpoint:
        endpoint.play(Reply((*chat_chunks.answer("yes"), Hold())))
        async with HttpTransport() as transport:
            events = [event async for event in client(transport, endpoint.base_url).stream(QUESTION)]
            assert isinstance(events[-1], Completion)
            assert await asyncio.to_thread(endpoint.requests[0].disconnected.wait, PATIENCE)


async def test_a_reset_connection_is_interrupted() -> None:
    """The text that came stays; the error says that the connection broke."""
    with ScriptedEndpoint() as endpoint:
        endpoint.cut("half", reset=True)
        async with HttpTransport() as transport:
            response = await transport.send(request(f"{endpoint.base_url}/chat/completions"))
            with pytest.raises(Interrupted, match=r"127\.0\.0\.1 broke"):
                [chunk async for chunk in response.chunks()]
            await response.aclose()
            await response.aclose()


async def test_redirects_are_not_followed() -> None:
    """The key stays with the address it was entered for: no second request goes out."""
    with ScriptedEndpoint() as endpoint, ScriptedEndpoint() as elsewhere:
        endpoint.play(Reply(status=307, headers={"Location": f"{elsewhere.base_url}/chat/completions"}))
        async with HttpTransport() as transport:
            with pytest.raises(Rejected, match="redirects to 127") as caught:
                [event async for event in client(transport, endpoint.base_url).stream(QUESTION)]
    assert not caught.value.degradable
    assert not elsewhere.requests


async def test_nobody_there_is_unreachable() -> None:
    """A port where nothing listens, a name that does not exist: the cause is named."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    async with HttpTransport() as transport:
        for host in (f"127.0.0.1:{port}", "nowhere.invalid", "xn--"):  # the last is no name at all
            with pytest.raises(Unreachable, match=f"No response from {host}") as caught:
                [event async for event in client(transport, f"http://{host}/v1").stream(QUESTION)]
            assert caught.value.next
