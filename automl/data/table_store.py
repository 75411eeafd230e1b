"""The prepared table on disk, written once and mapped into memory by every evaluation.

So that a table is neither copied nor sent to each worker: a handle of two strings is.
"""

from __future__ import annotations

import hashlib
import shutil
import tempfile
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse

from automl.data.folds import Fold, Splits
from automl.data.weights import UNWEIGHTED, RowWeights
from automl.errors import PredictionStoreError
from search_space.arrays import Features, IntArray

_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class TableHandle:
    """Where a table is, and the fingerprint of its features and classes."""

    path: str
    fingerprint: str


@dataclass(frozen=True, slots=True, eq=False)
class Table:
    """A prepared table with its classes and folds; nothing in it can be written to.

    Attributes
    ----------
    X : (n, d) array or sparse array
        The features.
    codes : (n,) array in [0, n_classes)
        The class of each row.
    n_classes : int
        Number of classes.
    splits : Splits
        The folds.
    weights : RowWeights
        How much each row counts.
    """

    X: Features
    codes: IntArray
    n_classes: int
    splits: Splits
    weights: RowWeights = UNWEIGHTED


def fingerprint(X: Features, codes: IntArray) -> str:
    """Return a hexadecimal digest of a table's content, the same on every machine."""
    return _digest({**_feature_arrays(X), "codes": codes})


def data_fingerprint(
    X: Features, codes: IntArray, splits: Splits, weights: RowWeights = UNWEIGHTED
) -> str:
    """Return a SHA-256 digest of all that trials are judged on: table, folds and weights."""
    text = f"{fingerprint(X, codes)} {_digest({**_split_arrays(splits), **weights.arrays})}"
    return hashlib.sha256(text.encode()).hexdigest()


def save_table(
    folder: Path, X: Features, codes: IntArray, splits: Splits, weights: RowWeights = UNWEIGHTED
) -> TableHandle:
    """Write a table below a folder, unless it is there already, and return its handle.

    Parameters
    ----------
    folder : Path
        Is created if needed; the table gets a folder of its own in it.
    X : (n, d) array or sparse array
        The features.
    codes : (n,) array in [0, k)
        The class of each row; the highest is k - 1.
    splits : Splits
        The folds.
    weights : RowWeights
        How much each row counts.
    """
    judging = {**_split_arrays(splits), **weights.arrays}
    content = fingerprint(X, codes)
    home = folder / f"table-{content[:16]}-{_digest(judging)[:16]}"
    if not home.exists():
        arrays = {**_feature_arrays(X), "codes": codes, **judging}
        texts = {"fingerprint": content, "description": splits.description}
        _write(home, arrays, texts)
    return TableHandle(str(home), content)


def stored_table(folder: Path) -> TableHandle:
    """Return the handle of the only table below a folder.

    Raises
    ------
    PredictionStoreError
        If there is none, or more than one.
    """
    homes = sorted(folder.glob("table-*")) if folder.is_dir() else []
    if len(homes) != 1:
        raise PredictionStoreError(f"{folder} holds {len(homes)} tables, expected one; search anew")
    return TableHandle(str(homes[0]), (homes[0] / "fingerprint").read_text(encoding="utf-8"))


def load_table(handle: TableHandle) -> Table:
    """Return a table whose arrays are mapped into memory, read-only.

    The changes that the splits report stay with whoever made them.

    Raises
    ------
    PredictionStoreError
        If there is no table, or another one.
    """
    home = Path(handle.path)
    try:
        found = (home / "fingerprint").read_text(encoding="utf-8")
        if found != handle.fingerprint:
            raise PredictionStoreError(f"{home} holds another table; search anew")
        codes = _read(home, "codes")
        return Table(
            X=_load_features(home),
            codes=codes,
            n_classes=int(codes.max()) + 1,
            splits=_load_splits(home),
            weights=_load_weights(home),
        )
    except (OSError, ValueError, EOFError) as error:
        raise PredictionStoreError(f"the table in {home} cannot be read: {error}") from error


def _feature_arrays(X: Features) -> dict[str, npt.NDArray[Any]]:
    if scipy.sparse.issparse(X):
        shape = np.array(X.shape, dtype=np.int64)
        return {"data": X.data, "indices": X.indices, "indptr": X.indptr, "shape": shape}
    return {"X": X}


def _load_features(home: Path) -> Features:
    if (home / "X.npy").exists():
        return _read(home, "X")
    parts = tuple(_read(home, name) for name in ("data", "indices", "indptr"))
    X = scipy.sparse.csr_array(parts, shape=tuple(_read(home, "shape").tolist()), copy=False)
    # Looking for unsorted indices would read all of them, and sorting would write.
    X.has_sorted_indices = True
    X.has_canonical_format = True
    return X


def _split_arrays(splits: Splits) -> dict[str, npt.NDArray[Any]]:
    """Return all rows of all parts in one array, and how many each part has."""
    parts = [part for fold in splits for part in (fold.train, fold.validation)]
    return {
        "rows": np.concatenate(parts),
        "part_sizes": np.array([len(part) for part in parts], dtype=np.int64),
    }


def _load_splits(home: Path) -> Splits:
    ends = np.cumsum(_read(home, "part_sizes"))
    parts = np.split(_read(home, "rows"), ends[:-1])
    return Splits(
        folds=tuple(Fold(*pair) for pair in zip(parts[::2], parts[1::2], strict=True)),
        n_rows=len(_read(home, "codes")),
        description=(home / "description").read_text(encoding="utf-8"),
    )


def _load_weights(home: Path) -> RowWeights:
    training, metric = (
        _read(home, name) if (home / f"{name}.npy").exists() else None
        for name in ("training_weight", "metric_weight")
    )
    return RowWeights(training=training, metric=metric)


def _write(home: Path, arrays: Mapping[str, npt.NDArray[Any]], texts: Mapping[str, str]) -> None:
    """Write all files beside their place and move them there at once, so that none is half."""
    home.parent.mkdir(parents=True, exist_ok=True)
    draft = Path(tempfile.mkdtemp(prefix="draft-", dir=home.parent))
    try:
        for name, array in arrays.items():
            np.save(draft / f"{name}.npy", array, allow_pickle=False)
        for name, text in texts.items():
            (draft / name).write_text(text, encoding="utf-8")
        draft.replace(home)
    except OSError:
        if not home.exists():  # otherwise another process was faster, with the same content
            raise
    finally:
        shutil.rmtree(draft, ignore_errors=True)


def _read(home: Path, name: str) -> Any:
    # A plain array over the map: slicing a memmap object costs several times as much.
    return np.asarray(np.load(home / f"{name}.npy", mmap_mode="r", allow_pickle=False))


def _digest(arrays: Mapping[str, npt.NDArray[Any]]) -> str:
    digest = hashlib.blake2b(digest_size=_DIGEST_BYTES)
    for name, array in arrays.items():
        little = np.ascontiguousarray(array, dtype=array.dtype.newbyteorder("<"))
        digest.update(f"{name} {little.dtype.str} {little.shape} ".encode())
        digest.update(little.view(np.uint8).data if little.size else b"")
    return digest.hexdigest()
