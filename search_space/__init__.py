"""What may be tried on a classification task: learners, operators and their hyperparameters."""

from __future__ import annotations

from search_space.adoption import adopt_space
from search_space.component import BuildContext, Component, Stage
from search_space.configuration_batch import ConfigurationBatch
from search_space.custom import as_component
from search_space.encoding import ColumnLayout, ConfigurationEncoder
from search_space.errors import SearchSpaceError
from search_space.pipeline import build_pipeline
from search_space.presets import PAPER_SUBSTITUTIONS
from search_space.space import SearchSpace, build_space
from search_space.substitution import Substitution
from search_space.task import TaskProperties
from search_space.values import canonical, plain_values

__all__ = [
    "PAPER_SUBSTITUTIONS",
    "BuildContext",
    "ColumnLayout",
    "Component",
    "ConfigurationBatch",
    "ConfigurationEncoder",
    "SearchSpace",
    "SearchSpaceError",
    "Stage",
    "Substitution",
    "TaskProperties",
    "adopt_space",
    "as_component",
    "build_pipeline",
    "build_space",
    "canonical",
    "plain_values",
]
