"""The registry of sources, the restatement rule, chips and labels."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pytest

from ibid.citations import (
    NO_SOURCES,
    UNCITED,
    SourceRegistry,
    carried_sources,
    chips,
    label,
    marked_sentence,
    quote,
)
from ibid.markdown import parse
from ibid.models import Chunk, Source


def chunk(name: str, path: str = "a.md", text: str = "Some text.") -> Chunk:
    return Chunk(
        id=name,
        source="docs",
        path=path,
        url=f"/{path}",
        title="A",
        anchor=name,
        heading_path=("A",),
        text=text,
    )


def registered(*paths: str) -> tuple[Source, ...]:
    """One source for each path, numbered from 1."""
    registry = SourceRegistry()
    for number, path in enumerate(paths, 1):
        registry.add(chunk(f"c{number}", path), 0.5, "search")
    return registry.sources()


def test_numbers_follow_first_registration() -> None:
    """Numbers run from 1 in order of first registration; a passage met again keeps its own."""
    registry = SourceRegistry()
    numbers = [registry.add(chunk(name), 0.4, "search").n for name in ("x", "y", "x", "z", "y")]
    assert numbers == [1, 2, 1, 3, 2]
    assert [source.n for source in registry.sources()] == [1, 2, 3]
    assert len(registry) == 3


def test_a_source_holds_what_a_mark_opens() -> None:
    """URL with anchor, heading path, the passage's text and a short quote."""
    source = SourceRegistry().add(chunk("c", text="word " * 60), 0.5, "search")
    assert (source.url, source.heading_path, source.text) == ("/a.md#c", ("A",), "word " * 60)
    assert len(source.quote) <= 160
    assert source.quote.endswith("word…")


def test_searched_then_read() -> None:
    """A passage met by search and then read becomes ``via: read`` and keeps number and cosine.

    A passage of the same page that the read did not reach (its budget ended before) was only searched.
    """
    registry = SourceRegistry()
    registry.add(chunk("x"), 0.6, "search")
    registry.add(chunk("beyond the budget"), 0.5, "search")
    registry.add(chunk("x"), None, "read")
    registry.add(chunk("y"), None, "read")
    assert [(s.n, s.chunk, s.via, s.cosine) for s in registry.sources()] == [
        (1, "x", "read", 0.6),
        (2, "beyond the budget", "search", 0.5),
        (3, "y", "read", None),
    ]


def test_read_then_searched() -> None:
    """A read passage stays read; a search that meets it adds its cosine."""
    registry = SourceRegistry()
    registry.add(chunk("x"), None, "read")
    source = registry.add(chunk("x"), 0.7, "search")
    assert (source.via, source.cosine) == ("read", 0.7)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("short", "short"),
        ("two\n\nlines", "two lines"),
        ("x" * 160, "x" * 160),
        ("x" * 161, "x" * 159 + "…"),
    ],
)
def test_quote(text: str, expected: str) -> None:
    """One line, at most 160 characters, the ellipsis included."""
    assert quote(text) == expected


@pytest.mark.parametrize(
    ("gathered", "cited", "previous_cited", "kept"),
    [
        pytest.param(False, [1], [1], [1], id="no tool, restates with [1]"),
        pytest.param(False, [2], [1], [], id="cites what the previous did not"),
        pytest.param(False, [1, 2], [1], [], id="one of two was not cited before"),
        pytest.param(False, [3], [1, 3], [3], id="keeps number 3"),
        pytest.param(True, [1], [1], [], id="searched and found nothing, or made a malformed call"),
        pytest.param(False, [], [1], [], id="no marks"),
        pytest.param(False, [1], [], [], id="the previous answer cites nothing"),
        pytest.param(False, [3, 1], [1, 3], [1, 3], id="in registration order"),
        pytest.param(False, [1, 9], [1, 9], [1], id="a mark without a source stays without"),
    ],
)
def test_restated_turns_keep_their_sources(
    gathered: bool, cited: Sequence[int], previous_cited: Sequence[int], kept: list[int]
) -> None:
    """SPEC 4.7: gathered nothing, cites something, and only what the previous *text* cites."""
    previous = registered("a.md", "a.md", "b.md", "b.md", "c.md", "c.md")
    carried = carried_sources(
        gathered=gathered, cited=cited, previous_cited=previous_cited, previous_sources=previous
    )
    assert [source.n for source in carried] == kept
    assert all(any(source is before for before in previous) for source in carried)


def test_restating_a_stored_record() -> None:
    """Stored sources are dicts; they are carried as the same objects, unknown fields included."""
    stored = [{**dataclasses.asdict(source), "later": True} for source in registered("a.md", "b.md")]
    carried = carried_sources(gathered=False, cited=[2], previous_cited=[2], previous_sources=stored)
    assert len(carried) == 1
    assert carried[0] is stored[1]


def test_chains_can_only_shrink() -> None:
    """What a restated turn dropped, the next one cannot bring back."""
    first = registered("a.md", "b.md")
    second = carried_sources(gathered=False, cited=[1], previous_cited=[1, 2], previous_sources=first)
    assert carried_sources(gathered=False, cited=[2], previous_cited=[1], previous_sources=second) == ()


def test_chips() -> None:
    """One a page, in registration order, with the numbers that point into it."""
    sources = registered("b.md", "a.md", "b.md", "c.md")
    made = chips(sources, cited=[3, 1, 2])
    assert [(chip.path, chip.numbers, chip.opens) for chip in made] == [
        ("b.md", (1, 3), 3),
        ("a.md", (2,), 2),
        ("c.md", (), 4),
    ]
    assert made[0].url == "/b.md#c3"


def test_chips_of_stored_sources() -> None:
    """Inherited sources are dicts and make the same chips."""
    sources = registered("a.md", "b.md")
    assert chips([dataclasses.asdict(source) for source in sources], [1]) == chips(sources, [1])


@pytest.mark.parametrize(
    ("cited", "paths", "expected"),
    [
        ([1], ["a.md"], None),
        ([7, 1], ["a.md"], None),
        ([], ["a.md"], UNCITED),
        ([7], ["a.md"], UNCITED),
        ([], [], NO_SOURCES),
        ([1], [], NO_SOURCES),
    ],
)
def test_label(cited: list[int], paths: list[str], expected: str | None) -> None:
    """No mark resolves: the label says whether documents were used at all."""
    assert label(cited, registered(*paths)) == expected


ANSWER = parse(
    "First thing. Use `a. B` in v2.0.1 [1]. Third thing.[2] Fourth.\n\n"
    "- item one [3]\n- [4] item two\n\n"
    "```\ncode()\n```\n\n[5]\n\n| a | b |\n|---|---|\n| cell [6] | x |"
)


@pytest.mark.parametrize(
    ("occurrence", "sentence"),
    [
        (0, "Use `a. B` in v2.0.1 ."),
        (1, "Third thing."),
        (2, "item one"),
        (3, "item two"),
        (4, "code()"),
        (5, "cell"),
        (6, ""),
    ],
)
def test_marked_sentence(occurrence: int, sentence: str) -> None:
    """A mark supports the sentence it ends or stands in, else the one after, else the block before."""
    assert marked_sentence(ANSWER, occurrence) == sentence


def test_marked_quotation() -> None:
    """In an extract the mark supports all that stands since the mark before, more than one sentence too."""
    tree = parse("- One. Two. [1]\n\nThree. [2] Four. Five. [2]\n\n```\ncode()\n```\n\n[3]")
    claims = [marked_sentence(tree, k, verbatim=True) for k in range(4)]
    assert claims == ["One. Two.", "Three.", "Four. Five.", "code()"]
