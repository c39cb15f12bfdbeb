"""Answers by an endpoint that takes no tools: one search, one request (SPEC 4.3)."""

from __future__ import annotations

from ibid.dialogue import Dialogue
from ibid.draft import Draft
from ibid.evidence import DEFLECTION, Evidence
from ibid.prompting import (
    RESTATE_TOKEN,
    Message,
    passages_system,
    question_with_passages,
    restate_system,
)

SHORT_FOLLOW_UP = 8
"""Words; a longer question says itself what it is about."""

_DECORATION = " \t\r\n*_`\"'#>“”‘’"  # noqa: RUF001 - the curly quotation marks are meant


class TokenHold:
    """Holds a reply back until it cannot be the one word that says "this asks for something new".

    Models set the word in quotes, in bold or in capitals of their own.
    """

    def __init__(self, token: str = RESTATE_TOKEN) -> None:
        self._token = token.casefold()
        self._held = ""
        self._decided = False
        self.found = False

    def feed(self, delta: str) -> str:
        """Nothing while undecided, then all that was held."""
        if self._decided:
            return delta
        if self.found:
            return ""
        self._held += delta
        words = self._held.lstrip(_DECORATION).casefold()
        self.found = words.startswith(self._token)
        if self.found or self._token.startswith(words):
            return ""
        self._decided = True
        return self.close()

    def close(self) -> str:
        """What is still held and is not the word."""
        held, self._held = self._held, ""
        return "" if self.found else held


class OneShot:
    """Answers one question from what a single search finds, or restates, or deflects."""

    def __init__(
        self,
        question: str,
        dialogue: Dialogue,
        evidence: Evidence,
        draft: Draft,
        *,
        title: str,
        boundary: str,
        may_restate: bool,
        last_question: str,
    ) -> None:
        """``may_restate``: there is a previous answer. ``last_question`` is the one asked before this one."""
        self._question = question
        self._dialogue = dialogue
        self._evidence = evidence
        self._draft = draft
        self._title = title
        self._boundary = boundary
        self._may_restate = may_restate
        self._last_question = last_question

    async def answer(self) -> None:
        """Write the answer. Raises TurnError."""
        plan = await self._evidence.plan(self._question)
        if not plan.passes and self._may_restate:
            question: Message = {"role": "user", "content": self._question}
            if await self._write(restate_system(self._title), question, or_token=True):
                return  # the search leaves no trace: a step would cost the restatement its sources
            if len(self._question.split()) <= SHORT_FOLLOW_UP:
                await self._evidence.accept(plan)
                plan = await self._evidence.plan(f"{self._last_question} {self._question}")
        sources = await self._evidence.accept(plan)
        if sources:
            given = question_with_passages(self._question, sources, self._boundary)
            await self._write(passages_system(self._title, self._boundary), given)
        else:
            await self._draft.write(DEFLECTION)

    async def _write(self, system: Message, question: Message, *, or_token: bool = False) -> bool:
        """Write what the model says; False if it says the token instead."""
        messages = [question]
        while True:
            hold = TokenHold() if or_token else None
            reply = await self._dialogue.ask(system, messages, hold=hold)
            if hold and hold.found:
                return False
            if reply.is_text:
                return True
            messages += self._dialogue.send_back(reply)
