"""Several surrogates that predict together, each with a weight of its own.

Mean and standard deviation are weighted means of those of the members [1]_. How the weights follow
from the past is the business of :mod:`automl.surrogates.member_weights`; an ensemble is given them.
Members without weight are fitted but not asked for candidates, which are many; they are asked for
the few that are proposed, because they may deserve a weight.

References
----------
.. [1] DensBO: Dynamic Ensembling of Surrogate Models for Hyperparameter Optimisation. Submitted to
   ICLR 2025, Eq. 4-6, and for weights of the deviations Eq. 19-20.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

import numpy as np

from automl.errors import SurrogateError
from automl.surrogates.gaussian_process import GaussianProcess
from automl.surrogates.member_weights import (
    EXTRA_TREES,
    FOREST,
    GAUSSIAN_PROCESS,
    GRADIENT_BOOSTING,
    weights_without,
)
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import FittedSurrogate, Surrogate
from automl.surrogates.tree_ensembles import ExtraTrees, GradientBoosting
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

# Differs from [1]: its public code averages variances where the paper averages deviations, which
# is the default here, and keeps the weights of all ensembles of a process in one place.


def default_members(layout: ColumnLayout) -> dict[str, Surrogate]:
    """Return the four surrogates of DensBO, in the order in which ties are decided.

    Parameters
    ----------
    layout : ColumnLayout
        Columns of encoded configurations.
    """
    return {
        FOREST: RandomForest(),
        EXTRA_TREES: ExtraTrees(),
        GRADIENT_BOOSTING: GradientBoosting(),
        GAUSSIAN_PROCESS: GaussianProcess(layout=layout),
    }


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicEnsemble:
    """Settings of the ensemble.

    Attributes
    ----------
    members : mapping of str to Surrogate
        Surrogates by name, at least one.
    weights : mapping of str to float
        Weight of each member, not negative; they need not add up to 1.
    std_weights : mapping of str to float, or None
        Weights of the standard deviations, if they are not those of the means.
    combine : {"std", "variance"}
        What of the members is averaged: standard deviations, or variances.
    """

    members: Mapping[str, Surrogate]
    weights: Mapping[str, float]
    std_weights: Mapping[str, float] | None = None
    combine: Literal["std", "variance"] = "std"

    def __post_init__(self) -> None:
        if self.combine not in ("std", "variance"):
            raise ValueError(f"combine must be 'std' or 'variance', not {self.combine!r}")
        for weights in (
            self.weights,
            self.weights if self.std_weights is None else self.std_weights,
        ):
            if not self.members or weights.keys() != self.members.keys():
                raise ValueError(
                    f"weights must be those of the members {list(self.members)}, "
                    f"not of {list(weights)}"
                )
            if not all(0.0 <= weight < np.inf for weight in weights.values()):
                raise ValueError(f"weights must be finite and not negative, not {dict(weights)}")

    def weighted(
        self, weights: Mapping[str, float], std_weights: Mapping[str, float] | None = None
    ) -> DynamicEnsemble:
        """Return the same ensemble with other weights."""
        return replace(self, weights=weights, std_weights=std_weights)

    def fit(self, X: FloatArray, y: FloatArray, rng: np.random.Generator) -> FittedDynamicEnsemble:
        """Fit all members; see :class:`automl.surrogates.surrogate.Surrogate`.

        Raises
        ------
        SurrogateError
            If no member could be fitted. One that could not loses its weight, and the reason is
            among the failures.
        """
        fitted: dict[str, FittedSurrogate] = {}
        failures: dict[str, str] = {}
        # A generator for each, so that none depends on how much the others drew.
        generators = rng.spawn(len(self.members))
        for (name, member), generator in zip(self.members.items(), generators, strict=True):
            try:
                fitted[name] = member.fit(X, y, generator)
            except SurrogateError as error:
                failures[name] = str(error)
        if not fitted:
            raise SurrogateError(f"no member could be fitted: {failures}")
        std_weights = self.weights if self.std_weights is None else self.std_weights
        return FittedDynamicEnsemble(
            members=fitted,
            weights=_normalised(weights_without(self.weights, failures)),
            std_weights=_normalised(weights_without(std_weights, failures)),
            combine=self.combine,
            failures=failures,
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedDynamicEnsemble:
    """A fitted ensemble.

    Attributes
    ----------
    members : mapping of str to FittedSurrogate
        Those that could be fitted.
    weights, std_weights : mapping of str to float
        Weights of means and of standard deviations for all members, each adding up to 1; 0 for
        those that could not be fitted.
    combine : {"std", "variance"}
        What of the members is averaged.
    failures : mapping of str to str
        Why the others could not be fitted.
    """

    members: Mapping[str, FittedSurrogate]
    weights: Mapping[str, float]
    std_weights: Mapping[str, float]
    combine: Literal["std", "variance"]
    failures: Mapping[str, str]

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return the weighted means of the members' means and of their standard deviations.

        Parameters
        ----------
        X : (n, d) array
            Encoded configurations; only members with a weight see them.

        Returns
        -------
        mean, std : (n,) arrays, loss
        """
        power = 1 if self.combine == "std" else 2
        mean, spread = np.zeros(len(X)), np.zeros(len(X))
        for name, member in self.members.items():
            if self.weights[name] or self.std_weights[name]:
                of_member = member.predict(X)
                mean += self.weights[name] * of_member[0]
                spread += self.std_weights[name] * of_member[1] ** power
        return mean, spread ** (1.0 / power)

    def member_predictions(self, X: FloatArray) -> dict[str, FloatArray]:
        """Return the means of all members that could be fitted, with a weight or without.

        Parameters
        ----------
        X : (b, d) array
            Encoded configurations, e.g. those that are proposed.
        """
        return {name: member.predict(X)[0] for name, member in self.members.items()}

    def member_stds(self, X: FloatArray) -> dict[str, FloatArray]:
        """Return the standard deviations of all members that could be fitted."""
        return {name: member.predict(X)[1] for name, member in self.members.items()}


def _normalised(weights: Mapping[str, float]) -> dict[str, float]:
    """Return weights that add up to 1."""
    total = sum(weights.values())
    return {name: weight / total for name, weight in weights.items()}
