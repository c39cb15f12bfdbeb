"""``ibid ask``: the turn engine of the browser, in the terminal."""

from __future__ import annotations

import asyncio
import json
import secrets
import time
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from ibid.memory_store import MemoryStore
from ibid.models import Endpoint
from ibid.protocol import Frame
from ibid.retrieval.retriever import Retriever
from ibid.turn import AskRequest, TurnEngine
from ibid_build.http_transport import HttpTransport
from ibid_build.published import open_retriever

KEY_VARIABLE = "IBID_API_KEY"

_TURN_FIELDS = "id question answer status mode deflected stopped inherited_from steps"
_SOURCE_FIELDS = "n chunk source path url title heading_path quote cosine via"


@dataclass(frozen=True, slots=True)
class Conversation:
    """What came of some questions: stored turns, their searches, and every frame, each in order."""

    turns: list[dict[str, Any]]
    query_log: list[dict[str, Any]]
    frames: list[Frame]


class SystemClock:
    """An ``ibid.ports.Clock`` on this machine's time."""

    def now(self) -> float:
        """Seconds since the epoch."""
        return time.time()

    async def sleep(self, seconds: float) -> None:
        """Waits; cancellable."""
        await asyncio.sleep(seconds)


def ask_command(
    folder: Path,
    questions: Sequence[str],
    *,
    base_url: str | None,
    model: str | None,
    as_json: bool,
    environment: Mapping[str, str],
) -> int:
    """Asks the questions in one conversation and prints what came of them; 0, a failed turn is data.

    Without a base URL, here or in the published settings, the answers are passages. The key is read from
    ``IBID_API_KEY``. Raises InputError, IndexInvalid, SettingError when the folder cannot be used.
    """
    retriever = open_retriever(folder, environment)
    endpoint = _endpoint(retriever, base_url, model, environment)
    conversation = asyncio.run(ask(retriever, endpoint, questions))
    if as_json:
        print(json.dumps(ask_document(conversation), ensure_ascii=False))
    else:
        for turn in conversation.turns:
            print(_report(turn, with_question=len(questions) > 1))
    return 0


def _endpoint(
    retriever: Retriever, base_url: str | None, model: str | None, environment: Mapping[str, str]
) -> Endpoint | None:
    settings = retriever.settings
    address = settings.base_url if base_url is None else base_url
    if not address:
        return None
    return Endpoint(address, settings.model if model is None else model, environment.get(KEY_VARIABLE, ""))


async def ask(retriever: Retriever, endpoint: Endpoint | None, questions: Sequence[str]) -> Conversation:
    """Ask the questions one after the other, in one conversation."""
    store, frames = MemoryStore(), list[Frame]()

    async def emit(frame: Frame) -> None:
        frames.append(frame)

    async with HttpTransport() as transport:
        engine = TurnEngine(
            retriever.index,
            retriever,
            transport,
            store,
            SystemClock(),
            retriever.settings,
            lambda: secrets.token_hex(8),
        )
        for question in questions:
            await engine.ask(AskRequest("terminal", question, endpoint), emit)
    return Conversation(await store.turns("terminal"), store.query_log, frames)


def ask_document(conversation: Conversation) -> dict[str, Any]:
    """The document of SPEC 8."""
    turns = []
    for turn in conversation.turns:
        error = turn["error"]
        turns.append(
            {
                **{name: turn[name] for name in _TURN_FIELDS.split()},
                "sources": [_source(source) for source in turn["sources"]],
                "cited": [chip["path"] for chip in turn["chips"]],
                "related": [page["path"] for page in turn["related"]],
                "error": {"code": error["code"], "message": error["message"]} if error else None,
                "query_log": [entry for entry in conversation.query_log if entry["turn"] == turn["id"]],
            }
        )
    return {"turns": turns, "frames": conversation.frames}


def _source(source: Mapping[str, Any]) -> dict[str, Any]:
    return {name: source[name] for name in _SOURCE_FIELDS.split()}


def _report(turn: Mapping[str, Any], *, with_question: bool) -> str:
    """A turn as the page shows it: the answer, its footnotes, what is nearby, what went wrong."""
    parts = [f"> {turn['question']}"] if with_question else []
    parts += [turn["answer"].strip()]
    parts += ["\n".join(_footnote(chip) for chip in turn["chips"]), turn["label"] or ""]
    if turn["related"]:
        parts.append("Nearby docs, in case: " + ", ".join(page["url"] for page in turn["related"]))
    if turn["error"]:
        parts.append("{code}: {message} {next}".format(**turn["error"]))
    return "\n\n".join(part for part in parts if part) + "\n"


def _footnote(chip: Mapping[str, Any]) -> str:
    numbers = "".join(f"[{number}]" for number in chip["numbers"])
    return " ".join(filter(None, [numbers, chip["title"], f"({chip['url']})"]))
