"""Tests of the diversity of predictions."""

from __future__ import annotations

import tracemalloc
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.ensembles.diversity import diversity_to, pairwise_diversity
from search_space.arrays import FloatArray, PredictionArray

seeds = st.integers(0, 2**32 - 1)


def random_predictions(seed: int, m: int, n: int, k: int) -> PredictionArray:
    rng = np.random.default_rng(seed)
    return rng.dirichlet(np.full(k, 0.5), size=(m, n)).astype(np.float32)


def by_definition(predictions: PredictionArray) -> FloatArray:
    """Equation (3) written out."""
    p = predictions.astype(np.float64)
    distances = np.linalg.norm(p[:, None] - p[None, :], axis=-1)
    return np.asarray(np.sqrt(2.0) / 2.0 * distances.mean(axis=-1))


@pytest.mark.parametrize("n_classes", [2, 3, 7])
def test_models_certain_of_different_classes_have_diversity_one(n_classes: int) -> None:
    predictions = np.zeros((2, 5, n_classes), dtype=np.float32)
    predictions[0, :, 0] = predictions[1, :, 1] = 1.0
    np.testing.assert_allclose(pairwise_diversity(predictions), [[0.0, 1.0], [1.0, 0.0]])


def test_of_three_classes_certain_against_undecided_is_one_over_root_three() -> None:
    predictions = np.array([[[1.0, 0.0, 0.0]], [[1 / 3, 1 / 3, 1 / 3]]], dtype=np.float32)
    assert pairwise_diversity(predictions)[0, 1] == pytest.approx(3.0**-0.5, abs=1e-7)


def test_of_two_classes_diversity_is_the_mean_difference_of_one_probability() -> None:
    predictions = random_predictions(0, 2, 40, 2)
    expected = np.abs(predictions[0, :, 1] - predictions[1, :, 1]).mean()
    assert pairwise_diversity(predictions)[0, 1] == pytest.approx(expected, abs=1e-6)


@given(seeds, st.integers(1, 6), st.integers(1, 30), st.integers(2, 5))
def test_matrix_agrees_with_the_definition(seed: int, m: int, n: int, k: int) -> None:
    predictions = random_predictions(seed, m, n, k)
    np.testing.assert_allclose(
        pairwise_diversity(predictions), by_definition(predictions), atol=2e-7
    )


@pytest.mark.parametrize("n_classes", [2, 3])
def test_matrix_agrees_with_the_definition_over_many_blocks_of_rows(n_classes: int) -> None:
    predictions = random_predictions(1, 4, 1301, n_classes)
    np.testing.assert_allclose(
        pairwise_diversity(predictions), by_definition(predictions), atol=2e-7
    )


@given(seeds, st.integers(0, 6), st.integers(1, 9), st.integers(2, 4))
def test_matrix_is_exactly_symmetric_with_zero_diagonal_in_the_unit_interval(
    seed: int, m: int, n: int, k: int
) -> None:
    matrix = pairwise_diversity(random_predictions(seed, m, n, k))
    assert matrix.dtype == np.float64
    assert matrix.shape == (m, m)
    assert np.array_equal(matrix, matrix.T)
    assert not np.diagonal(matrix).any()
    assert np.all((matrix >= 0.0) & (matrix <= 1.0))


@given(seeds, st.integers(2, 4))
def test_diversity_is_a_distance(seed: int, k: int) -> None:
    matrix = pairwise_diversity(random_predictions(seed, 5, 7, k))
    detours = (matrix[:, :, None] + matrix[None, :, :]).min(axis=1)
    assert np.all(matrix <= detours + 1e-12)


@pytest.mark.parametrize("n_classes", [2, 4])
def test_growing_by_one_model_gives_exactly_the_row_of_the_matrix(n_classes: int) -> None:
    predictions = random_predictions(2, 7, 700, n_classes)
    row = diversity_to(predictions[-1], predictions[:-1])
    assert np.array_equal(row, pairwise_diversity(predictions)[-1, :-1])


def test_no_models_yet_give_an_empty_row() -> None:
    predictions = random_predictions(3, 1, 4, 2)
    assert diversity_to(predictions[0], predictions[:0]).shape == (0,)


def test_memory_mapped_predictions_are_read_in_pieces(tmp_path: Path) -> None:
    shape = (8, 100_000, 2)
    mapped = np.memmap(tmp_path / "predictions", dtype=np.float32, mode="w+", shape=shape)
    mapped[...] = random_predictions(4, *shape)
    in_memory = np.array(mapped)
    tracemalloc.start()
    matrix = pairwise_diversity(mapped)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < in_memory.nbytes / 10
    assert np.array_equal(matrix, pairwise_diversity(in_memory))


def test_arguments_are_left_as_they_are() -> None:
    predictions = random_predictions(5, 3, 6, 2)
    predictions.flags.writeable = False
    pairwise_diversity(predictions)
    diversity_to(predictions[0], predictions)


@pytest.mark.parametrize("shape", [(3, 0, 2), (3, 4, 1), (3, 4)])
def test_predictions_without_rows_or_classes_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="must be"):
        pairwise_diversity(np.zeros(shape, dtype=np.float32))


def test_a_model_of_another_shape_is_refused() -> None:
    with pytest.raises(ValueError, match="do not fit"):
        diversity_to(np.zeros((4, 3), dtype=np.float32), np.zeros((2, 4, 2), dtype=np.float32))
