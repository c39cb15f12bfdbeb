"""The tokenizer: what of a text is a term, in documentation and in questions."""

from __future__ import annotations

import pytest

from ibid.stems import stem
from ibid.text import MAX_TERM, forms, terms

CASES = [
    # rule, text, terms that must be there, terms that must not
    (
        "a flag stands whole beside its words",
        "`--no-verify`",
        ["--no-verify", "no-verify", "no", "verifi"],
        [],
    ),
    ("a short flag keeps its case", "-C or -c", ["-C", "-c"], []),
    ("a flag ends at its value", "--depth=1 -S<string>", ["--depth", "1", "-S", "string"], ["--depth=1"]),
    ("a dash in prose is no flag", "run - fast", ["run", "fast"], ["-", "- fast"]),
    ("dotted names stand whole and in parts", "np.linalg.norm(x)", ["np.linalg.norm", "linalg", "norm"], []),
    ("scopes", "app:setTimer(cb), foo::bar", ["app:settimer", "settimer", "timer", "foo::bar", "bar"], []),
    ("dunders", "__init__", ["__init__", "init"], []),
    ("snake case", "user_id", ["user_id", "user", "id"], []),
    ("camel case", "getUserById", ["getuserbyid", "get", "user", "by", "id"], []),
    ("acronym runs", "parseHTMLResponse", ["parsehtmlrespons", "html", "respons"], ["htmlr"]),
    (
        "a lone capital belongs to what follows",
        "OAuth2Token IPv6Addr",
        ["oauth2", "token", "ipv6", "addr"],
        [],
    ),
    ("plural acronyms", "URLs and IDs", ["url", "id"], ["ls", "ur", "ds"]),
    ("digits inside names stay", "sha256 P2P x86_64", ["sha256", "p2p", "x86_64"], ["256", "2"]),
    ("versions stay whole", "since v2.10.3", ["2.10.3", "2.10"], ["2", "10", "3"]),
    ("2.1 is not 2.10", "2.10", ["2.10"], ["2.1"]),
    ("error codes stay whole", "error[E0382]: moved", ["e0382", "error"], ["0382", "e"]),
    ("a colon after a word is punctuation", "ERROR: socket", ["error", "socket"], ["error:"]),
    (
        "file and host names",
        ".gitignore docs.example.org",
        [".gitignore", "gitignor", "docs.example.org"],
        [],
    ),
    ("languages with signs", "C++ and C#", ["c++", "c#"], []),
    ("possessives and negations", "user's don't", ["user", "dont"], ["s", "t"]),
    ("compatibility forms are one", "\uff21\uff30\uff29 \ufb01le", ["api", "fil"], []),
    ("composed and decomposed letters are one", "cafe\u0301", ["caf\u00e9"], ["cafe"]),
    ("Han by pairs", "审批流程", ["审批", "批流", "流程"], ["审", "审批流程"]),
    ("Latin words beside Han", "JWT令牌", ["jwt", "令牌"], []),
    ("kana and kanji are one run", "設定ファイル", ["設定", "定フ", "ファ", "ァイ", "イル"], []),
    ("hangul by pairs", "설정 파일", ["설정", "파일"], ["정파"]),
    ("a lone character is a term", "树", ["树"], []),
    (
        "vowel signs do not cut words",
        "\u0939\u093f\u0928\u094d\u0926\u0940",
        ["\u0939\u093f\u0928\u094d\u0926\u0940"],
        [],
    ),
    ("symbols in code are terms", "`->` and `a ?? b`", ["->", "??"], []),
    ("symbols in fences are terms", "```js\nx => y\n```", ["=>", "x", "y"], ["```"]),
    ("symbols in prose are none", "what -> now?! ~", ["what", "now"], ["->", "?!", "~"]),
    ("blobs are no terms", "A" * (MAX_TERM + 1), [], ["a" * (MAX_TERM + 1)]),
]


@pytest.mark.parametrize(("text", "present", "absent"), [c[1:] for c in CASES], ids=[c[0] for c in CASES])
def test_documentation_terms(text: str, present: list[str], absent: list[str]) -> None:
    """Whole identifiers and their parts are terms; nothing is glued together or torn apart."""
    found = terms(text)
    assert [term for term in present if term not in found] == []
    assert [term for term in absent if term in found] == []


@pytest.mark.parametrize(
    ("text", "symbols"),
    [
        ("~", ["~"]),
        ("??", ["??"]),
        ("what does -> mean", ["->"]),
        ("a->b", ["->"]),
        ("what is ??", ["??"]),
        ("is it so?", []),
        ("wait...", []),
        ("why?!", []),
        ("git checkout -- file", ["--"]),
        ("--run", []),
        ("a, b; (c)", []),
        ("+" * 9, []),
    ],
)
def test_symbols_of_a_question(text: str, symbols: list[str]) -> None:
    """Nobody marks up a question: symbols are terms there, but for the punctuation of a sentence."""
    assert [form.text for form in forms(text, question=True) if form.kind == "symbol"] == symbols


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("caching", "cached"),
        ("caches", "cache"),
        ("category", "categories"),
        ("queries", "query"),
        ("running", "runs"),
        ("settings", "setting"),
        ("classes", "class"),
        ("recursively", "recursive"),
        ("interactively", "interactive"),
        ("globally", "global"),
        ("families", "family"),
        ("supplies", "supply"),
        ("multiplied", "multiply"),
    ],
)
def test_inflections_share_a_stem(left: str, right: str) -> None:
    """Plurals, verb forms and adverbs find each other."""
    assert stem(left) == stem(right)


@pytest.mark.parametrize(
    ("left", "right"), [("status", "stat"), ("string", "str"), ("bus", "bu"), ("family", "fame")]
)
def test_different_words_keep_apart(left: str, right: str) -> None:
    """Stemming is light: it may miss a relation, but must not make one."""
    assert stem(left) != stem(right)


def test_only_words_may_be_misspelt() -> None:
    """``letters`` is set for plain words and the words in names, not for flags, codes or versions."""
    found = {form.text: form.letters for form in forms("kubernetes --force E0382 2.10", question=True)}
    assert found == {"kubernet": 10, "--force": 0, "forc": 0, "e0382": 0, "2.10": 0}


@pytest.mark.parametrize(
    "text",
    [
        "`" * 100_000,
        "a." * 50_000,
        "aA" * 50_000,
        "-" * 100_000,
        "```x " * 20_000,
        "\u8a8d" * 100_000,
        "'s" * 50_000,
    ],
    ids=["ticks", "dots", "camel", "dashes", "fences", "han", "quotes"],
)
def test_any_text_gives_a_bounded_number_of_terms(text: str) -> None:
    """Nothing is counted more often than it has characters, whatever the text."""
    assert sum(1 for _ in forms(text, question=True)) <= len(text)
