"""Chunks: passages of one section, cut where a reader would cut."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.models import Block, Page, Section
from ibid_build.chunking import CODE_LIMIT, LIMIT, WHOLE, chunk_page, cut_prose


def page(*sections: Section) -> Page:
    """A page of these sections."""
    return Page("docs", "guide/a.md", "../guide/a/", "Title", sections)


def section(*blocks: Block, heading: str = "Head", level: int = 2, anchor: str = "head") -> Section:
    """A section of these blocks."""
    return Section(heading, level, anchor, blocks, line=3)


def paragraph(text: str) -> Block:
    """A paragraph."""
    return Block("paragraph", text)


def sentence(number: int) -> str:
    """A sentence that no other equals."""
    return f"Sentence number {number} says what happens in case {number} of many."


def test_a_short_section_is_one_chunk() -> None:
    """Blocks are joined by a blank line; code stands in a fence with its language."""
    (chunk,) = chunk_page(
        page(section(paragraph("Run it:"), Block("code", "a\n\nb", "sh"), paragraph("Done.")))
    )
    assert chunk.text == "Run it:\n\n```sh\na\n\nb\n```\n\nDone."
    assert (chunk.anchor, chunk.heading_path, chunk.line) == ("head", ("Head",), 3)


def test_a_fence_is_longer_than_what_it_holds() -> None:
    """Code that shows fences stays one block."""
    (chunk,) = chunk_page(page(section(Block("code", "````md\n```py\n```\n````", "md"))))
    assert chunk.text == "`````md\n````md\n```py\n```\n````\n`````"


def test_sections_are_never_mixed() -> None:
    """Tiny sections stay apart: a chunk has one anchor."""
    chunks = chunk_page(page(*(section(paragraph("x."), heading=h, anchor=h) for h in "abc")))
    assert [(chunk.anchor, chunk.text) for chunk in chunks] == [("a", "x."), ("b", "x."), ("c", "x.")]


def test_the_heading_path_goes_from_the_first_heading_to_the_own() -> None:
    """Levels may be skipped; a heading of the same or a higher level ends the ones below."""
    sections = [("A", 1), ("B", 3), ("C", 2), ("D", 4), ("E", 1)]
    chunks = chunk_page(page(*(section(paragraph(h), heading=h, level=n, anchor=h) for h, n in sections)))
    assert [chunk.heading_path for chunk in chunks] == [
        ("A",), ("A", "B"), ("A", "C"), ("A", "C", "D"), ("E",),
    ]  # fmt: skip


def test_text_before_the_first_heading_has_no_heading_path() -> None:
    """It opens the top of the page."""
    (chunk,) = chunk_page(page(Section("", 0, "", (paragraph("Intro."),))))
    assert (chunk.heading_path, chunk.anchor, chunk.href) == ((), "", "../guide/a/")


def test_an_empty_section_is_found_by_its_heading() -> None:
    """Unless a section below it carries the heading in its path."""
    parent = section(heading="Parent", level=2, anchor="parent")
    child = section(paragraph("Text."), heading="Child", level=3, anchor="child")
    leaf = section(heading="Leaf", level=2, anchor="leaf")
    chunks = chunk_page(page(parent, child, leaf))
    assert [(chunk.anchor, chunk.text) for chunk in chunks] == [("child", "Text."), ("leaf", "Leaf")]


def test_ids_are_content_hashes_and_unique() -> None:
    """The same passage has the same id in every build; a repeat inside a section is kept once."""
    twice = section(*(Block("code", "x" * (CODE_LIMIT - 20)) for _ in range(2)))
    first, second = chunk_page(page(twice)), chunk_page(page(twice))
    assert first == second
    assert len(first) == 1
    assert len(first[0].id) == 16
    moved = chunk_page(Page("docs", "b.md", "", "Title", (twice,)))
    assert moved[0].id != first[0].id


def test_offsets_cut_the_page_text() -> None:
    """The page's text is its chunks' texts joined by a blank line."""
    blocks = [paragraph(" ".join(sentence(10 * n + m) for m in range(10))) for n in range(12)]
    chunks = chunk_page(page(section(*blocks)))
    text = "\n\n".join(chunk.text for chunk in chunks)
    assert len(chunks) > 3
    assert [text[chunk.start : chunk.end] for chunk in chunks] == [chunk.text for chunk in chunks]


def test_a_long_section_is_shared_out_evenly() -> None:
    """No chunk is a leftover of a few words."""
    chunks = chunk_page(page(section(*(paragraph(sentence(n) * 4) for n in range(40)))))
    sizes = [len(chunk.text) for chunk in chunks]
    assert max(sizes) <= LIMIT
    assert min(sizes) > WHOLE // 3


def test_long_prose_is_cut_at_sentences() -> None:
    """Every sentence is whole in some chunk."""
    sentences = [sentence(n) for n in range(100)]
    chunks = chunk_page(page(section(paragraph(" ".join(sentences)))))
    assert all(any(s in chunk.text for chunk in chunks) for s in sentences)
    assert all(len(chunk.text) <= LIMIT for chunk in chunks)


def test_an_introduction_stays_with_its_code() -> None:
    """What ends in a colon, and a short label, is in the chunk of the block after it."""
    filler = [paragraph(sentence(n) * 8) for n in range(6)]
    blocks = [
        b for n, f in enumerate(filler) for b in (f, paragraph(f"Then run {n}:"), Block("code", f"go {n}"))
    ]
    chunks = chunk_page(page(section(*blocks)))
    assert len(chunks) > 2
    for n in range(6):
        assert any(f"Then run {n}:\n\n```\ngo {n}\n```" in chunk.text for chunk in chunks)


def test_code_is_whole_up_to_its_limit() -> None:
    """Half a program answers nothing."""
    program = "\n".join(f"line_{n} = {n}" for n in range(200))
    assert LIMIT < len(program) < CODE_LIMIT
    chunks = chunk_page(page(section(paragraph("Example:"), Block("code", program), paragraph("After."))))
    assert any(program in chunk.text for chunk in chunks)


def test_longer_code_is_cut_at_blank_lines() -> None:
    """Every part stands in a fence of its own, and functions stay whole."""
    functions = ["\n".join([f"def f{n}():", *(f"    step_{n}_{m}()" for m in range(20))]) for n in range(20)]
    chunks = chunk_page(page(section(Block("code", "\n\n".join(functions), "py"))))
    assert all(chunk.text.startswith("```py\n") and chunk.text.endswith("\n```") for chunk in chunks)
    assert all(any(f in chunk.text for chunk in chunks) for f in functions)


def test_a_cut_table_repeats_its_header() -> None:
    """Rows are whole, and each part can be read alone."""
    rows = [f"option_{n} | what option {n} does, in some words" for n in range(100)]
    chunks = chunk_page(page(section(Block("table", "\n".join(["Name | Meaning", *rows])))))
    assert len(chunks) > 2
    assert all(chunk.text.startswith("Name | Meaning\n") for chunk in chunks)
    assert [line for chunk in chunks for line in chunk.text.split("\n")[1:]] == rows


def test_list_items_are_whole() -> None:
    """A list is cut between its items."""
    items = [f"- item {n} " + "word " * 30 + "end" for n in range(30)]
    chunks = chunk_page(page(section(*(Block("item", item) for item in items))))
    assert all(any(item in chunk.text for chunk in chunks) for item in items)


@pytest.mark.parametrize(
    ("unit", "name"),
    [
        ("e\u0301", "a letter and its accent"),
        ("\U0001f469\u200d\U0001f4bb", "a joined emoji"),
        ("\U0001f44d\U0001f3fd", "an emoji and its skin tone"),
        ("\u0928\u093f", "a Devanagari syllable"),
        ("\U0001f1eb\U0001f1f7", "a flag"),
    ],
)
def test_a_hard_cut_splits_no_character(unit: str, name: str) -> None:
    """A line without any blank is cut between whole characters."""
    parts = cut_prose(unit * 1000, 101)
    assert "".join(parts) == unit * 1000, name
    assert all(len(part) <= 101 and part.startswith(unit) and part.endswith(unit) for part in parts)


@given(st.text(max_size=400), st.integers(min_value=20, max_value=60))
def test_no_text_is_lost_by_cutting(text: str, room: int) -> None:
    """All but blanks at the cuts is there, in order, within the limit."""
    parts = cut_prose(text, room)
    assert "".join("".join(parts).split()) == "".join(text.split())
    assert all(len(part) <= room for part in parts)


@given(
    st.lists(
        st.builds(
            Block,
            st.sampled_from(["paragraph", "item", "code", "table", "term"]),
            st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=5000),
        ),
        max_size=8,
    )
)
def test_any_blocks_give_chunks_within_the_limits(blocks: list[Block]) -> None:
    """Limits, unique ids and offsets hold for whatever a page contains."""
    chunks = chunk_page(page(section(*blocks)))
    assert len({chunk.id for chunk in chunks}) == len(chunks)
    assert all(chunk.end - chunk.start == len(chunk.text) <= CODE_LIMIT + LIMIT // 4 for chunk in chunks)
