"""One run of a study: a search on a task with a seed, its trials and what designs make of them."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np

from automl.benchmark.study.evaluation_store import Evaluation
from automl.benchmark.study.evaluations import StudyEvaluator
from automl.budget import Budget
from automl.history import History, Problem
from automl.metrics import Metric
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.optimizer import Optimizer
from automl.scoring import as_metric
from automl.search import run_search
from automl.trial import Outcome, Proposal, Status, Trial
from search_space.arrays import PredictionArray
from search_space.encoding import ConfigurationEncoder
from search_space.space import SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class FinishedRun:
    """A search that has ended.

    Attributes
    ----------
    trials : tuple of Trial
        In the order of starting, which is that of ending.
    outcomes : tuple of Outcome
        One for each; losses are classification errors on the validation rows.
    propose_seconds : tuple of float
        That each proposal took.
    validation, test : (m, rows, classes) arrays
        Predictions of the m successful trials, in the order of their numbers.
    metric : Metric
        Classification error.
    history : History
        What was known at the end.
    own_members : tuple of tuple of int
        After each trial, the numbers of the trials in the ensemble that the search keeps itself,
        with repeats, none before the first model; empty if it keeps no ensemble.
    """

    trials: tuple[Trial, ...]
    outcomes: tuple[Outcome, ...]
    propose_seconds: tuple[float, ...]
    validation: PredictionArray
    test: PredictionArray
    metric: Metric
    history: History
    own_members: tuple[tuple[int, ...], ...] = ()


def run_study_search(
    optimizer: Optimizer,
    evaluator: StudyEvaluator,
    space: SearchSpace,
    *,
    seed: int,
    n_trials: int,
) -> FinishedRun:
    """Run a search of the product on a task of the study, one trial after the other.

    Parameters
    ----------
    optimizer : Optimizer
        Proposes.
    evaluator : StudyEvaluator
        Evaluates, or knows evaluations.
    space : SearchSpace
        What may be proposed.
    seed : int
        Of the search.
    n_trials : int
        How many are started; a small space may have fewer.
    """
    codes, _ = evaluator.codes
    metric = as_metric("accuracy", np.arange(evaluator.store.n_classes))
    problem = Problem(
        search_space=space, encoder=ConfigurationEncoder(space), metric=metric, codes=codes
    )
    predictions = _Predictions()
    own = _OwnEnsembles(optimizer)
    history = History(problem, predictions, seed, observers=(own,))
    timed = _Timed(optimizer)
    workers = _StoredEvaluations(evaluator, metric, predictions)
    run_search(timed, workers, history, Budget(n_trials=n_trials))
    successes = sorted(history.successes)
    return FinishedRun(
        trials=history.trials,
        outcomes=tuple(sorted(history.outcomes, key=lambda outcome: outcome.number)),
        propose_seconds=tuple(timed.seconds),
        validation=predictions.stack(successes),
        test=predictions.test(successes),
        metric=metric,
        history=history,
        own_members=tuple(own.members),
    )


@dataclass(slots=True)
class _Timed:
    """An optimiser whose proposals are timed."""

    optimizer: Optimizer
    seconds: list[float] = field(default_factory=list)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return what the optimiser proposes."""
        started = time.perf_counter()
        proposal = self.optimizer.propose(history, rng)
        self.seconds.append(time.perf_counter() - started)
        return proposal


@dataclass(slots=True)
class _OwnEnsembles:
    """The ensemble that a search keeps itself, if it does, after each trial."""

    optimizer: Optimizer
    members: list[tuple[int, ...]] = field(default_factory=list)

    def __call__(self, _: Outcome, history: History) -> None:
        """Note it: trials end one after the other."""
        if isinstance(self.optimizer, EnsembleOptimization):
            self.members.append(self.optimizer.members(history))


@dataclass(slots=True)
class _Predictions:
    """Predictions of the successful trials of one run, in memory."""

    _validation: dict[int, PredictionArray] = field(default_factory=dict)
    _test: dict[int, PredictionArray] = field(default_factory=dict)

    def add(self, number: int, validation: PredictionArray, test: PredictionArray) -> None:
        self._validation[number], self._test[number] = validation, test

    def stack(self, numbers: Sequence[int]) -> PredictionArray:
        """Return what trials predict for the validation rows, (trials, rows, classes)."""
        return np.array([self._validation[number] for number in numbers])

    def test(self, numbers: Sequence[int]) -> PredictionArray:
        """Return what trials predict for the test rows, (trials, rows, classes)."""
        return np.array([self._test[number] for number in numbers])


class _StoredEvaluations:
    """The workers of a run: one slot, whose evaluation ends before it is waited for."""

    n_slots = 1

    def __init__(
        self, evaluator: StudyEvaluator, metric: Metric, predictions: _Predictions
    ) -> None:
        self._evaluator, self._metric, self._predictions = evaluator, metric, predictions
        self._ended: list[Outcome] = []

    @property
    def all_busy(self) -> bool:
        """Whether an outcome was not fetched yet."""
        return bool(self._ended)

    def start(self, trial: Trial) -> None:
        """Evaluate a trial."""
        evaluation = self._evaluator(trial.configuration)
        loss = np.inf
        if evaluation.status is Status.SUCCESS:
            loss = self._loss(trial.number, evaluation)
        self._ended.append(
            Outcome(
                number=trial.number,
                status=evaluation.status,
                loss=float(loss),
                seconds=evaluation.seconds,
                reason=evaluation.reason,
            )
        )

    def wait(self, seconds: float) -> Iterator[Outcome]:  # noqa: ARG002 - the protocol has it
        """Yield the outcome of the trial that was started."""
        while self._ended:
            yield self._ended.pop()

    def stop(self) -> Iterator[Outcome]:
        """Yield what was not fetched yet."""
        yield from self.wait(0.0)

    def _loss(self, number: int, evaluation: Evaluation) -> float:
        validation, test = self._evaluator.predictions([evaluation])
        self._predictions.add(number, validation[0], test[0])
        codes, _ = self._evaluator.codes
        return self._metric.loss(codes, validation[0])
