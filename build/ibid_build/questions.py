"""Questions whose pages are known, as JSON lines: for ``ibid eval`` and ``ibid check --questions``."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path, PurePosixPath
from typing import Any

from ibid import foreign_json
from ibid.errors import InputError

NOT_COVERED = "not covered"


@dataclass(frozen=True, slots=True)
class Question:
    """``pages`` maps each relevant page to its gain; empty for a question that nothing answers."""

    id: str
    text: str
    pages: Mapping[str, float]
    kind: str = ""


@dataclass(frozen=True, slots=True)
class GoldenQuestion:
    """A maintainer's own question, the pages of which one should be cited (none: not covered), its line."""

    text: str
    pages: tuple[str, ...]
    line: int


def read_questions(queries: Path, qrels: Path, unanswerable: Path | None = None) -> list[Question]:
    """The questions of the files (SPEC 8); a query without a relevant page is left out. Raises InputError."""
    pages: dict[str, dict[str, float]] = {}
    for line, row in json_rows(qrels, ("query_id", "page")):
        gain = row.get("rel", 1)
        if not isinstance(gain, int | float) or isinstance(gain, bool) or not abs(gain) < 1e9:
            raise InputError(f"{qrels}:{line}: rel is {gain!r}, not a number")
        if gain > 0:
            pages.setdefault(row["query_id"], {})[row["page"]] = float(gain)
    questions = [
        Question(row["id"], row["text"], pages[row["id"]])
        for _, row in json_rows(queries, ("id", "text"))
        if row["id"] in pages
    ]
    if not questions:
        raise InputError(f"No query of {queries} has a relevant page in {qrels}; are they of the same set?")
    if unanswerable is not None:
        questions += [
            Question(row["id"], row["text"], {}, row["kind"])
            for _, row in json_rows(unanswerable, ("id", "text", "kind"))
        ]
    return questions


def read_golden(path: Path) -> list[GoldenQuestion]:
    """Lines ``{"question", "page"}``; page: a path, a list of them, or "not covered". Raises InputError."""
    golden = []
    for line, row in json_rows(path, ("question",)):
        page = row.get("page", "")
        pages = page if isinstance(page, list) else [page]
        if not row["question"].strip() or not pages or not all(isinstance(p, str) and p for p in pages):
            raise InputError(
                f'{path}:{line} needs a question, and as its page a path, a list of paths, or "{NOT_COVERED}"'
            )
        named = () if pages == [NOT_COVERED] else tuple(pages)
        golden.append(GoldenQuestion(row["question"], named, line))
    if not golden:
        raise InputError(f'{path} holds no question; a line is {{"question": "…", "page": "…"}}')
    return golden


def json_rows(path: Path, names: Sequence[str]) -> Iterator[tuple[int, dict[str, Any]]]:
    """(line number, object) of each line not blank; ``names`` are strings in it. Raises InputError."""
    try:
        lines = path.read_text(encoding="utf-8-sig").split("\n")  # JSON may hold other line ends
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as UTF-8 text: {error}") from error
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        try:
            row = foreign_json.loads(line)
        except ValueError as error:
            raise InputError(f"{path}:{number} is not JSON: {error}") from error
        if not isinstance(row, dict) or not all(isinstance(row.get(name), str) for name in names):
            raise InputError(f"{path}:{number} needs {', '.join(names)} as strings")
        yield number, row


def named_as(path: str, names: Collection[str]) -> str | None:
    """Which of ``names`` means the page: its path, that without extension, or its last part; None if none."""
    pure = PurePosixPath(path)
    forms = (path, str(pure.with_suffix("")), pure.name, pure.stem)
    return next((form for form in forms if form in names), None)
