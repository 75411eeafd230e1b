"""The road from a prepared table to an ensemble: search, selection, refit."""

from __future__ import annotations

import logging
import math
import shutil
import time
import warnings
from collections.abc import Mapping
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from threadpoolctl import threadpool_limits

from automl.budget import Budget
from automl.common_failure import common_failure
from automl.data.resampling import Splits
from automl.data.table_store import save_table
from automl.ensembles.selection import better_than_baseline, select, shortlist
from automl.ensembles.tolerance import loss_tolerance
from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.errors import DegradedResultWarning
from automl.evaluation.baseline import baseline_predictions, fit_baseline
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.evaluator import (
    EvaluationCall,
    ModelDestination,
    PipelineSpec,
    RefitCall,
)
from automl.evaluation.limits import available_memory_mib
from automl.history import History, Observer, Problem
from automl.leaderboard import TrialCounts, TrialRecord, trial_records
from automl.metrics import Metric
from automl.parallel.slots import WorkerSlots, open_run
from automl.parallel.trial_workers import Stores, TrialLimits, TrialWorkers
from automl.refit import RefitPlan, Refits, assemble_members, estimated_refit_seconds, refit_trials
from automl.search import run_search
from automl.seeding import Purpose, derived_seed
from automl.settings import Settings
from automl.storage.journal import Journal
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore
from automl.trial import Outcome, Trial
from search_space.arrays import Features, IntArray
from search_space.encoding import ConfigurationEncoder
from search_space.space import SearchSpace
from search_space.values import plain_values

_LOG = logging.getLogger(__name__)

_TRIALS_PER_TIME_LIMIT = 8  # one evaluation may take an eighth of the whole time
_SECONDS_PER_TRIAL = 600.0  # where there is no time limit
_MEMORY_SHARE = 0.8  # of what is free when the search starts
_MODELS_KEPT = 200
_DISK_SHARE = 0.2  # of what is free when the search starts, for fold models
_LARGEST_RESERVED_SHARE = 0.25  # of the time limit that the search leaves to selection and refit
_SECONDS_PER_SUMMED_PROBABILITY = 2e-9  # ensemble selection by accuracy, on one 2.6 GHz core
_SELECTION_BYTES = 256 * 2**20  # predictions that ensemble selection may copy
_FEWEST_SELECTABLE = 50
_REFIT_TRIALS = 2.0  # limit of one refit, in limits of an evaluation
_SELECTION_SHARE = 0.03  # of the time limit that ensemble selection may take


@dataclass(frozen=True, slots=True, kw_only=True)
class PreparedData:
    """What the search works on: the user's table after every check.

    Attributes
    ----------
    X : (n, d) array or sparse array
        Prepared features.
    codes : (n,) array of int
        Classes.
    n_classes : int
        Number of classes.
    splits : Splits
        Which rows train and which validate.
    metric : Metric
        Stored predictions to a loss.
    search_space : SearchSpace
        What may be tried, built for this table.
    """

    X: Features
    codes: IntArray
    n_classes: int
    splits: Splits
    metric: Metric
    search_space: SearchSpace


@dataclass(frozen=True, slots=True, kw_only=True)
class FitResult:
    """What ``fit`` leaves behind.

    Attributes
    ----------
    ensemble : WeightedEnsemble
        Fitted members and their weights.
    records : tuple of TrialRecord
        Every trial that ended.
    baseline_loss : float
        Validation loss of predicting the class frequencies.
    """

    ensemble: WeightedEnsemble
    records: tuple[TrialRecord, ...]
    baseline_loss: float


def fit_ensemble(
    data: PreparedData,
    settings: Settings,
    budget: Budget,
    folder: Path,
    *,
    n_workers: int,
    observers: tuple[Observer, ...] = (),
) -> FitResult:
    """Search, select an ensemble, refit its members.

    Parameters
    ----------
    data : PreparedData
        The table, the splits, the metric and the search space.
    settings : Settings
        What the user asked for.
    budget : Budget
        The clock that started with ``fit``.
    folder : Path
        Where journal, predictions and models go.
    n_workers : int
        Evaluations that run at the same time.
    observers : tuple of callable
        Told of every outcome.
    """
    return _Fit(data, settings, budget, folder, n_workers, observers).run()


