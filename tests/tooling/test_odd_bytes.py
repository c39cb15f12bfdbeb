"""Bytes and escapes that are no text: a build reads past them, and says so."""

from __future__ import annotations

import json
import os
from pathlib import Path

import pytest

from doc_tree import write_tree
from ibid_build.check import check
from ibid_build.cli import main
from ibid_build.sources.decoding import decode

HALF = "\ud800"


@pytest.mark.parametrize(
    "files",
    [
        {"a.md": '---\ntitle: "Tide\\uD800"\n---\nWords about tides.\n'},
        {"a.md": '---\ntitle: Tide\nslug: "a\\uD800"\nlang: "\\uD800"\n---\nWords about tides.\n'},
        {"a.md": "# Tide &#xD800; &#0;\n\nWords about tides.\n"},
        {"a.html": "<html><title>T&#xD800;</title><body><main><h1>T&#55296;</h1><p>Words</p></main></body>"},
        {
            "mkdocs.yml": 'site_name: "T\\uD800"\nnav:\n- "N\\uD800": a.md\n',
            "docs/a.md": "Words about tides.\n",
        },
    ],
)
def test_half_characters_break_no_build(tmp_path: Path, files: dict[str, str]) -> None:
    """YAML and HTML can write them; no UTF-8 can hold them."""
    docs, out = write_tree(tmp_path / "docs", files), tmp_path / "out"
    assert main(["build", str(docs), "--out", str(out), "--index-only"]) == 0
    assert check(out, {})[1]["pages"] == 1


def test_half_characters_in_a_corpus(tmp_path: Path) -> None:
    """JSON can write them too."""
    row = {"page": f"a{HALF}", "title": f"T{HALF}", "heading": f"H{HALF}", "text": f"Words {HALF} on tides."}
    (tmp_path / "c.jsonl").write_text(json.dumps(row))
    out = tmp_path / "out"
    assert main(["build", str(tmp_path / "c.jsonl"), "--out", str(out), "--index-only"]) == 0
    assert check(out, {})[1]["pages"] == 1


def test_a_name_that_is_not_utf_8_is_left_out(tmp_path: Path) -> None:
    """With a warning: no address could lead there. So are the pages of such a folder."""
    docs = write_tree(tmp_path / "docs", {"a.md": "Words about tides.\n"})
    odd = os.fsencode(docs) + b"/caf\xe9"
    os.mkdir(odd)
    for name in (odd + b"/b.md", odd + b".md"):
        with open(name, "wb") as file:
            file.write(b"Other words.\n")
    out = tmp_path / "out"
    assert main(["build", str(docs), "--out", str(out), "--index-only"]) == 0
    findings, figures = check(out, {})
    assert figures["pages"] == 1
    assert [(f.severity, f.page) for f in findings] == [("warning", "caf\ufffd"), ("warning", "caf\ufffd.md")]


@pytest.mark.parametrize(
    "name", ["hex", "rot13", "undefined", "idna", "unicode_escape", "utf-7", "none", "utf-8"]
)
def test_a_charset_that_no_browser_knows_is_not_believed(name: str) -> None:
    """Python has encodings that are none of text, or that make text of anything."""
    decoded = decode(b"<meta charset='" + name.encode() + b"'>caf\xe9 \\ud800", html=True)
    assert decoded is not None
    assert decoded.text.endswith("café \\ud800")
    assert "cp1252" in decoded.note
