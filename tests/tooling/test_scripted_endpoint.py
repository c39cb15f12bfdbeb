"""The scripted endpoint is a real server: what the browser tests rely on it for."""

from __future__ import annotations

import json
import subprocess
import sys
from contextlib import ExitStack
from pathlib import Path

import httpx
import pytest

import chat_chunks
from endpoint_script import Reply
from scripted_endpoint import ScriptedEndpoint

SUPPORT = Path(__file__).parents[1] / "support"
PATIENCE = 10.0
"""Seconds that an event may take before the test fails."""


def ask(endpoint: ScriptedEndpoint, **headers: str) -> httpx.Response:
    return httpx.post(f"{endpoint.base_url}/chat/completions", json={"model": "m"}, headers=headers)


def test_plays_its_replies_in_order_and_records_what_was_asked() -> None:
    """Each completion request takes the next reply; headers and body are kept."""
    with ScriptedEndpoint() as endpoint:
        endpoint.calls(("search_docs", {"query": "tide"}))
        endpoint.text("It is ", "3 [1].", delay=0.001)
        assert '"name": "search_docs"' in ask(endpoint, authorization="Bearer k").text
        assert ask(endpoint).text.endswith("data: [DONE]\n\n")
    assert endpoint.requests[0].headers["authorization"] == "Bearer k"
    assert endpoint.requests[1].json == {"model": "m"}
    assert endpoint.left == 0


def test_a_reply_may_depend_on_the_request() -> None:
    """A function in the script is called with the request."""
    with ScriptedEndpoint() as endpoint:
        endpoint.play(lambda request: Reply(chat_chunks.answer(f"for {request.json['model']}")))
        assert "for m" in ask(endpoint).text


def test_refusals_keep_status_headers_and_words() -> None:
    """A scripted refusal, a wrong key and an empty script are refusals in the API's own form."""
    with ScriptedEndpoint(key="sk-right") as endpoint:
        endpoint.refuse(429, "slow down", {"Retry-After": "7"})
        wrong = ask(endpoint, authorization="Bearer sk-wrong")
        assert (wrong.status_code, endpoint.left) == (401, 1)
        slow = ask(endpoint, authorization="Bearer sk-right")
        assert (slow.status_code, slow.headers["retry-after"]) == (429, "7")
        assert slow.json()["error"]["message"] == "slow down"
        assert ask(endpoint, authorization="Bearer sk-right").status_code == 500


@pytest.mark.parametrize(
    ("origins", "allowed"), [(None, True), (("https://docs.example",), True), ((), False)]
)
def test_answers_a_page_as_cors_demands(origins: tuple[str, ...] | None, allowed: bool) -> None:
    """The preflight and the answer name the origin that may read it, and no other."""
    page = {"Origin": "https://docs.example"}
    asked = {
        **page,
        "Access-Control-Request-Method": "POST",
        "Access-Control-Request-Headers": "authorization",
    }
    with ScriptedEndpoint(origins=origins) as endpoint:
        endpoint.text("yes")
        preflight = httpx.options(f"{endpoint.base_url}/chat/completions", headers=asked)
        answer = ask(endpoint, **page)
    assert preflight.status_code == 204
    assert "authorization" in preflight.headers["access-control-allow-headers"]
    for response in (preflight, answer):
        named = response.headers.get("access-control-allow-origin")
        assert named == ("https://docs.example" if allowed else None)
    assert len(endpoint.preflights) == 1


def test_sees_the_client_leave_a_held_stream() -> None:
    """A stream that is held open tells when its reader has gone."""
    with ScriptedEndpoint() as endpoint:
        hold = endpoint.hold("The first words")
        with httpx.stream("POST", f"{endpoint.base_url}/chat/completions", json={}) as response:
            body = response.iter_bytes()  # kept: when it is collected, httpx closes the response
            assert next(body)
            assert hold.reached.wait(PATIENCE)
            assert not endpoint.requests[0].disconnected.is_set()
        assert endpoint.requests[0].disconnected.wait(PATIENCE)


def test_a_released_stream_goes_on_to_its_end() -> None:
    """After release the answer ends well, and the client was not seen to leave."""
    with ScriptedEndpoint() as endpoint:
        hold = endpoint.hold("The first words")
        hold.release()
        assert ask(endpoint).text.endswith("data: [DONE]\n\n")
        assert endpoint.requests[0].over.wait(PATIENCE)
    assert not endpoint.requests[0].disconnected.is_set()


def test_ends_streams_early_in_two_ways() -> None:
    """A cut is a clean end without a finish reason; a reset breaks the connection."""
    with ScriptedEndpoint() as endpoint:
        endpoint.cut("half")
        endpoint.cut("half", reset=True)
        assert 'finish_reason": "stop' not in ask(endpoint).text
        with pytest.raises(httpx.TransportError):
            ask(endpoint)


def test_stops_while_streams_are_held() -> None:
    """Leaving the context ends the held streams: no thread outlives its test."""
    with ExitStack() as streams:
        with ScriptedEndpoint() as endpoint:
            endpoint.hold("x")
            url = f"{endpoint.base_url}/chat/completions"
            response = streams.enter_context(httpx.stream("POST", url, json={}))
        with pytest.raises(httpx.TransportError):
            response.read()


def test_runs_by_hand_from_a_script(tmp_path: Path) -> None:
    """``python -m scripted_endpoint script.json`` says where it listens, and plays the file over and over."""
    script = tmp_path / "script.json"
    script.write_text(json.dumps([{"text": ["Hello."]}, {"status": 402, "message": "no credit"}]))
    command = [sys.executable, "-m", "scripted_endpoint", str(script), "--port", "0"]
    with subprocess.Popen(command, cwd=SUPPORT, stdout=subprocess.PIPE, text=True) as process:
        try:
            assert process.stdout is not None
            base_url = process.stdout.readline().split()[0]
            statuses = [httpx.post(f"{base_url}/chat/completions", json={}).status_code for _ in range(2)]
        finally:
            process.terminate()
    assert statuses == [200, 402]
