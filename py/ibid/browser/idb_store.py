"""Conversations in the reader's IndexedDB, through ``js/store.js``: one JavaScript call, one transaction."""

from __future__ import annotations

import json
from collections.abc import AsyncIterator
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

import js
from pyodide.ffi import JsException
from pyscript.js_modules import store as store_module

from ibid.errors import AnswerRunning, NotSaved


class IdbStore:
    """An ``ibid.ports.TurnStore``. Values cross as JSON; nothing of the database is ever held in Python."""

    def __init__(self, store: Any) -> None:
        """``store`` is the JavaScript ``Store``; see :func:`open_store`."""
        self._store = store

    async def turns(self, conversation: str) -> list[dict[str, Any]]:
        """All turn records of a conversation, in order of ``seq``. Raises NotSaved."""
        try:
            turns: list[dict[str, Any]] = json.loads(js.JSON.stringify(await self._store.turns(conversation)))
        except JsException as error:
            raise NotSaved(f"The stored conversation cannot be read ({error.message}).") from error
        return turns

    async def put_turn(self, record: dict[str, Any]) -> None:
        """Insert or replace one turn. Raises NotSaved, also when its conversation was deleted meanwhile."""
        try:
            await self._store.putTurn(_to_js(record))
        except JsException as error:
            raise NotSaved(f"The answer could not be stored ({error.message}).") from error

    async def log_query(self, entry: dict[str, Any]) -> None:
        """Append one retrieval to the query log. Raises NotSaved."""
        try:
            await self._store.logQuery(_to_js(entry))
        except JsException as error:
            raise NotSaved(f"The query log could not be written ({error.message}).") from error

    def lock(self, conversation: str) -> AbstractAsyncContextManager[None]:
        """One writer a conversation, across tabs. Raises AnswerRunning at once when taken."""
        return self._lock(conversation)

    @asynccontextmanager
    async def _lock(self, conversation: str) -> AsyncIterator[None]:
        release = await self._store.lock(conversation)
        if release is None:
            raise AnswerRunning("Another answer is being written in this conversation.")
        try:
            yield
        finally:
            release()


async def open_store(base: str) -> IdbStore:
    """The store of the site at this base address; in memory where the browser denies storage."""
    return IdbStore(await store_module.openStore(base))


def _to_js(value: dict[str, Any]) -> Any:
    return js.JSON.parse(json.dumps(value, ensure_ascii=False))
