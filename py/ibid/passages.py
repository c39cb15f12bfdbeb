"""What is read out of passages: the best sentences, what a claim rests on, a whole answer, the drawn form.

Nodes are those of ``ibid.markdown`` (of them paragraph, list, item, table, row, cell, code_block, text, code)
and ``mark`` (with children), the highlighted words; around a code block it stands outside.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Sequence
from itertools import pairwise
from typing import Any

from ibid.markdown import escape
from ibid.markdown_nodes import code_block
from ibid.models import Source
from ibid.passage_text import Part, Sentence, Span, parts, rows, sentence_spans
from ibid.retrieval.query import STOP_WORDS
from ibid.text import terms
from ibid.visible import clean

Node = dict[str, Any]

MAX_LEVEL = 8
SENTENCES = 6
"""Of an extractive answer, announced code blocks and one sentence for each page aside."""
SENTENCES_PER_PASSAGE = 3

_INLINE_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")
_FENCES = re.compile(r"`{3,}")


def best_sentences(text: str, query_terms: Collection[str], limit: int) -> list[Sentence]:
    """At most ``limit`` sentences of a passage that hold most of ``query_terms``, in reading order.

    ``query_terms`` come from ``ibid.text.terms`` (or a query's terms). Without any match the first sentence
    speaks for the passage. A code block follows the sentence that announces it ("…:") beyond the limit.
    """
    everything = sentence_spans(text)
    scored = _ranked(text, everything, query_terms)
    chosen = {index for score, index in scored[:limit] if score} or {0}
    for index, sentence in enumerate(everything[:-1]):
        if index in chosen and text[sentence.end - 1] == ":" and everything[index + 1].kind == "code":
            chosen.add(index + 1)
    return [sentence for index, sentence in enumerate(everything) if index in chosen]


def _ranked(text: str, candidates: list[Sentence], query_terms: Collection[str]) -> list[tuple[int, int]]:
    """(number of query terms held, index) of each candidate, best first, ties in reading order."""
    wanted = set(query_terms)
    scores = (len(wanted.intersection(terms(text[s.start : s.end]))) for s in candidates)
    return sorted(
        ((score, index) for index, score in enumerate(scores)), key=lambda pair: (-pair[0], pair[1])
    )


def highlight(text: str, claim: str) -> Span | None:
    """The part of a passage that a claim rests on, None when they share no telling word.

    The claim itself where it stands in the passage verbatim, else the sentence with the highest word overlap
    (of these the shortest, then the first).
    """
    claim = claim.strip()
    if claim and (start := text.find(claim)) >= 0:
        return start, start + len(claim)
    wanted = set(terms(claim)) - STOP_WORDS
    best: Sentence | None = None
    best_score = (0, 0)
    for sentence in sentence_spans(text):
        overlap = len(wanted.intersection(terms(text[sentence.start : sentence.end])))
        score = (overlap, sentence.start - sentence.end)
        if overlap and score > best_score:
            best, best_score = sentence, score
    return (best.start, best.end) if best else None


def passage_tree(text: str, highlight: Span | None = None) -> list[Node]:
    """The top-level blocks of a passage. ``highlight`` is a span of ``text``."""
    span = highlight or (0, 0)
    top: list[Node] = []
    lists: list[Node] = []  # the open list of each level
    for part in parts(text):
        if part.kind == "item":
            _add_item(top, lists, part, _inline(text, part.start, part.end, span))
            continue
        lists.clear()
        if part.kind == "paragraph":
            top.append({"type": "paragraph", "children": _inline(text, part.start, part.end, span)})
        elif part.kind == "table":
            top.append(_table(text, part, span))
        else:
            node = code_block(part.language, clean(text[part.start : part.end]))
            touched = max(span[0], part.start) < min(span[1], part.end)
            top.append({"type": "mark", "children": [node]} if touched else node)
    return top


def _add_item(top: list[Node], lists: list[Node], part: Part, content: list[Node]) -> None:
    level = min(part.level, len(lists), MAX_LEVEL)
    del lists[level + 1 :]
    if level < len(lists) and lists[level]["ordered"] != part.ordered:
        del lists[level:]
    if level == len(lists):
        new: Node = {"type": "list", "ordered": part.ordered, "start": 1, "children": []}
        (lists[-1]["children"][-1]["children"] if lists else top).append(new)
        lists.append(new)
    lists[level]["children"].append(
        {"type": "item", "children": [{"type": "paragraph", "children": content}]}
    )


def _table(text: str, part: Part, span: Span) -> Node:
    table: list[Node] = []
    for cells in rows(text, part):
        header = not table
        row = [
            {"type": "cell", "header": header, "align": "", "children": _inline(text, start, end, span)}
            for start, end in cells
        ]
        table.append({"type": "row", "children": row})
    return {"type": "table", "children": table}


def _inline(text: str, start: int, end: int, span: Span) -> list[Node]:
    """Text and inline code of ``text[start:end]``, what lies in ``span`` inside a ``mark``."""
    low, high = max(start, span[0]), min(end, span[1])
    nodes: list[Node] = []
    marked: list[Node] = []
    for piece_start, piece_end, is_code in _pieces(text, start, end):
        cuts = [piece_start, *(cut for cut in (low, high) if piece_start < cut < piece_end), piece_end]
        for a, b in pairwise(cuts):
            drawn = clean(text[a:b])
            if not drawn:
                continue
            inside = low <= a and b <= high
            (marked if inside else nodes).append({"type": "code" if is_code else "text", "text": drawn})
            if inside and len(marked) == 1:
                nodes.append({"type": "mark", "children": marked})
    return nodes


def _pieces(text: str, start: int, end: int) -> Iterator[tuple[int, int, bool]]:
    position = start
    for match in _INLINE_CODE.finditer(text, start, end):
        yield position, match.start(), False
        yield match.start(1), match.end(1), True
        position = match.end()
    yield position, end, False


def extract_answer(sources: Sequence[Source], query_terms: Collection[str]) -> str:
    """The best sentences of the passages, verbatim, each with its mark; code blocks whole (SPEC 4.4).

    ``sources`` in order of registration. Every page is quoted at least once, from its first passage. The
    result is Markdown: parsed, it shows the sentences as they stand, and no marks but the extract's own.
    """
    quoted: set[str] = set()
    blocks: list[str] = []
    for source, chosen in _choice(sources, query_terms):
        fresh = [s for s in chosen if source.text[s.start : s.end] not in quoted]
        quoted.update(source.text[s.start : s.end] for s in fresh)
        blocks += _quotation(source, fresh)
    return "\n\n".join(blocks)


def _choice(
    sources: Sequence[Source], query_terms: Collection[str]
) -> Iterator[tuple[Source, list[Sentence]]]:
    """The passages to quote from, with their sentences: the best in all, and one for each page."""
    best = {source.n: _best_score(source.text, query_terms) for source in sources}
    left = SENTENCES
    pages: set[tuple[str, str]] = set()
    for source in sources:
        first_of_page = (source.source, source.path) not in pages
        pages.add((source.source, source.path))
        wanted = min(SENTENCES_PER_PASSAGE, left) if best[source.n] else 0
        limit = max(wanted, 1 if first_of_page else 0)
        if limit:
            chosen = best_sentences(source.text, query_terms, limit)
            left = max(0, left - len(chosen))
            yield source, chosen


def _best_score(text: str, query_terms: Collection[str]) -> int:
    return max((score for score, _ in _ranked(text, sentence_spans(text), query_terms)), default=0)


def _quotation(source: Source, chosen: Sequence[Sentence]) -> Iterator[str]:
    """The Markdown blocks of one passage's sentences; sentences in a row share a paragraph."""
    mark = f"[{source.n}]"
    paragraph: list[str] = []
    for index, sentence in enumerate(chosen):
        words = source.text[sentence.start : sentence.end]
        if sentence.kind == "paragraph":
            paragraph.append(f"{escape(words, keep_code=True)} {mark}")
            continue
        if paragraph:
            yield " ".join(paragraph)
            paragraph = []
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
