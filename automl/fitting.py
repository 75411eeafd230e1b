"""The road from a prepared table to an ensemble: search, selection, refit."""

from __future__ import annotations

import logging
import math
import shutil
from contextlib import ExitStack
from dataclasses import dataclass

from threadpoolctl import threadpool_limits

from automl.budget import Budget
from automl.changes import Change
from automl.data.table_store import data_fingerprint, save_table
from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.evaluator import (
    EvaluationCall,
    ModelDestination,
    PipelineSpec,
    RefitCall,
)
from automl.failures import failures_among
from automl.fit_limits import TimeReserve, memory_limit_mib, scoring_seconds, trial_seconds
from automl.fitted_members import baseline_member, fit_members
from automl.history import History, Observer, Problem
from automl.leaderboard import TrialRecord, trial_records
from automl.member_choice import choose_members
from automl.parallel.slots import WorkerSlots, open_run
from automl.parallel.trial_workers import Stores, TrialLimits, TrialWorkers
from automl.prepared_data import PreparedData
from automl.refit import RefitPlan
from automl.resumption import JOURNAL, SearchFolder, check_same_search, restore
from automl.search import run_search, run_search_in_rounds
from automl.seeding import Purpose, derived_seed
from automl.settings import Settings
from automl.shortfalls import idle_workers, interruption, only_baseline
from automl.storage.fingerprints import space_fingerprint
from automl.storage.journal import Journal
from automl.storage.journal_records import JournalHeader
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore
from automl.trial import Trial
from automl.versions import package_versions
from search_space.encoding import ConfigurationEncoder
from search_space.values import plain_values

_LOG = logging.getLogger(__name__)

_MODELS_KEPT = 200
_DISK_SHARE = 0.2  # of what is free when the search starts, for fold models
_ROWS_CHECKED = 5  # that every model of a member has to predict
_REFIT_TRIALS = 2.0  # limit of one refit, in limits of an evaluation


@dataclass(frozen=True, slots=True, kw_only=True)
class FitResult:
    """What ``fit`` leaves behind.

    Attributes
    ----------
    ensemble : WeightedEnsemble
        Fitted members and their weights.
    best_member : Member or None
        The trial with the lowest loss, whatever its weight; None if it has no model.
    records : tuple of TrialRecord
        Every trial that ended.
    changes : tuple of Change
        What was asked for and not done.
    shortfalls : tuple of str
        In what the result is less than what was asked for; the user has to be warned of it.
    """

    ensemble: WeightedEnsemble
    best_member: Member | None
    records: tuple[TrialRecord, ...]
    changes: tuple[Change, ...]
    shortfalls: tuple[str, ...]


