"""Chunks become a published index."""

from __future__ import annotations

import asyncio
import json
from pathlib import Path

import pytest

from ibid.errors import IndexInvalid, InputError
from ibid.index import Index
from ibid.index_format import MANIFEST, open_index
from ibid.models import Chunk
from ibid.retrieval.retriever import Retriever
from ibid.settings import Settings
from ibid_build.choice import EncoderChoice
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.encoder import EncoderName, load_encoder, load_tokenizer
from ibid_build.findings import Finding
from ibid_build.local_assets import LocalAssets
from ibid_build.multilingual_model import ModelMissing
from ibid_build.pack import pack
from ibid_build.sources.jsonl import read_corpus
from small_index import MemoryAssets, chunk
from static_chunks import StaticChunks

CHUNKS = [
    chunk("install.md", "Install the station with the package manager of your system.", title="Install"),
    chunk("alerts.md", "An alert is sent when the water level rises above the threshold.", title="Alerts"),
    chunk("alerts.md", "Alerts can be muted for an hour.", title="Alerts", heading="Mute"),
]
GREEK = [
    chunk(
        "auth.md",
        "Ο έλεγχος ταυτότητας χρησιμοποιεί διακριτικά. Εδώ περιγράφεται η αυτόματη έγκριση παραγγελιών.",
        title="Έλεγχος ταυτότητας",
    ),
    chunk("run.md", "Το σύστημα λειτουργεί τη νύχτα με δύο μηχανήματα.", title="Λειτουργία"),
]
CHINESE = [
    chunk("auth.md", "认证系统使用令牌。采购订单自动审批流程在此说明。", title="认证"),
    chunk("run.md", "系统在夜间运行两台机器。", title="运行"),
]


def packed(folder: Path, chunks: list[Chunk], **settings: float) -> StaticChunks:
    encoder = StaticChunks()
    pack(chunks, folder, title="Tidewatch", settings=Settings(**settings), encoder=lambda _: encoder)
    return encoder


def packed_as(folder: Path, chunks: list[Chunk], wanted: EncoderChoice) -> Index:
    return pack(chunks, folder, title="T", settings=Settings(), encoder=StaticChunks, wanted=wanted)


def test_an_index_is_searched_as_it_was_packed(tmp_path: Path) -> None:
    """From chunks to an answer's passages, through the files."""
    packed(tmp_path, CHUNKS)
    index = asyncio.run(open_index(LocalAssets(tmp_path)))
    assert (index.title, index.kind, len(index.pages)) == ("Tidewatch", "dense", 2)
    assert asyncio.run(Retriever(index, Settings()).search("how do I install it"))[0].path == "install.md"
    assert asyncio.run(index.chunks([2, 1, 0])) == CHUNKS[::-1]


def test_chunks_are_embedded_under_their_headings(tmp_path: Path) -> None:
    """The heading path stands before the text, once for each chunk, in order."""
    texts = packed(tmp_path, CHUNKS).texts
    assert texts[2] == "Alerts > Mute\nAlerts can be muted for an hour."
    assert len(texts) == 3


def test_same_chunks_same_bytes(tmp_path: Path) -> None:
    """A build can be repeated."""
    packed(tmp_path / "one", CHUNKS)
    packed(tmp_path / "two", CHUNKS)
    assert MemoryAssets.of(tmp_path / "one").files == MemoryAssets.of(tmp_path / "two").files


def test_a_chunk_that_comes_twice_is_kept_once(tmp_path: Path) -> None:
    """Chunk ids are content hashes; the first stays where it stands."""
    packed(tmp_path, [CHUNKS[0], CHUNKS[0], *CHUNKS[1:]])
    assert json.loads((tmp_path / MANIFEST).read_bytes())["chunks"] == 3


def test_a_language_the_encoder_does_not_know_is_lexical(tmp_path: Path) -> None:
    """No chunk is embedded, and a Greek question is answered from Greek documentation all the same."""
    assert packed(tmp_path, GREEK).texts == []
    index = asyncio.run(open_index(LocalAssets(tmp_path)))
    plan = asyncio.run(Retriever(index, Settings()).plan("αυτόματη έγκριση παραγγελιών"))
    assert index.kind == "lexical"
    assert plan.passes
    assert [(page.path, page.cosine) for page in plan.cited] == [("auth.md", None)]


def test_a_language_the_multilingual_encoder_knows_gets_it(tmp_path: Path) -> None:
    """Cut to the site; a question that shares no word with the page finds it."""
    index = packed_as(tmp_path, CHINESE, "")
    assert index.dense is not None
    assert index.dense.encoder_id == load_encoder("multilingual").id
    assert len(index.dense.encoder.tokenizer) < len(load_tokenizer("multilingual")) / 2
    assert asyncio.run(Retriever(index, Settings()).search("登录密钥"))[0].path == "auth.md"


