"""Markdown to the tree of allowed nodes: what becomes a node, what stays text, and that it stays shallow."""

from __future__ import annotations

import json
import random
from collections.abc import Iterator, Sequence
from typing import Any

import pytest

from ibid.citations import cited_numbers
from ibid.markdown import escape, parse
from ibid.visible import clean

Node = dict[str, Any]


def text(value: str) -> Node:
    return {"type": "text", "text": value}


def paragraph(*children: Node) -> Node:
    return {"type": "paragraph", "children": list(children)}


def walk(nodes: Sequence[Node]) -> Iterator[Node]:
    for node in nodes:
        yield node
        yield from walk(node.get("children", ()))


def plain(nodes: Sequence[Node]) -> str:
    """All that the tree draws, as one string."""
    return "".join(node.get("raw", node.get("text", "")) for node in walk(nodes))


@pytest.mark.parametrize(
    ("source", "tree"),
    [
        ("", []),
        ("a\nb", [paragraph(text("a\nb"))]),
        ("a  \nb", [paragraph(text("a"), {"type": "break"}, text("b"))]),
        ("## H", [{"type": "heading", "level": 2, "children": [text("H")]}]),
        ("---", [{"type": "rule"}]),
        ("> q", [{"type": "quote", "children": [paragraph(text("q"))]}]),
        (
            "3. a\n4. b",
            [
                {
                    "type": "list",
                    "ordered": True,
                    "start": 3,
                    "children": [
                        {"type": "item", "children": [paragraph(text("a"))]},
                        {"type": "item", "children": [paragraph(text("b"))]},
                    ],
                }
            ],
        ),
        ("```py title=x\na\n\nb\n```", [{"type": "code_block", "language": "py", "text": "a\n\nb"}]),
        ("    a\n      b", [{"type": "code_block", "language": "", "text": "a\n  b"}]),
        (
            "`c` *e* **s** ~~d~~ ![alt *x*](y.png)",
            [
                paragraph(
                    {"type": "code", "text": "c"},
                    text(" "),
                    {"type": "emphasis", "children": [text("e")]},
                    text(" "),
                    {"type": "strong", "children": [text("s")]},
                    text(" "),
                    {"type": "strike", "children": [text("d")]},
                    text(" "),
                    {"type": "image", "text": "alt x"},
                )
            ],
        ),
        ("- [ ] a", [{"type": "list", "ordered": False, "start": 1, "children": [
            {"type": "item", "children": [paragraph(text("[ ] a"))]}]}]),
        ("$x + y$", [paragraph(text("$x + y$"))]),
    ],
)  # fmt: skip
def test_nodes(source: str, tree: list[Node]) -> None:
    """Each construct becomes its one node; task boxes and math are text."""
    assert parse(source) == tree


def test_table() -> None:
    """Cells know whether they head a column and how it is aligned; an escaped pipe is no border."""
    [table] = parse("| k | v |\n|:--|--:|\n| `a\\|b` | 2 |\n| c |")
    cells = [[(c["header"], c["align"], plain([c])) for c in row["children"]] for row in table["children"]]
    assert cells == [
        [(True, "left", "k"), (True, "right", "v")],
        [(False, "left", "a|b"), (False, "right", "2")],
        [(False, "left", "c"), (False, "right", "")],
    ]


@pytest.mark.parametrize(
    ("address", "href", "host"),
    [
        ("https://docs.example/a?b=c#d", "https://docs.example/a?b=c#d", "docs.example"),
        ("HTTP://Docs.Example:8000", "http://docs.example:8000", "docs.example"),
        ("mailto:a@b.example", "mailto:a@b.example", ""),
        ("guide/a.html#b", "guide/a.html#b", ""),
        ("//other.example/x", "//other.example/x", "other.example"),
        ("https://docs.example@other.example/", "https://other.example/", "other.example"),
        ("https://docs.еxample/", "https://docs.xn--xample-2of/", "docs.xn--xample-2of"),
        ("http://[::1]:80/", "http://[::1]:80/", "[::1]"),
    ],
)
def test_links(address: str, href: str, host: str) -> None:
    """http, https, mailto and relative addresses; the host is the one that opens, in punycode."""
    assert parse(f"[x]({address})") == [
        paragraph({"type": "link", "href": href, "host": host, "children": [text("x")]})
    ]


