"""The index's files: written alike every time, read only when they are sound."""

from __future__ import annotations

import gzip
import hashlib
import io
import json
import tracemalloc
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import ibid.index_format
from ibid import packed_postings
from ibid.errors import IndexInvalid
from ibid.index import HELD_SHARDS
from ibid.index_format import MANIFEST, open_index, write_index
from ibid.index_parts import build_id
from small_index import MemoryAssets, chunk, contents, open_small

CHUNKS = [
    chunk("a.md", "the timer fires", heading="Timers"),
    chunk("a.md", "a socket closes"),
    chunk("guide/b.md", "the cache holds", title="Cache"),
]


def published(tmp_path: Path) -> MemoryAssets:
    write_index(tmp_path, contents(CHUNKS))
    return MemoryAssets.of(tmp_path)


def manifest(assets: MemoryAssets) -> dict[str, Any]:
    value: dict[str, Any] = json.loads(assets.files[MANIFEST])
    return value


def file_of(assets: MemoryAssets, part: str) -> str:
    return f"index/{manifest(assets)['parts'][part]['file']}"


async def test_what_is_written_is_read(tmp_path: Path) -> None:
    """Every value of the contents comes back."""
    written = contents(CHUNKS, threshold=0.41)
    build = write_index(tmp_path, written)
    index = await open_index(MemoryAssets.of(tmp_path))
    assert (index.build, index.title, index.kind, index.threshold) == (build, "Small", "dense", 0.41)
    assert [(p.path, p.title, p.first, p.count) for p in index.pages] == [
        ("a.md", "a.md", 0, 2),
        ("guide/b.md", "Cache", 2, 1),
    ]
    assert index.chunk_page.tolist() == [0, 0, 1]
    assert await index.chunks([2, 0]) == [CHUNKS[2], CHUNKS[0]]
    assert await index.page_chunks(0) == CHUNKS[:2]
    assert [index.ordinal_of(c.id) for c in CHUNKS] == [0, 1, 2]
    assert index.figures == {"made": "by a test"}
    assert (await index.report())[0]["what"] == "made by a test"
    assert index.dense is not None
    assert written.dense is not None
    assert index.dense.vectors.tolist() == written.dense.vectors.tolist()
    assert index.lexicon.terms == written.lexicon.terms
    assert index.calibration.cosine.knots == [[0, 0], [1, 1]]


async def test_a_lexical_index_ships_no_encoder(tmp_path: Path) -> None:
    """Where the encoder does not know the language, neither it nor vectors are published."""
    write_index(tmp_path, contents(CHUNKS, dense=False))
    assets = MemoryAssets.of(tmp_path)
    index = await open_index(assets)
    assert (index.kind, index.dense) == ("lexical", None)
    assert not [name for name in assets.files if "encoder" in name or "vectors" in name]


def test_same_contents_same_bytes(tmp_path: Path) -> None:
    """Two builds of one documentation are one, file names and manifest included."""
    first = write_index(tmp_path / "one", contents(CHUNKS))
    second = write_index(tmp_path / "two", contents(CHUNKS))
    assert first == second
    assert MemoryAssets.of(tmp_path / "one").files == MemoryAssets.of(tmp_path / "two").files


def test_an_earlier_build_is_cleared_away(tmp_path: Path) -> None:
    """The folder holds what its manifest names, and nothing else."""
    write_index(tmp_path, contents([chunk("old.md", "a file")]))
    assets = published(tmp_path)
    named = {f"index/{part['file']}" for part in manifest(assets)["parts"].values()}
    assert set(assets.files) == named | {MANIFEST}


async def test_hosts_may_unpack_or_not(tmp_path: Path) -> None:
    """A part is unpacked by its first bytes, whatever its name says."""
    assets = published(tmp_path)
    assets.files = {
        name: gzip.decompress(data) if data.startswith(b"\x1f\x8b") else data
        for name, data in assets.files.items()
    }
    assert (await open_index(assets)).title == "Small"


def seal(assets: MemoryAssets, raw: dict[str, Any]) -> None:
    """Puts ``raw`` in the manifest's place, its build id made anew where JSON holds its numbers."""
    with suppress(ValueError):
        raw["build"] = build_id(raw)
    assets.files[MANIFEST] = json.dumps(raw).encode()


async def test_an_edited_manifest_is_refused(tmp_path: Path) -> None:
    """Values that are each in their range, but not those that were built."""
    assets = published(tmp_path)
    assets.files[MANIFEST] = json.dumps(manifest(assets) | {"threshold": 0.001}).encode()
    with pytest.raises(IndexInvalid, match="changed after it was built"):
        await open_index(assets)


