"""``ibid check``: findings and figures of a published index."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path

import pytest

from ibid.settings import Settings
from ibid_build.check import check, check_command
from ibid_build.findings import Finding
from ibid_build.pack import pack
from small_index import chunk
from static_chunks import StaticChunks


def published(tmp_path: Path, *texts: str, findings: list[Finding] | None = None) -> Path:
    chunks = [chunk(f"{i}.md", text, title=f"Page {i}") for i, text in enumerate(texts)]
    pack(chunks, tmp_path, title="T", settings=Settings(), encoder=StaticChunks, findings=findings or [])
    return tmp_path


def test_a_sound_index(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """No finding, the figures of the build, exit 0."""
    folder = published(tmp_path, "the water level rises", "the gauge is read")
    assert check_command(folder, as_json=True, environment={}) == 0
    document = json.loads(capsys.readouterr().out)
    assert document["findings"] == []
    figures = document["index"]
    assert (figures["pages"], figures["chunks"], figures["kind"]) == (2, 2, "dense")
    assert figures["threshold"] >= figures["floor"] == 0.35
    assert figures["bytes"] > 0


def test_a_sound_index_in_words(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """A summary that fits on a screen; the figures behind it are for ``--json``."""
    folder = published(tmp_path, "the water level rises", "the gauge is read")
    assert check_command(folder, as_json=False, environment={}) == 0
    lines = capsys.readouterr().out.splitlines()
    assert "2 pages, 2 passages" in lines[0]
    assert "by meaning and words" in lines[1]
    assert "relevance of 0.35 on, cited from 0.35 on" in lines[2]
    assert lines[-1] == "All figures: --json"


@pytest.mark.parametrize("part", ["texts-000", "vectors", "report"])
def test_a_damaged_part_is_an_error(tmp_path: Path, capsys: pytest.CaptureFixture[str], part: str) -> None:
    """Also of a part that is only fetched when it is asked for."""
    folder = published(tmp_path, "the water level rises")
    next(folder.glob(f"index/{part}*")).write_bytes(b"other")
    assert check_command(folder, as_json=True, environment={}) == 1
    finding = json.loads(capsys.readouterr().out)["findings"][0]
    assert (finding["severity"], part in finding["what"]) == ("error", True)
    assert "ibid build" in finding["next"]


def as_site(folder: Path) -> Path:
    """A site of two files around the index."""
    (folder / "index.html").write_bytes(b"<p>")
    (folder / "app").mkdir()
    (folder / "app" / "a.js").write_bytes(b"go()")
    files = {
        name: {"sha256": [hashlib.sha256((folder / name).read_bytes()).hexdigest()]}
        for name in ("index.html", "app/a.js")
    }
    release = json.dumps({"build": "x", "files": files})
    (folder / "sw.js").write_bytes(f"self.release = {release};\nrest()".encode())
    return folder


@pytest.mark.parametrize(
    ("name", "data", "what"),
    [
        ("app/a.js", None, "app/a.js is missing"),
        ("index.html", None, "index.html is missing"),
        ("app/a.js", b"other", "app/a.js is not as the build wrote it"),
        ("sw.js", None, "sw.js is missing or damaged"),
        ("sw.js", b"self.release = {;\n", "sw.js is missing or damaged"),
        ("sw.js", b"self.release = [];\n", "sw.js is missing or damaged"),
        ("sw.js", b'self.release = {"files": {"a": 1}};\n', "sw.js is missing or damaged"),
        ("config.json", b"{", "config.json cannot be read"),
        ("config.json", b"[" * 100_000, "config.json cannot be read"),
        ("config.json", b'{"settings": {"top_n_docs": 0}}', "top_n_docs is 0"),
    ],
)
def test_a_damaged_site_is_an_error(tmp_path: Path, name: str, data: bytes | None, what: str) -> None:
    """Every file that the service worker keeps, and the settings."""
    folder = as_site(published(tmp_path, "the water level rises"))
    assert check(folder, {})[0] == []
    if data is None:
        (folder / name).unlink()
    else:
        (folder / name).write_bytes(data)
    (finding,) = check(folder, {})[0]
    assert (finding.severity, what in finding.what) == ("error", True)
    assert "ibid build" in finding.next


def test_no_index_at_all(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    """An error among the findings, in words too."""
    assert check_command(tmp_path, as_json=False, environment={}) == 1
    assert "error: " in capsys.readouterr().out


def test_what_the_build_noticed_comes_first(tmp_path: Path) -> None:
    """With page and line."""
    noticed = Finding("warning", "a.md", 3, "a broken link", "mend it")
    findings, _ = check(published(tmp_path, "the water level", findings=[noticed]), {})
    assert findings[0] == noticed


def test_a_lexical_index_says_so(tmp_path: Path) -> None:
    """The maintainer learns why no cosine is shown."""
    findings, figures = check(
        published(tmp_path, "Ο έλεγχος ταυτότητας χρησιμοποιεί διακριτικά.", "Λειτουργεί τη νύχτα."), {}
    )
    assert figures["kind"] == "lexical"
    assert any("does not know the language" in finding.what for finding in findings)


def test_pages_of_one_title_are_told(tmp_path: Path) -> None:
    """Their chips look the same."""
    chunks = [chunk(f"{i}.md", f"the water level {i}", title="Overview") for i in range(2)]
    pack(chunks, tmp_path, title="T", settings=Settings(), encoder=StaticChunks)
    findings, _ = check(tmp_path, {})
    assert [(f.severity, f.page) for f in findings if "'Overview'" in f.what] == [("info", "0.md")]


def test_the_maintainers_own_threshold_is_shown(tmp_path: Path) -> None:
    """Beside the fitted one."""
    folder = published(tmp_path, "the water level rises")
    _, figures = check(folder, {"IBID_RELEVANCE_THRESHOLD": "0.9"})
    assert (figures["threshold"], figures["fitted_threshold"] < 0.9) == (0.9, True)
