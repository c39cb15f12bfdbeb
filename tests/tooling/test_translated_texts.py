"""What the multilingual encoder learned from: catalogues of translations, and what they become."""

from __future__ import annotations

import io
import json
import random
import tarfile
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.embedding import UNKNOWN, WordPiece
from ibid_build.encoder import folder_of, load_encoder
from ibid_build.encoder.archives import Archive
from ibid_build.encoder.catalogues import LANGUAGES, Catalogue, catalogues, lines_by_language
from ibid_build.encoder.frequent import frequent_pairs, frequent_pieces
from ibid_build.encoder.phrases import QUESTIONS, phrases
from ibid_build.encoder.prose import Line
from ibid_build.encoder.wordpieces import learn
from ibid_build.translated_probes import TRANSLATED

HELD = Archive("npm", "tides==1.0", "0" * 64, "MIT")


def test_the_listed_sources_are_pinned_and_permissively_licensed() -> None:
    listed = catalogues(folder_of("multilingual") / "sources.txt")
    assert len(listed) >= 7
    for each in listed:
        assert each.archive.registry in ("npm", "pypi")
        assert len(each.archive.sha256) == 64
        assert each.archive.licence in ("MIT", "Apache-2.0", "BSD-3-Clause")


def test_every_language_has_questions_and_probes_of_its_own() -> None:
    """Bits, question forms and probes belong to the same languages."""
    assert tuple(LANGUAGES) == load_encoder("multilingual").languages
    assert set(QUESTIONS) == set(LANGUAGES)
    assert set(TRANSLATED) == set(LANGUAGES) - {"en"}


@pytest.fixture
def wheel(tmp_path: Path) -> Path:
    """A catalogue a language, in a zip."""
    path = tmp_path / "tides.whl"
    texts = {
        "en": {"alarm": "Alarm offset", "help": "The alarm rings before high water. Set {{minutes}} first."},
        "de": {"alarm": "Alarmvorlauf", "help": "Der Alarm klingelt vor Hochwasser. Zuerst einstellen."},
        "ru": {"alarm": "Alarm offset", "help": "Сигнал звучит перед приливом."},
    }
    with zipfile.ZipFile(path, "w") as archive:
        for language, strings in texts.items():
            archive.writestr(f"locales/{language}.json", json.dumps({"a": [strings]}))
    return path


def test_a_catalogue_gives_labels_and_sentences_by_language(wheel: Path) -> None:
    """Holes and markup go; what was left in English, or is in another script, is not the language's."""
    found = lines_by_language(Catalogue(HELD, ("locales/{}.json",)), wheel)
    assert found["en"] == [
        Line("heading", "Alarm offset", ""),
        Line("sentence", "The alarm rings before high water.", ""),
        Line("sentence", "Set first", ""),
    ]
    assert [line.text for line in found["de"]] == [
        "Alarmvorlauf",
        "Der Alarm klingelt vor Hochwasser.",
        "Zuerst einstellen",
    ]
    assert [line.text for line in found["ru"]] == ["Сигнал звучит перед приливом"]
    assert found["fr"] == []


def test_pages_of_documentation_keep_their_headings(tmp_path: Path) -> None:
    page = {"html": "<h2>Gezeiten</h2><p>Der Alarm klingelt <code>früh</code> genug.</p><pre>x = 1</pre>"}
    data = json.dumps({"de": {"docs/a": page}}).encode()
    path = tmp_path / "tides.tgz"
    with tarfile.open(path, "w:gz") as tar:
        member = tarfile.TarInfo("package/docs.json")
        member.size = len(data)
        tar.addfile(member, io.BytesIO(data))
    found = lines_by_language(Catalogue(HELD, ("package/docs.json",)), path)
    assert found["de"] == [
        Line("heading", "Gezeiten", ""),
        Line("sentence", "Der Alarm klingelt früh genug", "Gezeiten"),
    ]


@pytest.mark.parametrize("language", LANGUAGES)
@given(text=st.text(min_size=4, max_size=120).filter(str.strip), seed=st.integers(0, 9))
def test_phrases_are_the_same_for_the_same_seed(language: str, text: str, seed: int) -> None:
    """Whatever the line holds, braces and lone marks too."""
    for kind in ("heading", "sentence"):
        line = Line(kind, text, "")
        first, again = (list(phrases(line, language, random.Random(seed))) for _ in range(2))
        assert first == again
        assert (kind, text) in first


def test_words_without_blanks_become_pieces_of_at_most_six() -> None:
    line = Line("sentence", "要更改图像的大小，请打开菜单，然后在列表中选择所需的大小选项", "")
    (keywords,) = [text for form, text in phrases(line, "zh", random.Random(2)) if form == "keywords"]
    assert all(2 <= len(word) <= 6 and word in line.text for word in keywords.split())


def test_the_vocabulary_is_learned_from_the_texts() -> None:
    """The unknown entry first, then characters, then pieces that occur."""
    entries = learn(["Hochwasser im Hafen", "Hochwasser am Hafen"] * 20, size=60)
    assert entries[0] == UNKNOWN
    assert {"hochwasser", "hafen"} <= set(entries)
    assert len(entries) == len(set(entries)) <= 60


TOKENIZER = WordPiece([UNKNOWN, "a", "tide", "##s", "high", "water"])


def test_the_most_frequent_neighbours_are_pairs() -> None:
    """Unknown tokens are no neighbours; of equals the lower ids win."""
    texts = [[4, 5], [4, 5, 2], [2, 3], [0, 4]]
    assert frequent_pairs(texts, TOKENIZER, 2).tolist() == [[2, 3], [4, 5]]


def test_the_pieces_of_each_language_have_its_bit() -> None:
    """The most frequent ones, and every single character that occurs."""
    found = frequent_pieces(TOKENIZER, [[[2, 2, 1]], [[5, 5, 4, 0]]], 1)
    assert found.tolist() == [0, 1, 1, 0, 0, 2]
    assert found.dtype == np.uint16
