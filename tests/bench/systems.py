"""Systems of retrieval side by side: ``python tests/bench/systems.py SETS`` prints tables in Markdown.

SETS is a folder of retrieval sets, each with ``corpus.jsonl``, ``queries.jsonl`` and ``qrels.jsonl``. All
systems see the same chunks and the same BM25F. Figures are nDCG@10 by page; of two columns a set the second
is every other question, the half that nothing is tuned on. Below, what each part of Ibid is worth: the
difference without it, with the 95 % interval of a paired bootstrap.
"""

from __future__ import annotations

import asyncio
import sys
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
import wordllama
from numpy.typing import NDArray
from wordllama import WordLlama

from ibid.embedding import StaticEncoder
from ibid.index import Index
from ibid.models import Chunk, TurnPlan
from ibid.retrieval import constants
from ibid.retrieval.fusion import fuse
from ibid.retrieval.lexical import LexicalScores, LexicalSearcher
from ibid.retrieval.postings import build_lexicon
from ibid.retrieval.query import read_query
from ibid.retrieval.vector import ExactSearcher
from ibid.settings import Settings
from ibid.vectors import ShardedVectors
from ibid_build.bootstrap import compare
from ibid_build.chunking import chunk_page
from ibid_build.config import BuildConfig
from ibid_build.embedding_models import MODEL_DIM, Transformer
from ibid_build.encoder import Space, load_space
from ibid_build.encoder.fit import unit
from ibid_build.evaluate import Outcome
from ibid_build.pack import embedded_text, pack
from ibid_build.questions import Question, read_questions
from ibid_build.sources.jsonl import read_corpus

Floats = NDArray[np.float64]
Encode = Callable[[str], NDArray[np.float32]]


class WholeTransformer:
    """Embeds in all 384 dimensions, keeps that, and gives the build its 256."""

    def __init__(self) -> None:
        self._transformer = Transformer(
            Space(np.eye(MODEL_DIM, dtype=np.float32), np.zeros(MODEL_DIM, np.float32))
        )
        self.vectors = np.zeros((0, MODEL_DIM), dtype=np.float32)

    def encode(self, texts: Sequence[str], progress: object = None) -> NDArray[np.float32]:
        """float32 [len(texts), 256]."""
        del progress
        self.vectors = self._transformer.encode(texts)
        return load_space("english").into(self.vectors)

    def query(self, text: str) -> NDArray[np.float32]:
        """float32 [384]."""
        found: NDArray[np.float32] = self._transformer.encode([text])[0]
        return found


@dataclass(frozen=True)
class Set:
    """One opened set: chunks in the order of the index, and what the transformer made of them."""

    name: str
    index: Index
    chunks: Sequence[Chunk]
    questions: Sequence[Question]
    transformer: WholeTransformer

    @property
    def firsts(self) -> NDArray[np.intp]:
        """Each page's first chunk."""
        return np.array([page.first for page in self.index.pages], dtype=np.intp)

    def lexical(self) -> LexicalSearcher:
        """BM25F as Ibid has it."""
        return LexicalSearcher(self.index.lexicon, self.index.chunk_page, len(self.index.pages))

    def ranked(self, scores: Floats) -> tuple[str, ...]:
        """Pages by their best chunk, ties by its id."""
        order = np.lexsort((self.index.chunk_ids, -scores))
        order = order[scores[order] > 0][: Settings().candidates]
        pages = dict.fromkeys(self.index.chunk_page[order].tolist())
        return tuple(self.index.pages[number].path for number in pages)


Score = Callable[[str], Floats]
System = Callable[[Set], Score]


def open_set(path: Path, folder: Path) -> Set:
    """Packs the set's corpus into ``folder``."""
    pages = read_corpus(path / "corpus.jsonl", BuildConfig()).pages
    chunks = [chunk for page in pages for chunk in chunk_page(page)]
    chunks = list({chunk.id: chunk for chunk in chunks}.values())
    transformer = WholeTransformer()
    index = pack(chunks, folder, title=path.name, settings=Settings(), encoder=lambda _: transformer)
    questions = read_questions(path / "queries.jsonl", path / "qrels.jsonl")
    return Set(path.name, index, chunks, questions, transformer)


