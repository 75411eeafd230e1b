"""Where fitted models go in tests."""

from __future__ import annotations

import math

from automl.evaluation.evaluator import ModelDestination

RETURNED = ModelDestination(path="/no/such/folder/models", largest_loss=math.inf)
"""A folder that cannot be reached: models come back with the reply."""

UNWANTED = ModelDestination(path="/no/such/folder/models", largest_loss=-math.inf)
"""No loss is low enough for models to be wanted."""
