"""BM25F: which passages the words of a query find, and how much of it they contain."""

from __future__ import annotations

import asyncio
import math

import numpy as np
import pytest

from ibid.lexicon import IMPACT_STEPS
from ibid.models import Chunk
from ibid.retrieval import constants
from ibid.retrieval.lexical import LexicalScores, LexicalSearcher
from ibid.retrieval.postings import build_lexicon
from ibid.retrieval.query import read_query
from ibid.retrieval.vocabulary import Vocabulary
from small_index import chunk


class Corpus:
    """Chunks, one page each unless a path repeats, and a searcher over them."""

    def __init__(self, *chunks: Chunk) -> None:
        self.chunks = chunks
        paths = list(dict.fromkeys(c.path for c in chunks))
        chunk_page = np.array([paths.index(c.path) for c in chunks], dtype=np.int32)
        self.searcher = LexicalSearcher(build_lexicon(chunks), chunk_page, len(paths))

    def score(self, query: str) -> LexicalScores:
        return asyncio.run(self.searcher.score(read_query(query)))

    def ranked(self, query: str) -> list[str]:
        """Paths of the chunks with any score, best first."""
        scores = self.score(query).bm25()
        return [self.chunks[i].path for i in np.argsort(-scores, kind="stable") if scores[i] > 0]


def texts(**pages: str) -> Corpus:
    return Corpus(*(chunk(path, text) for path, text in pages.items()))


def test_bm25_is_the_published_formula() -> None:
    """One field, one term: idf * tf / (k1 * norm + tf) * (k1 + 1), within the steps of an impact."""
    corpus = texts(a="alpha alpha beta", b="gamma delta epsilon zeta", c="eta")
    mean = (3 + 4 + 1) / 3
    frequency = 2 / (1 - constants.BODY_B + constants.BODY_B * 3 / mean)
    idf = math.log1p((3 - 1 + 0.5) / (1 + 0.5))
    expected = idf * frequency / (constants.K1 + frequency) * (constants.K1 + 1)
    found = corpus.score("alpha").bm25()
    assert found[0] == pytest.approx(expected * (1 + constants.PAGE_BM25_WEIGHT), rel=0.02)
    assert found[1:].tolist() == [0, 0]


RANKING = [
    (
        "a rare word tells more",
        {"a": "common rare", "b": "common other", "c": "common word"},
        "common rare",
        "a",
    ),
    (
        "a flag outweighs its words",
        {"cli": "`--run` starts", "prose": "run jobs, runs, running run"},
        "--run",
        "cli",
    ),
    (
        "the exact name comes first",
        {"api": "`getUserById(x)`", "u": "get user by id, user id"},
        "getUserById",
        "api",
    ),
    (
        "words find the name they make",
        {"api": "`getUserById(x)`", "u": "users by default have id"},
        "get user by id",
        "api",
    ),
    ("a name in lower case", {"api": "`getUserById(x)`", "u": "user"}, "getuserbyid", "api"),
    (
        "not turns it round",
        {"a": "pages not cached", "b": "pages cached cached"},
        "which pages must not be cached",
        "a",
    ),
    ("all pairs before some", {"all": "审批流程", "some": "审批 流水"}, "审批流程", "all"),
    ("a lone character finds its pairs", {"tree": "树木", "stone": "石头"}, "树", "tree"),
    ("a misspelt word", {"k": "deploy on kubernetes", "t": "test the alert"}, "kuberentes", "k"),
    ("a symbol", {"op": "`->` returns", "x": "returns"}, "->", "op"),
]


@pytest.mark.parametrize(("pages", "query", "first"), [r[1:] for r in RANKING], ids=[r[0] for r in RANKING])
def test_the_right_passage_comes_first(pages: dict[str, str], query: str, first: str) -> None:
    """Each row is one kind of query that readers of documentation type."""
    assert texts(**pages).ranked(query)[0] == first


@pytest.mark.parametrize(
    "query", ["!!!", "*", "zzz:^q ~", "", "   ", "tttttttttttttttt", "E0383", "--rum", "2.1"]
)
def test_what_is_not_there_is_not_found(query: str) -> None:
    """No character is an operator; codes, flags and versions are never bent to fit."""
    assert texts(a="E0382 `--run` 2.10", b="test the alert").ranked(query) == []


def test_title_before_heading_before_body() -> None:
    """The three fields weigh in this order."""
    corpus = Corpus(
        chunk("body", "about timers and more", title="x"),
        chunk("heading", "about this and more", heading="Timers", title="y"),
        chunk("title", "about this and more", title="Timers"),
    )
    assert corpus.ranked("timers") == ["title", "heading", "body"]


