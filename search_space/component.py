"""The unit of a search space: one learner or operator, its hyperparameters, how to build it."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from ConfigSpace import ConfigurationSpace

from search_space.errors import SearchSpaceError
from search_space.task import TaskProperties


class Stage(StrEnum):
    """A slot of the pipeline; exactly one component fills it."""

    IMPUTER = "imputer"
    ENCODER = "encoder"
    BALANCER = "balancer"
    PREPROCESSOR = "preprocessor"
    RESCALER = "rescaler"
    CLASSIFIER = "classifier"


@dataclass(frozen=True, slots=True, kw_only=True)
class BuildContext:
    """What a component may use besides its hyperparameters when it is built.

    Attributes
    ----------
    task : TaskProperties
        The task that the pipeline is for.
    seed : int
        Seed of everything random in the built object, in [0, 2**31 - 1].
    categorical_positions : tuple of int
        Columns that reach a classifier as level codes; empty unless they are kept native.
    """

    task: TaskProperties
    seed: int
    categorical_positions: tuple[int, ...] = ()


def no_hyperparameters(task: TaskProperties) -> ConfigurationSpace:
    """Return an empty space."""
    return ConfigurationSpace()


def suits_every_task(task: TaskProperties) -> str | None:
    """Return None: there is no task that the component cannot handle."""
    return None


@dataclass(frozen=True, slots=True, kw_only=True)
class Component:
    """A learner or an operator that may fill one stage of a pipeline.

    Attributes
    ----------
    name : str
        What a user writes in ``include`` and reads in the leaderboard; without a colon, which
        separates it from the names of its hyperparameters.
    stage : Stage
        The slot that it fills.
    build : callable
        ``build(hyperparameters, context)`` returns an unfitted scikit-learn estimator or
        transformer. Hyperparameters have the names of `space`; inactive ones are absent.
    space : callable
        ``space(task)`` returns the hyperparameters with ranges cut to the task. The default
        configuration must be a sensible first try.
    unsuitable : callable
        ``unsuitable(task)`` returns why the component cannot handle a task, or None if it can.
    takes_weights : bool
        Whether ``fit`` of the built classifier takes ``sample_weight``.
    handles_missing : bool
        Whether a classifier takes NaN itself.
    handles_categories : bool
        Whether a classifier uses level codes (``BuildContext.categorical_positions``) natively.
    handles_sparse : bool
        Whether sparse matrices are taken without making them dense.
    cost : float
        Order of the initial design: about the seconds that the default configuration needs on
        5,000 rows and 20 columns on one core.
    modules : tuple of str
        Modules that an evaluation process may import ahead of the first use.
    """

    name: str
    stage: Stage
    build: Callable[[Mapping[str, Any], BuildContext], Any]
    space: Callable[[TaskProperties], ConfigurationSpace] = no_hyperparameters
    unsuitable: Callable[[TaskProperties], str | None] = suits_every_task
    takes_weights: bool = True
    handles_missing: bool = False
    handles_categories: bool = False
    handles_sparse: bool = False
    cost: float = 1.0
    modules: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not self.name or ":" in self.name:
            raise SearchSpaceError(f"a component cannot be called {self.name!r}")

    def hyperparameters(self, task: TaskProperties) -> ConfigurationSpace:
        """Return what `space` gives for a task.

        Raises
        ------
        SearchSpaceError
            If it is no configuration space.
        """
        given: object = self.space(task)
        if not isinstance(given, ConfigurationSpace):
            raise SearchSpaceError(
                f"space(task) of the {self.stage} {self.name!r} must return a ConfigurationSpace, "
                f"got {given!r}"
            )
        return given

    def refusal(self, task: TaskProperties) -> str | None:
        """Return why the component cannot be used on a task, or None if it can.

        Raises
        ------
        SearchSpaceError
            If `unsuitable` gives neither a reason nor None.
        """
        if task.is_sparse and not self.handles_sparse:
            return "it does not take sparse tables"
        if task.has_weights and self.stage is Stage.CLASSIFIER and not self.takes_weights:
            return "it does not take weights of rows"
        reason: object = self.unsuitable(task)
        if reason is None or (isinstance(reason, str) and reason):
            return reason
        raise SearchSpaceError(
            f"unsuitable(task) of the {self.stage} {self.name!r} must return a reason, or None "
            f"where there is none, got {reason!r}"
        )
