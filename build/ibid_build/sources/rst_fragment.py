"""The reStructuredText that MyST pages hold in ``{eval-rst}``: directives, prose and roles, no more."""

from __future__ import annotations

import re

from ibid_build.sources.containers import default_label
from ibid_build.sources.directives import CODE_DIRECTIVES, SILENT_DIRECTIVES
from ibid_build.sources.inline import role_text
from ibid_build.sources.sections import SectionBuilder, join_rows

_DIRECTIVE = re.compile(r"\.\. ([\w:+.-]+)::[ \t]*(.*)")
_ROLE = re.compile(r":[\w:+-]+:`([^`]+)`")
_LINK = re.compile(r"`([^`<>]+)<[^<>`]*>`__?")
_MAX_DEPTH = 8


def read_rst_fragment(text: str, builder: SectionBuilder, line: int) -> None:
    """Adds what the fragment shows; what a program would insert (autodoc) leaves its name."""
    _read(text.expandtabs().split("\n"), builder, line, 0)


def _read(lines: list[str], builder: SectionBuilder, line: int, depth: int) -> None:
    number = 0
    while number < len(lines):
        if not lines[number].strip():
            number += 1
            continue
        indent = _indent(lines[number])
        end = number + 1
        directive = _DIRECTIVE.fullmatch(lines[number].strip())
        if directive or lines[number].lstrip().startswith(".. "):
            while end < len(lines) and (not lines[end].strip() or _indent(lines[end]) > indent):
                end += 1
            if directive:
                _directive(directive[1], directive[2], lines[number + 1 : end], builder, line + number, depth)
        else:
            while end < len(lines) and lines[end].strip():
                end += 1
            text = " ".join(part.strip() for part in lines[number:end])
            builder.block("paragraph", rst_inline(text), line=line + number)
        number = end


def _directive(
    name: str, argument: str, body: list[str], builder: SectionBuilder, line: int, depth: int
) -> None:
    body = _dedent(body)
    while body and re.match(r":[\w-]+:", body[0]):
        body.pop(0)
    if name in CODE_DIRECTIVES:
        language = argument if name in ("code", "code-block", "sourcecode") else ""
        builder.block("code", "\n".join(body).strip("\n"), language, line)
    elif name == "list-table":
        builder.block("paragraph", rst_inline(argument), line=line)
        builder.block("table", join_rows(_list_table(body)), line=line)
    elif name.startswith("auto"):
        builder.block("paragraph", f"`{argument}`", line=line)
    elif name not in SILENT_DIRECTIVES and depth < _MAX_DEPTH:
        label = f"{default_label(name)} {argument}".strip() if name.startswith("version") else argument
        builder.block("paragraph", rst_inline(label or default_label(name)), line=line)
        _read(body, builder, line, depth + 1)


def _list_table(body: list[str]) -> list[list[str]]:
    rows: list[list[str]] = []
    for text in body:
        stripped = text.strip()
        if stripped.startswith("* -"):
            rows.append([stripped[3:].strip()])
        elif stripped.startswith("-") and rows:
            rows[-1].append(stripped[1:].strip())
        elif stripped and rows:
            rows[-1][-1] += f" {stripped}"
    return [[rst_inline(cell) for cell in row] for row in rows]


def rst_inline(text: str) -> str:
    """Roles and links give their visible text, literals single backticks."""
    text = _ROLE.sub(lambda match: role_text(match[1]), text)
    text = re.sub(r"``(.+?)``", r"`\1`", text)
    return _LINK.sub(lambda match: match[1].strip(), text)


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip())


def _dedent(lines: list[str]) -> list[str]:
    while lines and not lines[0].strip():
        lines = lines[1:]
    depth = min((_indent(line) for line in lines if line.strip()), default=0)
    return [line[depth:] for line in lines]
