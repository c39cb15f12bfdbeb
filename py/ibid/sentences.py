"""Where sentences end in technical prose: not at versions, file names, abbreviations or in inline code."""

from __future__ import annotations

import re
from collections.abc import Iterator

Span = tuple[int, int]

# A full stop ends a sentence only before a blank or the end, so "2.0.1" and "setup.py" never do.
_END = re.compile(
    r"`[^`\n]*`"  # inline code is passed over whole
    r"|(?P<latin>[.!?…]+[)\]\"'”’»]*)(?=\s|$)"  # noqa: RUF001 - the curly quotation mark is meant
    r"|(?P<cjk>[。！？｡]+[」』”’）]*)"  # noqa: RUF001 - the fullwidth punctuation is meant
    r"|(?P<blank>\n[ \t]*\n\s*)"
)
_ABBREVIATION = re.compile(
    r"(?:^|[\s(\[])(?:e\.g|i\.e|cf|etc|vs|approx|resp|incl|esp|no|nos|fig|figs|sec|ch|eq|ref|refs|vol|pp?|"
    r"min|max|ed|eds|al|dr|mr|mrs|ms|prof|st|jr|sr|inc|ltd|co|[A-Za-z])\.$",
    re.IGNORECASE,
)
_LONGEST_ABBREVIATION = 10


def spans(text: str) -> list[Span]:
    """The sentences of ``text`` as (start, end) offsets, in order, without the blanks between them.

    A blank line ends a sentence too.
    """
    return [span for span in (_trimmed(text, *raw) for raw in _raw_spans(text)) if span[0] < span[1]]


def _raw_spans(text: str) -> Iterator[Span]:
    start = 0
    for match in _END.finditer(text):
        if match["latin"] and not _ends_sentence(text, match):
            continue
        if match.lastgroup is not None:
            yield start, match.end()
            start = match.end()
    yield start, len(text)


def _ends_sentence(text: str, match: re.Match[str]) -> bool:
    following = text[match.end() : match.end() + 40].lstrip()
    if not following:
        return True
    if match["latin"].startswith(("...", "…")):
        return not following[0].islower()
    window = text[max(0, match.start() - _LONGEST_ABBREVIATION) : match.start() + 1]
    if _ABBREVIATION.search(window):
        # "etc." may well end a sentence; a capital after it says that it did.
        return window.lower().endswith("etc.") and following[0].isupper()
    return True


def _trimmed(text: str, start: int, end: int) -> Span:
    while start < end and text[start].isspace():
        start += 1
    while end > start and text[end - 1].isspace():
        end -= 1
    return start, end


def around(text: str, position: int) -> str:
    """The sentence that ends at or holds ``position``; the first one when nothing stands before it."""
    found = ""
    for start, end in spans(text):
        if found and start >= position:
            break
        found = text[start:end]
        if end >= position:
            break
    return found
