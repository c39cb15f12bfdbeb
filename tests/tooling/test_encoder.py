"""The committed encoder, what a site gets of it, and the pieces that its training is made of."""

from __future__ import annotations

import gzip
import hashlib
import io
import random
import tarfile
from pathlib import Path

import numpy as np
import pytest

from ibid.calibration import PiecewiseLinear
from ibid.embedding import UNKNOWN
from ibid.errors import InputError
from ibid_build import encoder
from ibid_build.encoder import ENCODERS, EncoderName, cut_vocabulary, load_encoder, load_space, load_tokenizer
from ibid_build.encoder.archives import Archive
from ibid_build.encoder.corpus import Package, candidates, documents, packages, sample
from ibid_build.encoder.fit import Schedule, fit, pooled, principal_axes, quantised, unit, zipf_weights
from ibid_build.encoder.forms import Form, forms
from ibid_build.encoder.prose import Line, lines

CORPUS = ["Tide tables are read from the harbour's own file.", "The `alarm_offset` setting is in minutes."]


# The committed asset


@pytest.mark.parametrize("name", ENCODERS)
def test_the_committed_parts_belong_together(name: EncoderName) -> None:
    """One table row an entry, in the space's dimensions; the id is the table's own; one bit a language."""
    asset, space = load_encoder(name), load_space(name)
    entries = len(load_tokenizer(name))
    assert asset.encoder.table.shape == (entries + len(asset.encoder.pairs), 256)
    assert (space.projection.shape, space.centre.shape) == ((384, 256), (384,))
    assert space.projection.T @ space.projection == pytest.approx(np.eye(256), abs=1e-5)
    assert asset.id.endswith(hashlib.sha256(asset.encoder.table.tobytes()).hexdigest()[:12])
    assert asset.frequent.shape == (entries,)
    assert int(asset.frequent.max()).bit_length() == len(asset.languages)


@pytest.mark.parametrize("name", ENCODERS)
def test_the_committed_calibration_can_be_used(name: EncoderName) -> None:
    """Three maps; each sends its own best separator to 0.35 (SPEC 5)."""
    calibration = load_encoder(name).calibration
    assert set(calibration) == {"cosine", "relevance", "coverage"}
    for knots in calibration.values():
        assert 0.35 in [y for _, y in PiecewiseLinear(knots).knots]


@pytest.mark.parametrize(
    ("text", "tokens"),
    [
        (
            "How do I run `git commit --amend` without a new message?",
            "how do i run ` gi ##t commit - - amend ` without a new message ?",
        ),
        (
            "np.linalg.norm(x, axis=-1) raised E0382",
            "np . lina ##l ##g . norm ( x , axis = - 1 ) raised e ##0 ##38 ##2",
        ),
        (
            'getUserById() in src/__init__.py: "naïve" café',
            'get ##user ##by ##id ( ) in sr ##c / _ _ in ##it _ _ . p ##y : " naive " cafe',
        ),
        ("你好，世界 and こんにちは", "[UNK] [UNK] ， 世 [UNK] and こ ##ん ##に ##ち ##は"),
        ("한국어 문서", "ᄒ ##ᅡ ##ᆫ ##ᄀ ##ᅮ ##ᆨ ##ᄋ ##ᅥ ᄆ ##ᅮ ##ᆫ ##ᄉ ##ᅥ"),
        ("Straße №5 — ½ price… 10€", "st ##raße № ##5 — ½ price … 10 ##€"),
        (
            "supercalifragilisticexpialidocious",
            "super ##cal ##if ##rag ##ilis ##tic ##ex ##pia ##lid ##oc ##ious",
        ),
        ("\tA\u00a0B\u200bC\u0000D\ufffdE\r\n", "a bc ##de"),
    ],
)
def test_the_tokenizer_agrees_with_the_reference(text: str, tokens: str) -> None:
    """As recorded from the transformer's own tokenizer (package ``tokenizers``, its tokenizer.json)."""
    tokenizer = load_tokenizer("english")
    assert " ".join(tokenizer.vocabulary[number] for number in tokenizer.ids(text)) == tokens


