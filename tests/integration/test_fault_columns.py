"""Columns of every type, name and shape, missing values, and tables wide or suspicious."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
import scipy.sparse
from fakes.small_fits import frame, quick, toy

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError

RNG = np.random.default_rng(0)


def fits_and_predicts(X: Any, y: Any, **arguments: Any) -> AutoClassifier:
    """Return an estimator that was fitted without a failure and predicts the rows it saw."""
    clf = quick(**arguments).fit(X, y)
    assert clf.failures_ == ()
    P = clf.predict_proba(X)
    assert P.shape == (len(y), 2)
    assert np.isfinite(P).all()
    return clf


@pytest.mark.parametrize("storage", [bool, object, "boolean", "category"])
def test_truth_values_are_features_in_any_storage(storage: Any) -> None:
    # D01
    table, y = frame()
    table = table[["a", "flag"]].astype({"flag": storage})
    fits_and_predicts(table, y)


def test_nullable_columns_may_have_gaps() -> None:
    # D03
    table, y = frame()
    gap = RNG.random(len(table)) < 0.2
    table["n"] = pd.array(np.where(gap, None, np.arange(len(table)) % 4), dtype="Int64")
    table["m"] = pd.array(np.where(gap, None, True), dtype="boolean")
    table["x"] = pd.array(np.where(gap, None, 0.5 * y), dtype="Float64")
    # Every learner of the space has to cope, not only some.
    fits_and_predicts(table, y, n_trials=3)


def test_text_of_the_default_type_is_a_category_without_deprecated_calls() -> None:
    # D05
    table, _ = frame(300)
    y = (table["city"] == "rome").astype(int).to_numpy()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        clf = quick(include=["decision_tree"]).fit(table, y)
    assert clf.score(table, y) > 0.95


@pytest.mark.parametrize(
    "form", [scipy.sparse.csr_matrix, scipy.sparse.csc_array, scipy.sparse.coo_matrix]
)
def test_sparse_tables_of_any_form_are_taken(form: Callable[[Any], Any]) -> None:
    # D06
    X, y = toy()
    X[np.abs(X) < 0.5] = 0.0
    clf = quick(n_trials=3).fit(form(X), y)
    assert np.allclose(clf.predict_proba(form(X)), clf.predict_proba(X))
    assert (clf.leaderboard()["status"] == "success").all()


def test_numbers_stored_as_text_are_numbers_again_and_it_is_told() -> None:
    # D08
    X, y = toy()
    table = pd.DataFrame(X, columns=list("abcdef")).round(3).astype(str)
    clf = fits_and_predicts(table, y)
    assert clf.score(table, y) > 0.6
    told = [c.subject for c in clf.changes_ if c.action == "read as numbers"]
    assert told == [f"column '{name}'" for name in "abcdef"]


def test_dates_zones_and_durations_are_read_and_a_single_row_has_all_their_parts() -> None:
    # D10
    table, y = frame()
    table["t"] = pd.date_range("2020-01-31", periods=len(table), freq="7h")
    table.loc[3, "t"] = pd.NaT
    zone = {"ambiguous": "NaT", "nonexistent": "NaT"}
    table["tz"] = table["t"].dt.tz_localize("Europe/Rome", **zone)
    table["dt"] = table["t"] - table["t"].min()
    table["period"] = table["t"].ffill().dt.to_period("D")
    clf = fits_and_predicts(table, y)
    P = clf.predict_proba(table)
    assert np.allclose(clf.predict_proba(table.iloc[:1]), P[:1])
    assert np.allclose(clf.predict_proba(table.iloc[3:4]), P[3:4])


def test_free_text_is_told_from_levels_and_both_are_reported_or_kept() -> None:
    # D11
    table, y = frame()
    words = RNG.integers(0, 50, (len(table), 4))
    table["note"] = [f"word{a} and word{b} then word{c} or {d}" for a, b, c, d in words]
    clf = fits_and_predicts(table, y)
    told = {change.subject: change for change in clf.changes_}
    assert "column 'note'" in told
    assert "column 'city'" not in told


@pytest.mark.parametrize(
    "names",
    [
        ["a b", "a_b", "a:b", "a", "A", "á"],  # D13
        ["index", "target", "label", "sample_weight", "prediction", "fold"],  # D16
    ],
    ids=["odd", "ours"],
)
@pytest.mark.parametrize("learner", ["gaussian_nb", "lightgbm", "xgboost"])
def test_columns_may_have_any_name(names: list[str], learner: str) -> None:
    X, y = toy()
    table = pd.DataFrame(X, columns=names)
    clf = fits_and_predicts(table, y, search_space="default", include=[learner], cv="holdout")
    assert clf.feature_names_in_.tolist() == names


def test_columns_of_one_name_are_refused_with_that_name() -> None:
    # D15
    X, y = toy()
    with pytest.raises(InputError, match=r"same name: 'a'"):
        quick().fit(pd.DataFrame(X, columns=["a", "a", "b", "c", "d", "e"]), y)


def test_nothing_is_written_into_what_the_user_gave() -> None:
    # D18
    table, y = frame()
    table.loc[::7, "a"] = np.nan
    before, labels = table.copy(), y.copy()
    clf = quick(n_trials=2).fit(table, y)
    clf.predict(table)
    clf.predict_proba(table)
    clf.score(table, y)
    pd.testing.assert_frame_equal(table, before)
    assert np.array_equal(y, labels)


X0, Y0 = toy()


@pytest.mark.parametrize(
    "table",
    [
        np.asfortranarray(X0),
        X0[::-1][::-1],
        X0.astype("float16"),
        X0.astype(">f8"),
        (X0 * 10).astype("int8"),
        X0[:, ::2],
    ],
    ids=["fortran", "reversed", "half", "big-endian", "int8", "strided"],
)
def test_any_layout_of_numbers_gives_what_its_plain_copy_gives(table: Any) -> None:
    # D20
    plain = np.array(table, dtype=np.float64, order="C")
    clf = fits_and_predicts(table, Y0)
    assert np.array_equal(clf.predict_proba(table), clf.predict_proba(plain))
    assert np.array_equal(quick().fit(plain, Y0).predict_proba(plain), clf.predict_proba(table))


@pytest.mark.parametrize("value", [np.inf, -np.inf, 1e300])
def test_infinite_and_huge_values_are_refused_by_column_at_fit_and_later(value: float) -> None:
    # D21
    X, y = toy()
    spoilt = X.copy()
    spoilt[0, 3] = value
    message = r"infinity.*column 'x3' in 1 row"
    with pytest.raises(InputError, match=message):
        quick().fit(spoilt, y)
    clf = quick().fit(X, y)
    with pytest.raises(InputError, match=message):
        clf.predict(spoilt)


# --- missing values -----------------------------------------------------------------------------


@pytest.mark.parametrize("as_frame", [True, False])
def test_missing_numbers_are_taken_in_frames_and_arrays(as_frame: bool) -> None:
    # M01
    table, y = frame()
    X: Any = table if as_frame else table[list("abcdef")].to_numpy(copy=True)
    if as_frame:
        table.loc[::5, "a"] = np.nan
    else:
        X[::4, 2] = np.nan
    fits_and_predicts(X, y, n_trials=3)


def test_values_may_be_missing_at_prediction_only() -> None:
    # M03
    X, y = toy()
    clf = quick(n_trials=3).fit(X, y)
    gaps = X.copy()
    gaps[:5, :3] = np.nan
    assert np.isfinite(clf.predict_proba(gaps)).all()

    table, y = frame()
    clf = quick(n_trials=3).fit(table, y)
    later = table.astype({"flag": object, "city": object})
    later.loc[:5, "city"] = None
    later.loc[3, "flag"] = None
    assert np.isfinite(clf.predict_proba(later)).all()


def test_a_category_column_may_be_empty_at_the_fit_and_filled_later() -> None:
    # M05
    table, y = frame()
    table["c2"] = pd.Series([None] * len(table), dtype="category")
    clf = quick().fit(table, y)
    later = table.assign(c2=pd.Series(["x"] * len(table), dtype="category"))
    assert np.array_equal(clf.predict(later), clf.predict(table))
    assert any("'c2'" in change.subject for change in clf.changes_)


def test_text_that_looks_like_a_missing_marker_is_a_level() -> None:
    # M06
    table, _ = frame(240)
    table["cc"] = np.resize(["NA", "FR", "-", "?", "nan", ""], len(table))
    y = table["cc"].isin(["NA", "?"]).astype(int).to_numpy()
    clf = quick(include=["decision_tree"]).fit(table[["a", "cc"]], y)
    assert clf.score(table[["a", "cc"]], y) == 1.0
    assert not any("missing" in str(change) for change in clf.changes_)


# --- wide and suspicious tables -----------------------------------------------------------------


@pytest.mark.slow
def test_a_table_of_thousands_of_columns_is_learnt_in_little_space(tmp_path: Path) -> None:
    # W01
    X = np.random.default_rng(0).normal(size=(70, 7600))
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no model has a lower loss")
        clf = quick(search_space="default", n_trials=2, work_dir=tmp_path / "run").fit(X, y)
    assert clf.predict(X).shape == y.shape
    written = sum(p.stat().st_size for p in (tmp_path / "run").rglob("*") if p.is_file())
    assert written < 4 * X.nbytes


def test_learners_for_which_a_table_is_too_much_are_never_tried() -> None:
    # W03
    X = np.random.default_rng(0).normal(size=(400, 600))
    y = (X[:, 0] > 0).astype(int)
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="no model has a lower loss")
        clf = quick(search_space="default").fit(X, y)
    left_out = {c.subject for c in clf.changes_ if c.action == "left out"}
    assert "learner qda" in left_out
    assert clf.failures_ == ()


def test_a_leaked_target_and_a_row_number_are_named_and_the_fit_goes_on() -> None:
    # W05
    table, y = frame()
    table.insert(0, "row_id", np.arange(len(table)))
    table["leak"] = y * 2 + 1
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        clf = quick().fit(table, y)
    told = [str(warning.message) for warning in caught if warning.category is AutoMLWarning]
    assert sum("'leak'" in text for text in told) == 1
    assert sum("'row_id'" in text for text in told) == 1
    assert clf.score(table, y) > 0.9
