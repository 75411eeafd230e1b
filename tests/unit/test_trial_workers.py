"""Trials to sandboxed calls, replies to outcomes."""

from __future__ import annotations

import logging
import math
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from fakes.destinations import RETURNED
from fakes.histories import TASK, mixed_job, random_proposal
from fakes.slots import opens
from fakes.workers import FakeClock

from automl.budget import Budget
from automl.data.table_store import TableHandle
from automl.evaluation.calls import CallLimits, Reply
from automl.evaluation.evaluator import EvaluationCall, PipelineSpec
from automl.parallel.slots import WorkerSlots
from automl.parallel.trial_workers import Stores, TrialLimits, TrialWorkers
from automl.scoring import as_metric
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore
from automl.trial import Outcome, Status, Trial

ROWS, CLASSES = 4, 3
P = np.random.default_rng(0).dirichlet(np.ones(CLASSES), size=ROWS).astype(np.float32)


def trials(n: int) -> list[Trial]:
    job = mixed_job()
    history = job.history()
    rng = np.random.default_rng(1)
    return [history.open_trial(random_proposal(job.space, rng)) for _ in range(n)]


def make_call(trial: Trial) -> EvaluationCall:
    spec = PipelineSpec(
        configuration=dict(trial.configuration),
        components=(),
        task=TASK,
        seed=trial.number,
        rescale_first=True,
    )
    metric = as_metric("accuracy", np.arange(CLASSES))
    table = TableHandle("nowhere", "none")
    return EvaluationCall(spec=spec, table=table, metric=metric, models=RETURNED)


def success(loss: float = 0.25, models: bytes = b"models") -> Reply:
    return Reply(
        status=Status.SUCCESS,
        seconds=2.5,
        memory_mib=31.0,
        header={"loss": loss},
        blobs=(memoryview(P.tobytes()), memoryview(models)),
    )


@pytest.fixture
def stores(tmp_path: Path) -> Iterator[Stores]:
    (tmp_path / "models").mkdir()
    path = tmp_path / "predictions"
    with PredictionStore(path, n_rows=ROWS, n_classes=CLASSES) as predictions:
        yield Stores(predictions, ModelStore(tmp_path / "models", n_kept=2))


