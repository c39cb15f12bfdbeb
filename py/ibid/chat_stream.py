"""What an OpenAI-compatible endpoint streams, read into deltas and one completion; no I/O.

The chunks follow the "Chat completions streaming" object of the OpenAI API reference; the deviations
that are read as well are those that endpoints in use are known to make.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True)
class TextDelta:
    """A piece of the answer's text, never empty."""

    text: str


@dataclass(frozen=True, slots=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud; no part of the answer."""

    text: str


@dataclass(frozen=True, slots=True)
class ToolCall:
    """One whole call, as the model wrote it. ``id`` is unique within its completion."""

    id: str
    name: str
    arguments: str

    @property
    def values(self) -> dict[str, Any] | None:
        """The arguments; ``{}`` when there are none, None when they are no readable JSON object."""
        raise NotImplementedError

    def as_dict(self) -> dict[str, Any]:
        """For ``tool_calls`` of an assistant message; unreadable arguments are sent as ``{}``."""
        raise NotImplementedError


@dataclass(frozen=True, slots=True)
class Usage:
    """Token counts as the endpoint states them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True, slots=True)
class Completion:
    """The end of a stream that ended well.

    ``finish_reason`` is "" where only ``[DONE]`` was seen. ``damaged`` holds the events whose JSON was
    broken, raw, for a debug view only; ``complete`` is False if there are any: text may be missing.
    """

    text: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ""
    usage: Usage | None = None
    damaged: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """False when a damaged event was left out."""
        return not self.damaged
