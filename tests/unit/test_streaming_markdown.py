"""A streamed answer: any split gives the tree of the whole, early text stays, and work stays bounded."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ibid import streaming_markdown
from ibid.citations import cited_numbers
from ibid.markdown import parse
from ibid.streaming_markdown import StreamingTree

Node = dict[str, Any]

ANSWER = """## Set it [1]

To change the **timeout**, set `timeout=30` [1][2]. Restart it\\
once, see [the guide](https://docs.example/a) [4, 6].
[2]: https://x.example/two "t"

1. open `conf[1]`
2. add the line
   ```toml
   a[1] = 2
   ```
2) another list

> quoted [3]
lazy

| k | v |
|---|---|
| `a\\|b` [1] | 2 |

para
| not | a
|-- table

    code[1]

```py
d[i][0] = t[1]
"""


def stream(deltas: Iterable[str], tree: StreamingTree) -> list[Node]:
    """The tree that a page holds which only ever sees the patches."""
    drawn: list[Node] = []
    for delta in deltas:
        if patch := tree.feed(delta):
            drawn[patch.start :] = patch.blocks
            assert drawn == tree.tree
    patch = tree.close()
    drawn[patch.start :] = patch.blocks
    return drawn


def may_cite(number: int) -> bool:
    return number < 3


@pytest.mark.parametrize("size", [1, 2, 3, 7, 20, 100, 10_000])
def test_every_split_of_an_answer(size: int) -> None:
    """The streamed tree equals the tree of the whole text."""
    tree = StreamingTree()
    drawn = stream((ANSWER[i : i + size] for i in range(0, len(ANSWER), size)), tree)
    assert drawn == parse(ANSWER)
    assert tree.text == ANSWER


# fmt: off
PIECES = [
    "a", "word ", "\n", "\n\n", "- ", "* ", "1. ", "2", "> ", "# ", "`", "```", "```py\n", "~~~",
    "| a | b |\n", "|---|---|\n", "|", "-", "--", "---", "=", "[1]", "[", "]", "(", "[1]: https://x.y\n",
    ": /z", "[4, 6]", "**", "*", "_", "    ", "  ", "\t", "\\", "\\[2\\]", "<https://a.b>", "[x](http://y)",
    "&#91;", "【1】", "【2†label】", "【3", "】", "\r\n", "\r", "\ue200cite\ue201", "\ue200", "\u2060",
    "\u200b", "\ud83d", "\ude00",
]
# fmt: on


@settings(deadline=None, database=None, derandomize=True, max_examples=400)
@given(pieces=st.lists(st.sampled_from(PIECES), max_size=40), data=st.data())
def test_any_split_of_anything(pieces: list[str], data: st.DataObject) -> None:
    """For any text and any split: the same stored text, the same tree, equal to parsing what is stored."""
    source = "".join(pieces)
    cuts = data.draw(st.lists(st.integers(0, len(source)), max_size=12).map(sorted))
    whole = StreamingTree(may_cite)
    expected = stream([source], whole)
    split = StreamingTree(may_cite)
    drawn = stream((source[a:b] for a, b in pairwise([0, *cuts, len(source)])), split)
    assert split.text == whole.text
    assert drawn == expected == parse(whole.text)


def drawn_texts(deltas: Iterable[str]) -> list[str]:
    """The text of the tree after each delta, marks as ``<n>``."""
    tree = StreamingTree()
    seen = []
    for delta in deltas:
        tree.feed(delta)
        seen.append("".join(_shown(tree.tree)))
    tree.close()
    seen.append("".join(_shown(tree.tree)))
    return seen


def _shown(nodes: list[Node]) -> Iterable[str]:
    for node in nodes:
        if node["type"] == "cite":
            yield f"<{','.join(map(str, node['numbers']))}>"
        yield node.get("text", "")
        yield from _shown(node.get("children", []))


