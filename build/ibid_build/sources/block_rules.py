"""Block rules for markdown-it: containers of Material for MkDocs, Docusaurus and VitePress, and footnotes.

They are rules of the parser, not rewriting of its input: markers inside code stay code, and lines keep their
numbers.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.ruler import RuleOptionsType
from markdown_it.rules_block import StateBlock

from ibid_build.sources.containers import (
    ADMONITIONS,
    closing_lines,
    default_label,
    line_text,
    push_container,
)
from ibid_build.sources.directives import directive

_PARAGRAPH: RuleOptionsType = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_INDENTED = re.compile(r"(!!!|\?\?\?\+?|===[!+]?)[ \t]+(.*)")
_QUOTED = re.compile(r"\"(.*)\"|'(.*)'")
_ADMONITION = re.compile(r"([\w-]+(?:[ ]+[\w-]+){0,9})[ \t]*(?:\"(.*)\".*)?")
_BARE_BLOCKS = frozenset(("html", "define"))  # what follows their bar is no title
_SLASHES = re.compile(r"(/{3,})[ \t]*([\w-]+)[ \t]*(?:\|[ \t]*(.*))?")
_COLONS = re.compile(r"(:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[(.*)\]|(.*))")
_AUTODOC = re.compile(r":::[ \t]+([\w.]*\w\.[\w.]+|[a-z_]\w*)[ \t]*")
_HASHES = re.compile(r"(#{1,6})(?![#\s])(.+)")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,100})\]:[ \t]*")


def add_block_rules(md: MarkdownIt, *, python_markdown: bool) -> None:
    """Installs the rules; ``python_markdown`` adds what only MkDocs reads so: mkdocstrings, ``#Heading``."""
    before = md.block.ruler.before
    before("fence", "directive", directive, _PARAGRAPH)
    if python_markdown:
        before("fence", "autodoc", _autodoc, _PARAGRAPH)
        before("heading", "hash_heading", _hash_heading)
    before("fence", "indented_container", _indented_container, _PARAGRAPH)
    before("fence", "fenced_container", _fenced_container, _PARAGRAPH)
    before("reference", "footnote", _footnote, _PARAGRAPH)


def _indented_container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``!!! note "Title"``, ``??? tip``, ``=== "Tab"``; the body is indented by four."""
    if state.is_code_block(start):
        return False
    match = _INDENTED.fullmatch(line_text(state, start))
    if not match:
        return False
    marker, rest = match.groups()
    if marker.startswith("="):
        tab = _QUOTED.fullmatch(rest)
        if not tab:
            return False
        kind, label = "tab", tab.group(1) or tab.group(2) or ""
    else:
        head = _ADMONITION.fullmatch(rest)
        if not head:
            return False
        kind = head.group(1).split()[0].lower()
        label = default_label(kind) if head.group(2) is None else head.group(2)
    if silent:
        return True
    indent = state.sCount[start] + 4
    stop = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= indent):
        stop += 1
    push_container(state, kind, label, start, start + 1, stop, stop, indent)
    return True


def _fenced_container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``/// warning | Title`` … ``///`` and ``:::tip[Title]`` or ``::: tip Title`` … ``:::``."""
    if state.is_code_block(start):
        return False
    line = line_text(state, start)
    match = _SLASHES.fullmatch(line) or _COLONS.fullmatch(line)
    if not match:
        return False
    if silent:
        return True
    kind = match.group(2).lower()
    title = next((group for group in match.groups()[2:] if group), None)
    if kind in _BARE_BLOCKS:
        title = ""
    label = default_label(kind) if title is None else re.sub(r"\s*\{[^{}]*\}$", "", title).strip()
    stop, after = closing_lines(state, start, end, match.group(1))
    body = start + 1
    while line.startswith("/") and body < stop and state.sCount[body] >= state.sCount[start] + 4:
        body += 1  # options of the block, indented by four right under its head
    push_container(state, kind, label, start, body, stop, after, state.blkIndent)
    return True


def _autodoc(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """mkdocstrings' ``::: package.name`` with its indented options: the text is made from source code."""
    if state.is_code_block(start):
        return False
    match = _AUTODOC.fullmatch(line_text(state, start))
    if not match or match.group(1) in ADMONITIONS:
        return False
    if silent:
        return True
    stop = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.sCount[start] + 4):
        stop += 1
    token = state.push("autodoc", "", 0)
    token.content, token.map = match.group(1), [start, stop]
    state.line = stop
    return True


def _footnote(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``[^1]: text``: the definition is text of the page, without its number."""
    if state.is_code_block(start):
        return False
    position = state.bMarks[start] + state.tShift[start]
    match = _FOOTNOTE.match(state.src, position, state.eMarks[start])
    if not match:
        return False
    if silent:
        return True
    stop = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= state.blkIndent + 4):
        stop += 1
    saved = (state.bMarks[start], state.tShift[start], state.sCount[start])
    state.bMarks[start], state.tShift[start] = match.end(), 0
    state.sCount[start] = state.blkIndent + 4
    push_container(state, "footnote", "", start, start, stop, stop, state.blkIndent + 4)
    state.bMarks[start], state.tShift[start], state.sCount[start] = saved
    return True


def _hash_heading(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``#Heading`` without a blank, which Python-Markdown takes for a heading too."""
    line = line_text(state, start)
    match = _HASHES.fullmatch(line) if state.sCount[start] == state.level == 0 else None
    if not match:
        return False
    if silent:
        return True
    level = len(match.group(1))
    opening = state.push("heading_open", f"h{level}", 1)
    opening.markup, opening.map = match.group(1), [start, start + 1]
    text = state.push("inline", "", 0)
    text.content, text.map, text.children = match.group(2).rstrip("#").strip(), [start, start + 1], []
    state.push("heading_close", f"h{level}", -1)
    state.line = start + 1
    return True
