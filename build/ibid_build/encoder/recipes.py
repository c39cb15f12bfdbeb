"""What the two encoders differ in: their texts, their teacher, and where their rows start."""

from __future__ import annotations

import random
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import NDArray

from ibid_build.embedding_models import MODEL_DIM, MODEL_ID, Transformer
from ibid_build.encoder import EncoderName, Space, folder_of, load_tokenizer
from ibid_build.encoder.catalogues import LANGUAGES, Catalogue, catalogues, lines_by_language
from ibid_build.encoder.corpus import candidates, packages, sample, shuffled
from ibid_build.encoder.forms import Form
from ibid_build.encoder.frequent import frequent_pieces
from ibid_build.encoder.phrases import phrases
from ibid_build.multilingual_model import MULTILINGUAL_ID, E5Engine

HELD_OUT_TEXTS = 2_000
ENGLISH_WORDS = 10_000
MULTILINGUAL_WORDS = 6_000
_HELD_OUT_CATALOGUE = "apache-airflow-core"
# BERT's entries stand in order of their frequency in English from here on; special and single ones before.
_FIRST_WORD = 1996

Say = Callable[[str], None]
Floats = NDArray[np.float32]


@dataclass(frozen=True, slots=True)
class Texts:
    """What is trained on, in the order of training, and what is only measured on; language by language."""

    trained: list[str]
    foreign: list[str]
    languages: list[int]


class Recipe(Protocol):
    """One encoder's."""

    name: EncoderName
    teacher: str
    languages: tuple[str, ...]
    pairs: int
    texts: int

    def sources(self) -> list[str]:
        """Every pinned source with its licence."""
        ...

    def gather(self, count: int, say: Say) -> Texts:
        """About ``count`` texts. Raises InputError."""
        ...

    def embed(self, texts: Sequence[str]) -> Floats:
        """float32 [n, 384]: the teacher's vectors of questions."""
        ...

    def embed_entries(self) -> Floats:
        """float32 [V, 384]: the teacher's vectors of the vocabulary's entries, each alone."""
        ...

    def centre(self, vectors: Floats) -> Floats:
        """float32 [384]: what is taken off every vector."""
        ...

    def ranks(self, uses: NDArray[np.intp]) -> NDArray[np.intp]:
        """intp [V]: the entries' places in order of frequency, below 0 for those that are no words; ``uses``
        are their counts in the texts.
        """
        ...

    def silent(self) -> NDArray[np.bool]:
        """bool [V]: entries whose rows are zeros, since the texts say nothing about them."""
        ...

    def frequent(self, texts: Sequence[Iterable[Sequence[int]]]) -> NDArray[np.uint16]:
        """uint16 [V]: ``frequent.npy``, of the token ids of each language's texts."""
        ...


class English:
    """Documentation of Python packages, all-MiniLM-L6-v2, BERT's vocabulary."""

    name: EncoderName = "english"
    teacher = MODEL_ID
    languages: tuple[str, ...] = ("en",)
    pairs = 8_192
    texts = 220_000

    def __init__(self) -> None:
        """Raises InputError when the model is missing."""
        self._tokenizer = load_tokenizer(self.name)
        eye = np.eye(MODEL_DIM, dtype=np.float32)
        self._transformer = Transformer(Space(eye, np.zeros(MODEL_DIM, dtype=np.float32)))

    def sources(self) -> list[str]:
        return [f"{package.archive.pin} ({package.archive.licence})" for package in packages()]

    def gather(self, count: int, say: Say) -> Texts:
        trained: dict[str, dict[Form, list[str]]] = {}
        foreign: dict[str, dict[Form, list[str]]] = {}
        for package in packages():
            say(f"reading {package.archive.pin}")
            texts_of = foreign if package.held_out else trained
            texts_of[package.archive.name] = candidates(package, package.archive.fetch())
        texts = sample(trained, count)
        return Texts(texts, sample(foreign, HELD_OUT_TEXTS), [0] * len(texts))

    def embed(self, texts: Sequence[str]) -> Floats:
        return self._transformer.encode_tokens([self._tokenizer.ids(text) for text in texts], batch=16)

    def embed_entries(self) -> Floats:
        return self._transformer.encode_tokens([[number] for number in range(len(self._tokenizer))], batch=16)

    def centre(self, vectors: Floats) -> Floats:
        return np.zeros(MODEL_DIM, dtype=np.float32)

    def ranks(self, uses: NDArray[np.intp]) -> NDArray[np.intp]:
        return np.arange(len(uses), dtype=np.intp) - _FIRST_WORD

    def silent(self) -> NDArray[np.bool]:
        """Special entries, and those in scripts that the texts do not have."""
        entries = self._tokenizer.vocabulary
        silent = np.array([not entry.isascii() and entry.removeprefix("##").isalpha() for entry in entries])
        silent[: self._tokenizer.id_of("[MASK]") + 1] = True
        silent[self._tokenizer.unknown] = True
        return silent

    def frequent(self, texts: Sequence[Iterable[Sequence[int]]]) -> NDArray[np.uint16]:
        """By BERT's own order, which is that of English at large."""
        entries = self._tokenizer.vocabulary
        single = np.array([len(entry.removeprefix("##")) == 1 for entry in entries]) & ~self.silent()
        single[_FIRST_WORD : _FIRST_WORD + ENGLISH_WORDS] = True
        return single.astype(np.uint16)


