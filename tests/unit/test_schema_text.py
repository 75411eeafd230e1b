"""Text that is something else than categories."""

from __future__ import annotations

import numpy as np
import pandas as pd
from fakes.single_column import changes_of, prepare

from automl.data.schema import learn_schema

N_ROWS = 12


def test_numbers_stored_as_text_become_numbers_and_are_reported() -> None:
    texts = [f"{value:.1f}" for value in range(N_ROWS)]
    np.testing.assert_array_equal(prepare(texts)[:, 0], np.arange(float(N_ROWS)))
    assert changes_of(texts) == ["column 'c' read as numbers: its values say numbers"]


def test_the_odd_text_among_numbers_becomes_missing_at_fit_and_later() -> None:
    table = pd.DataFrame({"c": ["?"] + [str(value) for value in range(19)]})
    schema = learn_schema(table)
    assert schema.has_missing
    assert "1 that does not (such as '?') became missing" in str(schema.changes[0])
    later = schema.transform(pd.DataFrame({"c": ["?", "7", "lost"]}))
    np.testing.assert_array_equal(later[:, 0], [np.nan, 7.0, np.nan])


def test_text_half_of_which_says_numbers_stays_text() -> None:
    assert learn_schema(pd.DataFrame({"c": ["1", "2", "x", "y"] * 3})).n_levels == (4,)


def test_postcodes_are_no_numbers() -> None:
    assert learn_schema(pd.DataFrame({"zip": ["01234", "11234", "21234"] * 4})).n_levels == (3,)


def test_dates_stored_as_text_become_dates() -> None:
    stamps = pd.Series(pd.date_range("2020-01-01", periods=N_ROWS, freq="D"))
    texts = stamps.dt.strftime("%Y-%m-%d")
    np.testing.assert_array_equal(prepare(texts), prepare(stamps))
    assert "its text is dates" in changes_of(texts)[0]


def test_the_odd_text_among_dates_becomes_missing_at_fit_and_later() -> None:
    dates = pd.date_range("2020-01-01", periods=19).strftime("%Y-%m-%d")
    schema = learn_schema(pd.DataFrame({"t": [*dates, "soon"]}))
    assert schema.has_missing
    assert "others, such as 'soon', became missing" in str(schema.changes[0])
    later = schema.transform(pd.DataFrame({"t": ["2020-01-02", "never", None]}))
    np.testing.assert_array_equal(later[:, 0], [1.0, np.nan, np.nan])


def test_text_with_the_shape_of_a_date_only_stays_text() -> None:
    assert learn_schema(pd.DataFrame({"c": ["2020-99-99", "2020-77-77"] * 6})).n_levels == (2,)


def test_identifiers_are_dropped_and_reported() -> None:
    texts = [f"user{j}" for j in range(N_ROWS)]
    assert changes_of(texts) == [
        "column 'c' dropped: nearly every row has a value of its own, as identifiers have"
    ]


def test_free_text_is_replaced_by_its_length_and_make_up() -> None:
    texts = ["Room 12 was clean"] + [f"this is text number {j}" for j in range(N_ROWS - 1)]
    table = pd.DataFrame({"note": texts})
    schema = learn_schema(table)
    assert schema.names == (
        "note: characters",
        "note: words",
        "note: share of digits",
        "note: share of capitals",
    )
    np.testing.assert_allclose(schema.transform(table)[0], [17.0, 4.0, 2 / 17, 1 / 17])
    missing = schema.transform(pd.DataFrame({"note": [None]}))
    assert np.isnan(missing).all()


def test_repeated_phrases_are_categories() -> None:
    texts = [f"word{j % 7} and word{j % 11}" for j in range(300)]
    assert learn_schema(pd.DataFrame({"note": texts})).n_levels == (77,)
