"""What the block rules share: reading lines, finding where a block ends, and emitting its tokens.

A container is ``container_open`` (``info`` is the kind, ``meta["label"]`` what the reader sees above it), the
tokens of its body, and ``container_close``. Nesting is bounded by the parser's ``maxNesting``.
"""

from __future__ import annotations

from markdown_it.rules_block import StateBlock

from ibid_build.sources.names import names

# Kinds whose name is shown when the author gave no title.
ADMONITIONS = names(
    "abstract attention bug caution check danger deprecated details error example failure faq fail help hint "
    "important info missing note question quote seealso success summary tip tldr todo versionadded "
    "versionchanged versionremoved warning"
)
_SHOWN = {
    "seealso": "See also",
    "versionadded": "New in version",
    "versionchanged": "Changed in version",
    "versionremoved": "Removed in version",
    "deprecated": "Deprecated since version",
}


def default_label(kind: str) -> str:
    """What a tool shows above a container without a title: "Note" for ``note``, nothing for a plain box."""
    if kind in _SHOWN:
        return _SHOWN[kind]
    return kind.capitalize() if kind in ADMONITIONS else ""


def line_text(state: StateBlock, line: int) -> str:
    """A line without its indentation and its trailing blanks."""
    return state.src[state.bMarks[line] + state.tShift[line] : state.eMarks[line]].rstrip()


def closing_lines(state: StateBlock, start: int, end: int, marker: str) -> tuple[int, int]:
    """(line after the body, line after the block); an open block runs to the end of its parent."""
    line = start + 1
    while line < end:
        if state.sCount[line] < state.blkIndent and not state.isEmpty(line):
            return line, line
        text = line_text(state, line)
        if text.startswith(marker) and not text.strip(marker[0]):
            exact = marker[0] in "/:" and len(text) != len(marker)  # longer ones close an outer block
            if not exact:
                return line, line + 1
        line += 1
    return end, end


def push_container(
    state: StateBlock, kind: str, label: str, start: int, body: int, stop: int, after: int, indent: int
) -> None:
    """A container from line ``start`` whose body is ``body`` to ``stop``, indented by ``indent``."""
    token = state.push("container_open", "div", 1)
    token.info, token.map, token.block = kind, [start, after], True
    token.meta["label"] = label
    saved = (state.parentType, state.lineMax, state.blkIndent)
    state.parentType, state.lineMax, state.blkIndent = "container", stop, indent
    state.md.block.tokenize(state, body, stop)
    state.parentType, state.lineMax, state.blkIndent = saved
    state.push("container_close", "div", -1)
    state.line = after


def push_code(
    state: StateBlock, language: str, start: int, body: int, stop: int, after: int, kind: str
) -> None:
    """A block of code, or of reStructuredText, with the lines from ``body`` to ``stop``."""
    token = state.push(kind, "code", 0)
    token.info, token.markup = language, "```"
    token.content = state.getLines(body, stop, state.sCount[start], True)
    token.map = [start, after]
    token.meta["closed"] = after > stop
    state.line = after
