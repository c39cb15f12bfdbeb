"""The tools that a model may call, and the check of what it calls them with (SPEC 4.2)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ibid.tool_calls import ToolCall


@dataclass(frozen=True)
class SearchDocs:
    """Search the documentation."""

    query: str


@dataclass(frozen=True)
class ReadPage:
    """Read one page in full."""

    path: str


@dataclass(frozen=True)
class NoEvidenceNeeded:
    """The question only asks to restate the previous answer."""


ToolUse = SearchDocs | ReadPage | NoEvidenceNeeded


@dataclass(frozen=True)
class Malformed:
    """A call that is not run: ``sentence`` tells the model why, ``step`` the reader, unless it is empty."""

    sentence: str
    step: str


def _tool(name: str, description: str, argument: str, meaning: str) -> dict[str, Any]:
    properties = {argument: {"type": "string", "description": meaning}}
    parameters = {
        "type": "object",
        "properties": properties,
        "required": [argument],
        "additionalProperties": False,
    }
    return {
        "type": "function",
        "function": {"name": name, "description": description, "parameters": parameters},
    }


SEARCH_DOCS, READ_PAGE, NO_EVIDENCE_NEEDED = "search_docs", "read_page", "no_evidence_needed"
_ARGUMENT = {SEARCH_DOCS: "query", READ_PAGE: "path", NO_EVIDENCE_NEEDED: "reason"}
TOOL_NAMES = tuple(_ARGUMENT)

TOOLS: tuple[dict[str, Any], ...] = (
    _tool(
        SEARCH_DOCS,
        "Find passages of the documentation. Returns up to six numbered passages of the pages that fit best, "
        "or says that nothing relevant was found.",
        "query",
        "What to look for, in the documentation's language: a question, or words and names as the pages use "
        "them. It must make sense without the conversation.",
    ),
    _tool(
        READ_PAGE,
        "Read one page of the documentation in order, as numbered passages.",
        "path",
        "The page's path, as search_docs gives it.",
    ),
    _tool(
        NO_EVIDENCE_NEEDED,
        "Say that no evidence is needed, because the reader only asks you to restate your previous answer "
        "(shorter, simpler, translated, in another form), or asks nothing about the documentation.",
        "reason",
        "Why, in a few words.",
    ),
)


def read_call(call: ToolCall) -> ToolUse | Malformed:
    """What a call asks for. Nothing is guessed: a call that is not right is not run."""
    argument = _ARGUMENT.get(call.name)
    if argument is None:
        known = ", ".join(TOOL_NAMES)
        return _malformed(call, f"there is no tool of that name; the tools are: {known}")
    values = call.values
    if values is None:
        return _malformed(call, "its arguments are no readable JSON object")
    if argument not in values:
        return _malformed(call, f"its argument {argument!r} is missing")
    value = values[argument]
    if not isinstance(value, str):
        return _malformed(call, f"its argument {argument!r} must be a string, and is {_kind(value)}")
    if call.name == NO_EVIDENCE_NEEDED:
        return NoEvidenceNeeded()
    value = value.strip()
    if not value:
        return _malformed(call, f"its argument {argument!r} is empty")
    return SearchDocs(value) if call.name == SEARCH_DOCS else ReadPage(value)


def _malformed(call: ToolCall, why: str) -> Malformed:
    name = call.name[:60] or "A call without a name"
    return Malformed(
        sentence=f"{name} was not run: {why}. Call it again with what it needs.",
        # A restatement must not lose its sources because the model forgot to give a reason.
        step="" if call.name == NO_EVIDENCE_NEEDED else f"{name} was not run: {why}",
    )


def _kind(value: object) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "a boolean"
        case int() | float():
            return "a number"
        case list():
            return "an array"
        case _:
            return "an object"
