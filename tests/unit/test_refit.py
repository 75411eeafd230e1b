"""From weights to fitted members."""

from __future__ import annotations

import threading
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from fakes.histories import (
    filled_history,
    mixed_job,
    succeed,
)
from fakes.learners import LENIENT, OPERATORS
from fakes.slots import opens, run_here
from fakes.workers import FakeClock
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from automl.budget import Budget
from automl.data.folds import Fold, Splits
from automl.data.table_store import TableHandle, save_table
from automl.evaluation.calls import CallLimits, Reply
from automl.evaluation.evaluator import PipelineSpec, RefitCall, dump_models
from automl.history import History
from automl.parallel.slots import Run, WorkerSlots
from automl.refit import Assembled, RefitPlan, Refits, assemble_members, refit_trials
from automl.storage.models import ModelStore
from automl.trial import Status, Trial
from search_space.task import TaskProperties

TASK = TaskProperties(
    n_rows=6, n_classes=3, smallest_class=2, largest_class=2, numeric=(0, 1), is_sparse=False
)


# The refits


@pytest.fixture
def table(tmp_path: Path) -> TableHandle:
    X = np.column_stack([np.arange(6.0), np.ones(6) + np.arange(6)])
    codes = np.array([0, 1, 2, 0, 1, 2])
    folds = (Fold(np.array([0, 1, 2]), np.array([3, 4, 5])),)
    splits = Splits(folds=folds, n_rows=6, description="by hand")
    return save_table(tmp_path, X, codes, splits)


LIMITS = CallLimits(timeout_seconds=60.0, memory_mib=77.0)


