"""What the machinery costs beside the evaluations: times and memory, measured, never asserted."""

from __future__ import annotations

import resource
import statistics
import subprocess
import sys
import tempfile
import time
import warnings
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import cloudpickle
import numpy as np

from automl.benchmark.bundled import load_bundled
from automl.benchmark.hostile import HOSTILE_LEARNERS
from automl.benchmark.synthetic import SyntheticProblem
from automl.benchmark.timed_calls import BusyCall, TimedEvaluation
from automl.budget import Budget
from automl.data.table_store import TableHandle
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import select
from automl.estimator import AutoClassifier
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.sandbox import Sandbox
from automl.optimizers.divbo import DivBO
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.random_search import RandomSearch
from automl.parallel.slots import WorkerSlots, open_run
from automl.parallel.trial_workers import Stores, TrialLimits, TrialWorkers
from automl.scoring import as_metric
from automl.search import run_search
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore


@dataclass(frozen=True, slots=True)
class Figure:
    """One measured figure and what it should stay below.

    Attributes
    ----------
    what : str
        What was measured.
    value, target : float
        The figure and its bound, both in `unit`.
    unit : str
        Unit of both.
    """

    what: str
    value: float
    target: float
    unit: str

    def row(self) -> str:
        """Return the figure as a row of a Markdown table."""
        mark = "ok" if self.value <= self.target else "ABOVE"
        return (
            f"| {self.what} | {self.value:.3g} {self.unit} | {self.target:g} {self.unit} | {mark} |"
        )


def proposal_seconds(n_observations: int, n_repeats: int = 5) -> float:
    """Return the median seconds of one DivBO proposal, preset "divbo", 2,000 rows, 2 classes."""
    seconds = []
    for seed in range(n_repeats):
        synthetic = SyntheticProblem("divbo", n_rows=2_000, seed=seed)
        with tempfile.TemporaryDirectory() as folder, _store(folder, 2_000, 2) as store:
            history = synthetic.new_history(store, seed)
            synthetic.advance(history, store, RandomSearch(), n_observations - 1)
            optimizer = DivBO(initial_design=RandomDesign())
            optimizer.propose(history, history.rng())  # the memo of a running search is warm
            synthetic.advance(history, store, RandomSearch(), n_observations)
            started = time.perf_counter()
            optimizer.propose(history, history.rng())
            seconds.append(time.perf_counter() - started)
    return statistics.median(seconds)


def run_seconds(n_trials: int = 250) -> float:
    """Return the seconds of all proposals of a DivBO run, preset "divbo"."""
    synthetic = SyntheticProblem("divbo", n_rows=2_000, seed=0)
    with tempfile.TemporaryDirectory() as folder, _store(folder, 2_000, 2) as store:
        history = synthetic.new_history(store, 0)
        optimizer = DivBO(initial_design=RandomDesign())
        total = 0.0
        for n in range(1, n_trials + 1):
            started = time.perf_counter()
            proposal = optimizer.propose(history, history.rng())
            total += time.perf_counter() - started
            synthetic.take_up(history, store, proposal)
            assert history.n_started == n
    return total


def selection_seconds(scoring: str) -> float:
    """Return the seconds of ensemble selection, 500 models x 10,000 rows x 10 classes, size 50."""
    rng = np.random.default_rng(0)
    codes = rng.integers(10, size=10_000)
    predictions = rng.random((500, 10_000, 10), dtype=np.float32)
    predictions[:, np.arange(10_000), codes] += 0.5
    predictions /= predictions.sum(axis=2, keepdims=True)
    metric = as_metric(scoring, np.arange(10))
    return _seconds(lambda: select(predictions, codes, metric, 50))


def sandbox_seconds(fit_seconds: float = 0.02, n_repeats: int = 30) -> float:
    """Return the median seconds of a short call through a sandbox, after the first."""
    call = cloudpickle.dumps(BusyCall(fit_seconds))
    with Sandbox(SandboxSettings(preload=("automl.evaluation.evaluator", "lightgbm"))) as sandbox:
        sandbox.run(call, CallLimits())
        return statistics.median(
            _seconds(lambda: sandbox.run(call, CallLimits(timeout_seconds=10, memory_mib=1024)))
            for _ in range(n_repeats)
        )


