"""Trains the query encoder from nothing: ``python -m ibid_build.encoder.train --out DIR``.

Fetches the documentation of ``packages.txt`` with pip, makes texts of it, embeds them with the transformer,
fits the table, and writes ``table.npy``, ``pairs.npy``, ``projection.npy`` and ``encoder.json``. Downloads
and embeddings are kept in the user's cache. ``--compare`` then sets the result beside the committed one.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import platformdirs
from numpy.typing import NDArray

from ibid.embedding import StaticEncoder, pair_keys, rows_of
from ibid.errors import IbidError
from ibid_build.embedding_models import MODEL_DIM, MODEL_ID, Transformer
from ibid_build.encoder import FIRST_WORD, FOLDER, load_encoder, load_projection, load_tokenizer
from ibid_build.encoder.corpus import candidates, fetch, packages, sample
from ibid_build.encoder.fit import Schedule, fit, pooled, principal_axes, quantised, unit, zipf_weights
from ibid_build.encoder.forms import Form
from ibid_build.encoder.pairs import frequent_pairs

DIM = 256
PAIRS = 8_192
CACHE = Path(platformdirs.user_cache_dir("ibid")) / "encoder"
HELD_OUT_TEXTS = 2_000
_SHARD = 8_192

Say = Callable[[str], None]


def main(arguments: Sequence[str] | None = None) -> int:
    """The command line."""
    parser = argparse.ArgumentParser(prog="python -m ibid_build.encoder.train", description=__doc__)
    parser.add_argument("--out", type=Path, required=True, help="folder to write the encoder to")
    parser.add_argument("--texts", type=int, default=220_000, help="how many training texts (default 220000)")
    parser.add_argument("--compare", action="store_true", help="report what differs from the committed one")
    options = parser.parse_args(arguments)
    try:
        train(options.out, options.texts, lambda line: print(line, file=sys.stderr, flush=True))
        if options.compare:
            print(json.dumps(compare(options.out), indent=2))
    except IbidError as error:
        print(error, file=sys.stderr)
        return 2
    return 0


def train(out: Path, count: int, say: Say) -> None:
    """Writes the encoder's files to ``out``. Raises InputError."""
    texts, foreign = gather(count, say)
    tokenizer = load_tokenizer()
    teacher = Transformer(np.eye(MODEL_DIM, dtype=np.float32))
    say(f"{len(texts)} texts, {len(foreign)} of packages that are held out")
    ids, foreign_ids = ([tokenizer.ids(text) for text in group] for group in (texts, foreign))
    wide = embed(teacher, ids, "texts", say)
    wide_foreign = embed(teacher, foreign_ids, "held-out texts", say)
    single = embed(teacher, [[number] for number in range(len(tokenizer))], "tokens", say)

    projection = principal_axes(wide, DIM)
    kept = len(texts) - HELD_OUT_TEXTS
    pairs = frequent_pairs(ids[:kept], tokenizer, PAIRS)
    keys = pair_keys(pairs, len(tokenizer))
    targets, rows = unit(wide @ projection), [rows_of(text, keys, tokenizer) for text in ids]
    foreign_targets = unit(wide_foreign @ projection)
    foreign_rows = [rows_of(text, keys, tokenizer) for text in foreign_ids]
    # Without its mean, which all single tokens share, a sum of them says more: cosine .62 against .46.
    start = unit((single - single[FIRST_WORD:].mean(axis=0)) @ projection)
    start *= zipf_weights(len(tokenizer), FIRST_WORD)
    start[[*range(tokenizer.id_of("[MASK]") + 1), tokenizer.unknown]] = 0
    start[_unknowable(tokenizer.vocabulary)] = 0
    start = np.concatenate((start, np.zeros((len(pairs), DIM), dtype=np.float32)))

    cosines: list[float] = []

    def report(epoch: int, cosine: float) -> None:
        cosines.append(round(cosine, 4))
        say(f"epoch {epoch}: mean cosine {cosine:.4f}")

    schedule = Schedule()
    table = fit(start, rows[:kept], targets[:kept], schedule, report)
    whole, scale = quantised(table)

    rounded = whole.astype(np.float32)
    write(
        out,
        whole,
        pairs,
        projection,
        {
            "id": f"ibid-static-{DIM}-{hashlib.sha256(whole.tobytes()).hexdigest()[:12]}",
            "teacher": MODEL_ID,
            "dim": DIM,
            "scale": scale,
            "packages": [f"{package.pin} ({package.licence})" for package in packages()],
            "figures": {
                "texts": kept,
                "pairs": len(pairs),
                "epochs": schedule.epochs,
                "cosine by epoch": cosines,
                "cosine on held-out texts": figure(rounded, rows[kept:], targets[kept:]),
                "cosine on held-out packages": figure(rounded, foreign_rows, foreign_targets),
                "cosine on held-out packages before training": figure(start, foreign_rows, foreign_targets),
                "energy kept by the projection": round(float(np.square(wide @ projection).sum(1).mean()), 4),
            },
        },
    )


