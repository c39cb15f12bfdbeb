"""Chunks -> the published index: vectors, lexicon, encoder, calibration, thresholds, figures."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from ibid.calibration import PiecewiseLinear
from ibid.errors import InputError
from ibid.index import Calibration, Dense, Index
from ibid.index_format import IndexContents, open_index, write_index
from ibid.models import Chunk
from ibid.retrieval.postings import build_lexicon
from ibid.settings import Settings
from ibid.vectors import MANY, quantise
from ibid_build.calibrate import fit_threshold
from ibid_build.choice import EncoderChoice, choose_encoder
from ibid_build.chunk_encoder import ChunkEncoder, Progress
from ibid_build.encoder import EncoderName, cut_vocabulary
from ibid_build.findings import Finding
from ibid_build.local_assets import LocalAssets
from ibid_build.multilingual_model import ModelMissing
from ibid_build.vector_order import neighbours_together


def pack(
    chunks: Sequence[Chunk],
    out_dir: Path,
    *,
    title: str,
    settings: Settings,
    encoder: Callable[[EncoderName], ChunkEncoder],
    wanted: EncoderChoice = "",
    language: str = "",
    findings: Sequence[Finding] = (),
    progress: Progress | None = None,
    say: Callable[[str], None] = lambda _: None,
) -> Index:
    """Writes ``out_dir/index`` and returns it, opened. Same chunks, same bytes on one machine.

    ``chunks`` of a page stand side by side; of two with one id the first is kept. ``encoder`` makes
    what embeds the chunks for one of the query encoders: the one that knows the documentation's language, or
    the one that is ``wanted``; ``language`` is a tag such as ``pt-BR``, or is found. ``findings`` are kept
    for ``ibid check``. Raises InputError when there is no
    chunk, and when the encoder that is wanted lacks its model.
    """
    chunks = list({chunk.id: chunk for chunk in reversed(chunks)}.values())[::-1]
    if not chunks:
        raise InputError("No passage was found in the documentation; check the folder that was named")
    texts = [embedded_text(chunk) for chunk in chunks]
    chosen = choose_encoder(texts, wanted, language)
    sharded = len(chunks) > MANY
    dense, order = None, None
    if chosen.serves:
        try:
            vectors, scale = quantise(encoder(chosen.asset.name).encode(texts, progress))
        except ModelMissing as error:
            if wanted:
                raise
            say(f"{error}; until then readers search this documentation by words alone")
        else:
            dense = Dense(vectors, scale, cut_vocabulary(chosen.asset, texts), chosen.asset.id)
            order = neighbours_together(vectors) if sharded else None
    contents = IndexContents(
        title=title,
        chunks=chunks,
        language=chosen.language,
        lexicon=build_lexicon(chunks, chosen.language),
        dense=dense,
        calibration=Calibration(**{n: PiecewiseLinear(k) for n, k in chosen.asset.calibration.items()}),
        threshold=settings.source_usefulness_floor,
        figures={"unknown_tokens": chosen.unknown, "encoder": chosen.asset.figures},
        report=[finding.as_dict() for finding in findings],
        sharded=sharded,
        order=order,
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
