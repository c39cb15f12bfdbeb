"""A Jupyter notebook (nbformat 3 and 4) as Markdown: text, code, and what the code briefly printed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

from ibid import foreign_json
from ibid_build.findings import Finding

MOST_LINES = 20  # of one output; tables and logs say little and bury what is said
MOST_CHARACTERS = 1_000

# What notebooks, Jupyter Book, nbconvert and nbsphinx write on what readers are not to see.
_NO_CELL = frozenset(("remove-cell", "remove_cell", "hide-cell", "hide_cell", "hidden", "nbsphinx-hidden"))
_NO_INPUT = frozenset(("remove-input", "remove_input", "hide-input", "hide_input"))
_NO_OUTPUT = frozenset(("remove-output", "remove_output", "hide-output", "hide_output"))
_COLOURS = re.compile(r"\x1b\[[0-9;]*[A-Za-z]")
_FENCE = re.compile(r"^[ \t]*(`{3,})", re.MULTILINE)


def notebook_markdown(text: str, path: str) -> tuple[str, tuple[Finding, ...]]:
    """The notebook in ``text`` as Markdown, and what is wrong with it; "" when it cannot be read.

    Raw cells, pictures and hidden cells, inputs and outputs are left out. ``path`` names it in findings.
    """
    try:
        notebook = foreign_json.loads(text.encode())
    except ValueError as error:
        line = getattr(error, "lineno", 0)
        return "", (Finding("warning", path, line, f"is no notebook: {error}", "save it again in Jupyter"),)
    cells = _cells(notebook)
    if cells is None:
        return "", (Finding("warning", path, 0, "has no cells: left out", "save it again in Jupyter"),)
    language = _language(notebook)
    return "\n\n".join(part for cell in cells for part in _parts(cell, language)) + "\n", ()


def _cells(notebook: Any) -> list[Any] | None:
    if not isinstance(notebook, dict):
        return None
    worksheets = notebook.get("worksheets")  # nbformat 3
    if isinstance(worksheets, list):
        return [cell for sheet in worksheets for cell in _cells(sheet) or ()]
    cells = notebook.get("cells")
    return cells if isinstance(cells, list) else None


def _language(notebook: Mapping[str, Any]) -> str:
    for name, key in (("language_info", "name"), ("kernelspec", "language")):
        about = _mapping(_mapping(notebook.get("metadata")).get(name)).get(key)
        if isinstance(about, str) and re.fullmatch(r"[\w+#.-]{1,30}", about):
            return about.lower()
    return "python"


def _parts(cell: Any, language: str) -> Iterator[str]:
    cell = _mapping(cell)
    metadata = _mapping(cell.get("metadata"))
    hidden = _mapping(metadata.get("jupyter"))
    tags = {tag for tag in _list(metadata.get("tags")) if isinstance(tag, str)}
    if tags & _NO_CELL or metadata.get("nbsphinx") == "hidden":
        return
    source = _text(cell.get("source", cell.get("input")))
    match cell.get("cell_type"):
        case "markdown" if source.strip():
            yield source.strip("\n")
        case "heading" if source.strip():  # nbformat 3
            level = cell.get("level")
            yield f"{'#' * (level if isinstance(level, int) and 1 <= level <= 6 else 2)} {source.strip()}"
        case "code":
            if source.strip() and not tags & _NO_INPUT and not hidden.get("source_hidden"):
                yield _fenced(source.strip("\n"), language)
            if not tags & _NO_OUTPUT and not hidden.get("outputs_hidden"):
                for output in _list(cell.get("outputs")):
                    printed = _printed(_mapping(output))
                    if printed:
                        yield _fenced(printed, "text")


def _printed(output: Mapping[str, Any]) -> str:
    """What an output shows as text, a result cut where it is long; "" for pictures, errors and long logs."""
    is_log = output.get("output_type") == "stream"
    if is_log:
        text = _text(output.get("text")) if output.get("name", "stdout") == "stdout" else ""
    else:
        data = _mapping(output.get("data", output))
        is_picture = any(name.startswith("image/") for name in data)
        text = "" if is_picture else _text(data.get("text/plain", data.get("text")))
    text = _COLOURS.sub("", text).strip("\n")
    short = "\n".join(text.split("\n", MOST_LINES)[:MOST_LINES])[:MOST_CHARACTERS]
    return text if short == text else "" if is_log else f"{short}\n…"


def _fenced(text: str, language: str) -> str:
    fence = "`" * max((len(run) + 1 for run in _FENCE.findall(text)), default=3)
    return f"{fence}{language}\n{text}\n{fence}"


def _text(value: Any) -> str:
    """Text, or the lines that it is stored as."""
    if isinstance(value, list):
        return "".join(line for line in value if isinstance(line, str))
    return value if isinstance(value, str) else ""


def _list(value: Any) -> list[Any]:
    return value if isinstance(value, list) else []


def _mapping(value: Any) -> Mapping[str, Any]:
    return value if isinstance(value, dict) else {}
