"""Whatever a search can choose can be in a model file, and comes back as it was."""

from __future__ import annotations

import numpy as np
import pytest
import skops.io
from fakes.every_pipeline import Recipe, every_recipe, fitted, table

from automl.model_bounds import check_trees
from automl.trusted_types import TRUSTED_TYPES


@pytest.mark.slow
@pytest.mark.parametrize("recipe", every_recipe("mixed", "sparse"), ids=str)
def test_every_pipeline_comes_back_with_trusted_types_only(recipe: Recipe) -> None:
    X, _ = table(recipe.kind, 3)
    data = skops.io.dumps(fitted(recipe))
    assert set(skops.io.get_untrusted_types(data=data)) <= set(TRUSTED_TYPES)
    loaded = skops.io.loads(data, trusted=TRUSTED_TYPES)
    check_trees(loaded)
    assert np.array_equal(loaded.predict_proba(X), fitted(recipe).predict_proba(X))


def test_no_type_is_named_twice() -> None:
    assert len(set(TRUSTED_TYPES)) == len(TRUSTED_TYPES)