@pytest.mark.parametrize(
    ("question", "answer", "other"),
    [
        ("how do I undo my last change", "Reverting an edit", "Supported image formats"),
        ("delete a user account", "Removing users", "Rendering a template"),
        ("why is my query slow", "Database performance optimization", "Installing on Windows"),
    ],
)
def test_a_question_is_nearer_to_its_answer_than_to_another_page(
    question: str, answer: str, other: str
) -> None:
    """The table follows the transformer: words that are not shared can still be near."""
    encode = load_encoder("english").encoder.encode
    assert encode(question) @ encode(answer) > encode(question) @ encode(other) + 0.1


@pytest.mark.parametrize(
    ("text", "low", "high"),
    [
        ("This page describes how a new connection to the database server is set up.", 0.0, 0.1),
        ("Diese Seite beschreibt, wie eine neue Datenbankverbindung eingerichtet wird.", 0.4, 1.0),
        ("Эта страница описывает, как настроить новое подключение.", 0.8, 1.0),
        ("本页介绍如何设置新的数据库连接。", 0.8, 1.0),
    ],
)
def test_the_unknown_share_tells_languages_apart(text: str, low: float, high: float) -> None:
    """English is known; German falls into pieces; other scripts have no vectors (SPEC 5, *lexical*)."""
    assert low <= load_encoder("english").encoder.unknown_share(text) <= high


# Cut to a site


def test_a_site_s_table_keeps_its_own_tokens_and_the_frequent_ones() -> None:
    """The site's texts tokenise as with the whole vocabulary; rows keep their order and their values."""
    asset = load_encoder("english")
    whole, cut = asset.encoder, cut_vocabulary(asset, CORPUS)
    kept = cut.tokenizer.vocabulary
    assert set(np.array(whole.tokenizer.vocabulary)[asset.frequent > 0]) < set(kept)
    assert len(kept) < 13_000
    assert UNKNOWN in kept
    assert list(kept) == sorted(kept, key=whole.tokenizer.id_of)
    for text in CORPUS:
        assert np.array_equal(cut.encode(text), whole.encode(text))


def test_the_same_site_gets_the_same_table() -> None:
    """Bit by bit, and whatever the order of its texts."""
    asset = load_encoder("english")
    first, second = cut_vocabulary(asset, CORPUS), cut_vocabulary(asset, CORPUS[::-1])
    assert np.array_equal(first.table, second.table)
    assert first.tokenizer.vocabulary == second.tokenizer.vocabulary


def test_a_site_s_table_stays_within_its_budget() -> None:
    """Under 8 MB, and 5 as it travels, for a large site: one that uses every entry up to the 15,000th."""
    corpus = [" ".join(load_tokenizer("english").vocabulary[:15_000])]
    table = cut_vocabulary(load_encoder("english"), corpus).table
    assert table.nbytes < 8_000_000
    assert len(gzip.compress(table.tobytes())) < 5_000_000


