"""Tables, labels and fold requests as users bring them."""

from __future__ import annotations

import datetime
from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from automl.data.raw_column import object_array
from search_space.arrays import IntArray

DAY = datetime.date(2020, 1, 2)
YEAR = datetime.timedelta(days=365)
WORDS = ("oslo", "rome", "lima", "a b", "ä", "NA", "-", "")

finite = st.floats(-1e6, 1e6, allow_nan=False, width=32)
instants = st.datetimes(
    min_value=pd.Timestamp("1950-01-01").to_pydatetime(),
    max_value=pd.Timestamp("2050-01-01").to_pydatetime(),
)


def gaps(values: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return values some of which are missing."""
    return st.one_of(values, values, values, st.none())


_COLUMN_TYPES: tuple[tuple[st.SearchStrategy[Any], Callable[[list[Any]], Any]], ...] = (
    (gaps(finite), lambda values: pd.Series(values, dtype=np.float64)),
    (gaps(st.integers(-9, 9)), lambda values: pd.Series(values, dtype="Int64")),
    (st.booleans(), lambda values: pd.Series(values, dtype=bool)),
    (gaps(st.sampled_from(WORDS)), lambda values: pd.Series(values, dtype="str")),
    (gaps(st.sampled_from(WORDS[:3])), lambda values: pd.Series(pd.Categorical(values))),
    (gaps(st.timedeltas(-YEAR, YEAR)), lambda values: pd.Series(values, dtype="m8[us]")),
    (gaps(instants), lambda values: pd.Series(values, dtype="datetime64[us]")),
    (
        gaps(st.sampled_from([1, "1", 2.5, True, "x", pd.Timestamp("2020-01-02"), DAY])),
        lambda values: pd.Series(object_array(values)),
    ),
)


@st.composite
def columns(draw: st.DrawFn, n_rows: int) -> pd.Series[Any]:
    """Draw a column of one of the types that frames have."""
    values, build = draw(st.sampled_from(_COLUMN_TYPES))
    return build(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))


@st.composite
def frames(draw: st.DrawFn, min_rows: int = 4, max_rows: int = 12) -> pd.DataFrame:
    """Draw a frame of one to four columns of any type, beside one that is always of use."""
    n_rows = draw(st.integers(min_rows, max_rows))
    drawn = {f"c{j}": draw(columns(n_rows)) for j in range(draw(st.integers(1, 4)))}
    return pd.DataFrame({"always": np.arange(n_rows) / 4.0, **drawn})


@st.composite
def class_codes(draw: st.DrawFn, max_classes: int = 5, max_rows: int = 40) -> IntArray:
    """Draw the classes of rows in any order: at least two classes, one of them with two rows."""
    n_classes = draw(st.integers(2, max_classes))
    extra = draw(st.lists(st.integers(0, n_classes - 1), min_size=1, max_size=max_rows))
    return np.array(draw(st.permutations([*range(n_classes), *extra])), dtype=np.int64)
