"""A prepared corpus, one passage a line: ``{"id", "page", "title", "heading", "text"}`` as JSON.

Retrieval sets come in this form. Each line becomes a section of its page; lines of a page are brought
together.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ibid import foreign_json
from ibid.errors import InputError
from ibid.models import Block, Page, Section
from ibid_build.config import BuildConfig
from ibid_build.sources.tree import ReadResult
from ibid_build.sources.visible import whole

_FIELDS = ("page", "title", "heading", "text")


def read_corpus(path: Path, config: BuildConfig) -> ReadResult:
    """The pages of ``path``, in order of their first line. Raises InputError naming the line."""
    source = config.source or config.title or path.stem
    titles: dict[str, str] = {}
    sections: dict[str, list[Section]] = {}
    for line, row in _rows(path):
        page, text = row["page"], row["text"].strip()
        if not text:
            continue
        title = titles.setdefault(page, row["title"] or page)
        heading = row["heading"].removeprefix(title).strip(" >")
        blocks = (Block("paragraph", text, line=line),)
        parts = sections.setdefault(page, [])
        if not heading:
            parts.append(Section(title, 1, "", blocks, line))
            continue
        if not parts:
            parts.append(Section(title, 1, "", line=line))
        parts.append(Section(heading, 2, "", blocks, line))
    if not sections:
        raise InputError(f"{path} holds no passage; each line must be a JSON object with a page and a text")
    pages = [
        Page(source, page, page, titles[page], tuple(parts), config.language)
        for page, parts in sections.items()
    ]
    return ReadResult(pages, [], config.title or source, source, {})


def _rows(path: Path) -> Iterator[tuple[int, dict[str, str]]]:
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row: Any = foreign_json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number} is not JSON: {error}") from error
        fields = {name: row.get(name, "") for name in _FIELDS} if isinstance(row, dict) else {}
        if not fields.get("page") or not all(isinstance(value, str) for value in fields.values()):
            raise InputError(f"{path}:{number} needs a page; title, heading and text are strings")
        yield number, {name: whole(value) for name, value in fields.items()}
