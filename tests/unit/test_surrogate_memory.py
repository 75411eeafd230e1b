"""Tests of what one fit of a surrogate leaves to the next."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

import numpy as np
from fakes.plain_histories import Line, at, opened_at, plain_history

from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.performance_model import SurrogateModel
from automl.optimizers.surrogate_memory import continued, memory_of
from automl.surrogates.surrogate import Surrogate
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout


@dataclass(frozen=True)
class Remembered:
    """A constant that says how often it was fitted."""

    n_fits: float

    @property
    def memory(self) -> Mapping[str, float]:
        """The number."""
        return {"n_fits": self.n_fits}

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Predict the number."""
        return np.full(len(X), self.n_fits), np.ones(len(X))


@dataclass(frozen=True)
class Counting:
    """Settings that know how often they were fitted before."""

    known: Mapping[str, float] = field(default_factory=lambda: MappingProxyType({"n_fits": 0.0}))

    def continued(self, memory: Mapping[str, float]) -> Counting:
        """Know what was remembered."""
        return Counting(memory)

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> Remembered:  # noqa: ARG002
        """Count once more."""
        return Remembered(self.known["n_fits"] + 1.0)


def started() -> TrialHistory:
    history = plain_history()
    at(history, 0.1, 0.0)
    at(history, 0.9, 2.0)
    return history


def of_both(_: ColumnLayout) -> Mapping[str, Surrogate]:
    return {"first": Counting(), "line": Line(1.0), "second": Counting()}


def test_a_surrogate_without_memory_stays_as_it_is_and_leaves_nothing() -> None:
    history, line = started(), Line(1.0)
    at(history, 0.5, 1.0, {"fit_:n_fits": 3.0})
    assert continued(line, history) is line
    assert not memory_of(line.fit(np.zeros((1, 1)), np.zeros(1), np.random.default_rng(0)))


def test_the_last_proposal_that_carries_anything_counts() -> None:
    history = started()
    assert continued(Counting(), history) == Counting()
    for n in (1.0, 2.0):
        opened_at(history, 0.1 * n, memory_of(Remembered(n)))
    opened_at(history, 0.5)
    assert continued(Counting(), history) == Counting({"n_fits": 2.0})


def test_surrogates_with_names_remember_what_is_theirs() -> None:
    history = started()
    opened_at(history, 0.1, {**memory_of(Remembered(4.0), "a"), **memory_of(Remembered(7.0), "b")})
    found = [continued(Counting(), history, name) for name in ("a", "b", "")]
    assert found == [Counting({"n_fits": 4.0}), Counting({"n_fits": 7.0}), Counting()]


def test_models_carry_it_from_fit_to_fit() -> None:
    for model, names in (
        (SurrogateModel(make=lambda _: Counting()), [""]),
        (DynamicModel(members=of_both), ["first", "second"]),
    ):
        history = started()
        for n_fits in (1.0, 2.0, 3.0):
            fitted = model.fit_to(history, np.random.default_rng(0))
            carried = fitted.beliefs_at(fitted.encoded[0])
            memories = {k: v for k, v in carried.items() if k.startswith("fit_")}
            assert memories == {f"fit_{name}:n_fits": n_fits for name in names}
            at(history, 0.3, 1.0, carried)
