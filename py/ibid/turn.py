"""The turn engine: from a question to its stored answer and its one last frame (SPEC 4)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from dataclasses import dataclass, replace
from typing import Any

from ibid.attempt import Attempt, Resources
from ibid.conversations import TurnRecord, error_dict
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import AnswerRunning, InputError, NotSaved, RecordInvalid, TurnError
from ibid.evidence import Passages, Planner
from ibid.live_turn import LiveTurn, StopSwitch, own_mistake
from ibid.models import Endpoint
from ibid.ports import Clock, Transport, TurnStore
from ibid.preview import Preview, preview
from ibid.protocol import Emit, FrameWriter, error_frame, sources_frame, turn_frame
from ibid.settings import Settings


@dataclass(frozen=True)
class AskRequest:
    """A new question. ``endpoint`` None: answer from passages."""

    conversation: str
    question: str
    endpoint: Endpoint | None = None
    offline: bool = False


@dataclass(frozen=True)
class AgainRequest:
    """The last question of a conversation once more.

    ``turn`` is the turn the reader sees as the last one; None asks for whichever it is.
    """

    conversation: str
    turn: str | None = None
    endpoint: Endpoint | None = None
    offline: bool = False


_Request = AskRequest | AgainRequest
_Choice = Callable[[list[TurnRecord]], tuple[TurnRecord, Sequence[TurnRecord]]]
"""From a conversation's turns: the turn to answer, and those before it."""


class TurnEngine:
    """Answers questions, one at a time in each conversation; conversations go on side by side.

    Every method that answers sends frames through ``emit`` and returns the turn's id after the last one.
    """

    def __init__(
        self,
        index: Passages,
        retriever: Planner,
        transport: Transport,
        store: TurnStore,
        clock: Clock,
        settings: Settings,
        new_id: Callable[[], str],
        *,
        page_origin: str = "",
    ) -> None:
        """``new_id`` makes ids that nobody can guess: they also fence passages off from instructions."""
        memory = EndpointMemory()
        self._resources = Resources(index, retriever, transport, clock, settings, memory, page_origin)
        self._store = store
        self._clock = clock
        self._new_id = new_id
        self._switches: dict[str, set[StopSwitch]] = {}

    async def ask(self, request: AskRequest, emit: Emit) -> str:
        """Answer a new question."""

        def new_turn(turns: list[TurnRecord]) -> tuple[TurnRecord, Sequence[TurnRecord]]:
            record = TurnRecord(
                id=self._new_id(),
                conversation=request.conversation,
                seq=max((turn.seq for turn in turns), default=0) + 1,
                question=request.question,
                asked_at=self._clock.now(),
            )
            return record, turns

        return await self._serve(request, new_turn, emit)

    async def retry(self, request: AgainRequest, emit: Emit) -> str:
        """Answer the last question, which failed, again and in place."""
        return await self._again(request, emit)

    async def regenerate(self, request: AgainRequest, emit: Emit) -> str:
        """Answer the last question once more; the answer it has stays as a version."""
        return await self._again(request, emit)

    async def passages(self, request: AgainRequest, emit: Emit) -> str:
        """Answer the last question from passages, without the endpoint."""
        return await self._again(replace(request, endpoint=None), emit)

    def stop(self, conversation: str) -> None:
        """Stop the answer being written there; its last frame comes from the call that writes it."""
        for switch in self._switches.get(conversation, ()):
            switch.press()

    async def switch_version(self, conversation: str, turn: str, active: int) -> dict[str, Any]:
        """Make another version of the last turn the active one; returns the new record.

        Raises AnswerRunning, NotSaved, RecordInvalid, and InputError when there is no such version.
        """
        async with self._store.lock(conversation):
            record = _last(await self._turns(conversation), turn)
            try:
                stored = record.switched(active).as_dict()
            except IndexError:
                raise InputError(
                    f"The turn has no version {active}; it has {len(record.answers)}, counted from 0."
                ) from None
            await self._store.put_turn(stored)
            return stored

    async def preview(self, request: AskRequest) -> Preview | None:
        """The first request that this question would send; None if it would send none. Sends nothing."""
        return await preview(
            self._resources,
            request.question,
            await self._turns(request.conversation),
            request.endpoint,
            boundary=self._new_id(),
            offline=request.offline,
        )

    async def _again(self, request: AgainRequest, emit: Emit) -> str:
        def last_turn(turns: list[TurnRecord]) -> tuple[TurnRecord, Sequence[TurnRecord]]:
            return _last(turns, request.turn).with_attempt(), turns[:-1]

        return await self._serve(request, last_turn, emit)

    async def _serve(self, request: _Request, choose: _Choice, emit: Emit) -> str:
        conversation = request.conversation
        switch = StopSwitch()
        switches = self._switches.setdefault(conversation, set())
        switches.add(switch)
        try:
            async with AsyncExitStack() as stack:
                try:
                    await stack.enter_async_context(self._store.lock(conversation))
                    record, earlier = choose(await self._turns(conversation))
                    live, attempt = self._begin(request, record, earlier, emit)
                except TurnError as error:
                    return await self._refuse(request, error, emit)
                except RecordInvalid as error:
                    refusal = NotSaved(str(error), "Reload the page, or start a new conversation.")
                    return await self._refuse(request, refusal, emit)
                except Exception as mistake:
                    return await self._refuse(request, own_mistake(mistake), emit)
                await live.run(attempt, switch)
                return record.id
        finally:
            switches.discard(switch)
            if not switches:
                self._switches.pop(conversation, None)

    def _begin(
        self,
        request: _Request,
        record: TurnRecord,
        earlier: Sequence[TurnRecord],
        emit: Emit,
    ) -> tuple[LiveTurn, Attempt]:
        mode = self._resources.first_mode(request.endpoint, offline=request.offline)
        replaces = isinstance(request, AgainRequest)
        first = turn_frame(record.seq, record.question, mode, replaces=replaces)
        frames = FrameWriter(emit, record.conversation, record.id)
        live = LiveTurn(record, first, frames, self._store, self._clock)
        boundary = self._new_id()
        attempt = Attempt(
            self._resources, record.question, earlier, request.endpoint, mode, boundary, live.announce
        )
        return live, attempt

    async def _refuse(self, request: _Request, refusal: TurnError, emit: Emit) -> str:
        """The frames of a turn that is not begun, nor stored."""
        turn = self._new_id()
        frames = FrameWriter(emit, request.conversation, turn)
        question = request.question if isinstance(request, AskRequest) else ""
        await frames.send(turn_frame(0, question, None, replaces=False))
        await frames.send(sources_frame([], []))
        await frames.send(error_frame(error_dict(refusal), stored=False))
        return turn

    async def _turns(self, conversation: str) -> list[TurnRecord]:
        """Raises RecordInvalid."""
        return [TurnRecord.from_dict(record) for record in await self._store.turns(conversation)]


def _last(turns: Sequence[TurnRecord], turn: str | None) -> TurnRecord:
    """The last turn; refused if the reader means another one. The store's order is that of ``seq``."""
    if not turns or (turn is not None and all(known.id != turn for known in turns)):
        raise NotSaved("This question is not stored, so it cannot be answered in place.", "Ask it again.")
    if turn not in (None, turns[-1].id):
        raise AnswerRunning(
            "This is no longer the last question of the conversation; another tab has gone on with it.",
            "Reload the page to see how it went on.",
        )
    return turns[-1]
