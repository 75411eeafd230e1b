"""Two well-known models with their default settings, to set the result of a search beside."""

from __future__ import annotations

from typing import Any

import pandas as pd
from lightgbm import LGBMClassifier
from sklearn.compose import make_column_selector, make_column_transformer
from sklearn.ensemble import RandomForestClassifier
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer, OneHotEncoder


def baselines(seed: int) -> dict[str, Any]:
    """Return unfitted pipelines by name: default LightGBM and a default random forest.

    Both take data frames with numbers and columns of the pandas type ``category``.

    Parameters
    ----------
    seed : int
        Seed of both.
    """
    # LightGBM takes categories as they are, but no brackets in names.
    lightgbm = make_pipeline(
        FunctionTransformer(_with_plain_names),
        LGBMClassifier(n_jobs=1, random_state=seed, verbose=-1),
    )
    columns = make_column_transformer(
        (OneHotEncoder(handle_unknown="ignore"), make_column_selector(dtype_include="category")),
        remainder="passthrough",
    )
    forest = make_pipeline(columns, RandomForestClassifier(n_jobs=1, random_state=seed))
    return {"default LightGBM": lightgbm, "default random forest": forest}


def _with_plain_names(X: pd.DataFrame) -> pd.DataFrame:
    return X.set_axis([f"column_{j}" for j in range(X.shape[1])], axis="columns")