class Watched:
    """Runs a call in this process after noting its limits; some trials end otherwise."""

    def __init__(self, clock: FakeClock, seconds_per_fit: float = 0.0) -> None:
        self.limits: list[CallLimits] = []
        self.seeds: list[int] = []
        self.instead: dict[int, Reply] = {}
        self._clock = clock
        self._seconds = seconds_per_fit

    def run(self, call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
        """Let time pass and fit."""
        self.limits.append(limits)
        seed = cloudpickle.loads(call).spec.seed
        self.seeds.append(seed)
        self._clock.now += self._seconds
        return self.instead.get(seed) or run_here(call, limits, cancelled)


def refit(
    run: Run, table: TableHandle, trials: list[Trial], budget: Budget, n_slots: int = 1
) -> Refits:
    def make_call(trial: Trial) -> RefitCall:
        spec = PipelineSpec(
            configuration={"classifier": "lenient", "rescaler": "empty"},
            components=(LENIENT, *OPERATORS),
            task=TASK,
            seed=trial.number,
            rescale_first=True,
        )
        return RefitCall(spec=spec, table=table)

    with WorkerSlots(opens(run), n_slots) as slots:
        plan = RefitPlan(
            slots=slots,
            make_call=make_call,
            limits=LIMITS,
            budget=budget,
            check_rows=np.zeros((2, 2)),
        )
        return refit_trials(plan, trials)


@pytest.fixture
def trials() -> list[Trial]:
    return list(filled_history(mixed_job(), [succeed] * 5).trials)


@pytest.mark.parametrize("n_slots", [1, 2, 8])
def test_every_trial_is_fitted_on_all_rows(
    table: TableHandle, trials: list[Trial], n_slots: int
) -> None:
    watched = Watched(FakeClock())
    fitted = refit(watched.run, table, trials, Budget(), n_slots).fitted
    assert sorted(fitted) == [0, 1, 2, 3, 4]
    for model in fitted.values():
        assert model.named_steps["classifier"].rows_.tolist() == [0, 1, 2, 3, 4, 5]
    assert watched.limits == [LIMITS] * 5


def test_refits_run_in_the_given_order(table: TableHandle, trials: list[Trial]) -> None:
    watched = Watched(FakeClock())
    refit(watched.run, table, [trials[i] for i in (3, 0, 4)], Budget())
    assert watched.seeds == [3, 0, 4]


def test_refits_end_with_the_time_of_fit(table: TableHandle, trials: list[Trial]) -> None:
    clock = FakeClock()
    watched = Watched(clock, seconds_per_fit=2.0)
    refits = refit(watched.run, table, trials, Budget(seconds=5.0, clock=clock))
    # Half a second is kept for what follows. After three fits no time is left.
    assert [limit.seconds_left for limit in watched.limits] == [4.5, 2.5, 0.5]
    assert sorted(refits.fitted) == [0, 1, 2]
    assert refits.reasons == {n: "there was no time left" for n in (3, 4)}


def test_without_time_nothing_is_started(table: TableHandle, trials: list[Trial]) -> None:
    watched = Watched(FakeClock())
    clock = FakeClock()
    budget = Budget(seconds=3.0, clock=clock, started_at=clock.now - 2.6)
    assert refit(watched.run, table, trials, budget).fitted == {}
    assert watched.seeds == []


def test_no_trials_need_no_refit(table: TableHandle) -> None:
    assert refit(Watched(FakeClock()).run, table, [], Budget()) == Refits()


def test_refits_that_fail_are_left_out(table: TableHandle, trials: list[Trial]) -> None:
    watched = Watched(FakeClock())
    watched.instead = {
        0: Reply(status=Status.TIMEOUT, seconds=1.0, reason="too long"),
        1: Reply(status=Status.OUT_OF_MEMORY, seconds=1.0, reason="too much"),
    }
    refits = refit(watched.run, table, trials, Budget(), n_slots=2)
    assert sorted(refits.fitted) == [2, 3, 4]
    assert refits.reasons == {0: "too long", 1: "too much"}


# The members


def model(*frequencies: float) -> Pipeline:
    codes = np.repeat(np.arange(len(frequencies)), np.array(frequencies, dtype=int))
    dummy = DummyClassifier(strategy="prior")
    return Pipeline([("classifier", dummy)]).fit(np.zeros((len(codes), 1)), codes)


@pytest.fixture
def store(tmp_path: Path) -> ModelStore:
    folder = tmp_path / "models"
    folder.mkdir()
    return ModelStore(folder, n_kept=3)


def assembled(
    weights: dict[int, float], history: History, fitted: dict[int, Pipeline], store: ModelStore
) -> Assembled:
    reasons = {number: "too long" for number in weights if number not in fitted}
    return assemble_members(weights, history, Refits(fitted, reasons), store, np.zeros((2, 1)))


class Homesick:
    """Leaves the process it was made in as something that cannot be brought back."""

    def __reduce__(self) -> tuple[object, tuple[str]]:
        return int, ("no number",)


class Moody:
    """A model that predicts nothing usable."""

    classes_ = (0, 1)

    def predict_proba(self, X: np.ndarray) -> np.ndarray:
        """Return no numbers."""
        return np.full((X.shape[0], 2), np.nan)


@pytest.fixture
def history() -> History:
    return filled_history(mixed_job(), [succeed] * 5)


def test_a_refitted_model_is_preferred_and_fold_models_stand_in(
    history: History, store: ModelStore
) -> None:
    store.offer(0, 0.1, dump_models([model(1, 1), model(1, 3)]))
    store.offer(2, 0.2, dump_models([model(1, 1)]))
    members = assembled({0: 0.4, 2: 0.6}, history, {2: model(3, 1)}, store).members
    assert [member.number for member in members] == [2, 0]
    assert [member.is_refitted for member in members] == [True, False]
    assert [len(member.models) for member in members] == [1, 2]
    X = np.zeros((1, 1))
    np.testing.assert_allclose(members[0].predict_proba(X, 2), [[0.75, 0.25]])
    np.testing.assert_allclose(members[1].predict_proba(X, 2), [[0.375, 0.625]])


def test_the_shares_of_lost_members_go_to_the_others(history: History, store: ModelStore) -> None:
    store.offer(4, 0.1, dump_models([model(1, 1)]))
    weights = {0: 0.5, 1: 0.2, 4: 0.3}
    members = assembled(weights, history, {1: model(1, 1)}, store).members
    assert {member.number: member.weight for member in members} == pytest.approx({4: 0.6, 1: 0.4})


def test_members_come_by_falling_weight_and_the_earlier_trial_first_among_equals(
    history: History, store: ModelStore
) -> None:
    weights = {3: 0.25, 1: 0.25, 0: 0.1, 4: 0.4}
    refitted = {number: model(1, 1) for number in weights}
    members = assembled(weights, history, refitted, store).members
    assert [member.number for member in members] == [4, 1, 3, 0]
    assert sum(member.weight for member in members) == pytest.approx(1.0)


def test_a_member_says_what_it_is(history: History, store: ModelStore) -> None:
    (member,) = assembled({1: 1.0}, history, {1: model(1, 1)}, store).members
    configuration = history.trials[1].configuration
    outcome = history.outcome_of(1)
    assert outcome is not None
    assert member.loss == outcome.loss
    assert member.configuration == dict(configuration)
    assert {type(value) for value in member.configuration.values()} <= {str, int, float}
    assert member.learner == configuration["classifier"]
    assert type(member.learner) is str


@pytest.mark.parametrize("weights", [{}, {0: 0.5, 1: 0.5}])
def test_without_any_model_there_are_no_members(
    history: History, store: ModelStore, weights: dict[int, float]
) -> None:
    nothing = assembled(weights, history, {}, store)
    assert nothing.members == ()
    assert nothing.lost == {n: "too long; the models of its folds were not kept" for n in weights}


@pytest.mark.parametrize(
    ("model_of_fold", "reason"),
    [(Homesick(), "ValueError: invalid literal"), (Moody(), "Error: ")],
    ids=["cannot be loaded", "cannot predict"],
)
def test_a_model_that_does_not_work_here_is_left_out_with_the_reason(
    history: History, store: ModelStore, model_of_fold: object, reason: str
) -> None:
    store.offer(0, 0.1, cloudpickle.dumps([model_of_fold]))
    store.offer(1, 0.1, dump_models([model(1, 1)]))
    result = assembled({0: 0.7, 1: 0.3}, history, {}, store)
    assert [(member.number, member.weight) for member in result.members] == [(1, 1.0)]
    assert list(result.lost) == [0]
    assert "does not work in this process" in result.lost[0]
    assert reason in result.lost[0]


def test_a_refit_that_does_not_work_here_is_a_refit_that_failed(
    table: TableHandle, trials: list[Trial]
) -> None:
    watched = Watched(FakeClock())
    blobs = (cloudpickle.dumps([Homesick()]),)
    watched.instead = {0: Reply(status=Status.SUCCESS, seconds=1.0, blobs=blobs)}
    refits = refit(watched.run, table, trials, Budget())
    assert sorted(refits.fitted) == [1, 2, 3, 4]
    assert "does not work in this process" in refits.reasons[0]
