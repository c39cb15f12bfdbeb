"""A turn under way: saved as it grows, stopped at any point, ended by exactly one last frame (SPEC 4.10)."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Coroutine
from dataclasses import replace
from typing import Any

from ibid.attempt import Attempt
from ibid.conversations import Answer, TurnRecord, error_dict, source_dict
from ibid.errors import Interrupted, NotSaved, TurnError
from ibid.ports import Clock, TurnStore
from ibid.protocol import Frame, FrameWriter, done_frame, error_frame, sources_frame

CHECKPOINT_SECONDS = 1.0
"""Between two savings of an answer under way: what a crash can lose."""

_log = logging.getLogger(__name__)


class StopSwitch:
    """Stops what it guards, now or as soon as it starts."""

    def __init__(self) -> None:
        self._pressed = False
        self._task: asyncio.Task[None] | None = None

    def press(self) -> None:
        """Stop. Pressing again changes nothing: the clean-up under way is not to be cut."""
        if not self._pressed:
            self._pressed = True
            if self._task is not None:
                self._task.cancel()

    async def guard(self, work: Coroutine[Any, Any, None]) -> bool:
        """Do the work; True if it was stopped before its end. Raises what it raises."""
        self._task = asyncio.ensure_future(work)
        if self._pressed:
            self._task.cancel()
        try:
            await self._task
        except (asyncio.CancelledError, TurnError):
            # A request that is aborted may fail as a request before it is cancelled as a task.
            if not self._pressed:
                raise
            return True
        return False


class LiveTurn:
    """Runs one attempt and keeps its record."""

    def __init__(
        self, record: TurnRecord, first: Frame, frames: FrameWriter, store: TurnStore, clock: Clock
    ) -> None:
        """``first`` is the turn's first frame."""
        self._record = record
        self._first = first
        self._frames = frames
        self._store = store
        self._clock = clock
        self._changed = False

    async def announce(self, frame: Frame) -> None:
        """Send a frame of the turn."""
        self._changed = True
        await self._frames.send(frame)

    async def run(self, attempt: Attempt, switch: StopSwitch) -> None:
        """Save the question, answer it, save the answer, send the last frame.

        Cancelling this presses the switch: the turn ends in good order, then the cancellation goes on.
        """
        work = asyncio.ensure_future(self._run(attempt, switch))
        try:
            await asyncio.shield(work)
        except asyncio.CancelledError:
            switch.press()
            await asyncio.gather(work, return_exceptions=True)
            raise

    async def _run(self, attempt: Attempt, switch: StopSwitch) -> None:
        await self._frames.send(self._first)
        # Should this fail, the question is answered all the same, and the reader told at the end.
        await self._save(attempt.under_way())
        stopped = False
        error: TurnError | None = None
        saving = asyncio.ensure_future(self._keep_saving(attempt))
        try:
            stopped = await switch.guard(attempt.write())
        except TurnError as raised:
            error = raised
        except Exception as mistake:
            error = own_mistake(mistake)
        saving.cancel()
        await asyncio.gather(saving, return_exceptions=True)
        await self._end(attempt, stopped=stopped, error=error)

    async def _keep_saving(self, attempt: Attempt) -> None:
        """Save what has come at intervals; that it cannot be saved is told at the end."""
        while True:
            await self._clock.sleep(CHECKPOINT_SECONDS)
            if self._changed:
                self._changed = False
                await self._save(attempt.under_way())

    async def _end(self, attempt: Attempt, *, stopped: bool, error: TurnError | None) -> None:
        answer = await self._ended(attempt, stopped=stopped, error=error)
        not_saved = await self._save(answer)
        await self._log_queries(attempt)
        restores = self._record.shown is not answer
        sources = [source_dict(source) for source in answer.sources]
        await self._frames.send(sources_frame(sources, answer.chips))
        if answer.error is None and not_saved is None:
            last = done_frame(
                status=answer.status,
                related=answer.related,
                stopped=answer.stopped,
                deflected=answer.deflected,
                label=answer.label,
                inherited_from=answer.inherited_from,
                restores=restores,
            )
        else:
            last = error_frame(
                _told(answer.error, not_saved),
                label=answer.label,
                related=answer.related,
                restores=restores,
                stored=not_saved is None,
            )
        await self._frames.send(last)

    async def _ended(self, attempt: Attempt, *, stopped: bool, error: TurnError | None) -> Answer:
        try:
            await attempt.draft.end_message()
            related = await attempt.evidence.related(fetch=not stopped)
            return attempt.ended(related, stopped=stopped, error=error)
        except Exception as mistake:
            failure = error_dict(error or own_mistake(mistake))
            return replace(attempt.under_way(), status="failed", error=failure)

    async def _save(self, answer: Answer) -> NotSaved | None:
        """Save the record with the answer as it stands; what kept it from being saved, if anything did."""
        self._record = self._record.with_last(answer)
        try:
            await self._store.put_turn(self._record.as_dict())
        except NotSaved as error:
            return error
        except Exception as mistake:
            _log.exception("storing a turn failed")
            return NotSaved(f"This answer could not be stored ({mistake}).")
        return None

    async def _log_queries(self, attempt: Attempt) -> None:
        """The log is an aid: that it cannot be written fails no turn."""
        try:
            for entry in attempt.evidence.query_log(self._record.conversation, self._record.id):
                await self._store.log_query(entry)
        except NotSaved:
            pass
        except Exception:
            _log.exception("logging a query failed")


def _told(error: dict[str, str] | None, not_saved: NotSaved | None) -> dict[str, str]:
    """What the reader is told: why the turn failed, and whether it is kept."""
    if error is None or not_saved is None:
        return error or error_dict(not_saved or NotSaved("This answer could not be stored."))
    return {**error, "message": f"{error['message']} What came of it could not be stored either."}


def own_mistake(mistake: Exception) -> Interrupted:
    """What the reader is told of an error that is nobody's but ours; the rest goes to the log."""
    _log.error("a turn ended by a mistake of Ibid's own", exc_info=mistake)
    return Interrupted(
        f"Ibid made a mistake of its own ({type(mistake).__name__}: {mistake}); the answer was cut off.",
        "Press Retry; if it happens again, report it with this sentence.",
    )
