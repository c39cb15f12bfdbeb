"""What a reader typed or pasted -> what to search for: the text to encode and the weighted terms."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ibid.retrieval import constants
from ibid.stems import stem, stop_words
from ibid.text import Kind, forms

MAX_CHARS = 1_500
"""Of a query this much is searched for; in anything longer the telling lines are chosen."""
MAX_TERMS = 64
MAX_NAME_WORDS = 5
MAX_NAME_QUERY = 12
"""Words; in longer questions runs of words are sentences, not names."""


@dataclass(frozen=True)
class Term:
    """One term to look up. ``letters`` is the length of a word that may be misspelt, else 0."""

    text: str
    weight: float
    kind: Kind
    letters: int = 0


@dataclass(frozen=True)
class Query:
    """``text`` goes to the encoder, ``terms`` (distinct, at most 64) to the postings.

    ``names`` are identifiers that neighbouring words would make ("user by id": ``userbyid``, ``user_by_id``,
    …), with their weights: worth looking up, whether they exist or not.
    """

    text: str
    terms: tuple[Term, ...]
    names: tuple[tuple[str, float], ...] = ()

    @property
    def has_words(self) -> bool:
        """Whether there is more than symbols in it."""
        return any(term.kind != "symbol" for term in self.terms)


def read_query(typed: str, language: str = "en") -> Query:
    """The query in ``typed``, for documentation in this language.

    No character is an operator; time is linear in the text.

    Of a long or pasted text the last error line comes first, then other error lines, then prose; stack
    frames, source lines and repeated lines are left out. Common words of a longer question have no terms;
    in a query of few words every word counts.
    """
    lines = _telling_lines(typed) if _is_pasted(typed) else [(typed, 1.0)]
    weighted: dict[str, Term] = {}
    for line, weight in lines:
        for form in forms(line, language, question=True):
            value = weight * (constants.PART_WEIGHT if form.kind == "part" else 1.0)
            known = weighted.get(form.text)
            if known is None or known.weight < value:
                weighted[form.text] = Term(form.text, value, form.kind, form.letters)
    terms = list(weighted.values())
    common = stop_words(language)
    telling = [term for term in terms if not (term.kind == "word" and term.text in common)]
    if len(telling) > 1:
        terms = telling
    # sorted() is stable: among equals what was said first stays.
    terms = sorted(terms, key=lambda term: -term.weight)[:MAX_TERMS]
    text = "\n".join(line for line, _ in lines)
    return Query(text=text, terms=tuple(terms), names=tuple(dict(_names(text, language)).items()))


def _names(text: str, language: str) -> Iterator[tuple[str, float]]:
    words = text.casefold().split()
    if len(words) > MAX_NAME_QUERY:
        return
    for start in range(len(words)):
        for end in range(start + 2, min(start + MAX_NAME_WORDS, len(words)) + 1):
            run = words[start:end]
            if not all(word.isalnum() and word.isascii() for word in run):
                break
            if not stop_words(language).issuperset(stem(word, language) for word in run):
                weight = constants.PAIR_NAME_WEIGHT if len(run) == 2 else constants.LONG_NAME_WEIGHT
                for name in (stem("".join(run), language), "_".join(run), "-".join(run)):
                    yield name, weight


_FRAME = re.compile(
    r"\s*(?:File \"|at \S|from \S+:\d|in \S+ at |#\d+\s|\d+: |-->|\.{3} |\||[~^]+\s*$|goroutine \d"
    r"|Traceback |Caused by: *$|stack backtrace)"
    r"|.*[\w\])]:\d+(?::\d+)?\)?:?\s*$"  # ends in file:line
)
_ERROR = re.compile(
    r"(?i)\b(?:\w*error|\w*exception|\w+timeout|panic(?:ked)?|fatal|failed|failure|fails|cannot|can't"
    r"|could not|unable to|denied|refused|not found|undefined|invalid|[A-Z]{1,4}\d{3,5})\b"
)
_NAMED_ERROR = re.compile(r"[A-Za-z_][\w.$]*(?:\[\w+\])?: ")
_STEP = r"[^\s\\/:\"'<>|()]+"
_PATH = re.compile(rf"(?<![\w:/.])(?:[A-Za-z]:|~|\.{{1,2}})?(?:[\\/]{_STEP})+[\\/]({_STEP})")
_PASTED_LINES = 4


def _is_pasted(text: str) -> bool:
    return len(text) > MAX_CHARS or text.count("\n") >= _PASTED_LINES


def _telling_lines(text: str) -> list[tuple[str, float]]:
    """Lines with their weights, most telling first, within MAX_CHARS characters."""
    errors: list[str] = []
    context: list[str] = []
    rest: list[str] = []
    for line, is_frame in _distinct_lines(text):
        if is_frame:
            rest.append(line)
        elif _ERROR.search(line) or _NAMED_ERROR.match(line):
            errors.append(line)
        else:
            context.append(line)
    errors.reverse()  # what was raised last is what stopped the program
    ranked = [(line, 1.0) for line in errors] + [(line, constants.CONTEXT_WEIGHT) for line in context]
    chosen: list[tuple[str, float]] = []
    room = MAX_CHARS
    for line, weight in ranked or [(line, 1.0) for line in rest]:
        if room <= 0:
            break
        chosen.append((line[:room], weight))
        room -= len(line) + 1
    return chosen


def _distinct_lines(text: str) -> Iterator[tuple[str, bool]]:
    """Each line once (numbers apart), cut, its paths down to the file's name; whether it belongs to a stack.

    An indented line after a frame is the frame's source line.
    """
    seen: set[str] = set()
    after_frame = False
    for line in text.splitlines():
        line = line[:MAX_CHARS].rstrip()
        if not line:
            continue
        after_frame = bool(_FRAME.match(line)) or (after_frame and line[0].isspace())
        shape = re.sub(r"\d+", "0", line)
        if shape not in seen:
            seen.add(shape)
            yield _PATH.sub(r"\1", line).strip(), after_frame
