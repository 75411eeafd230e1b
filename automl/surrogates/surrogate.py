"""What a surrogate is: settings that, fitted on observations, give a predictor."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol, runtime_checkable

import numpy as np

from search_space.arrays import FloatArray


class FittedSurrogate(Protocol):
    """A model of the loss over encoded configurations."""

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return what is believed of the loss of each configuration.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations.

        Returns
        -------
        mean : (n,) array, loss
            Predicted mean.
        std : (n,) array, loss
            Predicted standard deviation, positive.

        Raises
        ------
        ValueError
            If the number of columns is not that of the observations.
        """
        ...


class Surrogate(Protocol):
    """Settings of a model; fitting leaves them as they are."""

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedSurrogate:
        """Return the model of these observations.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations, at least one.
        y : (n,) array, loss
            Their losses, all finite.
        rng : numpy.random.Generator
            Source of every random choice.

        Raises
        ------
        ValueError
            If there is no observation, the lengths differ, or a value is not finite.
        SurrogateError
            If this surrogate cannot be fitted on these observations, though another one may.
        """
        ...


@runtime_checkable
class RememberingSurrogate(Protocol):
    """Settings of a model that is fitted faster if it knows how the last fit ended."""

    def continued(self, memory: Mapping[str, float]) -> Surrogate:
        """Return the settings, knowing what the last fit left; anything else leaves them so."""
        ...


@runtime_checkable
class RememberedFit(Protocol):
    """A fitted model that leaves something to the next fit."""

    @property
    def memory(self) -> Mapping[str, float]:
        """Numbers by name."""
        ...


def check_observations(X: FloatArray, y: FloatArray) -> None:
    """Refuse what no surrogate can be fitted on.

    Parameters
    ----------
    X : (n, d) array
        Encoded configurations.
    y : (n,) array, loss
        Their losses.

    Raises
    ------
    ValueError
        If there is no observation, the lengths differ, or a value is not finite.
    """
    if X.ndim != 2 or len(X) < 1 or y.shape != (len(X),):
        raise ValueError(
            f"X {X.shape} and y {y.shape} must be (n, d) and (n,), n the same and at least 1"
        )
    if not (np.isfinite(X).all() and np.isfinite(y).all()):
        raise ValueError("X and y must be finite")


def check_positive(**settings: float) -> None:
    """Refuse settings, given by name, that are not positive.

    Raises
    ------
    ValueError
        If one is not, or not a number.
    """
    for name, value in settings.items():
        if not value > 0:
            raise ValueError(f"{name} must be positive, not {value}")
