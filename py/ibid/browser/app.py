"""What the worker holds once it has started: the index, the store, and the engine that answers from them."""

from __future__ import annotations

import asyncio
import json
import os
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import js

from ibid.browser.clock import BrowserClock
from ibid.browser.fetch import FetchTransport, SiteAssets
from ibid.browser.idb_store import IdbStore, open_store
from ibid.errors import IndexInvalid
from ibid.index import Index
from ibid.index_format import open_index
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings

if TYPE_CHECKING:
    from ibid.turn import TurnEngine

_FIRST_PAUSE = 0.05
"""Seconds; the reply that says "ready" goes out before the rest is imported."""


@dataclass(frozen=True)
class App:
    """Made by :func:`start_app`; ``page_origin`` is ``https://docs.example``."""

    config: dict[str, Any]
    settings: Settings
    index: Index
    retriever: Retriever
    store: IdbStore
    page_origin: str

    @cached_property
    def engine(self) -> TurnEngine:
        """Made when it is first asked for: importing it takes a fifth of the whole start."""
        from ibid.turn import TurnEngine

        return TurnEngine(
            self.index,
            self.retriever,
            FetchTransport(),
            self.store,
            BrowserClock(),
            self.settings,
            lambda: os.urandom(16).hex(),
            page_origin=self.page_origin,
        )


async def start_app(base: str) -> App:
    """Opens the site at this base address. Raises IndexInvalid, SettingError."""
    config = json.loads(await SiteAssets(base).read("config.json"))
    settings = Settings.from_mapping(config["settings"])
    index, store = await asyncio.gather(_open_index(base), open_store(base))
    app = App(config, settings, index, Retriever(index, settings), store, js.location.origin)
    # While the reader types, the rest is loaded too.
    asyncio.get_running_loop().call_later(_FIRST_PAUSE, lambda: app.engine)
    return app


async def _open_index(base: str) -> Index:
    """Files of two versions can meet in caches while a site is replaced; past the caches they do not."""
    try:
        return await open_index(SiteAssets(base))
    except IndexInvalid:
        return await open_index(SiteAssets(base, fresh=True))
