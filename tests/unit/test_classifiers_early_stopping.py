"""Which rows are held back and how long boosted models are trained."""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers.boosting import BoostedClassifier, Rows, probability_matrix
from search_space.classifiers.early_stopping import (
    EarlyStopping,
    FixedRounds,
    early_stopping_for,
    validation_rows,
)

class_counts = st.lists(st.integers(1, 200), min_size=2, max_size=6)


def codes_of(counts: list[int]) -> IntArray:
    return np.random.default_rng(0).permutation(np.repeat(np.arange(len(counts)), counts))


@given(class_counts, st.floats(0.05, 0.5), st.integers(0, 100))
def test_each_class_gives_its_share_and_keeps_a_row(
    counts: list[int], fraction: float, seed: int
) -> None:
    codes = codes_of(counts)
    rows = validation_rows(codes, fraction, np.random.default_rng(seed))
    if rows is None:
        return
    assert len(set(rows)) == len(rows)
    assert (np.diff(rows) > 0).all()
    held_back = np.bincount(codes[rows], minlength=len(counts))
    assert (held_back < counts).all()
    assert (np.abs(held_back - fraction * np.array(counts)) <= 1.0).all()


@pytest.mark.parametrize(
    ("counts", "n_expected"),
    [
        ([100, 100], 26),
        ([96, 96], None),  # 24 rows are too few
        ([3, 400], None),  # 0 and 50 rows: one class only
        ([4, 400], 51),
        ([3, 200, 200], 50),
    ],
)
def test_few_rows_and_small_classes_are_not_split(
    counts: list[int], n_expected: int | None
) -> None:
    rows = validation_rows(codes_of(counts), 0.125, np.random.default_rng(0))
    assert (None if rows is None else len(rows)) == n_expected


def test_the_same_seed_holds_back_the_same_rows() -> None:
    codes = codes_of([200, 200])
    first, same, other = (validation_rows(codes, 0.2, np.random.default_rng(s)) for s in (1, 1, 2))
    assert first is not None
    assert other is not None
    np.testing.assert_array_equal(first, same)
    assert not np.array_equal(first, other)


def test_smaller_steps_mean_more_patience() -> None:
    assert early_stopping_for(0.1, 2.0) == EarlyStopping(
        max_rounds=2000, patience=20, few_rows_rounds=50, rounds_factor=2.0
    )
    assert early_stopping_for(0.3, 1.0).patience == 10
    assert early_stopping_for(0.01, 1.0).patience == 100
    assert early_stopping_for(0.01, 1.0).few_rows_rounds == 500


@pytest.mark.parametrize("fraction", [0.0, 0.6])
def test_shares_outside_the_half_are_refused(fraction: float) -> None:
    with pytest.raises(ValueError, match="validation_fraction"):
        EarlyStopping(max_rounds=1, patience=1, few_rows_rounds=1, validation_fraction=fraction)


def test_numbers_of_rounds_below_one_are_refused() -> None:
    with pytest.raises(ValueError, match="n_rounds"):
        FixedRounds(0)
    with pytest.raises(ValueError, match="patience"):
        EarlyStopping(max_rounds=1, patience=0, few_rows_rounds=1)


@dataclass(frozen=True)
class PriorModel:
    """Predicts the weighted frequencies of the classes it was trained on."""

    frequencies: FloatArray
    n_rounds: int

    def predict_proba(self, X: Features) -> FloatArray:
        """Return the frequencies for every row."""
        return np.tile(self.frequencies, (X.shape[0], 1))


@dataclass(frozen=True)
class PriorLearner:
    """Notes what it is given; 17 rounds are always best."""

    calls: list[tuple[Rows, Rows | None, int]] = field(default_factory=list)

    def train(self, rows: Rows, n_rounds: int) -> PriorModel:
        """Count the classes."""
        self.calls.append((rows, None, n_rounds))
        counts = np.bincount(rows.codes, weights=rows.weights)
        return PriorModel(counts / counts.sum(), n_rounds)

    def train_until_flat(
        self, rows: Rows, validation: Rows, *, max_rounds: int, patience: int
    ) -> PriorModel:
        """Return a model that knows nothing but the best number of rounds."""
        self.calls.append((rows, validation, max_rounds + patience))
        return PriorModel(np.full(2, 0.5), 17)


ROUNDS = EarlyStopping(max_rounds=1000, patience=5, few_rows_rounds=30)


