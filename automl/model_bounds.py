"""Trees of a loaded model stay within their own nodes and the columns they are given.

scikit-learn follows the nodes of a tree in compiled code without looking at them: numbers of a
doctored file would make it read memory that is not the tree's.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from automl.errors import InputError
from search_space.arrays import IntArray

_LEAF = -1
_UNLIMITED = np.iinfo(np.int64).max
_OWNERS = ("sklearn.tree.", "sklearn.ensemble.")
_TREES = frozenset({"tree_", "estimators_", "_predictors"})
_PLAIN = (str, bytes, bytearray, int, float, bool, type(None))


def check_trees(model: object) -> None:
    """Raise InputError unless every tree in a loaded object ends, within its own arrays."""
    _Walk().visit(model, _UNLIMITED)


class _Walk:
    """One pass over all objects that a model holds."""

    def __init__(self) -> None:
        self._seen: dict[int, tuple[object, int]] = {}

    def visit(self, value: Any, n_columns: int) -> None:
        """Check a value and all that it holds, used on tables of at least so many columns."""
        if isinstance(value, _PLAIN) or (isinstance(value, np.ndarray) and value.dtype != object):
            return
        n_columns = min(n_columns, _columns_of(value))
        known = self._seen.get(id(value))
        if known is not None and known[1] <= n_columns:
            return
        self._seen[id(value)] = (value, n_columns)  # kept, so that no other object has its id
        kind = type(value).__name__
        if kind == "Tree":
            _check_tree(value, n_columns)
        elif kind == "TreePredictor":
            _check_predictor(value, n_columns)
        for part in _parts_of(value):
            self.visit(part, n_columns)


def _columns_of(value: Any) -> int:
    """Return the columns that scikit-learn makes sure of before it asks the trees in an object."""
    state = getattr(value, "__dict__", {})
    n_columns = state.get("n_features_in_")
    if isinstance(n_columns, (int, np.integer)):
        return int(n_columns)
    if type(value).__module__.startswith(_OWNERS) and not _TREES.isdisjoint(state):
        _refuse()
    return _UNLIMITED


def _parts_of(value: Any) -> list[Any]:
    if isinstance(value, dict):
        return list(value.values())
    if isinstance(value, (list, tuple, set)):
        return list(value)
    if isinstance(value, np.ndarray):
        return list(value.ravel())
    slots = [getattr(value, name, None) for name in getattr(type(value), "__slots__", ())]
    return [*slots, *getattr(value, "__dict__", {}).values()]


def _check_tree(tree: Any, n_columns: int) -> None:
    left, right = np.asarray(tree.children_left), np.asarray(tree.children_right)
    inner = np.flatnonzero(left != _LEAF)
    _check_nodes(inner, left[inner], right[inner], len(left))
    _check_below(np.asarray(tree.feature)[inner], min(n_columns, int(tree.n_features)))


def _check_predictor(predictor: Any, n_columns: int) -> None:
    nodes = predictor.nodes
    inner = np.flatnonzero(nodes["is_leaf"] == 0)
    _check_nodes(inner, nodes["left"][inner], nodes["right"][inner], len(nodes))
    _check_below(nodes["feature_idx"][inner], n_columns)
    by_level = inner[nodes["is_categorical"][inner] != 0]
    n_sets = min(len(predictor.raw_left_cat_bitsets), len(predictor.binned_left_cat_bitsets))
    _check_below(nodes["bitset_idx"][by_level], n_sets)


def _check_nodes(inner: IntArray, left: IntArray, right: IntArray, n_nodes: int) -> None:
    """Check that the children of a node come after it, so that every path ends."""
    for children in (left.astype(np.int64), right.astype(np.int64)):
        if not np.all(children > inner):
            _refuse()
        _check_below(children, n_nodes)
    if not n_nodes:
        _refuse()


def _check_below(positions: Any, limit: int) -> None:
    positions = np.asarray(positions).astype(np.int64)
    if np.any(positions < 0) or np.any(positions >= limit):
        _refuse()


def _refuse() -> None:
    raise InputError("the model has a tree whose nodes do not fit together; do not trust its file")
