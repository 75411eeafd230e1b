"""Evaluates trials in worker slots and stores what successful ones predict."""

from __future__ import annotations

import logging
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import cloudpickle
import numpy as np

from automl.budget import Budget, seconds_text
from automl.evaluation.calls import CallLimits, Reply
from automl.evaluation.framing import Payload
from automl.parallel.slots import LONGEST_WAIT, WorkerSlots
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore
from automl.trial import Outcome, Status, Trial

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class TrialLimits:
    """What one evaluation may use.

    Attributes
    ----------
    timeout_seconds : float
        Wall-clock seconds, all folds; infinity for no limit.
    memory_mib : float or None
        Memory above the start of the evaluation; None for no limit.
    """

    timeout_seconds: float
    memory_mib: float | None

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        is_endless = math.isinf(self.timeout_seconds)
        seconds = "any time" if is_endless else seconds_text(self.timeout_seconds)
        memory = "any memory" if self.memory_mib is None else f"{self.memory_mib:,.0f} MiB"
        return f"one evaluation, all folds, may take {seconds} and {memory}"


@dataclass(frozen=True, slots=True)
class Stores:
    """Where results of successful trials go."""

    predictions: PredictionStore
    models: ModelStore


class TrialWorkers:
    """The `Workers` of a search: turns trials into sandboxed calls and replies into outcomes.

    Parameters
    ----------
    slots : WorkerSlots
        Where calls run.
    make_call : callable
        ``make_call(trial)`` returns the evaluation of a trial.
    limits : TrialLimits
        What one evaluation may use.
    budget : Budget
        Cuts the time of an evaluation to what the search has left.
    stores : Stores
        Where predictions and models go.
    """

    def __init__(
        self,
        slots: WorkerSlots,
        make_call: Callable[[Trial], Callable[[], Payload]],
        limits: TrialLimits,
        budget: Budget,
        stores: Stores,
    ) -> None:
        self._slots = slots
        self._make_call = make_call
        self._limits = limits
        self._budget = budget
        self._stores = stores

    @property
    def n_slots(self) -> int:
        """How many trials run at the same time."""
        return self._slots.n_slots

    @property
    def all_busy(self) -> bool:
        """Whether starting a trial now would exceed the number of slots."""
        return self._slots.all_busy

    def start(self, trial: Trial) -> None:
        """Start evaluating a trial and return at once."""
        call = cloudpickle.dumps(self._make_call(trial))
        limits = CallLimits(
            timeout_seconds=_finite(self._limits.timeout_seconds),
            memory_mib=self._limits.memory_mib,
            seconds_left=_finite(self._budget.search_seconds_left),
        )
        self._slots.submit(trial.number, call, limits)

    def wait(self, seconds: float) -> Iterator[Outcome]:
        """Wait until a trial ends or the time is up; yield every outcome that is ready.

        It returns now and then without one, so that a budget that was stopped is noticed.
        """
        for number, reply in self._slots.collect(min(seconds, LONGEST_WAIT)):
            yield self._outcome(number, reply)

    def stop(self) -> Iterator[Outcome]:
        """Wait for what still runs; yield an outcome for every trial not reported yet.

        Where the search was asked to end early, what runs is killed.
        """
        if self._budget.is_stopped:
            self._slots.cancel()
        while self._slots.n_running:
            yield from self.wait(math.inf)
        self._slots.resume()

    def _outcome(self, number: int, reply: Reply) -> Outcome:
        for note in reply.notes:
            _LOG.info("an evaluation process %s", note)
        status, reason = reply.status, reply.reason
        if status is Status.TIMEOUT and reply.seconds < self._limits.timeout_seconds:
            status, reason = Status.CANCELLED, "the search ran out of time"
        loss = math.inf
        if status is Status.SUCCESS:
            loss = float(reply.header["loss"])
            self._store(number, loss, reply)
        else:
            self._stores.models.refuse(number)
        return Outcome(
            number=number,
            status=status,
            loss=loss,
            seconds=reply.seconds,
            reason=reason,
            traceback=reply.traceback,
            memory_mib=reply.memory_mib,
        )

    def _store(self, number: int, loss: float, reply: Reply) -> None:
        predictions, models = reply.blobs
        shape = self._stores.predictions.block_shape
        array = np.frombuffer(predictions, dtype=np.float32).reshape(shape)
        self._stores.predictions.append(number, array)
        self._stores.models.offer(number, loss, models)


def _finite(seconds: float) -> float | None:
    """Return a limit, or None where there is none."""
    return None if math.isinf(seconds) else seconds
