"""A small job for optimisers: a search space, and what its trials would predict."""

from __future__ import annotations

import math
import threading
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    Integer,
)
from ConfigSpace.hyperparameters import Hyperparameter

from automl.history import History, Observer, Problem, Record
from automl.optimizers.vectors import sample_configurations
from automl.scoring import as_metric
from automl.trial import Origin, Outcome, Proposal, Status, Trial
from search_space.arrays import PredictionArray
from search_space.component import BuildContext, Component, Stage
from search_space.encoding import ConfigurationEncoder
from search_space.space import SearchSpace
from search_space.task import TaskProperties

N_ROWS = 40
N_CLASSES = 3
METRIC = as_metric("neg_log_loss", np.arange(N_CLASSES))
COSTS = {"slow": 5.0, "cheap": 0.1, "middle": 1.0}
TASK = TaskProperties(
    n_rows=N_ROWS,
    n_classes=N_CLASSES,
    smallest_class=N_ROWS // N_CLASSES,
    largest_class=N_ROWS // N_CLASSES + 1,
    numeric=(0, 1),
)


class MemoryPredictions:
    """Keeps predictions in a dictionary and remembers which ones were asked for."""

    def __init__(self) -> None:
        self.blocks: dict[int, PredictionArray] = {}
        self.asked: list[tuple[int, ...]] = []
        # Like the file of a real store, this can neither be copied nor pickled.
        self.file = threading.Lock()

    def stack(self, numbers: Sequence[int]) -> PredictionArray:
        """Return copies of the blocks of some trials."""
        self.asked.append(tuple(numbers))
        return np.stack([self.blocks[number] for number in numbers])


def never_built(hyperparameters: object, context: BuildContext) -> object:  # noqa: ARG001 - the interface
    raise AssertionError("nothing is fitted in these tests")


def learner_component(name: str, cost: float) -> Component:
    return Component(name=name, stage=Stage.CLASSIFIER, build=never_built, cost=cost)


def space_of(configuration_space: ConfigurationSpace, names: Sequence[str]) -> SearchSpace:
    components = tuple(learner_component(name, COSTS.get(name, 1.0)) for name in names)
    return SearchSpace(
        configuration_space=configuration_space,
        components=components,
        task=TASK,
        left_out={},
        notes=(),
    )


def mixed_space() -> SearchSpace:
    """Return three learners with numbers, a whole number and a choice of their own."""
    space = ConfigurationSpace()
    names = ["slow", "cheap", "middle"]
    learner = Categorical("classifier", names, default="middle")
    own: list[tuple[str, Hyperparameter[Any, Any]]] = [
        ("slow", Float("classifier:slow:rate", (1e-3, 1.0), default=0.1, log=True)),
        ("slow", Integer("classifier:slow:depth", (1, 12), default=4)),
        ("cheap", Float("classifier:cheap:share", (0.0, 1.0), default=0.5)),
        ("middle", Categorical("classifier:middle:kind", ["a", "b", "c"], default="b")),
        ("middle", Float("classifier:middle:penalty", (0.0, 2.0), default=1.0)),
    ]
    space.add(learner, *(hyperparameter for _, hyperparameter in own))
    space.add(*(EqualsCondition(child, learner, name) for name, child in own))
    return space_of(space, names)


def finite_space(n_configurations: int = 6) -> SearchSpace:
    """Return a space of one learner with a few configurations altogether."""
    space = ConfigurationSpace()
    values = list(range(n_configurations))
    space.add(Categorical("classifier", ["cheap"]), Categorical("classifier:cheap:value", values))
    return space_of(space, ["cheap"])


