"""From a configuration to a scikit-learn pipeline."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from sklearn.pipeline import Pipeline

from search_space.columns import ByKind
from search_space.component import BuildContext, Component, Stage
from search_space.encoders import NATIVE_ENCODER
from search_space.errors import SearchSpaceError
from search_space.task import TaskProperties
from search_space.values import active_values, plain_values

EMPTY = "empty"
"""Name of the component that does nothing, in each stage that may be skipped."""

_STAGES = tuple(Stage)


def build_pipeline(
    configuration: Mapping[str, Any],
    components: Sequence[Component],
    task: TaskProperties,
    seed: int,
    rescale_first: bool,
) -> Pipeline:
    """Return the unfitted pipeline of a configuration, for prepared tables.

    Steps bear the names of stages; stages that do nothing have no step. The last step is always
    ``"classifier"``: weights of rows are passed to ``fit`` as ``classifier__sample_weight``.

    Parameters
    ----------
    configuration : mapping of str to value
        Active hyperparameters. Those that are missing take their defaults.
    components : sequence of Component
        What the configuration may name; the first of a stage is used where it names none.
    task : TaskProperties
        Kinds and levels of the columns.
    seed : int
        Seed from which each step has its own, not negative.
    rescale_first : bool
        Whether the rescaler runs before the preprocessor. Then, or without a preprocessor, it acts
        on numeric columns only; after a preprocessor it acts on all columns.

    Raises
    ------
    SearchSpaceError
        If the configuration names a component that is not there, or balances a classifier that
        takes no weights.
    """
    recipe = _Recipe(plain_values(configuration), tuple(components), task, seed)
    rescales_numeric = rescale_first or recipe.skips(Stage.PREPROCESSOR)
    steps: list[tuple[str, Any]] = [(Stage.IMPUTER.value, recipe.build(Stage.IMPUTER))]
    if rescales_numeric and task.numeric and not recipe.skips(Stage.RESCALER):
        # Level codes and one-hot columns are no quantities: this runs before they are encoded.
        rescaler = recipe.build(Stage.RESCALER)
        if task.categorical:
            rescaler = ByKind(len(task.categorical), numeric=rescaler)
        steps.append((Stage.RESCALER.value, rescaler))
    if task.categorical:
        steps.append((Stage.ENCODER.value, recipe.build(Stage.ENCODER)))
    if not recipe.skips(Stage.PREPROCESSOR):
        steps.append((Stage.PREPROCESSOR.value, recipe.build(Stage.PREPROCESSOR)))
    if not rescales_numeric and not recipe.skips(Stage.RESCALER):
        steps.append((Stage.RESCALER.value, recipe.build(Stage.RESCALER)))
    steps.append((Stage.CLASSIFIER.value, _classifier(recipe)))
    return Pipeline(steps)


@dataclass(frozen=True, slots=True)
class _Recipe:
    """Builds the steps of one configuration."""

    values: Mapping[str, Any]
    components: tuple[Component, ...]
    task: TaskProperties
    seed: int

    def component(self, stage: Stage) -> Component:
        """Return the component that fills a stage."""
        candidates = [c for c in self.components if c.stage is stage]
        name = self.values.get(stage, candidates[0].name if candidates else None)
        for candidate in candidates:
            if candidate.name == name:
                return candidate
        raise SearchSpaceError(f"the configuration names no known {stage}: {name!r}")

    def skips(self, stage: Stage) -> bool:
        """Whether nothing is done in a stage."""
        return self.component(stage).name == EMPTY

    def build(self, stage: Stage) -> Any:
        """Return the estimator or transformer of a stage."""
        component = self.component(stage)
        context = BuildContext(
            task=self.task, seed=self._seed(stage), categorical_positions=self._native_positions()
        )
        return component.build(self._hyperparameters(component), context)

    def _seed(self, stage: Stage) -> int:
        # Steps must not share a stream, whatever other steps there are.
        key = (_STAGES.index(stage),)
        (word,) = np.random.SeedSequence(self.seed, spawn_key=key).generate_state(1)
        return int(word >> 1)

    def _native_positions(self) -> tuple[int, ...]:
        task = self.task
        if not task.categorical or self.component(Stage.ENCODER).name != NATIVE_ENCODER:
            return ()
        # Numeric columns come first in a pipeline.
        return tuple(range(len(task.numeric), task.n_columns))

    def _hyperparameters(self, component: Component) -> dict[str, Any]:
        prefix = f"{component.stage}:{component.name}:"
        given = {
            name.removeprefix(prefix): value
            for name, value in self.values.items()
            if name.startswith(prefix)
        }
        return plain_values(active_values(component.hyperparameters(self.task), given))


def _classifier(recipe: _Recipe) -> Any:
    classifier = recipe.build(Stage.CLASSIFIER)
    if recipe.skips(Stage.BALANCER):
        return classifier
    learner = recipe.component(Stage.CLASSIFIER)
    if not learner.takes_weights:
        raise SearchSpaceError(f"{learner.name} takes no weights, so it cannot be balanced")
    return recipe.build(Stage.BALANCER).set_params(classifier=classifier)
