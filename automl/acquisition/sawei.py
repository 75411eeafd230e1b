r"""The self-adjusting weight of weighted expected improvement: Algorithm 1 of SAWEI.

After every proposal that weighted expected improvement made, one :class:`SaweiRecord` is kept. The
weight of the next proposal follows from the records alone, so that a search continued from its
history goes on as it would have.

The step after record k: smooth the upper bound regrets of records 0 to k, and if the gradient at
the end is next to nothing, the search has converged under its attitude. Then the weight moves
against the attitude: to exploitation if the chosen candidates were exploring, otherwise to
exploration [1]_.

References
----------
.. [1] Benjamins et al. (2023). Self-Adjusting Weighted Expected Improvement for Bayesian
   Optimization. AutoML-Conf, eqs. (2) to (4), algorithm 1. https://arxiv.org/abs/2306.04262
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from automl.acquisition.confidence_bound import sawei_kappa
from automl.acquisition.upper_bound_regret import best_share, interquartile_mean, upper_bound_regret
from search_space.arrays import FloatArray

BoolArray = npt.NDArray[np.bool_]
Tracking = Literal["last", "until_incumbent_change", "until_adjustment"]
Units = Literal["loss", "deviations"]


@dataclass(frozen=True, slots=True)
class SaweiSettings:
    """Settings of the adjustment; the defaults are those of the paper.

    Attributes
    ----------
    initial_alpha : float
        Weight of exploitation of the first proposal, in [0, 1].
    delta : float
        By how much one adjustment changes the weight, in (0, 1].
    epsilon : float
        The gradient counts as nothing up to this part of the greatest one so far.
    window : int
        Regrets over which one value is smoothed.
    tracking : {"last", "until_incumbent_change", "until_adjustment"}
        Which records say what the attitude is: the last one, or all since the incumbent last
        changed, or since the last adjustment.
    beta : float
        Positive; greater values narrow the bounds of the regret.
    evaluated_share : float
        Part of the evaluated configurations, those with the lowest losses, whose bounds the
        regret takes, in (0, 1]. All of them as in eq. (2); the published code takes 0.5.
    units : {"loss", "deviations"}
        Of the exploration term where it is compared with the probability of improvement. With
        those of the loss, as in eq. (3), large losses make a search look as if it explored, so
        that it turns to exploitation, and small ones the other way round; standard deviations of
        the losses observed take this away.
    """

    initial_alpha: float = 0.5
    delta: float = 0.1
    epsilon: float = 0.1
    window: int = 7
    tracking: Tracking = "last"
    beta: float = 1.0
    evaluated_share: float = 1.0
    units: Units = "loss"

    def __post_init__(self) -> None:
        """Refuse settings without meaning."""
        if not (0.0 <= self.initial_alpha <= 1.0 and 0.0 < self.delta <= 1.0):
            raise ValueError("initial_alpha must lie in [0, 1] and delta in (0, 1]")
        if not (0.0 <= self.epsilon < math.inf and self.window >= 1):
            raise ValueError("epsilon must be finite and not negative, window at least 1")
        if self.tracking not in ("last", "until_incumbent_change", "until_adjustment"):
            raise ValueError(f"tracking is not known: {self.tracking!r}")
        if self.units not in ("loss", "deviations"):
            raise ValueError(f"units are not known: {self.units!r}")
        if not (0.0 < self.beta < math.inf and 0.0 < self.evaluated_share <= 1.0):
            raise ValueError("beta must be positive and evaluated_share in (0, 1]")


@dataclass(frozen=True, slots=True)
class SaweiRecord:
    """What is kept of one proposal.

    Attributes
    ----------
    alpha : float
        Weight of exploitation it was made with.
    explore, exploit : float
        Exploration term and probability of improvement of the chosen candidate, as predicted by
        the model that chose it. The term has a unit and the probability has none; see
        :class:`SaweiSettings`.
    upper_bound_regret : float, loss
        By the model fitted with the outcome of the proposal: :func:`current_regret`.
    incumbent_changed : bool
        Whether the outcome became the incumbent.
    """

    alpha: float
    explore: float
    exploit: float
    upper_bound_regret: float
    incumbent_changed: bool


def current_regret(
    losses: FloatArray,
    predicted: tuple[FloatArray, FloatArray],
    lowest_bound: Callable[[float], float],
    n_dimensions: int,
    settings: SaweiSettings,
) -> float:
    """Return the upper bound regret after these observations.

    Parameters
    ----------
    losses : (n,) array, loss
        Observed losses, at least one.
    predicted : pair of (n,) arrays, loss
        Means and standard deviations for the same configurations.
    lowest_bound : callable
        Given kappa, returns the least lower confidence bound found in the space.
    n_dimensions : int
        Hyperparameters of the space, at least one.
    settings : SaweiSettings
        Settings of the adjustment.

    Returns
    -------
    float, loss
        Never negative.

    Raises
    ------
    ValueError
        If there is no observation or the lengths differ.
    """
    mean, std = predicted
    if losses.shape != mean.shape:
        raise ValueError(f"losses {losses.shape} and mean {mean.shape} must have the same shape")
    kappa = sawei_kappa(len(losses), n_dimensions, beta=settings.beta)
    best = best_share(losses, share=settings.evaluated_share)
    return upper_bound_regret(mean[best], std[best], lowest_bound(kappa), kappa=kappa)


def next_alpha(records: Sequence[SaweiRecord], settings: SaweiSettings) -> float:
    """Return the weight of exploitation of the next proposal.

    Parameters
    ----------
    records : sequence of SaweiRecord
        All proposals of weighted expected improvement so far, oldest first.
    settings : SaweiSettings
        Settings of the adjustment.

    Returns
    -------
    float
        In [0, 1].

    Raises
    ------
    ValueError
        If a regret is not finite.
    """
    if not records:
        return settings.initial_alpha
    regrets = np.array([record.upper_bound_regret for record in records])
    adjusted = converged(smoothed(regrets, window=settings.window), settings)
    alpha = records[-1].alpha
    if not adjusted[-1]:
        return alpha
    step = settings.delta if is_exploring(records, adjusted, settings.tracking) else -settings.delta
    return min(max(alpha + step, 0.0), 1.0)


def smoothed(regrets: FloatArray, *, window: int) -> FloatArray:
    """Return the moving interquartile mean.

    Parameters
    ----------
    regrets : (k,) array, loss
        Upper bound regrets, oldest first.
    window : int
        Length of the window that ends at each of them; the first regret fills it up where it
        begins before the series.

    Returns
    -------
    (k,) array, loss
        No value depends on later regrets.

    Raises
    ------
    ValueError
        If the series is empty, a regret is not finite or the window is empty.

    Examples
    --------
    >>> smoothed(np.array([4.0, 4.0, 0.0, 4.0, 8.0]), window=4)
    array([4., 4., 4., 4., 4.])
    """
    if regrets.ndim != 1 or not regrets.size or not np.all(np.isfinite(regrets)) or window < 1:
        raise ValueError("regrets must be finite and at least one, window at least 1")
    padded = np.concatenate([np.full(window - 1, regrets[0]), regrets])
    return interquartile_mean(np.lib.stride_tricks.sliding_window_view(padded, window))


def converged(series: FloatArray, settings: SaweiSettings) -> BoolArray:
    """Return where an adjustment was due, each time judged by what was known then.

    The gradient at the end of the series so far is compared with the greatest gradient in it, in
    absolute values. Gradients are central differences inside and one-sided ones at the ends.

    Parameters
    ----------
    series : (k,) array, loss
        Smoothed regrets, oldest first.
    settings : SaweiSettings
        Settings of the adjustment.

    Returns
    -------
    (k,) array of bool
        False as long as a difference reaches back into a window that was filled up.
    """
    result = np.zeros(len(series), dtype=np.bool_)
    if len(series) < 2:
        return result
    steps = np.abs(np.diff(series))  # at the end of the series up to 1, 2, ...
    inside = 0.5 * np.abs(series[2:] - series[:-2])
    # The greatest before the end: one-sided at the start, then all central ones.
    greatest = np.maximum.accumulate(np.concatenate([steps[:1], inside]))
    result[1:] = steps <= settings.epsilon * np.maximum(greatest, steps)
    # The paper says nothing of the start; the published code waits as long. A padded window is
    # flat for no other reason than its padding.
    result[: settings.window] = False
    return result


def is_exploring(records: Sequence[SaweiRecord], adjusted: BoolArray, tracking: Tracking) -> bool:
    """Return whether the exploration terms outweigh the probabilities of improvement.

    Parameters
    ----------
    records : sequence of SaweiRecord
        At least one, oldest first.
    adjusted : (k,) array of bool
        After which records an adjustment was due.
    tracking : {"last", "until_incumbent_change", "until_adjustment"}
        Which records count.

    Returns
    -------
    bool
        False if both are equal.
    """
    counted = records[_first_counted(records, adjusted, tracking) :]
    explore = math.fsum(record.explore for record in counted)
    # Differs from the published code, which takes equal terms for exploring: eq. (3) has to be
    # bigger.
    return explore > math.fsum(record.exploit for record in counted)


def _first_counted(records: Sequence[SaweiRecord], adjusted: BoolArray, tracking: Tracking) -> int:
    """Return where the sums begin: after the last event before the last record."""
    last = len(records) - 1
    if tracking == "last":
        return last
    if tracking == "until_adjustment":
        events = np.flatnonzero(adjusted[:last])
    else:
        events = np.flatnonzero([record.incumbent_changed for record in records[:last]])
    return int(events[-1]) + 1 if events.size else 0
