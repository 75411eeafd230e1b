"""The average of fitted pipelines."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import cloudpickle
import numpy as np
import pytest
import scipy.sparse
from hypothesis import given
from hypothesis import strategies as st
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from search_space.arrays import FloatArray

N_CLASSES = 3


@dataclass
class Fixed:
    """Predicts the same probabilities for every row."""

    row: FloatArray
    classes_: Any = field(default_factory=lambda: np.arange(N_CLASSES))

    def predict_proba(self, X: Any) -> FloatArray:
        """Return the row for each row."""
        return np.tile(self.row, (X.shape[0], 1))


def member(number: int, weight: float, *models: Any) -> Member:
    return Member(
        number=number,
        learner="fixed",
        weight=weight,
        loss=0.1,
        configuration={},
        models=tuple(models),
        is_refitted=len(models) == 1,
    )


def ensemble(*members: Member) -> WeightedEnsemble:
    return WeightedEnsemble(members=tuple(members), n_classes=N_CLASSES, loss=0.1)


rows = st.lists(st.floats(0.01, 1.0), min_size=3, max_size=3).map(
    lambda values: np.array(values) / np.sum(values)
)


@given(rows)
def test_one_model_in_the_same_prediction_out(row: FloatArray) -> None:
    found = ensemble(member(0, 1.0, Fixed(row))).predict_proba(np.zeros((2, 4)))
    assert np.array_equal(found, [row, row])


@given(rows, st.floats(0.05, 0.95), st.integers(1, 4))
def test_a_duplicate_of_a_model_changes_nothing(
    row: FloatArray, weight: float, n_models: int
) -> None:
    copies = [Fixed(row)] * n_models
    both = ensemble(member(0, weight, *copies), member(1, 1.0 - weight, *copies))
    np.testing.assert_allclose(both.predict_proba(np.zeros((1, 1))), [row], rtol=1e-12)


@given(st.lists(st.tuples(rows, st.integers(1, 9)), min_size=1, max_size=5))
def test_the_prediction_is_the_weighted_average_and_sums_to_one(
    drawn: list[tuple[FloatArray, int]],
) -> None:
    shares = np.array([share for _, share in drawn], dtype=float)
    shares /= shares.sum()
    members = [
        member(i, float(share), Fixed(row))
        for i, ((row, _), share) in enumerate(zip(drawn, shares, strict=True))
    ]
    found = ensemble(*members).predict_proba(np.zeros((1, 1)))[0]
    np.testing.assert_allclose(found, np.average([r for r, _ in drawn], axis=0, weights=shares))
    assert found.sum() == pytest.approx(1.0)


def test_fold_models_are_averaged_and_a_class_that_one_lacks_counts_as_zero() -> None:
    complete = Fixed(np.array([0.2, 0.3, 0.5]))
    lacks_one = Fixed(np.array([0.6, 0.4]), classes_=np.array([0, 2]))
    found = member(0, 1.0, complete, lacks_one).predict_proba(np.zeros((2, 1)), N_CLASSES)
    np.testing.assert_allclose(found, [[0.4, 0.15, 0.45]] * 2)


def test_columns_follow_the_classes_of_the_model_whatever_their_order() -> None:
    turned = Fixed(np.array([0.5, 0.2, 0.3]), classes_=np.array([2, 0, 1]))
    found = member(0, 1.0, turned).predict_proba(np.zeros((1, 1)), N_CLASSES)
    np.testing.assert_allclose(found, [[0.2, 0.3, 0.5]])


@pytest.mark.parametrize("X", [np.zeros((3, 2)), scipy.sparse.csr_array((3, 2))])
def test_dense_and_sparse_tables_give_a_row_each(X: Any) -> None:
    model = Pipeline([("classifier", DummyClassifier(strategy="prior"))])
    model.fit(np.zeros((4, 2)), np.array([0, 1, 2, 2]))
    found = ensemble(member(0, 1.0, model)).predict_proba(X)
    np.testing.assert_allclose(found, [[0.25, 0.25, 0.5]] * 3)


@pytest.mark.parametrize("weights", [(), (0.5,), (0.7, 0.4)])
def test_weights_that_do_not_sum_to_one_are_refused(weights: tuple[float, ...]) -> None:
    members = [member(i, w, Fixed(np.ones(3) / 3)) for i, w in enumerate(weights)]
    with pytest.raises(ValueError, match="must sum to 1, they sum to"):
        ensemble(*members)


def test_weights_are_known_by_trial() -> None:
    row = np.ones(3) / 3
    found = ensemble(member(7, 0.75, Fixed(row)), member(2, 0.25, Fixed(row))).weights
    assert found == {7: 0.75, 2: 0.25}


def test_an_ensemble_can_be_pickled() -> None:
    model = Pipeline([("classifier", DummyClassifier(strategy="prior"))])
    model.fit(np.zeros((4, 2)), np.array([0, 1, 2, 2]))
    original = ensemble(member(0, 1.0, model))
    copy = cloudpickle.loads(cloudpickle.dumps(original))
    X = np.zeros((2, 2))
    assert np.array_equal(copy.predict_proba(X), original.predict_proba(X))