@pytest.mark.parametrize(
    ("wanted", "kind", "name"),
    [("english", "dense", "english"), ("multilingual", "dense", "multilingual"), ("none", "lexical", None)],
)
def test_the_maintainer_s_choice_of_encoder_counts(
    tmp_path: Path, wanted: EncoderChoice, kind: str, name: EncoderName | None
) -> None:
    """Whatever the documentation's words say."""
    index = packed_as(tmp_path, CHUNKS, wanted)
    assert index.kind == kind
    if name is not None:
        assert index.dense is not None
        assert index.dense.encoder_id == load_encoder(name).id


def test_without_the_multilingual_model_words_alone_are_searched(tmp_path: Path) -> None:
    """The build says how to get it, and goes on; one that asked for it by name does not."""

    def missing(name: EncoderName) -> StaticChunks:
        raise ModelMissing(f"no model for {name}; install it")

    said: list[str] = []
    index = pack(CHINESE, tmp_path, title="T", settings=Settings(), encoder=missing, say=said.append)
    assert index.kind == "lexical"
    assert "no model for multilingual; install it" in said[0]
    with pytest.raises(ModelMissing):
        pack(CHINESE, tmp_path, title="T", settings=Settings(), encoder=missing, wanted="multilingual")


def test_the_threshold_is_not_below_the_floor(tmp_path: Path) -> None:
    """Whatever the fit says, the larger of the two is stored."""
    packed(tmp_path, CHUNKS, source_usefulness_floor=0.9)
    manifest = json.loads((tmp_path / MANIFEST).read_bytes())
    assert manifest["threshold"] >= 0.9
    assert manifest["figures"]["probes"]["near_probes"] > 0


def test_what_the_build_noticed_is_kept(tmp_path: Path) -> None:
    """``ibid check`` reads it from the published folder."""
    finding = Finding("warning", "a.md", 3, "a broken link", "mend it")
    index = pack(CHUNKS, tmp_path, title="T", settings=Settings(), encoder=StaticChunks, findings=[finding])
    assert asyncio.run(index.report()) == [finding.as_dict()]


def test_nothing_to_pack_is_an_input_error(tmp_path: Path) -> None:
    """An index without passages would open and find nothing, for ever."""
    with pytest.raises(InputError, match="No passage"):
        packed(tmp_path, [])
    assert not (tmp_path / MANIFEST).exists()


def test_a_missing_file_says_what_to_do(tmp_path: Path) -> None:
    """A folder that is no index, and one that was copied in part."""
    with pytest.raises(IndexInvalid, match="holds no Ibid index") as caught:
        asyncio.run(open_index(LocalAssets(tmp_path)))
    assert "ibid build" in caught.value.next
    packed(tmp_path, CHUNKS)
    next(tmp_path.glob("index/vectors*")).unlink()
    with pytest.raises(IndexInvalid, match="copied in part"):
        asyncio.run(open_index(LocalAssets(tmp_path)))


def corpus(tmp_path: Path, *lines: object) -> Path:
    path = tmp_path / "corpus.jsonl"
    path.write_text(
        "".join((x if isinstance(x, str) else json.dumps(x)) + "\n" for x in lines), encoding="utf-8"
    )
    return path


def test_a_prepared_corpus_is_a_documentation(tmp_path: Path) -> None:
    """One line is one passage; lines of one page come together; the heading path starts with the title."""
    rows = [
        {"id": "1", "page": "git-add", "title": "git-add", "heading": "OPTIONS", "text": "-n: do nothing"},
        {"id": "2", "page": "git-rm", "title": "git-rm", "heading": "", "text": "removes files"},
        {
            "id": "3",
            "page": "git-add",
            "title": "git-add",
            "heading": "git-add > NOTES",
            "text": "a\u2028note",
        },
    ]
    result = read_corpus(corpus(tmp_path, *rows, ""), BuildConfig())
    chunks = [chunk for page in result.pages for chunk in chunk_page(page)]
    assert [(c.path, c.heading_path, c.text, c.line) for c in chunks] == [
        ("git-add", ("git-add", "OPTIONS"), "-n: do nothing", 1),
        ("git-add", ("git-add", "NOTES"), "a\u2028note", 3),
        ("git-rm", ("git-rm",), "removes files", 2),
    ]
    assert (result.title, result.source) == ("corpus", "corpus")


@pytest.mark.parametrize(
    ("line", "says"),
    [
        ("{", "corpus.jsonl:1 is not JSON"),
        ([], "needs a page"),
        ({"text": "x"}, "needs a page"),
        ({"page": "a", "text": 1}, "strings"),
        ({"page": "a", "text": " "}, "no passage"),
        ("", "no passage"),
    ],
)
def test_a_broken_corpus_names_the_line(tmp_path: Path, line: object, says: str) -> None:
    """Not JSON, not an object, without a page or a text."""
    with pytest.raises(InputError, match=says):
        read_corpus(corpus(tmp_path, line), BuildConfig())


def test_a_corpus_that_cannot_be_read(tmp_path: Path) -> None:
    """Missing, or not UTF-8."""
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(tmp_path / "none.jsonl", BuildConfig())
    (tmp_path / "latin.jsonl").write_bytes(b'{"page":"\xe9"}')
    with pytest.raises(InputError, match="cannot be read"):
        read_corpus(tmp_path / "latin.jsonl", BuildConfig())