def test_an_unfinished_mark_is_held_back() -> None:
    """A tail that may become a mark is not drawn as text until it is decided, or the stream ends."""
    assert drawn_texts(["Use it ", "[", "1", "]", "[", "2", "].", " Not [", "yet", "]", " x[", "0"]) == [
        "Use it",
        "Use it",
        "Use it",
        "Use it <1>",
        "Use it <1>",
        "Use it <1>",
        "Use it <1><2>.",
        "Use it <1><2>. Not",
        "Use it <1><2>. Not [yet",
        "Use it <1><2>. Not [yet]",
        "Use it <1><2>. Not [yet] x",
        "Use it <1><2>. Not [yet] x",
        "Use it <1><2>. Not [yet] x[0",
    ]


def test_late_definitions_change_nothing() -> None:
    """Numeric definitions that arrive last are never drawn, and no earlier block changes."""
    answer = "Set it [1][2] first. Then [1]."
    definitions = '\n\n[1]: https://x.example/one\n[2]: https://x.example/two "a title"\n'
    assert set(drawn_texts([answer, *definitions])) == {"Set it <1><2> first. Then <1>."}


@pytest.mark.parametrize(
    ("source", "stored", "numbers"),
    [
        ("a【1】 b【2†guide.md】.", "a[1] b[2].", (1, 2)),
        ("a【9】 b【】 【x】 【1", "a【9】 b【】 【x】 【1", ()),
        ("`a【1】` b【1】\n\n```\nc【2】\n```\n", "`a【1】` b[1]\n\n```\nc【2】\n```\n", (1,)),
        ("【1】【2】", "[1][2]", (1, 2)),
        ("open ` tick【1】\n\nnext", "open ` tick[1]\n\nnext", (1,)),
        ("see【1】(2024)", "see\\[1\\](2024)", (1,)),
        ("【01】", "[1]", (1,)),
    ],
)
@pytest.mark.parametrize("size", [1, 4, 100])
def test_provider_marks(source: str, stored: str, numbers: tuple[int, ...], size: int) -> None:
    """``【1】`` and ``【1†label】`` become ``[1]`` outside code, where the turn may cite the number."""
    tree = StreamingTree(may_cite)
    drawn = stream((source[i : i + size] for i in range(0, len(source), size)), tree)
    assert tree.text == stored
    assert cited_numbers(drawn) == numbers


def test_settled_blocks_are_not_drawn_again() -> None:
    """A patch begins at the first block that changed; finished blocks stay out of it."""
    tree = StreamingTree()
    stream_start = "One.\n\nTwo.\n\nThree.\n\nFour"
    tree.feed(stream_start)
    patch = tree.feed(" more")
    assert patch is not None
    assert patch.start == 3
    assert len(patch.blocks) == 1
    assert tree.feed("[") is None


@pytest.mark.parametrize(
    "source",
    [
        "*" * 40_000,
        "[" * 40_000,
        "> " * 20_000,
        "word " * 8_000,
        "- item\n" * 5_000,
        "```\n" + "x = 1\n" * 6_000,
    ],
)
def test_work_is_about_linear(source: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """However long one block grows, the characters parsed in all stay a small multiple of the text."""
    parsed = 0
    parse_blocks = streaming_markdown.parse_blocks

    def counting(text: str) -> list[tuple[Node, int]]:
        nonlocal parsed
        parsed += len(text)
        return parse_blocks(text)

    monkeypatch.setattr(streaming_markdown, "parse_blocks", counting)
    work = []
    for length in (len(source) // 2, len(source)):
        parsed = 0
        stream((source[i : i + 20] for i in range(0, length, 20)), StreamingTree())
        work.append(parsed)
    assert work[1] < 2.6 * work[0]
    assert work[1] < 25 * len(source)


def test_an_empty_stream() -> None:
    """Nothing came: nothing is drawn."""
    tree = StreamingTree()
    assert tree.feed("") is None
    assert tree.close() == (0, [])
    assert tree.text == ""