class Replies:
    """Answers every call with one reply and remembers the call and its limits."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.calls: list[EvaluationCall] = []
        self.limits: list[CallLimits] = []

    def run(self, call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:  # noqa: ARG002
        """Give the reply."""
        self.calls.append(cloudpickle.loads(call))
        self.limits.append(limits)
        return self.reply


def outcomes_of(
    replies: Replies,
    stores: Stores,
    *,
    n_trials: int = 1,
    timeout_seconds: float = 60.0,
    memory_mib: float | None = 100.0,
    budget: Budget | None = None,
) -> list[Outcome]:
    limits = TrialLimits(timeout_seconds=timeout_seconds, memory_mib=memory_mib)
    with WorkerSlots(opens(replies.run), n_trials) as slots:
        workers = TrialWorkers(slots, make_call, limits, budget or Budget(), stores)
        assert workers.n_slots == n_trials
        for trial in trials(n_trials):
            assert not workers.all_busy
            workers.start(trial)
        assert workers.all_busy
        return list(workers.stop())


def test_a_success_stores_predictions_and_models_and_becomes_an_outcome(stores: Stores) -> None:
    (outcome,) = outcomes_of(Replies(success()), stores)
    assert outcome == Outcome(
        number=0, status=Status.SUCCESS, loss=0.25, seconds=2.5, memory_mib=31.0
    )
    assert np.array_equal(stores.predictions.stack([0])[0], P)
    assert stores.models.read(0) == b"models"


def test_a_success_without_models_is_a_success(stores: Stores) -> None:
    (outcome,) = outcomes_of(Replies(success(models=b"")), stores)
    assert outcome.status is Status.SUCCESS
    assert not stores.models.has(0)


def test_what_an_evaluation_process_could_not_import_is_logged(
    stores: Stores, caplog: pytest.LogCaptureFixture
) -> None:
    reply = replace(success(), notes=("cannot import mine: ImportError: no such GPU",))
    with caplog.at_level(logging.INFO, logger="automl"):
        outcomes_of(Replies(reply), stores)
    assert caplog.messages == ["an evaluation process cannot import mine: ImportError: no such GPU"]


def test_the_call_is_that_of_the_trial(stores: Stores) -> None:
    replies = Replies(success())
    outcomes_of(replies, stores, n_trials=3)
    found = {call.spec.seed: dict(call.spec.configuration) for call in replies.calls}
    assert found == {trial.number: dict(trial.configuration) for trial in trials(3)}


@pytest.mark.parametrize("status", [Status.CRASHED, Status.OUT_OF_MEMORY, Status.TIMEOUT])
def test_a_failure_is_an_outcome_with_its_reason_and_stores_nothing(
    stores: Stores, status: Status
) -> None:
    reply = Reply(status=status, seconds=60.5, reason="too bad", traceback="line 7", memory_mib=5.0)
    (outcome,) = outcomes_of(Replies(reply), stores)
    assert outcome == Outcome(
        number=0,
        status=status,
        loss=math.inf,
        seconds=60.5,
        reason="too bad",
        traceback="line 7",
        memory_mib=5.0,
    )
    assert not stores.models.has(0)
    assert stores.predictions.stack([]).shape[0] == 0


def test_a_failure_leaves_nothing_of_models_that_it_began_to_write(stores: Stores) -> None:
    stores.models.partial_path(0).write_bytes(b"only ha")
    reply = Reply(status=Status.TIMEOUT, seconds=60.5, reason="too slow")
    outcomes_of(Replies(reply), stores)
    assert not stores.models.partial_path(0).exists()


def test_models_that_the_evaluation_wrote_itself_are_kept(stores: Stores) -> None:
    stores.models.partial_path(0).write_bytes(b"written elsewhere")
    outcomes_of(Replies(success(models=b"")), stores)
    assert stores.models.read(0) == b"written elsewhere"


@pytest.mark.parametrize("timeout_seconds", [60.0, math.inf])
@pytest.mark.parametrize("seconds_left", [20.0, math.inf])
def test_a_trial_gets_its_own_limit_and_what_the_search_has_left(
    stores: Stores, timeout_seconds: float, seconds_left: float
) -> None:
    replies = Replies(success())
    budget = Budget(seconds=seconds_left + 5.0, reserved=5.0, clock=FakeClock())
    outcomes_of(replies, stores, timeout_seconds=timeout_seconds, budget=budget)
    expected = CallLimits(
        timeout_seconds=None if math.isinf(timeout_seconds) else timeout_seconds,
        memory_mib=100.0,
        seconds_left=None if math.isinf(seconds_left) else seconds_left,
    )
    assert replies.limits == [expected]


def test_no_limit_at_all_is_none(stores: Stores) -> None:
    replies = Replies(success())
    outcomes_of(replies, stores, timeout_seconds=math.inf, memory_mib=None)
    assert replies.limits == [CallLimits()]


@pytest.mark.parametrize(
    ("timeout_seconds", "ran_for", "status", "reason"),
    [
        (60.0, 20.0, Status.CANCELLED, "the search ran out of time"),
        (math.inf, 20.0, Status.CANCELLED, "the search ran out of time"),
        (60.0, 60.0, Status.TIMEOUT, "ran too long"),
        (60.0, 60.2, Status.TIMEOUT, "ran too long"),
    ],
)
def test_a_timeout_that_the_end_of_the_search_caused_is_no_fault_of_the_trial(
    stores: Stores, timeout_seconds: float, ran_for: float, status: Status, reason: str
) -> None:
    reply = Reply(status=Status.TIMEOUT, seconds=ran_for, reason="ran too long")
    (outcome,) = outcomes_of(Replies(reply), stores, timeout_seconds=timeout_seconds)
    assert (outcome.status, outcome.reason, outcome.loss) == (status, reason, math.inf)


def test_another_failure_is_not_blamed_on_the_end_of_the_search(stores: Stores) -> None:
    reply = Reply(status=Status.CRASHED, seconds=1.0, reason="a bug")
    budget = Budget(seconds=20.0, clock=FakeClock())
    (outcome,) = outcomes_of(Replies(reply), stores, budget=budget)
    assert (outcome.status, outcome.reason) == (Status.CRASHED, "a bug")


def test_waiting_in_vain_yields_nothing(stores: Stores) -> None:
    release = threading.Event()

    def slow(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:  # noqa: ARG001
        assert release.wait(10.0)
        return success()

    limits = TrialLimits(timeout_seconds=1.0, memory_mib=None)
    with WorkerSlots(opens(slow), 1) as slots:
        workers = TrialWorkers(slots, make_call, limits, Budget(), stores)
        workers.start(trials(1)[0])
        assert list(workers.wait(0.01)) == []
        release.set()
        assert [outcome.number for outcome in workers.wait(10.0)] == [0]
        assert list(workers.stop()) == []


def test_predictions_of_another_size_stop_the_search(stores: Stores) -> None:
    reply = Reply(
        status=Status.SUCCESS,
        seconds=1.0,
        header={"loss": 0.5},
        blobs=(memoryview(P[1:].tobytes()), memoryview(b"")),
    )
    with pytest.raises(ValueError, match="cannot reshape"):
        outcomes_of(Replies(reply), stores)
