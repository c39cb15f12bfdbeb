"""Block rules for markdown-it: the containers of Material for MkDocs, Docusaurus, VitePress and MyST.

They are rules of the parser, not rewriting of its input: markers inside code stay code, and lines keep their
numbers. Each emits ``container_open`` (``info`` is the kind, ``meta["label"]`` what the reader sees above it)
and ``container_close``. Nesting is bounded by the parser's ``maxNesting``.
"""

from __future__ import annotations

import re

from markdown_it import MarkdownIt
from markdown_it.rules_block import StateBlock

# Kinds whose name is shown when the author gave no title.
ADMONITIONS = frozenset(
    "abstract attention bug caution check danger deprecated details error example failure faq fail help hint "
    "important info missing note question quote seealso success summary tip tldr todo versionadded "
    "versionchanged versionremoved warning".split()
)
_SHOWN = {
    "seealso": "See also",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}
CODE_DIRECTIVES = frozenset(
    "code code-block sourcecode code-cell testcode testsetup testoutput doctest ipython parsed-literal math "
    "mermaid graphviz prompt highlight-code csv-table click:example click:run".split()
)
# Directives that show nothing of their own, or only what another page or program holds.
SILENT_DIRECTIVES = frozenset(
    "toctree contents currentmodule module include literalinclude highlight index raw tableofcontents "
    "meta bibliography sectionauthor codeauthor default-role testcleanup".split()
)
_PARAGRAPH = {"alt": ["paragraph", "reference", "blockquote", "list"]}
_INDENTED = re.compile(r"(!!!|\?\?\?\+?|===[!+]?)[ \t]+(.*)")
_QUOTED = re.compile(r"\"(.*)\"|'(.*)'")
_ADMONITION = re.compile(r"([\w -]+?)[ \t]*(?:\"(.*)\"(?:[ \t]+\w+)*)?")
_SLASHES = re.compile(r"(/{3,})[ \t]*([\w-]+)[ \t]*(?:\|[ \t]*(.*))?")
_COLONS = re.compile(r"(:{3,})[ \t]*([A-Za-z][\w-]*)[ \t]*(?:\[(.*)\]|(.*))")
_DIRECTIVE = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]*\{([\w:.+-]+)\}[ \t]*(.*)")
_OPTION = re.compile(r":([\w-]+):(?:[ \t]+(.*))?$")
_AUTODOC = re.compile(r":::[ \t]+([\w.]*\w\.[\w.]+|[a-z_]\w*)[ \t]*")
_FOOTNOTE = re.compile(r"\[\^([^\]\s]{1,100})\]:[ \t]*")


def add_block_rules(md: MarkdownIt, *, autodoc: bool) -> None:
    """Installs the rules; ``autodoc`` reads ``::: dotted.name`` as mkdocstrings does."""
    before = md.block.ruler.before
    before("fence", "directive", _directive, _PARAGRAPH)
    if autodoc:
        before("fence", "autodoc", _autodoc, _PARAGRAPH)
    before("fence", "indented_container", _indented_container, _PARAGRAPH)
    before("fence", "fenced_container", _fenced_container, _PARAGRAPH)
    before("reference", "footnote", _footnote, _PARAGRAPH)


def _line(state: StateBlock, line: int) -> str:
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def _indented_container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``!!! note "Title"``, ``??? tip``, ``=== "Tab"``; the body is indented by four."""
    if state.is_code_block(start):
        return False
    match = _INDENTED.fullmatch(_line(state, start))
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
        kind = head.group(1).split()[0].lower() if head.group(1).strip() else "note"
        label = default_label(kind) if head.group(2) is None else head.group(2)
    if silent:
        return True
    indent = state.sCount[start] + 4
    stop = start + 1
    while stop < end and (state.isEmpty(stop) or state.sCount[stop] >= indent):
        stop += 1
    _emit(state, kind, label, start, start + 1, stop, stop, indent)
    return True


def _fenced_container(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """``/// warning | Title`` … ``///`` and ``:::tip[Title]`` or ``::: tip Title`` … ``:::``."""
    if state.is_code_block(start):
        return False
    line = _line(state, start)
    match = _SLASHES.fullmatch(line) or _COLONS.fullmatch(line)
    if not match:
        return False
    if silent:
        return True
    kind = match.group(2).lower()
    title = next((group for group in match.groups()[2:] if group), None)
    label = default_label(kind) if title is None else re.sub(r"\s*\{[^{}]*\}$", "", title).strip()
    stop, after = _closing(state, start, end, match.group(1))
    body = start + 1
    while line.startswith("/") and body < stop and state.sCount[body] >= state.sCount[start] + 4:
        body += 1  # options of the block, indented by four right under its head
    _emit(state, kind, label, start, body, stop, after, state.blkIndent)
    return True


