"""What is read out of a passage: what a claim rests on, and its drawn form.

Nodes are those of ``ibid.markdown`` (of them paragraph, list, item, table, row, cell, code_block, text, code)
and ``mark`` (with children), the highlighted words; around a code block it stands outside.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

from ibid.markdown_nodes import code_block
from ibid.passage_text import Part, Sentence, Span, parts, rows, sentence_spans
from ibid.stems import stop_words
from ibid.text import terms
from ibid.visible import clean

Node = dict[str, Any]

MAX_LEVEL = 8

_INLINE_CODE = re.compile(r"(?<!`)`([^`\n]+)`(?!`)")


def highlight(text: str, claim: str, language: str = "en") -> Span | None:
    """The part of a passage that a claim rests on, None when they share no telling word.

    The claim itself where it stands in the passage verbatim, else the sentence with the highest word overlap
    (of these the shortest, then the first).
    """
    claim = claim.strip()
    if claim and (start := text.find(claim)) >= 0:
        return start, start + len(claim)
    wanted = set(terms(claim, language)) - stop_words(language)
    best: Sentence | None = None
    best_score = (0, 0)
    for sentence in sentence_spans(text):
        overlap = len(wanted.intersection(terms(text[sentence.start : sentence.end], language)))
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
