"""The optimiser alone: asked for configurations of any space, told their losses."""

from __future__ import annotations

import copy
import math
import os
import time
import weakref
from collections import deque
from collections.abc import Mapping
from dataclasses import dataclass, replace
from numbers import Integral, Real
from pathlib import Path
from threading import RLock
from typing import Any, NamedTuple

import numpy as np
from ConfigSpace import Configuration, ConfigurationSpace

from automl.errors import InputError, InputTypeError, SpaceExhaustedError
from automl.optimizers.acquisition_policy import AcquisitionPolicy
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.initial_design import DefaultsFirst
from automl.optimizers.performance_model import PerformanceModel
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.recipes import guidance_of, name_of
from automl.storage.fingerprints import configuration_space_fingerprint
from automl.storage.journal import Journal
from automl.storage.journal_reading import JournalContent, read_journal, restored_trial
from automl.storage.journal_records import JournalHeader
from automl.surrogates.surrogate import Surrogate
from automl.trial import Origin, Outcome, Proposal, Status, Trial
from automl.trial_history import SpaceProblem, TrialHistory
from automl.versions import package_versions
from search_space.encoding import ConfigurationEncoder
from search_space.values import canonical

Configured = Configuration | Mapping[str, Any]
"""A configuration, or values of its active hyperparameters by name."""

_KIND = "ask and tell"
_LAST_DIGITS = 1e-6  # of the range of a real number, or of its logarithm


class Best(NamedTuple):
    """The configuration with the lowest loss, and the loss."""

    configuration: Configuration
    loss: float


@dataclass(frozen=True, slots=True)
class _PlainSpace:
    """A configuration space whose default is the one thing to try first."""

    configuration_space: ConfigurationSpace

    @property
    def defaults(self) -> tuple[Configuration, ...]:
        """The default configuration."""
        return (self.configuration_space.get_default_configuration(),)

    @property
    def finite(self) -> tuple[Configuration, ...] | None:
        """None: all configurations may be proposed."""
        return None


@dataclass(frozen=True, slots=True)
class _Problem:
    search_space: _PlainSpace
    encoder: ConfigurationEncoder