def test_a_page_on_the_subject_lifts_its_passages() -> None:
    """Of two equal passages the one whose page says more of it is first."""
    corpus = Corpus(
        chunk("other", "set the size"), chunk("other", "nothing here"),
        chunk("pool", "set the  size"), chunk("pool", "size of size, size"),
    )  # fmt: skip
    scores = corpus.score("size").bm25()
    assert scores[2] > scores[0]


def test_coverage_is_the_share_of_the_querys_mass() -> None:
    """Everything, the commoner part, nothing; an unknown word is a rare one that nobody has."""
    corpus = texts(a="alpha beta", b="alpha", c="gamma")
    assert corpus.score("alpha beta").coverage()[0] == 1.0
    assert 0 < corpus.score("alpha beta").coverage()[1] < 0.5
    assert corpus.score("alpha beta").coverage()[2] == 0.0
    assert corpus.score("beta unknownword").coverage()[0] == pytest.approx(0.5)


def test_an_unknown_name_is_judged_by_its_parts() -> None:
    """ "git-rebase" asks for no more than "git rebase" where nobody writes the hyphen."""
    corpus = texts(a="git rebase", b="git merge")
    assert corpus.score("git-rebase").coverage()[0] == 1.0


def test_a_pair_across_two_words_takes_nothing() -> None:
    """A query's 牌认 is no word; 令牌 and 认证 around it are."""
    assert texts(a="认证系统使用令牌", b="其他").score("令牌认证").coverage()[0] == 1.0


def test_a_guess_covers_half() -> None:
    """A word that was only nearly found does not count as said."""
    assert texts(a="kubernetes", b="other").score("kuberentes").coverage()[0] == pytest.approx(
        constants.FUZZY_WEIGHT, abs=0.01
    )


def test_matched_terms_are_told() -> None:
    """A hit can say which of the query's terms it contains."""
    scores = texts(a="alpha beta", b="alpha").score("alpha beta gamma")
    assert scores.matched_in(np.array([1, 0])) == [("alpha",), ("alpha", "beta")]


def test_a_lexicon_is_the_same_every_time() -> None:
    """Terms are sorted, rows rise, impacts are within their steps."""
    chunks = [chunk("a", "b a b"), chunk("b", "c a")]
    lexicon = build_lexicon(chunks)
    assert lexicon == lexicon
    assert lexicon.terms.split(b"\n") == sorted(lexicon.terms.split(b"\n"))
    assert lexicon.chunks.impacts.min() >= 1
    assert lexicon.chunks.impacts.max() <= IMPACT_STEPS
    assert build_lexicon(chunks).chunks.ordinals.tolist() == lexicon.chunks.ordinals.tolist()


WORDS = Vocabulary(
    "\n".join(
        sorted(["--run", "cach", "e0382", "kubernet", "pool", "pools2", "timer", "tired", "token"])
    ).encode()
)

NEAR = [
    ("one letter changed", "tiner", 5, ["timer"]),
    ("one dropped", "timr", 5, ["timer"]),
    ("one too many", "timmer", 6, ["timer"]),
    ("two neighbours swapped", "itmer", 5, ["timer"]),
    ("the closest alone", "tirer", 5, ["timer", "tired"]),
    ("two edits from nine letters", "kubarnat", 10, ["kubernet"]),
    ("one edit below nine", "kubarnat", 8, []),
    ("none below five", "pol", 4, []),
    ("no guess for codes", "e0383", 0, []),
    ("no guess for words with digits", "pools3", 6, []),
    ("nothing near", "aaaaaaaaaaab", 12, []),
    ("another script", "\u8a8d\u8a3c\u8a8d\u8a3c\u8a8d", 5, []),
]


@pytest.mark.parametrize(("word", "letters", "found"), [n[1:] for n in NEAR], ids=[n[0] for n in NEAR])
def test_words_nearby(word: str, letters: int, found: list[str]) -> None:
    """One edit from five letters, two from nine, among words only."""
    assert sorted(WORDS.term(row) for row in WORDS.near(word, letters)) == found


def test_rows_of_a_vocabulary() -> None:
    """Exact look-up, and terms by their beginning."""
    assert [WORDS.row(term) for term in ("--run", "token", "tok", "zzz", "")] == [0, 8, None, None, None]
    assert [WORDS.term(row) for row in WORDS.starting("po")] == ["pool", "pools2"]
    assert WORDS.starting("q") == []


def test_an_empty_vocabulary() -> None:
    """A documentation without one word can still be asked."""
    assert Vocabulary(b"").near("timer", 5) == []
    assert Corpus(chunk("", "...", title="!")).ranked("timer") == []


def test_a_word_far_longer_than_any_is_refused_quickly() -> None:
    """No distance is computed where the lengths alone say no."""
    assert WORDS.near("a" * 10_000, 10_000) == []
