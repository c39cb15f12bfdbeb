"""A prepared corpus, one passage a line: ``{"id", "page", "title", "heading", "text"}`` as JSON.

Retrieval sets come in this form. Passages are taken as they are, those of a page brought together.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ibid.errors import InputError
from ibid.models import Chunk

_HEADINGS = " > "


def read_corpus(path: Path) -> list[Chunk]:
    """The passages of ``path``, pages in order of their first passage. Raises InputError with the line."""
    pages: dict[str, list[Chunk]] = {}
    ends: dict[str, int] = {}
    source = path.stem
    for line, row in _rows(path):
        page, title, text = row["page"], row["title"], row["text"].strip()
        if not text:
            continue
        headings = tuple(h.strip() for h in row["heading"].split(_HEADINGS) if h.strip())
        if headings[:1] != (title,):
            headings = (title, *headings)
        start = ends[page] + 2 if page in ends else 0
        ends[page] = start + len(text)
        chunk = Chunk(
            id=hashlib.sha256("\0".join((source, page, "", *headings, text)).encode()).hexdigest()[:16],
            source=source,
            path=page,
            url=page,
            title=title,
            anchor="",
            heading_path=headings,
            text=text,
            start=start,
            end=ends[page],
            line=line,
        )
        pages.setdefault(page, []).append(chunk)
    if not pages:
        raise InputError(
            f"{path} holds no passage; each line must be a JSON object with page, title and text"
        )
    return [chunk for chunks in pages.values() for chunk in chunks]


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        lines = path.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Any = json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number} is not JSON: {error}") from error
        fields = (
            {name: row.get(name, "") for name in ("page", "title", "heading", "text")}
            if isinstance(row, dict)
            else {}
        )
        if not fields.get("page") or not all(isinstance(value, str) for value in fields.values()):
            raise InputError(f"{path}:{number} needs a page, and title, heading and text as strings")
        yield number, {**fields, "title": fields["title"] or fields["page"]}
