"""The citation grammar: one function decides what a mark is, and the parsed tree where one may stand."""

from __future__ import annotations

import pytest

from ibid.citations import cited_numbers, marks, marks_in
from ibid.markdown import parse

READS = [
    ("[1][3]", (1, 3)),
    ("[4, 6]", (4, 6)),
    ("[2，5]", (2, 5)),
    ("[1 , 2]", (1, 2)),
    ("[1\t,2,3]", (1, 2, 3)),
    ("[[2]]", (2,)),
    ("[01]", (1,)),
    ("[0, 1]", (1,)),
    ("rows[2]", (2,)),
    ("word[1].", (1,)),
    ("[9007199254740991]", (9007199254740991,)),
    ("[9007199254740992, 7]", (7,)),
    ("[00000000000000000000000001]", (1,)),
]
DOES_NOT_READ = [
    "[ 1]",
    "[1 ]",
    "[1,]",
    "[,1]",
    "[]",
    "[a1]",
    "[+1]",
    "[-1]",
    "[^1]",
    "[1-3]",
    "[1;2]",
    "[1 2]",
    "[1.5]",
    "rows[0]",
    "[0]",
    "[0, 0]",
    "[1",
    "1]",
    "【1】",
    "［1］",
    "[１]",
    "[٣]",
    "[9007199254740992]",
    f"[{'9' * 5000}]",
    "[1,\n2]",
]


@pytest.mark.parametrize(("text", "numbers"), READS)
def test_reads(text: str, numbers: tuple[int, ...]) -> None:
    """ASCII digits in brackets, parted by commas with blanks around them, cite in running text."""
    assert marks(text) == numbers
    assert cited_numbers(parse(text)) == numbers


@pytest.mark.parametrize("text", DOES_NOT_READ)
def test_does_not_read(text: str) -> None:
    """Anything else stays text; 0 and numbers that JavaScript cannot hold are dropped."""
    assert marks(text) == ()
    assert cited_numbers(parse(text)) == ()


def test_a_mark_is_exactly_its_brackets() -> None:
    """The offsets span the brackets; what stands around them stays text."""
    text = "rows[2] and [[3, 4]]"
    assert [(text[m.start : m.end], m.numbers) for m in marks_in(text)] == [("[2]", (2,)), ("[3, 4]", (3, 4))]


@pytest.mark.parametrize(
    ("text", "numbers"),
    [
        ("# Heading [1]\n\n- item [2]\n\n> quote [3]\n\n| a [4] |\n|---|\n| b [5] |", (1, 2, 3, 4, 5)),
        (r"escaped \[2\] and entity &#91;3&#93;", (2, 3)),
        ("**bold `x`[1]** *[2]* ~~[3]~~", (1, 2, 3)),
        ("It works![1]", (1,)),
        ("`x[1]` and ``y [2] ` ``", ()),
        ("```py\nd[i][0] = t[1]\n```", ()),
        ("```py\nstill open[2]", ()),
        ("    indented[1]", ()),
        ("[1](https://docs.example/) and [see [2]](https://docs.example/)", ()),
        ("![1](picture.png) ![see [2]](picture.png)", ()),
        ("[**1**] [1*2*]", ()),
        ("a stray ` here [1]\n\n- step:\n\n  ```sh\n  run a[3]\n  ```\n\nthen [2]", (1, 2)),
        ("- [ ] open [1]\n- [x] done", (1,)),
        ("again [2], [1], [2]", (2, 1)),
        ("| `a\\|b` [1] | 2 [2] |\n|---|---|\n", (1, 2)),
    ],
)
def test_where_marks_stand(text: str, numbers: tuple[int, ...]) -> None:
    """Marks count in text of any block, never in code (also when still open), links or images."""
    assert cited_numbers(parse(text)) == numbers


def test_what_is_drawn_is_what_is_listed() -> None:
    """The cite nodes of the tree carry exactly the numbers, and the text around them is whole."""
    [paragraph] = parse("Set it [1][2, 3] first.")
    assert paragraph["children"] == [
        {"type": "text", "text": "Set it "},
        {"type": "cite", "numbers": [1], "raw": "[1]"},
        {"type": "cite", "numbers": [2, 3], "raw": "[2, 3]"},
        {"type": "text", "text": " first."},
    ]


@pytest.mark.parametrize(
    "text", ["[" * 50_000, "[1" * 30_000, "[1, " * 20_000, "[" + "1 ," * 30_000, "[1" + " " * 50_000]
)
def test_hostile_runs_hold_no_marks(text: str) -> None:
    """Long runs of halves of marks are read once and hold none."""
    assert marks(text) == ()
