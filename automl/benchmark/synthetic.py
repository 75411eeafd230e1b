"""A search problem without learners: predictions that depend on the configuration in known ways.

Timing the search must not depend on how long models take to fit, so the validation predictions
come from a random linear model of the encoded configuration.
"""

from __future__ import annotations

import numpy as np
from ConfigSpace import Configuration

from automl.history import History, Problem
from automl.optimizers.optimizer import Optimizer
from automl.scoring import as_metric
from automl.storage.predictions import PredictionStore
from automl.trial import Outcome, Proposal, Status
from search_space.arrays import IntArray, PredictionArray
from search_space.encoding import ConfigurationEncoder
from search_space.space import build_space
from search_space.task import TaskProperties


class SyntheticProblem:
    """A two-class problem over a preset, whose evaluations cost nothing.

    Parameters
    ----------
    preset : str
        Name of the search space.
    n_rows : int
        Validation rows.
    seed : int
        Seed of the labels and of the linear model.
    """

    def __init__(self, preset: str, *, n_rows: int, seed: int) -> None:
        rng = np.random.default_rng(seed)
        task = TaskProperties(
            n_rows=3 * n_rows,
            n_classes=2,
            smallest_class=2 * n_rows,
            largest_class=2 * n_rows,
            numeric=tuple(range(20)),
        )
        space = build_space(task, preset=preset)
        self.codes: IntArray = rng.integers(2, size=n_rows)
        self.problem = Problem(
            search_space=space,
            encoder=ConfigurationEncoder(space),
            metric=as_metric("accuracy", np.array([0, 1])),
            codes=self.codes,
        )
        n_columns = len(self.problem.encoder.columns)
        self._effects = rng.normal(scale=0.4, size=(n_columns, n_rows))
        self._difficulty = rng.normal(loc=0.8, size=n_rows)

    def predictions(self, configuration: Configuration) -> PredictionArray:
        """Return what the model of a configuration predicts, (rows, 2)."""
        encoded = self.problem.encoder.encode([configuration])[0]
        logit = (self._difficulty + encoded @ self._effects) * np.where(self.codes == 1, 1, -1)
        p = 1.0 / (1.0 + np.exp(-logit))
        stacked: PredictionArray = np.stack([1.0 - p, p], axis=1).astype(np.float32)
        return stacked

    def new_history(self, store: PredictionStore, seed: int) -> History:
        """Return an empty history of this problem."""
        return History(self.problem, store, seed, baseline_loss=0.5)

    def advance(
        self, history: History, store: PredictionStore, optimizer: Optimizer, n_trials: int
    ) -> None:
        """Propose and evaluate until the history holds the given number of trials."""
        while history.n_started < n_trials:
            self.take_up(history, store, optimizer.propose(history, history.rng()))

    def take_up(self, history: History, store: PredictionStore, proposal: Proposal) -> None:
        """Evaluate a proposal at once and record its outcome."""
        trial = history.open_trial(proposal)
        predictions = self.predictions(trial.configuration)
        store.append(trial.number, predictions)
        loss = self.problem.metric.loss(self.codes, predictions)
        history.record(Outcome(number=trial.number, status=Status.SUCCESS, loss=loss, seconds=0.0))
