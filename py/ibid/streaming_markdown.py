"""A streamed answer as a tree: only the last open block is parsed again, and only within a budget."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any, NamedTuple

from ibid.markdown import parse_blocks
from ibid.visible import clean, undecided_tail

Node = dict[str, Any]


class Patch(NamedTuple):
    """Replace the top-level blocks from index ``start`` on by ``blocks``."""

    start: int
    blocks: list[Node]


# Characters that may be parsed again for one delta, besides its own length. A short block is redrawn
# with every delta, a longer one as often as this pays for. Beyond _LONG_BLOCK it falls with the square of
# the length, so that the whole costs about linear time (100,000 characters: about three parses of all).
_CHARS_PER_DELTA = 400
_LONG_BLOCK = 6000

# Text at the end that may still become a mark, its escaped form, a provider's mark, or a numeric definition
# that is not to be drawn: held back until it is decided.
_UNDECIDED = re.compile(
    r"(?:\\|\\?\[[0-9 \t,，]*\\?"  # noqa: RUF001 - the fullwidth comma is meant
    r"|【[0-9]*(?:†[^【】\n]*)?"
    r"|(?<![^\n])[ \t>*+-]*\[[0-9]{1,16}\](?::[ \t]*\S{0,200}(?:[ \t]+[\"'(][^\n]*)?)?)$"
)
_LONGEST_UNDECIDED = 400

_PROVIDER_MARK = re.compile(r"【([0-9]{1,16})(?:†[^【】\n]{0,200})?】")
_FIRST_STAND_IN = 0xF0000  # private use: cleaned text holds none
_MOST_STAND_INS = 0xFFFD


class StreamingTree:
    """The tree of a text that comes in deltas; in the end it equals ``markdown.parse(self.text)``.

    ``may_cite`` says whether a provider's own mark ``【n】`` or ``【n†label】`` is one that this turn may
    cite; then it is rewritten to ``[n]``, outside code.
    """

    def __init__(self, may_cite: Callable[[int], bool] = lambda number: False) -> None:
        self._may_cite = may_cite
        self._undecided = ""  # not cleaned yet
        self._tail = ""  # cleaned; from the first line of the last open block on
        self._settled_text: list[str] = []
        self._settled: list[Node] = []
        self._open: list[Node] = []
        self._budget = 0.0

    @property
    def text(self) -> str:
        """The answer so far as it is stored: cleaned, provider marks rewritten."""
        return "".join(self._settled_text) + self._rewritten(self._tail)

    @property
    def tree(self) -> list[Node]:
        """The top-level blocks as last drawn."""
        return self._settled + self._open

    def feed(self, delta: str) -> Patch | None:
        """Take the next piece of text; the patch to draw, None when nothing is to be drawn now."""
        raw = self._undecided + delta
        decided = undecided_tail(raw)
        self._undecided = raw[decided:]
        self._tail += clean(raw[:decided])
        share = min(1.0, _LONG_BLOCK / max(1, len(self._tail)))
        self._budget += _CHARS_PER_DELTA * share**2 + len(delta)
        if self._budget < len(self._tail):
            return None
        self._budget = 0.0
        return self._draw(self._tail[: _decided_length(self._tail)])

    def close(self) -> Patch:
        """The stream has ended, or was stopped: everything is decided. Patches the last open blocks."""
        self._tail += clean(self._undecided)
        self._undecided = ""
        start = len(self._settled)
        return self._draw(self._tail) or Patch(start, self.tree[start:])

    def _draw(self, source: str) -> Patch | None:
        source = self._rewritten(source)
        blocks = parse_blocks(source)
        nodes = [node for node, _ in blocks]
        same = _common_length(self._open, nodes)
        patch = Patch(len(self._settled) + same, nodes[same:])
        changed = same < max(len(nodes), len(self._open))
        self._open = nodes
        self._settle(source, [line for _, line in blocks])
        return patch if changed else None

    def _settle(self, source: str, first_lines: Sequence[int]) -> None:
        """Let go of the blocks that no further text can change.

        A block is final once two whole lines of a later one are there: one decides that the later block is
        not part of it, two that it is no table whose second line may yet fail.
        """
        whole_lines = source.count("\n")
        last = max((i for i, line in enumerate(first_lines) if i and line + 2 <= whole_lines), default=0)
        if not last:
            return
        # Rewriting neither adds nor removes a line.
        line = first_lines[last]
        self._settled_text.append(source[: _offset_of_line(source, line)])
        self._tail = self._tail[_offset_of_line(self._tail, line) :]
        self._settled += self._open[:last]
        self._open = self._open[last:]

    def _rewritten(self, source: str) -> str:
        """``source`` with the provider's marks that may be cited rewritten, except in code.

        Only the parser knows what is code: each such mark is parsed as one stand-in character, and what comes
        out in code is left alone.
        """
        marks = [m for m in _PROVIDER_MARK.finditer(source) if self._may_cite(int(m[1]))][:_MOST_STAND_INS]
        if not marks:
            return source
        numbers = range(_FIRST_STAND_IN, _FIRST_STAND_IN + len(marks))
        probe = _replaced(source, marks, [chr(number) for number in numbers])
        in_code = set("".join(_code_texts([node for node, _ in parse_blocks(probe)])))
        new = [
            m[0] if chr(i) in in_code else _own_mark(source, m) for i, m in zip(numbers, marks, strict=True)
        ]
        return _replaced(source, marks, new)


def _own_mark(source: str, match: re.Match[str]) -> str:
    number = int(match[1])
    # "[1](…" would be a link.
    return rf"\[{number}\]" if source.startswith("(", match.end()) else f"[{number}]"


def _replaced(source: str, marks: Sequence[re.Match[str]], new: Sequence[str]) -> str:
    parts: list[str] = []
    position = 0
    for match, text in zip(marks, new, strict=True):
        parts += (source[position : match.start()], text)
        position = match.end()
    return "".join((*parts, source[position:]))


def _code_texts(nodes: Sequence[Node]) -> Iterator[str]:
    for node in nodes:
        if node["type"] in ("code", "code_block"):
            yield node["text"]
        yield from _code_texts(node.get("children", ()))


def _decided_length(source: str) -> int:
    match = _UNDECIDED.search(source, max(0, len(source) - _LONGEST_UNDECIDED))
    return match.start() if match else len(source)


def _common_length(old: Sequence[Node], new: Sequence[Node]) -> int:
    for i, (a, b) in enumerate(zip(old, new, strict=False)):
        if a != b:
            return i
    return min(len(old), len(new))


def _offset_of_line(text: str, line: int) -> int:
    offset = 0
    for _ in range(line):
        offset = text.index("\n", offset) + 1
    return offset
