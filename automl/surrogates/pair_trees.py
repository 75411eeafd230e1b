"""Boosted trees over pairs of configurations, evaluated on a whole grid of pairs at once.

The trees take 2 d features: those of a first configuration, then those of a second. Which leaf a
pair falls into needs no walk down the tree for every pair. Asking only the splits on the first
half, a configuration could end up in some of the leaves; likewise for the second half; the leaf
that both could end up in is the one. So with

    F  (leaves, a)   1 where configuration a, as the first of a pair, could reach a leaf
    S  (leaves, b)   1 where configuration b, as the second, could reach a leaf
    v  (leaves,)     values of the leaves of all trees

the predictions of all a * b pairs are the matrix product F' diag(v) S: each tree adds exactly one
leaf to every entry. The halves cost a + b walks instead of a * b. As all other terms of the
product are 0, nothing is lost to its order of summation: (a, b) and (b, a) agree exactly.
"""

from __future__ import annotations

from dataclasses import dataclass

import lightgbm
import numpy as np
import numpy.typing as npt

from search_space.arrays import FloatArray

_BLOCK = 8192  # configurations at a time, which bounds the memory for the leaf indicators

# Single precision takes a quarter less time; indicators are exact in it, leaf values to 1e-7.
_LeafArray = npt.NDArray[np.float32]


@dataclass(frozen=True, slots=True, kw_only=True)
class Tree:
    """One regression tree; a parent's split comes before those of its children.

    Attributes
    ----------
    features : tuple of int
        Feature that each split asks for.
    thresholds : tuple of float
        A value up to the threshold goes left.
    left, right : tuple of int
        Child on either side: a split, or where negative the leaf ``-child - 1``.
    values : tuple of float
        What each leaf predicts.
    """

    features: tuple[int, ...]
    thresholds: tuple[float, ...]
    left: tuple[int, ...]
    right: tuple[int, ...]
    values: tuple[float, ...]


def trees_of(booster: lightgbm.Booster) -> tuple[Tree, ...]:
    """Return the trees of a model that has neither categorical features nor missing values.

    Raises
    ------
    ValueError
        If a split is of another kind than ``value <= threshold``.
    """
    # The model's own file format: parsed, it costs a thirtieth of Booster.dump_model.
    _, *sections = booster.model_to_string().split("\nTree=")
    return tuple(_parsed(section) for section in sections)


def _parsed(section: str) -> Tree:
    """Return one tree of the text form, where every line is ``name=numbers``."""
    lines = (line.partition("=") for line in section.split("\n\n", 1)[0].splitlines())
    fields = {name: numbers.split() for name, separator, numbers in lines if separator}
    # Bit 0: a categorical split; bits 2 and 3: how missing values are told; bit 1: where they go.
    if any(int(kind) & ~2 for kind in fields["decision_type"]):
        raise ValueError("trees must have numeric splits without missing values")
    return Tree(
        features=tuple(map(int, fields["split_feature"])),
        thresholds=tuple(map(float, fields["threshold"])),
        left=tuple(map(int, fields["left_child"])),
        right=tuple(map(int, fields["right_child"])),
        values=tuple(map(float, fields["leaf_value"])),
    )


@dataclass(frozen=True, slots=True, kw_only=True)
class PairTrees:
    """Several models, each a sum of trees over pairs.

    Attributes
    ----------
    members : tuple of tuples of Tree
        The trees of each model, over ``2 * n_features`` features.
    n_features : int
        Features of one configuration, d.
    """

    members: tuple[tuple[Tree, ...], ...]
    n_features: int

    def predict(self, A: FloatArray, B: FloatArray) -> FloatArray:
        """Return what each model predicts for all pairs, the mean of (a, b) and (b, a).

        Parameters
        ----------
        A : (a, d) array
            Encoded configurations.
        B : (b, d) array
            Encoded configurations; the fewer of the two should come here.

        Returns
        -------
        (members, a, b) array

        Raises
        ------
        ValueError
            If a configuration does not have d features.
        """
        of_b = _columns(B, self.n_features)
        predictions = np.zeros((len(self.members), len(B), len(A)))
        for start in range(0, len(A), _BLOCK):
            block = slice(start, start + _BLOCK)
            of_a = _columns(A[block], self.n_features)
            for member, trees in enumerate(self.members):
                for tree in trees:
                    predictions[member, :, block] += _mean_of_orders(tree, of_b, of_a)
        return np.ascontiguousarray(predictions.transpose(0, 2, 1))


def _columns(X: FloatArray, n_features: int) -> FloatArray:
    """Return X with one configuration a column, so that a feature's values are contiguous."""
    if X.ndim != 2 or X.shape[1] != n_features:
        raise ValueError(f"configurations must be (n, {n_features}), not {X.shape}")
    return np.ascontiguousarray(X.T, dtype=np.float64)


def _mean_of_orders(tree: Tree, of_b: FloatArray, of_a: FloatArray) -> _LeafArray:
    """Return (b, a) predictions of one tree from the configurations as columns."""
    n_features = len(of_a)
    halved = 0.5 * np.array(tree.values, dtype=np.float32)[:, None]
    b_first, b_second = (halved * _reached(tree, of_b, offset) for offset in (0, n_features))
    predictions = b_second.T @ _reached(tree, of_a, 0)
    predictions += b_first.T @ _reached(tree, of_a, n_features)
    return np.asarray(predictions)


def _reached(tree: Tree, columns: FloatArray, offset: int) -> _LeafArray:
    """Return (leaves, n): 1 for the leaves left open by splits on features offset to offset + d."""
    n_features, n = columns.shape
    leaves = np.empty((len(tree.values), n), dtype=np.float32)
    if not tree.features:
        leaves[:] = 1.0
    splits = [np.ones(n, dtype=bool)] * len(tree.features)
    nodes = zip(tree.features, tree.thresholds, tree.left, tree.right, strict=True)
    for split, (feature, threshold, left, right) in enumerate(nodes):
        here = splits[split]
        if 0 <= feature - offset < n_features:
            goes_left = columns[feature - offset] <= threshold
            sides = (left, here & goes_left), (right, here > goes_left)
        else:
            sides = (left, here), (right, here)
        for child, reached in sides:
            if child < 0:
                leaves[-child - 1] = reached
            else:
                splits[child] = reached
    return leaves
