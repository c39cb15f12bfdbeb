"""Which encoder serves: the documentation's own words decide, or the maintainer."""

from __future__ import annotations

import pytest

from ibid_build.choice import MAX_UNKNOWN, EncoderChoice, choose_encoder
from ibid_build.encoder import EncoderName

TEXTS = {
    "en": "To change how large the picture is, open the menu and choose the size that you want to have.",
    "de": "Um die Größe des Bildes zu ändern, öffnen Sie das Menü und wählen Sie die gewünschte Größe aus.",
    "fr": "Pour modifier la taille de l'image, ouvrez le menu et choisissez la taille que vous voulez avoir.",
    "es": "Para cambiar el tamaño de la imagen, abra el menú y elija el tamaño que desea tener en la página.",
    "pt": "Para alterar o tamanho da imagem, abra o menu e escolha o tamanho que você deseja ter na página.",
    "ru": "Чтобы изменить размер изображения, откройте меню и выберите нужный размер в списке параметров.",
    "zh": "要更改图像的大小，请打开菜单，然后在列表中选择所需的大小。",
    "ja": "画像のサイズを変更するには、メニューを開いて、一覧から必要なサイズを選択します。",
    "ko": "이미지 크기를 변경하려면 메뉴를 열고 목록에서 원하는 크기를 선택합니다.",
}


@pytest.mark.parametrize("language", TEXTS)
def test_the_language_of_the_texts_chooses_the_encoder(language: str) -> None:
    chosen = choose_encoder([TEXTS[language]] * 3)
    assert chosen.language == language
    assert chosen.asset.name == ("english" if language == "en" else "multilingual")
    assert chosen.serves
    assert chosen.unknown <= MAX_UNKNOWN[chosen.asset.name]


def test_most_passages_decide() -> None:
    assert choose_encoder([TEXTS["en"], TEXTS["de"], TEXTS["en"]]).language == "en"
    assert choose_encoder([TEXTS["de"], TEXTS["en"], TEXTS["de"]]).language == "de"


def test_a_language_that_no_encoder_knows_has_none() -> None:
    """Its endings are not guessed at."""
    chosen = choose_encoder(["Για να αλλάξετε το μέγεθος της εικόνας, ανοίξτε το μενού και επιλέξτε."] * 3)
    assert not chosen.serves
    assert chosen.language == "en"


@pytest.mark.parametrize("wanted", ["english", "multilingual"])
def test_the_maintainer_is_obeyed(wanted: EncoderName) -> None:
    chosen = choose_encoder([TEXTS["ru"]], wanted)
    assert (chosen.asset.name, chosen.serves) == (wanted, True)


@pytest.mark.parametrize("language", ["en", "de"])
def test_words_alone_can_be_wanted(language: str) -> None:
    """The endings cut are still the language's own."""
    wanted: EncoderChoice = "none"
    chosen = choose_encoder([TEXTS[language]], wanted)
    assert (chosen.serves, chosen.language) == (False, language)


def test_a_language_that_was_named_is_not_guessed_again() -> None:
    """A tag of any length; one that no encoder was made for keeps its name, and what it finds of endings."""
    assert choose_encoder([TEXTS["en"]], named="pt-BR").language == "pt"
    assert choose_encoder([TEXTS["en"]], named="DE").asset.name == "multilingual"
    chosen = choose_encoder(["Για να αλλάξετε το μέγεθος της εικόνας."], named="el")
    assert (chosen.language, chosen.serves) == ("el", False)
