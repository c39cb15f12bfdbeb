"""What is sent, how a response is read to its end, and which error ends it."""

from __future__ import annotations

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import aclosing
from typing import Any

import pytest

import chat_chunks as chunks
from ibid.chat_client import ChatClient, ChatRequest
from ibid.chat_stream import Completion, ReasoningDelta, TextDelta, Usage
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import (
    CutOff,
    EmptyAnswer,
    Interrupted,
    OutOfCredit,
    Rejected,
    TurnError,
    Unauthorized,
    Unreachable,
)
from ibid.models import Endpoint
from manual_clock import ManualClock, settle
from scripted_transport import Gate, ScriptedTransport

Event = TextDelta | ReasoningDelta | Completion
TOOL = {"type": "function", "function": {"name": "search_docs", "parameters": {}}}
QUESTION = ChatRequest(({"role": "user", "content": "How high?"},))
WITH_TOOLS = ChatRequest(QUESTION.messages, (TOOL,), "required")


class Desk:
    """A client with everything around it that a test looks at."""

    def __init__(self, endpoint: Endpoint | None = None, **options: Any) -> None:
        self.endpoint = endpoint or Endpoint("https://llm.example/v1", "m", "sk-1")
        self.transport = ScriptedTransport()
        self.clock = ManualClock()
        self.memory = EndpointMemory()
        self.client = ChatClient(self.transport, self.endpoint, self.clock, self.memory, **options)
        self.events: list[Event] = []

    async def ask(self, request: ChatRequest = QUESTION) -> Completion:
        """Collects the deltas in ``events`` and returns the completion."""
        async with aclosing(self.client.stream(request)) as stream:
            async for event in stream:
                self.events.append(event)
        last = self.events[-1]
        assert isinstance(last, Completion)
        return last

    @property
    def text(self) -> str:
        return "".join(event.text for event in self.events if isinstance(event, TextDelta))


@pytest.fixture
def desk() -> Desk:
    return Desk()


@pytest.fixture(autouse=True)
async def no_task_is_left_behind() -> AsyncIterator[None]:
    """Whatever happened, no reader and no timer goes on."""
    yield
    assert asyncio.all_tasks() == {asyncio.current_task()}


async def test_sends_what_the_api_wants(desk: Desk) -> None:
    """A streamed completion with its token counts; tools and limit only where there are any."""
    for _ in range(2):
        desk.transport.reply_text("Three.")
    await desk.ask()
    await desk.ask(ChatRequest(QUESTION.messages, (TOOL,), "required", max_tokens=9))
    sent = desk.transport.requests[0]
    assert (sent.method, sent.url) == ("POST", "https://llm.example/v1/chat/completions")
    assert sent.headers["Authorization"] == "Bearer sk-1"
    assert sent.headers["Content-Type"] == "application/json"
    plain = {
        "messages": list(QUESTION.messages),
        "model": "m",
        "stream": True,
        "stream_options": {"include_usage": True},
    }
    assert desk.transport.bodies[0] == plain
    assert desk.transport.bodies[1] == plain | {"tools": [TOOL], "tool_choice": "required", "max_tokens": 9}


async def test_sends_neither_key_nor_model_where_none_is_set() -> None:
    """A simple local server then needs to allow no header, and answers with the model it has."""
    desk = Desk(Endpoint("http://localhost:8080", ""))
    desk.transport.reply_text("Three.")
    await desk.ask()
    assert "Authorization" not in desk.transport.requests[0].headers
    assert "model" not in desk.transport.bodies[0]


async def test_text_of_any_kind_can_be_sent(desk: Desk) -> None:
    """A lone surrogate in a pasted question does not make the request fail."""
    desk.transport.reply_text("Three.")
    await desk.ask(ChatRequest(({"role": "user", "content": "缓存 \ud83d"},)))
    assert desk.transport.bodies[0]["messages"][0]["content"] == "缓存 ?"


@pytest.mark.parametrize("key", ["sk 1", "sk-1\nX: y", "sk-é", "sk\x00"])
async def test_a_key_that_no_header_takes_is_refused_before_sending(key: str) -> None:
    """With the reason, not as an unreachable host; the key is not shown."""
    desk = Desk(Endpoint("https://llm.example/v1", "m", key))
    with pytest.raises(Unauthorized, match="holds a character that no key has") as caught:
        await desk.ask()
    assert key not in str(caught.value)
    assert not desk.transport.requests