def figure(table: NDArray[np.float32], rows: list[NDArray[np.intp]], targets: NDArray[np.float32]) -> float:
    """The mean cosine between the table's vectors and the transformer's."""
    return round(float((pooled(table, rows) * targets).sum(axis=1).mean()), 4)


def gather(count: int, say: Say) -> tuple[list[str], list[str]]:
    """(training texts, texts of the held-out packages)."""
    trained: dict[str, dict[Form, list[str]]] = {}
    foreign: dict[str, dict[Form, list[str]]] = {}
    for package in packages():
        say(f"reading {package.pin}")
        found = candidates(package, fetch(package, CACHE / "sdists"))
        (foreign if package.held_out else trained)[package.name] = found
    return sample(trained, count), sample(foreign, HELD_OUT_TEXTS)


def embed(teacher: Transformer, tokens: Sequence[Sequence[int]], what: str, say: Say) -> NDArray[np.float32]:
    """float32 [len(tokens), 384], in shards that are kept in the cache, so that a broken run goes on."""
    shards = []
    for start in range(0, len(tokens), _SHARD):
        shard = tokens[start : start + _SHARD]
        key = hashlib.sha256(json.dumps([MODEL_ID, shard]).encode()).hexdigest()[:32]
        file = CACHE / "vectors" / f"{key}.npy"
        if not file.is_file():
            say(f"embedding {what}: {start} of {len(tokens)}")
            file.parent.mkdir(parents=True, exist_ok=True)
            draft = file.with_suffix(".draft.npy")
            np.save(draft, teacher.encode_tokens(shard, batch=16).astype(np.float16))
            draft.replace(file)
        shards.append(np.load(file, allow_pickle=False).astype(np.float32))
    return np.concatenate(shards)


def write(
    out: Path,
    table: NDArray[np.int8],
    pairs: NDArray[np.uint16],
    projection: NDArray[np.float32],
    settings: dict[str, Any],
) -> None:
    """The four files; the calibration, which is fitted on other texts, is carried over (CARD.md)."""
    settings |= {"calibration": json.loads((FOLDER / "encoder.json").read_text("utf-8"))["calibration"]}
    out.mkdir(parents=True, exist_ok=True)
    np.save(out / "table.npy", table)
    np.save(out / "pairs.npy", pairs)
    np.save(out / "projection.npy", projection)
    (out / "encoder.json").write_text(json.dumps(settings, indent=1) + "\n", "utf-8")


def compare(out: Path) -> dict[str, Any]:
    """How the encoder in ``out`` differs from the committed one, in the transformer's own space."""
    committed = load_encoder()
    settings = json.loads((out / "encoder.json").read_text("utf-8"))
    table, projection = np.load(out / "table.npy"), np.load(out / "projection.npy")
    fresh = StaticEncoder(table, settings["scale"], load_tokenizer(), np.load(out / "pairs.npy"))
    foreign = gather(1, lambda _: None)[1]
    ours = np.stack([fresh.encode(text) for text in foreign]) @ projection.T
    theirs = np.stack([committed.encoder.encode(text) for text in foreign]) @ load_projection().T
    cosines = (unit(ours) * unit(theirs)).sum(axis=1)
    return {
        "same table, bit by bit": np.array_equal(table, committed.encoder.table),
        "share of equal table entries": _equal_share(table, committed.encoder.table),
        "cosine between the two on held-out packages": {
            "mean": round(float(cosines.mean()), 4),
            "lowest of 100": round(float(np.quantile(cosines, 0.01)), 4),
        },
        "figures": {"fresh": settings["figures"], "committed": committed.figures},
    }


def _equal_share(one: NDArray[np.int8], other: NDArray[np.int8]) -> float:
    """Of the entries; 0 when the tables have different shapes."""
    return round(float((one == other).mean()), 4) if one.shape == other.shape else 0.0


def _unknowable(vocabulary: Sequence[str]) -> NDArray[np.bool]:
    """Entries in scripts that the training texts do not have: their rows would be noise."""
    return np.array([not entry.isascii() and entry.removeprefix("##").isalpha() for entry in vocabulary])


if __name__ == "__main__":
    sys.exit(main())
