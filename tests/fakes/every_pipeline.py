"""A fitted pipeline for every component of every preset, on small tables of each kind."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache

import numpy as np
import scipy.sparse
from ConfigSpace import Configuration
from ConfigSpace.exceptions import ForbiddenValueError
from ConfigSpace.hyperparameters import CategoricalHyperparameter
from sklearn.pipeline import Pipeline

from search_space.arrays import Features, IntArray
from search_space.component import Component, Stage
from search_space.encoders import NATIVE_ENCODER
from search_space.imputers import NO_IMPUTER
from search_space.pipeline import build_pipeline
from search_space.presets import PRESETS
from search_space.space import build_space
from search_space.task import TaskProperties
from search_space.values import active_values

# Without regularisation the classes of that table have singular covariances.
_SINGULAR = ("divbo", "mixed", "qda")

N_ROWS, N_NUMERIC, N_CATEGORICAL, N_LEVELS = 120, 5, 2, 4


@dataclass(frozen=True)
class Recipe:
    """A preset, a kind of table, and what a configuration says."""

    preset: str
    kind: str
    choices: tuple[tuple[str, object], ...]

    def __str__(self) -> str:
        chosen = "-".join(str(value) for _, value in self.choices)
        return f"{self.preset}-{self.kind}-{chosen}"


def table(kind: str, n_classes: int) -> tuple[Features, IntArray]:
    """Return a prepared table: "dense", "mixed" (gaps and level codes) or "sparse"."""
    rng = np.random.default_rng(0)
    X = rng.normal(size=(N_ROWS, N_NUMERIC))
    y = np.digitize(X[:, 0] + 0.3 * rng.normal(size=N_ROWS), [0.0, 0.7][: n_classes - 1])
    if kind == "sparse":
        return scipy.sparse.csr_array(np.where(np.abs(X) > 0.5, X, 0.0)), y
    if kind == "mixed":
        X[rng.random(X.shape) < 0.1] = np.nan
        codes = rng.integers(0, N_LEVELS, size=(N_ROWS, N_CATEGORICAL)).astype(np.float64)
        codes[:, 0] = np.where(rng.random(N_ROWS) < 0.5, y, codes[:, 0])
        codes[rng.random(codes.shape) < 0.05] = np.nan
        X = np.hstack([codes[:, :1], X, codes[:, 1:]])
    return X, y


def task(kind: str, n_classes: int) -> TaskProperties:
    """Return what a table of `table` is like."""
    X, y = table(kind, n_classes)
    categorical = (0, N_NUMERIC + 1) if kind == "mixed" else ()
    return TaskProperties(
        n_rows=N_ROWS,
        n_classes=n_classes,
        smallest_class=int(np.bincount(y).min()),
        largest_class=int(np.bincount(y).max()),
        numeric=tuple(i for i in range(X.shape[1]) if i not in categorical),
        categorical=categorical,
        n_levels=(N_LEVELS,) * len(categorical),
        has_missing=kind == "mixed",
        is_sparse=kind == "sparse",
    )


def every_recipe(*kinds: str) -> list[Recipe]:
    """Return a recipe for each component of the presets on each kind of table that it can handle.

    Each value of a component's categorical hyperparameters is there as well, once.
    """
    recipes: list[Recipe] = []
    seen: list[tuple[str, Component]] = []  # presets share components
    for preset in PRESETS:
        for kind in kinds:
            components = _components(preset.name, kind, 3)
            for component in components:
                if (kind, component) in seen or (preset.name, kind, component.name) == _SINGULAR:
                    continue
                seen.append((kind, component))
                choices = _choices(component, components)
                recipes.append(Recipe(preset.name, kind, choices))
                if kind == "mixed" and preset is PRESETS[0]:
                    recipes += [
                        Recipe(preset.name, kind, (*choices, chosen))
                        for chosen in _categorical_values(component, task(kind, 3))
                    ]
    return recipes


@cache
def _components(preset: str, kind: str, n_classes: int) -> tuple[Component, ...]:
    return build_space(task(kind, n_classes), preset=preset).components


def _choices(
    component: Component, components: tuple[Component, ...]
) -> tuple[tuple[str, str], ...]:
    """Return the choice of a component, together with a learner that goes with it."""
    names = {stage: [c.name for c in components if c.stage is stage] for stage in Stage}
    learner = _learner_for(component, components)
    choices = {Stage.CLASSIFIER.value: learner.name, component.stage.value: component.name}
    if learner.handles_categories and NATIVE_ENCODER in names[Stage.ENCODER]:
        choices.setdefault(Stage.ENCODER.value, NATIVE_ENCODER)
    return tuple(choices.items())


def _learner_for(component: Component, components: tuple[Component, ...]) -> Component:
    if component.stage is Stage.CLASSIFIER:
        return component
    learners = [c for c in components if c.stage is Stage.CLASSIFIER]
    if component.name == NATIVE_ENCODER:
        learners = [c for c in learners if c.handles_categories]
    elif component.name == NO_IMPUTER:
        learners = [c for c in learners if c.handles_missing]
    else:
        learners = [c for c in learners if c.name == "logistic_regression"]
    return min(learners, key=lambda c: c.cost)


def _categorical_values(component: Component, of: TaskProperties) -> Iterator[tuple[str, object]]:
    space = component.space(of)
    for name, hyperparameter in space.items():
        if isinstance(hyperparameter, CategoricalHyperparameter):
            others = (v for v in hyperparameter.choices if v != hyperparameter.default_value)
            for value in others:
                with contextlib.suppress(ForbiddenValueError):
                    Configuration(space, values=active_values(space, {name: value}))
                    yield f"{component.stage}:{component.name}:{name}", value


@cache
def fitted(recipe: Recipe, n_classes: int = 3) -> Pipeline:
    """Return the pipeline fitted on the table of its kind."""
    preset = next(p for p in PRESETS if p.name == recipe.preset)
    X, y = table(recipe.kind, n_classes)
    pipeline = build_pipeline(
        dict(recipe.choices),
        _components(recipe.preset, recipe.kind, n_classes),
        task(recipe.kind, n_classes),
        seed=3,
        rescale_first=preset.rescale_first,
    )
    return pipeline.fit(X, y)
