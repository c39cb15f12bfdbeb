"""The chat client on raw captures of real servers, and on streams that people reported as faults.

Both are read from ``../shared`` beside the repository where that exists; elsewhere nothing is collected.
"""

from __future__ import annotations

import http.client
import io
import json
from collections.abc import Callable, Iterator
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest

from ibid.chat_addresses import chat_url
from ibid.chat_client import ChatClient, ChatRequest
from ibid.chat_stream import Completion, ReasoningDelta, TextDelta
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import TurnError
from ibid.models import Endpoint
from manual_clock import ManualClock
from scripted_transport import ScriptedTransport

SHARED = Path(__file__).parents[3] / "shared"
__test__ = SHARED.is_dir()
CAPTURES = sorted(SHARED.glob("captures/*.raw"))
CASES = SHARED / "cases" / "files"
STREAMS = sorted(CASES.glob("S*/*.sse"))
STEPS = (None, 1, 7)
"""Bytes in a piece; None is the whole body at once."""


class Outcome:
    """What asking came to: the deltas, then a completion or an error."""

    def __init__(self) -> None:
        self.text = self.reasoning = ""
        self.completion: Completion | None = None
        self.error: TurnError | None = None

    @property
    def code(self) -> str:
        return self.error.code if self.error else ""

    @property
    def complete(self) -> bool:
        return self.completion is not None and self.completion.complete

    @property
    def calls(self) -> list[dict[str, Any]]:
        calls = self.completion.tool_calls if self.completion else ()
        return [{"id": call.id, "name": call.name, "arguments": call.values} for call in calls]


async def ask(body: bytes, step: int | None, status: int = 200, **headers: str) -> Outcome:
    transport = ScriptedTransport()
    pieces = [body[i : i + step] for i in range(0, len(body), step)] if step else [body]
    named = {name.replace("_", "-"): value for name, value in headers.items()}
    transport.reply(*pieces, status=status, headers=named)
    endpoint = Endpoint("https://llm.example/v1", "m", "sk-test-123456")
    client = ChatClient(transport, endpoint, ManualClock(), EndpointMemory())
    outcome = Outcome()
    try:
        async for event in client.stream(ChatRequest(({"role": "user", "content": "?"},))):
            if isinstance(event, TextDelta):
                outcome.text += event.text
            elif isinstance(event, ReasoningDelta):
                outcome.reasoning += event.text
            else:
                outcome.completion = event
    except TurnError as error:
        outcome.error = error
    return outcome


class _Replay:
    """Bytes of a captured response, as the standard library's parser wants them."""

    def __init__(self, raw: bytes) -> None:
        self._raw = raw

    def makefile(self, *_: object) -> io.BytesIO:
        return io.BytesIO(self._raw)


def parsed(capture: Path) -> tuple[int, dict[str, str], bytes]:
    response = http.client.HTTPResponse(_Replay(capture.read_bytes()))  # type: ignore[arg-type]
    response.begin()
    try:
        body = response.read()
    except http.client.IncompleteRead as cut:  # one capture was shortened by hand after it was taken
        body = cut.partial
    return response.status, {name.lower(): value for name, value in response.getheaders()}, body


CAPTURED: dict[str, Callable[[Outcome], bool]] = {
    "llamacpppython-smol-toolong": lambda o: o.code == "empty_answer",
    "llamacpppython-smol-tools-required": lambda o: o.code == "empty_answer",
    "llamacpppython-smol-tools-turn2": lambda o: o.code == "rejected",
    "llamacpppython-smol-tools-named": lambda o: [call["name"] for call in o.calls] == ["search_docs"],
    "llamaserver-401": lambda o: o.code == "unauthorized",
    "llamaserver-qwen05-badjson": lambda o: o.code == "rejected",
    "llamaserver-qwen05-plain": lambda o: o.complete and o.text.startswith("Hello! How can I assist"),
    "llamaserver-qwen05-tools-required": lambda o: o.code == "cut_off" and o.text.startswith("To configure"),
    "llamaserver-smol-badmodel": lambda o: o.code == "cut_off" and o.text == "hugel",
    "llamaserver-smol-nonstream": lambda o: o.code == "cut_off" and o.text == "Hello! How",
    "llamaserver-smol-plain": lambda o: o.complete and o.text == "Hello, welcome to my world!",
    "llamaserver-smol-preflight": lambda o: o.code == "empty_answer",
    "llamaserver-smol-toolong": lambda o: o.code == "context_too_long",
}


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("capture", CAPTURES, ids=lambda path: path.name)
async def test_captures_of_real_servers(capture: Path, step: int | None) -> None:
    """Each ends as that server meant it, however its bytes are cut."""
    status, headers, body = parsed(capture)
    outcome = await ask(body, step, status, **headers)
    assert CAPTURED[capture.name.removesuffix(".raw").removesuffix(".sse")](outcome), vars(outcome)


