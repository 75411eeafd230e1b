"""A surrogate that somebody else wrote: what it predicts is looked at before it is gone by."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from automl.errors import InputError
from automl.surrogates.surrogate import (
    FittedSurrogate,
    RememberedFit,
    RememberingSurrogate,
    Surrogate,
)
from search_space.arrays import FloatArray


@dataclass(frozen=True, slots=True)
class CheckedSurrogate:
    """A surrogate whose predictions are checked.

    Attributes
    ----------
    surrogate : Surrogate
        Settings of the other.
    """

    surrogate: Surrogate

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> CheckedFit:
        """Fit the other one."""
        return CheckedFit(self.surrogate.fit(X, y, rng), type(self.surrogate).__name__)

    def continued(self, memory: Mapping[str, float]) -> CheckedSurrogate:
        """Return the other one knowing what its last fit left, if it cares for that."""
        if not isinstance(self.surrogate, RememberingSurrogate):
            return self
        return CheckedSurrogate(self.surrogate.continued(memory))


@dataclass(frozen=True, slots=True)
class CheckedFit:
    """A fitted model whose predictions are checked.

    Attributes
    ----------
    fitted : FittedSurrogate
        The other.
    name : str
        What messages call it.
    """

    fitted: FittedSurrogate
    name: str

    @property
    def memory(self) -> Mapping[str, float]:
        """What the other one leaves to the next fit."""
        return self.fitted.memory if isinstance(self.fitted, RememberedFit) else {}

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the predictions of the other one.

        Raises
        ------
        InputError
            If they are not two finite arrays of n numbers, the second without negative ones.
        """
        found = self.fitted.predict(X)
        try:
            mean, std = (np.asarray(part, dtype=np.float64) for part in found)
        except (TypeError, ValueError) as error:
            raise self._error(f"found {_described(found)}", len(X)) from error
        for name, part in (("mean", mean), ("std", std)):
            if part.shape != (len(X),):
                raise self._error(f"found a {name} of shape {part.shape}", len(X))
            if not np.isfinite(part).all():
                raise self._error(f"found a {name} with NaN or infinite values", len(X))
        if (std < 0.0).any():
            raise self._error("found a negative std", len(X))
        return mean, std

    def _error(self, found: str, n: int) -> InputError:
        return InputError(
            f"surrogate {self.name}: predict(X) must return mean and std, finite arrays of shape "
            f"({n},), std not negative; {found}"
        )


def _described(found: object) -> str:
    return f"{type(found).__name__} of {len(found)}" if isinstance(found, tuple) else repr(found)
