"""MyST's directives: fences whose info is ``{name} argument``, with options above their body."""

from __future__ import annotations

import re

from markdown_it.rules_block import StateBlock

from ibid_build.sources.containers import (
    closing_lines,
    default_label,
    line_text,
    push_code,
    push_container,
)
from ibid_build.sources.names import names

CODE_DIRECTIVES = names(
    "code code-block sourcecode code-cell testcode testsetup testoutput doctest ipython parsed-literal math "
    "mermaid graphviz prompt highlight-code csv-table click:example click:run"
)
# Directives that show nothing of their own, or only what another page or program holds.
SILENT_DIRECTIVES = names(
    "toctree contents currentmodule module include literalinclude highlight index raw tableofcontents "
    "meta bibliography sectionauthor codeauthor default-role testcleanup"
)
_DIRECTIVE = re.compile(r"(`{3,}|~{3,}|:{3,})[ \t]*\{([\w:.+-]+)\}[ \t]*(.*)")
_OPTION = re.compile(r":([\w-]+):(?:[ \t]+(.*))?$")


def directive(state: StateBlock, start: int, end: int, silent: bool) -> bool:
    """The block rule; directives of code become fences, those that show nothing vanish."""
    if state.is_code_block(start):
        return False
    match = _DIRECTIVE.fullmatch(line_text(state, start))
    if not match:
        return False
    if silent:
        return True
    marker, name, argument = match.groups()
    stop, after = closing_lines(state, start, end, marker)
    body, options = _skip_options(state, start + 1, stop)
    if name == "eval-rst":
        push_code(state, "rst", start, body, stop, after, "eval_rst")
    elif name in CODE_DIRECTIVES:
        language = argument if name in ("code", "code-block", "sourcecode", "code-cell") else ""
        push_code(state, language, start, body, stop, after, "fence")
    elif name in SILENT_DIRECTIVES:
        state.line = after
    else:
        label = _directive_label(name, argument, options)
        push_container(state, name, label, start, body, stop, after, state.blkIndent)
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
    if body < stop and line_text(state, body) == "---":
        closing = next((line for line in range(body + 1, stop) if line_text(state, line) == "---"), None)
        return (closing + 1 if closing is not None else body), options
    while body < stop and (match := _OPTION.match(line_text(state, body))):
        options[match.group(1)] = match.group(2) or ""
        body += 1
    return body, options
