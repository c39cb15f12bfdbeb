"""Answers without a model: SPEC 4.1 and 4.4."""

from __future__ import annotations

import pytest

from ibid.models import Endpoint
from turn_bench import ENDPOINT, QUESTION, TurnBench

LOCAL = Endpoint("http://127.0.0.1:11434/v1", "llama")


async def test_quotes_the_cited_passages_verbatim_each_with_its_mark() -> None:
    """Without an endpoint the answer is sentences of the cited passages; nothing is sent anywhere."""
    bench = TurnBench()
    turn = await bench.ask(endpoint=None)
    assert "Raw readings are kept for 90 days. [1]" in turn.record["answer"]
    assert (turn.record["mode"], turn.record["status"]) == ("extractive", "done")
    assert turn.of_type("turn")[0]["mode"] == "extractive"
    assert (turn.sources, turn.chips, turn.related) == ([1, 2], ["retention.md"], ["export.md"])
    assert turn.drawn == turn.record["blocks"]
    assert bench.transport.requests == []


async def test_deflects_when_the_search_does_not_pass() -> None:
    """Ibid's own words, no chip, the nearby pages."""
    bench = TurnBench()
    bench.planner.find("Who painted it?", ("radio.md", 0.34))
    turn = await bench.ask("Who painted it?", endpoint=None)
    assert turn.record["answer"] == "The documentation does not cover this."
    assert (turn.last["status"], turn.last["deflected"]) == ("deflected", True)
    assert (turn.sources, turn.chips, turn.related) == ([], [], ["radio.md"])
    assert turn.record["label"] == "No sources cited"


async def test_it_always_searches_so_it_never_restates() -> None:
    """Also where the words are those of a restatement."""
    bench = TurnBench()
    await bench.ask(endpoint=None)
    turn = await bench.ask("Make it shorter", endpoint=None)
    assert (turn.steps, turn.record["inherited_from"]) == (["search"], None)


@pytest.mark.parametrize(
    ("endpoint", "offline", "requests"),
    [(ENDPOINT, True, 0), (ENDPOINT, False, 2), (LOCAL, True, 2), (None, False, 0)],
)
async def test_offline_only_an_endpoint_on_this_machine_is_asked(
    endpoint: Endpoint | None, offline: bool, requests: int
) -> None:
    """Everywhere else an offline question is answered from passages at once."""
    bench = TurnBench()
    if requests:
        bench.transport.reply_calls(("search_docs", {"query": QUESTION}))
        bench.transport.reply_text("90 days [1].")
    turn = await bench.ask(endpoint=endpoint, offline=offline)
    assert len(bench.transport.requests) == requests
    assert turn.record["mode"] == ("agent" if requests else "extractive")


async def test_passages_that_are_missing_offline_are_an_error() -> None:
    """The question is kept, and the sentence says what is missing."""
    bench = TurnBench()
    bench.index.damaged = True
    turn = await bench.ask(endpoint=None, offline=True)
    assert (turn.last["code"], turn.record["status"]) == ("index_invalid", "failed")
    assert "text shard" in turn.last["message"]
