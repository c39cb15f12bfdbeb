"""The one tokenizer, for build and query alike.

A text becomes *terms*: words (folded, without the endings of the documentation's language), whole
identifiers beside their parts, flags and versions as they stand, overlapping pairs where a script has no
blanks, runs of symbols where they are code.
Every pass is linear in the text. The index stores ``TOKENIZER_ID``; terms of another id are refused.
"""

from __future__ import annotations

import re
import unicodedata
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from typing import Literal

from ibid.stems import stem

TOKENIZER_ID = "ibid-terms-3"

MAX_TERM = 64  # characters; longer runs are blobs (base64, hashes of hashes), not names
MAX_PARTS = 12  # of one identifier

Kind = Literal["word", "whole", "part", "pair", "symbol"]


@dataclass(frozen=True)
class Form:
    """One term as it occurs. ``whole``: an identifier, flag or version; ``part``: a piece of one.

    ``letters`` is the length of a plain word before stemming, 0 for all else: only words can be misspelt.
    """

    text: str
    kind: Kind
    letters: int = 0


# Scripts written without blanks: Thai to Khmer, kana, bopomofo, Han, hangul (whose words carry particles).
_PAIRED = (
    "\u0e00-\u0eff\u1000-\u109f\u1100-\u11ff\u1780-\u17ff\u3005-\u3007\u3021-\u3029\u3040-\u30fa\u30fc-\u318f"
    "\u31a0-\u31bf\u31f0-\u31ff\u3400-\u4dbf\u4e00-\u9fff\ua960-\ua97f\uac00-\ud7ff\uf900-\ufaff"
    "\U00020000-\U0003ffff"
)
# Marks that stand inside words but are not ``\w``: Latin, Hebrew, Arabic, the Indic vowel signs.
_MARKS = "\u0300-\u036f\u0591-\u05c7\u0610-\u061a\u064b-\u065f\u0670\u06d6-\u06dc\u0900-\u0963\u0966-\u0dff"
_WORD = rf"[^\W{_PAIRED}]+(?:[{_MARKS}]+[^\W{_PAIRED}]*)*"
# A sigil opens a name only at the edge of a blank, bracket or quote: `--run`, `@cache`, `.env`, `:not`.
_SIGIL = r"(?<![^\s(\[{<>|,=\"'`])(?:--?|::?|[@$%#.~/])"
_CONNECTOR = re.compile(r"::|->|[.:/\\-]|\+\+|#")
_VERSION = re.compile(r"v?(\d+\.\d+)(?:\.\d+)*(?:[-.]?[a-z]+[.]?\d*)?")
_CAMEL = re.compile(
    r"(?<=[a-z])(?=[A-Z])"  # user|Id
    r"|(?<=\d)(?=[A-Z][a-z])"  # oauth2|Token, but not P2P
    r"|(?<=[A-Z])(?=[A-Z](?!s(?![a-z]))[a-z])"  # HTML|Response, but not URLs
)
_POSSESSIVE = re.compile(r"(?<=\w)['\u2019]s\b|(?<=n)['\u2019](?=t\b)")
_CODE = re.compile(r"(```.*?(?:```|\Z)|`[^`\n]+`)", re.DOTALL)
_SYMBOLS = re.compile(r"[!#$%&*+./:<=>?@\\^|~-]+")
_MAX_SYMBOLS = 4
_PLAIN_SYMBOLS = frozenset(".:/-=")  # alone they are punctuation or everywhere
_ACRONYMS = re.compile(r"[A-Z]{2,}s")


def forms(text: str, language: str = "en", *, question: bool = False) -> Iterator[Form]:
    """Every term of ``text`` in order; repeated terms come repeatedly. ``language`` is the documentation's.

    In documentation, symbols are terms inside code spans and fences only. In a ``question``, which nobody
    marks up, they are terms wherever they are not the punctuation of a sentence.
    """
    text = _POSSESSIVE.sub("", unicodedata.normalize("NFKC", text))
    for number, segment in enumerate(_CODE.split(text)):
        for run in _runs(segment.isascii()).finditer(segment):
            if run["pairs"]:
                yield from _pairs(run["pairs"])
            else:
                yield from _name(run["sigil"] or "", run["name"], language)
        if question or number % 2:
            yield from _symbols(segment)