async def test_gives_deltas_and_then_the_completion(desk: Desk) -> None:
    """Text as it comes, one completion at the end, the connection closed by then."""
    response = desk.transport.reply_text("It is ", "3 [1].")
    completion = await desk.ask()
    assert desk.events == [TextDelta("It is "), TextDelta("3 [1]."), completion]
    assert completion == Completion("It is 3 [1].", finish_reason="stop", usage=Usage(11, 7))
    assert response.closed


async def test_gives_calls_whole(desk: Desk) -> None:
    """With the completion, in order; unreadable arguments as they are."""
    desk.transport.reply_calls(
        ("search_docs", {"query": "a"}), ("read_page", '{"path'), before=["Let me look."]
    )
    completion = await desk.ask(WITH_TOOLS)
    assert [call.values for call in completion.tool_calls] == [{"query": "a"}, None]
    assert completion.text == "Let me look."


async def test_done_is_the_end_whatever_is_held_open(desk: Desk) -> None:
    """After ``[DONE]`` the connection is closed at once."""
    response = desk.transport.reply(*chunks.answer("Three."), Gate())
    await desk.ask()
    assert response.closed


async def test_after_a_finish_reason_the_counts_are_waited_for_a_moment() -> None:
    """Without ``[DONE]``: the usage chunk ends the answer, else a few seconds do, however much else comes."""
    desk = Desk(usage_seconds=3.0)
    gate, never = Gate(), Gate()
    desk.transport.reply(chunks.text("Three."), chunks.finish(), gate, b": beat\n\n", never)
    asking = asyncio.create_task(desk.ask())
    await desk.clock.advance(2.0)
    gate.open()
    await desk.clock.advance(0.5)
    assert not asking.done()
    await desk.clock.advance(0.5)
    assert (await asking).text == "Three."
    desk.transport.reply(chunks.text("Three."), chunks.finish(), chunks.usage(), Gate())
    assert (await desk.ask()).usage == Usage(11, 7)


async def test_a_reader_that_pauses_after_the_finish_reason_waits_no_longer() -> None:
    """The few seconds have passed meanwhile."""
    desk = Desk(usage_seconds=3.0)
    desk.transport.reply(chunks.text("Three.") + chunks.finish(), Gate())
    async with aclosing(desk.client.stream(QUESTION)) as stream:
        assert await anext(stream) == TextDelta("Three.")
        await desk.clock.advance(3.0)
        assert isinstance(await anext(stream), Completion)


@pytest.mark.parametrize("error", [None, Interrupted("The connection broke.")])
async def test_a_connection_that_ends_after_the_finish_reason_is_no_loss(
    desk: Desk, error: Exception | None
) -> None:
    """The answer was whole."""
    desk.transport.reply(chunks.text("Three."), chunks.finish(), *([error] if error else []))
    assert (await desk.ask()).finish_reason == "stop"


async def test_a_clean_end_without_a_finish_reason_is_interrupted(desk: Desk) -> None:
    """A proxy that closes the connection looks like the end of a good answer; the text stays."""
    response = desk.transport.reply_cut("The default is ", "60 sec")
    with pytest.raises(Interrupted, match="ended before the answer did"):
        await desk.ask()
    assert desk.text == "The default is 60 sec"
    assert response.closed


async def test_text_that_was_held_back_is_given_out_before_the_error(desk: Desk) -> None:
    """``<thi`` may have become a tag; it did not."""
    desk.transport.reply_cut("a <thi")
    with pytest.raises(Interrupted):
        await desk.ask()
    assert desk.text == "a <thi"


async def test_a_broken_connection_is_interrupted(desk: Desk) -> None:
    """The text stays."""
    response = desk.transport.reply_broken("half")
    with pytest.raises(Interrupted, match="connection broke"):
        await desk.ask()
    assert desk.text == "half"
    assert response.closed


async def test_cut_calls_are_never_given_out(desk: Desk) -> None:
    """Not those that look whole either: the line was cut before the model was done."""
    desk.transport.reply(chunks.call("no_evidence_needed", ""))
    with pytest.raises(Interrupted):
        await desk.ask(WITH_TOOLS)
    assert desk.events == []


async def test_an_error_in_the_stream_interrupts(desk: Desk) -> None:
    """Its words are told, the text stays."""
    desk.transport.reply(chunks.text("half"), chunks.sse({"error": {"message": "overloaded sk-1"}}), Gate())
    with pytest.raises(Interrupted, match=r"broke off the answer with an error: “overloaded"):
        await desk.ask()
    assert desk.text == "half"


