"""One attempt at a turn: which way it is answered, and what it comes to (SPEC 4.1)."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from ibid.agent import Agent, ToolsRefused
from ibid.chat_addresses import is_local
from ibid.chat_client import ChatClient
from ibid.citations import carried_sources, chips, cited_numbers, label
from ibid.conversations import Answer, TurnRecord, error_dict, plain_dict, previous_answer
from ibid.dialogue import Accepted, Dialogue
from ibid.draft import Draft
from ibid.endpoint_memory import EndpointMemory
from ibid.errors import TurnError
from ibid.evidence import Announce, Evidence, Passages, Planner
from ibid.extractive import extract
from ibid.history import History
from ibid.markdown import parse
from ibid.models import Endpoint, Mode, Related, Source, Status
from ibid.one_shot import OneShot
from ibid.ports import Clock, Transport
from ibid.prompting import Message
from ibid.protocol import mode_frame
from ibid.settings import Settings


@dataclass(frozen=True)
class Resources:
    """What every attempt works with. ``page_origin`` is the page's own origin, "" outside a browser."""

    index: Passages
    planner: Planner
    transport: Transport
    clock: Clock
    settings: Settings
    memory: EndpointMemory
    page_origin: str = ""

    def first_mode(self, endpoint: Endpoint | None, *, offline: bool) -> Mode | None:
        """How a question will be answered, where that is certain before the endpoint was asked."""
        if endpoint is None or (offline and not is_local(endpoint.base_url)):
            return "extractive"
        return "one-shot" if "tools" in self.memory.refused(endpoint) else None


class Attempt:
    """Answers one question, given the turns before it, and gives the answer as it stands at any time."""

    def __init__(
        self,
        resources: Resources,
        question: str,
        earlier: Sequence[TurnRecord],
        endpoint: Endpoint | None,
        mode: Mode | None,
        boundary: str,
        announce: Announce,
    ) -> None:
        """``boundary`` is a word that no passage can know; it fences them in what the model reads."""
        self._resources = resources
        self._question = question
        self._earlier = earlier
        self._endpoint = endpoint
        self._mode = mode
        self._boundary = boundary
        self._announce = announce
        self._previous = previous_answer(earlier)
        previous_blocks = parse(self._previous.shown.answer) if self._previous else []
        self._previous_cited = frozenset(cited_numbers(previous_blocks))
        self._exchange: Sequence[Message] = ()
        self.evidence = Evidence(
            resources.index,
            resources.planner,
            resources.clock,
            announce,
            related_cap=resources.settings.related_max_docs,
        )
        self.draft = Draft(resources.clock, announce, self._may_cite, lambda: len(self.evidence.sources))

    def _may_cite(self, number: int) -> bool:
        """Whether a provider's own mark can mean a source of this turn (SPEC 4.8)."""
        if self.evidence.gathered:
            return number <= len(self.evidence.sources)
        return number in self._previous_cited

    async def write(self) -> None:
        """Answer the question, in the draft. Raises TurnError."""
        if self._endpoint is None or self._mode == "extractive":
            await extract(self._question, self.evidence, self.draft)
        elif self._mode == "one-shot":
            await self._one_shot(self._endpoint)
        else:
            try:
                await self._agent(self._endpoint)
            except ToolsRefused:
                await self._known_as("one-shot")
                await self._one_shot(self._endpoint)

    async def _agent(self, endpoint: Endpoint) -> None:
        async def accepted() -> None:
            await self._known_as("agent")

        agent = Agent(
            self._question,
            self._dialogue(endpoint, accepted, with_exchange=True),
            self.evidence,
            endpoint,
            self._resources.memory,
            title=self._resources.index.title,
            boundary=self._boundary,
            max_rounds=self._resources.settings.max_tool_rounds,
        )
        self._exchange = agent.exchange
        await agent.answer()

    async def _one_shot(self, endpoint: Endpoint) -> None:
        async def accepted() -> None:
            self._resources.memory.remember(endpoint, "tools")

        await OneShot(
            self._question,
            self._dialogue(endpoint, accepted, with_exchange=False),
            self.evidence,
            self.draft,
            title=self._resources.index.title,
            boundary=self._boundary,
            may_restate=self._previous is not None,
            last_question=self._earlier[-1].question if self._earlier else "",
        ).answer()

    def _dialogue(self, endpoint: Endpoint, accepted: Accepted, *, with_exchange: bool) -> Dialogue:
        resources = self._resources
        client = ChatClient(
            resources.transport,
            endpoint,
            resources.clock,
            resources.memory,
            page_origin=resources.page_origin,
        )
        history = History.of(self._earlier, resources.settings, with_exchange=with_exchange)
        return Dialogue(client, resources.clock, self.draft, history, accepted)

    async def _known_as(self, mode: Mode) -> None:
        if self._mode != mode:
            self._mode = mode
            await self._announce(mode_frame(mode))

    @property
    def _sources(self) -> tuple[Source, ...]:
        """Those that the text can rest on: what was found after its last word was written is none of them."""
        sources = self.evidence.sources
        return sources[: self.draft.known] if self.draft.text else sources

    def under_way(self) -> Answer:
        """The answer so far, to be stored: after a crash it is shown as cut off, with its own sources."""
        return self._answer("streaming" if self.draft.text else "pending", self._sources)

    def ended(self, related: Sequence[Related], *, stopped: bool, error: TurnError | None) -> Answer:
        """The answer at its end: failed before stopped before deflected."""
        if error is not None:
            return self._answer("failed", self._sources, related, error=error)
        carried = carried_sources(
            gathered=self.evidence.gathered,
            cited=self.draft.cited,
            previous_cited=self._previous_cited,
            previous_sources=self._previous.shown.sources if self._previous else (),
        )
        deflected = self.evidence.deflected
        status: Status = "stopped" if stopped else "deflected" if deflected else "done"
        inherited_from = self._previous.id if self._previous and carried else None
        return self._answer(
            status,
            carried or self._sources,
            related,
            inherited_from=inherited_from,
            stopped=stopped,
            deflected=deflected,
            exchange=self._exchange,
        )

    def _answer(
        self,
        status: Status,
        sources: Sequence[Source],
        related: Sequence[Related] = (),
        *,
        error: TurnError | None = None,
        inherited_from: str | None = None,
        stopped: bool = False,
        deflected: bool = False,
        exchange: Sequence[Message] = (),
    ) -> Answer:
        text, cited = self.draft.text, self.draft.cited
        return Answer(
            status=status,
            mode=self._mode,
            answer=text,
            blocks=self.draft.blocks,
            sources=tuple(sources),
            chips=[plain_dict(chip) for chip in chips(sources, cited)],
            related=[plain_dict(page) for page in related],
            steps=[plain_dict(step) for step in self.evidence.steps],
            # Nothing stands under an error that came before any text.
            label=None if error is not None and not text else label(cited, sources),
            error=error_dict(error) if error is not None else None,
            inherited_from=inherited_from,
            stopped=stopped,
            deflected=deflected,
            exchange=list(exchange),
        )