class _Fit:
    """One call of ``fit``: its steps and the values that they share."""

    def __init__(
        self,
        data: PreparedData,
        settings: Settings,
        budget: Budget,
        folder: Path,
        n_workers: int,
        observers: tuple[Observer, ...],
    ) -> None:
        self._data = data
        self._settings = settings
        self._budget = budget
        self._folder = folder
        self._n_workers = n_workers
        self._observers = observers
        self._memory_mib = _memory_limit(settings.memory_limit, n_workers)
        self._baseline = baseline_predictions(data.codes, data.splits, data.n_classes)

    def run(self) -> FitResult:
        """Search, select, refit."""
        data, budget = self._data, self._budget
        with ExitStack() as stack:
            self._table = save_table(self._folder / "table", data.X, data.codes, data.splits)
            place = open_run(self._sandbox_settings(), self._n_workers, self._table)
            slots = stack.enter_context(WorkerSlots(place, self._n_workers))
            # Every fit uses one thread, surrogates included: parallelism comes from processes.
            stack.enter_context(threadpool_limits(1))
            journal = stack.enter_context(Journal(self._folder / "journal.jsonl", self._header()))
            n_rows, n_classes = self._baseline.shape
            predictions = stack.enter_context(
                PredictionStore(
                    self._folder / "predictions.f32", n_rows=n_rows, n_classes=n_classes
                )
            )
            models = self._models = self._open_models()
            history = self._new_history(predictions, journal)
            limits = TrialLimits(
                timeout_seconds=_trial_seconds(self._settings), memory_mib=self._memory_mib
            )
            workers = TrialWorkers(
                slots, self._evaluation, limits, budget, Stores(predictions, models)
            )
            run_search(self._settings.optimizer, workers, history, budget)
            weights, loss = self._select(history)
            members = self._members(weights, history, models, slots)
        _LOG.info("asked %.1f s, used %.1f s", budget.seconds, budget.seconds_used)
        return FitResult(
            ensemble=WeightedEnsemble(members=members, n_classes=data.n_classes, loss=loss),
            records=trial_records(history),
            baseline_loss=history.baseline_loss,
        )

    def _sandbox_settings(self) -> SandboxSettings:
        modules = {
            module
            for component in self._data.search_space.components
            for module in component.modules
        }
        return SandboxSettings(preload=("automl.evaluation.evaluator", *sorted(modules)))

    def _header(self) -> dict[str, object]:
        return {
            "seed": self._settings.seed,
            "metric": self._data.metric.name,
            "n_rows": self._data.codes.shape[0],
            "n_classes": self._data.n_classes,
            "n_splits": len(self._data.splits.folds),
        }

    def _open_models(self) -> ModelStore:
        folder = self._folder / "models"
        folder.mkdir()
        free = shutil.disk_usage(folder).free
        return ModelStore(folder, n_kept=_MODELS_KEPT, max_bytes=int(_DISK_SHARE * free))

    def _new_history(self, predictions: PredictionStore, journal: Journal) -> History:
        data = self._data
        codes = data.codes[data.splits.covered]
        problem = Problem(
            search_space=data.search_space,
            encoder=ConfigurationEncoder(data.search_space),
            metric=data.metric,
            codes=codes,
        )
        return History(
            problem,
            predictions,
            self._settings.seed,
            data.metric.loss(codes, self._baseline),
            journal=journal,
            observers=(self._reserve_time, *self._observers),
        )

    def _reserve_time(self, outcome: Outcome, history: History) -> None:  # noqa: ARG002
        """Leave selection and refit the time that they are going to need."""
        if math.isinf(self._budget.seconds):
            return
        n_summed = len(history.successes) * self._baseline.size * self._settings.ensemble_size
        expected = _SECONDS_PER_SUMMED_PROBABILITY * n_summed
        if self._data.metric.known is None:
            expected += _SELECTION_SHARE * self._budget.seconds
        if self._settings.refit:
            n_splits = len(self._data.splits.folds)
            expected += estimated_refit_seconds(history, n_splits, self._n_workers)
        self._budget.reserved = min(expected, _LARGEST_RESERVED_SHARE * self._budget.seconds)

    def _spec(self, trial: Trial) -> PipelineSpec:
        space = self._data.search_space
        return PipelineSpec(
            configuration=plain_values(trial.configuration),
            components=space.components,
            task=space.task,
            seed=derived_seed(self._settings.seed, Purpose.LEARNER, trial.number),
            rescale_first=space.rescale_first,
        )

    def _evaluation(self, trial: Trial) -> EvaluationCall:
        return EvaluationCall(
            spec=self._spec(trial),
            table=self._table,
            metric=self._data.metric,
            models=ModelDestination(
                path=str(self._models.partial_path(trial.number).absolute()),
                largest_loss=self._models.largest_loss,
            ),
        )

    def _refit(self, trial: Trial) -> RefitCall:
        return RefitCall(spec=self._spec(trial), table=self._table)

    def _select(self, history: History) -> tuple[dict[int, float], float]:
        """Return the weights of the chosen trials and the loss of their ensemble."""
        if not history.successes:
            return {}, history.baseline_loss
        losses = history.success_losses()
        library = np.flatnonzero(better_than_baseline(losses, history.baseline_loss))
        if not library.size:
            _warn_of_no_better_model(history)
            library = np.array([losses.argmin()])
        library = library[shortlist(losses[library], self._n_selectable())]
        numbers = [history.successes[i] for i in sorted(library)]
        stack, codes, metric = (
            history.predictions.stack(numbers),
            history.problem.codes,
            self._data.metric,
        )
        size = self._settings.ensemble_size
        best = int(losses[sorted(library)].argmin())
        # One round is asked for by who wants the model with the lowest loss.
        tolerance = loss_tolerance(metric, codes, stack[best]) if size > 1 else 0.0
        selection = select(stack, codes, metric, size, tolerance=tolerance)
        weights = {numbers[i]: float(selection.weights[i]) for i in selection.members}
        return weights, selection.loss

    def _n_selectable(self) -> int:
        """Return how many trials, the best ones, ensemble selection can afford to choose from."""
        # Copying more predictions would cost more memory than it can bring.
        n_best = max(_FEWEST_SELECTABLE, _SELECTION_BYTES // self._baseline.nbytes)
        metric, codes = self._data.metric, self._data.codes[self._data.splits.covered]
        if metric.known is not None or math.isinf(self._budget.seconds):
            return n_best
        # A scorer that is called for every candidate in every round must not outlast the budget.
        started = time.perf_counter()
        metric.loss(codes, self._baseline)
        seconds = time.perf_counter() - started
        affordable = _SELECTION_SHARE * self._budget.seconds / seconds
        return max(1, min(n_best, int(affordable / self._settings.ensemble_size)))

    def _members(
        self,
        weights: Mapping[int, float],
        history: History,
        models: ModelStore,
        slots: WorkerSlots,
    ) -> tuple[Member, ...]:
        """Return the fitted members, refitted on all rows where wanted and possible."""
        refits = Refits()
        if self._settings.refit:
            trial_seconds = _trial_seconds(self._settings)
            # Trials whose fold models were not kept come first: they have nothing else.
            order = sorted(weights, key=lambda n: (models.has(n), -weights[n], n))
            plan = RefitPlan(
                slots=slots,
                make_call=self._refit,
                limits=CallLimits(
                    timeout_seconds=None
                    if math.isinf(trial_seconds)
                    else _REFIT_TRIALS * trial_seconds,
                    memory_mib=self._memory_mib,
                ),
                budget=self._budget,
            )
            refits = refit_trials(plan, [history.trials[number] for number in order])
        members = assemble_members(weights, history, refits.fitted, models)
        _warn_of_lost_members(weights, members, refits)
        return members or (_baseline_member(self._data.codes, history),)


def _memory_limit(asked: float | None, n_workers: int) -> float | None:
    """Return what one evaluation may use: what was asked for, or a fair share of what is free."""
    if asked is None:
        return _MEMORY_SHARE * available_memory_mib() / n_workers
    return None if math.isinf(asked) else asked


def _trial_seconds(settings: Settings) -> float:
    """Return what one evaluation may take: what was asked for, or a part of the whole time."""
    if settings.trial_time_limit is not None:
        return settings.trial_time_limit
    if math.isinf(settings.time_limit):
        return _SECONDS_PER_TRIAL
    return settings.time_limit / _TRIALS_PER_TIME_LIMIT


def _baseline_member(codes: IntArray, history: History) -> Member:
    """Return the class frequencies as the only member: there is no fitted model at all."""
    common = common_failure(history)
    failed = next((o for o in history.outcomes if o.reason), None)
    why = f"; the first failure was: {failed.reason}" if failed is not None else ""
    counts = TrialCounts.of(outcome.status for outcome in history.outcomes)
    warnings.warn(
        f"{common} The class frequencies are predicted."
        if common is not None
        else f"no trial gave a model in the given limits ({counts}){why}. The class frequencies "
        "are predicted. Raise time_limit, trial_time_limit or memory_limit.",
        DegradedResultWarning,
        stacklevel=6,
    )
    return Member(
        number=-1,
        learner="baseline",
        weight=1.0,
        loss=history.baseline_loss,
        configuration={},
        models=(fit_baseline(codes),),
        is_refitted=True,
    )


def _warn_of_no_better_model(history: History) -> None:
    warnings.warn(
        f"no model has a lower loss than the class frequencies ({history.baseline_loss:.6g}); "
        "the single best model is returned without an ensemble",
        DegradedResultWarning,
        stacklevel=6,
    )


def _warn_of_lost_members(
    weights: Mapping[int, float], members: tuple[Member, ...], refits: Refits
) -> None:
    lost = sorted(set(weights) - {member.number for member in members})
    if not lost:
        return
    reasons = "; ".join(f"trial {n}: {refits.reasons.get(n, 'not kept')}" for n in lost)
    warnings.warn(
        f"{len(lost)} of {len(weights)} ensemble members could not be fitted again and are left "
        f"out ({reasons})",
        DegradedResultWarning,
        stacklevel=6,
    )
