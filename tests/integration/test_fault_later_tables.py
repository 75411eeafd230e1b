"""Tables that come after the fit: new levels, other orders, other types, one row at a time."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pytest
from fakes.small_fits import frame, quick

from automl import AutoClassifier
from automl.errors import InputError
from search_space.arrays import IntArray


@pytest.fixture(scope="module")
def fitted() -> tuple[AutoClassifier, pd.DataFrame, IntArray]:
    """Return three learners fitted to numbers with gaps, codes, text and truth values."""
    table, y = frame(240)
    table["code"] = np.random.default_rng(1).integers(1, 6, len(table))
    table.loc[::6, "a"] = np.nan
    return quick(n_trials=3, ensemble_size=5).fit(table, y), table, y


Fitted = tuple[AutoClassifier, pd.DataFrame, IntArray]


def test_a_level_that_was_not_there_is_an_unknown_one(fitted: Fitted) -> None:
    # P01
    clf, table, _ = fitted
    later = table.copy()
    later.loc[:9, "city"] = "atlantis"
    P = clf.predict_proba(later)
    assert np.isfinite(P).all()
    assert np.array_equal(P[10:], clf.predict_proba(table)[10:])


def test_levels_are_matched_by_value_whatever_the_order_of_the_categories() -> None:
    # P01
    table, _ = frame(240)
    y = (table["city"] == "rome").astype(int).to_numpy()
    declared = table.assign(city=table["city"].astype("category"))
    clf = quick(include=["decision_tree"]).fit(declared, y)
    for levels in (["rome", "oslo", "lima"], ["atlantis", "rome", "lima", "oslo"]):
        later = table.assign(city=pd.Categorical(table["city"], categories=levels))
        assert np.array_equal(clf.predict(later), y)


def test_the_encoding_of_new_levels_is_not_the_callers_job() -> None:
    # O05
    table, y = frame(240)
    table["city"] = table["city"].astype("category")
    later = table.iloc[160:].copy()
    later["city"] = later["city"].cat.add_categories("new")
    later.loc[later.index[:3], "city"] = "new"
    predicted = quick().fit(table.iloc[:160], y[:160]).predict(later)
    assert set(predicted) <= set(y)


def test_reordered_and_extra_columns_are_refused_by_name(fitted: Fitted) -> None:
    # P03
    clf, table, _ = fitted
    assert clf.feature_names_in_.tolist() == list(table)
    with pytest.raises(InputError, match="same order"):
        clf.predict_proba(table[table.columns[::-1]])
    with pytest.raises(InputError, match="extra"):
        clf.predict(table.assign(extra=1))
    with pytest.raises(InputError, match="city"):
        clf.predict(table.drop(columns="city"))


@pytest.mark.parametrize("drifted", [float, str, "Int64", object, "category"])
def test_whole_numbers_are_found_again_in_any_type(fitted: Fitted, drifted: Any) -> None:
    # P05
    clf, table, _ = fitted
    later = table.assign(code=table["code"].astype(drifted))
    assert np.array_equal(clf.predict_proba(later), clf.predict_proba(table))


def test_one_row_gives_what_the_batch_gives(fitted: Fitted) -> None:
    # P06
    clf, table, _ = fitted
    rows = table.iloc[:20]
    one_by_one = np.vstack([clf.predict_proba(rows.iloc[[i]]) for i in range(len(rows))])
    assert np.allclose(one_by_one, clf.predict_proba(rows), rtol=0.0, atol=1e-12)


@pytest.mark.parametrize("kind", ["shuffled", "repeated", "of two levels"])
def test_rows_belong_together_by_position_and_never_by_index(kind: str) -> None:
    # P08
    table, y = frame()
    order = np.random.default_rng(0).permutation(len(table))
    index: Any = {
        "shuffled": pd.Index(order + 1000),
        "repeated": pd.Index(order // 7),
        "of two levels": pd.MultiIndex.from_arrays([order // 7, order]),
    }[kind]
    plain = quick().fit(table, y).predict_proba(table)
    labels = pd.Series(y, index=index[::-1])
    clf = quick().fit(table.set_axis(index), labels)
    assert np.array_equal(clf.predict_proba(table.set_axis(index)), plain)
