"""Answers made of passages alone: which sentences of them, and how they are quoted (SPEC 4.4)."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence

from ibid.markdown import escape
from ibid.models import Source
from ibid.passage_text import Sentence, parts, sentence_spans
from ibid.text import terms

SENTENCES = 6
"""Of an extractive answer; what they cannot stand without and one sentence for each page aside."""
SENTENCES_PER_PASSAGE = 3

_FENCES = re.compile(r"`{3,}")
_BLANK_LINE = re.compile(r"\n[ \t]*\n")
_POINTS_BACK = re.compile(
    r"(?:in (?:this|that|these|those|such|both|either|each) cases?|this|these|those|it|they|otherwise|however"
    r"|instead|therefore|thus|hence|also|then|if so|if not|for example|for instance|such)\b",
    re.IGNORECASE,
)


def extract_answer(sources: Sequence[Source], query_terms: Collection[str], language: str = "en") -> str:
    """The best sentences of the passages, verbatim, each with its mark; code blocks whole (SPEC 4.4).

    ``sources`` in order of registration. Every page is quoted at least once, from its first passage. The
    result is Markdown: parsed, it shows the sentences as they stand, and no marks but the extract's own.
    """
    quoted: set[str] = set()
    blocks: list[str] = []
    for source, chosen in _choice(sources, query_terms, language):
        fresh = [s for s in chosen if source.text[s.start : s.end] not in quoted]
        quoted.update(source.text[s.start : s.end] for s in fresh)
        blocks += _quotation(source, fresh)
    return "\n\n".join(blocks)


def _choice(
    sources: Sequence[Source], query_terms: Collection[str], language: str
) -> Iterator[tuple[Source, list[Sentence]]]:
    """The passages to quote from, with their sentences: the best in all, and one for each page."""
    best = {source.n: _best_score(source.text, query_terms, language) for source in sources}
    top = max(best.values(), default=0)
    left = SENTENCES
    pages: set[tuple[str, str]] = set()
    for source in sources:
        first_of_page = (source.source, source.path) not in pages
        pages.add((source.source, source.path))
        wanted = min(SENTENCES_PER_PASSAGE, left) if 2 * best[source.n] > top else 0
        limit = max(wanted, 1 if first_of_page else 0)
        if limit:
            chosen = best_sentences(source.text, query_terms, limit, 0 if first_of_page else top, language)
            left = max(0, left - min(limit, len(chosen)))
            yield source, chosen


def _best_score(text: str, query_terms: Collection[str], language: str) -> int:
    return max((score for score, _ in _ranked(text, sentence_spans(text), query_terms, language)), default=0)


def _quotation(source: Source, chosen: Sequence[Sentence]) -> Iterator[str]:
    """The Markdown blocks of one passage's sentences; those of one paragraph stay in one."""
    mark = f"[{source.n}]"
    paragraph: list[str] = []
    for index, sentence in enumerate(chosen):
        words = source.text[sentence.start : sentence.end]
        if paragraph and not _in_one_paragraph(source.text, chosen[index - 1], sentence):
            yield " ".join(paragraph)
            paragraph = []
        if sentence.kind == "paragraph":
            paragraph.append(f"{escape(words, keep_code=True)} {mark}")
            continue
        if sentence.kind == "code":
            yield _fenced(source.text, sentence)
            if index == 0:
                yield mark
        else:
            yield f"- {escape(words, keep_code=True)} {mark}"
    if paragraph:
        yield " ".join(paragraph)


def _fenced(text: str, code: Sentence) -> str:
    words = text[code.start : code.end]
    language = next(part.language for part in parts(text) if part.start == code.start)
    fence = "`" * max([3, *(len(run) + 1 for run in _FENCES.findall(words))])
    return f"{fence}{language}\n{words}\n{fence}"


def best_sentences(
    text: str, query_terms: Collection[str], limit: int, top: int = 0, language: str = "en"
) -> list[Sentence]:
    """At most ``limit`` sentences of a passage that hold most of ``query_terms``, and what those stand on.

    In reading order. ``query_terms`` come from ``ibid.text.terms`` (or a query's terms). What holds no more
    than half of what the best sentence holds (or scores ``top``, the best elsewhere) is left out; without any
    match the first speaks for the passage.
    Beyond the limit come the code block, list or table that a chosen sentence announces ("…:"), the sentence
    before a code block, and the one before a sentence that points back ("In this case …").
    """
    everything = sentence_spans(text)
    scored = _ranked(text, everything, query_terms, language)
    top = max(top, scored[0][0] if scored else 0)
    chosen = {index for score, index in scored[:limit] if 2 * score > top} or {0}
    for index, sentence in enumerate(everything):
        if index in chosen:
            chosen.update(_announced(text, everything, index))
        elif index + 1 in chosen and _leans(text, sentence, everything[index + 1]):
            chosen.add(index)
    return [sentence for index, sentence in enumerate(everything) if index in chosen]


def _announced(text: str, everything: Sequence[Sentence], index: int) -> range:
    """The indices of what the sentence announces: code, its caption too, or a whole list or table."""
    first = index + 1
    if first == len(everything) or text[everything[index].end - 1] != ":":
        return range(0)
    kind = everything[first].kind
    if kind == "code":
        return range(first, first + 1)
    if kind == "paragraph" and _is_caption(text, everything, first):
        return range(first, first + 2)
    last = first
    while last < len(everything) and everything[last].kind == kind != "paragraph":
        last += 1
    return range(first, last)


def _is_caption(text: str, everything: Sequence[Sentence], index: int) -> bool:
    """Whether it is the line over a code block, such as a file's name."""
    ends_openly = text[everything[index].end - 1] not in ".!?:"
    return ends_openly and index + 1 < len(everything) and everything[index + 1].kind == "code"


def _leans(text: str, before: Sentence, sentence: Sentence) -> bool:
    """Whether ``sentence`` says little without the one ``before`` it."""
    if sentence.kind == "code":
        return before.kind == "paragraph"
    return _in_one_paragraph(text, before, sentence) and bool(_POINTS_BACK.match(text, sentence.start))


def _in_one_paragraph(text: str, before: Sentence, sentence: Sentence) -> bool:
    same = before.kind == sentence.kind == "paragraph"
    return same and not _BLANK_LINE.search(text, before.end, sentence.start)


def _ranked(
    text: str, everything: Sequence[Sentence], query_terms: Collection[str], language: str
) -> list[tuple[int, int]]:
    """(score, index) of each sentence, best first, ties in reading order.

    A term in prose counts twice, one in code once, since long examples hold a little of everything; the code
    that a sentence announces counts for the sentence too.
    """
    wanted = set(query_terms)
    held = [wanted.intersection(terms(text[s.start : s.end], language)) for s in everything]
    scores: list[int] = []
    for index, sentence in enumerate(everything):
        announced = {
            term
            for other in _announced(text, everything, index)
            if everything[other].kind == "code"
            for term in held[other]
        }
        weight = 1 if sentence.kind == "code" else 2
        scores.append(weight * len(held[index]) + len(announced - held[index]))
    return sorted(
        ((score, index) for index, score in enumerate(scores)), key=lambda pair: (-pair[0], pair[1])
    )
