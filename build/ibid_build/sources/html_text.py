"""Text of code, tables and inline code in a parsed HTML page."""

from __future__ import annotations

import re

from selectolax.lexbor import LexborNode

from ibid_build.sources.names import names

_LANGUAGE = re.compile(r"(?:^|\s)(?:language|lang|highlight|brush:|sourceCode)[- ]?([A-Za-z][\w+#.-]*)")
_NO_LANGUAGE = names("default none text plaintext notranslate wrapper block code-block source console-output")
_LINE_NUMBERS = frozenset(("linenos", "lineno", "linenodiv", "ln", "line-numbers-rows", "copybtn", "go-copy"))


def code_text(pre: LexborNode) -> str:
    """A code block as it reads: line breaks kept, line numbers and buttons left out."""
    parts: list[str] = []
    node: LexborNode | None = pre.first_child
    while node is not None:
        tag = node.tag
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag == "br":
            parts.append("\n")
        skipped = tag in ("button", "style", "script", "svg") or (
            tag is not None and not _LINE_NUMBERS.isdisjoint((node.attributes.get("class") or "").split())
        )
        if not skipped and node.first_child is not None:
            node = node.first_child
            continue
        while node is not None and node.next is None:
            node = node.parent
            if node is None or node.mem_id == pre.mem_id:
                return _trim("".join(parts))
        node = node.next if node is not None else None
    return _trim("".join(parts))


def _trim(text: str) -> str:
    lines = [line.rstrip() for line in text.split("\n")]
    while lines and not lines[0]:
        lines.pop(0)
    while lines and not lines[-1]:
        lines.pop()
    return "\n".join(lines)


def code_language(pre: LexborNode) -> str:
    """The language that the block's classes name, "" when none does."""
    inner = pre.css_first("code")
    node: LexborNode | None = inner if inner is not None else pre
    for _ in range(4):
        if node is None:
            return ""
        attributes = node.attributes
        found = attributes.get("data-lang") or attributes.get("data-language")
        if found:
            return found
        for match in _LANGUAGE.finditer(attributes.get("class") or ""):
            if match.group(1).lower() not in _NO_LANGUAGE:
                return match.group(1)
        node = node.parent
    return ""


def inline_code(node: LexborNode) -> str:
    """Inline code in backticks that are longer than any inside."""
    text = " ".join(node.text().split())
    if not text:
        return ""
    fence = "`" * (1 + max((len(run) for run in re.findall("`+", text)), default=0))
    pad = " " if text.startswith("`") or text.endswith("`") else ""
    return f"{fence}{pad}{text}{pad}{fence}"


def table_rows(table: LexborNode) -> list[list[str]] | None:
    """The cells of each row; None for a table that only lays out other blocks."""
    if table.css_first("pre, table table, ul, ol, h1, h2, h3, h4, dl, section, article") is not None:
        return None
    return [[_cell(cell) for cell in row.css("th, td")] for row in table.css("tr")]


def _cell(cell: LexborNode) -> str:
    parts: list[str] = []
    node: LexborNode | None = cell.first_child
    while node is not None:
        tag = node.tag
        descend = False
        if tag == "-text":
            parts.append(node.text_content or "")
        elif tag in ("code", "tt"):
            parts.append(inline_code(node))
        elif tag == "img":
            parts.append(node.attributes.get("alt") or "")
        elif tag in ("br", "p", "div"):
            parts.append(" ")
            descend = True
        else:
            descend = tag not in ("script", "style", "svg", "button", "template", "-comment")
        if descend and node.first_child is not None:
            node = node.first_child
            continue
        while node is not None and node.next is None:
            node = node.parent
            if node is None or node.mem_id == cell.mem_id:
                return " ".join("".join(parts).split())
        node = node.next if node is not None else None
    return " ".join("".join(parts).split())