def fit_ensemble(
    data: PreparedData,
    settings: Settings,
    budget: Budget,
    folder: SearchFolder,
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
    folder : SearchFolder
        Where journal, predictions and models go, and what is there to go on with.
    n_workers : int
        Evaluations that run at the same time.
    observers : tuple of callable
        Told of every outcome.

    Raises
    ------
    InputError
        If the folder holds another search.
    """
    return _Fit(data, settings, budget, folder, n_workers, observers).run()


class _Fit:
    """One call of ``fit``: its steps and the values that they share."""

    def __init__(
        self,
        data: PreparedData,
        settings: Settings,
        budget: Budget,
        folder: SearchFolder,
        n_workers: int,
        observers: tuple[Observer, ...],
    ) -> None:
        self._data = data
        self._settings = settings
        self._budget = budget
        self._folder = folder.path
        self._n_workers = n_workers
        self._observers = observers
        self._written = folder.written
        self._memory_mib = memory_limit_mib(settings.memory_limit, n_workers)

    def run(self) -> FitResult:
        """Search, select, refit."""
        data, budget = self._data, self._budget
        with ExitStack() as stack:
            header = self._header()
            if self._written is not None:
                check_same_search(self._folder, self._written.header, header)
            self._table = save_table(
                self._folder / "table", data.X, data.codes, data.splits, data.weights
            )
            place = open_run(self._sandbox_settings(), self._n_workers, self._table)
            slots = stack.enter_context(WorkerSlots(place, self._n_workers))
            # Every fit uses one thread, surrogates included: parallelism comes from processes.
            stack.enter_context(threadpool_limits(1))
            journal = stack.enter_context(self._open_journal(header))
            predictions = stack.enter_context(
                PredictionStore(
                    self._folder / "predictions.f32",
                    n_rows=data.splits.covered.shape[0],
                    n_classes=data.n_classes,
                    resume=self._written is not None,
                )
            )
            models = self._models = self._open_models()
            history = self._new_history(predictions, journal)
            unfinished: tuple[Trial, ...] = ()
            if self._written is not None:
                unfinished = restore(history, self._written, journal, predictions, models)
            limits = TrialLimits(
                timeout_seconds=trial_seconds(self._settings), memory_mib=self._memory_mib
            )
            _LOG.info("%s, %d at the same time", limits, self._n_workers)
            workers = TrialWorkers(
                slots, self._evaluation, limits, budget, Stores(predictions, models)
            )
            search = run_search_in_rounds if self._settings.deterministic else run_search
            changes = search(
                self._settings.optimizer, workers, history, budget, unfinished=unfinished
            )
            choice = choose_members(
                history,
                self._settings.ensemble_size,
                scoring_seconds=scoring_seconds(budget),
            )
            fitted = fit_members(
                choice.weights,
                history,
                models,
                self._refit_plan(slots),
                refit=self._settings.refit,
            )
        records = trial_records(history)
        for failure in failures_among(records):
            _LOG.info("failed: %s", failure)
        _LOG.info("%s", budget)
        members, loss = fitted.members, choice.loss
        shortfalls = [interruption(budget, history), choice.shortfall, fitted.shortfall]
        if not members:
            members, loss = (
                (baseline_member(data.codes, data.weights, history.baseline_loss),),
                history.baseline_loss,
            )
            shortfalls.append(only_baseline(history))
        return FitResult(
            ensemble=WeightedEnsemble(
                members=members, n_classes=data.n_classes, loss=loss, threshold=choice.threshold
            ),
            best_member=fitted.best,
            records=records,
            changes=(
                *idle_workers(self._settings, self._n_workers),
                *changes,
                *fitted.changes,
            ),
            shortfalls=tuple(filter(None, shortfalls)),
        )

    def _open_journal(self, header: JournalHeader) -> Journal:
        path, written = self._folder / JOURNAL, self._written
        if written is None:
            return Journal.create(path, header, self._clock)
        return Journal.continued(path, written.n_bytes, self._clock)

    def _clock(self) -> float:
        return self._budget.seconds_used

    def _sandbox_settings(self) -> SandboxSettings:
        modules = {
            module
            for component in self._data.search_space.components
            for module in component.modules
        }
        return SandboxSettings(preload=("automl.evaluation.evaluator", *sorted(modules)))

    def _header(self) -> JournalHeader:
        data = self._data
        return JournalHeader(
            seed=self._settings.seed,
            metric=data.metric.name,
            n_rows=data.codes.shape[0],
            n_classes=data.n_classes,
            n_splits=len(data.splits.folds),
            data=data_fingerprint(data.X, data.codes, data.splits, data.weights),
            search_space=space_fingerprint(data.search_space),
            versions=package_versions(),
        )

    def _open_models(self) -> ModelStore:
        folder = self._folder / "models"
        folder.mkdir(exist_ok=True)
        free = shutil.disk_usage(folder).free
        return ModelStore(folder, n_kept=_MODELS_KEPT, max_bytes=int(_DISK_SHARE * free))

    def _new_history(self, predictions: PredictionStore, journal: Journal) -> History:
        data = self._data
        covered, judging = data.splits.covered, data.weights.metric
        problem = Problem(
            search_space=data.search_space,
            encoder=ConfigurationEncoder(data.search_space),
            metric=data.metric,
            codes=data.codes[covered],
            sample_weight=None if judging is None else judging[covered],
        )
        reserve = TimeReserve(self._budget, self._settings, len(data.splits.folds), self._n_workers)
        return History(
            problem,
            predictions,
            self._settings.seed,
            data.baseline_loss,
            journal=journal,
            observers=(reserve, *self._observers),
        )

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

    def _refit_plan(self, slots: WorkerSlots) -> RefitPlan:
        limit = trial_seconds(self._settings)
        return RefitPlan(
            slots=slots,
            make_call=self._refit,
            limits=CallLimits(
                timeout_seconds=None if math.isinf(limit) else _REFIT_TRIALS * limit,
                memory_mib=self._memory_mib,
            ),
            budget=self._budget,
            check_rows=self._data.X[:_ROWS_CHECKED],
        )
