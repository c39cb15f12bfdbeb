"""Answers without a model: SPEC 4.4."""

from __future__ import annotations

import pytest

from ibid.models import Endpoint
from turn_bench import QUESTION, TurnBench


async def test_quotes_the_cited_passages_verbatim_each_with_its_mark() -> None:
    """Without an endpoint the answer is sentences of the cited passages; nothing is sent anywhere."""
    bench = TurnBench()
    turn = await bench.ask(endpoint=None)
    assert "Raw readings are kept for 90 days. [1]" in turn.record["answer"]
    assert turn.record["mode"] == "extractive"
    assert (turn.last["type"], turn.last["status"]) == ("done", "done")
    assert turn.sources == [1, 2]
    assert turn.chips == ["retention.md"]
    assert turn.related == ["export.md"]
    assert bench.transport.requests == []
