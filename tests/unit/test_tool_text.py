"""Tool calls written as text are found, examples of them are prose: SPEC 4.2."""

from __future__ import annotations

import random
from itertools import pairwise

import pytest

from ibid.tool_text import WrittenCall
from ibid.tools import TOOL_NAMES

CALLS = [
    ("", "<｜tool▁calls▁begin｜><｜tool▁call▁begin｜>function<｜tool▁sep｜>search_docs"),
    ("", "<｜DSML｜function_calls>\n<｜DSML｜invoke name="),
    ("Let me look.\n", '<tool_call>\n{"name": "search_docs"}\n</tool_call>'),
    ("So: ", '<function=search_docs>{"query": "x"}</function>'),
    ("", "<tool_call>search_docs\n<arg_key>query</arg_key>"),
    ("", '<minimax:tool_call>\n<invoke name="search_docs">'),
    ("", '<function_calls>\n<invoke name="read_page">'),
    ("", '[TOOL_CALLS][{"name": "search_docs"}]'),
    ("", '<|python_tag|>{"name": "search_docs"}'),
    ("", '<|channel|>commentary to=functions.search_docs <|message|>{"query"'),
    ("", '{"name": "search_docs", "arguments": {"query": "x"}}'),
    ("", '[{"name": "look_up", "parameters": {"query": "x"}}]'),
    ("", '{"type": "function", "function": {"name": "search_docs"}}'),
    ("", 'search_docs(query="x")'),
    ("", '[read_page(path="a.md")]'),
    ("Code `a` before, ", '<tool_call>{"name": "search_docs"}'),
    ("A stray ` before ", "<function=search_docs>"),
    ("A stray ` before ", "<function=search_docs>\n\nand a paragraph more"),
    ("```json\n{}\n```\n", '<tool_call>{"name": "search_docs"}'),
    ("1. item\n\n   ```\n   code\n   ```\n\n", "<tool_call>\n\n{"),
]
PROSE = [
    '```\n<tool_call>\n{"name": "search_docs"}\n</tool_call>\n```\nThat is how.',
    "~~~~xml\n<function=search_docs>\n~~~\n<tool_call>{\n~~~~\nDone.",
    "1. ```\n   <tool_call>{\n   ```\n2. Next.",
    '> <tool_call>\n> {"name": "search_docs"}',
    "Write `<tool_call>{}` or ``a ` <function=x>``.",
    "Inline `over\ntwo lines <tool_call>{` ends.",
    'It writes "<tool_call>{}" into the text.',
    "The <tool_call> and </tool_call> tags.",
    "The search_docs tool; search_docs is a tool.",
    "Use <b>bold</b>, a < b, <div>, <functional>, [TOC] and [1].",
    '["a", "b"] is a list.',
    '{"name": "pool", "size": 3} is the setting.',
    "{ braces",
    "<",
    "``",
    "~~",
    "",
]


def read(text: str, cuts: list[int]) -> tuple[bool, str]:
    """(found, what was let through) for a text that comes cut so."""
    guard = WrittenCall(TOOL_NAMES)
    edges = [0, *cuts, len(text)]
    let_through = "".join(guard.feed(text[a:b]) for a, b in pairwise(edges)) + guard.close()
    return guard.found, let_through


def cuttings(text: str) -> list[list[int]]:
    """Whole, character by character, and thirty at random."""
    cuts = [[], list(range(1, len(text)))]
    chance = random.Random(text)
    for _ in range(30):
        cuts.append(sorted(chance.sample(range(len(text) + 1), min(len(text), chance.randint(1, 6)))))
    return cuts


@pytest.mark.parametrize(("before", "call"), CALLS)
def test_a_written_call_is_held_back(before: str, call: str) -> None:
    """However the text is cut, what stands before the call is let through, and no more."""
    assert {read(before + call, cuts) for cuts in cuttings(before + call)} == {(True, before)}


@pytest.mark.parametrize("text", PROSE)
def test_an_example_is_prose(text: str) -> None:
    """In code, in a quote, between quotation marks, or named in passing."""
    assert {read(text, cuts) for cuts in cuttings(text)} == {(False, text)}


@pytest.mark.parametrize(
    "text",
    ["Plain words, then [1] and a < b are drawn at once", "A `code` word", "```\n<tool_call>{\n"],
)
def test_prose_is_not_held_back(text: str) -> None:
    """Only what may still become a call waits."""
    guard = WrittenCall(TOOL_NAMES)
    assert guard.feed(text) == text
