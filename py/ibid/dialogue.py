"""The messages between one turn and the model: requests, replies, and what is sent back once."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass
from typing import Any, Protocol

from ibid.chat_client import ChatClient, ChatRequest, ToolChoice
from ibid.chat_stream import Completion, TextDelta
from ibid.draft import FRAME_SECONDS, Draft
from ibid.errors import ContextTooLong, EmptyAnswer, ToolText
from ibid.history import History
from ibid.pace import with_pauses
from ibid.ports import Clock
from ibid.prompting import ANSWER_NOW, NO_TOOL_TEXT, Message
from ibid.tool_text import WrittenCall
from ibid.tools import TOOL_NAMES

Accepted = Callable[[], Awaitable[None]]
"""Called when the endpoint has begun to answer a request."""


@dataclass(frozen=True)
class Reply:
    """What came back: ``text`` without a written tool call, which ``has_written_call`` tells of."""

    completion: Completion
    has_written_call: bool = False
    failure: EmptyAnswer | None = None
    """Set where not even a stream came."""

    @property
    def is_text(self) -> bool:
        """Whether it can be an answer."""
        return bool(self.completion.text.strip()) and not self.has_written_call


class TextFilter(Protocol):
    """Lets text through as soon as it is decided."""

    def feed(self, delta: str) -> str:
        """The text that is decided by now."""
        ...

    def close(self) -> str:
        """What is left at the end."""
        ...

    @property
    def found(self) -> bool:
        """What the filter looks for is there: the rest of the message does not matter."""
        ...


class Dialogue:
    """One turn's requests: system text, history, the question, and ``messages`` that follow it.

    A refusal as too long halves the history and resends, once a turn (SPEC 4.6).
    """

    def __init__(
        self,
        client: ChatClient,
        clock: Clock,
        draft: Draft,
        history: History,
        accepted: Accepted,
    ) -> None:
        self._client = client
        self._clock = clock
        self._draft = draft
        self._history = history
        self._accepted = accepted
        self._halved = False
        self._sent_back: set[type[EmptyAnswer | ToolText]] = set()
        self.replies = 0
        """Requests that were answered."""

    async def ask(
        self,
        system: Message,
        messages: Sequence[Message],
        tools: Sequence[dict[str, Any]] = (),
        tool_choice: ToolChoice | None = None,
        hold: TextFilter | None = None,
    ) -> Reply:
        """One request; its text is drawn as it comes, but for what ``hold`` keeps. Raises TurnError."""
        while True:
            request = ChatRequest([system, *self._history.messages(), *messages], tools, tool_choice)
            try:
                reply = await self._stream(request, hold)
            except ContextTooLong:
                if self._halved:
                    raise
                self._halved = True
                self._history = self._history.halved()
                continue
            except EmptyAnswer as failure:
                reply = Reply(Completion(text=""), failure=failure)
            self.replies += 1
            return reply

    def send_back(self, reply: Reply) -> list[Message]:
        """The messages that ask again for what is no answer: once for each kind.

        Raises EmptyAnswer or ToolText the second time.
        """
        kind, request = (ToolText, NO_TOOL_TEXT) if reply.has_written_call else (EmptyAnswer, ANSWER_NOW)
        if kind in self._sent_back:
            raise reply.failure or kind(_GAVE_UP[kind])
        self._sent_back.add(kind)
        said: Message = {"role": "assistant", "content": reply.completion.text}
        # An assistant message without a word is refused by some endpoints, and says nothing to any.
        return [*([said] if reply.completion.text.strip() else []), {"role": "user", "content": request}]

    async def _stream(self, request: ChatRequest, hold: TextFilter | None) -> Reply:
        written_call = WrittenCall(TOOL_NAMES)
        filters: list[TextFilter] = [*([hold] if hold else []), written_call]
        completion = Completion(text="")
        accepted = False
        self._draft.start_message()
        try:
            async with (
                aclosing(self._client.stream(request)) as stream,
                aclosing(with_pauses(stream, self._clock, FRAME_SECONDS)) as items,
            ):
                async for item in items:
                    if not accepted:
                        accepted = True
                        await self._accepted()
                    if item is None:
                        await self._draft.draw()
                    elif isinstance(item, TextDelta):
                        await self._draft.write(_through(filters, item.text))
                    elif isinstance(item, Completion):
                        completion = item
                    if hold and hold.found:
                        break
        except BaseException:
            # Broken off or stopped: all text that came is kept, but for what ``hold`` has not decided.
            self._draft.add(written_call.close())
            raise
        self._draft.add(_rest(filters))
        await self._draft.end_message()
        return Reply(completion, written_call.found)


_GAVE_UP: dict[type[EmptyAnswer | ToolText], str] = {
    EmptyAnswer: "The model gave no answer, twice. Small models do so when they cannot use the tools.",
    ToolText: "The model wrote its tool call into the answer, twice, instead of making it.",
}


def _through(filters: Sequence[TextFilter], text: str) -> str:
    for each in filters:
        text = each.feed(text)
    return text


def _rest(filters: Sequence[TextFilter]) -> str:
    """What the filters still hold, the first one's through the others."""
    text = ""
    for each in filters:
        text = each.feed(text) + each.close()
    return text