async def test_a_gzip_bomb_is_not_unpacked(tmp_path: Path) -> None:
    """Unpacking ends where the part should end; 100 MB would be 100 kB here."""
    assets = published(tmp_path)
    assets.files[file_of(assets, "vectors")] = gzip.compress(bytes(100_000_000))
    tracemalloc.start()
    with pytest.raises(IndexInvalid, match="more bytes"):
        await open_index(assets)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 10_000_000


async def test_unknown_fields_are_ignored(tmp_path: Path) -> None:
    """A later release may add to the manifest without a new schema version."""
    assets = published(tmp_path)
    seal(assets, {**manifest(assets), "later": 1})
    assert (await open_index(assets)).title == "Small"


async def test_texts_are_fetched_when_asked_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Opening reads no text; a shard is read once while it is held, and only some are held."""
    monkeypatch.setattr(ibid.index_format, "SHARD_BYTES", 1)
    chunks = [chunk(f"{i}.md", f"text {i}") for i in range(HELD_SHARDS + 1)]
    write_index(tmp_path, contents(chunks))
    assets = MemoryAssets.of(tmp_path)
    index = await open_index(assets)
    assert not [name for name in assets.reads if "texts" in name]
    assets.reads.clear()
    await index.chunks([0, 0])
    assert await index.chunks([0]) == [chunks[0]]
    assert len(assets.reads) == 1
    for number in range(1, len(chunks)):
        await index.chunks([number])
    await index.chunks([0])
    assert len(assets.reads) == len(chunks) + 1


@pytest.mark.parametrize(
    ("asked", "page"),
    [
        ("guide/b.md", 1),
        ("/guide/b.md", 1),
        ("./guide/b.md", 1),
        ("guide/b", 1),
        ("guide/b.html", 1),
        ("guide/b.md#top", 1),
        ("guide/b/", 1),
        ("a", 0),
        ("b.md", None),
        ("", None),
        ("guide", None),
    ],
)
async def test_pages_are_found_as_people_write_them(tmp_path: Path, asked: str, page: int | None) -> None:
    """A leading slash, an anchor, another or no extension are forgiven; another folder is not."""
    assert (await open_small(tmp_path, CHUNKS)).find_page(asked) == page


async def test_an_exact_path_wins(tmp_path: Path) -> None:
    """Two pages that differ in their extension alone are told apart."""
    index = await open_small(tmp_path, [chunk("a.md", "one"), chunk("a.html", "two")])
    assert [index.find_page(path) for path in ("a.md", "a.html", "a")] == [0, 1, 0]


@pytest.mark.parametrize("asked", ["", "zz", "-1", "f" * 16, "f" * 17])
async def test_an_unknown_chunk_is_none(tmp_path: Path, asked: str) -> None:
    """An id from another build, or no id at all, is simply not there."""
    assert (await open_small(tmp_path, CHUNKS)).ordinal_of(asked) is None


def test_writing_refuses_what_could_not_be_read(tmp_path: Path) -> None:
    """No chunks, a page in two places, one id twice: mistakes of the caller."""
    apart = [CHUNKS[0], CHUNKS[2], CHUNKS[1]]
    for chunks in ([], apart, [CHUNKS[0], CHUNKS[0]]):
        with pytest.raises(ValueError, match=r"chunks|id"):
            write_index(tmp_path, replace(contents(CHUNKS), chunks=chunks))


Change = Callable[[dict[str, Any]], Any]


def _set(*keys: str | int, value: Any) -> Change:
    def change(raw: dict[str, Any]) -> None:
        place: Any = raw
        for key in keys[:-1]:
            place = place[key]
        place[keys[-1]] = value

    return change


MANIFESTS: list[tuple[str, Change, str]] = [
    ("another format", _set("format", value="other"), "not the manifest"),
    ("an unknown schema version", _set("schema", value=1), "schema version 1"),
    ("no schema version", _set("schema", value=None), "schema version None"),
    ("another tokenizer", _set("tokenizer", value="ibid-terms-0"), "tokenizer"),
    ("no parts", _set("parts", value=[]), "no parts"),
    ("a part is missing", lambda raw: raw["parts"].pop("vectors"), "does not list"),
    ("a path for a file name", _set("parts", "terms", "file", value="../terms.bin"), "plain name"),
    (
        "an address for a file name",
        _set("parts", "terms", "file", value="https://x.example/t.bin"),
        "plain name",
    ),
    ("a dot file", _set("parts", "terms", "file", value=".terms.bin"), "plain name"),
    ("a wrong size", _set("parts", "terms", "bytes", value=3), "bytes where"),
    ("a negative size", _set("parts", "terms", "bytes", value=-3), "no size"),
    ("a wrong hash", _set("parts", "terms", "sha256", value="0" * 64), "another hash"),
    ("an object dtype", _set("parts", "vectors", "dtype", value="|O"), "dtype"),
    ("a dtype that is no text", _set("parts", "vectors", "dtype", value=7), "dtype"),
    ("a dtype that is unhashable", _set("parts", "vectors", "dtype", value=[]), "dtype"),
    ("a wrong dtype", _set("parts", "vectors", "dtype", value="|u1"), "npy header"),
    ("a wrong shape", _set("parts", "vectors", "shape", value=[3, 5]), "npy header"),
    ("a huge shape", _set("parts", "vectors", "shape", value=[2**40, 2**40]), "shape"),
    ("a shape that is no list", _set("parts", "vectors", "shape", value=3), "shape"),
    ("a threshold that is no number", _set("threshold", value="high"), "threshold"),
    ("a threshold beyond one", _set("threshold", value=99), "threshold"),
    ("a threshold beyond all floats", _set("threshold", value=10**400), "threshold"),
    ("a threshold that is not finite", _set("threshold", value=float("nan")), "not"),
    ("another kind", _set("kind", value="sparse"), "dense, lexical"),
    ("a schema version that is no number", _set("schema", value=True), "schema version True"),
    ("a negative scale", _set("vectors", "scale", value=-1), "scale"),
    ("a scale beyond all cosines", _set("vectors", "scale", value=1e308), "scale"),
    ("a scale of components above 1", _set("vectors", "scale", value=99), "scale"),
    ("vectors of another encoder", _set("vectors", "encoder", value="other"), "'other', the index holds"),
    ("vectors of no encoder", _set("vectors", value=None), "vectors"),
    ("knots beyond all floats", _set("calibration", "cosine", value=[[0, 0], [1, 10**400]]), "knots"),
    ("knots that are no pairs", _set("calibration", "cosine", value=[0, 1]), "knots"),
    ("a boolean threshold", _set("threshold", value=True), "threshold"),
    ("no calibration", _set("calibration", value={}), "cosine"),
    ("falling knots", _set("calibration", "cosine", value=[[0, 0], [1, -1]]), "knots"),
    ("knots that are no numbers", _set("calibration", "cosine", value=[["a", "b"]]), "knots"),
    ("a scale of nothing", _set("encoder", "scale", value=0), "scale"),
    ("no title", _set("title", value=None), "title"),
]


@pytest.mark.parametrize(("change", "says"), [m[1:] for m in MANIFESTS], ids=[m[0] for m in MANIFESTS])
async def test_a_foreign_manifest_is_refused(tmp_path: Path, change: Change, says: str) -> None:
    """Whatever is wrong with the manifest: IndexInvalid, saying what and what to do next."""
    assets = published(tmp_path)
    raw = manifest(assets)
    change(raw)
    seal(assets, raw)
    with pytest.raises(IndexInvalid, match=says) as caught:
        await open_index(assets)
    assert "uild" in str(caught.value) + caught.value.next


@pytest.mark.parametrize("data", [b"", b"{", b"[]", b"null", b"\xff\xfe", b"\x1f\x8bno", b"[" * 100_000])
async def test_a_manifest_that_is_none_is_refused(tmp_path: Path, data: bytes) -> None:
    """Empty, cut, binary, nested without end: IndexInvalid."""
    assets = published(tmp_path)
    assets.files[MANIFEST] = data
    with pytest.raises(IndexInvalid):
        await open_index(assets)


def _replace_part(assets: MemoryAssets, part: str, data: bytes, **entry: Any) -> None:
    """Puts ``data`` in the part's place, with a manifest that agrees on size and hash."""
    raw = manifest(assets)
    raw["parts"][part] |= {"bytes": len(data), "sha256": hashlib.sha256(data).hexdigest(), **entry}
    assets.files[file_of(assets, part)] = data
    seal(assets, raw)


