"""Exported pipelines predict the same and hold nothing of ours."""

from __future__ import annotations

import pickle
from typing import Any

import numpy as np
import pytest
from fakes.every_pipeline import N_LEVELS, Recipe, every_recipe, fitted, table
from sklearn.pipeline import Pipeline

from automl.export.classifiers import plain_classifier
from automl.export.transformers import plain_steps
from search_space.transformers.sized_operator import quiet_arrays


def plain_model(pipeline: Pipeline, kind: str) -> Pipeline:
    like = table(kind, 2)[0][:2] * 0.0
    *before, (name, last) = pipeline.steps
    steps = plain_steps(before, like)
    rows = Pipeline(steps).transform(like) if steps else like
    return Pipeline([*steps, (name, plain_classifier(last, rows))])


@pytest.mark.slow
@pytest.mark.parametrize("n_classes", [2, 3])
@pytest.mark.parametrize("recipe", every_recipe("mixed", "sparse"), ids=str)
def test_every_pipeline_has_a_counterpart_that_predicts_the_same(
    recipe: Recipe, n_classes: int
) -> None:
    X, _ = table(recipe.kind, n_classes)
    if recipe.kind == "mixed":
        X[:5, 0] = N_LEVELS  # levels never seen
    model = fitted(recipe, n_classes)
    with quiet_arrays():  # of the rows that stand in
        plain: Any = plain_model(model, recipe.kind)
    dumped = pickle.dumps(plain)
    assert b"search_space" not in dumped
    assert b"automl" not in dumped
    predicted = pickle.loads(dumped).predict_proba(X)
    np.testing.assert_allclose(predicted, model.predict_proba(X), rtol=0.0, atol=1e-6)
