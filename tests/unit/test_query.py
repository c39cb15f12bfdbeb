"""What is searched for when somebody types, or pastes, something."""

from __future__ import annotations

import pytest

from ibid.retrieval.constants import CONTEXT_WEIGHT, LONG_NAME_WEIGHT, PAIR_NAME_WEIGHT
from ibid.retrieval.query import MAX_CHARS, MAX_TERMS, read_query

TRACE = "\n".join(
    [
        "How do I get past this?",
        "Traceback (most recent call last):",
        *(
            f'  File "/home/someone/app/mod{i}.py", line {i}, in step{i}\n    return step{i + 1}(ctx)'
            for i in range(50)
        ),
        "kit.errors.PoolTimeout: no slot within 30s (E0382)",
    ]
)


def weights(typed: str) -> dict[str, float]:
    return {term.text: term.weight for term in read_query(typed).terms}


@pytest.mark.parametrize(
    ("typed", "found"),
    [
        ("not", {"not"}),
        ("get", {"get"}),
        ("with", {"with"}),
        ("what is it", {"what", "is", "it"}),
        ("how do I get the cache", {"cach", "how", "do", "i", "get", "the"}),
        ("which pages must not be cached", {"pag", "not", "cach"}),
        ("how do I clear the file cache", {"clear", "fil", "cach"}),
        ("", set()),
        (" \n\t ", set()),
    ],
)
def test_common_words_go_only_where_others_are_left(typed: str, found: set[str]) -> None:
    """A query of few words keeps them all; "not" always stays, for it turns the meaning round."""
    assert set(weights(typed)) == found


def test_a_name_tells_more_than_its_parts() -> None:
    """Parts of an identifier weigh half."""
    assert weights("--no-verify") == {"--no-verify": 1.0, "no-verify": 1.0, "no": 0.5, "verifi": 0.5}


def test_a_part_said_as_a_word_weighs_as_a_word() -> None:
    """The highest weight of a repeated term counts, and it counts once."""
    assert weights("verify --no-verify")["verifi"] == 1.0


def test_of_a_stack_trace_the_last_line_comes_first() -> None:
    """The raised error, then what the reader asked; frames, source lines and paths are left out."""
    query = read_query(TRACE)
    assert query.text == "kit.errors.PoolTimeout: no slot within 30s (E0382)\nHow do I get past this?"
    found = weights(TRACE)
    assert found["e0382"] == found["pooltimeout"] == 1.0
    assert found["past"] == CONTEXT_WEIGHT
    assert not {"someone", "home", "mod1", "step1"} & set(found)


@pytest.mark.parametrize(
    ("log", "first"),
    [
        ("TypeError: x is undefined\n    at f (/a/b.js:1:2)\n    at g (/a/c.js:3:4)\n\n\n", "TypeError"),
        ("error[E0502]: cannot borrow\n --> src/main.rs:4:9\n  |\n4 | let r = &x;\n  |  ^^^", "error[E0502]"),
        ("panic: no route\n\ngoroutine 1 [running]:\nmain.f()\n\t/x/main.go:8 +0x1\n", "panic"),
        ("starting\nready\nERROR 42: disk full\nstopping\nbye", "ERROR 42"),
    ],
)
def test_error_lines_of_other_tools_come_first(log: str, first: str) -> None:
    """Whatever names the error leads, and frames are gone where anything else is left."""
    assert read_query(log).text.startswith(first)


def test_paths_go_down_to_the_file() -> None:
    """Folders tell who somebody is, not what is wrong."""
    log = "a\nb\nc\nd\nOSError: cannot open /home/someone/secret/conf.toml"
    assert "someone" not in read_query(log).text
    assert "conf.toml" in read_query(log).text


def test_repeated_lines_count_once() -> None:
    """A log that says a thing a thousand times says it once; numbers do not make lines different."""
    assert (
        read_query("\n".join(f"{i} connection refused" for i in range(1000))).text == "0 connection refused"
    )


def test_only_frames_are_better_than_nothing() -> None:
    """A stack without a message is searched as it is."""
    assert "parse_row" in weights("\n".join(f'  File "x.py", line {i}, in parse_row' for i in range(9)))


@pytest.mark.parametrize(
    "unit", ["error x ", "word ", "a\n", "/a", "((", '  File "x', "x:1\n", "'", "\u8a8d"]
)
def test_any_paste_is_bounded(unit: str) -> None:
    """100 kB of anything becomes at most 1,500 characters and 64 terms."""
    query = read_query(unit * (100_000 // len(unit)))
    assert len(query.text) <= MAX_CHARS
    assert len(query.terms) <= MAX_TERMS


def test_neighbouring_words_may_be_a_name() -> None:
    """`get user by id` also looks for getUserById, get_user_by_id and get-user-by-id."""
    names = dict(read_query("get user by id").names)
    assert {"getuserbyid", "get_user_by_id", "get-user-by-id"} <= set(names)
    assert (names["user-by-id"], names["user_by"]) == (LONG_NAME_WEIGHT, PAIR_NAME_WEIGHT)
    assert read_query("in to").names == ()
    assert read_query("is this a (very) long question " * 3).names == ()


@pytest.mark.parametrize(
    ("typed", "has_words"), [("~", False), ("?? ->", False), ("a", True), ("\u8a8d", True), ("", False)]
)
def test_symbols_alone_are_no_words(typed: str, has_words: bool) -> None:
    """Such a query means nothing to the encoder."""
    assert read_query(typed).has_words is has_words