def content(path: Path) -> bytes:
    return path.read_bytes()


def expected(stream: Path) -> dict[str, Any]:
    file = stream.with_name("expected.json")
    values: dict[str, Any] = json.loads(file.read_text()) if file.exists() else {}
    found: dict[str, Any] = values.get(stream.stem, values)
    return found


@pytest.mark.parametrize("step", STEPS)
@pytest.mark.parametrize("stream", STREAMS, ids=lambda path: f"{path.parent.name}-{path.stem}")
async def test_reported_streams(stream: Path, step: int | None) -> None:
    """Text, reasoning, calls, usage and completeness are what the case says; where it has no file, the
    stream is read to its end without harm."""
    outcome = await ask(content(stream), step)
    wanted = expected(stream)
    got = {
        "text": outcome.text,
        "reasoning": outcome.reasoning,
        "complete": outcome.complete,
        "tool_calls": outcome.calls,
        "run": outcome.calls,
    }
    for name in wanted.keys() & got.keys():
        assert got[name] == wanted[name], name
    if "usage" in wanted:
        usage = outcome.completion.usage if outcome.completion else None
        assert usage is not None
        assert asdict(usage) == wanted["usage"]


@pytest.mark.parametrize("path", sorted(CASES.glob("S11/*.sse")), ids=lambda path: path.stem)
async def test_half_arguments(path: Path) -> None:
    """Cut by length: an error. Half but "stopped": unreadable. Whole: a call, whatever the reason."""
    outcome = await ask(content(path), None)
    wanted: dict[str, tuple[str, list[object]]] = {
        "length": ("cut_off", []),
        "stop": ("", [None]),
        "stop_whole": ("", [{"query": "set"}]),
    }
    assert (outcome.code, [call["arguments"] for call in outcome.calls]) == wanted[path.stem]


BODIES: dict[str, Callable[[Outcome], bool]] = {
    "html": lambda o: o.code == "rejected" and "check the base address" in str(o.error),
    "envelope": lambda o: o.code == "interrupted" and "model is loading" in str(o.error),
    "whole": lambda o: o.complete and o.text == "Yes [1].",
    "mislabelled": lambda o: o.complete and o.text == "Yes [1].",
}


@pytest.mark.parametrize("path", sorted(CASES.glob("S20/*.json")), ids=lambda path: path.stem)
async def test_bodies_that_are_no_stream(path: Path) -> None:
    """A 200 may be a page, an error, a whole completion, or a stream under another label."""
    given = json.loads(content(path))
    body = given.get("body_text", given.get("body"))
    sent = body if isinstance(body, str) else json.dumps(body)
    outcome = await ask(sent.encode(), None, given["status"], content_type=given["content_type"])
    assert BODIES[path.stem](outcome), vars(outcome)


def addresses() -> Iterator[tuple[str, str]]:
    for path in CASES.glob("S19/urls.json"):
        yield from json.loads(path.read_text())


@pytest.mark.parametrize(("base_url", "called"), list(addresses()))
def test_addresses(base_url: str, called: str) -> None:
    """What people paste is called where they mean it."""
    assert chat_url(base_url) == called


def refusing_servers() -> Iterator[dict[str, Any]]:
    for path in CASES.glob("S17/servers.json"):
        yield from json.loads(path.read_text())


@pytest.mark.parametrize("server", list(refusing_servers()), ids=lambda server: server["reject"][0])
async def test_servers_that_refuse_a_field(server: dict[str, Any]) -> None:
    """The request goes once more without the field, or under its other name; what was learned is kept."""
    transport = ScriptedTransport()
    memory = EndpointMemory()
    endpoint = Endpoint("https://llm.example/v1", "m", "sk-test-123456")
    (field,) = server["reject"]
    if field == "max_completion_tokens":
        memory.remember(endpoint, "max_tokens")
    client = ChatClient(transport, endpoint, ManualClock(), memory)
    request = ChatRequest(({"role": "user", "content": "?"},), max_tokens=5)
    transport.reply(json.dumps(server["body"]).encode(), status=server["status"])
    transport.reply_text("Yes.")
    transport.reply_text("Yes.")
    for _ in range(2):
        [_ async for _ in client.stream(request)]
    assert [field in body for body in transport.bodies] == [True, False, False]