def _directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """MyST: a fence whose info is ``{name} argument``; code directives become fences."""
    if state.is_code_block(start):
        return False
    match = _DIRECTIVE.fullmatch(_line(state, start))
    if not match:
        return False
    if silent:
        return True
    marker, name, argument = match.groups()
    stop, after = _closing(state, start, end, marker)
    body, options = _skip_options(state, start + 1, stop)
    if name == "eval-rst":
        _push_code(state, "rst", start, body, stop, after, "eval_rst")
    elif name in CODE_DIRECTIVES:
        language = argument if name in ("code", "code-block", "sourcecode", "code-cell") else ""
        _push_code(state, language, start, body, stop, after, "fence")
    elif name in SILENT_DIRECTIVES:
        state.line = after
    else:
        label = _directive_label(name, argument, options)
        _emit(state, name, label, start, body, stop, after, state.blkIndent)
    return True


def _directive_label(name: str, argument: str, options: dict[str, str]) -> str:
    if name in ("image", "figure"):
        return options.get("alt", "")
    if name.startswith("version") or name == "deprecated":
        return f"{default_label(name)} {argument}".strip()
    return argument or default_label(name)


def _skip_options(state: StateBlock, body: int, stop: int) -> tuple[int, dict[str, str]]:
    """``:key: value`` lines, or a YAML block between rules, under a directive's head."""
    options: dict[str, str] = {}
    if body < stop and _line(state, body) == "---":
        closing = next((line for line in range(body + 1, stop) if _line(state, line) == "---"), None)
        return (closing + 1 if closing is not None else body), options
    while body < stop and (match := _OPTION.match(_line(state, body))):
        options[match.group(1)] = match.group(2) or ""
        body += 1
    return body, options


def _autodoc(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """mkdocstrings' ``::: package.name`` with its indented options: the text is made from source code."""
    if state.is_code_block(start):
        return False
    match = _AUTODOC.fullmatch(_line(state, start))
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
    _emit(state, "footnote", "", start, start, stop, stop, state.blkIndent + 4)
    state.bMarks[start], state.tShift[start], state.sCount[start] = saved
    return True


def _closing(state: StateBlock, start: int, end: int, marker: str) -> tuple[int, int]:
    """(line after the body, line after the block); an open block runs to the end of its parent."""
    line = start + 1
    while line < end:
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return line, line
        text = _line(state, line)
        if text.startswith(marker) and not text.strip(marker[0]):
            exact = marker[0] in "/:" and len(text) != len(marker)  # longer ones close an outer block
            if not exact:
                return line, line + 1
        line += 1
    return end, end


def _push_code(
    state: StateBlock, language: str, start: int, body: int, stop: int, after: int, kind: str
) -> None:
    token = state.push(kind, "code", 0)
    token.info, token.markup = language, "```"
    token.content = state.getLines(body, stop, state.sCount[start], True)
    token.map = [start, after]
    token.meta["closed"] = after > stop
    state.line = after


def _emit(
    state: StateBlock, kind: str, label: str, start: int, body: int, stop: int, after: int, indent: int
) -> None:
    token = state.push("container_open", "div", 1)
    token.info, token.map, token.block = kind, [start, after], True
    token.meta["label"] = label
    saved = (state.parentType, state.lineMax, state.blkIndent)
    state.parentType, state.lineMax, state.blkIndent = "container", stop, indent
    state.md.block.tokenize(state, body, stop)
    state.parentType, state.lineMax, state.blkIndent = saved
    state.push("container_close", "div", -1)
    state.line = after


def default_label(kind: str) -> str:
    """What a tool shows above a container without a title: "Note" for ``note``, nothing for a plain box."""
    if kind in _SHOWN:
        return _SHOWN[kind]
    return kind.capitalize() if kind in ADMONITIONS else ""