def _npy(array: Any) -> bytes:
    buffer = io.BytesIO()
    np.save(buffer, array)
    return buffer.getvalue()


def _array_entry(array: Any) -> dict[str, Any]:
    return {"dtype": array.dtype.str, "shape": list(array.shape)}


def _set_byte(array: Any, place: int, value: int) -> Any:
    array[place] = value
    return array


ARRAYS: list[tuple[str, str, Any, str]] = [
    ("too few vectors", "vectors", np.zeros((2, 6), np.int8), "not int8"),
    ("vectors of another length", "vectors", np.zeros((3, 5), np.int8), "not int8"),
    ("vectors of floats", "vectors", np.zeros((3, 6), np.float32), "not int8"),
    ("floats that are not finite", "vectors", np.full((3, 6), np.nan, np.float32), "finite"),
    ("too many ids", "chunk-ids", np.zeros(4, np.uint64), "not uint64"),
    ("a document beyond the chunks", "postings", lambda packed, _: _set_byte(packed, 1, 3), "beyond"),
    ("bytes of another type", "postings", lambda packed, _: packed.astype(np.uint16), "not the bytes"),
    ("bytes in two dimensions", "postings", lambda packed, _: packed[:, None], "not the bytes"),
    ("postings cut off", "postings", lambda packed, _: packed[:9], "ends before"),
    ("an impact too many", "postings", lambda packed, _: np.append(packed, packed[:1]), "impacts"),
    ("a row too few", "chunk-counts", lambda _, counts: counts[1:], "terms"),
    ("rows longer than the postings", "chunk-counts", lambda _, counts: counts * 9, "ends before"),
    ("counts of another type", "chunk-counts", lambda _, counts: counts.astype(np.int8), "terms"),
    ("an encoder table of another size", "encoder-table", np.zeros((2, 6), np.int8), "rows"),
]


