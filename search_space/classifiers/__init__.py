"""The learners, in the lists that presets are made of."""

from __future__ import annotations

from search_space.classifiers import (
    adaboost,
    decision_tree,
    extra_trees,
    gaussian_nb,
    gradient_boosting,
    hist_gradient_boosting,
    k_nearest_neighbors,
    lda,
    liblinear_svc,
    libsvm_svc,
    lightgbm,
    logistic_regression,
    mlp,
    qda,
    random_forest,
    xgboost,
)
from search_space.component import Component

PAPER_CLASSIFIERS: tuple[Component, ...] = (
    adaboost.COMPONENT,
    random_forest.COMPONENT,
    extra_trees.COMPONENT,
    gradient_boosting.COMPONENT,
    k_nearest_neighbors.COMPONENT,
    lda.COMPONENT,
    qda.COMPONENT,
    logistic_regression.COMPONENT,
    liblinear_svc.COMPONENT,
    libsvm_svc.COMPONENT,
    lightgbm.COMPONENT,
)
"""The eleven learners of DivBO's experiments, with the published ranges and defaults."""

DEFAULT_CLASSIFIERS: tuple[Component, ...] = (
    adaboost.DEFAULT_COMPONENT,
    random_forest.DEFAULT_COMPONENT,
    extra_trees.DEFAULT_COMPONENT,
    gradient_boosting.DEFAULT_COMPONENT,
    k_nearest_neighbors.DEFAULT_COMPONENT,
    lda.DEFAULT_COMPONENT,
    qda.DEFAULT_COMPONENT,
    logistic_regression.COMPONENT,
    liblinear_svc.DEFAULT_COMPONENT,
    libsvm_svc.DEFAULT_COMPONENT,
    lightgbm.EARLY_STOPPED,
    xgboost.COMPONENT,
    hist_gradient_boosting.COMPONENT,
    mlp.COMPONENT,
    gaussian_nb.COMPONENT,
)
"""Ours: better first tries, and modern boosting that is stopped early."""

FAST_CLASSIFIERS: tuple[Component, ...] = (
    gaussian_nb.COMPONENT,
    logistic_regression.COMPONENT,
    decision_tree.COMPONENT,
)
"""Milliseconds per fit on small tables, for tests and demonstrations."""
