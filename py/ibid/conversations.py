"""Stored turns: the record's form, its versions, the previous answer (SPEC 4.10).

A record is one JSON-ready dict a turn. It is flat: the fields of the active answer stand beside the
question, so that a page can draw the history without this code. ``versions`` is empty while there is one
answer; else it holds all of them, the active one included, and ``active`` is its place.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field, fields, replace
from typing import Any

from ibid.errors import Interrupted, RecordInvalid, TurnError
from ibid.models import Chip, Mode, Related, Source, Status, Step

RECORD_VERSION = 1

_ANSWERED: frozenset[Status] = frozenset({"done", "deflected", "stopped"})
_UNDER_WAY: frozenset[Status] = frozenset({"pending", "streaming"})


@dataclass(frozen=True)
class Answer:
    """One attempt to answer a question, as it is stored. All but ``sources`` and ``extra`` is JSON-ready.

    ``exchange`` holds the tool calls and results (API messages) that the next turn replays.
    ``extra`` keeps fields that this version of the code does not know.
    """

    status: Status = "pending"
    mode: Mode | None = None
    answer: str = ""
    blocks: list[dict[str, Any]] = field(default_factory=list)
    sources: tuple[Source, ...] = ()
    chips: list[dict[str, Any]] = field(default_factory=list)
    related: list[dict[str, Any]] = field(default_factory=list)
    steps: list[dict[str, Any]] = field(default_factory=list)
    label: str | None = None
    error: dict[str, str] | None = None
    inherited_from: str | None = None
    stopped: bool = False
    deflected: bool = False
    exchange: list[dict[str, Any]] = field(default_factory=list)
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def is_answer(self) -> bool:
        """Whether it counts as an assistant message: a failed one does not, nor one without a word."""
        return self.status in _ANSWERED and bool(self.answer.strip())

    def settled(self) -> Answer:
        """As it reads when nobody writes it any more: one that was under way has been interrupted."""
        if self.status not in _UNDER_WAY:
            return self
        error = Interrupted("The page was closed or reloaded before the answer was finished.")
        return replace(self, status="failed", error=error_dict(error))

    def as_dict(self) -> dict[str, Any]:
        """JSON-ready; unknown fields come back as they were read."""
        known = {name: getattr(self, name) for name in _ANSWER_FIELDS}
        return {**self.extra, **known, "sources": [source_dict(source) for source in self.sources]}

    @classmethod
    def from_dict(cls, values: Mapping[str, Any]) -> Answer:
        """A missing or null field takes its default."""
        known = {name: values[name] for name in _ANSWER_FIELDS if values.get(name) is not None}
        known["sources"] = tuple(source_from_dict(source) for source in known.get("sources", ()))
        extra = {name: value for name, value in values.items() if name not in _ANSWER_FIELDS}
        return cls(**known, extra=extra)


_ANSWER_FIELDS = frozenset(f.name for f in fields(Answer)) - {"extra"}
_SOURCE_FIELDS = frozenset(f.name for f in fields(Source)) - {"extra"}
_TURN_FIELDS = frozenset(
    {"version", "id", "conversation", "seq", "question", "asked_at", "active", "versions"}
)


@dataclass(frozen=True)
class TurnRecord:
    """One question with its answers; ``answers[active]`` is the one that is shown and that counts."""

    id: str
    conversation: str
    seq: int
    question: str
    asked_at: float
    answers: tuple[Answer, ...] = (Answer(),)
    active: int = 0
    extra: dict[str, Any] = field(default_factory=dict)

    @property
    def shown(self) -> Answer:
        """The active version."""
        return self.answers[self.active]

    def with_attempt(self) -> TurnRecord:
        """Room for one more answer, the last in ``answers``.

        An earlier answer stays active while the new one is written; failed attempts without a word go.
        """
        kept = [i for i, answer in enumerate(self.answers) if answer.answer.strip()]
        active = kept.index(self.active) if self.shown.is_answer else len(kept)
        return replace(self, answers=(*(self.answers[i] for i in kept), Answer()), active=active)

    def with_last(self, answer: Answer) -> TurnRecord:
        """The attempt under way as it now stands; it becomes active once it is an answer.

        Where an earlier answer is there to stay, an attempt that failed leaves that one active, and one that
        ended without a word leaves no version behind.
        """
        earlier = self.answers[:-1]
        if answer.is_answer or self.active == len(earlier):
            return replace(self, answers=(*earlier, answer), active=len(earlier))
        if answer.status not in _UNDER_WAY and not answer.answer.strip():
            return replace(self, answers=earlier)
        return replace(self, answers=(*earlier, answer))

    def switched(self, active: int) -> TurnRecord:
        """Another version made active. Raises IndexError when there is none under this number."""
        if not 0 <= active < len(self.answers):
            raise IndexError(active)
        return replace(self, active=active)

    def as_dict(self) -> dict[str, Any]:
        """The stored record."""
        versions = [answer.as_dict() for answer in self.answers] if len(self.answers) > 1 else []
        return {
            **self.extra,
            "version": RECORD_VERSION,
            "id": self.id,
            "conversation": self.conversation,
            "seq": self.seq,
            "question": self.question,
            "asked_at": self.asked_at,
            **{name: value for name, value in self.shown.as_dict().items() if name in _ANSWER_FIELDS},
            "active": self.active,
            "versions": versions,
        }

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> TurnRecord:
        """Raises RecordInvalid for a version this code does not know; missing fields take their defaults."""
        version = record.get("version", RECORD_VERSION)
        if version != RECORD_VERSION or isinstance(version, bool):
            raise RecordInvalid(
                f"The stored turn {record.get('id')!r} has record version {version!r}; this Ibid reads "
                f"version {RECORD_VERSION}. A newer Ibid wrote it, most likely: reload the page."
            )
        shown = Answer.from_dict({k: v for k, v in record.items() if k in _ANSWER_FIELDS}).settled()
        versions = [Answer.from_dict(entry).settled() for entry in record.get("versions") or ()]
        active = record.get("active") or 0
        if 0 <= active < len(versions):
            versions[active] = replace(shown, extra=versions[active].extra)
        else:
            versions, active = [shown], 0
        return cls(
            id=record["id"],
            conversation=record["conversation"],
            seq=record.get("seq", 0),
            question=record.get("question", ""),
            asked_at=record.get("asked_at", 0.0),
            answers=tuple(versions),
            active=active,
            extra={k: v for k, v in record.items() if k not in _TURN_FIELDS | _ANSWER_FIELDS},
        )


def previous_answer(turns: Sequence[TurnRecord]) -> TurnRecord | None:
    """The last turn that was answered: a stopped one counts, a failed one is none (SPEC 4.7)."""
    return next((turn for turn in reversed(turns) if turn.shown.is_answer), None)


def source_dict(source: Source) -> dict[str, Any]:
    """A source as it is stored and sent; fields of a newer version stay in it."""
    values = plain_dict(source)
    return {**values.pop("extra"), **values}


def plain_dict(value: Source | Related | Chip | Step) -> dict[str, Any]:
    """A value's fields as JSON gives them back: lists in the place of tuples."""
    return {k: list(v) if isinstance(v, tuple) else v for k, v in asdict(value).items()}


def source_from_dict(values: Mapping[str, Any]) -> Source:
    """The inverse of :func:`source_dict`; missing fields take an empty value."""
    return Source(
        n=values["n"],
        chunk=values.get("chunk", ""),
        source=values.get("source", ""),
        path=values.get("path", ""),
        url=values.get("url", ""),
        title=values.get("title", ""),
        heading_path=tuple(values.get("heading_path") or ()),
        text=values.get("text", ""),
        quote=values.get("quote", ""),
        cosine=values.get("cosine"),
        via=values.get("via", "search"),
        extra={name: value for name, value in values.items() if name not in _SOURCE_FIELDS},
    )


def error_dict(error: TurnError) -> dict[str, str]:
    """An error as it is stored and sent."""
    return {"code": error.code, "message": str(error), "next": error.next}
