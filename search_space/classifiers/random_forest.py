"""Random forest.

References
----------
.. [1] L. Breiman (2001). Random Forests. Machine Learning 45.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any

from search_space.classifiers.contained import ContainedClassifier
from search_space.classifiers.forests import forest, forest_space, too_large
from search_space.component import BuildContext, Component, Stage

PAPER_TREES = 100
DEFAULT_TREES = 200


def build(
    hyperparameters: Mapping[str, Any], context: BuildContext, *, n_trees: int
) -> ContainedClassifier:
    """Return an unfitted forest of `n_trees` trees."""
    from sklearn.ensemble import RandomForestClassifier

    return forest(RandomForestClassifier, hyperparameters, n_trees=n_trees, seed=context.seed)


COMPONENT = Component(
    name="random_forest",
    stage=Stage.CLASSIFIER,
    build=partial(build, n_trees=PAPER_TREES),
    space=partial(forest_space, bootstrap=True),
    unsuitable=partial(too_large, n_trees=PAPER_TREES),
    handles_missing=True,
    handles_sparse=True,
    cost=1.5,
    modules=("sklearn.ensemble",),
)

DEFAULT_COMPONENT = replace(
    COMPONENT,
    build=partial(build, n_trees=DEFAULT_TREES),
    unsuitable=partial(too_large, n_trees=DEFAULT_TREES),
    cost=3.0,
)
