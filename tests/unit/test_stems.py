"""Endings and telling nothing, by language."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ibid.retrieval.query import read_query
from ibid.stems import LEAST, stem, stop_words
from ibid.text import terms


@pytest.mark.parametrize(
    ("language", "typed", "written"),
    [
        ("de", "Einstellungen", "Einstellung"),
        ("de", "auswählen", "auswähle"),
        ("de", "groß", "Größe"),
        ("de", "Datei", "Dateien"),
        ("de", "groß", "GROSS"),
        ("fr", "réglages", "réglage"),
        ("fr", "configurer", "configuration"),
        ("fr", "selection", "sélections"),  # typed without its accent
        ("es", "colores", "color"),
        ("es", "configurar", "configuración"),
        ("pt", "seleções", "seleção"),
        ("pt", "camadas", "camada"),
        ("ru", "изображения", "изображением"),
        ("ru", "настройки", "настройка"),
        ("xx", "filters", "filter"),  # unknown to Ibid: as in English
    ],
)
def test_one_word_in_two_forms_is_one_term(language: str, typed: str, written: str) -> None:
    assert terms(typed, language) == terms(written, language)


@pytest.mark.parametrize(
    ("language", "one", "another"),
    [
        ("de", "Modul", "Modus"),
        ("fr", "port", "pont"),
        ("ru", "том", "тема"),
        ("de", "api_key", "api_keys"),
        ("fr", "--files", "--file"),
        ("es", "cámara", "camino"),
    ],
)
def test_two_words_stay_two(language: str, one: str, another: str) -> None:
    assert terms(one, language)[0] != terms(another, language)[0]


def test_a_question_is_read_without_the_words_it_is_made_of() -> None:
    asked = read_query("Wie kann ich die Größe eines Bildes ändern?", "de")
    assert [term.text for term in asked.terms] == ["gross", "bild", "and"]
    assert [term.text for term in read_query("Comment le faire ?", "fr").terms] == ["com", "le", "fai"]


@pytest.mark.parametrize("language", ["de", "fr", "es", "pt", "ru"])
@given(word=st.text(max_size=80))
def test_a_stem_is_never_longer_and_never_short(language: str, word: str) -> None:
    folded = word.casefold()
    found = stem(folded, language)
    assert len(found) <= len(folded)
    assert found == folded or len(found) >= LEAST or not found.isascii()


@pytest.mark.parametrize(
    ("language", "negations"),
    [
        ("en", "not no without"),
        ("de", "nicht ohne kein"),
        ("fr", "pas sans ne"),
        ("es", "no sin"),
        ("pt", "não sem"),
        ("ru", "не без"),
    ],
)
def test_negations_are_no_stop_words(language: str, negations: str) -> None:
    assert not stop_words(language).intersection(stem(word, language) for word in negations.split())
