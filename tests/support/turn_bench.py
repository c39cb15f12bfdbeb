"""A turn engine on a bench: small index, scripted endpoint, store in memory, a clock that stands still."""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import Mapping, Sequence
from typing import Any

from fake_index import FakeIndex, FakePlanner
from ibid.errors import NotSaved
from ibid.memory_store import MemoryStore
from ibid.models import Endpoint
from ibid.preview import Preview
from ibid.settings import Settings
from ibid.turn import AgainRequest, AskRequest, TurnEngine
from manual_clock import ManualClock, settle
from scripted_transport import Gate, ScriptedTransport

ENDPOINT = Endpoint("http://llm.example/v1", "scripted", "sk-test")

RETENTION = (
    "Raw readings are kept for 90 days. After that they are thinned to one an hour.",
    "Set `keep_days` in `station.toml` to keep them longer.",
)
PAGES: Mapping[str, Sequence[str]] = {
    "retention.md": RETENTION,
    "export.md": ("The command `tidewatch export` writes one row a minute.",),
    "alerts.md": ("Set `flood_level_m` to be told of floods.",),
    "radio.md": ("The radio sends on channel 7.",),
}
QUESTION = "How long are raw readings kept?"


class FailingStore(MemoryStore):
    """Saves nothing from the moment ``fails`` is set."""

    fails = False

    async def put_turn(self, record: dict[str, Any]) -> None:
        if self.fails:
            raise NotSaved("The browser's storage is full.")
        await super().put_turn(record)


class TurnBench:
    """The engine with its surroundings; ``frames`` are all frames sent, in order."""

    def __init__(self, pages: Mapping[str, Sequence[str]] = PAGES, settings: Settings | None = None) -> None:
        self.settings = settings or Settings()
        self.index = FakeIndex(pages)
        self.planner = FakePlanner(self.index, self.settings)
        self.transport = ScriptedTransport()
        self.store = FailingStore()
        self.clock = ManualClock()
        self.frames: list[dict[str, Any]] = []
        ids = itertools.count(1)
        self.engine = TurnEngine(
            self.index,
            self.planner,
            self.transport,
            self.store,
            self.clock,
            self.settings,
            lambda: f"id{next(ids)}",
        )
        self.planner.find(QUESTION, ("retention.md", 0.8), ("export.md", 0.2))

    async def emit(self, frame: dict[str, Any]) -> None:
        self.frames.append(frame)

    async def ask(self, question: str = QUESTION, endpoint: Endpoint | None = ENDPOINT, **more: Any) -> Turn:
        request = AskRequest("c1", question, endpoint, **more)
        return await self._ended(self.engine.ask(request, self.emit))

    async def again(self, how: str, endpoint: Endpoint | None = ENDPOINT, turn: str | None = None) -> Turn:
        """``how`` is ``retry``, ``regenerate`` or ``passages``."""
        request = AgainRequest("c1", turn, endpoint)
        return await self._ended(getattr(self.engine, how)(request, self.emit))

    async def preview(
        self, question: str = QUESTION, endpoint: Endpoint | None = ENDPOINT, **more: Any
    ) -> Preview | None:
        return await self.engine.preview(AskRequest("c1", question, endpoint, **more))

    async def stopped_at(self, gate: Gate, question: str = QUESTION) -> Turn:
        """Asks, and stops the answer once it waits at the gate."""
        asking = asyncio.ensure_future(self.ask(question))
        await gate.reached.wait()
        await settle()
        self.engine.stop("c1")
        return await asking

    async def _ended(self, answering: Any) -> Turn:
        before = len(self.frames)
        turn = await answering
        return Turn(turn, self.frames[before:], await self.record(turn))

    async def record(self, turn: str) -> dict[str, Any]:
        """The stored record; empty if there is none."""
        return next((r for r in await self.store.turns("c1") if r["id"] == turn), {})

    def refuse_tools(self) -> None:
        """The next two replies: the endpoint takes no tools, with and without ``tool_choice``."""
        for field in ("tool_choice", "tools"):
            self.transport.reply_status(400, f"Unsupported parameter: {field}")

    async def answered(self, text: str = "They are kept for 90 days [1].", query: str = QUESTION) -> Turn:
        """A turn in agent mode that searched and then said ``text``."""
        self.transport.reply_calls(("search_docs", {"query": query}))
        self.transport.reply_text(text)
        return await self.ask(query)


class Turn:
    """What came of one call: its frames, and the record as it is stored."""

    def __init__(self, id_: str, frames: list[dict[str, Any]], record: dict[str, Any]) -> None:
        self.id = id_
        self.frames = frames
        self.record = record

    def of_type(self, kind: str) -> list[dict[str, Any]]:
        return [frame for frame in self.frames if frame["type"] == kind]

    @property
    def last(self) -> dict[str, Any]:
        """The terminal frame."""
        return self.frames[-1]

    @property
    def sources(self) -> list[int]:
        """The numbers in the last ``sources`` frame."""
        return [source["n"] for source in self.of_type("sources")[-1]["sources"]]

    @property
    def chips(self) -> list[str]:
        """The pages in the last ``sources`` frame."""
        return [chip["path"] for chip in self.of_type("sources")[-1]["chips"]]

    @property
    def related(self) -> list[str]:
        return [page["path"] for page in self.last["related"]]

    @property
    def steps(self) -> list[str]:
        return [frame["step"]["kind"] for frame in self.of_type("step")]

    @property
    def drawn(self) -> list[dict[str, Any]]:
        """The blocks on screen after the last frame."""
        blocks: list[dict[str, Any]] = []
        for frame in self.of_type("answer"):
            blocks = blocks[: frame["from"]] + frame["blocks"]
        return blocks
