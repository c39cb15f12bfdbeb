"""The earlier turns as the model sees them, within their budget (SPEC 4.6)."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ibid.citations import marks_in
from ibid.conversations import TurnRecord, previous_answer
from ibid.markdown import parse_blocks
from ibid.prompting import STOPPED_PREFIX, Message
from ibid.settings import Settings
from ibid.visible import clean


@dataclass(frozen=True)
class History:
    """What is replayed of ``turns``: at most ``max_messages`` stored messages and ``max_chars`` characters.

    ``with_exchange``: the endpoint takes tool messages, so the previous answer's tool exchange may be
    replayed before it.
    """

    turns: Sequence[TurnRecord]
    max_messages: int
    max_chars: int
    with_exchange: bool = True

    @classmethod
    def of(cls, turns: Sequence[TurnRecord], settings: Settings, *, with_exchange: bool) -> History:
        """The history with its usual budget."""
        return cls(turns, settings.history_messages, settings.history_chars, with_exchange)

    def messages(self) -> list[Message]:
        """The messages, oldest first.

        Over budget the tool exchange goes first, then whole turns from the oldest on.
        """
        pairs = self._pairs()
        exchange = self._exchange(pairs)
        if _size(exchange) + sum(_size(pair.messages) for pair in pairs) > self.max_chars:
            exchange = []
        while pairs and sum(_size(pair.messages) for pair in pairs) > self.max_chars:
            pairs.pop(0)
        messages: list[Message] = []
        for pair in pairs:
            question, *answer = pair.messages
            messages += [question, *(exchange if pair.is_previous else ()), *answer]
        return messages

    def halved(self) -> History:
        """At most half of what this one sends, for a model that refused it as too long."""
        messages = self.messages()
        stored = sum(1 for message in messages if message["role"] == "user") + sum(
            1 for message in messages if message["role"] == "assistant" and "tool_calls" not in message
        )
        return replace(self, max_messages=stored // 2, max_chars=_size(messages) // 2)

    def _pairs(self) -> list[_Pair]:
        """The last turns whose messages together are at most ``max_messages``, oldest first."""
        previous = previous_answer(self.turns)
        pairs: list[_Pair] = []
        left = self.max_messages
        for turn in reversed(self.turns):
            left -= 2 if turn.shown.is_answer else 1
            if left < 0:
                break
            pairs.append(_Pair.of(turn, is_previous=turn is previous))
        return pairs[::-1]

    def _exchange(self, pairs: Sequence[_Pair]) -> list[Message]:
        if not self.with_exchange:
            return []
        return next((pair.turn.shown.exchange for pair in pairs if pair.is_previous), [])


@dataclass(frozen=True)
class _Pair:
    """A question with its answer; a failed turn has only its question."""

    turn: TurnRecord
    messages: tuple[Message, ...]
    is_previous: bool

    @classmethod
    def of(cls, turn: TurnRecord, *, is_previous: bool) -> _Pair:
        question = {"role": "user", "content": turn.question}
        if not turn.shown.is_answer:
            return cls(turn, (question,), is_previous)
        # Numbers start again in every turn: only the last answer's can still be meant.
        text = turn.shown.answer if is_previous else without_marks(turn.shown.answer)
        if turn.shown.stopped:
            text = STOPPED_PREFIX + text
        return cls(turn, (question, {"role": "assistant", "content": text}), is_previous)


def _size(messages: Sequence[Message]) -> int:
    """Characters that the model reads."""
    return sum(len(text) for message in messages for text in _texts(message))


def _texts(message: Message) -> Iterator[str]:
    yield message.get("content") or ""
    for call in message.get("tool_calls", ()):
        yield call["function"]["name"]
        yield call["function"]["arguments"]


def without_marks(text: str) -> str:
    """An answer's Markdown without its marks; brackets in code and links stay.

    Which brackets are marks is decided on the parsed text: each candidate gets a tag inside its bracket that
    leaves the parse as it is, and only the tags found in text that may hold marks are marks. What is left may
    read as a mark in turn (``[1[1]]``), so it is done again, a few times at most.
    """
    text = clean(text)
    for _ in range(_NESTED):
        shorter = _without_once(text)
        if shorter == text:
            break
        text = shorter
    return text


def _without_once(text: str) -> str:
    candidates = list(_candidates(text))
    parts: list[str] = []
    end = 0
    for i, match in enumerate(candidates):
        bracket = match.end("open")
        parts += text[end:bracket], f"\ue000{i}\ue001"
        end = bracket
    tagged = "".join([*parts, text[end:]])
    blocks = [block for block, _ in parse_blocks(tagged)]
    marks = {int(tag) for leaf in _prose(blocks) for tag in _TAG.findall(leaf)}
    kept: list[str] = []
    end = 0
    for i, match in enumerate(candidates):
        if i in marks:
            kept.append(text[end : match.start()].rstrip(" \t"))
            end = match.end()
    return "".join([*kept, text[end:]])


_TAG = re.compile("\ue000([0-9]+)\ue001")
_NESTED = 8
# A bracket may be escaped or named; it is one all the same (SPEC 4.8).
_CANDIDATE = re.compile(
    r"(?P<open>\\?\[|&#0*91;|&#[xX]0*5[bB];|&lbrack;|&lsqb;)"
    r"(?P<numbers>[0-9][0-9 \t,，]*+)"  # noqa: RUF001 - the fullwidth comma is meant
    r"(?:\\?\]|&#0*93;|&#[xX]0*5[dD];|&rbrack;|&rsqb;)"
)


def _candidates(text: str) -> Iterator[re.Match[str]]:
    """What reads as a mark, wherever it stands."""
    return (match for match in _CANDIDATE.finditer(text) if any(marks_in(f"[{match['numbers']}]")))


def _prose(nodes: Sequence[dict[str, Any]]) -> Iterator[str]:
    """The text leaves that may hold marks: not in links, nor in code."""
    for node in nodes:
        if node["type"] == "text":
            yield node["text"]
        elif node["type"] != "link":
            yield from _prose(node.get("children", ()))