def cosines(
    vectors: NDArray[np.float32], encode: Encode, firsts: NDArray[np.intp]
) -> Callable[[str], tuple[Floats, Floats]]:
    """To each chunk and to each page's mean, in floating point."""
    means = unit(np.add.reduceat(vectors, firsts, axis=0))

    def both(text: str) -> tuple[Floats, Floats]:
        query = encode(text)
        return (vectors @ query).astype(np.float64), (means @ query).astype(np.float64)

    return both


def words_of(lexical: LexicalSearcher, text: str) -> LexicalScores:
    """Of a question in English."""
    return asyncio.run(lexical.score(read_query(text)))


def bm25_alone(each: Set) -> Score:
    """Keywords."""
    lexical = each.lexical()
    return lambda text: words_of(lexical, text).bm25()


def wordllama_both(each: Set) -> Score:
    """A static model on both sides, fused by min-max halves (FACTS)."""
    home = Path(wordllama.__file__).parent  # its loader looks for the tokenizer it ships in another folder
    model = WordLlama.load(cache_dir=home, disable_download=True)
    embed = lambda texts: unit(model.embed(texts).astype(np.float32))  # noqa: E731
    found = cosines(
        embed([embedded_text(chunk) for chunk in each.chunks]), lambda t: embed([t])[0], each.firsts
    )
    return min_max(each.lexical(), found)


def transformer_halves(each: Set) -> Score:
    """The transformer on both sides, 384 dimensions, min-max halves: a browser with onnxruntime."""
    found = cosines(each.transformer.vectors, each.transformer.query, each.firsts)
    return min_max(each.lexical(), found)


def transformer_query(each: Set) -> Score:
    """Ibid's ranking with the transformer's own query vector: what the table could win at most."""
    projection = load_space("english").projection
    return ranking(each, encode=lambda text: unit((each.transformer.query(text) @ projection)[None])[0])


def min_max(lexical: LexicalSearcher, found: Callable[[str], tuple[Floats, Floats]]) -> Score:
    """Half of each, each spread over 0 to 1 for the query."""

    def spread(values: Floats) -> Floats:
        width = values.max() - values.min()
        return (values - values.min()) / width if width else np.zeros_like(values)

    return lambda text: spread(words_of(lexical, text).bm25()) + spread(found(text)[0])


def ranking(
    each: Set,
    *,
    encode: Encode | None = None,
    index: Index | None = None,
    join: Callable[[LexicalScores, Floats, Floats], Floats] | None = None,
) -> Score:
    """Ibid's own, with one part exchanged."""
    index = index or each.index
    if index.dense is None:
        raise ValueError(f"{each.name} is not in English")
    encode = encode or index.dense.encoder.encode
    lexical = LexicalSearcher(index.lexicon, index.chunk_page, len(index.pages))
    if isinstance(index.dense.vectors, ShardedVectors):
        raise TypeError(f"{each.name} is too large to compare systems on")
    vector = ExactSearcher(index.dense.vectors, index.dense.scale, index.chunk_page)

    def score(text: str) -> Floats:
        query = read_query(text)
        words = asyncio.run(lexical.score(query))
        found = asyncio.run(vector.compare(encode(query.text), words.scores))
        if found is None:
            return words.bm25()
        chunk, page = found.cosines, found.page_cosines
        return fuse(words.bm25(), chunk, page) if join is None else join(words, chunk, page)

    return score


def without_fields(each: Set) -> Score:
    """Title, headings and body as one text."""
    flat = [
        replace(chunk, title="", heading_path=(), text="\n".join((*chunk.heading_path, chunk.text)))
        for chunk in each.chunks
    ]
    return ranking(each, index=replace(each.index, lexicon=build_lexicon(flat, each.index.language)))