def terms(text: str, language: str = "en") -> list[str]:
    """The terms of a piece of documentation in this language."""
    return [form.text for form in forms(text, language)]


@cache
def _runs(is_ascii: bool) -> re.Pattern[str]:
    """Names and runs of paired script. Compiling the classes of all scripts takes 8 ms natively and 30 in a
    browser's start: most questions do without.
    """
    pairs, word = ("(?!)", r"\w+") if is_ascii else (f"[{_PAIRED}]+", _WORD)
    return re.compile(
        rf"(?P<pairs>{pairs})|(?P<sigil>{_SIGIL})?"
        rf"(?P<name>{word}(?:(?:::|->|[.:/\\-]){word})*(?:\+\+|\#(?!\w))?)"
    )


def _pairs(run: str) -> Iterator[Form]:
    if len(run) == 1:
        yield Form(run, "pair")
    for start in range(len(run) - 1):
        yield Form(run[start : start + 2], "pair")


def _name(sigil: str, name: str, language: str) -> Iterator[Form]:
    """The whole name where it is more than a word, and its words."""
    if not sigil and name.islower() and name.isalpha():  # by far the most frequent; the rest would agree
        yield from _word(name.casefold(), "word", language)
        return
    folded = name.casefold()
    version = _VERSION.fullmatch(folded)
    if version:
        whole = folded.removeprefix("v")
        yield from _term(whole, "whole")
        if version[1] != whole:
            yield from _term(version[1], "part")
        return
    if sigil:
        # -C and -c are two flags; --Force is none.
        yield from _term(sigil + (name if len(name) == 1 else folded), "whole")
    pieces = [piece for piece in _CONNECTOR.split(name) if piece]
    compound = folded != "".join(pieces).casefold() or len(pieces) > 1
    if compound:
        yield from _term(folded, "whole")
    kind: Kind = "part" if compound or sigil else "word"
    for piece in pieces[:MAX_PARTS]:
        for form in _piece(piece, kind, language):
            # A misspelt flag is another flag.
            yield Form(form.text, form.kind) if sigil else form


def _piece(piece: str, kind: Kind, language: str) -> Iterator[Form]:
    """``getUserById``, ``__init__``: the piece as one term, and the words in it."""
    if _ACRONYMS.fullmatch(piece):  # URLs, IDs
        yield from _term(piece[:-1].casefold(), kind)
        return
    words = [word for part in piece.split("_") if part for word in _camel(part)]
    if words == [piece]:
        yield from _word(piece.casefold(), kind, language)
        return
    yield from _term(piece.casefold() if "_" in piece else stem(piece.casefold(), language), "whole")
    for word in words[:MAX_PARTS]:
        yield from _word(word.casefold(), "part", language)


def _camel(part: str) -> list[str]:
    words = _CAMEL.split(part)
    if len(words) > 1 and len(words[0]) == 1:  # OAuth2Token, IPv6Addr: a lone capital belongs to what follows
        words[0] += words[1]
    return words


def _symbols(segment: str) -> Iterator[Form]:
    last = len(segment.rstrip())
    for run in _SYMBOLS.finditer(segment):
        symbols = run[0]
        before = segment[max(run.start() - 1, 0) : run.start()].strip()
        after = segment[run.end() : run.end() + 1].strip()
        ends_sentence = before and not after and not symbols.strip("?!.:")
        opens_flag = (before or after) and not symbols.strip("-")
        ends_text = symbols in ("?", "!") and run.start() > 0 and run.end() == last  # "comment faire ?"
        if (
            len(symbols) > _MAX_SYMBOLS
            or symbols in _PLAIN_SYMBOLS
            or ends_sentence
            or ends_text
            or opens_flag
        ):
            continue
        yield Form(symbols, "symbol")


def _word(word: str, kind: Kind, language: str) -> Iterator[Form]:
    if len(word) <= MAX_TERM:
        yield Form(stem(word, language), kind, len(word) if word.isalpha() else 0)


def _term(text: str, kind: Kind) -> Iterator[Form]:
    if len(text) <= MAX_TERM:
        yield Form(text, kind)