def idle_percent(evaluation_seconds: float = 2.0, n_trials: int = 40, n_slots: int = 2) -> float:
    """Return the share of worker time not spent in evaluations, in percent.

    The search starts with 100 observations, so that every proposal costs what it costs in the
    middle of a run. Evaluations keep a core busy, as learners do.
    """
    synthetic = SyntheticProblem("divbo", n_rows=2_000, seed=0)
    n_known = 100
    with tempfile.TemporaryDirectory() as folder, _store(folder, 2_000, 2) as store:
        history = synthetic.new_history(store, 0)
        synthetic.advance(history, store, RandomSearch(), n_known)
        models = ModelStore(Path(folder), n_kept=1)
        optimizer = DivBO(initial_design=RandomDesign())
        optimizer.propose(history, history.rng())
        budget = Budget(n_trials=n_known + n_trials)
        place = open_run(SandboxSettings(), n_slots, TableHandle("", ""))
        with WorkerSlots(place, n_slots) as slots:
            workers = TrialWorkers(
                slots,
                lambda trial: TimedEvaluation(
                    evaluation_seconds, synthetic.predictions(trial.configuration)
                ),
                TrialLimits(timeout_seconds=60.0, memory_mib=None),
                budget,
                Stores(store, models),
            )
            time.sleep(2.0)  # the start-up of the sandboxes is paid once and not measured here
            elapsed = _seconds(lambda: run_search(optimizer, workers, history, budget))
        busy = sum(outcome.seconds for outcome in history.outcomes)
    return 100.0 * (1.0 - busy / (n_slots * elapsed))


def overrun_seconds(table: str, time_limit: float) -> float:
    """Return how much longer than its limit a fit took that hostile learners were planted in."""
    X, y = load_bundled(table)
    clf = AutoClassifier(
        time_limit=time_limit, n_jobs=2, extra_learners=list(HOSTILE_LEARNERS), random_state=0
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return _seconds(lambda: clf.fit(X, y)) - time_limit


def parent_memory_mib() -> float:
    """Return the peak memory of a process that stores and uses 500 x 20,000 x 10 predictions."""
    command = [sys.executable, "-m", "automl.benchmark.overhead", "--parent-memory"]
    done = subprocess.run(command, check=True, capture_output=True, text=True)
    return float(done.stdout)


def _store_and_select() -> float:
    """Fill a store as a search does, select an ensemble, return this process's peak in MiB."""
    rng = np.random.default_rng(0)
    codes = rng.integers(10, size=20_000)
    metric = as_metric("neg_log_loss", np.arange(10))
    with tempfile.TemporaryDirectory() as folder, _store(folder, 20_000, 10) as store:
        for number in range(500):
            block = rng.random((20_000, 10), dtype=np.float32)
            store.append(number, block / block.sum(axis=1, keepdims=True))
        stack = store.stack(range(500))
        pairwise_diversity(stack[:, ::4])
        select(stack, codes, metric, 25)
        peak_kib = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak_kib / 1024


def measure_all(time_limits: Sequence[float] = (20.0, 60.0)) -> Iterator[Figure]:
    """Measure every figure, one after the other."""
    yield Figure("DivBO proposal after 100 observations, median", proposal_seconds(100), 0.4, "s")
    yield Figure("DivBO proposal after 250 observations, median", proposal_seconds(250), 1.0, "s")
    yield Figure("all proposals of a 250-trial DivBO run", run_seconds(), 100.0, "s")
    for scoring in ("neg_log_loss", "accuracy"):
        what = f"ensemble selection, 500 x 10,000 x 10, size 50, {scoring}"
        yield Figure(what, selection_seconds(scoring), 5.0, "s")
    yield Figure("worker time not spent in evaluations of 2 s", idle_percent(), 10.0, "%")
    yield Figure("a 20 ms call through the sandbox, median", 1e3 * sandbox_seconds(), 60.0, "ms")
    for limit in time_limits:
        for table in ("quake", "spambase"):
            what = f"fit(time_limit={limit:g}) on {table} with hostile learners, overrun"
            yield Figure(what, overrun_seconds(table, limit), max(2.0, 0.05 * limit), "s")
    what = "parent memory, 500 trials x 20,000 rows x 10 classes"
    yield Figure(what, parent_memory_mib(), 1_000.0, "MB")


def _store(folder: str, n_rows: int, n_classes: int) -> PredictionStore:
    return PredictionStore(Path(folder) / "predictions.f32", n_rows=n_rows, n_classes=n_classes)


def _seconds(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


if __name__ == "__main__":
    sys.stdout.write(f"{_store_and_select()}\n")
