"""Which parts an index has, and what must hold between them: the one place that writes and opens it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any, get_args

import numpy as np
from numpy.typing import NDArray

from ibid.calibration import PiecewiseLinear
from ibid.embedding import StaticEncoder, WordPiece
from ibid.errors import IndexInvalid
from ibid.index import (
    REPORT,
    Calibration,
    Dense,
    Index,
    IndexKind,
    PageEntry,
)
from ibid.index_parts import (
    FOLDER,
    MANIFEST,
    SCHEMA_VERSION,
    Manifest,
    Part,
    damaged,
    read_array,
    read_json,
    read_manifest,
    read_text,
    typed,
    write_json,
    write_parts,
)
from ibid.lexicon import WholeLexicon
from ibid.lexicon_parts import lexicon_parts, read_lexicon
from ibid.models import Chunk
from ibid.ports import AssetLoader
from ibid.shards import shard_name
from ibid.text import TOKENIZER_ID
from ibid.vector_parts import read_vectors, vector_parts

__all__ = [
    "FOLDER",
    "MANIFEST",
    "SCHEMA_VERSION",
    "Index",
    "IndexContents",
    "PageEntry",
    "open_index",
    "write_index",
]

SHARD_BYTES = 256 * 1024  # of text, before compression; pages stay whole
_SCALES = (1e-9, 1e3)  # one step of an int8; beyond them, cosines would be lost in rounding
_MOST_CHUNKS = 2**31
_UNIT_SCALES = (1e-9, 1 / 32)  # of vectors of length 1: a larger step would make components above 1


@dataclass(frozen=True)
class IndexContents:
    """All that is written. ``chunks`` stand in the order of their ordinals, those of a page side by side.

    ``language`` (ISO 639-1) is that of the lexicon; ``threshold`` is the fitted bar on relevance; ``figures``
    and ``report`` are JSON-ready: measurements of the build, and what it noticed. ``dense`` has all vectors.
    ``sharded``: postings and vectors in shards that questions fetch, the latter in ``order``, intp [chunks].
    """

    title: str
    language: str
    chunks: Sequence[Chunk]
    lexicon: WholeLexicon
    dense: Dense | None
    calibration: Calibration
    threshold: float
    figures: Mapping[str, Any]
    report: Sequence[Mapping[str, Any]] = ()
    sharded: bool = False
    order: NDArray[np.intp] | None = None


def write_index(out_dir: Path, contents: IndexContents) -> str:
    """Writes ``out_dir/index`` and returns the build id. Same contents, same bytes.

    Raises ValueError when there is no chunk, when a page's chunks are apart, or when two chunks share an id.
    """
    pages, shards = _lay_out(contents.chunks)
    ids = np.array([int(chunk.id, 16) for chunk in contents.chunks], dtype=np.uint64)
    if len(np.unique(ids)) != len(ids):
        raise ValueError("two chunks have the same id")
    parts: dict[str, Part] = {
        "pages": write_json([[p.source, p.path, p.url, p.title, p.count, p.shard] for p in pages]),
        "chunk-ids": ids,
    }
    parts |= lexicon_parts(contents.lexicon, sharded=contents.sharded)
    about: dict[str, Any] = {
        "title": contents.title,
        "tokenizer": TOKENIZER_ID,
        "language": contents.language,
        "sharded": contents.sharded,
        "kind": "lexical" if contents.dense is None else "dense",
        "chunks": len(ids),
        "pages": len(pages),
        "calibration": {
            name: getattr(contents.calibration, name).knots for name in ("cosine", "relevance", "coverage")
        },
        "threshold": contents.threshold,
        "figures": dict(contents.figures),
    }
    if contents.dense is not None:
        encoder = contents.dense.encoder
        parts["encoder-table"] = encoder.table
        parts["encoder-pairs"] = encoder.pairs
        parts["encoder-vocabulary"] = "\n".join(encoder.tokenizer.vocabulary).encode()
        firsts = np.array([page.first for page in pages])
        parts |= vector_parts(contents.dense, firsts, contents.order, sharded=contents.sharded)
        about["encoder"] = {"id": contents.dense.encoder_id, "scale": encoder.scale}
        about["vectors"] = {"encoder": contents.dense.encoder_id, "scale": contents.dense.scale}
    parts[REPORT] = write_json([dict(row) for row in contents.report])
    parts |= {shard_name("texts", number): write_json(rows) for number, rows in enumerate(shards)}
    return write_parts(out_dir, about, parts)


async def open_index(loader: AssetLoader) -> Index:
    """The index behind ``loader``, all but its texts read and checked. Raises IndexInvalid."""
    manifest = await read_manifest(loader)
    about = manifest.about
    if about.get("tokenizer") != TOKENIZER_ID:
        raise IndexInvalid(
            f"The index was written with the tokenizer {about.get('tokenizer')!r}, this Ibid reads "
            f"{TOKENIZER_ID!r}: the page and the index are of two releases.",
            next="Reload the page, or build the index again with this release: ibid build",
        )
    pages = _pages(read_json(await read_text(loader, manifest, "pages"), "pages"))
    counts = np.array([page.count for page in pages], dtype=np.intp)
    ids = await read_array(loader, manifest, "chunk-ids")
    typed(ids, "chunk-ids", np.uint64, (int(counts.sum()),))
    chunk_page = np.repeat(np.arange(len(pages), dtype=np.int32), counts)
    sharded = _value(about, "sharded", bool)
    lexicon = await read_lexicon(loader, manifest, chunk_page, len(pages), sharded=sharded)
    dense = (
        await _dense(loader, manifest, len(ids), len(pages), sharded=sharded) if _is_dense(about) else None
    )
    calibration = _calibration(_value(about, "calibration", dict))
    threshold = _number(about, "threshold", 0.0, 1.0)
    figures = _value(about, "figures", dict)
    if not manifest.is_whole:
        raise damaged("manifest", "it was changed after it was built")
    return Index(
        build=manifest.build,
        title=_value(about, "title", str),
        language=_value(about, "language", str),
        pages=pages,
        chunk_page=chunk_page,
        chunk_ids=ids,
        lexicon=lexicon,
        dense=dense,
        calibration=calibration,
        threshold=threshold,
        figures=figures,
        _loader=loader,
        _manifest=manifest,
    )


def _lay_out(chunks: Sequence[Chunk]) -> tuple[list[PageEntry], list[list[list[Any]]]]:
    """The page table, and the rows of each text shard."""
    pages: list[PageEntry] = []
    shards: list[list[list[Any]]] = [[]]
    size = 0
    by_page: dict[tuple[str, str], list[Chunk]] = {}
    for chunk in chunks:
        by_page.setdefault((chunk.source, chunk.path), []).append(chunk)
    if not by_page or [c for group in by_page.values() for c in group] != list(chunks):
        raise ValueError("an index needs chunks, and those of one page must stand side by side")
    for group in by_page.values():
        if size >= SHARD_BYTES:
            shards.append([])
            size = 0
        head = group[0]
        first = pages[-1].first + pages[-1].count if pages else 0
        pages.append(
            PageEntry(head.source, head.path, head.url, head.title, first, len(group), len(shards) - 1)
        )
        for chunk in group:
            shards[-1].append(
                [chunk.anchor, list(chunk.heading_path), chunk.text, chunk.start, chunk.end, chunk.line]
            )
            size += len(chunk.text.encode())
    return pages, shards


def _pages(rows: Any) -> tuple[PageEntry, ...]:
    pages: list[PageEntry] = []
    first = 0
    last_shard = 0
    for row in rows if isinstance(rows, list) else []:
        match row:
            case [str(source), str(path), str(url), str(title), int(count), int(shard)] if (
                0 < count < _MOST_CHUNKS and shard in (last_shard, last_shard + 1)
            ):
                pages.append(PageEntry(source, path, url, title, first, count, shard))
                first += count
                last_shard = shard
            case _:
                raise damaged("pages", f"entry {len(pages)} has another form")
    if not pages or pages[0].shard != 0:
        raise damaged("pages", "it lists no pages, or does not start with the first text shard")
    return tuple(pages)


async def _dense(loader: AssetLoader, manifest: Manifest, chunks: int, pages: int, *, sharded: bool) -> Dense:
    about = _value(manifest.about, "encoder", dict)
    vocabulary = (await read_text(loader, manifest, "encoder-vocabulary")).decode("utf-8", "replace")
    encoder = StaticEncoder(
        await read_array(loader, manifest, "encoder-table"),
        _number(about, "scale", *_SCALES),
        WordPiece(vocabulary.split("\n")),
        await read_array(loader, manifest, "encoder-pairs"),
    )
    encoder_id, embedded = _value(about, "id", str), _value(manifest.about, "vectors", dict)
    if embedded.get("encoder") != encoder_id:
        raise IndexInvalid(
            f"The passages were embedded for the encoder {embedded.get('encoder')!r}, the index holds "
            f"{encoder_id!r}: their vectors cannot be compared.",
            next="Build the index again: ibid build",
        )
    vectors = await read_vectors(loader, manifest, chunks, pages, encoder.dim, sharded=sharded)
    return Dense(vectors, _number(embedded, "scale", *_UNIT_SCALES), encoder, encoder_id)


def _calibration(knots: Mapping[str, Any]) -> Calibration:
    maps = {name: PiecewiseLinear(_value(knots, name, list)) for name in ("cosine", "relevance", "coverage")}
    return Calibration(**maps)


def _value(mapping: Mapping[str, Any], name: str, kind: type[Any]) -> Any:
    value = mapping.get(name)
    if not isinstance(value, kind):
        raise damaged("manifest", f"{name!r} is {value!r}, not a {kind.__name__}")
    return value


def _is_dense(about: Mapping[str, Any]) -> bool:
    kind = _value(about, "kind", str)
    if kind not in get_args(IndexKind):
        raise damaged("manifest", f"'kind' is {kind!r}, not one of {', '.join(get_args(IndexKind))}")
    return bool(kind == "dense")


def _number(mapping: Mapping[str, Any], name: str, low: float, high: float) -> float:
    value = mapping.get(name)
    if not isinstance(value, int | float) or isinstance(value, bool) or not low <= value <= high:
        raise damaged("manifest", f"{name!r} is {value!r}, not a number from {low:g} to {high:g}")
    return float(value)
