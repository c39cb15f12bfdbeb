"""``ibid eval`` and ``ibid search``: the figures, and the documents they print."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest

from ibid.errors import InputError
from ibid.models import Hit, PageHit, TurnPlan
from ibid.settings import Settings
from ibid_build.evaluate import Outcome, eval_command, summarise
from ibid_build.pack import pack
from ibid_build.questions import Question, read_questions
from ibid_build.search import search_command
from small_index import chunk
from static_chunks import StaticChunks

CHUNKS = [
    chunk("guide/install.md", "Install the station with the package manager.", title="Install"),
    chunk("guide/alerts.md", "An alert is sent when the water rises.", title="Alerts", heading="Sending"),
]


def outcome(ranked: list[str], pages: dict[str, float], *, cited: list[str] = [], kind: str = "") -> Outcome:  # noqa: B006
    hits = tuple(PageHit("docs", path, 1.0, 0.5, ()) for path in cited)
    plan = TurnPlan("q", bool(cited), 0.5, hits, (), ())
    return Outcome(Question("1", "q", pages, kind), plan, tuple(ranked), 0.002, 2)


def test_ndcg_is_the_published_formula() -> None:
    """Gains fall with the logarithm of the place, against the best order there could be."""
    found = outcome(["x", "a", "b"], {"a": 1, "b": 2, "c": 1})
    gained = 1 / math.log2(3) + 2 / math.log2(4)
    ideal = 2 / math.log2(2) + 1 / math.log2(3) + 1 / math.log2(4)
    assert found.ndcg == pytest.approx(gained / ideal)
    assert found.recall(5) == pytest.approx(2 / 3)
    assert found.reciprocal_rank == 0.5


def test_only_ten_pages_count() -> None:
    """The eleventh is not there."""
    found = outcome([f"x{i}" for i in range(10)] + ["a"], {"a": 1})
    assert (found.ndcg, found.recall(10), found.reciprocal_rank) == (0, 0, 0)


@pytest.mark.parametrize("name", ["guide/install.md", "guide/install", "install.md", "install"])
def test_a_page_matches_by_path_or_last_part(name: str) -> None:
    """With or without its extension."""
    assert outcome(["guide/install.md"], {name: 1}).ndcg == 1.0


def test_a_relevant_page_counts_once() -> None:
    """Two pages of one name share its gain."""
    assert outcome(["a/install.md", "b/install.md"], {"install": 1}).gains == [1, 0]


def test_the_summary() -> None:
    """Shares of what passed, and of those the chips and whether the right page is among them."""
    figures = summarise(
        [
            outcome(["a"], {"a": 1}, cited=["a", "b"]),
            outcome(["b"], {"a": 1}, cited=["b"]),
            outcome(["b"], {"a": 1}),
            outcome([], {}, kind="near", cited=["b"]),
            outcome([], {}, kind="near"),
            outcome([], {}, kind="far"),
        ]
    )
    assert figures["queries"] == 3
    assert figures["answerable_kept"] == pytest.approx(2 / 3, abs=1e-4)
    assert (figures["near_answered"], figures["far_answered"]) == (0.5, 0.0)
    assert (figures["chips_per_question"], figures["right_page_cited"]) == (1.5, 0.5)
    assert figures["chips_right"] == pytest.approx(1 / 3, abs=1e-4)
    assert figures["ms_per_query"] == 2.0


def test_a_right_page_counts_as_lost_only_where_it_could_have_been_cited() -> None:
    """Second of two that may be cited, but not cited: lost. Third: out of reach, whatever the bar."""
    figures = summarise(
        [
            outcome(["a", "b"], {"a": 1}, cited=["a"]),
            outcome(["b", "a"], {"a": 1}, cited=["b"]),
            outcome(["b", "c", "a"], {"a": 1}, cited=["b"]),
        ]
    )
    assert (figures["right_page_kept"], figures["right_page_cited"]) == (0.5, pytest.approx(1 / 3, abs=1e-4))


def write(path: Path, *rows: object) -> Path:
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def files(tmp_path: Path) -> tuple[Path, Path, Path]:
    return (
        write(
            tmp_path / "q.jsonl", {"id": "1", "text": "install the station"}, {"id": "2", "text": "no page"}
        ),
        write(
            tmp_path / "r.jsonl",
            {"query_id": "1", "page": "install", "rel": 1},
            {"query_id": "2", "page": "x", "rel": 0},
        ),
        write(tmp_path / "u.jsonl", {"id": "u", "text": "who painted the chapel?", "kind": "far"}),
    )


def published(tmp_path: Path) -> Path:
    pack(CHUNKS, tmp_path / "site", title="Tidewatch", settings=Settings(), encoder=StaticChunks)
    return tmp_path / "site"


def test_eval_prints_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The names of SPEC 8, and a line a query on request; queries without a relevant page are left out."""
    queries, qrels, unanswerable = files(tmp_path)
    code = eval_command(
        published(tmp_path),
        queries,
        qrels,
        unanswerable=unanswerable,
        per_query=tmp_path / "lines.jsonl",
        as_json=True,
        environment={},
    )
    figures = json.loads(capsys.readouterr().out)
    names = (
        "ndcg@10 recall@5 recall@10 mrr@10 queries ms_per_query answerable_kept near_answered far_answered"
    )
    assert set(names.split()) <= set(figures)
    assert (code, figures["queries"], figures["ndcg@10"], figures["near_answered"]) == (0, 1, 1.0, None)
    lines = [json.loads(line) for line in (tmp_path / "lines.jsonl").read_text().splitlines()]
    assert [(line["id"], line["kind"]) for line in lines] == [("1", "answerable"), ("u", "far")]


