"""Markdown to the tree of nodes that the page may draw; nothing else of a model's text reaches the page.

Nodes are JSON-ready dicts with a ``type``:

- ``text``, ``code`` and ``image`` (its alt, drawn as text) + ``text``; ``code_block`` + ``language``,
  ``text``; ``cite`` + ``numbers``, ``raw``; ``break``; ``rule``
- with ``children``: ``paragraph``, ``heading`` + ``level``, ``list`` + ``ordered``, ``start``, ``item``,
  ``quote``, ``table``, ``row``, ``cell`` + ``header``, ``align`` ("", "left", "center", "right"),
  ``emphasis``, ``strong``, ``strike``, ``link`` + ``href``, ``host`` ("" unless absolute)

CommonMark with tables and strikethrough. HTML is text, and so are task boxes and math. Reference links are
off: a model's ``[1]: https://…`` could swallow marks or change earlier blocks. Such lines are not drawn
(SPEC 4.8).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from itertools import pairwise
from typing import Any

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock, blockquote, list_block
from markdown_it.rules_inline import StateInline, link

from ibid import links, markdown_nodes
from ibid.citations import marks_in
from ibid.visible import WORD_JOINER, clean

Node = dict[str, Any]
_BlockRule = Callable[[StateBlock, int, int, bool], bool]

MAX_LEVEL = 16
"""Quotes and lists (a list and its item are two levels) nested deeper stay text."""
_MAX_NESTING = 20
"""The parser's own limit. It drops blocks below it, so it must be out of MAX_LEVEL's reach."""

# A link definition with a numeric label on one line. The address must look like one: "[1]: yes" is prose.
_DEFINITION = re.compile(
    r"\[[0-9]{1,16}\]:[ \t]*"
    r"(?:<[^<>]*>|(?=[/.?#]|www\.|[A-Za-z][A-Za-z0-9+.-]*:|[^\s/]+/|\S+\.[A-Za-z])\S+)"
    r"(?:[ \t]+(?:\"[^\"]*\"|'[^']*'|\([^()]*\)))?[ \t]*"
)


def parse(text: str) -> list[Node]:
    """The top-level blocks of a text. Any string parses, in time about linear in its length."""
    return [node for node, _ in parse_blocks(clean(text))]


def parse_blocks(source: str) -> list[tuple[Node, int]]:
    """The top-level blocks of a text that is already cleaned, each with the index of its first line."""
    tokens = _PARSER.parse(source)
    lines = [t.map[0] for t in tokens if t.level == 0 and t.nesting >= 0 and t.map and t.type != "inline"]
    return list(zip(markdown_nodes.blocks(tokens), lines, strict=True))


class _Parser(MarkdownIt):
    """The parser with Ibid's rules. Addresses are judged by ``ibid.links`` alone, and kept as written."""

    def __init__(self) -> None:
        super().__init__("commonmark", {"maxNesting": _MAX_NESTING})
        self.enable(["table", "strikethrough"])
        self.disable(["html_block", "html_inline"])
        self.block.ruler.at("reference", _definition, {"alt": ["paragraph", "blockquote"]})
        self.block.ruler.at("blockquote", _limited(blockquote), {"alt": ["paragraph", "blockquote", "list"]})
        self.block.ruler.at("list", _limited(list_block), {"alt": ["paragraph", "blockquote"]})
        self.inline.ruler.at("link", _link)

    def validateLink(self, url: str) -> bool:  # noqa: N802 - the parser's name
        return links.target(url) is not None

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the parser's name
        return url

    def normalizeLinkText(self, link: str) -> str:  # noqa: N802 - the parser's name
        return link


def _limited(rule: _BlockRule) -> _BlockRule:
    def limited(state: StateBlock, start: int, end: int, silent: bool) -> bool:
        return state.level < MAX_LEVEL and rule(state, start, end, silent)

    return limited


def _definition(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """Takes a numeric link definition out of the text, also in the middle of a paragraph."""
    if state.is_code_block(start):
        return False
    if not _DEFINITION.fullmatch(state.src, state.bMarks[start] + state.tShift[start], state.eMarks[start]):
        return False
    if not silent:
        state.line = start + 1
    return True


def _link(state: StateInline, silent: bool) -> bool:
    """The parser's own rule, asked only where a link can still end: open brackets make it slow."""
    # Key -1 of the state's cache, which is otherwise keyed by offsets.
    last = state.cache.get(-1)
    if last is None:
        last = state.cache[-1] = min(state.src.rfind("]("), state.src.rfind(")"))
    return state.pos < last and link(state, silent)


_PARSER = _Parser()

# What Markdown would read in running text. Underscores inside a word and stars between blanks mean nothing.
_ACTIVE = (
    r"\\(?=[!-/:-@\[-`{-~\s]|\Z)"
    r"|`"
    r"|(?<! )\*|\*(?! )|(?<=^ )\*|\*(?= $)"
    r"|(?<![^\W_])_|_(?![^\W_])"
    r"|(?<=~)~|~(?=~)"
    r"|<(?=[A-Za-z][A-Za-z0-9+.-]{1,31}:|[^\s<>]+@)"
    r"|&(?=#?[A-Za-z0-9]{1,32};)"
    r"|\](?=\()"
    r"|\[(?=[0-9])"
)
_NUMERIC_LABEL = re.compile(r"^\[[0-9]+\]:", re.MULTILINE)
_ESCAPED = re.compile(_ACTIVE, re.MULTILINE)
_ESCAPED_BUT_CODE = re.compile(rf"(?<!`)`[^`\n]+`(?!`)|{_ACTIVE}", re.MULTILINE)
# What Markdown would read at the start of a line, up to where a backslash stops it.
_LINE_START = re.compile(r"(?=#{1,6}(?!\S)|>|[-+*](?!\S)|[=|:-][-=|:\s]*$)|[0-9]{1,9}(?=[.)](?!\S))")


def escape(text: str, *, keep_code: bool = False) -> str:
    """Markdown that parses to one paragraph of exactly this text (cleaned), with no marks in it.

    A bracketed number is kept from being a mark by an invisible word joiner behind its bracket, which is
    not drawn: a backslash would not do, since an escaped ``\\[2\\]`` is a mark too (SPEC 4.8). With
    ``keep_code``, inline code in single backticks stays code. Only what would be read as Markdown is escaped.
    """
    text = clean(text)
    marks = {mark.start for mark in marks_in(text)}
    definitions = {match.start() for match in _NUMERIC_LABEL.finditer(text)}

    def escaped(match: re.Match[str]) -> str:
        if match[0] == "[":
            return f"[{WORD_JOINER}" if match.start() in marks | definitions else "["
        return match[0] if len(match[0]) > 1 else f"\\{match[0]}"

    pattern = _ESCAPED_BUT_CODE if keep_code else _ESCAPED
    lines = [_escaped_line(line) for line in pattern.sub(escaped, text).split("\n")]
    joined = lines[0]
    for before, line in pairwise(lines):
        joined += ("\n" if before and line else "&#10;") + line
    return joined


def _escaped_line(line: str) -> str:
    if match := _LINE_START.match(line):
        line = f"{line[: match.end()]}\\{line[match.end() :]}"
    # Markdown drops blanks at both ends of a line; as entities they stay.
    if line[:1].isspace():
        line = f"&#{ord(line[0])};{line[1:]}"
    if line[-1:].isspace():
        line = f"{line[:-1]}&#{ord(line[-1])};"
    return line
