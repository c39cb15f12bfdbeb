"""Answer and reasoning parted, control characters dropped, for every cut of the text."""

from __future__ import annotations

import pytest

from ibid.model_text import PrivateMarks, ThinkingSpans, well_formed

SPANS = [
    # written, answer, reasoning
    ("No spans: a < b, <b>.", "No spans: a < b, <b>.", ""),
    ("<think>hm</think>\n\nYes.", "Yes.", "hm"),
    ("\n<think>\nhm</think>Yes.", "Yes.", "\nhm"),
    ("First. <think>b</think> Then.", "First.  Then.", "b"),
    ("<THINK>hm</Think>Yes.", "Yes.", "hm"),
    ("<thinking>a</thinking><thought>b</thought>Yes.", "Yes.", "ab"),
    ("<think>never ends", "", "never ends"),
    (
        "It writes a <think> tag [1]. Then <b>.",
        "It writes a <think> tag [1]. Then <b>.",
        " tag [1]. Then <b>.",
    ),
    ("<think>a </thinking> b</think>c", "c", "a </thinking> b"),
    ("Ends in <thi", "Ends in <thi", ""),
    ("  indented", "  indented", ""),
    ("In code: `<think>` stays.", "In code: `<think>` stays.", ""),
    ("``a ` <think>`` <think>b</think>c", "``a ` <think>`` c", "b"),
    ("```\n<think>\n\n```\n<think>b</think>c", "```\n<think>\n\n```\nc", "b"),
    ("A lone ` ends with its paragraph.\n\n<think>b</think>c", "A lone ` ends with its paragraph.\n\nc", "b"),
]


@pytest.mark.parametrize(("written", "answer", "reasoning"), SPANS)
def test_parts_reasoning_from_the_answer(written: str, answer: str, reasoning: str) -> None:
    """A think span is reasoning; in Markdown code it is an example."""
    for step in (len(written), 1, 2, 5):
        spans = ThinkingSpans()
        parts = [spans.feed(written[i : i + step]) for i in range(0, len(written), step)]
        parts.append(spans.close())
        assert ("".join(a for a, _ in parts), "".join(r for _, r in parts)) == (answer, reasoning)


def test_holds_back_only_what_is_undecided() -> None:
    """Text before a possible tag is given out at once."""
    spans = ThinkingSpans()
    assert spans.feed("Yes <th") == ("Yes ", "")
    assert spans.feed("ree") == ("<three", "")


MARKS = [
    ("It is 60 s\ue200cite\ue202turn0search1\ue202turn0search0\ue201.", "It is 60 s."),
    ("a\ue202b\uf8ffc\U000f0000d\U0010ffffe", "abcde"),
    ("a\ue200b\ue201c\ue200d", "ac"),
    ("a\ue200" + "b" * 500, "a" + "b" * 500),
    ("smile \ud83d\ude00 cut \ud83d end \ude00", "smile 😀 cut \ufffd end \ufffd"),
    ("ends in half \ud83d", "ends in half \ufffd"),
]


@pytest.mark.parametrize(("written", "kept"), MARKS)
def test_drops_private_use_characters(written: str, kept: str) -> None:
    """A model's own citation marks vanish with their ids; no private-use character and no half surrogate
    gets through."""
    for step in (len(written), 1, 3):
        marks = PrivateMarks()
        parts = [marks.feed(written[i : i + step]) for i in range(0, len(written), step)]
        assert "".join((*parts, marks.close())) == kept


def test_well_formed_text_can_be_encoded() -> None:
    """Pairs are joined, halves replaced, all else untouched."""
    assert well_formed("\ud83d\ude00 \ude00 é") == "😀 \ufffd é"
