"""The worker's functions: each takes one JSON text and returns one.

The page calls them through ``bridge.js``; what they send meanwhile goes through ``sync.emit``.
"""

from __future__ import annotations

import json
from dataclasses import asdict
from typing import Any

from pyscript import sync

from ibid.browser.app import App, start_app
from ibid.browser.clock import BrowserClock
from ibid.browser.fetch import FetchTransport
from ibid.errors import IbidError, IndexInvalid, TurnError
from ibid.models import Endpoint

_app: App | None = None


def _running() -> App:
    if _app is None:
        raise RuntimeError("boot has not been called, or has failed")
    return _app


async def boot(text: str) -> str:
    """Opens the index and the store. What goes wrong is in the reply's ``error``."""
    global _app
    try:
        _app = await start_app(json.loads(text)["base"])
    except IbidError as error:
        failure = error if isinstance(error, TurnError) else IndexInvalid(str(error))
        refusal = {"code": failure.code, "message": str(failure), "next": failure.next}
        return json.dumps({"title": "", "starters": [], "error": refusal})
    index, settings = _app.index, _app.settings
    about = {"pages": len(index.pages), "chunks": len(index.chunk_ids), "build": index.build}
    return json.dumps(
        {
            "title": _app.config["title"] or index.title,
            "starters": _app.config["starters"],
            "defaults": {"base_url": settings.base_url, "model": settings.model},
            "index": {**about, "kind": index.kind, "threshold": index.threshold},
            "error": None,
        }
    )


async def ask(text: str) -> str:
    """Answers a new question; returns when its last frame has been sent."""
    from ibid.turn import AskRequest

    call = json.loads(text)
    request = AskRequest(call["conversation"], call["question"], _endpoint(call), call["offline"])
    return json.dumps({"turn": await _running().engine.ask(request, _emit)})


async def retry(text: str) -> str:
    """Answers the last question, which failed, again and in place."""
    return await _again("retry", text)


async def regenerate(text: str) -> str:
    """Answers the last question once more, as a further version."""
    return await _again("regenerate", text)


async def passages(text: str) -> str:
    """Answers the last question from passages alone."""
    return await _again("passages", text)


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
    from ibid.passage_view import view_chunk, view_stored

    call = json.loads(text)
    app = _running()
    if "chunk" in call:
        view = await view_chunk(app.index, call["chunk"])
    else:
        turns = await app.store.turns(call["conversation"])
        view = await view_stored(app.index, turns, call["turn"], call["n"], call.get("occurrence"))
    return json.dumps(None if view is None else asdict(view))


async def test_connection(text: str) -> str:
    """Asks the endpoint for one word."""
    from ibid.chat_client import ChatClient
    from ibid.connection import diagnose
    from ibid.endpoint_memory import EndpointMemory

    origin = _running().page_origin
    endpoint = _endpoint(json.loads(text)) or Endpoint("", "")
    client = ChatClient(FetchTransport(), endpoint, BrowserClock(), EndpointMemory(), page_origin=origin)
    return json.dumps(asdict(await diagnose(client)))


async def preview(text: str) -> str:
    """What a question would send; null if it would send nothing."""
    from ibid.turn import AskRequest

    call = json.loads(text)
    request = AskRequest(call["conversation"] or "", call["question"], _endpoint(call))
    shown = await _running().engine.preview(request)
    return json.dumps(None if shown is None else asdict(shown))


async def _again(how: str, text: str) -> str:
    from ibid.turn import AgainRequest

    call = json.loads(text)
    offline = call.get("offline", False)
    request = AgainRequest(call["conversation"], call.get("turn"), _endpoint(call), offline)
    return json.dumps({"turn": await getattr(_running().engine, how)(request, _emit)})


async def _emit(frame: dict[str, Any]) -> None:
    await sync.emit(json.dumps(frame, ensure_ascii=False))


def _endpoint(call: dict[str, Any]) -> Endpoint | None:
    chosen = call.get("endpoint")
    return Endpoint(chosen["base_url"], chosen["model"], chosen["key"]) if chosen else None
