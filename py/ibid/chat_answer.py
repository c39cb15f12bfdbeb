"""One response, read to its end: which form the body has, when it ends, and how it ended."""

from __future__ import annotations

from ibid.chat_addresses import host_of
from ibid.chat_stream import Completion, CompletionReader, Delta
from ibid.endpoint_errors import no_completion_error, stream_error, web_page_error
from ibid.errors import CutOff, EmptyAnswer, Interrupted, TurnError
from ibid.models import Endpoint
from ibid.ports import HttpResponse
from ibid.refusal_words import read_body
from ibid.sse import EventDecoder
from ibid.timed_body import BYTE_ORDER_MARK, Stalled, TimedBody

_LENGTH_REASONS = ("length", "max_tokens", "model_length")
_FILTER_REASONS = ("content_filter", "safety")
_LARGEST_BODY = 8_000_000
"""Bytes of a body that is no stream; a completion has a thousandth of that."""


class ChatAnswer:
    """Read it until :attr:`ended`, then ask for its :meth:`completion`, which raises what went wrong.

    So every delta that arrived is given out before an error is raised.
    """

    def __init__(
        self, endpoint: Endpoint, response: HttpResponse, body: TimedBody, usage_seconds: float
    ) -> None:
        self.ended = False
        self._endpoint = endpoint
        self._host = host_of(endpoint.base_url)
        self._response = response
        self._body = body
        self._usage_seconds = usage_seconds
        self._events: EventDecoder | None = None
        self._reader = CompletionReader()
        self._error: TurnError | None = None

    async def read(self) -> list[Delta]:
        """The deltas of the next piece of the body, perhaps none."""
        try:
            if self._events is None:
                return await self._begin()
            return self._feed(self._events, await self._body.next())
        except Stalled as stalled:
            return self._end(
                Interrupted(
                    f"{self._host} sent nothing for {stalled.seconds:g} seconds; the answer was cut off."
                )
            )
        except Interrupted as broken:
            return self._end(broken)

    async def _begin(self) -> list[Delta]:
        """Decides by the body's first character, not by its label: endpoints mislabel each form."""
        beginning = await self._body.beginning()
        start = beginning.removeprefix(BYTE_ORDER_MARK).lstrip()[:1]
        if not start:
            return self._end(
                EmptyAnswer(
                    f"{self._host} answered with nothing at all; some model servers do so when the "
                    "conversation is longer than the model can take in.",
                    "Start a new conversation, or press Retry.",
                )
            )
        if start == b"<":
            return self._end(web_page_error(self._endpoint, self._response.status))
        if start in b"{[":  # no line of an event stream begins so
            return self._whole(beginning + await self._body.read(_LARGEST_BODY))
        self._events = EventDecoder()
        return self._feed(self._events, beginning)

    def _whole(self, body: bytes) -> list[Delta]:
        """One JSON completion, although a stream was asked for."""
        completion = read_body(body.decode("utf-8-sig", "replace"))
        if not isinstance(completion, dict):
            return self._end(Interrupted(f"{self._host} sent an answer that breaks off in the middle."))
        deltas = list(self._reader.feed_chunk(completion))
        if not self._reader.error and not isinstance(completion.get("choices"), list):
            return self._end(no_completion_error(self._endpoint, self._response.status))
        self._reader.done = True  # the JSON is whole, so the answer is, finish reason or not
        return deltas + self._end()

    def _feed(self, events: EventDecoder, chunk: bytes) -> list[Delta]:
        deltas = [delta for event in events.feed(chunk) for delta in self._reader.feed(event)]
        if self._reader.error or self._reader.done:
            return deltas + self._end()  # what a server may still hold open is not waited for
        if not chunk:
            return deltas + self._end(self._cut())
        if self._reader.finished:
            self._body.end_within(self._usage_seconds)
        return deltas

    def _cut(self) -> TurnError:
        if not self._reader.started and "html" in self._response.headers.get("content-type", ""):
            return web_page_error(self._endpoint, self._response.status)
        return Interrupted(
            f"The connection to {self._host} ended before the answer did; the answer was cut off."
        )

    def _end(self, error: TurnError | None = None) -> list[Delta]:
        """``error`` counts unless the answer was whole already."""
        self.ended = True
        deltas = list(self._reader.close())
        if self._reader.error:
            self._error = stream_error(self._endpoint, self._reader.error, started=self._reader.started)
        elif not self._reader.finished:
            self._error = error
        return deltas

    def completion(self) -> Completion:
        """The whole answer. Raises the TurnError that ended it, CutOff by its finish reason, or
        Interrupted where pieces of it were unreadable.
        """
        if self._error:
            raise self._error
        reason = self._reader.finish_reason.lower()
        if reason in _LENGTH_REASONS:
            raise CutOff(
                f"The answer hit the length limit of the model at {self._host} and was cut off.",
                "Ask for a shorter answer, or raise the token limit (max_tokens) where the model is served.",
            )
        if reason in _FILTER_REASONS:
            raise CutOff(
                f"The content filter at {self._host} cut the answer off.", "Ask the question in other words."
            )
        completion = self._reader.completion()
        if not completion.complete:
            raise Interrupted(
                f"{self._host} sent {len(completion.damaged)} pieces that cannot be read; words may be "
                "missing from the answer."
            )
        return completion

    async def aclose(self) -> None:
        """Ends the connection. Safe to call twice."""
        await self._body.aclose()