@pytest.mark.parametrize(
    "address",
    [
        "javascript:alert(1)",
        "JaVaScRiPt&colon;alert(1)",
        "&#x6A;avascript:alert(1)",
        "java&Tab;script:alert(1)",
        "<java script:alert(1)>",
        "&#x200B;javascript:x",
        "data:text/html,x",
        "vbscript:x",
        "blob:https://x/1",
        "file:///etc/passwd",
        "https:docs.example",
        "https://",
        "https://a..b/",
        "https://docs.example:99999/",
        "https://do%63s.example/",
        "\\\\\\\\other.example",
        "/\\\\other.example",
        "https://docs.example\\\\@other.example/",
        "https://docs&#x202E;.example/",
    ],
)
def test_addresses_that_stay_text(address: str) -> None:
    """Every other scheme, whatever hides it, and addresses that browsers read differently."""
    tree = parse(f"[x]({address}) <{address}>")
    assert not [node for node in walk(tree) if node["type"] == "link"]
    assert plain(tree).startswith("[x](")


def test_html_is_text() -> None:
    """Tags are drawn as they stand; a language is one word of text."""
    source = '<img src=x onerror=alert(1)> <script>x</script>\n\n<div>\n\n```"><img src=x>\ny\n```'
    tree = parse(source)
    assert {node["type"] for node in walk(tree)} == {"paragraph", "text", "code_block"}
    assert plain(tree) == "<img src=x onerror=alert(1)> <script>x</script><div>y"


@pytest.mark.parametrize(
    "definition",
    [
        "[1]: https://x.example/one",
        '[2]: https://x.example/two "t"',
        "[3]: <https://x.example/a b> 'title here'",
        "[4]:guide.html#x (t)",
        "   [5]: /path",
        "[6]: ../up",
        "[7]: www.example.org",
        "[8]: #here",
    ],
)
@pytest.mark.parametrize(
    "around", ["{}", "See [1].\n\n{}", "See [1].\n{}", "{}\n\nSee [1].", "> See [1].\n{}"]
)
def test_definitions_are_not_drawn(definition: str, around: str) -> None:
    """A numeric link definition vanishes wherever it stands, and makes no link of a mark."""
    tree = parse(around.format(definition))
    assert plain(tree) in ("", "See [1].")
    assert cited_numbers(tree) in ((), (1,))
    assert not [node for node in walk(tree) if node["type"] == "link"]


@pytest.mark.parametrize(
    "source",
    [
        "[1]: The page on timeouts.",
        "[1]: yes",
        "[1]: Yes.",
        "[note]: https://x.example",
        "[1] https://x.example",
    ],
)
def test_prose_is_no_definition(source: str) -> None:
    """A line that only looks like one is drawn."""
    assert plain(parse(source)) == source


def test_code_is_left_alone() -> None:
    """Code holds its definitions, brackets and blank lines."""
    code = "[1]: https://x.example\nd[i][0] = t[1]\n\n  v = [1, 2]"
    assert parse(f"```\n{code}\n```") == [{"type": "code_block", "language": "", "text": code}]


def test_marks_beside_each_other_are_no_reference() -> None:
    """``[1][2]`` with a definition of 2 is one link in Markdown; here it is two marks."""
    assert cited_numbers(
        parse("Set it [1][2]. Then [1].\n\n[1]: https://a.example\n[2]: https://b.example")
    ) == (1, 2)


@pytest.mark.parametrize(
    ("source", "drawn"),
    [
        ("60 s\ue200cite\ue202turn0search1\ue202turn0search0\ue201.", "60 s."),
        ("a\ue000b\U000f0001c", "abc"),
        ("a\u202eb\u2066c\u200bd\ufeffe", "abcde"),
        ("a\x00b\x1bc\x85d", "abcd"),
        ("[\u200b1\u200b]", "[1]"),
        ("👩\u200d💻 नमस्ते می\u200cخواهم", "👩\u200d💻 नमस्ते می\u200cخواهم"),
        ("\ud83d\ude00 \ud83d", "😀 \ufffd"),
        ("a\r\nb\rc", "a\nb\nc"),
    ],
)
def test_invisible_characters(source: str, drawn: str) -> None:
    """No private-use, control or direction-changing character is drawn; what scripts and emoji need stays."""
    assert plain(parse(source)) == drawn
    assert clean(clean(source)) == clean(source)