class Multilingual:
    """Translated documentation and interfaces, multilingual-e5-small, a vocabulary learned from them."""

    name: EncoderName = "multilingual"
    teacher = MULTILINGUAL_ID
    languages = tuple(LANGUAGES)
    pairs = 12_288
    texts = 144_000

    def __init__(self) -> None:
        """Raises InputError when the model is missing."""
        self._tokenizer = load_tokenizer(self.name)
        self._engine = E5Engine()

    def sources(self) -> list[str]:
        return [f"{each.archive.pin} ({each.archive.licence})" for each in self._catalogues()]

    def gather(self, count: int, say: Say) -> Texts:
        """As many of each language; the catalogues take turns."""
        found: dict[str, dict[str, dict[Form, list[str]]]] = {language: {} for language in self.languages}
        for catalogue in self._catalogues():
            name = catalogue.archive.name
            say(f"reading {catalogue.archive.pin}")
            for language, lines in lines_by_language(catalogue, catalogue.archive.fetch()).items():
                rng = random.Random(f"{name} {language}")  # noqa: S311 - sampling, not secrets
                produced = (text for line in lines for text in phrases(line, language, rng))
                found[language][name] = shuffled(produced, rng)
        trained: list[tuple[str, int]] = []
        foreign: list[str] = []
        for number, by_source in enumerate(found.values()):
            held_out = by_source.pop(_HELD_OUT_CATALOGUE)
            trained += [(text, number) for text in sample(by_source, count // len(self.languages))]
            foreign += sample({_HELD_OUT_CATALOGUE: held_out}, HELD_OUT_TEXTS // len(self.languages))
        random.Random(0).shuffle(trained)  # noqa: S311
        return Texts([text for text, _ in trained], foreign, [number for _, number in trained])

    def embed(self, texts: Sequence[str]) -> Floats:
        return self._engine.questions(texts)

    def embed_entries(self) -> Floats:
        return self._engine.questions([entry.removeprefix("##") for entry in self._tokenizer.vocabulary])

    def centre(self, vectors: Floats) -> Floats:
        """The mean: all of this transformer's vectors lie within some forty degrees of it."""
        mean: Floats = vectors.mean(axis=0, dtype=np.float64).astype(np.float32)
        return mean

    def ranks(self, uses: NDArray[np.intp]) -> NDArray[np.intp]:
        ranks = np.empty(len(uses), dtype=np.intp)
        ranks[np.argsort(-uses, kind="stable")] = np.arange(len(uses))
        return ranks

    def silent(self) -> NDArray[np.bool]:
        silent = np.zeros(len(self._tokenizer), dtype=np.bool)
        silent[self._tokenizer.unknown] = True
        return silent

    def frequent(self, texts: Sequence[Iterable[Sequence[int]]]) -> NDArray[np.uint16]:
        return frequent_pieces(self._tokenizer, texts, MULTILINGUAL_WORDS)

    def _catalogues(self) -> list[Catalogue]:
        return catalogues(folder_of(self.name) / "sources.txt")


RECIPES: dict[EncoderName, Callable[[], Recipe]] = {"english": English, "multilingual": Multilingual}
