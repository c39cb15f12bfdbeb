"""Cosines in whole numbers."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import numpy as np
import pytest
from numpy.typing import NDArray

from ibid.retrieval.vector import Compared, ExactSearcher
from ibid.vectors import page_sums, quantise, sign_bits

SIGNS = ["f7569c04836278a6", "48643d754faa2962", "1a1f880ac7389521", "e03d39888978504c"]


def unit(rows: NDArray[np.floating]) -> NDArray[np.float32]:
    return (rows / np.linalg.norm(rows, axis=-1, keepdims=True)).astype(np.float32)


def waves(count: int, dim: int, shift: float = 0.0) -> NDArray[np.float32]:
    """Unit rows that are all different; made of sines, as numpy.random is not in the browser."""
    places = np.arange(count * dim, dtype=np.float64).reshape(count, dim)
    return unit(np.sin(places * 1.7 + shift) + 0.3 * np.sin(places * 0.31 + shift))


def compared(
    vectors: NDArray[np.float32], query: NDArray[np.float32], firsts: Sequence[int] = (0,)
) -> Compared | None:
    """The pages begin at ``firsts``."""
    chunk_page = np.searchsorted(firsts, np.arange(len(vectors)), side="right").astype(np.int32) - 1
    searcher = ExactSearcher(*quantise(vectors), chunk_page.astype(np.int32))
    return asyncio.run(searcher.compare(query, np.zeros(len(vectors), dtype=np.int32)))


def test_cosines_are_those_of_the_vectors() -> None:
    """Quantising both sides costs at most .01."""
    vectors, query = waves(40, 64), waves(1, 64, shift=2.0)[0]
    found = compared(vectors, query, [0, 10])
    assert found is not None
    assert found.cosines == pytest.approx(vectors @ query, abs=0.01)


def test_a_page_is_its_mean_vector() -> None:
    """The cosine to the mean of the page's chunks, whose length does not matter."""
    vectors, query = waves(6, 64), waves(1, 64, shift=2.0)[0]
    found = compared(vectors, query, [0, 1, 3])
    means = unit(np.stack([vectors[0], vectors[1:3].mean(axis=0), vectors[3:].mean(axis=0)]))
    assert found is not None
    assert found.page_cosines == pytest.approx((means @ query)[[0, 1, 1, 2, 2, 2]], abs=0.01)


def test_a_passage_finds_itself() -> None:
    """A vector is closest to itself, at 1."""
    vectors = waves(30, 64)
    for number in (0, 13, 29):
        found = compared(vectors, vectors[number])
        assert found is not None
        assert int(found.cosines.argmax()) == number
        assert found.cosines[number] == pytest.approx(1.0, abs=0.01)


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


def test_the_length_of_a_query_does_not_matter() -> None:
    """Cosines see directions only."""
    vectors, query = waves(5, 16), waves(1, 16, shift=1.0)[0]
    one, other = (compared(vectors, query * np.float32(factor)) for factor in (1.0, 0.25))
    assert one is not None
    assert other is not None
    assert one.cosines.tolist() == other.cosines.tolist()


def test_nothing_is_near_zeros() -> None:
    """A query that the encoder does not know has no cosine, rather than one of 0."""
    assert compared(waves(5, 16), np.zeros(16, dtype=np.float32)) is None


def test_a_page_of_zeros_is_near_nothing() -> None:
    """A chunk without a vector gives 0, and no warning."""
    vectors = np.zeros((2, 4), dtype=np.float32)
    found = compared(vectors, np.ones(4, dtype=np.float32))
    assert found is not None
    assert (found.cosines.tolist(), found.page_cosines.tolist()) == ([0, 0], [0, 0])


def test_quantising_keeps_the_largest_step() -> None:
    """One scale for all; its largest number is 63 steps."""
    steps, scale = quantise(np.array([[0.5, -0.25]], dtype=np.float32))
    assert steps.tolist() == [[63, -32]]
    assert scale == pytest.approx(0.5 / 63)
    assert quantise(np.zeros((1, 2), dtype=np.float32))[0].tolist() == [[0, 0]]


def test_a_page_s_sum_is_that_of_its_vectors() -> None:
    """However many pages there are; whole numbers."""
    steps, _ = quantise(waves(700, 8))
    firsts = np.array([0, 1, *range(3, 700, 2)])
    sums = page_sums(steps, firsts)
    assert sums.dtype == np.int32
    assert sums.sum(axis=0).tolist() == steps.sum(axis=0, dtype=np.int64).tolist()
    assert sums[1].tolist() == steps[1:3].sum(axis=0, dtype=np.int64).tolist()
