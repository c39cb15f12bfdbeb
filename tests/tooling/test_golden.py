"""``ibid check --questions``: a maintainer's own questions, in words, as JSON, and as an exit code."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from ibid.errors import InputError
from ibid.settings import Settings
from ibid_build.check import check_command
from ibid_build.pack import pack
from ibid_build.questions import read_golden
from small_index import chunk
from static_chunks import StaticChunks

CHUNKS = [
    chunk("guide/install.md", "Install the station with the package manager.", title="Install"),
    chunk("guide/alerts.md", "An alert is sent when the water rises.", title="Alerts"),
]
INSTALL, CHAPEL = "How do I install the station?", "Who painted the chapel?"


def published(tmp_path: Path) -> Path:
    pack(CHUNKS, tmp_path / "site", title="Tidewatch", settings=Settings(), encoder=StaticChunks)
    return tmp_path / "site"


def golden(tmp_path: Path, *rows: Any) -> Path:
    path = tmp_path / "golden.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def row(question: str, page: Any) -> dict[str, Any]:
    return {"question": question, "page": page}


@pytest.mark.parametrize(
    "page", ["guide/install.md", "/guide/install.html#top", "guide/install", "install", ["alerts", "install"]]
)
def test_a_question_that_cites_its_page_is_kept(tmp_path: Path, page: Any) -> None:
    """By path or by last part; of several pages one will do."""
    file = golden(tmp_path, row(INSTALL, page), row(CHAPEL, "not covered"))
    assert check_command(published(tmp_path), questions=file, as_json=False, environment={}) == 0


LOST = [
    ("another page", INSTALL, "alerts", {}, "should cite alerts, but cites guide/install.md"),
    ("deflected", CHAPEL, "install", {}, "is not answered (relevance"),
    ("answered", INSTALL, "not covered", {}, "should not be answered, but cites guide/install.md"),
    ("renamed", INSTALL, "setup", {}, "should cite setup, which the index does not have"),
    ("a bar too high", INSTALL, "install", {"IBID_RELEVANCE_THRESHOLD": "1.0"}, "needed 1.00"),
]


@pytest.mark.parametrize(
    ("question", "page", "environment", "says"), [x[1:] for x in LOST], ids=[x[0] for x in LOST]
)
def test_a_lost_question_fails_the_check(
    tmp_path: Path,
    capsys: pytest.CaptureFixture[str],
    question: str,
    page: str,
    environment: dict[str, str],
    says: str,
) -> None:
    """An error with file and line, and what to do; exit 1, so that it can stand in anybody's CI."""
    file = golden(tmp_path, row(question, page))
    environment = {"IBID_TOP_N_DOCS": "1", **environment}
    assert check_command(published(tmp_path), questions=file, as_json=True, environment=environment) == 1
    document = json.loads(capsys.readouterr().out)
    (finding,) = document["findings"]
    assert (finding["severity"], finding["page"], finding["line"]) == ("error", str(file), 1)
    assert says in finding["what"]
    assert finding["next"]
    assert document["questions"][0]["kept"] is False


def test_where_each_question_falls(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """Kept ones too, with relevance, rank and what is cited."""
    file = golden(tmp_path, row(INSTALL, "install"), row(CHAPEL, "install"))
    check_command(published(tmp_path), questions=file, as_json=True, environment={})
    kept, lost = json.loads(capsys.readouterr().out)["questions"]
    assert (kept["kept"], kept["rank"], kept["cited"][0]) == (True, 1, "guide/install.md")
    assert (lost["kept"], lost["passes"], lost["cited"]) == (False, False, [])
    assert kept["relevance"] > 0.35 > lost["relevance"]
    check_command(published(tmp_path), questions=file, as_json=False, environment={})
    out = capsys.readouterr().out
    assert "1 of 2 golden questions are kept:" in out
    assert f"LOST  {lost['relevance']:.2f}  {CHAPEL}: cites nothing" in out


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([], "holds no question"),
        ([{"text": "x", "page": "a"}], "golden.jsonl:1 needs question"),
        ([row("x", "a"), row(" ", "a")], "golden.jsonl:2 needs a question"),
        ([{"question": "x"}], "golden.jsonl:1 needs a question, and as its page"),
        ([row("x", [])], "golden.jsonl:1 needs"),
        ([row("x", ["a", 1])], "golden.jsonl:1 needs"),
        ([row("x", None)], 'or "not covered"'),
    ],
)
def test_broken_golden_files_are_named(tmp_path: Path, rows: list[Any], says: str) -> None:
    """File, line, and what it needs; a page that is merely missing is not taken for "not covered"."""
    with pytest.raises(InputError, match=says):
        read_golden(golden(tmp_path, *rows))


def test_questions_of_a_damaged_site_are_not_asked(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    """The damage is what is told."""
    folder = published(tmp_path)
    next(folder.glob("index/vectors*")).write_bytes(b"other")
    assert check_command(folder, questions=golden(tmp_path, row("x", "a")), as_json=True, environment={}) == 1
    document = json.loads(capsys.readouterr().out)
    assert "vectors" in document["findings"][0]["what"]
    assert "questions" not in document
