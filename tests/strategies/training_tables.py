"""Tables and labels as anybody may bring them to a fit, the odd ones among them."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import scipy.sparse
from hypothesis import strategies as st
from strategies.tables import columns, finite, gaps, instants

from automl.data.raw_column import object_array

EXTREMES = (0.0, -0.0, 5e-324, 1e-300, 1.0, 1e6, 2.0**53 + 2, 1e38, -1e38, 1e39, 1e300, -1.7e308)
SENTENCES = ("the quick brown fox", "a  b", "naïve café", "x" * 300, "1,5", "<b>", "0x1F", "None")
NAMES = ("a", "", " ", "a b", "a[0]", "<x>", 'say "x"', "{0}", "ä\n", "x1", "classifier:a", "1")

Build = Callable[[list[Any]], Any]
_ARROW = (
    (st.integers(-9, 9), pa.int64()),
    (st.booleans(), pa.bool_()),
    (st.sampled_from(SENTENCES), pa.string()),
    (finite, pa.float32()),
    (instants, pa.timestamp("us")),
)


def series_of(dtype: Any) -> Build:
    """Return what makes a series of a type."""
    return lambda values: pd.Series(values, dtype=dtype)


def with_unused_levels(values: list[Any]) -> Any:
    """Return categories, some of which no row has."""
    return pd.Series(pd.Categorical(values, categories=["never", "oslo", "rome", "nor this"]))


_ODD_TYPES: tuple[tuple[st.SearchStrategy[Any], Build], ...] = (
    (gaps(st.sampled_from(EXTREMES)), series_of(np.float64)),
    (finite, series_of(np.float32)),
    (st.integers(-(2**63), 2**63 - 1), series_of(np.int64)),
    (st.integers(0, 255), series_of(np.uint8)),
    (gaps(finite), series_of("Float64")),
    (gaps(st.booleans()), series_of("boolean")),
    (gaps(st.sampled_from(SENTENCES)), series_of("string")),
    (gaps(st.text(max_size=12)), series_of(object)),
    (gaps(st.sampled_from(["oslo", "rome"])), with_unused_levels),
    (
        gaps(st.sampled_from([3, 1, 2])),
        lambda values: pd.Series(pd.Categorical(values, [1, 2, 3], ordered=True)),
    ),
    (instants, lambda values: pd.Series(values).dt.tz_localize("UTC")),
    (st.integers(0, 40), lambda values: pd.Series(pd.period_range("2001", periods=41)[values])),
    (gaps(st.sampled_from([Decimal("1.5"), Decimal(2)])), series_of(object)),
    (st.sampled_from([(1, 2), "a"]), lambda values: pd.Series(object_array(values))),
    (st.none(), series_of(object)),
    (st.just(7.0), series_of(np.float64)),
    (
        gaps(st.sampled_from([0.0, 0.0, 2.5])),
        lambda v: pd.Series(pd.arrays.SparseArray(v, fill_value=0.0)),
    ),
    *((gaps(values), series_of(pd.ArrowDtype(kind))) for values, kind in _ARROW),
)


@st.composite
def odd_columns(draw: st.DrawFn, n_rows: int) -> pd.Series[Any]:
    """Draw a column of one of the rarer types."""
    values, build = draw(st.sampled_from(_ODD_TYPES))
    return build(draw(st.lists(values, min_size=n_rows, max_size=n_rows)))


@st.composite
def odd_frames(draw: st.DrawFn, n_rows: int) -> pd.DataFrame:
    """Draw a frame of columns of any type with names that somebody may give."""
    n_columns = draw(st.integers(1, 5))
    drawn = [draw(columns(n_rows) | odd_columns(n_rows)) for _ in range(n_columns)]
    if draw(st.booleans()):
        drawn.append(pd.Series(np.arange(n_rows) / 4.0))
    names = draw(st.permutations(NAMES))[: len(drawn)]
    return pd.DataFrame(dict(zip(names, drawn, strict=True)))


@st.composite
def number_arrays(draw: st.DrawFn, n_rows: int) -> np.typing.NDArray[Any]:
    """Draw an array of numbers: usual ones, few distinct ones, extreme ones, any with gaps."""
    shape = (n_rows, draw(st.integers(1, 5)))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    X = draw(
        st.sampled_from(
            [
                rng.normal(size=shape),
                rng.integers(0, 3, size=shape).astype(np.float64),
                rng.choice(EXTREMES, size=shape),
                rng.normal(size=shape) * 10.0 ** rng.integers(-30, 30, size=shape[1]),
                1e9 + rng.normal(size=shape),
            ]
        )
    )
    if draw(st.booleans()):
        X[rng.random(shape) < draw(st.sampled_from([0.05, 0.5, 0.95]))] = np.nan
    return X


@st.composite
def arrays(draw: st.DrawFn, n_rows: int) -> Any:
    """Draw numbers in one of the containers that hold numbers only."""
    X = draw(number_arrays(n_rows))
    if draw(st.integers(0, 39)) == 7:
        X[0, 0] = np.inf
    return draw(
        st.sampled_from(
            [
                lambda: X,
                lambda: np.asfortranarray(X),
                lambda: pd.DataFrame(X),
                lambda: X.astype(object),
                lambda: X.tolist(),
                lambda: np.ma.masked_invalid(X),
                lambda: scipy.sparse.csr_array(np.nan_to_num(X, posinf=1.0)),
                lambda: scipy.sparse.coo_matrix(np.where(np.abs(X) > 0.5, X, 0.0)),
            ]
        )
    )()


@dataclass(frozen=True)
class Task:
    """A table, its labels, and the seed of a search."""

    X: Any
    y: Any
    seed: int


_LABELS: tuple[Callable[[np.typing.NDArray[np.int64]], Any], ...] = (
    lambda codes: codes,
    lambda codes: codes * 2 - 1,
    lambda codes: codes.astype(np.float64),
    lambda codes: codes > 0,
    lambda codes: np.array(["no", "yes", "a b", "", "ä"])[codes],
    lambda codes: np.array(["no", "yes", "a b", "", "ä"], dtype=object)[codes].tolist(),
    lambda codes: pd.Series(pd.Categorical.from_codes(codes, ["e", "d", "c", "b", "a", "unused"])),
    lambda codes: pd.Series(codes, dtype="Int64"),
    lambda codes: pd.Series(codes > 0, dtype="boolean"),
    lambda codes: pd.Series(codes.astype(str), dtype="string", index=codes + 7),
    lambda codes: pd.Series(codes).astype(pd.ArrowDtype(pa.int64())),
    lambda codes: np.where(codes == 0, np.nan, codes),  # some labels are missing
)


@st.composite
def tasks(draw: st.DrawFn) -> Task:
    """Draw a table of few rows, some of them repeated, and labels of up to five classes."""
    n_drawn = draw(st.integers(4, 24) | st.integers(4, 24) | st.integers(1, 4))
    X = draw(odd_frames(n_drawn) | arrays(n_drawn))
    n_repeats = draw(st.sampled_from([1, 1, 2, 4]))
    X = repeated(X, n_drawn, n_repeats)
    n_rows = n_drawn * n_repeats
    n_classes = draw(st.integers(2, 5) | st.integers(1, 3))
    rng = np.random.default_rng(draw(st.integers(0, 2**32)))
    codes = np.minimum(rng.geometric(0.4, size=n_rows) - 1, n_classes - 1)
    return Task(X=X, y=draw(st.sampled_from(_LABELS))(codes), seed=draw(st.integers(0, 999)))


def repeated(X: Any, n_rows: int, n_repeats: int) -> Any:
    """Return a table with every row some times, in the container that it came in."""
    if n_repeats == 1:
        return X
    if isinstance(X, list):
        return X * n_repeats
    rows = np.tile(np.arange(n_rows), n_repeats)
    return rows_of(X, rows)


def rows_of(X: Any, rows: Any) -> Any:
    """Return some rows of a table in the container that it came in."""
    if isinstance(X, list):
        return [X[row] for row in rows]
    if isinstance(X, pd.DataFrame):
        return X.iloc[rows]
    return X.tocsr()[rows] if scipy.sparse.issparse(X) else X[rows]


def unseen_rows(X: Any, seed: int) -> Any:
    """Return rows of the same kinds whose values never stood beside each other."""
    rng = np.random.default_rng(seed)
    if isinstance(X, pd.DataFrame):
        shuffled = {name: X[name].iloc[rng.permutation(len(X))].array for name in X}
        return pd.DataFrame(shuffled)
    if scipy.sparse.issparse(X):
        return X.tocsr()[rng.permutation(X.shape[0])] * 1.5
    if isinstance(X, list):
        return [[row[rng.integers(len(row))] for _ in row] for row in X]
    return rng.permuted(X, axis=0)
