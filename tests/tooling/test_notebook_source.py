"""Jupyter notebooks: text and code, short outputs, nothing hidden."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid_build.config import BuildConfig
from ibid_build.sources import read_tree
from ibid_build.sources.notebook import MOST_LINES, notebook_markdown


def markdown(source: str | list[str], **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "markdown", "metadata": metadata, "source": source}


def code(source: str, *outputs: dict[str, Any], **metadata: Any) -> dict[str, Any]:
    return {"cell_type": "code", "metadata": metadata, "source": source, "outputs": list(outputs)}


def printed(text: str, name: str = "stdout") -> dict[str, Any]:
    return {"output_type": "stream", "name": name, "text": text}


def result(**data: str) -> dict[str, Any]:
    return {"output_type": "execute_result", "data": {n.replace("_", "/"): v for n, v in data.items()}}


def made(*cells: dict[str, Any], **metadata: Any) -> str:
    text, findings = notebook_markdown(json.dumps({"cells": cells, "metadata": metadata}), "n.ipynb")
    assert findings == ()
    return text


def test_text_and_code_stand_in_their_order() -> None:
    """Source is a text or a list of lines; the fence names the kernel's language and is long enough."""
    text = made(
        markdown(["# Tides\n", "\n", "Fit them."]),
        code("fit('```')\n```"),
        {"cell_type": "raw", "source": "never"},
        language_info={"name": "R"},
    )
    assert text == "# Tides\n\nFit them.\n\n````r\nfit('```')\n```\n````\n"


def test_of_outputs_only_short_text_is_kept() -> None:
    """No pictures, no markup, no errors, no logs, no colours; a long result is cut."""
    text = made(
        code(
            "fit()",
            printed("score \x1b[1m0.9\x1b[0m\n"),
            printed("\n".join(f"step {n}" for n in range(500))),
            printed("a warning", "stderr"),
            result(text_html="<table>", text_plain="a  1"),
            result(image_png="QUJD", text_plain="<Figure>"),
            result(text_plain="\n".join(f"row {n}" for n in range(100))),
            {"output_type": "error", "traceback": ["\x1b[31mKeyError"]},
        )
    )
    assert "score 0.9" in text
    assert "a  1" in text
    assert f"row {MOST_LINES - 1}\n…" in text
    for absent in ("step", "warning", "<table>", "QUJD", "Figure", f"row {MOST_LINES}", "KeyError", "\x1b"):
        assert absent not in text


@pytest.mark.parametrize(
    "metadata",
    [{"tags": ["remove-cell"]}, {"tags": ["x", "hide_cell"]}, {"nbsphinx": "hidden"}],
    ids=str,
)
def test_hidden_cells_are_left_out(metadata: dict[str, Any]) -> None:
    secrets = [code("SECRET", printed("SECRET"), **metadata), markdown("SECRET", **metadata)]
    text = made(*secrets, markdown("Open."))
    assert text == "Open.\n"


@pytest.mark.parametrize(
    ("metadata", "shown"),
    [
        ({"tags": ["remove-input"]}, ["out"]),
        ({"jupyter": {"source_hidden": True}}, ["out"]),
        ({"tags": ["hide-output"]}, ["source"]),
        ({"jupyter": {"outputs_hidden": True}}, ["source"]),
        ({"tags": None}, ["source", "out"]),
    ],
    ids=str,
)
def test_hidden_halves_are_left_out(metadata: dict[str, Any], shown: list[str]) -> None:
    text = made(code("source", printed("out"), **metadata))
    assert [word for word in ("source", "out") if word in text] == shown


def test_a_notebook_of_the_third_format_is_read() -> None:
    cells = [
        {"cell_type": "heading", "level": 2, "source": ["Old"]},
        {"cell_type": "code", "input": "x = 1", "outputs": [{"output_type": "pyout", "text": ["1"]}]},
    ]
    text, findings = notebook_markdown(json.dumps({"worksheets": [{"cells": cells}]}), "n.ipynb")
    assert (text, findings) == ("## Old\n\n```python\nx = 1\n```\n\n```text\n1\n```\n", ())


@pytest.mark.parametrize(
    ("text", "line", "what"),
    [
        ('{"cells": [\n{"a" 1}]}', 2, "is no notebook"),
        ("", 1, "is no notebook"),
        ("[" * 5_000, 0, "nests deeper"),
        ("{}", 0, "has no cells"),
        ("[]", 0, "has no cells"),
        ('{"cells": 5}', 0, "has no cells"),
    ],
)
def test_a_damaged_notebook_is_named(text: str, line: int, what: str) -> None:
    made_of_it, (finding,) = notebook_markdown(text, "a/n.ipynb")
    assert (made_of_it, finding.page, finding.line) == ("", "a/n.ipynb", line)
    assert what in finding.what


NAMES = st.sampled_from(["text", "name", "data", "tags", "jupyter", "level", "nbsphinx", "output_type"])
ANYTHING = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=20),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(NAMES, inner, max_size=5),
    max_leaves=20,
)
CELLS = st.fixed_dictionaries(
    {"cell_type": st.sampled_from(["code", "markdown", "heading"]) | ANYTHING},
    optional=dict.fromkeys(("source", "input", "outputs", "metadata", "level"), ANYTHING),
)


@given(
    st.fixed_dictionaries({"cells": st.lists(CELLS | ANYTHING, max_size=4) | ANYTHING, "metadata": ANYTHING})
)
def test_any_json_is_read_or_named(value: Any) -> None:
    text, findings = notebook_markdown(json.dumps(value), "n.ipynb")
    assert isinstance(text, str)
    assert all(finding.page == "n.ipynb" for finding in findings)


def test_a_notebook_is_a_page_of_the_tree(tmp_path: Path) -> None:
    """Titled by its heading, addressed as the tool addresses it; a damaged one does not end the build."""
    (tmp_path / "mkdocs.yml").write_text("site_name: Kit\n")
    docs = tmp_path / "docs"
    docs.mkdir()
    cells = [markdown("# Fit the tides\n\nIt takes a moment."), code("fit()")]
    (docs / "fit.ipynb").write_text(json.dumps({"cells": cells}))
    (docs / "broken.ipynb").write_text("{")
    found = read_tree(tmp_path, BuildConfig())
    assert [(page.path, page.title, page.url) for page in found.pages] == [
        ("fit.ipynb", "Fit the tides", "../fit/")
    ]
    assert any(finding.page == "broken.ipynb" for finding in found.warnings)
