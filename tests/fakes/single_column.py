"""Tables of which only one column matters."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd

from automl.data.schema import learn_schema
from search_space.arrays import Features


def prepare(values: Any) -> Features:
    """Return the prepared column of a frame that holds nothing else."""
    table = pd.DataFrame({"c": values})
    return learn_schema(table).transform(table)


def changes_of(values: Any) -> list[str]:
    """Return what is reported of the column ``c`` when it has company."""
    table = pd.DataFrame({"c": values, "other": np.arange(len(values))})
    return [str(change) for change in learn_schema(table).changes]
