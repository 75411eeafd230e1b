"""Operators on all columns that a pipeline may hold, one file each."""

from __future__ import annotations

from search_space.transformers import (
    cross_feature,
    empty,
    extra_trees_based_selector,
    fast_ica,
    feature_agglomeration,
    generic_univariate_selector,
    kernel_pca,
    kitchen_sinks,
    lda_decomposer,
    liblinear_based_selector,
    nystroem,
    pca,
    percentile_selector,
    polynomial,
    random_trees_embedding,
    svd,
)

PREPROCESSORS = (
    empty.COMPONENT,
    cross_feature.COMPONENT,
    fast_ica.COMPONENT,
    feature_agglomeration.COMPONENT,
    kernel_pca.COMPONENT,
    kitchen_sinks.COMPONENT,
    lda_decomposer.COMPONENT,
    nystroem.COMPONENT,
    pca.COMPONENT,
    polynomial.COMPONENT,
    random_trees_embedding.COMPONENT,
    svd.COMPONENT,
    extra_trees_based_selector.COMPONENT,
    generic_univariate_selector.COMPONENT,
    liblinear_based_selector.COMPONENT,
    percentile_selector.COMPONENT,
)
"""The identity, which is the default, the eleven generators and the four selectors of DivBO."""

__all__ = ["PREPROCESSORS"]
