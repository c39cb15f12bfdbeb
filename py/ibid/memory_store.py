"""Conversations in memory."""

from __future__ import annotations

import copy
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from ibid.errors import AnswerRunning, NotSaved


class MemoryStore:
    """A TurnStore that lives as long as its process: for the terminal, for tests, where storage is denied."""

    def __init__(self) -> None:
        self.query_log: list[dict[str, Any]] = []
        self._turns: dict[str, dict[str, dict[str, Any]]] = {}
        self._deleted: set[str] = set()
        self._locked: set[str] = set()

    async def turns(self, conversation: str) -> list[dict[str, Any]]:
        """All turn records of a conversation, in order of ``seq``; copies."""
        records = self._turns.get(conversation, {}).values()
        return copy.deepcopy(sorted(records, key=lambda record: record["seq"]))

    async def put_turn(self, record: dict[str, Any]) -> None:
        """Insert or replace one turn by its id. Raises NotSaved when its conversation was deleted."""
        conversation = record["conversation"]
        if conversation in self._deleted:
            raise NotSaved(f"The conversation {conversation!r} was deleted while this answer was written.")
        self._turns.setdefault(conversation, {})[record["id"]] = copy.deepcopy(record)

    async def log_query(self, entry: dict[str, Any]) -> None:
        """Append one retrieval."""
        self.query_log.append(copy.deepcopy(entry))

    async def delete(self, conversation: str) -> None:
        """Forget a conversation; what is still being written into it is not kept."""
        self._turns.pop(conversation, None)
        self._deleted.add(conversation)

    def lock(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """Raises AnswerRunning on entry when another writer is inside."""
        return self._lock(conversation)

    @asynccontextmanager
    async def _lock(self, conversation: str) -> AsyncIterator[None]:
        if conversation in self._locked:
            raise AnswerRunning("Another answer is being written in this conversation.")
        self._locked.add(conversation)
        try:
            yield
        finally:
            self._locked.discard(conversation)