@pytest.mark.parametrize(("part", "array", "says"), [a[1:] for a in ARRAYS], ids=[a[0] for a in ARRAYS])
async def test_arrays_that_do_not_fit_each_other_are_refused(
    tmp_path: Path, part: str, array: Any, says: str
) -> None:
    """Every array is checked against the pages and terms that there are."""
    if callable(array):
        lexicon = contents(CHUNKS).lexicon
        counts = lexicon.chunk_counts
        array = array(packed_postings.pack(lexicon, 0, len(counts)), counts)
    assets = published(tmp_path)
    _replace_part(assets, part, _npy(array), **_array_entry(array))
    with pytest.raises(IndexInvalid, match=says):
        await open_index(assets)


async def test_objects_are_never_unpickled(tmp_path: Path) -> None:
    """A header that asks for objects is refused, even if the manifest lies about it."""
    assets = published(tmp_path)
    buffer = io.BytesIO()
    np.save(buffer, np.array([{"a": 1}, None, None], dtype=object), allow_pickle=True)
    _replace_part(assets, "vectors", buffer.getvalue())
    with pytest.raises(IndexInvalid, match="npy header"):
        await open_index(assets)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"\x93NUMPY",
        b"\x93NUMPY\x02\x00" + b"\x00" * 20,
        b"\x93NUMPY\x01\x00\xff\xff{}",
        b"\x93NUMPY\x01\x00\x0c\x00__import__()",
        _npy(np.zeros((3, 6), np.int8))[:-1],
        _npy(np.zeros((3, 6), np.int8)) + b"\x00",
        _npy(np.asfortranarray(np.zeros((3, 6), np.int8))),
    ],
)
async def test_npy_files_are_checked_before_an_array_is_made(tmp_path: Path, data: bytes) -> None:
    """Cut, foreign or lying headers are refused by reading them, not by trusting them."""
    assets = published(tmp_path)
    _replace_part(assets, "vectors", data)
    with pytest.raises(IndexInvalid):
        await open_index(assets)


async def test_a_damaged_file_is_refused(tmp_path: Path) -> None:
    """One changed byte, a cut file, a missing one."""
    assets = published(tmp_path)
    name = file_of(assets, "vectors")
    sound = assets.files[name]
    for damage in (sound[:-1], bytes([sound[0] ^ 1]) + sound[1:], b""):
        assets.files[name] = damage
        with pytest.raises(IndexInvalid):
            await open_index(assets)
    del assets.files[name]
    with pytest.raises(IndexInvalid):
        await open_index(assets)


@pytest.mark.parametrize(
    "rows",
    [
        {},
        [],
        [["x"]] * 3,
        [[1, [], "t", 0, 0, 0]] * 3,
        [["a", "b", "t", 0, 0, 0]] * 3,
        [["a", [], "t", 0, 0, 0.5]] * 3,
    ],
)
async def test_a_foreign_text_shard_is_refused(tmp_path: Path, rows: Any) -> None:
    """Texts are checked when they are fetched; the index stays open."""
    assets = published(tmp_path)
    _replace_part(assets, "texts-000", json.dumps(rows).encode())
    index = await open_index(assets)
    with pytest.raises(IndexInvalid, match="texts-000"):
        await index.chunks([0])


@pytest.mark.parametrize(
    "rows",
    [
        {},
        [],
        [["docs", "a.md", "u", "t", 0, 0]],
        [["docs", "a.md", "u", "t", 3, 1]],
        [["docs", "a.md", "u", "t", 3]],
    ],
)
async def test_a_foreign_page_table_is_refused(tmp_path: Path, rows: Any) -> None:
    """Pages have chunks, and their shards follow each other from the first."""
    assets = published(tmp_path)
    _replace_part(assets, "pages", json.dumps(rows).encode())
    with pytest.raises(IndexInvalid, match="pages"):
        await open_index(assets)
