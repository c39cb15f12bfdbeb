"""``ibid.toml``: what may stand in it, and what the build refuses to publish."""

from __future__ import annotations

from pathlib import Path

import pytest

from ibid.errors import IbidError, InputError, SettingError
from ibid.settings import Settings
from ibid_build.config import BuildConfig, find_config, load_config

FAKE_KEY = "sk-" + "sample0000SECRET0000"


def load(folder: Path, text: str, environment: dict[str, str] | None = None) -> BuildConfig:
    """The configuration that this file gives."""
    path = folder / "ibid.toml"
    path.write_text(text, encoding="utf-8")
    return load_config(path, environment or {})


def test_nothing_set_means_defaults() -> None:
    """No file is needed."""
    assert load_config(None, {"PATH": "/bin"}) == BuildConfig()


def test_everything_that_may_be_set(tmp_path: Path) -> None:
    """Lists become tuples, text is trimmed, settings have their own table."""
    config = load(
        tmp_path,
        """
        title = " Kit "
        site_url = "https://kit.example/docs/"
        source = "kit"
        accent = "#2f5d62 #8fc1c4"
        language = "pt-BR"
        starters = ["How do I start?"]
        exclude = ["old/", "!old/keep.md"]
        content_selector = "main .text"
        generator = "mkdocs"
        encoder = "multilingual"
        include_unlisted = true
        [settings]
        top_n_docs = 3
        base_url = "http://127.0.0.1:8080/v1"
        """,
    )
    assert config == BuildConfig(
        settings=Settings(top_n_docs=3, base_url="http://127.0.0.1:8080/v1"),
        title="Kit",
        site_url="https://kit.example/docs/",
        source="kit",
        accent="#2f5d62 #8fc1c4",
        language="pt-BR",
        starters=("How do I start?",),
        exclude=("old/", "!old/keep.md"),
        content_selector="main .text",
        generator="mkdocs",
        encoder="multilingual",
        include_unlisted=True,
    )


def test_the_environment_overrides_the_file(tmp_path: Path) -> None:
    """``IBID_<NAME>`` is read as the setting's own type; the key's variable is none of the build's."""
    environment = {"IBID_TOP_N_DOCS": "4", "IBID_API_KEY": FAKE_KEY}
    config = load(tmp_path, "[settings]\ntop_n_docs = 3\n", environment)
    assert config.settings == Settings(top_n_docs=4)
    assert FAKE_KEY not in repr(config)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("title = \n", ["not valid TOML", "line 1"]),
        ("\n\nx = 1 2\n", ["not valid TOML", "line 3"]),
        ("titel = 'x'\n", ["'titel' is no option", "known: accent"]),
        ("top_n_docs = 3\n", ["'top_n_docs'", "put it under [settings]"]),
        ("title = 3\n", ["title is 3", "text in quotes"]),
        ("starters = 'a'\n", ["starters is 'a'", "a list of texts"]),
        ("exclude = ['a', 1]\n", ["exclude is ['a', 1]", "a list of texts"]),
        ("include_unlisted = 'yes'\n", ["include_unlisted is 'yes'", "true or false"]),
        ("endpoint_fixed = true\n", ["no endpoint is set", "set base_url under [settings]"]),
        ("endpoint_fixed = 'yes'\n", ["endpoint_fixed is 'yes'", "true or false"]),
        ("accent = 'red'\n", ["accent is 'red'", "hex colour"]),
        ("encoder = 'german'\n", ["encoder is 'german'", "english, multilingual, none"]),
        ("language = 'en US'\n", ["language is 'en US'", "pt-BR"]),
        ("generator = 'hugo'\n", ["generator is 'hugo'", "mkdocs, docusaurus"]),
        ("site_url = 'javascript:alert(1)'\n", ["site_url is 'javascript:alert(1)'", "http(s)"]),
        ("site_url = '//x.example'\n", ["site_url", "http(s)"]),
        ("site_url = 'https://me@x.example/'\n", ["site_url", "http(s)"]),
        ("settings = 3\n", ["settings is 3", "[settings]"]),
    ],
)
def test_what_is_wrong_is_said(tmp_path: Path, text: str, words: list[str]) -> None:
    """One sentence: the file, the value, what is allowed."""
    with pytest.raises(InputError) as failure:
        load(tmp_path, text)
    for word in ["ibid.toml", *words]:
        assert word in str(failure.value)


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("[settings]\ntop_n_docs = 0\n", ["ibid.toml", "top_n_docs is 0", "from 1 to 10000000"]),
        ("[settings]\ntop = 1\n", ["ibid.toml", "'top' is no setting"]),
        ("[settings]\nrelevance_threshold = nan\n", ["relevance_threshold is nan", "0 to 1"]),
        (f"[settings]\nrelevance_threshold = 1{'0' * 400}\n", ["relevance_threshold is 1", "0 to 1"]),
        ("[settings]\nsource_usefulness_floor = 2\n", ["source_usefulness_floor is 2", "0 to 1"]),
    ],
)
def test_bad_settings_name_their_range(tmp_path: Path, text: str, words: list[str]) -> None:
    """The setting, its value, and what is allowed."""
    with pytest.raises(SettingError) as failure:
        load(tmp_path, text)
    for word in words:
        assert word in str(failure.value)


