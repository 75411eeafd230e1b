"""What `AutoClassifier` was asked for, checked before anything starts."""

from __future__ import annotations

import math
import numbers
import os
import sys
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np

from automl.errors import InputError, InputTypeError, SandboxError
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO, PoolSettings
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.initial_design import DefaultsFirst
from automl.optimizers.named import acquisition_of, model_of
from automl.optimizers.neural_ensemble_search import RegularizedEvolution
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.rising_bandit import RisingBandit
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners
from automl.suggestions import did_you_mean


@dataclass(frozen=True, slots=True, kw_only=True)
class _Wanted:
    """What an optimiser that has a name is made for."""

    ensemble_size: int
    n_trials: int | None
    guidance: Guidance


def _divbo(wanted: _Wanted) -> Optimizer:
    # The temporary pool of Algorithm 1 is the ensemble that the search would end with.
    return DivBO(pool=PoolSettings(size=wanted.ensemble_size), guidance=wanted.guidance)


def _rising_bandit(wanted: _Wanted) -> Optimizer:
    if wanted.n_trials is None:
        raise InputError(
            "optimizer 'rising_bandit' needs n_trials, found None: which learners it drops depends "
            "on how many evaluations remain"
        )
    return RisingBandit(n_trials=wanted.n_trials, guidance=wanted.guidance)


OPTIMIZERS: Mapping[str, Callable[[_Wanted], Optimizer]] = {
    "divbo": _divbo,
    "bo": lambda wanted: BayesianOptimization(guidance=wanted.guidance),
    "random": lambda _: RandomSearch(initial_design=DefaultsFirst(n_random=0)),
    "rising_bandit": _rising_bandit,
    "ensemble_optimization": lambda wanted: EnsembleOptimization(guidance=wanted.guidance),
    "nes": lambda _: RegularizedEvolution(),
    "kbo": lambda wanted: EqualBudget(guidance=wanted.guidance),
}
"""How each optimiser that has a name is made."""

