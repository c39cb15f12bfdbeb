"""Trains a query encoder from nothing: ``python -m ibid_build.encoder.train english|multilingual --out DIR``.

Fetches the listed texts, embeds them with the transformer, fits the table, and writes every file of the
encoder but the vocabulary and the lists. Downloads and embeddings are kept in the user's cache.
``--compare`` then sets the result beside the committed one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ibid.embedding import StaticEncoder, pair_keys, rows_of
from ibid.errors import IbidError
from ibid_build.encoder import ENCODERS, Space, folder_of, load_encoder, load_space, load_tokenizer
from ibid_build.encoder.archives import CACHE
from ibid_build.encoder.fit import Schedule, fit, pooled, principal_axes, quantised, unit, zipf_weights
from ibid_build.encoder.frequent import frequent_pairs
from ibid_build.encoder.recipes import HELD_OUT_TEXTS, RECIPES, Recipe, Say

DIM = 256
_SHARD = 8_192


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m ibid_build.encoder.train", description=__doc__)
    parser.add_argument("encoder", choices=ENCODERS)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the encoder to")
    parser.add_argument("--texts", type=int, help="how many training texts (default: as committed)")
    parser.add_argument("--compare", action="store_true", help="report what differs from the committed one")
    options = parser.parse_args(arguments)
    try:
        recipe = RECIPES[options.encoder]()
        texts = options.texts or recipe.texts
        train(recipe, options.out, texts, lambda line: print(line, file=sys.stderr, flush=True))
        if options.compare:
            print(json.dumps(compare(recipe, options.out), indent=2))
    except IbidError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def train(recipe: Recipe, out: Path, count: int, say: Say) -> None:
    """Writes the encoder's files to ``out``. Raises InputError."""
    texts = recipe.gather(count, say)
    tokenizer = load_tokenizer(recipe.name)
    say(f"{len(texts.trained)} texts, {len(texts.foreign)} of sources that are held out")
    wide, wide_foreign = (embed(recipe, group, say) for group in (texts.trained, texts.foreign))
    centre = recipe.centre(wide)
    space = Space(principal_axes(wide - centre, DIM), centre)

    ids, foreign_ids = ([tokenizer.ids(text) for text in group] for group in (texts.trained, texts.foreign))
    # A text of unknown characters alone has no row to learn.
    kept = [n for n in range(len(ids) - HELD_OUT_TEXTS) if any(i != tokenizer.unknown for i in ids[n])]
    held_out = list(range(len(ids) - HELD_OUT_TEXTS, len(ids)))
    pairs = frequent_pairs((ids[n] for n in kept), tokenizer, recipe.pairs)
    keys = pair_keys(pairs, len(tokenizer))
    targets, foreign_targets = space.into(wide), space.into(wide_foreign)
    rows, foreign_rows = ([rows_of(text, keys, tokenizer) for text in group] for group in (ids, foreign_ids))

    single = recipe.embed_entries()
    uses = np.bincount(np.concatenate([ids[n] for n in kept]), minlength=len(tokenizer))
    # Without its mean, which all single tokens share, a sum of them says more: cosine .62 against .46.
    ranks = recipe.ranks(uses)
    start = unit((single - single[ranks >= 0].mean(axis=0)) @ space.projection) * zipf_weights(ranks)
    start[recipe.silent()] = 0
    start = np.concatenate((start, np.zeros((len(pairs), DIM), dtype=np.float32)))

    cosines: list[float] = []

    def report(epoch: int, cosine: float) -> None:
        cosines.append(round(cosine, 4))
        say(f"epoch {epoch}: mean cosine {cosine:.4f}")

    schedule = Schedule()
    table = fit(start, [rows[n] for n in kept], targets[kept], schedule, report)
    whole, scale = quantised(table)
    rounded = whole.astype(np.float32)
    by_language = [
        [ids[n] for n in kept if texts.languages[n] == language] for language in range(len(recipe.languages))
    ]
    arrays: dict[str, NDArray[Any]] = {
        "table": whole,
        "pairs": pairs,
        "projection": space.projection,
        "centre": space.centre,
        "frequent": recipe.frequent(by_language),
    }
    settings = {
        "id": f"ibid-{recipe.name}-{DIM}-{hashlib.sha256(whole.tobytes()).hexdigest()[:12]}",
        "teacher": recipe.teacher,
        "languages": recipe.languages,
        "scale": scale,
        "sources": recipe.sources(),
        "figures": {
            "texts": len(kept),
            "pairs": len(pairs),
            "epochs": schedule.epochs,
            "cosine by epoch": cosines,
            "cosine on held-out texts": figure(rounded, [rows[n] for n in held_out], targets[held_out]),
            "cosine on held-out sources": figure(rounded, foreign_rows, foreign_targets),
            "cosine on held-out sources before training": figure(start, foreign_rows, foreign_targets),
            "energy kept by the projection": _energy(wide, space),
        },
    }
    write(recipe, out, arrays, settings)