@pytest.mark.parametrize("reason", ["length", "content_filter"])
async def test_an_answer_that_was_cut_short_says_so(desk: Desk, reason: str) -> None:
    """After all its text; no call of it counts."""
    desk.transport.reply(chunks.text("half"), chunks.call("f", {}), chunks.finish(reason), chunks.DONE)
    with pytest.raises(CutOff) as caught:
        await desk.ask()
    assert desk.text == "half"
    assert len(desk.events) == 1
    assert caught.value.next


@pytest.mark.parametrize("body", [[], [b""], [b"\r\n", b" \n"], [b"\xef\xbb\xbf"]])
async def test_a_body_of_nothing_is_an_empty_answer(desk: Desk, body: list[bytes]) -> None:
    """One server answers so when the conversation is too long; that is named as the cause it can be."""
    desk.transport.reply(*body)
    with pytest.raises(EmptyAnswer, match="longer than the model can take in") as caught:
        await desk.ask()
    assert "new conversation" in caught.value.next


@pytest.mark.parametrize("label", ["application/json", "text/event-stream", ""])
async def test_a_whole_completion_is_an_answer(desk: Desk, label: str) -> None:
    """JSON where a stream was asked for, calls and all, in whatever pieces and under whatever label."""
    call = {"id": "k", "type": "function", "function": {"name": "f", "arguments": "{}"}}
    message = {"role": "assistant", "content": "<think>hm</think>Yes.", "tool_calls": [call]}
    body = json.dumps({"choices": [{"message": message}], "usage": {"prompt_tokens": 3}}).encode()
    desk.transport.reply(b" ", body[:9], body[9:], headers={"content-type": label})
    completion = await desk.ask()
    assert desk.text == "Yes."
    assert (completion.text, completion.reasoning, completion.usage) == ("Yes.", "hm", Usage(3, 0))
    assert [called.id for called in completion.tool_calls] == ["k"]


async def test_a_stream_labelled_as_json_is_a_stream(desk: Desk) -> None:
    """The body's beginning decides."""
    desk.transport.reply(*chunks.answer("Yes."), headers={"content-type": "application/json"})
    assert (await desk.ask()).text == "Yes."


@pytest.mark.parametrize(
    ("body", "label", "kind", "said"),
    [
        (b"<!doctype html><title>Sign in</title>", "text/html", Rejected, "check the base address"),
        (b"\n<!-- x --><html>", "", Rejected, "check the base address"),
        (b"Sign in, please", "text/html", Rejected, "check the base address"),
        (
            b'{"error": {"message": "model is loading"}}',
            "application/json",
            Interrupted,
            "“model is loading”",
        ),
        (b'{"error": "Insufficient credits"}', "application/json", OutOfCredit, "no credit"),
        (b'[{"error": {"message": "nope"}}]', "application/json", Interrupted, "“nope”"),
        (b'{"message": {"content": "hi"}, "done": true}', "application/json", Rejected, "no chat completion"),
        (b'{"choices": [{"message": {"content": "ha', "application/json", Interrupted, "breaks off"),
        (b'{"choices": [{"finish_reason": "length"}]}', "application/json", CutOff, "length limit"),
        (b"OK", "text/plain", Interrupted, "ended before the answer did"),
    ],
)
async def test_a_200_that_is_no_answer(
    desk: Desk, body: bytes, label: str, kind: type[TurnError], said: str
) -> None:
    """Each says what it is; no HTML is ever shown."""
    desk.transport.reply(body, headers={"content-type": label})
    with pytest.raises(kind, match=said) as caught:
        await desk.ask()
    assert type(caught.value) is kind
    assert "<" not in str(caught.value)
    assert desk.events == []


async def test_silence_ends_a_stream_and_any_byte_resets_the_limit() -> None:
    """A keep-alive comment counts; the text so far stays."""
    desk = Desk(first_seconds=300.0, idle_seconds=120.0)
    beat, never = Gate(), Gate()
    response = desk.transport.reply(chunks.text("half"), beat, b": beat\n\n", never)
    asking = asyncio.create_task(desk.ask())
    await desk.clock.advance(119.0)
    beat.open()
    await settle()
    await desk.clock.advance(119.0)
    assert not asking.done()
    await desk.clock.advance(1.0)
    with pytest.raises(Interrupted, match="sent nothing for 120 seconds"):
        await asking
    assert desk.text == "half"
    assert response.closed
    assert response.cancelled


