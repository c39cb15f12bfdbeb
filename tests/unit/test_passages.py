"""Passages: their sentences, what a claim rests on, and their drawn form."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from ibid import sentences
from ibid.passage_text import sentence_spans
from ibid.passages import highlight, passage_tree
from sample_passage import PASSAGE, Node, walk


def marked(nodes: Sequence[Node]) -> str:
    """The words in ``mark`` nodes."""
    inside = (node for mark in walk(nodes) if mark["type"] == "mark" for node in walk(mark["children"]))
    return "|".join(node["text"] for node in inside if "text" in node)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("One. Two! Three? Four…", ["One.", "Two!", "Three?", "Four…"]),
        (
            "Use 2.0.1 of setup.py, e.g. here, i.e. now. Next.",
            ["Use 2.0.1 of setup.py, e.g. here, i.e. now.", "Next."],
        ),
        ("Call `a. B()` first. npm does the rest.", ["Call `a. B()` first.", "npm does the rest."]),
        ("Wait... then go. (Or not.) End", ["Wait... then go.", "(Or not.)", "End"]),
        (
            "Tabs, blanks etc. are dropped. Lines etc. All kept.",
            ["Tabs, blanks etc. are dropped.", "Lines etc.", "All kept."],
        ),
        ("J. Smith wrote it. See Fig. 3.", ["J. Smith wrote it.", "See Fig. 3."]),
        ('He said "no." Then left.', ['He said "no."', "Then left."]),
        ("设置超时。然后重启！", ["设置超时。", "然后重启！"]),
        ("One line\nand the next. Two\n\nNew paragraph", ["One line\nand the next.", "Two", "New paragraph"]),
        ("", []),
        ("   \n ", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    """Versions, file names, abbreviations and inline code end no sentence."""
    assert [text[start:end] for start, end in sentences.spans(text)] == expected


def test_sentences_of_a_passage() -> None:
    """List items, table rows and code blocks are one sentence each, without their markers and fences."""
    assert [(s.kind, PASSAGE[s.start : s.end]) for s in sentence_spans(PASSAGE)] == [
        ("paragraph", "Set `timeout` in seconds, e.g. 30."),
        ("paragraph", "It is *not* read again; see rows[2] and [1](there)."),
        ("item", "the first item. With two sentences."),
        ("item", "a nested `item`"),
        ("item", "another item"),
        ("table", "Name | Default | Meaning"),
        ("table", "timeout | 30 | how long to wait"),
        ("table", "debug | | shows `a|b`"),
        ("paragraph", "Run it like this:"),
        ("code", "app = App(timeout=30)\n\nprint(app[1])"),
        ("item", "Done."),
    ]


@pytest.mark.parametrize(
    ("claim", "expected"),
    [
        ("Done.", "Done."),
        ("how long to wait", "how long to wait"),
        ("The nested items matter.", "a nested `item`"),
        ("By default one waits as long as the timeout of 30 says.", "timeout | 30 | how long to wait"),
        ("print the app", "app = App(timeout=30)\n\nprint(app[1])"),
        ("Wholly unrelated words are in this.", None),
        ("", None),
    ],
)
def test_highlight(claim: str, expected: str | None) -> None:
    """The claim itself where it stands verbatim, else the sentence with the most of its words, else none."""
    span = highlight(PASSAGE, claim)
    assert (PASSAGE[span[0] : span[1]] if span else None) == expected


def test_highlight_in_chinese() -> None:
    """Scripts without blanks overlap by character pairs."""
    text = "设置在文件里。超时以秒计算。完成。"
    span = highlight(text, "它的超时是多少秒")
    assert span is not None
    assert text[span[0] : span[1]] == "超时以秒计算。"


def test_passage_tree() -> None:
    """Fences, list markers, table rows and inline code are drawn; nothing else is read as Markdown."""
    tree = passage_tree(PASSAGE)
    assert [node["type"] for node in tree] == [
        "paragraph",
        "list",
        "table",
        "paragraph",
        "code_block",
        "list",
    ]
    assert tree[0]["children"] == [
        {"type": "text", "text": "Set "},
        {"type": "code", "text": "timeout"},
        {"type": "text", "text": " in seconds, e.g. 30. It is *not* read again; see rows[2] and [1](there)."},
    ]
    first, second = tree[1]["children"]
    assert [node["type"] for node in first["children"]] == ["paragraph", "list"]
    assert [node["type"] for node in second["children"]] == ["paragraph"]
    assert [len(row["children"]) for row in tree[2]["children"]] == [3, 3, 3]
    assert [cell["header"] for cell in tree[2]["children"][0]["children"]] == [True, True, True]
    assert tree[4] == {
        "type": "code_block",
        "language": "python",
        "text": "app = App(timeout=30)\n\nprint(app[1])",
    }
    assert tree[5]["ordered"] is True
    assert {node["type"] for node in walk(tree)}.isdisjoint({"cite", "link", "emphasis", "mark"})


@pytest.mark.parametrize(
    "words",
    [
        "Set `timeout` in seconds, e.g. 30.",
        "a nested `item`",
        "timeout | 30 | how long to wait",
        "print(app[1])",
        "Done.",
    ],
)
def test_highlighted_words_are_marked(words: str) -> None:
    """The span is drawn inside ``mark``: in every cell of a row, around the whole of a code block."""
    plain = "".join(node.get("text", "") for node in walk(passage_tree(PASSAGE)))
    tree = passage_tree(PASSAGE, highlight(PASSAGE, words))
    inside = marked(tree).replace("|", "").replace(" ", "")
    assert words.replace("`", "").replace("|", "").replace(" ", "") in inside
    assert "".join(node.get("text", "") for node in walk(tree)) == plain


def test_lone_pipes_and_markers_are_prose() -> None:
    """One line with a pipe is no table, a dash in a paragraph no list; an open fence ends with the text."""
    assert [n["type"] for n in passage_tree("a | b")] == ["paragraph"]
    assert [n["type"] for n in passage_tree("first\n- second")] == ["paragraph"]
    assert passage_tree("````\n```\nx") == [{"type": "code_block", "language": "", "text": "```\nx"}]
    assert passage_tree("") == []


def test_deep_lists_are_drawn_flat() -> None:
    """Items nested without end do not nest the tree without end."""
    tree = passage_tree("\n".join("  " * level + "- x" for level in range(500)))
    depth, nodes = 0, tree
    while nodes:
        depth, nodes = depth + 1, [child for node in nodes for child in node.get("children", [])]
    assert depth < 30