def eval_to(tmp_path: Path, per_query: str, **more: Any) -> int:
    queries, qrels, _ = files(tmp_path)
    return eval_command(
        published(tmp_path),
        queries,
        qrels,
        per_query=tmp_path / per_query,
        as_json=True,
        environment={},
        **more,
    )


def test_a_run_is_compared_with_an_earlier_one(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """With itself: no difference, and no interval around it."""
    eval_to(tmp_path, "first.jsonl")
    eval_to(tmp_path, "second.jsonl", baseline=tmp_path / "first.jsonl")
    compared = json.loads(capsys.readouterr().out.splitlines()[-1])["baseline"]
    assert compared.pop("queries") == 1
    assert set(compared) == {"ndcg@10", "recall@5", "recall@10", "mrr@10"}
    assert all(found == {"difference": 0.0, "low": 0.0, "high": 0.0} for found in compared.values())


@pytest.mark.parametrize(
    ("lines", "says"),
    [
        (
            '{"id": "other", "pages": ["a"], "ndcg@10": 1, "recall@5": 1, "recall@10": 1, "mrr@10": 1}',
            "none of",
        ),
        ('{"id": "1", "pages": ["a"], "ndcg@10": "high"}', "baseline.jsonl:1 lacks"),
    ],
)
def test_a_foreign_baseline_is_refused(tmp_path: Path, lines: str, says: str) -> None:
    """Of other questions, or not written by this command."""
    (tmp_path / "baseline.jsonl").write_text(lines, encoding="utf-8")
    with pytest.raises(InputError, match=says):
        eval_to(tmp_path, "run.jsonl", baseline=tmp_path / "baseline.jsonl")


def test_eval_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A line a figure."""
    queries, qrels, _ = files(tmp_path)
    eval_command(published(tmp_path), queries, qrels, as_json=False, environment={})
    assert "ndcg@10  1.0" in capsys.readouterr().out


BAD: list[tuple[str, Any, Any, str]] = [
    ("no JSON object", [1], {"query_id": "1", "page": "a"}, "q.jsonl:1 needs"),
    ("no text", {"id": "1"}, {"query_id": "1", "page": "a"}, "q.jsonl:1 needs"),
    (
        "a gain that is none",
        {"id": "1", "text": "x"},
        {"query_id": "1", "page": "a", "rel": "high"},
        "rel is 'high'",
    ),
    (
        "a gain beyond all floats",
        {"id": "1", "text": "x"},
        {"query_id": "1", "page": "a", "rel": 10**400},
        "not a number",
    ),
    ("two sets", {"id": "1", "text": "x"}, {"query_id": "2", "page": "a"}, "same set"),
]


@pytest.mark.parametrize(("query", "qrel", "says"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_broken_question_files_are_named(tmp_path: Path, query: Any, qrel: Any, says: str) -> None:
    """File, line, and what it needs."""
    with pytest.raises(InputError, match=says):
        read_questions(write(tmp_path / "q.jsonl", query), write(tmp_path / "r.jsonl", qrel))


def test_missing_question_files(tmp_path: Path) -> None:
    """A file that is not there, and one that is not JSON."""
    with pytest.raises(InputError, match="cannot be read"):
        read_questions(tmp_path / "none", tmp_path / "none")
    for text in ("{", "[" * 100_000):
        (tmp_path / "r.jsonl").write_text(text)
        with pytest.raises(InputError, match=r"r\.jsonl:1 is not JSON"):
            read_questions(tmp_path / "q.jsonl", tmp_path / "r.jsonl")


def test_a_question_may_hold_line_separators(tmp_path: Path) -> None:
    """U+2028 and its like end no line of JSON; a byte order mark is no part of it."""
    text = "one\u2028two\x85three"
    (tmp_path / "q.jsonl").write_text('\ufeff{"id": "1", "text": "' + text + '"}\n', encoding="utf-8")
    (tmp_path / "r.jsonl").write_text('{"query_id": "1", "page": "a"}\n', encoding="utf-8")
    (question,) = read_questions(tmp_path / "q.jsonl", tmp_path / "r.jsonl")
    assert question.text == text


def test_search_prints_one_document(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Exactly the fields of SPEC 8."""
    folder = published(tmp_path)
    assert search_command(folder, "install the station", as_json=True, environment={}) == 0
    found = json.loads(capsys.readouterr().out)
    assert set(found) == {"query", "passes", "deflected", "relevance", "cited", "related", "hits"}
    assert found["deflected"] is not found["passes"]
    hit = found["hits"][0]
    assert list(hit) == [
        *("rank", "source", "path", "url", "anchor", "heading_path"),
        *("text", "cosine", "bm25", "score"),
    ]
    assert (hit["rank"], hit["path"], hit["text"]) == (1, "guide/install.md", CHUNKS[0].text)
    for page in (*found["cited"], *found["related"]):
        assert set(page) == {"source", "path", "url", "title", "cosine", "score"}
    assert len(found["hits"]) == 2


def test_search_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """The decision first, then passages with their scores."""
    search_command(published(tmp_path), "install the station", as_json=False, environment={})
    out = capsys.readouterr().out
    assert out.startswith("relevance ")
    assert "1. Install" in out
    assert "https://docs.example/guide/install.md" in out


def test_settings_come_from_the_folder_and_the_environment(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """``config.json`` first, ``IBID_<NAME>`` over it; fields of other releases are passed over."""
    folder = published(tmp_path)
    (folder / "config.json").write_text(json.dumps({"settings": {"candidates": 1, "later": True}}))
    search_command(folder, "install", as_json=True, environment={})
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 1
    search_command(folder, "install", as_json=True, environment={"IBID_CANDIDATES": "2"})
    assert len(json.loads(capsys.readouterr().out)["hits"]) == 2


@pytest.mark.parametrize("config", ["{", "[]", '{"settings": 1}'])
def test_a_broken_config_is_an_input_error(tmp_path: Path, config: str) -> None:
    """It is a file of the build, so the next step is to build again."""
    folder = published(tmp_path)
    (folder / "config.json").write_text(config)
    with pytest.raises(InputError, match=r"config\.json"):
        search_command(folder, "install", as_json=True, environment={})


def test_search_needs_a_folder(tmp_path: Path) -> None:
    """A mistyped name is told from a damaged index."""
    with pytest.raises(InputError, match="no folder"):
        search_command(tmp_path / "none", "x", as_json=True, environment={})


def test_hits_carry_what_tiering_needs() -> None:
    """A hit's figures default to those of nothing found."""
    hit = Hit(0, "c", "docs", "a.md", 0.5, None)
    assert (hit.bm25, hit.coverage, hit.relevance, hit.matched) == (0.0, 0.0, 0.0, ())