async def test_the_first_byte_may_take_longer() -> None:
    """A model on a slow machine reads a long prompt for minutes."""
    desk = Desk(first_seconds=300.0, idle_seconds=120.0)
    desk.transport.reply(Gate())
    asking = asyncio.create_task(desk.ask())
    await desk.clock.advance(299.0)
    assert not asking.done()
    await desk.clock.advance(1.0)
    with pytest.raises(Interrupted, match="sent nothing for 300 seconds"):
        await asking


async def test_a_pause_of_the_reader_is_no_silence_of_the_server() -> None:
    """The limit counts while the next bytes are waited for, not while nobody asks for them."""
    desk = Desk(first_seconds=300.0, idle_seconds=120.0)
    desk.transport.reply_text("It is ", "3 [1].")
    async with aclosing(desk.client.stream(QUESTION)) as stream:
        assert await anext(stream) == TextDelta("It is ")
        await desk.clock.advance(500.0)
        assert await anext(stream) == TextDelta("3 [1].")


async def test_a_stop_that_comes_with_the_limit_is_a_stop() -> None:
    """It is not turned into an error of the endpoint."""
    desk = Desk(first_seconds=300.0)
    response, gate = desk.transport.reply_held()
    asking = asyncio.create_task(desk.ask())
    await gate.reached.wait()
    asking.cancel()
    await desk.clock.advance(300.0)
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert response.closed


async def test_leaving_ends_the_connection(desk: Desk) -> None:
    """Closing the generator in the middle closes the response."""
    response, _ = desk.transport.reply_held("half")
    async with aclosing(desk.client.stream(QUESTION)) as stream:
        assert await anext(stream) == TextDelta("half")
    assert response.closed


async def test_cancelling_ends_the_connection(desk: Desk) -> None:
    """In the middle of a read."""
    response, gate = desk.transport.reply_held("half")
    asking = asyncio.create_task(desk.ask())
    await gate.reached.wait()
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert response.closed
    assert response.cancelled


@pytest.mark.parametrize("steps", range(12))
async def test_cancelling_as_the_response_arrives_closes_it(desk: Desk, steps: int) -> None:
    """At whichever step of the loop the stop comes, no connection is left open."""
    response, _ = desk.transport.reply_held()
    asking = asyncio.create_task(desk.ask())
    await settle(steps)
    asking.cancel()
    with pytest.raises(asyncio.CancelledError):
        await asking
    assert response.closed or response not in desk.transport.responses


async def test_a_refusal_is_raised_with_its_kind_and_closed(desk: Desk) -> None:
    """One request, no retry."""
    response = desk.transport.reply_status(400, "tool_choice is not supported")
    with pytest.raises(Rejected, match="“tool_choice is not supported”") as caught:
        await desk.ask(WITH_TOOLS)
    assert caught.value.degradable
    assert response.closed
    assert len(desk.transport.requests) == 1


@pytest.mark.parametrize("status", [401, 402, 403, 408, 429, 500, 502, 503, 504])
async def test_nothing_retries_by_itself(desk: Desk, status: int) -> None:
    """Not on a status that might pass either."""
    desk.transport.reply_status(status, "stream_options max_tokens")
    with pytest.raises(TurnError):
        await desk.ask(ChatRequest(QUESTION.messages, max_tokens=5))
    assert len(desk.transport.requests) == 1


async def test_a_refusal_that_breaks_or_never_ends_is_told_by_its_status() -> None:
    """What came of the body counts."""
    desk = Desk(idle_seconds=120.0)
    desk.transport.reply(b'{"error": "no such mo', Interrupted("broke"), status=503)
    with pytest.raises(TurnError, match="not available") as caught:
        await desk.ask()
    assert caught.value.code == "unavailable"
    desk.transport.reply(Gate(), status=503)
    asking = asyncio.create_task(desk.ask())
    await desk.clock.advance(120.0)
    with pytest.raises(TurnError, match="not available"):
        await asking


