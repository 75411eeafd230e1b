"""The prepared table on disk."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
import scipy.sparse

from automl.data.folds import Splits
from automl.data.resampling import make_splits
from automl.data.table_store import TableHandle, fingerprint, load_table, save_table
from automl.data.weights import UNWEIGHTED, RowWeights
from automl.errors import PredictionStoreError
from search_space.arrays import Features

X = np.arange(48.0).reshape(16, 3)
X[2, 1] = np.nan
CODES = np.arange(16, dtype=np.int64) % 3
SPARSE = scipy.sparse.csr_array(np.where(np.arange(48.0).reshape(16, 3) % 5 == 0, 2.0, 0.0))


@pytest.fixture
def splits() -> Splits:
    return make_splits(3, CODES, seed=0)


def dense(table: Features) -> np.ndarray:
    return table.toarray() if scipy.sparse.issparse(table) else np.asarray(table)


@pytest.mark.parametrize("features", [X, SPARSE, np.asfortranarray(X)])
def test_what_was_saved_is_loaded(tmp_path: Path, splits: Splits, features: Features) -> None:
    table = load_table(save_table(tmp_path / "new" / "folder", features, CODES, splits))
    np.testing.assert_array_equal(dense(table.X), dense(features))
    np.testing.assert_array_equal(table.codes, CODES)
    assert table.n_classes == 3
    assert scipy.sparse.issparse(table.X) == scipy.sparse.issparse(features)
    for loaded, saved in zip(table.splits, splits, strict=True):
        np.testing.assert_array_equal(loaded.train, saved.train)
        np.testing.assert_array_equal(loaded.validation, saved.validation)
    np.testing.assert_array_equal(table.splits.covered, splits.covered)
    assert table.splits.description == splits.description
    assert table.splits.n_rows == 16


@pytest.mark.parametrize("features", [X, SPARSE])
def test_a_loaded_table_is_mapped_and_cannot_be_written_to(
    tmp_path: Path, splits: Splits, features: Features
) -> None:
    table = load_table(save_table(tmp_path, features, CODES, splits))
    arrays = [table.codes, table.splits.folds[0].train]
    arrays += [table.X.data, table.X.indices] if scipy.sparse.issparse(table.X) else [table.X]
    for array in arrays:
        assert not array.flags.writeable
        base = array
        while base is not None and not isinstance(base, np.memmap):
            base = base.base
        assert isinstance(base, np.memmap)


@pytest.mark.parametrize("features", [X, SPARSE])
def test_rows_of_a_loaded_table_are_the_callers_own(
    tmp_path: Path, splits: Splits, features: Features
) -> None:
    table = load_table(save_table(tmp_path, features, CODES, splits))
    train = table.splits.folds[0].train
    part = table.X[train]
    part *= 2.0
    np.testing.assert_array_equal(dense(part), 2.0 * dense(features)[train])


WEIGHTS = RowWeights(training=np.linspace(0.5, 1.5, 16), metric=np.linspace(1.5, 0.5, 16))


@pytest.mark.parametrize(
    "weights",
    [UNWEIGHTED, WEIGHTS, RowWeights(training=WEIGHTS.training), RowWeights(metric=WEIGHTS.metric)],
)
def test_weights_are_stored_with_the_table(
    tmp_path: Path, splits: Splits, weights: RowWeights
) -> None:
    found = load_table(save_table(tmp_path, X, CODES, splits, weights)).weights
    assert found.arrays.keys() == weights.arrays.keys()
    for name, array in found.arrays.items():
        np.testing.assert_array_equal(array, weights.arrays[name])
        assert not array.flags.writeable


def test_a_handle_is_small_and_survives_pickling(tmp_path: Path, splits: Splits) -> None:
    handle = save_table(
        tmp_path, np.zeros((100_000, 3)) + np.arange(3), np.arange(100_000) % 2, splits
    )
    packed = pickle.dumps(handle)
    assert len(packed) < 500
    assert load_table(pickle.loads(packed)).X.shape == (100_000, 3)


def test_the_same_table_is_written_once(tmp_path: Path, splits: Splits) -> None:
    first = save_table(tmp_path, X, CODES, splits)
    written = {path: path.stat().st_mtime_ns for path in Path(first.path).iterdir()}
    assert save_table(tmp_path, X.copy(), CODES, splits) == first
    assert {path: path.stat().st_mtime_ns for path in Path(first.path).iterdir()} == written
    assert [path.name for path in tmp_path.iterdir()] == [Path(first.path).name]


def test_other_tables_folds_and_weights_live_side_by_side(tmp_path: Path, splits: Splits) -> None:
    handles = {
        save_table(tmp_path, X, CODES, splits),
        save_table(tmp_path, X + 1.0, CODES, splits),
        save_table(tmp_path, X, CODES, make_splits(3, CODES, seed=1)),
        save_table(tmp_path, X, CODES, splits, WEIGHTS),
        save_table(tmp_path, X, CODES, splits, RowWeights(metric=WEIGHTS.metric)),
        save_table(tmp_path, X, CODES, splits, RowWeights(training=WEIGHTS.metric)),
    }
    assert len({handle.path for handle in handles}) == 6
    # Folds and weights are no part of the table.
    assert len({handle.fingerprint for handle in handles}) == 2


def test_the_fingerprint_follows_the_content_only() -> None:
    expected = fingerprint(X, CODES)
    assert expected == fingerprint(np.asfortranarray(X), CODES.copy())
    assert expected == fingerprint(X.astype(">f8"), CODES.astype(">i8"))
    other = X.copy()
    other[0, 0] = 1e-9
    different = {
        expected,
        fingerprint(other, CODES),
        fingerprint(X, CODES[::-1].copy()),
        fingerprint(X.reshape(8, 6), CODES),
        fingerprint(SPARSE, CODES),
        fingerprint(SPARSE * 2.0, CODES),
    }
    assert len(different) == 6
    assert len(expected) == 32
    assert int(expected, 16) >= 0


def test_a_table_that_is_gone_or_another_one_is_refused(tmp_path: Path, splits: Splits) -> None:
    handle = save_table(tmp_path, X, CODES, splits)
    with pytest.raises(PredictionStoreError, match="another table"):
        load_table(TableHandle(handle.path, "0" * 32))
    with pytest.raises(PredictionStoreError, match="cannot be read"):
        load_table(TableHandle(str(tmp_path / "nowhere"), handle.fingerprint))
    (Path(handle.path) / "codes.npy").write_bytes(b"")
    with pytest.raises(PredictionStoreError, match="cannot be read"):
        load_table(handle)


def test_nothing_is_left_behind_when_writing_fails(
    tmp_path: Path, splits: Splits, monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(*_args: object, **_options: object) -> None:
        raise OSError("no space left on device")

    monkeypatch.setattr(np, "save", full)
    with pytest.raises(OSError, match="no space"):
        save_table(tmp_path, X, CODES, splits)
    assert list(tmp_path.iterdir()) == []


def test_another_process_may_be_faster(
    tmp_path: Path, splits: Splits, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = save_table(tmp_path, X, CODES, splits)
    monkeypatch.setattr(Path, "exists", lambda self: self.is_dir() and bool(drafts(tmp_path)))
    assert save_table(tmp_path, X, CODES, splits) == expected
    assert drafts(tmp_path) == []


def drafts(folder: Path) -> list[Path]:
    return list(folder.glob("draft-*"))