def test_a_missing_part_is_named_with_the_way_to_get_it_back(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    """An incomplete checkout is told apart from a damaged one."""
    monkeypatch.setattr(encoder, "folder_of", lambda name: tmp_path / name)
    with pytest.raises(InputError, match=r"projection\.npy cannot be read .* restore it with git"):
        load_space.__wrapped__("english")


# The training texts


def test_the_listed_packages_are_pinned_and_permissively_licensed() -> None:
    """Exact version, sha256 and licence each; none is documentation that the encoder is measured on."""
    listed = packages()
    assert len({package.archive.name for package in listed}) == len(listed) >= 20
    permissive = (
        "MIT",
        "BSD-2-Clause",
        "BSD-3-Clause",
        "BSD-derived",
        "Apache-2.0",
        "ZPL-2.1",
        "ISC",
        "MIT-CMU",
        "public-domain",
    )
    for package in listed:
        assert package.archive.licence in permissive
        assert len(package.archive.sha256) == 64
        assert package.docs
        assert package.archive.name not in {"git", "anthropic", "starlette", "ray", "conda", "docker"}
    assert any(package.held_out for package in listed)


RESTRUCTURED = """\
=====
Tides
=====

Read the *tables* with :func:`~harbour.read`, see `the manual <m.html>`_ first. Then restart the alarm::

    $ tides --restart the alarm now

.. code-block:: python

   tides.restart("not prose at all")

.. note:: High water is told in the harbour's own time.

Options
-------

- Use ``--quiet`` to silence the alarm at night.
- Short.
"""

MARKDOWN = """\
# Tides

Read the **tables** with [the reader](read.md) first.
It takes a moment.

```sh
tides --restart the alarm now
```

## Options
* Use `--quiet` to silence the alarm at night.
"""


def test_restructured_text_gives_its_headings_and_sentences() -> None:
    """Inline markup goes, its words stay; code, comments and fragments are left out."""
    assert list(lines(RESTRUCTURED, ".rst")) == [
        Line("heading", "Tides", "Tides"),
        Line("sentence", "Read the tables with harbour.read, see the manual first.", "Tides"),
        Line("sentence", "Then restart the alarm", "Tides"),
        Line("sentence", "High water is told in the harbour's own time.", "Tides"),
        Line("heading", "Options", "Options"),
        Line("sentence", "Use --quiet to silence the alarm at night.", "Options"),
    ]


def test_markdown_gives_its_headings_and_sentences() -> None:
    """The same for Markdown, fences left out."""
    assert list(lines(MARKDOWN, ".md")) == [
        Line("heading", "Tides", "Tides"),
        Line("sentence", "Read the tables with the reader first.", "Tides"),
        Line("sentence", "It takes a moment.", "Tides"),
        Line("heading", "Options", "Options"),
        Line("sentence", "Use --quiet to silence the alarm at night.", "Options"),
    ]


@pytest.mark.parametrize(
    ("sentence", "goal"),
    [
        ("To silence the alarm at night, set your offset.", "silence the alarm at night"),
        ("You can also read the tide tables yourself.", "read the tide tables yourself"),
        ("It allows you to change your own harbour.", "change my own harbour"),
        ("Specifies the offset of the alarm.", "specify the offset of the alarm"),
        ("Attaches a table to this harbour.", "attach a table to this harbour"),
    ],
)
def test_sentences_that_name_a_goal_become_questions_for_it(sentence: str, goal: str) -> None:
    """What the sentence says can be done, in the reader's words."""
    found = [
        text for form, text in forms(Line("sentence", sentence, ""), random.Random(1)) if form == "question"
    ]
    assert any(goal in text[0].lower() + text[1:] for text in found), found


def test_keywords_are_words_of_the_line_in_their_order() -> None:
    """No stop words, two to six of them."""
    line = Line("sentence", "The alarm of the harbour rings before each high water", "")
    (keywords,) = [text.split() for form, text in forms(line, random.Random(3)) if form == "keywords"]
    words = line.text.split()
    assert 2 <= len(keywords) <= 6
    assert [words.index(word) for word in keywords] == sorted(words.index(word) for word in keywords)
    assert not {"The", "of", "the", "each"} & set(keywords)


TIDES = Package(Archive("sdist", "tides==1.0", "0" * 64, "MIT"), ("docs",), held_out=False)


@pytest.fixture
def archive(tmp_path: Path) -> Path:
    """A source archive with two documentation files, a change log, and code."""
    folder = tmp_path / "tides-1.0"
    folder.mkdir()
    path = folder / "tides-1.0.tar.gz"
    with tarfile.open(path, "w:gz") as tar:
        for name, text in {
            "docs/b.md": MARKDOWN,
            "docs/a.rst": RESTRUCTURED,
            "docs/changes.rst": "Old\n===\n",
            "tides/code.py": "x = 1",
        }.items():
            member = tarfile.TarInfo(f"tides-1.0/{name}")
            member.size = len(text.encode())
            tar.addfile(member, io.BytesIO(text.encode()))
    return path


def test_only_documentation_is_read_and_in_a_fixed_order(archive: Path) -> None:
    """Files of the listed folders, by path; change logs are no prose to learn from."""
    assert [path for path, _ in documents(archive, ["docs"])] == ["docs/a.rst", "docs/b.md"]


def test_an_archive_that_is_not_the_pinned_one_is_refused(archive: Path) -> None:
    """Fetched before or just now, the sha256 decides; the message says what to delete."""
    with pytest.raises(InputError, match=r"tides-1\.0\.tar\.gz has sha256 .*delete the folder"):
        TIDES.archive.fetch(archive.parent.parent)


def test_the_same_package_gives_the_same_texts(archive: Path) -> None:
    """The sampling is seeded with the package's name; a text appears once a form."""
    first, second = candidates(TIDES, archive), candidates(TIDES, archive)
    assert first == second
    assert all(len(set(texts)) == len(texts) > 0 for texts in first.values())


def test_a_large_package_does_not_crowd_out_a_small_one() -> None:
    """Packages take turns within a form; equal texts (but for case) count once; the total is kept to."""
    kinds: list[Form] = ["sentence", "heading", "keywords", "question"]
    large = {kind: [f"large {kind} {n}" for n in range(100)] for kind in kinds}
    small = {kind: [f"small {kind} {n}" for n in range(4)] for kind in kinds}
    shouted = {kind: [text.upper() for text in small[kind]] for kind in kinds}
    chosen = sample({"large": large, "small": small, "twin": shouted}, 40)
    assert len(chosen) == 40
    assert sum(text.lower().startswith("small") for text in chosen) >= 12
    assert len({text.lower() for text in chosen}) == 40
    assert chosen == sample({"twin": shouted, "small": small, "large": large}, 40)


# The fit


def test_the_fit_finds_rows_whose_sums_point_where_they_should() -> None:
    """On texts that a hidden table made, the cosine rises nearly to 1, the same way every time."""
    random_numbers = np.random.default_rng(5)
    hidden = random_numbers.normal(size=(50, 8)).astype(np.float32)
    tokens = [random_numbers.integers(0, 50, size=random_numbers.integers(1, 6)) for _ in range(2_000)]
    targets = pooled(hidden, tokens)
    start = random_numbers.normal(size=(50, 8)).astype(np.float32)
    schedule = Schedule(epochs=5, batch=32, rate=0.05)
    cosines: list[float] = []
    table = fit(start, tokens, targets, schedule, lambda _, cosine: cosines.append(cosine))
    assert cosines == sorted(cosines)
    assert (pooled(table, tokens) * targets).sum(axis=1).mean() > 0.99
    assert np.array_equal(table, fit(start, tokens, targets, schedule, lambda *_: None))


def test_rows_that_no_text_uses_stay_as_they_started() -> None:
    """A word that training never met keeps the transformer's own vector."""
    start = np.ones((3, 4), dtype=np.float32)
    targets = unit(np.array([[1, 0, 0, 0]] * 8, dtype=np.float32))
    table = fit(start, [np.array([0, 1])] * 8, targets, Schedule(epochs=2, batch=4), lambda *_: None)
    assert np.array_equal(table[2], start[2])
    assert not np.array_equal(table[0], start[0])


def test_the_axes_are_orthonormal_and_keep_the_most_energy() -> None:
    """And have a fixed sign, so that two runs agree."""
    vectors = np.array([[3, 0, 0], [0, -2, 0], [0, 0, 1]], dtype=np.float32)
    assert principal_axes(vectors, 2) == pytest.approx(np.array([[1, 0], [0, 1], [0, 0]]))


def test_quantising_keeps_directions_and_zero_rows() -> None:
    """int8 with one scale for the whole table; rows of zeros, the unknown ones, stay zeros."""
    table = np.random.default_rng(2).normal(size=(100, 64)).astype(np.float32)
    table[7] = 0
    whole, scale = quantised(table)
    assert whole.dtype == np.int8
    assert not whole[7].any()
    kept = np.arange(100) != 7
    assert (unit(whole[kept] * np.float32(scale)) * unit(table[kept])).sum(axis=1).min() > 0.999


def test_the_start_weighs_rare_words_more() -> None:
    """Rising with the rank, from above 0 to 1; what is no word (a rank below 0) counts as most frequent."""
    weights = zipf_weights(np.arange(1_000) - 10)[:, 0]
    assert (np.diff(weights) >= 0).all()
    assert 0 < weights[0] == weights[10] < weights[-1] <= 1