async def test_a_refused_field_is_left_out_once_and_for_all(desk: Desk) -> None:
    """By name, on a 400 or 422; the limit changes its name first; what was learned is kept."""
    request = ChatRequest(QUESTION.messages, max_tokens=5)
    desk.transport.reply_status(400, "'max_tokens' cannot be used here, send 'max_completion_tokens'")
    desk.transport.reply_status(422, "unknown field stream_options")
    desk.transport.reply_text("Yes.")
    desk.transport.reply_text("Yes.")
    await desk.ask(request)
    await desk.ask(request)
    optional = ("max_tokens", "max_completion_tokens", "stream_options")
    sent = [{name for name in optional if name in body} for body in desk.transport.bodies]
    assert sent == [
        {"max_tokens", "stream_options"},
        {"max_completion_tokens", "stream_options"},
        {"max_completion_tokens"},
        {"max_completion_tokens"},
    ]
    assert desk.memory.refused(desk.endpoint) == {"max_tokens", "stream_options"}
    assert desk.memory.refused(Endpoint(desk.endpoint.base_url, "other")) == frozenset()


async def test_no_endless_resending(desk: Desk) -> None:
    """An endpoint that refuses whatever it is sent gets each field once; nothing is learned from it."""
    for _ in range(4):
        desk.transport.reply_status(400, "max_tokens max_completion_tokens stream_options")
    with pytest.raises(Rejected):
        await desk.ask(ChatRequest(QUESTION.messages, max_tokens=5))
    assert desk.transport.left == 0
    assert desk.memory.refused(desk.endpoint) == frozenset()


async def test_a_long_conversation_is_not_taken_for_a_refused_field(desk: Desk) -> None:
    """``max_tokens`` in the words of a context refusal does not send the request again."""
    desk.transport.reply_status(400, "input length and max_tokens exceed the context limit")
    with pytest.raises(Rejected) as caught:
        await desk.ask(ChatRequest(QUESTION.messages, max_tokens=5))
    assert caught.value.code == "context_too_long"
    assert len(desk.transport.requests) == 1


async def test_the_engine_may_remember_tools(desk: Desk) -> None:
    """Fields that the turn engine found refused are left out; ``tool_choice`` never goes without tools."""
    desk.transport.reply_text("Yes.")
    desk.transport.reply_text("Yes.")
    desk.memory.remember(desk.endpoint, "tool_choice")
    await desk.ask(WITH_TOOLS)
    desk.memory.remember(desk.endpoint, "tools")
    await desk.ask(WITH_TOOLS)
    kept = [[name for name in ("tools", "tool_choice") if name in body] for body in desk.transport.bodies]
    assert kept == [["tools"], []]


async def test_no_response_is_unreachable_with_advice() -> None:
    """In a browser the causes that fit and the exact setting; elsewhere the cause itself."""
    desk = Desk(Endpoint("http://localhost:11434/v1", "m"), page_origin="https://docs.example")
    desk.transport.reply_nothing()
    with pytest.raises(Unreachable, match="CORS") as caught:
        await desk.ask()
    assert "OLLAMA_ORIGINS=https://docs.example" in caught.value.next
    desk = Desk()
    desk.transport.reply_nothing()
    with pytest.raises(Unreachable, match=r"^No response\.$") as caught:
        await desk.ask()
    assert "llm.example" in caught.value.next


async def test_a_server_that_says_nothing_at_all_is_unreachable() -> None:
    """Not even a status came within the time that a first byte may take."""
    desk = Desk(first_seconds=300.0)
    desk.transport.reply_silence()
    asking = asyncio.create_task(desk.ask())
    await desk.clock.advance(299.0)
    assert not asking.done()
    await desk.clock.advance(1.0)
    with pytest.raises(Unreachable, match=r"No response from llm\.example"):
        await asking


async def test_mixed_content_is_refused_before_sending() -> None:
    """A browser would block it without saying so."""
    desk = Desk(Endpoint("http://192.0.2.10:8080/v1", "m"), page_origin="https://docs.example")
    with pytest.raises(Unreachable, match="mixed content"):
        await desk.ask()
    assert not desk.transport.requests


async def test_a_base_url_that_is_no_address_is_unreachable() -> None:
    """The value is named."""
    with pytest.raises(Unreachable, match="'llm' is not a web address"):
        await Desk(Endpoint("llm", "m")).ask()


@pytest.mark.parametrize("status", [0, 301, 302, 307, 308])
async def test_a_redirect_is_not_followed(desk: Desk, status: int) -> None:
    """A browser reports a hidden redirect as status 0."""
    desk.transport.reply(status=status, headers={"location": "https://evil.example/v1"})
    with pytest.raises(Rejected, match="not followed") as caught:
        await desk.ask()
    assert not caught.value.degradable
    assert len(desk.transport.requests) == 1
