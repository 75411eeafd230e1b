"""Columns that are kept but deserve a look."""

from __future__ import annotations

import numpy as np
import scipy.sparse

from automl.data.suspicion import FEWEST_ROWS, suspicious_columns

N_ROWS = 60
CODES = np.random.default_rng(0).permutation(np.arange(N_ROWS) % 3)
NOISE = np.random.default_rng(1).normal(size=N_ROWS)


def suspects(*columns: np.ndarray) -> set[int]:
    X = np.column_stack([NOISE, *columns])
    names = [str(j) for j in range(X.shape[1])]
    found = {change.subject for change in suspicious_columns(X, CODES, names)}
    return {j for j in range(X.shape[1]) if f"column '{j}'" in found}


def test_a_column_made_from_the_target_is_named() -> None:
    assert suspects(CODES * 2.0 + 1.0, np.array([5.0, -1.0, 0.0])[CODES]) == {1, 2}


def test_a_column_that_only_goes_with_the_target_is_not_named() -> None:
    nearly = CODES.astype(float)
    nearly[0] += 1.0
    gap = CODES.astype(float)
    gap[0] = np.nan
    two_of_three = np.minimum(CODES, 1.0)
    assert suspects(nearly, gap, two_of_three) == set()


def test_a_column_that_counts_the_rows_is_named() -> None:
    up, down = np.arange(N_ROWS) + 7.0, -np.arange(N_ROWS) * 1.0
    by_two, shuffled = 2.0 * up, np.random.default_rng(0).permutation(up)
    assert suspects(up, by_two, down, shuffled) == {1, 3}


def test_sparse_tables_are_looked_at_for_the_target_only() -> None:
    X = scipy.sparse.csr_array(np.column_stack([NOISE, CODES, np.arange(N_ROWS)]))
    (change,) = suspicious_columns(X, CODES, "abc")
    assert change.subject == "column 'b'"


def test_a_small_table_is_left_in_peace() -> None:
    rows = slice(FEWEST_ROWS - 1)
    X = CODES[rows, None].astype(float)
    assert suspicious_columns(X, CODES[rows], ["a"]) == ()
