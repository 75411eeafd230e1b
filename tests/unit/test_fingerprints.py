"""What tells one search from another."""

from __future__ import annotations

import json
import re
from dataclasses import replace
from importlib.metadata import version

import numpy as np
import pytest
import scipy.sparse
import xgboost

from automl.data.folds import Fold, Splits
from automl.data.table_store import data_fingerprint
from automl.data.weights import UNWEIGHTED, RowWeights
from automl.storage.fingerprints import space_fingerprint
from automl.versions import package_versions
from search_space.space import build_space
from search_space.task import TaskProperties

TASK = TaskProperties(
    n_rows=500, n_classes=2, smallest_class=200, largest_class=300, numeric=tuple(range(20))
)
X = np.arange(24.0).reshape(8, 3)
CODES = np.array([0, 1] * 4)


def splits(first: int = 2) -> Splits:
    rows = np.arange(8)
    fold = Fold(rows[first:], rows[:first])
    return Splits(folds=(fold,), n_rows=8, description="hold-out")


@pytest.mark.parametrize("form", [np.asarray, scipy.sparse.csr_array])
def test_data_have_a_fingerprint_of_features_classes_folds_and_weights(form: type) -> None:
    reference = data_fingerprint(form(X), CODES, splits())
    assert re.fullmatch("[0-9a-f]{64}", reference)
    assert data_fingerprint(form(X.copy()), CODES.copy(), splits()) == reference
    changed = X.copy()
    changed[5, 1] = np.nextafter(changed[5, 1], np.inf)
    others = [
        data_fingerprint(form(changed), CODES, splits()),
        data_fingerprint(form(X[::-1]), CODES, splits()),
        data_fingerprint(form(X), CODES[::-1].copy(), splits()),
        data_fingerprint(form(X), CODES, splits(first=3)),
        data_fingerprint(form(X), CODES, splits(), RowWeights(training=X[:, 0])),
        data_fingerprint(form(X), CODES, splits(), RowWeights(metric=X[:, 0])),
    ]
    assert len({reference, *others}) == 7
    assert data_fingerprint(form(X), CODES, splits(), UNWEIGHTED) == reference


def test_equal_spaces_have_equal_fingerprints_and_others_have_not() -> None:
    reference = space_fingerprint(build_space(TASK, preset="fast"))
    assert re.fullmatch("[0-9a-f]{64}", reference)
    assert space_fingerprint(build_space(TASK, preset="fast")) == reference
    others = {
        space_fingerprint(build_space(TASK, preset="divbo")),
        space_fingerprint(build_space(TASK, preset="fast", exclude=["gaussian_nb"])),
        space_fingerprint(build_space(replace(TASK, n_rows=90_000), preset="default")),
        space_fingerprint(build_space(TASK, preset="default")),
    }
    assert len(others | {reference}) == 5


def test_the_generator_of_a_space_plays_no_part() -> None:
    space = build_space(TASK, preset="fast")
    reference = space_fingerprint(space)
    space.configuration_space.seed(3)
    space.configuration_space.sample_configuration(5)
    assert space_fingerprint(space) == reference


def test_versions_are_those_of_the_packages() -> None:
    found = package_versions()
    assert list(found) == [
        "python",
        "divbo",
        "scikit-learn",
        "lightgbm",
        "xgboost",
        "ConfigSpace",
        "numpy",
        "pandas",
    ]
    assert found["numpy"] == np.__version__ == version("numpy")
    assert found["xgboost"] == xgboost.__version__  # whichever distribution it came in
    assert json.loads(json.dumps(found)) == found