def boosted(rounds: EarlyStopping | FixedRounds) -> tuple[BoostedClassifier, PriorLearner]:
    learner = PriorLearner()
    return BoostedClassifier(learner, rounds, random_state=0), learner


def test_rounds_found_on_held_back_rows_are_trained_on_all_rows() -> None:
    X, y = np.arange(400.0).reshape(-1, 1), np.tile([5, -5], 200)
    weights = np.arange(400.0)
    model, learner = boosted(ROUNDS)
    model.fit(X, y, weights)
    (part, held_back, limits), (everything, nothing, n_rounds) = learner.calls
    assert limits == 1005
    assert (nothing, n_rounds) == (None, 17)
    assert held_back is not None
    assert model.n_validation_rows_ == len(held_back.codes) == 50
    positions = np.concatenate([part.X, held_back.X]).ravel()
    np.testing.assert_array_equal(np.sort(positions), X.ravel())
    for rows in (part, held_back, everything):
        # Every row has kept its class and its weight.
        np.testing.assert_array_equal(rows.codes, (y[rows.X.ravel().astype(int)] == 5))
        np.testing.assert_array_equal(rows.weights, rows.X.ravel())


def test_the_last_training_goes_on_beyond_the_smallest_loss_by_the_factor() -> None:
    rounds = EarlyStopping(max_rounds=1000, patience=5, few_rows_rounds=30, rounds_factor=1.5)
    model, learner = boosted(rounds)
    model.fit(np.zeros((400, 1)), np.tile([0, 1], 200))
    _, (_, _, n_rounds) = learner.calls
    assert n_rounds == 26  # one and a half times the 17 that were found


@pytest.mark.parametrize("factor", [0.5, float("nan")])
def test_factors_that_would_shorten_the_training_are_refused(factor: float) -> None:
    with pytest.raises(ValueError, match="rounds_factor"):
        EarlyStopping(max_rounds=1, patience=1, few_rows_rounds=1, rounds_factor=factor)


def test_large_tables_are_not_trained_again() -> None:
    rounds = EarlyStopping(
        max_rounds=1000, patience=5, few_rows_rounds=30, most_rows_to_train_again=399
    )
    model, learner = boosted(rounds)
    model.fit(np.zeros((400, 1)), np.tile([0, 1], 200))
    assert len(learner.calls) == 1
    np.testing.assert_array_equal(model.predict_proba(np.zeros((1, 1))), [[0.5, 0.5]])


@pytest.mark.parametrize(("rounds", "expected"), [(ROUNDS, 30), (FixedRounds(44), 44)])
def test_few_rows_are_trained_for_fixed_rounds(
    rounds: EarlyStopping | FixedRounds, expected: int
) -> None:
    model, learner = boosted(rounds)
    model.fit(np.zeros((8, 1)), np.array([2, 2, 2, 2, 2, 2, 9, 9]))
    assert [call[1:] for call in learner.calls] == [(None, expected)]
    assert model.n_validation_rows_ == 0
    np.testing.assert_array_equal(model.predict_proba(np.zeros((1, 1))), [[0.75, 0.25]])
    assert model.predict(np.zeros((1, 1))) == [2]


def test_one_class_is_refused() -> None:
    with pytest.raises(ValueError, match="two classes"):
        boosted(ROUNDS)[0].fit(np.zeros((8, 1)), np.zeros(8, dtype=int))


def test_weights_of_another_length_are_refused() -> None:
    with pytest.raises(ValueError, match="inconsistent"):
        boosted(ROUNDS)[0].fit(np.zeros((8, 1)), np.tile([0, 1], 4), np.ones(7))


def test_rows_of_sparse_tables_can_be_taken() -> None:
    rows = Rows(scipy.sparse.csr_array(np.eye(3)), np.array([0, 1, 1]), None)
    taken = rows.take(np.array([2, 0]))
    np.testing.assert_array_equal(taken.X.toarray(), np.eye(3)[[2, 0]])
    np.testing.assert_array_equal(taken.codes, [1, 0])
    assert taken.weights is None


def test_single_precision_is_made_to_sum_to_one() -> None:
    rng = np.random.default_rng(0)
    rough = rng.dirichlet(np.ones(50), size=100).astype(np.float32).astype(np.float64)
    exact = probability_matrix(rough)
    assert exact.dtype == np.float64
    np.testing.assert_allclose(exact.sum(axis=1), 1.0, atol=1e-15)
    np.testing.assert_allclose(exact, rough, atol=1e-6)
