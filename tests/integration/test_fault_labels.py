"""Labels of every kind, rare classes and tiny tables: what goes in, comes out or is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from fakes.small_fits import quick, toy
from sklearn.exceptions import DataConversionWarning

from automl.errors import InputError


@pytest.mark.parametrize(
    "labels",
    [
        ["high", "low", "mid"],  # L01
        [-1, 0, 1],  # L03
        ["1", "2", "3"],  # L05
        [5, 7, 9],  # E03
    ],
    ids=["text", "signs", "digits", "shifted"],
)
def test_labels_come_back_as_they_were_and_columns_follow_the_sorted_classes(
    labels: list[Any],
) -> None:
    # L16: first appearance must not decide the order.
    X, codes = toy(k=3)
    y = np.array(labels)[codes]
    clf = quick(n_trials=2).fit(X, y)
    P, predicted = clf.predict_proba(X), clf.predict(X)
    assert clf.classes_.tolist() == labels
    assert P.shape == (len(X), 3)
    assert predicted.tolist() == clf.classes_[P.argmax(axis=1)].tolist()
    assert {type(label) for label in predicted.tolist()} == {type(labels[0])}
    assert clf.score(X, y) > 0.5


def test_two_labels_of_opposite_sign_stay_what_they_are() -> None:
    # L03
    X, codes = toy()
    y = np.where(codes == 1, 1, -1)
    assert set(quick().fit(X, y).predict(X)) == {-1, 1}


def test_a_category_that_never_occurs_is_no_class_and_not_worth_a_word() -> None:
    # L06
    X, codes = toy()
    y = pd.Series(pd.Categorical(np.array(["a", "b"])[codes], categories=["a", "b", "never"]))
    clf = quick().fit(X, y)
    assert list(clf.classes_) == ["a", "b"]
    assert clf.predict_proba(X).shape == (len(X), 2)
    assert not any("never" in str(change) for change in clf.changes_)


@pytest.mark.parametrize(
    ("gap", "container"),
    [(np.nan, "array"), (None, "list"), (pd.NA, "series"), (pd.NaT, "series")],
    ids=["nan", "none", "na", "nat"],
)
def test_missing_labels_are_refused_with_their_number_whatever_stands_for_them(
    gap: Any, container: str
) -> None:
    # L08
    X, codes = toy()
    labels = [gap if row in (3, 7) else float(code) for row, code in enumerate(codes)]
    make: Any = {"array": np.array, "list": list, "series": lambda v: pd.Series(v, dtype=object)}
    with pytest.raises(InputError, match=r"Input y contains NaN: 2 of 150 labels are missing"):
        quick().fit(X, make[container](labels))


@pytest.mark.parametrize("container", [np.ndarray, pd.DataFrame])
def test_a_target_of_one_column_is_raveled_with_the_usual_warning(container: type) -> None:
    # L10
    X, codes = toy()
    column = codes.reshape(-1, 1)
    y = column if container is np.ndarray else pd.DataFrame({"target": column[:, 0]})
    with pytest.warns(DataConversionWarning, match="column-vector y"):
        clf = quick().fit(X, y)
    assert clf.predict(X).shape == codes.shape
    assert np.array_equal(clf.predict_proba(X), quick().fit(X, codes).predict_proba(X))


def test_a_continuous_target_is_refused_with_what_to_do() -> None:
    # L11
    X, _ = toy()
    with pytest.raises(InputError, match=r"continuous.* use a regressor, or put y into classes"):
        quick().fit(X, X[:, 0] * 3.7)


def test_a_single_class_is_refused_by_its_name() -> None:
    # L13
    X, codes = toy()
    with pytest.raises(InputError, match=r"y has one class \(7\)"):
        quick().fit(X, np.full(len(codes), 7))


def test_a_second_fit_knows_nothing_of_the_first() -> None:
    # L15
    X3, codes = toy(k=3)
    clf = quick().fit(X3, np.array(["a", "b", "c"])[codes])
    X, y = toy(k=2, d=5)
    clf.fit(X, y)
    assert list(clf.classes_) == [0, 1]
    assert clf.n_features_in_ == 5
    assert np.array_equal(clf.predict_proba(X), quick().fit(X, y).predict_proba(X))


# --- rare classes -------------------------------------------------------------------------------


def test_the_only_row_of_a_class_trains_everywhere_and_is_told_once() -> None:
    # I01
    X, y = toy()
    y[0] = 2
    clf = quick(n_trials=2).fit(X, y)
    assert 2 in clf.classes_
    assert clf.predict_proba(X).shape == (len(X), 3)
    assert len([c for c in clf.changes_ if "only row" in c.subject]) == 1
    assert (clf.leaderboard()["status"] == "success").all()


@pytest.mark.filterwarnings("ignore::automl.errors.DegradedResultWarning")
def test_no_row_is_invented_for_a_rare_class(tmp_path: Path) -> None:
    # I03
    X, y = toy(n=120)
    y[:103], y[103:] = 0, 1
    before = y.copy()
    clf = quick(work_dir=tmp_path / "run", scoring="neg_log_loss", n_trials=3).fit(X, y)
    assert np.array_equal(y, before)
    n_trials = int((clf.leaderboard()["status"] == "success").sum())
    out_of_fold = np.fromfile(tmp_path / "run" / "predictions.f32", dtype=np.float32)
    assert out_of_fold.size == n_trials * 120 * 2


@pytest.mark.parametrize("learner", ["hist_gradient_boosting", "lightgbm", "xgboost", "mlp"])
def test_a_learners_own_validation_part_does_without_a_rare_class(learner: str) -> None:
    # I05
    X, y = toy(n=150)
    y[:2] = 5
    clf = quick(search_space="default", include=[learner], cv="holdout").fit(X, y)
    assert clf.failures_ == ()
    assert 5 in clf.classes_


@pytest.mark.filterwarnings("ignore:no model has a lower loss")  # four positive rows are too few
@pytest.mark.parametrize("scoring", ["neg_log_loss", "roc_auc", "f1", "balanced_accuracy"])
def test_a_metric_has_a_value_where_folds_hold_hardly_any_positive_row(scoring: str) -> None:
    # I06
    X, _ = toy(n=200)
    y = np.zeros(200, dtype=int)
    y[np.random.default_rng(0).choice(200, 4, replace=False)] = 1
    clf = quick(scoring=scoring).fit(X, y)
    assert clf.failures_ == ()
    assert np.isfinite(clf.best_loss_)


@pytest.mark.parametrize(
    ("rows", "columns", "message"),
    [(1, 6, "1 sample"), (0, 6, "0 sample"), (150, 0, "0 feature")],
)
def test_a_table_without_enough_is_refused_in_the_usual_words(
    rows: int, columns: int, message: str
) -> None:
    # I08
    X, y = toy()
    with pytest.raises(InputError, match=message):
        quick().fit(X[:rows, :columns], y[:rows])


def test_one_column_is_enough() -> None:
    # I08
    X, y = toy()
    clf = quick().fit(X[:, 3:4], y)
    assert clf.predict(X[:, 3:4]).shape == y.shape


@pytest.mark.slow
def test_many_classes_are_learnt_and_learners_that_cannot_are_named() -> None:
    # I10
    n_classes = 220
    y = np.repeat(np.arange(n_classes), 5)
    X = np.random.default_rng(1).normal(size=(len(y), 5))
    X[:, 0] += y
    clf = quick(search_space="default").fit(X, y)
    assert clf.predict_proba(X).shape == (len(y), n_classes)
    assert clf.failures_ == ()
    left_out = {change.subject: change.reason for change in clf.changes_}
    assert "220 classes" in left_out["learner lightgbm"]