class Job:
    """A problem with known answers: configurations that are alike predict alike."""

    def __init__(self, space: SearchSpace, n_rows: int = N_ROWS) -> None:
        self.space = space
        self.codes = np.arange(n_rows, dtype=np.int64) % N_CLASSES
        self.problem = Problem(
            search_space=space,
            encoder=ConfigurationEncoder(space),
            metric=METRIC,
            codes=self.codes,
        )
        n_columns = self.problem.encoder.encode([]).shape[1]
        draws = np.random.default_rng(7).normal(size=(n_rows, N_CLASSES, n_columns))
        self._directions = draws / math.sqrt(n_columns)

    def predict(self, configuration: Configuration) -> PredictionArray:
        """Return what a configuration predicts for every row."""
        (row,) = self.problem.encoder.encode([configuration])
        logits = 2.0 * self._directions @ row
        logits[np.arange(self.codes.shape[0]), self.codes] += row.sum()
        p = np.exp(logits - logits.max(axis=1, keepdims=True))
        return np.asarray(p / p.sum(axis=1, keepdims=True), dtype=np.float32)

    def loss(self, configuration: Configuration) -> float:
        """Return the loss of what a configuration predicts."""
        # The batched form is the fast one.
        return float(METRIC.losses(self.codes, self.predict(configuration)[np.newaxis])[0])

    def history(
        self,
        seed: int = 0,
        *,
        journal: Record | None = None,
        observers: Sequence[Observer] = (),
    ) -> History:
        """Return an empty history of this job."""
        return History(
            self.problem,
            MemoryPredictions(),
            seed,
            math.log(3),
            journal=journal,
            observers=observers,
        )


def mixed_job(n_rows: int = N_ROWS) -> Job:
    return Job(mixed_space(), n_rows)


def memory(history: History) -> MemoryPredictions:
    assert isinstance(history.predictions, MemoryPredictions)
    return history.predictions


def random_proposal(space: SearchSpace, rng: np.random.Generator) -> Proposal:
    space.configuration_space.seed(int(rng.integers(2**31 - 1)))
    configuration = space.configuration_space.sample_configuration()
    return Proposal(configuration=configuration, origin=Origin.RANDOM)


def succeed(job: Job, history: History, trial: Trial, seconds: float = 1.0) -> Outcome:
    """Store what a trial predicts and record its success."""
    memory(history).blocks[trial.number] = job.predict(trial.configuration)
    outcome = Outcome(
        number=trial.number,
        status=Status.SUCCESS,
        loss=job.loss(trial.configuration),
        seconds=seconds,
    )
    history.record(outcome)
    return outcome


def fail(history: History, trial: Trial, status: Status = Status.CRASHED) -> Outcome:
    """Record a failure."""
    outcome = Outcome(
        number=trial.number,
        status=status,
        loss=math.inf,
        seconds=0.5,
        reason="it had to fail",
        traceback="Traceback: of a test",
    )
    history.record(outcome)
    return outcome


Fate = Callable[[Job, History, Trial], object]
"""What becomes of a trial."""


def crashes(job: Job, history: History, trial: Trial) -> None:  # noqa: ARG001 - the interface
    fail(history, trial)


def times_out(job: Job, history: History, trial: Trial) -> None:  # noqa: ARG001 - the interface
    fail(history, trial, Status.TIMEOUT)


def stays_pending(job: Job, history: History, trial: Trial) -> None:
    pass


def filled_history(job: Job, fates: Sequence[Fate], seed: int = 0) -> History:
    """Return a history whose random trials met the given fates, one after another."""
    history = job.history(seed)
    rng = np.random.default_rng(99)
    for fate in fates:
        proposal = random_proposal(job.space, rng)
        while history.was_proposed(proposal.configuration):
            proposal = random_proposal(job.space, rng)
        fate(job, history, history.open_trial(proposal))
    return history


def with_losses(losses: list[float | None]) -> History:
    """Return a history whose trials had these losses; None is a failure."""
    job = mixed_job()
    history = filled_history(job, [stays_pending] * len(losses))
    for number, loss in enumerate(losses):
        status = Status.CRASHED if loss is None else Status.SUCCESS
        value = math.inf if loss is None else loss
        history.record(Outcome(number=number, status=status, loss=value, seconds=1.0))
    return history


@dataclass(frozen=True, kw_only=True)
class TableSpace(SearchSpace):
    """A space of which results of some configurations are known, and nothing else."""

    listed: tuple[Configuration, ...]

    @property
    def finite(self) -> tuple[Configuration, ...]:
        """What is listed."""
        return self.listed


def table_space(n_draws: int = 12, seed: int = 5) -> TableSpace:
    """Return draws of the mixed space, and the default of its cheapest learner, as a table."""
    space = mixed_space()
    drawn = sample_configurations(space.configuration_space, n_draws, np.random.default_rng(seed))
    cheapest = space.defaults[0]
    return TableSpace(
        configuration_space=space.configuration_space,
        components=space.components,
        task=space.task,
        left_out=space.left_out,
        notes=space.notes,
        listed=(*drawn, cheapest),
    )
