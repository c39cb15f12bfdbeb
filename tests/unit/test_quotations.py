"""The extractive answer: which sentences of the passages, and how they are quoted."""

from __future__ import annotations

import pytest

from ibid.citations import cited_numbers, marked_sentence
from ibid.markdown import parse
from ibid.models import Source
from ibid.quotations import best_sentences, extract_answer
from ibid.text import terms
from sample_passage import PASSAGE, walk


def source(n: int, text: str, path: str = "a.md") -> Source:
    return Source(n, f"c{n}", "docs", path, f"/{path}", "A", ("A",), text, text[:160], 0.5, "search")


def test_best_sentences() -> None:
    """Those with most query terms, in reading order; code follows what announces it; else the first."""

    def best(query: str, limit: int) -> list[str]:
        return [PASSAGE[s.start : s.end] for s in best_sentences(PASSAGE, terms(query), limit)]

    assert best("timeout in seconds", 1) == ["Set `timeout` in seconds, e.g. 30."]
    assert best("run like", 1) == ["Run it like this:", "app = App(timeout=30)\n\nprint(app[1])"]
    assert best("nothing of it", 3)[:1] != []
    assert best("zebra", 3) == ["Set `timeout` in seconds, e.g. 30."]


def test_extract_is_verbatim_and_marked() -> None:
    """Each quoted sentence stands in its passage as drawn, with its passage's mark; code is whole."""
    answer = extract_answer(
        [source(1, PASSAGE), source(2, "Only *this*: __init__ [1], [9] matter.", "b.md")],
        terms("timeout run"),
    )
    tree = parse(answer)
    assert cited_numbers(tree) == (1, 2)
    quoted = [marked_sentence(tree, k, verbatim=True) for k in range(4)]
    assert quoted == [
        "Set `timeout` in seconds, e.g. 30.",
        "timeout | 30 | how long to wait",
        "Run it like this:",
        "Only *this*: __init__ [1], [9] matter.",
    ]
    assert all(words in PASSAGE for words in quoted[:3])
    assert {
        "type": "code_block",
        "language": "python",
        "text": "app = App(timeout=30)\n\nprint(app[1])",
    } in tree


def test_documentation_cannot_pose() -> None:
    """Brackets, links, HTML and headings of the documentation stay text in the extract."""
    text = "# [2] of [x](javascript:y) <b> ![3](z) and [4]: https://x.example are text."
    tree = parse(extract_answer([source(1, text)], terms("text")))
    assert {node["type"] for node in walk(tree)} == {"paragraph", "text", "cite"}
    assert cited_numbers(tree) == (1,)
    assert marked_sentence(tree, 0, verbatim=True) == text


def test_code_alone_is_marked_below() -> None:
    """A passage that is all code is quoted whole, fences in it included, with the mark under it."""
    tree = parse(extract_answer([source(1, "````md\n```\nx[1]\n```\n````")], terms("x")))
    assert tree[0] == {"type": "code_block", "language": "md", "text": "```\nx[1]\n```"}
    assert marked_sentence(tree, 0, verbatim=True) == "```\nx[1]\n```"


def test_every_page_is_quoted_once_and_nothing_twice() -> None:
    """Each page has at least one sentence, the whole stays short, and equal sentences appear once."""
    same = "The timeout counts. " * 1 + "Another timeout here. Timeout again. Timeout too."
    sources = [source(n, same if n < 4 else f"Page {n} is other.", f"{n}.md") for n in range(1, 7)]
    tree = parse(extract_answer(sources, terms("timeout")))
    assert set(cited_numbers(tree)) == {1, 4, 5, 6}
    assert sum(node["type"] == "cite" for node in walk(tree)) == 6


def test_nothing_to_extract() -> None:
    """No sources, or an empty passage, make no text."""
    assert extract_answer([], ["x"]) == ""
    assert extract_answer([source(1, "")], ["x"]) == ""


ROOMS = """Rooms are booked by the hour. In this case the desk prints a slip. The slip has these parts:

- the number

- the hour

A room can be shared:

```python
share(room, guests=2)
```

Guests wait outside."""


@pytest.mark.parametrize(
    ("query", "expected"),
    [
        # A list that is announced comes whole, and "In this case" brings what it points back to.
        ("slip parts", ["The slip has these parts:", "the number", "the hour"]),
        ("desk prints", ["Rooms are booked by the hour.", "In this case the desk prints a slip."]),
        # Code counts for the sentence that announces it, and never comes without the sentence before it.
        ("room shared", ["A room can be shared:", "share(room, guests=2)"]),
        ("guests outside wait", ["Guests wait outside."]),
        # What holds no more than half of what the best sentence holds is chance.
        ("hour booked rooms guests", ["Rooms are booked by the hour."]),
    ],
)
def test_sentences_bring_what_they_stand_on(query: str, expected: list[str]) -> None:
    """A chosen sentence brings what it announces and what it points back to; weak ones are left out."""
    limit = 1 if query == "slip parts" else 3
    assert [ROOMS[s.start : s.end] for s in best_sentences(ROOMS, terms(query), limit)] == expected


def test_a_long_example_does_not_win_by_its_length() -> None:
    """A later passage whose code holds a little of everything is not quoted beside one that answers."""
    answer = "Keep state of the app in `app.state`."
    example = "The class ties it together.\n\n```python\napp = App()\nrequest(app)\n```"
    tree = parse(extract_answer([source(1, answer), source(2, example)], terms("app.state request")))
    assert cited_numbers(tree) == (1,)


def test_later_passages_of_a_page_bring_what_compares_with_the_best() -> None:
    """A page's first passage is judged by itself, later ones by the best of all passages."""
    texts = ["Set state of the app early.", "Read the state of an app. Wait for state."]
    tree = parse(extract_answer([source(n, text) for n, text in enumerate(texts, 1)], terms("set app state")))
    assert [marked_sentence(tree, k, verbatim=True) for k in range(2)] == [
        texts[0],
        "Read the state of an app.",
    ]
    assert sum(node["type"] == "cite" for node in walk(tree)) == 2


def test_a_caption_stands_between_announcement_and_code() -> None:
    """A file's name over a code block is announced with it; a sentence is not a caption."""
    text = "Keep settings apart:\n\napp/settings.py\n\n```python\nx = 1\n```"
    assert len(best_sentences(text, terms("settings apart keep"), 1)) == 3
    assert len(best_sentences(text.replace("app/settings.py", "No."), terms("settings apart keep"), 1)) == 1


def test_paragraphs_stay_apart() -> None:
    """Sentences of one paragraph share one in the extract; those of two do not run together."""
    text = "Signature: open(port)\n\nTo open the port, call it. A port opens once."
    tree = parse(extract_answer([source(1, text)], terms("open port")))
    assert [[leaf["text"] for leaf in walk([block]) if leaf["type"] == "text"] for block in tree] == [
        ["Signature: open(port) "],
        ["To open the port, call it. ", " A port opens once. "],
    ]
