"""``ibid ask``: the document of SPEC 8, over a real index, a real socket and no model."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ibid.calibration import PiecewiseLinear
from ibid.errors import InputError
from ibid.index import Calibration
from ibid.index_format import IndexContents, write_index
from ibid.models import Chunk
from ibid.retrieval.postings import build_lexicon
from ibid_build.ask import ask_command
from scripted_endpoint import ScriptedEndpoint

TURN = {
    *("id", "question", "answer", "status", "mode", "deflected", "stopped", "inherited_from", "sources"),
    *("cited", "related", "steps", "error", "query_log"),
}
SOURCE = {"n", "chunk", "source", "path", "url", "title", "heading_path", "quote", "cosine", "via"}


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A published folder with an index of two pages, lexical: it needs no encoder."""
    folder = tmp_path_factory.mktemp("site")
    texts = {
        "retention.md": "Raw readings are kept for 90 days. After that they are thinned to one an hour.",
        "radio.md": "The radio sends on channel seven and needs an aerial.",
    }
    chunks = [
        Chunk(f"{n:016x}", "tidewatch", path, f"{path[:-3]}.html", path[:-3], "top", (path[:-3],), text)
        for n, (path, text) in enumerate(texts.items(), 1)
    ]
    straight = PiecewiseLinear([[0.0, 0.0], [1.0, 1.0]])
    contents = IndexContents(
        title="Tidewatch",
        chunks=chunks,
        language="en",
        lexicon=build_lexicon(chunks),
        dense=None,
        calibration=Calibration(cosine=straight, relevance=straight, coverage=straight),
        threshold=0.35,
        figures={},
        report=[],
    )
    write_index(folder, contents)
    return folder


def asked(
    site: Path,
    capsys: pytest.CaptureFixture[str],
    *questions: str,
    base_url: str | None = None,
    key: str = "",
) -> dict[str, Any]:
    code = ask_command(
        site,
        questions,
        base_url=base_url,
        model="scripted",
        as_json=True,
        environment={"IBID_API_KEY": key},
    )
    assert code == 0
    output = capsys.readouterr()
    assert output.err == ""
    document: dict[str, Any] = json.loads(output.out)
    assert set(document) == {"turns", "frames"}
    for turn in document["turns"]:
        assert set(turn) == TURN
        assert all(set(source) == SOURCE for source in turn["sources"])
    return document


def test_without_an_endpoint_passages_answer(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No key, no network: verbatim sentences with their marks, and the search with every scored page."""
    document = asked(site, capsys, "How long are raw readings kept?")
    (turn,) = document["turns"]
    assert turn["answer"].startswith("Raw readings are kept for 90 days. [1]")
    assert (turn["status"], turn["mode"], turn["error"]) == ("done", "extractive", None)
    assert turn["cited"] == ["retention.md"]
    assert turn["sources"][0]["url"] == "retention.html#top"
    (search,) = turn["query_log"]
    assert search["passes"]
    assert {"path": "retention.md", "tier": "cited"}.items() <= search["pages"][0].items()
    assert [frame["type"] for frame in document["frames"]] == [
        *("turn", "step", "sources", "answer", "sources", "done"),
    ]
    assert {frame["turn"] for frame in document["frames"]} == {turn["id"]}


def test_several_questions_are_one_conversation(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The second restates the first and keeps its source; the key goes to the endpoint only."""
    with ScriptedEndpoint(key="sk-1") as endpoint:
        endpoint.calls(("search_docs", {"query": "raw readings kept"}))
        endpoint.text("For 90 days [1].")
        endpoint.calls(("no_evidence_needed", {"reason": "shorter"}))
        endpoint.text("90 days [1].")
        base_url = endpoint.base_url
        document = asked(site, capsys, "How long?", "Shorter", base_url=base_url, key="sk-1")
    first, second = document["turns"]
    assert second["inherited_from"] == first["id"]
    assert second["sources"] == first["sources"]
    assert (second["cited"], second["query_log"]) == (["retention.md"], [])
    assert "sk-1" not in json.dumps(document)


def test_a_failed_turn_is_data(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The command did run: exit 0, and the error is in the turn."""
    with ScriptedEndpoint(key="sk-1") as endpoint:
        document = asked(site, capsys, "How long?", base_url=endpoint.base_url, key="sk-wrong")
    (turn,) = document["turns"]
    assert turn["status"] == "failed"
    assert set(turn["error"]) == {"code", "message"}
    assert turn["error"]["code"] == "unauthorized"
    assert document["frames"][-1]["type"] == "error"


def test_in_words(site: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The answer, then its footnotes; with several questions each stands above its answer."""
    questions = ["How long are raw readings kept?", "Who painted the ceiling?"]
    ask_command(site, questions, base_url=None, model=None, as_json=False, environment={})
    output = capsys.readouterr().out
    assert "> How long are raw readings kept?\n\nRaw readings are kept for 90 days. [1]" in output
    assert "[1] retention (retention.html#top)" in output
    assert "The documentation does not cover this." in output


def test_no_folder_is_an_input_error(tmp_path: Path) -> None:
    """One sentence that names it."""
    with pytest.raises(InputError, match="nowhere is no folder"):
        ask_command(tmp_path / "nowhere", ["x"], base_url=None, model=None, as_json=True, environment={})