class AskTell:
    """Minimises a loss that somebody else computes.

    Threads may ask and tell at the same time.

    Parameters
    ----------
    space : ConfigurationSpace
        What may be tried, with conditions and forbidden clauses; it is copied.
    optimizer : str, default="densbo"
        "densbo" (DensBO's ensemble of surrogates, Pareto fronts of three acquisition functions),
        "bo" (extremely randomised trees, expected improvement), "sawei" (Gaussian process that
        expects little noise, self-adjusting weighted expected improvement), or "random".
    seed : int, default=0
        Seed of everything random.
    surrogate : str, object or None, default=None
        Another surrogate than that of the optimizer: "random_forest", "extra_trees",
        "gradient_boosting", "gaussian_process" (expects noise), "gaussian_process_horseshoe"
        (expects little), "densbo", "equal_weights", a `Surrogate` or a `PerformanceModel`.
    acquisition : str, object or None, default=None
        Another acquisition function: "ei", "pi", "lcb", "sawei", "mace", "hedge", or an
        `AcquisitionPolicy`.
    n_initial : int, default=8
        Configurations before the surrogate is used: the default one and random draws.
    path : str, Path or None, default=None
        A file that every proposal and loss is written to before it counts.
    resume : bool, default=False
        Whether to go on with what the file at `path` holds; space, optimizer and seed have to be
        the same. Where there is no file, a new one begins.

    Raises
    ------
    ValueError
        If an argument cannot be used, or the file belongs to something else.
    JournalError
        If the file is damaged or is none of such an optimiser.

    Examples
    --------
    >>> from ConfigSpace import ConfigurationSpace
    >>> optimizer = AskTell(ConfigurationSpace({"x": (-5.0, 5.0)}), optimizer="sawei", seed=0)
    >>> for _ in range(15):
    ...     (configuration,) = optimizer.ask()
    ...     optimizer.tell(configuration, (configuration["x"] - 1.0) ** 2)
    >>> round(float(optimizer.best.configuration["x"]), 1)
    1.0
    """

    def __init__(  # noqa: PLR0913 - its public configuration, all of it optional
        self,
        space: ConfigurationSpace,
        optimizer: str = "densbo",
        seed: int = 0,
        *,
        surrogate: str | Surrogate | PerformanceModel | None = None,
        acquisition: str | AcquisitionPolicy | None = None,
        n_initial: int = 8,
        path: str | Path | None = None,
        resume: bool = False,
    ) -> None:
        if not isinstance(space, ConfigurationSpace) or not len(space):
            raise InputTypeError(
                f"space must be a ConfigurationSpace with a hyperparameter, found {space!r}"
            )
        self.space = copy.deepcopy(space)
        self._seed = _whole("seed", seed, at_least=0)
        n_initial = _whole("n_initial", n_initial, at_least=1)
        guidance = guidance_of(optimizer, surrogate, acquisition)
        self._optimizer: BayesianOptimization | RandomSearch = RandomSearch(
            initial_design=DefaultsFirst(n_random=0)
        )
        if guidance is not None:
            self._optimizer = BayesianOptimization(
                initial_design=DefaultsFirst(n_random=n_initial - 1), guidance=guidance
            )
        parts = (name_of(surrogate), name_of(acquisition))
        self._asked_for = f"{_KIND}: {optimizer} {' '.join(parts)} {n_initial}"
        self._journal: Journal | None = None
        self._is_closed, self._process, self._lock = False, os.getpid(), RLock()
        content: JournalContent | None = None
        if path is not None:
            self._journal, content = self._opened(_path(path), resume=resume)
            weakref.finalize(self, self._journal.close)
        elif resume:
            raise InputError("resume=True needs path, the file to go on with")
        problem: SpaceProblem = _Problem(_PlainSpace(self.space), ConfigurationEncoder(self.space))
        self._history = TrialHistory(problem, self._seed, journal=self._journal)
        self._untold: dict[tuple[tuple[str, object], ...], deque[int]] = {}
        if content is not None:
            self._replay(content)

    def ask(self, n: int = 1) -> list[Configuration]:
        """Return configurations worth trying next.

        Those that were asked for before and are not told yet are reckoned with.

        Parameters
        ----------
        n : int, default=1
            How many.

        Returns
        -------
        list of Configuration
            All of them new; fewer than n only if the space has no more.

        Raises
        ------
        SpaceExhaustedError
            If every configuration of the space was tried.
        """
        n = _whole("n", n, at_least=1)
        trials: list[Trial] = []
        with self._lock:
            self._check_open()
            while len(trials) < n:
                try:
                    proposals = self._proposals(n - len(trials))
                except SpaceExhaustedError:
                    if not trials:
                        raise
                    break
                for proposal in proposals:
                    trials.append(self._open(proposal))
        # What is handed out may be changed; what happened may not.
        return [canonical(trial.configuration) for trial in trials]

    def tell(
        self, configuration: Configured, loss: float | None = None, *, failure: str | None = None
    ) -> None:
        """Take note of what a configuration gave.

        Parameters
        ----------
        configuration : Configuration or mapping
            One that was asked for, its real numbers perhaps rounded to six digits, or any other of
            the space.
        loss : float or None
            Lower is better.
        failure : str or None
            Why there is no loss, instead of one. Its neighbourhood is avoided.

        Raises
        ------
        ValueError
            If the loss is not finite, or the configuration is none of the space; nothing is
            recorded then.
        """
        configuration = self._checked(configuration)
        outcome = _outcome_of(loss, failure)  # raises before anything is written
        with self._lock:
            self._check_open()
            waiting = self._waiting(configuration)
            if not waiting:
                trial = self._open(Proposal(configuration=configuration, origin=Origin.GIVEN))
                waiting = self._untold[_key(trial.configuration)]
            # Taken off the queue last: what could not be written can be told again.
            self._history.record(replace(outcome, number=waiting[0]))
            waiting.popleft()

    @property
    def best(self) -> Best:
        """The configuration with the lowest loss, the earliest among equals.

        Raises
        ------
        ValueError
            If no loss was told yet.
        """
        outcome = self._history.best
        if outcome is None:
            raise InputError("there is no best configuration: no loss was told yet")
        trial = self._history.trials[outcome.number]
        return Best(canonical(trial.configuration), outcome.loss)

    @property
    def history(self) -> TrialHistory:
        """All trials and outcomes so far; not to be changed."""
        return self._history

    def save(self, path: str | Path) -> None:
        """Write everything to a new file, which ``AskTell(..., path=path, resume=True)`` reads.

        Raises
        ------
        ValueError
            If the file is there already.
        """
        path = _path(path)
        if path.exists():
            raise InputError(f"path {str(path)!r} exists; name a new file")
        partial = path.with_name(f"{path.name}.{os.getpid()}.partial")
        with self._lock, Journal.create(partial, self._header(), time.monotonic) as journal:
            for trial in self._history.trials:
                journal.write_trial(trial)
            for outcome in self._history.outcomes:
                journal.write_outcome(outcome)
        partial.replace(path)

    def close(self) -> None:
        """Close the file, if there is one; nothing more can be asked or told then."""
        if self._journal is not None:
            self._journal.close()
            self._is_closed = True

    def _check_open(self) -> None:
        if self._is_closed:
            raise InputError(
                "the file of this optimiser is closed; go on with it by path=... and resume=True"
            )
        if self._journal is not None and os.getpid() != self._process:
            raise InputError(
                f"the file of this optimiser belongs to process {self._process}, and has one "
                "writer: ask and tell there"
            )

    def __getstate__(self) -> dict[str, Any]:  # type: ignore[explicit-override]  # from 3.12 on
        """Return all but the lock.

        Raises
        ------
        TypeError
            If there is a file.
        """
        if self._journal is not None:
            raise InputTypeError(
                "an optimiser with a file cannot be copied, since the file has one writer; save() "
                "writes its content to another one"
            )
        return {name: value for name, value in vars(self).items() if name != "_lock"}

    def __setstate__(self, state: Mapping[str, Any]) -> None:
        """Take over a state, with a lock of its own."""
        vars(self).update(state, _lock=RLock(), _process=os.getpid())

    def _proposals(self, n: int) -> list[Proposal]:
        history, rng = self._history, self._history.rng()
        if isinstance(self._optimizer, BayesianOptimization):
            return self._optimizer.propose_batch(history, rng, n)
        return [self._optimizer.propose(history, rng)]

    def _open(self, proposal: Proposal) -> Trial:
        trial = self._history.open_trial(proposal)
        self._untold.setdefault(_key(trial.configuration), deque()).append(trial.number)
        return trial

    def _waiting(self, configuration: Configuration) -> deque[int]:
        """Return the trials that wait for a loss of a configuration, or of its unrounded original.

        Numbers that were written with six digits come back a little changed.
        """
        exact = self._untold.get(_key(configuration))
        if exact:
            return exact
        for waiting in self._untold.values():
            asked = self._history.trials[waiting[0]].configuration if waiting else None
            if asked is not None and _is_rounded(configuration, asked):
                return waiting
        return deque()

    def _checked(self, configuration: Configured) -> Configuration:
        try:
            return canonical(Configuration(self.space, values=dict(configuration)))
        except (ValueError, KeyError, TypeError) as error:
            found = " ".join(f"{type(error).__name__}: {error}".split())
            raise InputError(
                f"configuration {configuration!r} is none of this space: {found}"
            ) from error

    def _opened(self, path: Path, *, resume: bool) -> tuple[Journal, JournalContent | None]:
        header = self._header()
        if not path.exists():
            return Journal.create(path, header, time.monotonic), None
        if not resume:
            raise InputError(
                f"path {str(path)!r} exists; give resume=True to go on with it, or name a new file"
            )
        content = read_journal(path)
        for name, what in _MUST_AGREE.items():
            found, wanted = getattr(content.header, name), getattr(header, name)
            if found != wanted:
                raise InputError(
                    f"path {str(path)!r} holds a run with another {what}: {found!r} there, "
                    f"{wanted!r} here; nothing in it was touched"
                )
        try:
            return Journal.continued(path, content.n_bytes, time.monotonic), content
        except InputError as error:
            raise InputError(
                f"path {str(path)!r}: another optimiser writes to it; close that one first or name "
                "a new file"
            ) from error

    def _header(self) -> JournalHeader:
        return JournalHeader(
            seed=self._seed,
            metric=self._asked_for,
            n_rows=0,
            n_classes=0,
            n_splits=0,
            data="",
            search_space=configuration_space_fingerprint(self.space),
            versions=package_versions(),
        )

    def _replay(self, content: JournalContent) -> None:
        trials = [restored_trial(written, self.space) for written in content.trials]
        self._history.replay(trials, content.outcomes)
        for trial in self._history.pending:
            self._untold.setdefault(_key(trial.configuration), deque()).append(trial.number)


