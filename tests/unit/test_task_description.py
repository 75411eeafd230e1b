"""What the search space is told about a task."""

from __future__ import annotations

import numpy as np
import pandas as pd

from automl.data.resampling import make_splits
from automl.data.schema import learn_schema
from automl.data.task_description import describe_task
from search_space.task import TaskProperties


def test_a_task_is_described_by_its_columns_classes_and_folds() -> None:
    table = pd.DataFrame(
        {
            "city": ["rome", "oslo", "lima", "oslo"] * 5,
            "a": np.where(np.arange(20) == 3, np.nan, np.arange(20.0)),
            "same": 1,
            "size": pd.Categorical(["s", "l"] * 10),
        }
    )
    codes = np.array([0] * 14 + [1] * 6)
    schema, splits = learn_schema(table), make_splits(5, codes, seed=0)
    assert describe_task(schema, codes, splits, 2) == TaskProperties(
        n_rows=16,
        n_classes=2,
        smallest_class=6,
        largest_class=14,
        numeric=(1,),
        categorical=(0, 2),
        n_levels=(3, 2),
        has_missing=True,
        is_sparse=False,
    )
    assert describe_task(schema, codes, splits, 2, has_weights=True).has_weights
