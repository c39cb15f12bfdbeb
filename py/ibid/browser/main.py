"""The worker's functions: each takes one JSON text and returns one. Everything is wired here.

The page calls them through ``bridge.js``; what they send meanwhile goes through ``sync.emit``.
"""

from __future__ import annotations

import asyncio
import json
import secrets
from collections.abc import Awaitable, Callable
from dataclasses import asdict, dataclass
from typing import Any
from urllib.parse import urlsplit

from pyscript import sync

from ibid.browser.clock import BrowserClock
from ibid.browser.fetch import FetchTransport, SiteAssets
from ibid.browser.idb_store import IdbStore, open_store
from ibid.chat_client import ChatClient
from ibid.connection import diagnose
from ibid.conversations import TurnRecord, error_dict
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import IbidError, IndexInvalid, TurnError
from ibid.index import Index
from ibid.index_format import open_index
from ibid.models import Endpoint
from ibid.passage_view import view_chunk, view_source
from ibid.protocol import Frame
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid.turn import AgainRequest, AskRequest, TurnEngine

Message = dict[str, Any]


@dataclass(frozen=True, slots=True)
class _App:
    """What ``boot`` made."""

    index: Index
    store: IdbStore
    engine: TurnEngine
    page_origin: str


_app: _App | None = None


def _running() -> _App:
    if _app is None:
        raise RuntimeError("boot has not been called, or has failed")
    return _app


async def boot(text: str) -> str:
    """Opens the index and the store. What goes wrong is in the reply's ``error``."""
    global _app
    base: str = json.loads(text)["base"]
    try:
        config = json.loads(await SiteAssets(base).read("config.json"))
        settings = Settings.from_mapping(config["settings"])
        index, store = await asyncio.gather(_open_index(base), open_store(base))
    except IbidError as error:
        failure = error if isinstance(error, TurnError) else IndexInvalid(str(error))
        return json.dumps({"title": "", "starters": [], "error": error_dict(failure)})
    parts = urlsplit(base)
    origin = f"{parts.scheme}://{parts.netloc}"
    engine = TurnEngine(
        index,
        Retriever(index, settings),
        FetchTransport(),
        store,
        BrowserClock(),
        settings,
        lambda: secrets.token_hex(16),
        page_origin=origin,
    )
    _app = _App(index, store, engine, origin)
    about = {"pages": len(index.pages), "chunks": len(index.chunk_ids), "build": index.build}
    return json.dumps(
        {
            "title": config["title"] or index.title,
            "starters": config["starters"],
            "defaults": {"base_url": settings.base_url, "model": settings.model},
            "index": {**about, "kind": index.kind, "threshold": index.threshold},
            "error": None,
        }
    )


async def _open_index(base: str) -> Index:
    """Files of two versions can meet in caches while a site is replaced; past the caches they do not."""
    try:
        return await open_index(SiteAssets(base))
    except IndexInvalid:
        return await open_index(SiteAssets(base, fresh=True))


async def ask(text: str) -> str:
    """Answers a new question; returns when its last frame has been sent."""
    call = json.loads(text)
    request = AskRequest(call["conversation"], call["question"], _endpoint(call), call["offline"])
    return json.dumps({"turn": await _running().engine.ask(request, _emit)})


async def retry(text: str) -> str:
    """Answers the last question, which failed, again and in place."""
    return await _again(_running().engine.retry, text)


async def regenerate(text: str) -> str:
    """Answers the last question once more, as a further version."""
    return await _again(_running().engine.regenerate, text)


async def passages(text: str) -> str:
    """Answers the last question from passages alone."""
    return await _again(_running().engine.passages, text)


async def stop(text: str) -> str:
    """Stops the answer that is being written in a conversation."""
    _running().engine.stop(json.loads(text)["conversation"])
    return "{}"


async def switch_version(text: str) -> str:
    """Makes another version of the last turn the active one; returns its record."""
    call = json.loads(text)
    record = await _running().engine.switch_version(call["conversation"], call["turn"], call["active"])
    return json.dumps(record)


async def passage(text: str) -> str:
    """The passage behind a mark, a chip or a related link, with the page around it; null if there is none."""
    call = json.loads(text)
    app = _running()
    if "chunk" in call:
        view = await view_chunk(app.index, call["chunk"])
    else:
        records = await app.store.turns(call["conversation"])
        [record] = [record for record in records if record["id"] == call["turn"]]
        view = await view_source(app.index, TurnRecord.from_dict(record), call["n"], call.get("occurrence"))
    return json.dumps(None if view is None else asdict(view))


async def test_connection(text: str) -> str:
    """Asks the endpoint for one word."""
    endpoint = _endpoint(json.loads(text))
    if endpoint is None:
        raise ValueError("there is no endpoint to test")
    origin = _running().page_origin
    client = ChatClient(FetchTransport(), endpoint, BrowserClock(), EndpointMemory(), page_origin=origin)
    return json.dumps(asdict(await diagnose(client)))


async def preview(text: str) -> str:
    """What a question would send; null if it would send nothing."""
    call = json.loads(text)
    request = AskRequest(call["conversation"] or "", call["question"], _endpoint(call))
    shown = await _running().engine.preview(request)
    return json.dumps(None if shown is None else asdict(shown))


async def hold_texts(text: str) -> str:
    """Loads every text, so that the service worker holds it."""
    index = _running().index
    for shard in range(index.shard_count):
        await index.load_shard(shard)
    return json.dumps({"held": index.shard_count, "total": index.shard_count})


async def _again(
    answer: Callable[[AgainRequest, Callable[[Frame], Awaitable[None]]], Awaitable[str]], text: str
) -> str:
    call = json.loads(text)
    request = AgainRequest(
        call["conversation"], call.get("turn"), _endpoint(call), call.get("offline", False)
    )
    return json.dumps({"turn": await answer(request, _emit)})


async def _emit(frame: Frame) -> None:
    await sync.emit(json.dumps(frame, ensure_ascii=False))


def _endpoint(call: Message) -> Endpoint | None:
    chosen = call.get("endpoint")
    return Endpoint(chosen["base_url"], chosen["model"], chosen["key"]) if chosen else None