def figure(table: NDArray[np.float32], rows: list[NDArray[np.intp]], targets: NDArray[np.float32]) -> float:
    """The mean cosine between the table's vectors and the transformer's."""
    return round(float((pooled(table, rows) * targets).sum(axis=1).mean()), 4)


def embed(recipe: Recipe, texts: Sequence[str], say: Say) -> NDArray[np.float32]:
    """float32 [n, 384], in shards that are kept in the cache, so that a broken run goes on."""
    shards = []
    for start in range(0, len(texts), _SHARD):
        shard = texts[start : start + _SHARD]
        key = hashlib.sha256(json.dumps([recipe.teacher, shard]).encode()).hexdigest()[:32]
        file = CACHE / "vectors" / f"{key}.npy"
        if not file.is_file():
            say(f"embedding texts: {start} of {len(texts)}")
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(".draft.npy")
            np.save(draft, recipe.embed(shard).astype(np.float16))
            draft.replace(file)
        shards.append(np.load(file, allow_pickle=False).astype(np.float32))
    return np.concatenate(shards)


def write(recipe: Recipe, out: Path, arrays: dict[str, NDArray[Any]], settings: dict[str, Any]) -> None:
    """All files; the calibration, which is fitted on other texts, is carried over (CARD.md)."""
    committed = folder_of(recipe.name) / "encoder.json"
    whole = {"cosine": [[0, 0], [1, 1]], "relevance": [[0, 0], [1, 1]], "coverage": [[0, 0], [1, 1]]}
    if committed.is_file():
        whole = json.loads(committed.read_text("utf-8"))["calibration"]
    out.mkdir(parents=True, exist_ok=True)
    for name, array in arrays.items():
        np.save(out / f"{name}.npy", array)
    text = json.dumps({**settings, "calibration": whole}, indent=1, ensure_ascii=False)
    (out / "encoder.json").write_text(text + "\n", "utf-8")


def compare(recipe: Recipe, out: Path) -> dict[str, Any]:
    """How the encoder in ``out`` differs from the committed one, in the transformer's own space."""
    committed = load_encoder(recipe.name)
    settings = json.loads((out / "encoder.json").read_text("utf-8"))
    table, projection = np.load(out / "table.npy"), np.load(out / "projection.npy")
    fresh = StaticEncoder(table, settings["scale"], load_tokenizer(recipe.name), np.load(out / "pairs.npy"))
    foreign = recipe.gather(1, lambda _: None).foreign
    ours = np.stack([fresh.encode(text) for text in foreign]) @ projection.T
    theirs = (
        np.stack([committed.encoder.encode(text) for text in foreign]) @ load_space(recipe.name).projection.T
    )
    cosines = (unit(ours) * unit(theirs)).sum(axis=1)
    return {
        "same table, bit by bit": np.array_equal(table, committed.encoder.table),
        "share of equal table entries": _equal_share(table, committed.encoder.table),
        "cosine between the two on held-out sources": {
            "mean": round(float(cosines.mean()), 4),
            "lowest of 100": round(float(np.quantile(cosines, 0.01)), 4),
        },
        "figures": {"fresh": settings["figures"], "committed": committed.figures},
    }


def _energy(wide: NDArray[np.float32], space: Space) -> float:
    centred = wide - space.centre
    return round(float(np.square(centred @ space.projection).sum() / np.square(centred).sum()), 4)


def _equal_share(one: NDArray[np.int8], other: NDArray[np.int8]) -> float:
    """Of the entries; 0 when the tables have different shapes."""
    return round(float((one == other).mean()), 4) if one.shape == other.shape else 0.0


if __name__ == "__main__":
    sys.exit(main())