@pytest.mark.parametrize(
    ("name", "text", "allowed"),
    [
        ("TOP_N_DOCS", "many", "a whole number from 1 to"),
        ("TOP_N_DOCS", "", "a whole number from 1 to"),
        ("TOP_N_DOCS", "1.5", "a whole number from 1 to"),
        ("HISTORY_CHARS", "-1", "a whole number from 0 to"),
        ("SOURCE_USEFULNESS_FLOOR", "nan", "a number from 0 to 1"),
        ("RELEVANCE_THRESHOLD", "inf", "a number from 0 to 1"),
        ("RELEVANCE_THRESHOLD", "true", "a number from 0 to 1"),
        ("BASE_URL", "nonsense", "an http(s) address"),
    ],
)
def test_a_bad_environment_names_its_variable(name: str, text: str, allowed: str) -> None:
    """So that nobody looks for the fault in the file; and the setting, and what is allowed."""
    with pytest.raises(SettingError) as failure:
        load_config(None, {f"IBID_{name}": text})
    for word in (f"IBID_{name} is {text!r}", name.lower(), allowed):
        assert word in str(failure.value)


def test_a_whole_number_in_the_file_makes_no_other_type(tmp_path: Path) -> None:
    """A floor of 1 in the file is still a number that a variable may set to 0.4."""
    environment = {"IBID_SOURCE_USEFULNESS_FLOOR": "0.4"}
    config = load(tmp_path, "[settings]\nrelevance_threshold = 1\nsource_usefulness_floor = 1\n", environment)
    assert config.settings == Settings(relevance_threshold=1, source_usefulness_floor=0.4)


@pytest.mark.parametrize(
    "address",
    [
        *("x", "http://", "http://[", "http://[::1", "http://a:99999/", "http://a:x/v1", "ftp://a/v1"),
        *(
            "http://a b/",
            "http://a\nX: y",
            "http://a\x00/",
            "https://a/v1 ",
            "http://a\\b",
            "https://me:p@a/",
        ),
    ],
)
def test_no_setting_holds_what_is_no_address(address: str) -> None:
    """It is published, and written into the page."""
    with pytest.raises(SettingError, match="base_url is"):
        Settings(base_url=address)


@pytest.mark.parametrize(
    "text",
    [
        f"api_key = '{FAKE_KEY}'",
        f"[model]\nbase_url = 'https://llm.example/v1'\napi_key = '{FAKE_KEY}'",
        f"[settings]\nkey = '{FAKE_KEY}'",
        f"[settings]\nopenai-token = '{FAKE_KEY}'",
        f"clientSecret = '{FAKE_KEY}'",
        f"APIKEY = '{FAKE_KEY}'",
        f"title = 'use {FAKE_KEY}'",
        f"starters = ['{FAKE_KEY}']",
        f"[settings]\nmodel = '{FAKE_KEY}'",
        f"[settings]\nbase_url = 'https://llm.example/v1?auth={FAKE_KEY}'",
        "[settings]\nbase_url = 'https://llm.example/v1?v=1&api-key=SECRET'",
        f"[[endpoints]]\npassword = '{FAKE_KEY}'",
        f"[a.b.c]\ncredentials = '{FAKE_KEY}'",
    ],
)
def test_a_key_is_refused_and_never_printed(tmp_path: Path, text: str) -> None:
    """By name or by shape, anywhere; the sentence says why and shows the other way."""
    with pytest.raises(InputError) as failure:
        load(tmp_path, text)
    assert "SECRET" not in str(failure.value)
    assert "every visitor" in str(failure.value)


def test_a_key_in_the_environment_of_a_setting_is_refused() -> None:
    """What a variable brings is published like what the file holds."""
    with pytest.raises(InputError) as failure:
        load_config(None, {"IBID_MODEL": FAKE_KEY})
    assert "SECRET" not in str(failure.value)


@pytest.mark.parametrize("text", ["title = 'Token rotation'", "starters = ['What is an API key?']"])
def test_words_about_keys_are_no_keys(tmp_path: Path, text: str) -> None:
    """Documentation may be about them."""
    load(tmp_path, text)


@pytest.mark.parametrize(("data", "word"), [(b"title = '\xff'", "UTF-8"), (b"\xff\xfet\0", "UTF-8")])
def test_a_file_that_is_no_text(tmp_path: Path, data: bytes, word: str) -> None:
    """It is named, with what to do."""
    (tmp_path / "ibid.toml").write_bytes(data)
    with pytest.raises(InputError, match=word):
        load_config(tmp_path / "ibid.toml", {})


def test_a_missing_file_is_an_error_only_when_it_was_named(tmp_path: Path) -> None:
    """The file beside the documentation or above it is taken by itself."""
    docs = tmp_path / "docs"
    docs.mkdir()
    assert find_config(docs) is None
    (tmp_path / "ibid.toml").touch()
    assert find_config(docs) == tmp_path / "ibid.toml"
    (docs / "ibid.toml").touch()
    assert find_config(docs) == docs / "ibid.toml"
    with pytest.raises(IbidError, match=r"none\.toml"):
        load_config(tmp_path / "none.toml", {})
