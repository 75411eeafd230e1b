"""Other trees than LightGBM's for the diversity surrogate: XGBoost's, and randomised ones.

Every member is trained on the same pairs with weights of its own, as LightGBM's members are.  Both
libraries get rows in full: to XGBoost the zeros that a sparse row leaves out are missing values.

References
----------
.. [1] Chen, Guestrin (2016). XGBoost: A Scalable Tree Boosting System. KDD.
   https://arxiv.org/abs/1603.02754
.. [2] Geurts, Ernst, Wehenkel (2006). Extremely randomized trees. Machine Learning 63, 3-42.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
from sklearn.tree import ExtraTreeRegressor

from automl.surrogates.pair_trees import Tree
from search_space.arrays import FloatArray

Members = tuple[tuple[Tree, ...], ...]
"""The trees of each member; the sum of what they predict is what the member predicts."""

_NODE = re.compile(
    r"(?P<node>\d+):(?:\[f(?P<feature>\d+)<(?P<threshold>[^\]]+)\] yes=(?P<yes>\d+),no=(?P<no>\d+)"
    r"|leaf=(?P<value>\S+))"
)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class WeightedPairs:
    """Pairs to learn from.

    Attributes
    ----------
    features : (n, 2 d) array of single precision
        Encodings of both configurations side by side.
    target : (n,) array
        Diversity of each pair, in normal scores.
    weights : (n, members) array
        Weight of each pair for each member.
    """

    features: npt.NDArray[np.float32]
    target: FloatArray
    weights: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeSettings:
    """Sizes of trees; see `automl.surrogates.diversity.DiversitySurrogate`."""

    n_trees: int
    n_leaves: int
    learning_rate: float
    feature_fraction: float
    min_pairs_in_leaf: int
    max_bins: int


def boost_xgboost(
    pairs: WeightedPairs, settings: TreeSettings, rng: np.random.Generator
) -> Members:
    """Return members boosted by XGBoost [1]_, from the leaf with most to gain on."""
    import xgboost  # takes long to load, and few need it

    data = xgboost.QuantileDMatrix(
        pairs.features, pairs.target, max_bin=settings.max_bins, nthread=1
    )
    members = []
    for weights in pairs.weights.T:
        data.set_weight(weights)  # the pairs are binned once for all members
        parameters = {
            "tree_method": "hist",
            "grow_policy": "lossguide",
            "max_leaves": settings.n_leaves,
            "max_depth": 0,
            "max_bin": settings.max_bins,
            "eta": settings.learning_rate,
            "colsample_bytree": settings.feature_fraction,
            "min_child_weight": settings.min_pairs_in_leaf,
            "lambda": 0.0,
            "base_score": 0.0,
            "seed": int(rng.integers(2**31)),
            "nthread": 1,
            "verbosity": 0,
        }
        booster = xgboost.train(parameters, data, num_boost_round=settings.n_trees)
        members.append(tuple(_of_xgboost(text) for text in booster.get_dump()))
    return tuple(members)


def grow_forest(pairs: WeightedPairs, settings: TreeSettings, rng: np.random.Generator) -> Members:
    """Return members that each are the mean of extremely randomised trees [2]_."""
    members = []
    for weights in pairs.weights.T:
        seeds = rng.integers(2**31, size=settings.n_trees)
        grown = (_grown(pairs, weights, settings, int(seed)) for seed in seeds)
        members.append(tuple(_of_scikit_learn(tree, 1.0 / settings.n_trees) for tree in grown))
    return tuple(members)


def _grown(pairs: WeightedPairs, weights: FloatArray, settings: TreeSettings, seed: int) -> Any:
    """Return one tree in scikit-learn's compiled form."""
    tree = ExtraTreeRegressor(
        max_features=settings.feature_fraction,
        max_leaf_nodes=settings.n_leaves,
        min_samples_leaf=settings.min_pairs_in_leaf,
        random_state=seed,
    )
    return tree.fit(pairs.features, pairs.target, sample_weight=weights, check_input=False).tree_


def _of_xgboost(text: str) -> Tree:
    """Return a tree of the text form, where nodes come in any order."""
    nodes = {int(found["node"]): found for found in _NODE.finditer(text)}
    splits = [node for node in sorted(nodes) if nodes[node]["feature"] is not None]
    leaves = [node for node in sorted(nodes) if nodes[node]["feature"] is None]
    place = {node: i for i, node in enumerate(splits)}
    place |= {node: -i - 1 for i, node in enumerate(leaves)}
    return Tree(
        features=tuple(int(nodes[node]["feature"]) for node in splits),
        thresholds=tuple(_up_to(nodes[node]["threshold"]) for node in splits),
        left=tuple(place[int(nodes[node]["yes"])] for node in splits),
        right=tuple(place[int(nodes[node]["no"])] for node in splits),
        values=tuple(float(nodes[node]["value"]) for node in leaves),
    )


def _up_to(threshold: str) -> float:
    """Return what a value is at most if in single precision it lies below a threshold."""
    above = np.float32(threshold)
    below = np.nextafter(above, np.float32(-np.inf))
    return 0.5 * (float(above) + float(below))


def _of_scikit_learn(tree: Any, share: float) -> Tree:
    """Return a compiled tree with its values times a share."""
    is_leaf = tree.children_left < 0
    splits, leaves = np.flatnonzero(~is_leaf), np.flatnonzero(is_leaf)
    place = np.empty(tree.node_count, dtype=np.intp)
    place[splits], place[leaves] = np.arange(len(splits)), -np.arange(len(leaves)) - 1
    return Tree(
        features=tuple(tree.feature[splits].tolist()),
        thresholds=tuple(tree.threshold[splits].tolist()),
        left=tuple(place[tree.children_left[splits]].tolist()),
        right=tuple(place[tree.children_right[splits]].tolist()),
        values=tuple((share * tree.value[leaves, 0, 0]).tolist()),
    )