def depth(nodes: Sequence[Node]) -> int:
    levels, current = 0, list(nodes)
    while current:
        levels += 1
        current = [child for node in current for child in node.get("children", ())]
    return levels


NESTED = {
    "quotes": "> " * 5_000 + "x",
    "lists": "".join("  " * i + "- x\n" for i in range(200)),
    "lists in quotes": "> - " * 2_000 + "x",
    "emphasis": "*a _b " * 2_000 + "b_ a* " * 2_000,
    "brackets": "[" * 5_000 + "x" + "](y)" * 5_000,
    "images": "![" * 2_000 + "x" + "](y)" * 2_000,
}


@pytest.mark.parametrize("name", NESTED)
def test_nesting_has_a_limit(name: str) -> None:
    """Deep nesting is drawn flat: the tree stays shallow, and the words in it are not lost."""
    tree = parse(NESTED[name])
    assert depth(tree) < 60
    assert json.dumps(tree)
    assert "x" in plain(tree) or "a" in plain(tree)


@pytest.mark.parametrize(
    "source",
    [
        "<!--notes:a" + " " * 20_000 + "x",
        "*" * 20_000 + "a",
        "<b>" * 7_000,
        "<a " * 7_000,
        "".join("`" * n + " " for n in range(1, 200)),
        "[" * 20_000,
        "[a](" * 5_000,
        "$$\n" + " " * 20_000 + "x",
        "# a" + " " * 20_000 + "b",
        "|" * 20_000,
        "a|b\n-|-\n" + "|" * 20_000,
    ],
)
def test_hostile_text_is_read(source: str) -> None:
    """Runs that send careless parsers into minutes parse; their text, blanks aside, stays."""
    drawn = plain(parse(source))
    assert not drawn or set(drawn) <= set(source)


PROSE = [
    "Plain words, e.g. these.",
    "snake_case and 2 * 3 * 4 and a_b_c",
    "*args and **kwargs, __init__, ~~no~~, `tick`",
    "rows[2], [1], [0, 3], see [this](there) and ![that](x)",
    "1. not a list",
    "- not one either",
    "# no heading",
    "> no quote",
    "a\n===\nb\n---",
    "a | b\n--|--\nc | d",
    "[1]: https://x.example",
    "<https://x.example> & &amp; &#91;1&#93; \\[2\\]",
    "  indented\n\n    more  \nend\\",
    "```\nfence\n```",
    "tail \\",
]


@pytest.mark.parametrize("prose", PROSE)
def test_escaped_prose_is_read_back(prose: str) -> None:
    """Escaped text parses to one paragraph of exactly that text, without marks."""
    assert parse(escape(prose)) == [paragraph(text(prose))]


def test_escaping_leaves_plain_prose_alone() -> None:
    """What Markdown would not touch is not escaped, so that an extract reads well as raw text too."""
    for prose in ("Use e.g. snake_case, 2 * 3; see setup.py (v2.0.1) [sic]!", "a < b && c > d: 50% #1 ~5"):
        assert escape(prose) == prose


def test_any_text_can_be_escaped() -> None:
    """The same for random runs of everything that Markdown reads."""
    # fmt: off
    pieces = [
        "a", " ", "\n", "\t", "- ", "1. ", "> ", "#", "`", "~~", "|", "|-|-|\n", "=", "[1]", "[", "](", ")",
        "!", "[0]: /x", "*", "_", "\\", "<a@b>", "<x:y>", "&amp;", "\u00a0", "é", ".", "\u200b", "\u2060",
    ]
    # fmt: on
    chance = random.Random(7)
    for _ in range(3_000):
        source = "a" + "".join(chance.choices(pieces, k=chance.randint(0, 12)))
        assert parse(escape(source)) == [paragraph(text(clean(source).replace("\u2060", "")))]


def test_escaping_can_keep_inline_code() -> None:
    """Code spans of the documentation stay code, unescaped; all else is escaped."""
    escaped = escape("call `f(*a)[1]` with *b* [2]", keep_code=True)
    assert parse(escaped) == [
        paragraph(text("call "), {"type": "code", "text": "f(*a)[1]"}, text(" with *b* [2]"))
    ]
