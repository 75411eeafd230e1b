"""How much each surrogate of an ensemble is trusted, from how well it foretold what was proposed.

All weight starts on one member. After every round in which configurations were proposed and
evaluated, the member with the lowest error on them wins, and the weights move towards it [1]_. All
members are asked for the configurations proposed, also those without weight: they could never win
otherwise.

The weights are a function of the rounds so far. Nothing is remembered in between.

References
----------
.. [1] DensBO: Dynamic Ensembling of Surrogate Models for Hyperparameter Optimisation. Submitted to
   ICLR 2025, Eq. 7, 8 and 15, and for the deviations Eq. 16-18.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np

from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

# Differs from the public code of [1]: its first round replaces the starting weights whatever the
# smoothing, spaces without categories start with equal weights, and the predictions of a round are
# compared with losses that were transformed anew. Here rounds hold losses on the scale on which
# they were predicted.

FOREST = "random_forest"
EXTRA_TREES = "extra_trees"
GRADIENT_BOOSTING = "gradient_boosting"
GAUSSIAN_PROCESS = "gaussian_process"


@dataclass(frozen=True, slots=True, kw_only=True)
class Round:
    """What was foretold of the configurations of one round, and what became of them.

    Attributes
    ----------
    means : mapping of str to (b,) array
        Predicted mean of each member at the b configurations that were proposed. A member that
        could not be fitted in this round is left out.
    losses : (b,) array
        Losses observed later, on the scale of the predictions; not a number where there is none.
    stds : mapping of str to (b,) array
        Predicted standard deviations; needed for weights of their own only.
    """

    means: Mapping[str, FloatArray]
    losses: FloatArray
    stds: Mapping[str, FloatArray] = field(default_factory=dict)


def mean_errors(played: Round) -> dict[str, float]:
    """Return the mean squared error of each member's means, not a number without any loss."""
    known = np.isfinite(played.losses)
    return {
        name: _average((mean[known] - played.losses[known]) ** 2)
        for name, mean in played.means.items()
    }


def std_errors(played: Round) -> dict[str, float]:
    """Return the mean distance of losses to the nearer end of mean plus or minus deviation."""
    known = np.isfinite(played.losses)
    return {
        name: _average(np.abs(np.abs(mean - played.losses)[known] - played.stds[name][known]))
        for name, mean in played.means.items()
    }


def _average(values: FloatArray) -> float:
    """Return the mean, not a number if there is no value."""
    return float(np.mean(values)) if len(values) else math.nan


def initial_weights(names: Sequence[str], layout: ColumnLayout) -> dict[str, float]:
    """Return the weights before any round.

    Parameters
    ----------
    names : sequence of str
        Members, at least one.
    layout : ColumnLayout
        Columns of the space.

    Returns
    -------
    dict of str to float
        1 for the Gaussian process if there is no categorical hyperparameter, else for the forest;
        for the first member if the ensemble has none of these.

    Examples
    --------
    >>> continuous = ColumnLayout(numeric=(0, 1), categorical=())
    >>> initial_weights(["random_forest", "gaussian_process"], continuous)
    {'random_forest': 0.0, 'gaussian_process': 1.0}
    """
    return _all_on(GAUSSIAN_PROCESS if layout.is_continuous else FOREST, names)


def equal_weights(names: Iterable[str]) -> dict[str, float]:
    """Return the weights of an ensemble that stays as it is."""
    return dict.fromkeys(names, 1.0)


def weights_without(weights: Mapping[str, float], failed: Iterable[str]) -> dict[str, float]:
    """Return the weights of a round in which members failed.

    Parameters
    ----------
    weights : mapping of str to float
        Weights of all members.
    failed : iterable of str
        Members that could not be fitted.

    Returns
    -------
    dict of str to float
        0 for those that failed. If nothing is left, 1 for the forest, or where that failed too for
        the first member that did not.
    """
    out = set(failed)
    left = {name: 0.0 if name in out else weight for name, weight in weights.items()}
    standing = [name for name in left if name not in out]
    if any(left.values()) or not standing:
        return left
    return left | _all_on(FOREST, standing)


def updated_weights(
    weights: Mapping[str, float], errors: Mapping[str, float], alpha: float
) -> dict[str, float]:
    """Return the weights moved towards the member with the lowest error.

    Parameters
    ----------
    weights : mapping of str to float
        Weights of all members, in the order in which ties are decided.
    errors : mapping of str to float
        Error of each member. Who is missing, or whose error is not a number, cannot win.
    alpha : float
        Share of the new in the weights, in (0, 1]; 1 trusts the last winner alone.

    Returns
    -------
    dict of str to float
        Unchanged if nobody has an error.

    Raises
    ------
    ValueError
        If alpha is not in its range or an error belongs to no member.

    Examples
    --------
    >>> updated_weights({"a": 1.0, "b": 0.0}, {"a": 0.5, "b": 0.2}, alpha=0.1)
    {'a': 0.9, 'b': 0.1}
    """
    if not 0.0 < alpha <= 1.0:
        raise ValueError(f"alpha must be in (0, 1], not {alpha}")
    if unknown := errors.keys() - weights.keys():
        raise ValueError(f"errors must be those of members, not of {sorted(unknown)}")
    rated = [name for name in weights if not math.isnan(errors.get(name, math.nan))]
    if not rated:
        return dict(weights)
    winner = min(rated, key=lambda name: errors[name])
    return {
        name: (1.0 - alpha) * weight + alpha * float(name == winner)
        for name, weight in weights.items()
    }


def weights_from_rounds(
    names: Sequence[str],
    layout: ColumnLayout,
    rounds: Iterable[Round],
    alpha: float,
    errors_of: Callable[[Round], Mapping[str, float]] = mean_errors,
) -> dict[str, float]:
    """Return the weights after all rounds.

    Parameters
    ----------
    names : sequence of str
        Members, at least one, in the order in which ties are decided.
    layout : ColumnLayout
        Columns of the space.
    rounds : iterable of Round
        All rounds so far, the first one first.
    alpha : float
        Share of the last round in the weights, in (0, 1].
    errors_of : callable
        :func:`mean_errors`, or :func:`std_errors` for weights of the standard deviations.

    Returns
    -------
    dict of str to float
        Not negative; not normalised.
    """
    weights = initial_weights(names, layout)
    for played in rounds:
        failed = [name for name in names if name not in played.means]
        weights = updated_weights(weights_without(weights, failed), errors_of(played), alpha)
    return weights


def _all_on(preferred: str, names: Sequence[str]) -> dict[str, float]:
    """Return weight 1 for one member, the first if the preferred one is not among them."""
    chosen = preferred if preferred in names else names[0]
    return {name: float(name == chosen) for name in names}