_MUST_AGREE = {
    "metric": "optimizer, surrogate, acquisition or n_initial",
    "search_space": "space",
    "seed": "seed",
}


def _key(configuration: Configuration) -> tuple[tuple[str, object], ...]:
    return tuple(configuration.items())


def _is_rounded(one: Configuration, other: Configuration) -> bool:
    """Return whether two configurations differ in nothing but last digits of real numbers."""
    ours, theirs = dict(one), dict(other)
    if ours.keys() != theirs.keys():
        return False
    same = [value == theirs[name] or isinstance(value, float) for name, value in ours.items()]
    return all(same) and bool(np.nanmax(np.abs(one.get_array() - other.get_array())) < _LAST_DIGITS)


def _path(path: Any) -> Path:
    """Return where a file may be."""
    if not isinstance(path, str | Path):
        raise InputTypeError(f"path must be a text or a Path, found {path!r}")
    found = Path(path)
    if not found.parent.is_dir():
        raise InputError(f"path {str(path)!r}: the folder {str(found.parent)!r} does not exist")
    return found


def _whole(name: str, value: Any, *, at_least: int) -> int:
    if not isinstance(value, Integral) or isinstance(value, bool) or value < at_least:
        raise InputError(f"{name} must be a whole number of at least {at_least}, found {value!r}")
    return int(value)


def _outcome_of(loss: float | None, failure: str | None) -> Outcome:
    """Return an outcome of trial 0."""
    if (loss is None) == (failure is None):
        raise InputError(f"tell needs either a loss or a failure, found {loss!r} and {failure!r}")
    if failure is not None:
        return Outcome(
            number=0, status=Status.CRASHED, loss=math.inf, seconds=0.0, reason=str(failure)
        )
    if not isinstance(loss, Real) or isinstance(loss, bool):
        raise InputTypeError(f"loss must be a number, found {loss!r}")
    try:
        value = float(loss)
    except OverflowError:  # whole numbers and fractions know no bounds
        value = math.inf
    if not math.isfinite(value):
        found = repr(value if math.isinf(value) else loss)
        raise InputError(
            f"loss must be finite, found {found}; give failure='...' for what has none"
        )
    return Outcome(number=0, status=Status.SUCCESS, loss=value, seconds=0.0)