def without_pairs(each: Set) -> Score:
    """The table's rows of single tokens alone; they were fitted together with those of pairs."""
    dense = each.index.dense
    if dense is None:
        raise ValueError(f"{each.name} is not in English")
    tokens = dense.encoder.tokenizer
    return ranking(
        each, encode=StaticEncoder(dense.encoder.table[: len(tokens)], dense.encoder.scale, tokens).encode
    )


def reciprocal_ranks(words: LexicalScores, chunk: Floats, page: Floats) -> Floats:
    """Cormack, Clarke, Büttcher 2009, k = 60."""
    meaning = chunk + constants.PAGE_COSINE_WEIGHT * page
    places = [(-values).argsort(kind="stable").argsort(kind="stable") for values in (words.bm25(), meaning)]
    found: Floats = 1 / (61 + places[0]) + 1 / (61 + places[1])
    return found


def halves(words: LexicalScores, chunk: Floats, page: Floats) -> Floats:
    """Min-max of each, half and half."""
    meaning = chunk + constants.PAGE_COSINE_WEIGHT * page
    parts = [(v - v.min()) / ((v.max() - v.min()) or 1) for v in (words.bm25(), meaning)]
    found: Floats = parts[0] + parts[1]
    return found


SYSTEMS: dict[str, System] = {
    "BM25F alone": bm25_alone,
    "WordLlama 256 on both sides + BM25F, min-max": wordllama_both,
    "transformer on both sides + BM25F, min-max": transformer_halves,
    "transformer's query in Ibid's ranking": transformer_query,
    "**Ibid**": ranking,
}
PARTS: dict[str, System] = {
    "words (cosines alone)": lambda each: ranking(
        each, join=lambda w, c, p: c + constants.PAGE_COSINE_WEIGHT * p
    ),
    "the page's mean vector": lambda each: ranking(each, join=lambda w, c, p: fuse(w.bm25(), c, 0 * p)),
    "rows for pairs of tokens": without_pairs,
    "fields (title, headings, body)": without_fields,
    "this fusion: reciprocal ranks instead": lambda each: ranking(each, join=reciprocal_ranks),
    "this fusion: min-max halves instead": lambda each: ranking(each, join=halves),
}


def run(each: Set, system: System) -> list[Outcome]:
    """Every question, ranked by one system."""
    score = system(each)
    nothing = TurnPlan("", False, 0.0, (), (), ())
    return [Outcome(q, nothing, each.ranked(score(q.text)), 0.0, 1) for q in each.questions]


def main() -> None:
    """Both tables."""
    if len(sys.argv) != 2:
        sys.exit("usage: python tests/bench/systems.py FOLDER, which holds retrieval sets")
    with tempfile.TemporaryDirectory() as folder:
        paths = sorted(path.parent for path in Path(sys.argv[1]).glob("*/corpus.jsonl"))
        sets = [open_set(path, Path(folder) / path.name) for path in paths]
        print("| nDCG@10 | " + " | ".join(f"{s.name} ({len(s.questions)}) | half" for s in sets) + " |")
        print("|---" * (2 * len(sets) + 1) + "|")
        ours = {}
        for name, system in SYSTEMS.items():
            cells = []
            for each in sets:
                ours[each.name] = outcomes = run(each, system)  # the last system is Ibid
                for part in (outcomes, outcomes[::2]):
                    cells.append(f"{np.mean([o.ndcg for o in part]):.3f}")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)
        print("\n| without | " + " | ".join(each.name for each in sets) + " |")
        print("|---" * (len(sets) + 1) + "|")
        for name, system in PARTS.items():
            cells = []
            for each in sets:
                found = compare(
                    *({o.question.id: o.measures for o in r} for r in (run(each, system), ours[each.name]))
                )
                gain = found["ndcg@10"]
                cells.append(f"{gain['difference']:+.3f} [{gain['low']:+.3f}, {gain['high']:+.3f}]")
            print(f"| {name} | " + " | ".join(cells) + " |", flush=True)


if __name__ == "__main__":
    main()
