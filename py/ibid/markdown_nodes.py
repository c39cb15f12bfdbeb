"""Tokens of the Markdown parser to the nodes that ``ibid.markdown`` describes."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from markdown_it.token import Token

from ibid import links
from ibid.citations import marks_in
from ibid.visible import WORD_JOINER

Node = dict[str, Any]

MAX_DEPTH = 20
"""Inline nodes nested deeper are drawn flat. The parser itself lets emphasis nest without end."""

_BLOCKS = {
    "paragraph_open": "paragraph",
    "heading_open": "heading",
    "bullet_list_open": "list",
    "ordered_list_open": "list",
    "list_item_open": "item",
    "blockquote_open": "quote",
    "table_open": "table",
    "tr_open": "row",
    "th_open": "cell",
    "td_open": "cell",
}
_INLINES = {"em_open": "emphasis", "strong_open": "strong", "s_open": "strike", "link_open": "link"}
_WITHOUT_NODE = frozenset({"thead_open", "thead_close", "tbody_open", "tbody_close"})


def blocks(tokens: Sequence[Token]) -> list[Node]:
    """The block nodes of a whole token stream. Its depth is the parser's, which limits it."""
    top: list[Node] = []
    stack = [top]
    for token in tokens:
        if token.type in _WITHOUT_NODE:
            continue
        if token.type == "inline":
            stack[-1].extend(inlines(token.children or []))
        elif token.nesting > 0:
            node: Node = {"type": _BLOCKS[token.type], **_attributes(token), "children": []}
            stack[-1].append(node)
            stack.append(node["children"])
        elif token.nesting < 0:
            stack.pop()
        elif token.type == "hr":
            stack[-1].append({"type": "rule"})
        else:  # a fence or an indented code block
            stack[-1].append(code_block(token.info, token.content))
    return top


def code_block(info: str, text: str) -> Node:
    """``info`` is what follows the fence; its first word is the language. ``text`` loses its last newline."""
    words = info.split(maxsplit=1)
    return {
        "type": "code_block",
        "language": _drawn(words[0]) if words else "",
        "text": _drawn(text.removesuffix("\n")),
    }


def _attributes(token: Token) -> Node:
    match token.type:
        case "heading_open":
            return {"level": int(token.tag[1:])}
        case "bullet_list_open":
            return {"ordered": False, "start": 1}
        case "ordered_list_open":
            return {"ordered": True, "start": token.attrs.get("start", 1)}
        case "th_open" | "td_open":
            align = str(token.attrs.get("style", "")).removeprefix("text-align:")
            return {"header": token.type == "th_open", "align": align}
        case _:
            return {}


def inlines(tokens: Sequence[Token]) -> list[Node]:
    """The inline nodes of one block, with its marks."""
    builder = _InlineBuilder()
    for token in tokens:
        builder.take(token)
    builder.end_run()
    return builder.top


class _InlineBuilder:
    """Collects adjacent text into one run, so that a mark may hold escapes and entities but no other node."""

    def __init__(self) -> None:
        self.top: list[Node] = []
        self._stack = [self.top]
        self._run: list[str] = []
        self._links = 0

    def take(self, token: Token) -> None:
        if token.type == "text":
            self._run.append(token.content)
        elif token.type == "softbreak":
            self._run.append("\n")
        else:
            self.end_run()
            if token.nesting > 0:
                self._open(token)
            elif token.nesting < 0:
                self._stack.pop()
                self._links -= token.type == "link_close"
            else:
                self._stack[-1].append(_leaf(token))

    def end_run(self) -> None:
        text = "".join(self._run)
        self._run.clear()
        if text:
            self._stack[-1].extend(_text_nodes(text, with_marks=self._links == 0))

    def _open(self, token: Token) -> None:
        self._links += token.type == "link_open"
        target = links.target(str(token.attrs.get("href", ""))) if token.type == "link_open" else None
        drawn_flat = len(self._stack) > MAX_DEPTH or (token.type == "link_open" and target is None)
        if drawn_flat:
            self._stack.append(self._stack[-1])
            return
        node: Node = {"type": _INLINES[token.type]}
        if target is not None:
            node |= {"href": target.href, "host": target.host}
        node["children"] = []
        self._stack[-1].append(node)
        self._stack.append(node["children"])


def _text_nodes(text: str, *, with_marks: bool) -> Iterator[Node]:
    position = 0
    for mark in marks_in(text) if with_marks else ():
        if drawn := _drawn(text[position : mark.start]):
            yield {"type": "text", "text": drawn}
        yield {"type": "cite", "numbers": list(mark.numbers), "raw": text[mark.start : mark.end]}
        position = mark.end
    if drawn := _drawn(text[position:]):
        yield {"type": "text", "text": drawn}


def _leaf(token: Token) -> Node:
    match token.type:
        case "hardbreak":
            return {"type": "break"}
        case "image":
            return {"type": "image", "text": _drawn(_alt(token.children or []))}
        case _:
            return {"type": "code", "text": _drawn(token.content)}


def _alt(tokens: Sequence[Token]) -> str:
    return "".join(
        "\n" if token.type in ("softbreak", "hardbreak") else token.content or _alt(token.children or [])
        for token in tokens
    )


def _drawn(text: str) -> str:
    return text.replace(WORD_JOINER, "")
