"""What an OpenAI-compatible endpoint streams, read into deltas and one completion; no I/O.

The chunks are the "chat completion chunk object" of the OpenAI API reference. Read as well are the
deviations that endpoints in use make; each is named where it is read.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

from ibid.model_text import PrivateMarks, ThinkingSpans
from ibid.sse import ServerSentEvent
from ibid.tool_calls import ToolCall, ToolCallAssembler, read_object


@dataclass(frozen=True)
class TextDelta:
    """A piece of the answer's text, never empty."""

    text: str


@dataclass(frozen=True)
class ReasoningDelta:
    """A piece of what the model thinks aloud, never empty; no part of the answer."""

    text: str


Delta = TextDelta | ReasoningDelta


@dataclass(frozen=True)
class Usage:
    """Token counts as the endpoint states them."""

    prompt_tokens: int
    completion_tokens: int


@dataclass(frozen=True)
class Completion:
    """The end of a stream that ended well.

    ``finish_reason`` is "" where only ``[DONE]`` was seen. Calls count whatever the finish reason says.
    ``damaged`` holds the events whose JSON was broken, raw, for a debug view only.
    """

    text: str
    reasoning: str = ""
    tool_calls: tuple[ToolCall, ...] = ()
    finish_reason: str = ""
    usage: Usage | None = None
    damaged: tuple[str, ...] = ()

    @property
    def complete(self) -> bool:
        """False when a damaged event was left out: text may be missing."""
        return not self.damaged

    def as_message(self) -> dict[str, Any]:
        """The assistant message for the next request; content "" because some endpoints refuse null."""
        message: dict[str, Any] = {"role": "assistant", "content": self.text}
        if self.tool_calls:
            message["tool_calls"] = [call.as_dict() for call in self.tool_calls]
        return message


class CompletionReader:
    """Feed it the stream's events, or one whole completion; it gives deltas, and the completion at the end.

    ``error`` is the error object (or text) that came in place of a chunk: nothing after it counts.
    """

    def __init__(self) -> None:
        self.done = False
        """Nothing more is to come: ``[DONE]``, or the token counts that follow the finish reason."""
        self.finish_reason = ""
        self.error: object = None
        self._usage: Usage | None = None
        self._calls = ToolCallAssembler()
        self._damaged: list[str] = []
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._answer_marks, self._reasoning_marks = PrivateMarks(), PrivateMarks()
        self._spans = ThinkingSpans()

    @property
    def finished(self) -> bool:
        """The answer is whole: a finish reason or ``[DONE]`` was seen."""
        return self.done or bool(self.finish_reason)

    @property
    def started(self) -> bool:
        """Something of an answer has come."""
        return bool(self._text or self._reasoning or self._calls)

    def feed(self, event: ServerSentEvent) -> Iterator[Delta]:
        """The deltas of one event. Keep-alives sent as data (blank, ``: wait``, ``ping``) give none."""
        data = event.data.strip()
        if event.event == "error":
            self.error = read_object(data) or data
            return
        for payload in _payloads(data):
            if self.done or self.error:
                return
            if payload == "[DONE]":
                self.done = True
            elif (chunk := read_object(payload)) is not None:
                yield from self.feed_chunk(chunk)
            elif payload.startswith("{"):
                self._damaged.append(payload)

    def feed_chunk(self, chunk: dict[str, Any]) -> Iterator[Delta]:
        """The deltas of one chunk, or of a whole completion (``message`` in the place of ``delta``)."""
        error = chunk.get("error") or (chunk if chunk.get("object") == "error" else None)
        if error:
            self.error = error
            return
        self._usage = _usage(chunk.get("usage")) or self._usage
        choices = chunk.get("choices")
        choices = choices if isinstance(choices, list) else []
        if not choices and self.finish_reason and self._usage:
            self.done = True
        for choice in choices:
            if isinstance(choice, dict) and choice.get("index") in (0, None):
                yield from self._read_choice(choice)

    def _read_choice(self, choice: dict[str, Any]) -> Iterator[Delta]:
        delta = choice["delta"] if "delta" in choice else choice.get("message")
        if isinstance(delta, dict):
            for name in ("reasoning_content", "reasoning"):  # one router sends the same text under both
                if isinstance(delta.get(name), str) and delta[name]:
                    yield from self._reason(self._reasoning_marks.feed(delta[name]))
                    break
            yield from self._read_content(delta.get("content"))
            if isinstance(delta.get("refusal"), str):
                yield from self._read_content(delta["refusal"])
            self._calls.feed(delta.get("tool_calls"))
        reason = choice.get("finish_reason")
        if reason == "error" or choice.get("error"):  # routers report a provider's failure in the choice
            self.error = choice.get("error") or "the model's provider failed"
        elif isinstance(reason, str) and reason:
            self.finish_reason = reason

    def _read_content(self, content: object) -> Iterator[Delta]:
        """A string, or a list of typed parts; parts of unknown type are passed over."""
        if isinstance(content, str):
            yield from self._part(*self._spans.feed(self._answer_marks.feed(content)))
            return
        for part in content if isinstance(content, list) else [content]:
            if isinstance(part, str):
                yield from self._read_content(part)
            elif isinstance(part, dict):
                kind = part.get("type")
                if kind in ("text", "output_text"):
                    yield from self._read_content(_flat(part.get("text")))
                elif kind in ("thinking", "reasoning"):
                    thought = _flat(part.get("thinking") or part.get("text"))
                    yield from self._reason(self._reasoning_marks.feed(thought))

    def _part(self, answer: str, reasoning: str) -> Iterator[Delta]:
        yield from self._reason(reasoning)
        if answer:
            self._text.append(answer)
            yield TextDelta(answer)

    def _reason(self, text: str) -> Iterator[Delta]:
        if text:
            self._reasoning.append(text)
            yield ReasoningDelta(text)

    def close(self) -> Iterator[Delta]:
        """What the filters still held back when the stream ended."""
        yield from self._reason(self._reasoning_marks.close())
        yield from self._part(*self._spans.feed(self._answer_marks.close()))
        yield from self._part(*self._spans.close())

    def completion(self) -> Completion:
        """The whole, after :meth:`close`."""
        return Completion(
            text="".join(self._text),
            reasoning="".join(self._reasoning),
            tool_calls=self._calls.calls(),
            finish_reason=self.finish_reason,
            usage=self._usage,
            damaged=tuple(self._damaged),
        )


def _payloads(data: str) -> list[str]:
    """One, but for servers that leave out the blank line between events: then each line is one."""
    lines = data.split("\n")
    if len(lines) > 1 and all(line == "[DONE]" or read_object(line) is not None for line in lines):
        return lines
    return [data]


def _flat(value: object) -> str:
    """The text of a part that holds a string, or parts of its own."""
    parts = value if isinstance(value, list) else [value]
    texts = (part.get("text") if isinstance(part, dict) else part for part in parts)
    return "".join(text for text in texts if isinstance(text, str))


def _usage(value: object) -> Usage | None:
    if not isinstance(value, dict):
        return None
    counts = [value.get(name) for name in ("prompt_tokens", "completion_tokens")]
    if any(isinstance(count, int) for count in counts):
        return Usage(*(count if isinstance(count, int) else 0 for count in counts))
    return None
