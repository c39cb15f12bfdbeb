"""Cosines in whole numbers."""

from __future__ import annotations

import numpy as np
import pytest
from numpy.typing import NDArray

from ibid.retrieval.vector import VectorSearcher, quantise, sign_bits

SIGNS = ["f7569c04836278a6", "48643d754faa2962", "1a1f880ac7389521", "e03d39888978504c"]


def unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def waves(count: int, dim: int, shift: float = 0.0) -> NDArray[np.float32]:
    """Unit rows that are all different; made of sines, as numpy.random is not in the browser."""
    places = np.arange(count * dim, dtype=np.float64).reshape(count, dim)
    return unit(np.sin(places * 1.7 + shift) + 0.3 * np.sin(places * 0.31 + shift))


def searcher(vectors: NDArray[np.float32], firsts: list[int]) -> VectorSearcher:
    return VectorSearcher(*quantise(vectors), np.array(firsts, dtype=np.intp))


def test_cosines_are_those_of_the_vectors() -> None:
    """Quantising both sides costs at most .01."""
    vectors, query = waves(40, 64), waves(1, 64, shift=2.0)[0]
    found = searcher(vectors, [0, 10])
    cosines = found.cosines(query)
    assert cosines is not None
    assert cosines[0] == pytest.approx(vectors @ query, abs=0.01)


def test_a_page_is_its_mean_vector() -> None:
    """The cosine to the mean of the page's chunks, whose length does not matter."""
    vectors, query = waves(6, 64), waves(1, 64, shift=2.0)[0]
    cosines = searcher(vectors, [0, 1, 3]).cosines(query)
    means = unit(np.stack([vectors[0], vectors[1:3].mean(axis=0), vectors[3:].mean(axis=0)]))
    assert cosines is not None
    assert cosines[1] == pytest.approx(means @ query, abs=0.01)


def test_a_passage_finds_itself() -> None:
    """A vector is closest to itself, at 1."""
    vectors = waves(30, 64)
    for number in (0, 13, 29):
        cosines = searcher(vectors, [0]).cosines(vectors[number])
        assert cosines is not None
        assert int(cosines[0].argmax()) == number
        assert cosines[0][number] == pytest.approx(1.0, abs=0.01)


def many(vectors: NDArray[np.float32], firsts: list[int]) -> VectorSearcher:
    """A searcher that has the signs as well."""
    steps, scale = quantise(vectors)
    return VectorSearcher(steps, scale, np.array(firsts, dtype=np.intp), sign_bits(steps))


def test_few_and_many_passages_have_the_same_cosines() -> None:
    """Bit by bit, of all and of some: what is summed as floats are whole numbers below 2**24."""
    vectors, query = waves(50, 256), waves(1, 256, shift=2.0)[0]
    one, other = searcher(vectors, [0, 9]), many(vectors, [0, 9])
    few, all_of_many = one.cosines(query), other.cosines(query)
    some = other.cosines(query, np.array([3, 30]))
    assert few is not None
    assert all_of_many is not None
    assert some is not None
    assert [part.tolist() for part in few] == [part.tolist() for part in all_of_many]
    assert some[0].tolist() == few[0][[3, 30]].tolist()
    assert some[1].tolist() == few[1].tolist()


@pytest.mark.parametrize(("dim", "words"), [(3, 1), (64, 1), (65, 2), (200, 4), (256, 4), (300, 8)])
def test_signs_are_packed_in_words(dim: int, words: int) -> None:
    """64 a word, the dimensions filled up to a power of two; opposite vectors differ wherever they can."""
    steps, _ = quantise(waves(5, dim))
    bits = sign_bits(np.concatenate((steps, -steps)))
    assert (bits.shape, bits.dtype) == ((words, 10), np.uint64)
    different = np.bitwise_count(bits[:, :5] ^ bits[:, 5:]).sum(axis=0)
    assert (different > 0.8 * 64 * words).all()


def test_signs_are_the_same_everywhere() -> None:
    """Whole numbers and fixed flips: as stored in indexes that are published."""
    steps = (np.arange(512).reshape(2, 256) * 37 % 101 - 50).astype(np.int8)
    assert [f"{word:016x}" for word in sign_bits(steps)[:, 0].tolist()] == SIGNS


def test_the_nearest_by_signs_hold_the_nearest_by_cosine() -> None:
    """A tenth of the passages, and the best is among them; with as many as there are, all."""
    vectors = waves(300, 256)
    many_of_them = many(vectors, [0])
    for number in (0, 77, 299):
        found = many_of_them.nearest(vectors[number], 30)
        assert found is not None
        assert number in found
        assert len(found) < 100
        assert (np.diff(found) > 0).all()
    everything = many_of_them.nearest(vectors[0], 300)
    assert everything is not None
    assert everything.tolist() == list(range(300))
    assert searcher(vectors, [0]).nearest(vectors[0], 30) is None


def test_the_length_of_a_query_does_not_matter() -> None:
    """Cosines see directions only."""
    vectors, query = waves(5, 16), waves(1, 16, shift=1.0)[0]
    one, other = (searcher(vectors, [0]).cosines(query * factor) for factor in (1.0, 0.25))
    assert one is not None
    assert other is not None
    assert one[0].tolist() == other[0].tolist()


def test_nothing_is_near_zeros() -> None:
    """A query that the encoder does not know has no cosine, rather than one of 0."""
    assert searcher(waves(5, 16), [0]).cosines(np.zeros(16, dtype=np.float32)) is None


def test_a_page_of_zeros_is_near_nothing() -> None:
    """A chunk without a vector gives 0, and no warning."""
    vectors = np.zeros((2, 4), dtype=np.float32)
    cosines = searcher(vectors, [0]).cosines(np.ones(4, dtype=np.float32))
    assert cosines is not None
    assert (cosines[0].tolist(), cosines[1].tolist()) == ([0, 0], [0])


def test_quantising_keeps_the_largest_step() -> None:
    """One scale for all; its largest number is 63 steps."""
    steps, scale = quantise(np.array([[0.5, -0.25]], dtype=np.float32))
    assert steps.tolist() == [[63, -32]]
    assert scale == pytest.approx(0.5 / 63)
    assert quantise(np.zeros((1, 2), dtype=np.float32))[0].tolist() == [[0, 0]]
