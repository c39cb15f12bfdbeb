"""Stored turns: the record of version 1, its versions, and the store in memory (SPEC 4.10)."""

from __future__ import annotations

import json
from typing import Any

import pytest

from ibid.conversations import Answer, TurnRecord, previous_answer
from ibid.errors import AnswerRunning, NotSaved, RecordInvalid
from ibid.memory_store import MemoryStore
from ibid.models import Source

SOURCE = Source(1, "c1", "docs", "a.md", "a.html#x", "A", ("A", "X"), "Text.", "Text.", 0.5, "search")
# As Ibid 0.1 stores it, but for the fields that a test adds or takes away.
OLD: dict[str, Any] = {"id": "t1", "conversation": "c1", "seq": 1, "question": "Q?", "status": "done"}


def record(**fields: Any) -> dict[str, Any]:
    return {**OLD, "version": 1, "answer": "A.", **fields}


def turn(id_: str, answer: Answer) -> TurnRecord:
    return TurnRecord(id_, "c1", int(id_[1:]), "Q?", 0.0, (answer,))


def test_a_record_survives_storage() -> None:
    """JSON and back is the same turn."""
    answer = Answer("done", "agent", "A [1].", [{"type": "rule"}], (SOURCE,), steps=[{"kind": "search"}])
    before = TurnRecord("t1", "c1", 1, "Q?", 12.5, (answer,))
    assert TurnRecord.from_dict(json.loads(json.dumps(before.as_dict()))) == before


def test_missing_fields_take_their_defaults() -> None:
    """Records without ``related``, without ``version``, with nulls: all still open."""
    read = TurnRecord.from_dict({**OLD, "related": None})
    assert (read.shown.related, read.shown.sources, read.shown.label) == ([], (), None)
    assert read.as_dict()["version"] == 1


def test_unknown_fields_are_kept() -> None:
    """Of the turn, of a version, and of a source."""
    stored = record(
        colour="red",
        sources=[{"n": 1, "edition": 2}],
        versions=[{"status": "done", "answer": "A.", "rating": 5}, {"status": "failed", "rating": 1}],
    )
    written = TurnRecord.from_dict(stored).as_dict()
    assert written["colour"] == "red"
    assert written["sources"][0]["edition"] == 2
    assert [version["rating"] for version in written["versions"]] == [5, 1]
    assert "rating" not in written


@pytest.mark.parametrize("version", [2, 0, "1", True, 1.5])
def test_unknown_versions_are_refused(version: Any) -> None:
    """With a sentence that names the version and the next step."""
    with pytest.raises(RecordInvalid, match=rf"{version!r}.*reload the page"):
        TurnRecord.from_dict(record(version=version))


@pytest.mark.parametrize("status", ["pending", "streaming"])
def test_an_answer_that_nobody_writes_any_more_was_interrupted(status: str) -> None:
    """Its text is kept; it counts as failed."""
    read = TurnRecord.from_dict(record(status=status)).shown
    assert (read.status, read.answer) == ("failed", "A.")
    assert read.error is not None
    assert read.error["code"] == "interrupted"


@pytest.mark.parametrize(
    ("status", "text", "counts"),
    [
        ("done", "A.", True),
        ("deflected", "A.", True),
        ("stopped", "A", True),
        ("stopped", " ", False),
        ("failed", "A", False),
        ("streaming", "A", False),
    ],
)
def test_what_counts_as_the_previous_answer(status: Any, text: str, counts: bool) -> None:
    """A stopped one counts, a failed one is none, nor is one without a word."""
    earlier = turn("t1", Answer("done", answer="First."))
    last = turn("t2", Answer(status, answer=text))
    assert previous_answer([earlier, last]) is (last if counts else earlier)
    assert previous_answer([]) is None


def test_one_answer_is_no_version() -> None:
    """``versions`` is empty until there is a choice."""
    assert turn("t1", Answer("done", answer="A.")).as_dict()["versions"] == []


ANSWERED = Answer("done", answer="Old.")
FAILED = Answer("failed", answer="Half", error={"code": "interrupted"})
WORDLESS = Answer("failed", error={"code": "unreachable"})


@pytest.mark.parametrize(
    ("old", "new", "texts", "active"),
    [
        (ANSWERED, Answer("done", answer="New."), ["Old.", "New."], 1),
        (ANSWERED, Answer("stopped", answer="New"), ["Old.", "New"], 1),
        (ANSWERED, FAILED, ["Old.", "Half"], 0),
        (ANSWERED, WORDLESS, ["Old."], 0),
        (ANSWERED, Answer("stopped"), ["Old."], 0),
        (FAILED, Answer("done", answer="New."), ["Half", "New."], 1),
        (FAILED, WORDLESS, ["Half", ""], 1),
        (WORDLESS, Answer("done", answer="New."), ["New."], 0),
        (WORDLESS, FAILED, ["Half"], 0),
    ],
)
def test_a_further_attempt(old: Answer, new: Answer, texts: list[str], active: int) -> None:
    """An answer is never lost to a failure; text is never lost; an attempt without a word leaves nothing."""
    after = turn("t1", old).with_attempt().with_last(new)
    assert [answer.answer for answer in after.answers] == texts
    assert after.active == active


def test_an_attempt_under_way_leaves_the_old_answer_active() -> None:
    """A crash then shows the old answer; the attempt is a version that failed."""
    under_way = turn("t1", ANSWERED).with_attempt().with_last(Answer("streaming", answer="Ne"))
    stored = under_way.as_dict()
    assert (stored["status"], stored["answer"], stored["active"]) == ("done", "Old.", 0)
    assert [a.status for a in TurnRecord.from_dict(stored).answers] == ["done", "failed"]


def test_the_flat_fields_are_the_active_version() -> None:
    """Switching back and forth changes them, and loses nothing."""
    two = turn("t1", ANSWERED).with_attempt().with_last(Answer("done", answer="New."))
    assert two.as_dict()["answer"] == "New."
    back = TurnRecord.from_dict(two.as_dict()).switched(0)
    assert back.as_dict()["answer"] == "Old."
    assert TurnRecord.from_dict(back.as_dict()).switched(1) == two
    with pytest.raises(IndexError):
        two.switched(2)


async def test_the_memory_store_keeps_turns_in_order() -> None:
    """By ``seq``, one record an id; what is given out is a copy."""
    store = MemoryStore()
    await store.put_turn(record(id="t2", seq=2))
    await store.put_turn(record(answer="First."))
    await store.put_turn(record(answer="Second."))
    first, second = await store.turns("c1")
    assert (first["answer"], second["id"]) == ("Second.", "t2")
    first["answer"] = "changed"
    assert (await store.turns("c1"))[0]["answer"] == "Second."
    assert await store.turns("other") == []


async def test_a_deleted_conversation_is_not_brought_back() -> None:
    """An answer still being written into it is not saved as a ghost."""
    store = MemoryStore()
    await store.put_turn(record())
    await store.delete("c1")
    with pytest.raises(NotSaved, match="deleted"):
        await store.put_turn(record())
    assert await store.turns("c1") == []


async def test_one_writer_a_conversation() -> None:
    """The second is refused at once; other conversations go on; a lock ends with its block."""
    store = MemoryStore()
    async with store.lock("c1"), store.lock("c2"):
        with pytest.raises(AnswerRunning):
            await store.lock("c1").__aenter__()
    async with store.lock("c1"):
        pass
