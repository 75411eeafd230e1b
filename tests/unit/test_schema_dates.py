"""Dates and lengths of time."""

from __future__ import annotations

import datetime
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from fakes.single_column import changes_of, prepare

from automl.data.raw_column import object_array
from automl.data.schema import learn_schema


def test_date_parts_are_those_of_the_calendar() -> None:
    stamps = pd.Series(pd.date_range("1969-12-30 23:30", periods=500, freq="5h31min"))
    stamps[3] = pd.NaT
    prepared = prepare(stamps)
    expected = np.column_stack(
        [
            (stamps - stamps.min()) / pd.Timedelta("1D"),
            *(getattr(stamps.dt, part) for part in ("year", "month", "day", "day_of_week", "hour")),
        ]
    )
    np.testing.assert_allclose(prepared, expected, rtol=1e-12)


def test_parts_that_do_not_vary_at_the_fit_are_left_out() -> None:
    table = pd.DataFrame({"t": pd.date_range("2021-03-01", periods=5, freq="D")})
    schema = learn_schema(table)
    assert schema.names == ("t: days", "t: day", "t: weekday")
    later = schema.transform(pd.DataFrame({"t": [pd.Timestamp("2031-03-01 13:00")]}))
    np.testing.assert_allclose(later[0], [3652 + 13 / 24, 1.0, 5.0])


def test_time_zones_are_normalised() -> None:
    utc = pd.Series(pd.date_range("2020-03-28 20:00", periods=8, freq="5h", tz="UTC"))
    for later in (utc, utc.dt.tz_convert("Europe/Rome"), utc.dt.tz_convert("Asia/Tokyo")):
        np.testing.assert_array_equal(prepare(later), prepare(utc.dt.tz_localize(None)))


@pytest.mark.parametrize(
    "values",
    [
        [datetime.date(2020, 1, 1), datetime.date(2020, 1, 3), None],
        pd.Series([datetime.date(2020, 1, 1), datetime.date(2020, 1, 3), None]).astype(
            pd.ArrowDtype(pa.date32())
        ),
        pd.Series(["2020-01-01", "2020-01-03", None], dtype="datetime64[s]"),
        pd.PeriodIndex(["2020-01-01", "2020-01-03", None], freq="D"),
        object_array([pd.Period("2020-01-01", "D"), pd.Period("2020-01-03", "D"), None]),
        np.array(["2020-01-01", "2020-01-03", "NaT"], dtype="datetime64[D]"),
        object_array([pd.Timestamp("2020-01-01"), pd.Timestamp("2020-01-03", tz="UTC"), None]),
    ],
)
def test_dates_of_any_storage_are_the_same(values: Any) -> None:
    np.testing.assert_array_equal(prepare(values)[:, 0], [0.0, 2.0, np.nan])


def test_arrays_of_periods_are_dates() -> None:
    X = np.array([[pd.Period("2020-01", "M")], [pd.Period("2020-02", "M")]], dtype=object)
    np.testing.assert_array_equal(learn_schema(X).transform(X)[:, 0], [0.0, 31.0])


@pytest.mark.parametrize(
    "values",
    [
        pd.to_timedelta(["1h", "30min", None]),
        object_array([datetime.timedelta(hours=1), datetime.timedelta(minutes=30), None]),
        np.array([60, 30, "NaT"], dtype="timedelta64[m]"),
        pd.Series(pd.to_timedelta(["1h", "30min", None])).astype(pd.ArrowDtype(pa.duration("s"))),
    ],
)
def test_lengths_of_time_become_seconds(values: Any) -> None:
    np.testing.assert_array_equal(prepare(values)[:, 0], [3600.0, 1800.0, np.nan])
    assert "read as seconds" in changes_of(values)[0]
