"""Runs of tuning methods on problems whose evaluations cost nothing, several at the same time."""

from __future__ import annotations

import copy
import math
import time
import traceback
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from ConfigSpace import Configuration

from automl.ask_tell import AskTell
from automl.benchmark.hpo.methods import AskTell as Method
from automl.benchmark.hpo.methods import MakeMethod, make_method
from automl.benchmark.hpo.problem import HPOProblem, TimedProblem
from automl.benchmark.hpo.run_store import Evaluation, RunKey, RunSettings, RunStore
from automl.benchmark.worker_calls import calls_as_they_end
from automl.errors import InputError
from automl.optimizers.acquisition_policy import EXPLOITATION_WEIGHT


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One method on one problem with one seed.

    Attributes
    ----------
    problem : HPOProblem
        What is minimised.
    method : str
        By what.
    seed : int
        Of the method.
    """

    problem: HPOProblem
    method: str
    seed: int

    @property
    def key(self) -> RunKey:
        """What the run is called."""
        return RunKey(problem=self.problem.name, method=self.method, seed=self.seed)


@dataclass(frozen=True, slots=True, kw_only=True)
class Ended:
    """A run that was not there before and has ended.

    Attributes
    ----------
    key : RunKey
        Which one.
    failure : str
        The traceback of what ended it early, empty if it was finished and is stored.
    """

    key: RunKey
    failure: str = ""


def evaluations_of(
    run: Run, settings: RunSettings, make: MakeMethod = make_method
) -> list[Evaluation]:
    """Run a method on a problem.

    Parameters
    ----------
    run : Run
        What is run.
    settings : RunSettings
        For how long, and in which batches.
    make : callable
        Makes the method.

    Raises
    ------
    ValueError
        If the method proposes too few or too many configurations, or a loss is not finite.
    """
    problem = run.problem
    n_proposals = settings.n_evaluations - settings.n_initial
    method = make(run.method, copy.deepcopy(problem.space), run.seed, n_proposals)
    rows: list[Evaluation] = []
    best = math.inf
    while len(rows) < settings.n_evaluations:
        wanted = settings.batch_size if rows else settings.n_initial
        wanted = min(wanted, settings.n_evaluations - len(rows))
        started = time.perf_counter()
        configurations = method.ask(wanted)
        asked = (time.perf_counter() - started) / wanted
        if len(configurations) != wanted:
            raise ValueError(f"{wanted} configurations were asked, {len(configurations)} came")
        losses = [problem.evaluate(configuration) for configuration in configurations]
        for configuration, loss in zip(configurations, losses, strict=True):
            if not math.isfinite(loss):
                raise ValueError(f"the loss of {dict(configuration)} is {loss}")
            started = time.perf_counter()
            method.tell(configuration, loss)
            told = time.perf_counter() - started
            best = min(best, loss)
            rows.append(
                Evaluation(
                    evaluation=len(rows) + 1,
                    loss=loss,
                    best=best,
                    seconds=asked + told,
                    training_seconds=_training_seconds(problem, configuration),
                    alpha=_alpha(method, len(rows)),
                )
            )
    return rows


def _training_seconds(problem: HPOProblem, configuration: Configuration) -> float:
    return problem.seconds(configuration) if isinstance(problem, TimedProblem) else math.nan


def _alpha(method: Method, number: int) -> float:
    """Return the weight of exploitation that a proposal was made with."""
    if not isinstance(method, AskTell):
        return math.nan
    beliefs = method.history.trials[number].proposal.beliefs
    return float(beliefs.get(EXPLOITATION_WEIGHT, math.nan))


def run_missing(
    runs: Sequence[Run], store: RunStore, *, n_jobs: int = 1, make: MakeMethod = make_method
) -> Iterator[Ended]:
    """Run what the store does not hold, keep each finished run in it, yield runs as they end.

    Parameters
    ----------
    runs : sequence of Run
        What is wanted.
    store : RunStore
        Where finished runs are; those in it are not run again.
    n_jobs : int
        Processes at the same time, as joblib counts them.
    make : callable
        Makes methods. Importable by name if there are several processes.

    Yields
    ------
    Ended
        In no particular order. A run that failed is not stored, and the others go on.

    Raises
    ------
    InputError
        If a package, a folder or a method is missing.
    """
    store.check()
    missing = [run for run in runs if not store.holds(run.key)]
    calls = ((run, store, make) for run in missing)
    yield from calls_as_they_end(_run_and_keep, calls, n_jobs=n_jobs)


def _run_and_keep(run: Run, store: RunStore, make: MakeMethod) -> Ended:
    try:
        store.write(run.key, evaluations_of(run, store.settings, make))
    except InputError:
        raise  # would end every other run as well
    except Exception:  # noqa: BLE001  # whatever a method may raise
        return Ended(key=run.key, failure=traceback.format_exc())
    return Ended(key=run.key)
