"""Takes JSX out of MDX and keeps what readers see of it; lines keep their numbers."""

from __future__ import annotations

import re

from ibid_build.findings import Finding
from ibid_build.sources.hidden import is_hidden, parse_attributes, visible_attributes

_FENCE = re.compile(r"[ \t>]*(`{3,}|~{3,})")
_ESM = re.compile(
    r"import\s+(?:[\"']|[\w*{$][^;]*?\sfrom\s*[\"'])|import\s*\{|"
    r"export\s+(?:const|let|var|default|function|async|class|type|interface)\b|export\s*[{*]"
)
_NAME = re.compile(r"/?\s*([A-Za-z][\w.:-]*)?")
_STRING = re.compile(r"\s*(?:\"([^\"\\]*)\"|'([^'\\]*)'|`([^`$\\]*)`)\s*")
_HEADING_ID = re.compile(r"/\*\s*#([\w.:-]+)\s*\*/")
_EXPRESSION_ATTRIBUTE = re.compile(r"([A-Za-z_][\w:.-]*)\s*=\s*$")


def strip_mdx(text: str, page: str) -> tuple[str, list[Finding]]:
    """Markdown without imports, exports, comments and component tags, and warnings.

    A component leaves the text of its attributes (labels, titles, commands); code stays as it is. What
    cannot be read stays as plain text, with a warning.
    """
    out: list[str] = []
    prose: list[str] = []
    findings: list[Finding] = []
    fence = ""
    lines = text.split("\n")
    number = 0

    def flush() -> None:
        if prose:
            out.append(_strip_prose("\n".join(prose), page, number - len(prose), findings))
            prose.clear()

    at_block_start = True
    while number < len(lines):
        line = lines[number]
        opening = _FENCE.match(line)
        if fence:
            out.append(line)
            if opening and opening.group(1).startswith(fence) and not line[opening.end() :].strip():
                fence = ""
        elif opening:
            flush()
            fence = opening.group(1)
            out.append(line)
        elif at_block_start and _ESM.match(line):
            flush()
            end = _esm_end(lines, number)
            out.extend("" for _ in range(end - number))
            number = end
            continue
        else:
            prose.append(line)
        at_block_start = not fence and not line.strip()
        number += 1
    flush()
    return "\n".join(out), findings


def _esm_end(lines: list[str], start: int) -> int:
    """The line after an import or export block: the first blank line at which its brackets are closed.

    Brackets that never close end the block at its first blank line.
    """
    depth, first_blank = 0, len(lines)
    for number in range(start, len(lines)):
        line = lines[number]
        if not line.strip():
            first_blank = min(first_blank, number)
            if depth <= 0:
                return number
        depth += sum(map(line.count, "{[(")) - sum(map(line.count, "}])"))
    return first_blank if depth > 0 else len(lines)


def _strip_prose(text: str, page: str, line: int, findings: list[Finding]) -> str:
    if "<" not in text and "{" not in text:
        return text
    partners = _brace_partners(text)
    parts: list[str] = []
    start = position = 0
    while position < len(text):
        character = text[position]
        end, shown = -1, ""
        if character == "`":
            end = _code_end(text, position)
            shown = text[position:end]
        elif character == "\\":
            end, shown = position + 2, text[position : position + 2]
        elif character == "{":
            end, shown = _expression(text, position, partners)
            if end < 0 and text.startswith("{/*", position):
                number = line + text.count("\n", 0, position) + 1
                findings.append(
                    Finding("warning", page, number, "an MDX comment is never closed", "close it with */}")
                )
        elif character == "<":
            end, shown = _tag(text, position, partners)
            if shown and text.startswith("#", text.rfind("\n", 0, position) + 1):
                shown = ""  # a badge in a heading is no part of its name or id
        if end < 0:
            position += 1
            continue
        parts.append(text[start:position])
        parts.append(_keep_lines(shown, text[position:end]))
        start = position = end
    parts.append(text[start:])
    return "".join(parts)


def _keep_lines(shown: str, replaced: str) -> str:
    return shown + "\n" * (replaced.count("\n") - shown.count("\n"))


def _brace_partners(text: str) -> dict[int, int]:
    partners: dict[int, int] = {}
    stack: list[int] = []
    for match in re.finditer(r"[{}]", text):
        if match.group() == "{":
            stack.append(match.start())
        elif stack:
            partners[stack.pop()] = match.start()
    return partners


def _code_end(text: str, start: int) -> int:
    """After the code span that opens here; a run without a partner is text."""
    end = start
    while end < len(text) and text[end] == "`":
        end += 1
    closing = re.compile(rf"(?<!`)`{{{end - start}}}(?!`)").search(text, end, end + 2_000)
    return closing.end() if closing else end


def _expression(text: str, start: int, partners: dict[int, int]) -> tuple[int, str]:
    """Comments go, a string gives its text, other expressions stay as they were written."""
    closing = partners.get(start, -1)
    if text.startswith("{/*", start):
        closing = text.find("*/}", start)
        if closing < 0:
            return -1, ""
        named = _HEADING_ID.fullmatch(text[start + 1 : closing + 2])
        return closing + 3, f"{{#{named.group(1)}}}" if named else ""
    if closing < 0:
        return -1, ""
    string = _STRING.fullmatch(text, start + 1, closing)
    if string:
        return closing + 1, next(group for group in string.groups() if group is not None)
    return -1, ""


def _tag(text: str, start: int, partners: dict[int, int]) -> tuple[int, str]:
    """A component's tag, or an HTML tag with expressions in it; plain HTML is left to the parser."""
    name_match = _NAME.match(text, start + 1)
    name = (name_match.group(1) or "") if name_match else ""
    end = name_match.end() if name_match else start + 1
    if not name and not text.startswith(("<>", "</>"), start):
        return -1, ""
    body: list[str] = []
    piece = end
    has_expression = False
    while end < len(text) and text[end] not in "<>":
        if text[end] in "\"'":
            end = text.find(text[end], end + 1)
            if end < 0:
                return -1, ""
        elif text[end] == "{":
            closing = partners.get(end, -1)
            if closing < 0:
                return -1, ""
            has_expression = True
            string = _STRING.fullmatch(text, end + 1, closing)
            body.append(text[piece:end])
            if string:
                value = next(group for group in string.groups() if group is not None)
                body.append('"' + value.replace('"', "&quot;") + '"')
            elif _EXPRESSION_ATTRIBUTE.search(body[-1]):
                body.append(f'"{_style_sheet(text[end + 1 : closing])}"')
            end, piece = closing, closing + 1
        end += 1
    if end >= len(text) or text[end] == "<":
        return -1, ""
    body.append(text[piece:end])
    is_component = not name or name[0].isupper() or "." in name
    if not is_component and not has_expression:
        return -1, ""
    closing_tag = text.startswith("/", start + 1)
    if closing_tag and not is_component:
        return end + 1, f"</{name}>"
    attributes = {} if closing_tag else parse_attributes("".join(body).rstrip("/"))
    if is_component or name == "img":
        return end + 1, visible_attributes(name, attributes) if name else ""
    return end + 1, f"<{name} hidden>" if is_hidden(name, attributes) else f"<{name}>"


def _style_sheet(expression: str) -> str:
    """A style object (``{display: 'none'}``) as CSS, "" for every other expression."""
    inner = expression.strip()
    if not (inner.startswith("{") and inner.endswith("}")):
        return ""
    kebab = re.sub("[A-Z]", lambda match: f"-{match.group().lower()}", inner[1:-1])
    return re.sub("[\"'`]", "", kebab).replace(",", ";")
