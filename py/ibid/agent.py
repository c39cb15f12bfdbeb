"""The tool loop: the model gathers evidence, then answers (SPEC 4.2)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from ibid.dialogue import Dialogue, Reply
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import Rejected
from ibid.evidence import Evidence, PageRead
from ibid.models import Endpoint, Source
from ibid.prompting import (
    CALL_A_TOOL,
    NO_MORE_TOOLS,
    Message,
    agent_system,
    fenced_passages,
)
from ibid.tool_calls import ToolCall
from ibid.tools import (
    NO_EVIDENCE_NEEDED,
    TOOLS,
    Malformed,
    NoEvidenceNeeded,
    ReadPage,
    SearchDocs,
    ToolUse,
    read_call,
)

MAX_CALLS = 8
"""Calls of one message that are answered; a collapsing model makes thousands."""


class ToolsRefused(Exception):
    """The endpoint takes no tools: the turn is answered in one-shot mode instead."""


class Agent:
    """Answers one question through tools.

    ``exchange`` is what the next turn replays of it: the calls that were answered, and their results.
    """

    def __init__(
        self,
        question: str,
        dialogue: Dialogue,
        evidence: Evidence,
        endpoint: Endpoint,
        memory: EndpointMemory,
        *,
        title: str,
        boundary: str,
        max_rounds: int,
    ) -> None:
        self._dialogue = dialogue
        self._evidence = evidence
        self._endpoint = endpoint
        self._memory = memory
        self._boundary = boundary
        self._system = agent_system(title, boundary)
        self._messages: list[Message] = [{"role": "user", "content": question}]
        self._rounds_left = max_rounds
        self._answered: set[ToolUse] = set()
        self.exchange: list[Message] = []

    async def answer(self) -> None:
        """Write the answer. Raises TurnError, and ToolsRefused before anything was streamed."""
        while True:
            reply = await self._ask()
            if reply.completion.tool_calls and self._rounds_left:
                await self._run(reply)
            elif not reply.is_text:
                self._messages += self._dialogue.send_back(reply)
            elif self._dialogue.replies == 1:
                self._messages += [reply.completion.as_message(), {"role": "user", "content": CALL_A_TOOL}]
            else:
                return

    async def _ask(self) -> Reply:
        """One request; without ``tool_choice``, and then without tools, where the endpoint refuses them."""
        if not self._rounds_left:
            return await self._dialogue.ask(self._system, self._messages)
        is_first = self._dialogue.replies == 0
        choice_refused = "tool_choice" in self._memory.refused(self._endpoint)
        if not self._answered and not choice_refused:
            try:
                return await self._dialogue.ask(self._system, self._messages, TOOLS, "required")
            except Rejected as refusal:
                if not refusal.degradable:
                    raise
                choice_refused = True
        try:
            reply = await self._dialogue.ask(self._system, self._messages, TOOLS)
        except Rejected as refusal:
            if is_first and refusal.degradable:
                raise ToolsRefused from refusal
            raise
        if choice_refused:
            self._memory.remember(self._endpoint, "tool_choice")
        return reply

    async def _run(self, reply: Reply) -> None:
        """Answer the calls of one message, in their order, which is the order of the sources' numbers."""
        calls = reply.completion.tool_calls[:MAX_CALLS]
        dropped = reply.completion.tool_calls[MAX_CALLS:]
        round_: list[Message] = [replace(reply.completion, tool_calls=calls).as_message()]
        for call in calls:
            round_.append({"role": "tool", "tool_call_id": call.id, "content": await self._result(call)})
        self._messages += round_
        self.exchange += round_
        self._rounds_left = 0 if dropped else self._rounds_left - 1
        if any(call.name != NO_EVIDENCE_NEEDED for call in dropped):
            await self._evidence.step(
                "refused", f"{len(dropped):,} more calls of the same message were not run"
            )
        if not self._rounds_left:
            self._messages.append({"role": "user", "content": NO_MORE_TOOLS})

    async def _result(self, call: ToolCall) -> str:
        """What the model gets for one call."""
        use = read_call(call)
        if isinstance(use, Malformed):
            if use.step:
                await self._evidence.step("refused", use.step)
            return use.sentence
        if use in self._answered:
            return "You have made this very call before; its result stands above."
        self._answered.add(use)
        match use:
            case SearchDocs(query):
                return self._found(await self._evidence.search(query))
            case ReadPage(path):
                return self._page(path, await self._evidence.read(path))
            case NoEvidenceNeeded():
                return "Noted. Answer now; what you restate of your previous answer keeps its marks."

    def _found(self, sources: Sequence[Source]) -> str:
        if not sources:
            return (
                "Nothing relevant enough was found. Search again in other words, or say in one sentence that "
                "the documentation does not cover this."
            )
        return fenced_passages(sources, self._boundary)

    def _page(self, path: str, page: PageRead | None) -> str:
        if page is None:
            return f"There is no page {path[:200]!r}. Use a path as search_docs gives it."
        noun = "passage" if page.left_out_passages == 1 else "passages"
        left_out = (
            f"({page.left_out_passages} more {noun} of this page, {page.left_out_chars:,} characters, left "
            "out: search_docs finds them.)"
        )
        parts = [fenced_passages(page.sources, self._boundary), left_out if page.left_out_passages else ""]
        return "\n\n".join(part for part in parts if part) or "This page holds no text."