_UNGUIDED = ("random", "nes")
LARGEST_ENSEMBLE = 1_000
"""Rounds of ensemble selection at most."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """The checked parameters of `AutoClassifier` that do not depend on the data.

    The attributes have the names of the estimator's parameters. "auto" has become None in
    `trial_time_limit` and `memory_limit`, "no limit" is infinity in `time_limit`.
    """

    time_limit: float
    n_trials: int | None
    optimizer: Optimizer
    include: tuple[str, ...] | None
    exclude: tuple[str, ...] | None
    extra_learners: tuple[Any, ...]
    ensemble_size: int
    trial_time_limit: float | None
    memory_limit: float | None
    n_jobs: int | None
    deterministic: bool
    refit: bool
    work_dir: Path | None
    resume: bool
    verbose: int
    callbacks: tuple[Callable[..., object], ...]
    seed: int


def check_settings(estimator: Any) -> Settings:
    """Return the parameters of an estimator, checked.

    Raises
    ------
    InputError
        If a parameter has a value that cannot be used; the message names the parameter, what was
        found and what is expected.
    SandboxError
        If no search can run on this system.
    """
    if not hasattr(os, "fork"):
        raise SandboxError(
            "fit needs a POSIX system such as Linux: evaluations run in forked processes, and this "
            f"one ({sys.platform}) cannot fork. Models that were fitted elsewhere predict here"
        )
    time_limit = _seconds("time_limit", estimator.time_limit, if_none=math.inf)
    n_trials = _optional_count("n_trials", estimator.n_trials)
    if math.isinf(time_limit) and n_trials is None:
        raise InputError(
            f"time_limit is {estimator.time_limit!r} and n_trials is None, so the search would "
            "never end; set one of them"
        )
    ensemble_size = _count("ensemble_size", estimator.ensemble_size)
    if ensemble_size > LARGEST_ENSEMBLE:
        raise InputError(
            f"ensemble_size must be {LARGEST_ENSEMBLE:,} at most, found {ensemble_size:,}: rounds "
            "beyond change next to nothing"
        )
    return Settings(
        time_limit=time_limit,
        n_trials=n_trials,
        optimizer=_optimizer(estimator, ensemble_size, n_trials),
        include=_names("include", estimator.include),
        exclude=_names("exclude", estimator.exclude),
        extra_learners=_sequence("extra_learners", estimator.extra_learners),
        ensemble_size=ensemble_size,
        trial_time_limit=_auto_amount("trial_time_limit", estimator.trial_time_limit, "seconds"),
        memory_limit=_auto_amount("memory_limit", estimator.memory_limit, "MiB"),
        n_jobs=_n_jobs(estimator.n_jobs),
        deterministic=_flag("deterministic", estimator.deterministic),
        refit=_flag("refit", estimator.refit),
        work_dir=_folder("work_dir", estimator.work_dir),
        resume=_flag("resume", estimator.resume),
        verbose=_verbosity(estimator.verbose),
        callbacks=_callables("callbacks", estimator.callbacks),
        seed=_seed(estimator.random_state),
    )


def prolonged(settings: Settings, n_before: int, optimizer: object) -> Settings:
    """Return the settings of a search that goes on after some trials.

    Parameters
    ----------
    settings : Settings
        Of what is still to come.
    n_before : int
        Trials until now.
    optimizer : str or object
        What the user has set: objects stay as they are.
    """
    found = settings.optimizer
    if isinstance(optimizer, str) and isinstance(found, RisingBandit):
        return replace(settings, optimizer=replace(found, n_trials=n_before + found.n_trials))
    return settings


def _is_number(value: object) -> bool:
    return isinstance(value, numbers.Real) and not isinstance(value, bool | np.bool_)


def _seconds(name: str, value: Any, *, if_none: float) -> float:
    if value is None:
        return if_none
    return _positive(name, value, "seconds")


def _positive(name: str, value: Any, unit: str) -> float:
    if not _is_number(value):
        raise InputTypeError(
            f"{name} must be a positive number of {unit}, found {value!r} of type "
            f"{type(value).__name__}"
        )
    if not value > 0:
        raise InputError(f"{name} must be a positive number of {unit}, found {value!r}")
    return float(value)


def _auto_amount(name: str, value: Any, unit: str) -> float | None:
    if isinstance(value, str):
        if value == "auto":
            return None
        raise InputError(f'{name} must be "auto", None or a number of {unit}, found {value!r}')
    return math.inf if value is None else _positive(name, value, unit)


def _count(name: str, value: Any) -> int:
    if not isinstance(value, numbers.Integral) or isinstance(value, bool):
        raise InputTypeError(
            f"{name} must be a whole number of at least 1, found {value!r} of type "
            f"{type(value).__name__}"
        )
    if value < 1:
        raise InputError(f"{name} must be a whole number of at least 1, found {value!r}")
    return int(value)


def _optional_count(name: str, value: Any) -> int | None:
    return None if value is None else _count(name, value)


def _n_jobs(value: Any) -> int | None:
    if value is None:
        return None
    if not isinstance(value, numbers.Integral) or isinstance(value, bool) or value == 0:
        raise InputError(
            f"n_jobs must be None, a number of workers, or negative as in joblib, found {value!r}"
        )
    return int(value)


def _flag(name: str, value: Any) -> bool:
    if not isinstance(value, bool | np.bool_):
        raise InputTypeError(f"{name} must be True or False, found {value!r}")
    return bool(value)


def _verbosity(value: Any) -> int:
    if not isinstance(value, numbers.Integral) or value < 0:
        raise InputError(
            "verbose must be 0 (silent), 1 (progress) or 2 (also a line for each trial), "
            f"found {value!r}"
        )
    return int(value)


def _sequence(name: str, value: Any) -> tuple[Any, ...]:
    if value is None:
        return ()
    if isinstance(value, str) or not isinstance(value, Iterable):
        raise InputTypeError(
            f"{name} must be None or a list, found {value!r}; write [...] around it"
        )
    return tuple(value)


def _names(name: str, value: Any) -> tuple[str, ...] | None:
    if value is None:
        return None
    names: Sequence[Any] = _sequence(name, value)
    wrong = [item for item in names if not isinstance(item, str)]
    if wrong:
        raise InputTypeError(f"{name} must hold names of learners, found {wrong[0]!r}")
    return tuple(names)


def _callables(name: str, value: Any) -> tuple[Callable[..., object], ...]:
    items = _sequence(name, value)
    wrong = [item for item in items if not callable(item)]
    if wrong:
        raise InputTypeError(f"{name} must hold callables, found {wrong[0]!r}")
    return items


def _folder(name: str, value: Any) -> Path | None:
    if value is None:
        return None
    if not isinstance(value, str | Path):
        raise InputTypeError(f"{name} must be a path, found {value!r}")
    path = Path(value)
    if path.exists() and not path.is_dir():
        raise InputError(f"{name} must be a folder, {str(path)!r} is a file")
    # Evaluations run in folders of their own: a relative path would mean another place there.
    return path.absolute()


def _optimizer(estimator: Any, ensemble_size: int, n_trials: int | None) -> Optimizer:
    value = estimator.optimizer
    if isinstance(value, str) and value in OPTIMIZERS:
        guidance = _guidance(estimator, has_effect=value not in _UNGUIDED)
        return OPTIMIZERS[value](
            _Wanted(ensemble_size=ensemble_size, n_trials=n_trials, guidance=guidance)
        )
    if isinstance(value, str):
        hint = did_you_mean(value, OPTIMIZERS) or ";"
        raise InputError(
            f"optimizer {value!r} is unknown{hint} use one of {', '.join(map(repr, OPTIMIZERS))}",
            in_python="(or an object with a method propose(history, rng))",
        )
    if isinstance(value, type) or not isinstance(value, Optimizer):
        raise InputTypeError(
            f"optimizer must be a name or an object with a method propose(history, rng), "
            f"found {value!r}"
        )
    _guidance(estimator, has_effect=False)
    return value


def _guidance(estimator: Any, *, has_effect: bool) -> Guidance:
    """Return what was asked for; raise InputError if it was and has no effect."""
    asked = {"surrogate": estimator.surrogate, "acquisition": estimator.acquisition}
    for name, value in asked.items():
        if value is not None and not has_effect:
            raise InputError(
                f"{name} has no effect with optimizer {estimator.optimizer!r}; leave it out"
            )
    guidance = guidance_over_learners()
    if estimator.surrogate is not None:
        guidance = replace(guidance, model=model_of(estimator.surrogate))
    if estimator.acquisition is not None:
        guidance = replace(guidance, acquisition=acquisition_of(estimator.acquisition))
    return guidance


def _seed(random_state: Any) -> int:
    if random_state is None:
        return int(np.random.SeedSequence().generate_state(1)[0])
    if isinstance(random_state, np.random.Generator):
        return int(random_state.integers(2**31 - 1))
    if isinstance(random_state, np.random.RandomState):
        return int(random_state.randint(2**31 - 1))
    is_whole = isinstance(random_state, numbers.Integral) and not isinstance(random_state, bool)
    if is_whole and int(random_state) >= 0:
        return int(random_state)
    raise InputError(
        "random_state must be None, a whole number that is not negative, a numpy RandomState or "
        f"a numpy Generator, found {random_state!r}"
    )
