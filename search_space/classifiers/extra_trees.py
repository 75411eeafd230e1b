"""Extremely randomised trees.

References
----------
.. [1] P. Geurts, D. Ernst, L. Wehenkel (2006). Extremely Randomized Trees. Machine Learning 63.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from search_space.classifiers.contained import ContainedClassifier
from search_space.classifiers.forests import forest, forest_space, too_large
from search_space.component import BuildContext, Component, Stage

PAPER_TREES = 512
DEFAULT_TREES = 200


def build(
    hyperparameters: Mapping[str, Any], context: BuildContext, *, n_trees: int
) -> ContainedClassifier:
    """Return an unfitted forest of `n_trees` trees."""
    from sklearn.ensemble import ExtraTreesClassifier

    return forest(ExtraTreesClassifier, hyperparameters, n_trees=n_trees, seed=context.seed)


COMPONENT = Component(
    name="extra_trees",
    stage=Stage.CLASSIFIER,
    build=partial(build, n_trees=PAPER_TREES),
    space=partial(forest_space, bootstrap=False),
    unsuitable=partial(too_large, n_trees=PAPER_TREES),
    handles_missing=True,
    handles_sparse=True,
    cost=3.0,
    modules=("sklearn.ensemble",),
)

DEFAULT_COMPONENT = replace(
    COMPONENT,
    build=partial(build, n_trees=DEFAULT_TREES),
    unsuitable=partial(too_large, n_trees=DEFAULT_TREES),
    cost=1.2,
)
