"""Tests of stacking models by a logistic regression."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from automl.ensembles.stacking import Stacking
from search_space.arrays import FloatArray, IntArray


def problem(seed: int, n_rows: int, n_classes: int) -> tuple[IntArray, FloatArray, FloatArray]:
    """Return codes, a model that gives the very probabilities they were drawn by, and noise."""
    rng = np.random.default_rng(seed)
    good = rng.dirichlet(np.full(n_classes, 0.3), size=n_rows)
    codes = (rng.random((n_rows, 1)) > good.cumsum(axis=1)[:, :-1]).sum(axis=1)
    return codes, good, rng.dirichlet(np.ones(n_classes), size=(4, n_rows))


@pytest.mark.parametrize("n_classes", [2, 3, 5])
def test_the_one_good_model_is_found_among_noise(n_classes: int) -> None:
    codes, good, noise = problem(0, 1_500, n_classes)
    library = np.concatenate([noise[:2], good[None], noise[2:]])
    fitted = Stacking().fit(library[:, :1_000], codes[:1_000])
    stacked, mean = fitted.predict(library[:, 1_000:]), library[:, 1_000:].mean(axis=0)
    labels = good[1_000:].argmax(axis=1)
    assert np.mean(stacked.argmax(axis=1) == labels) > 0.9
    assert np.mean(mean.argmax(axis=1) == labels) < 0.85


@pytest.mark.parametrize("n_classes", [2, 4])
def test_equal_models_leave_what_they_predict(n_classes: int) -> None:
    codes, good, _ = problem(1, 4_000, n_classes)
    library = np.repeat(good[None], 5, axis=0)
    stacked = Stacking().fit(library, codes).predict(library)
    assert np.mean(stacked.argmax(axis=1) == good.argmax(axis=1)) > 0.98
    assert np.abs(stacked - good).mean() < 0.05


def test_a_model_that_is_always_wrong_is_turned_round() -> None:
    codes = np.arange(40) % 2
    wrong = np.eye(2)[1 - codes][None]
    assert (Stacking().fit(wrong, codes).predict(wrong).argmax(axis=1) == codes).all()


def test_several_classes_are_what_scikit_learn_learns_from_the_columns_side_by_side() -> None:
    codes, good, noise = problem(2, 300, 3)
    library = np.concatenate([noise[:1], good[None]])
    columns = np.hstack([library[0], library[1]])
    expected = LogisticRegression(max_iter=1_000).fit(columns, codes).predict_proba(columns)
    np.testing.assert_allclose(Stacking().fit(library, codes).predict(library), expected, atol=1e-9)


def test_of_two_classes_one_column_says_everything() -> None:
    codes, good, noise = problem(3, 300, 2)
    library = np.concatenate([noise, good[None]])
    columns = library[:, :, 1].T
    expected = LogisticRegression(max_iter=1_000).fit(columns, codes).predict_proba(columns)
    np.testing.assert_allclose(Stacking().fit(library, codes).predict(library), expected, atol=1e-9)


def test_a_class_that_no_validation_row_has_keeps_the_mean_of_the_models() -> None:
    codes, good, noise = problem(4, 400, 4)
    library = np.concatenate([noise[:2], good[None]])
    seen = codes != 1
    stacked = Stacking().fit(library[:, seen], codes[seen]).predict(library)
    np.testing.assert_allclose(stacked[:, 1], library.mean(axis=0)[:, 1], atol=1e-12)
    np.testing.assert_allclose(stacked.sum(axis=1), 1.0, atol=1e-12)
    others = [0, 2, 3]
    right = stacked[:, others].argmax(axis=1) == good[:, others].argmax(axis=1)
    assert right.mean() > 0.9


def test_rows_of_one_class_leave_the_mean_of_the_models() -> None:
    _, good, noise = problem(5, 50, 3)
    library = np.concatenate([noise, good[None]])
    stacked = Stacking().fit(library, np.full(50, 2)).predict(library)
    np.testing.assert_allclose(stacked, library.mean(axis=0), atol=1e-12)


def test_a_heavier_penalty_brings_predictions_closer_to_the_class_frequencies() -> None:
    codes, good, _ = problem(6, 500, 3)
    spreads = [
        np.ptp(Stacking(inverse_penalty=c).fit(good[None], codes).predict(good[None]), axis=0).min()
        for c in (1e-4, 1.0)
    ]
    assert spreads[0] < 0.1
    assert spreads[1] > 0.5


def test_predictions_on_disk_in_single_precision_are_as_good(tmp_path: Path) -> None:
    codes, good, noise = problem(7, 200, 3)
    library = np.concatenate([noise, good[None]]).astype(np.float32)
    np.save(tmp_path / "library.npy", library)
    mapped = np.load(tmp_path / "library.npy", mmap_mode="r")
    assert np.array_equal(
        Stacking().fit(mapped, codes).predict(mapped),
        Stacking().fit(library, codes).predict(library),
    )


@pytest.mark.parametrize("shape", [(0, 4, 3), (2, 5, 3), (4, 3), (2, 4, 0)])
def test_predictions_that_do_not_fit_the_rows_are_refused(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match="do not fit"):
        Stacking().fit(np.full(shape, 0.5), np.array([0, 1, 2, 0]))


@pytest.mark.parametrize("shape", [(2, 4, 3), (3, 4, 2)])
def test_other_models_or_classes_are_refused(shape: tuple[int, ...]) -> None:
    codes, good, noise = problem(8, 30, 3)
    fitted = Stacking().fit(np.concatenate([noise[:2], good[None]]), codes)
    with pytest.raises(ValueError, match="do not fit"):
        fitted.predict(np.full(shape, 0.5))
