"""Surrogates that somebody else wrote."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from automl.ask_tell import AskTell
from automl.errors import InputError
from automl.surrogates.checked_surrogate import CheckedSurrogate
from automl.surrogates.gaussian_process import GaussianProcess
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

LAYOUT = ColumnLayout(numeric=(0, 1), categorical=())


@dataclass
class Theirs:
    """Predicts what it was told to."""

    predictions: Any

    def fit(self, *_: object) -> Theirs:
        """Know nothing of the observations."""
        return self

    def predict(self, X: FloatArray) -> Any:
        """Return what is told for so many configurations."""
        return self.predictions(len(X)) if callable(self.predictions) else self.predictions


def lists(n: int) -> list[list[float]]:
    return [[0.5] * n, [1.0] * n]


WRONG: dict[str, tuple[Any, str]] = {
    "no pair": (lambda n: np.zeros(n), "found "),
    "nothing": (None, "found None"),
    "three": (lambda n: (np.zeros(n),) * 3, "found tuple of 3"),
    "a column": (lambda n: (np.zeros((n, 1)), np.ones(n)), r"found a mean of shape \(\d+, 1\)"),
    "too short": (lambda n: (np.zeros(n), np.ones(n - 1)), "found a std of shape"),
    "NaN mean": (lambda n: (np.full(n, np.nan), np.ones(n)), "found a mean with NaN"),
    "infinite std": (lambda n: (np.zeros(n), np.full(n, np.inf)), "found a std with NaN or inf"),
    "negative std": (lambda n: (np.zeros(n), -np.ones(n)), "found a negative std"),
    "texts": (lambda n: (["a"] * n, ["b"] * n), "found tuple of 2"),
}


@pytest.mark.parametrize("name", WRONG)
@pytest.mark.parametrize("acquisition", ["ei", "sawei", "mace", "hedge"])
def test_what_is_no_prediction_is_said_to_be_none(name: str, acquisition: str) -> None:
    predictions, message = WRONG[name]
    optimizer = AskTell(
        ConfigurationSpace({"x": (0.0, 1.0)}),
        "bo",
        surrogate=Theirs(predictions),  # type: ignore[arg-type]
        acquisition=acquisition,
        n_initial=2,
    )
    for loss, configuration in enumerate(optimizer.ask(2)):
        optimizer.tell(configuration, loss)
    with pytest.raises(InputError, match=f"surrogate Theirs: predict.*{message}"):
        optimizer.ask()
    assert optimizer.history.n_started == 2


def test_lists_are_predictions_too() -> None:
    model = CheckedSurrogate(Theirs(lists)).fit(np.zeros((3, 2)), np.zeros(3), None)  # type: ignore[arg-type]
    mean, std = model.predict(np.zeros((4, 2)))
    assert (mean.tolist(), std.tolist()) == ([0.5] * 4, [1.0] * 4)
    assert model.memory == {}


def test_what_a_fit_leaves_to_the_next_is_passed_on() -> None:
    X = np.random.default_rng(0).uniform(size=(20, 2))
    process = CheckedSurrogate(GaussianProcess(layout=LAYOUT))
    fitted = process.fit(X, X.sum(axis=1), np.random.default_rng(0))
    assert fitted.memory
    inner = process.continued(fitted.memory).surrogate
    assert isinstance(inner, GaussianProcess)
    assert inner.known is not None
    assert CheckedSurrogate(Theirs(lists)).continued({}).surrogate == Theirs(lists)
