"""Chunks -> the published index: vectors, lexicon, encoder, calibration, thresholds, figures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ibid.calibration import PiecewiseLinear
from ibid.errors import InputError
from ibid.index import MANY, Calibration, Dense, Index
from ibid.index_format import IndexContents, open_index, write_index
from ibid.models import Chunk
from ibid.retrieval.postings import build_lexicon
from ibid.retrieval.vector import quantise, sign_bits
from ibid.settings import Settings
from ibid_build.calibrate import fit_threshold
from ibid_build.chunk_encoder import ChunkEncoder, Progress
from ibid_build.encoder import Asset, cut_vocabulary, load_encoder
from ibid_build.findings import Finding
from ibid_build.local_assets import LocalAssets

MAX_UNKNOWN = 0.35
"""Share of tokens that are no whole known words, above which the index is marked lexical.

English documentation has 0.08 to 0.26 (command output is highest), other languages 0.43 and more.
"""


def pack(
    chunks: Sequence[Chunk],
    out_dir: Path,
    *,
    title: str,
    settings: Settings,
    encoder: Callable[[], ChunkEncoder],
    findings: Sequence[Finding] = (),
    progress: Progress | None = None,
) -> Index:
    """Writes ``out_dir/index`` and returns it, opened. Same chunks, same bytes on one machine.

    ``chunks`` of a page stand side by side; of two with one id the first is kept. ``encoder`` (a callable, as
    loading one takes time) is asked for only where the query encoder knows the language. ``findings`` are
    kept for ``ibid check``. Raises InputError when there is no chunk.
    """
    chunks = list({chunk.id: chunk for chunk in reversed(chunks)}.values())[::-1]
    if not chunks:
        raise InputError("No passage was found in the documentation; check the folder that was named")
    asset = load_encoder()
    texts = [embedded_text(chunk) for chunk in chunks]
    unknown = unknown_share(asset, texts)
    dense = None
    if unknown <= MAX_UNKNOWN:
        vectors, scale = quantise(encoder().encode(texts, progress))
        bits = sign_bits(vectors) if len(chunks) > MANY else None
        dense = Dense(vectors, scale, cut_vocabulary(texts), asset.id, bits)
    contents = IndexContents(
        title=title,
        chunks=chunks,
        lexicon=build_lexicon(chunks),
        dense=dense,
        calibration=Calibration(**{name: PiecewiseLinear(k) for name, k in asset.calibration.items()}),
        threshold=settings.source_usefulness_floor,
        figures={"unknown_tokens": round(unknown, 4), "encoder": asset.figures},
        report=[finding.as_dict() for finding in findings],
    )
    # The threshold is fitted on the index as it is shipped, so it is written twice.
    write_index(out_dir, contents)
    fit = fit_threshold(asyncio.run(open_index(LocalAssets(out_dir))), chunks, settings)
    figures: dict[str, Any] = {**contents.figures, "probes": fit.figures}
    write_index(out_dir, replace(contents, threshold=fit.threshold, figures=figures))
    return asyncio.run(open_index(LocalAssets(out_dir)))


def embedded_text(chunk: Chunk) -> str:
    """What stands for a chunk before the encoder: heading path, then text (FACTS: .022 less without it)."""
    return " > ".join(chunk.heading_path or (chunk.title,)) + "\n" + chunk.text


def unknown_share(asset: Asset, texts: Sequence[str]) -> float:
    """The share (0..1) of all tokens of ``texts`` that the query encoder does not know."""
    return asset.encoder.unknown_share("\n".join(texts))
