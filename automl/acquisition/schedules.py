r"""Weights of weighted expected improvement that are set before the search: Table 1 of SAWEI.

A schedule is told how far the search is and gives the weight :math:`\alpha` of exploitation; none
of them looks at what was found.

References
----------
.. [1] Benjamins et al. (2023). Self-Adjusting Weighted Expected Improvement for Bayesian
   Optimization. AutoML-Conf, table 1. https://arxiv.org/abs/2306.04262
.. [2] Gutmann (2001). A Radial Basis Function Method for Global Optimization. Journal of Global
   Optimization 19, 201-227.
.. [3] Sobester, Leary, Keane (2005). On the Design of Optimization Strategies Based on Global
   Response Surface Approximation Models. Journal of Global Optimization 33, 31-59.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType
from typing import Protocol


class AlphaSchedule(Protocol):
    """Settings of a schedule; asking leaves them as they are."""

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal.

        Parameters
        ----------
        progress : float
            Used part of the budget that follows the initial design, in [0, 1].
        step : int
            Proposals made since the initial design; 0 before the first.

        Returns
        -------
        float
            In [0, 1].

        Raises
        ------
        ValueError
            If progress is outside [0, 1] or step is negative.
        """
        ...


@dataclass(frozen=True, slots=True)
class FixedAlpha:
    """The same weight throughout.

    Attributes
    ----------
    alpha : float
        0 explores, 1/2 is expected improvement, 1 exploits.
    """

    alpha: float

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1]."""
        _check_alphas(self.alpha)

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal."""
        _check_position(progress, step)
        return self.alpha


@dataclass(frozen=True, slots=True)
class LinearAlpha:
    """A weight in proportion to the progress.

    Attributes
    ----------
    start, end : float
        Weight at the beginning and at the end of the budget.
    """

    start: float
    end: float

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1]."""
        _check_alphas(self.start, self.end)

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal."""
        _check_position(progress, step)
        return (1.0 - progress) * self.start + progress * self.end


@dataclass(frozen=True, slots=True)
class SteppedAlpha:
    """Equally long steps from one weight to another.

    Attributes
    ----------
    start, end : float
        Weight of the first and of the last step.
    n_steps : int
        Number of steps, at least two.
    """

    start: float
    end: float
    n_steps: int

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1] and a single step."""
        _check_alphas(self.start, self.end)
        if self.n_steps < 2:
            raise ValueError(f"n_steps must be at least 2, got {self.n_steps}")

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal."""
        _check_position(progress, step)
        share = min(int(progress * self.n_steps), self.n_steps - 1) / (self.n_steps - 1)
        return (1.0 - share) * self.start + share * self.end


@dataclass(frozen=True, slots=True)
class SwitchedAlpha:
    """One weight up to a point of the budget, another from there on.

    Attributes
    ----------
    before, after : float
        Weight up to the switch and from it on.
    at : float
        Used part of the budget at which it happens, inside (0, 1).
    """

    before: float
    after: float
    at: float

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1] and a switch that does not happen."""
        _check_alphas(self.before, self.after)
        if not 0.0 < self.at < 1.0:
            raise ValueError(f"at must lie inside (0, 1), got {self.at}")

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal."""
        _check_position(progress, step)
        return self.before if progress < self.at else self.after


@dataclass(frozen=True, slots=True)
class PulsedAlpha:
    """Weights taken in turn [2]_ [3]_.

    Attributes
    ----------
    alphas : tuple of float
        One cycle, at least one weight.
    """

    alphas: tuple[float, ...]

    def __post_init__(self) -> None:
        """Refuse a weight outside [0, 1] and an empty cycle."""
        _check_alphas(*self.alphas)
        if not self.alphas:
            raise ValueError("alphas must not be empty")

    def __call__(self, progress: float, step: int) -> float:
        """Return the weight of exploitation of the next proposal."""
        _check_position(progress, step)
        return self.alphas[step % len(self.alphas)]


def _check_alphas(*alphas: float) -> None:
    if not all(0.0 <= alpha <= 1.0 for alpha in alphas):
        raise ValueError(f"every alpha must lie in [0, 1], got {alphas}")


def _check_position(progress: float, step: int) -> None:
    if not (0.0 <= progress <= 1.0 and step >= 0):
        raise ValueError(f"need progress in [0, 1] and step >= 0, got {progress} and {step}")


# Two things of the table are left to the caller: the last weight of a switch stands for the
# probability of improvement itself there, and the confidence bound and the portfolio have none.
HAND_MADE: Mapping[str, AlphaSchedule] = MappingProxyType(
    {
        "explore": FixedAlpha(0.0),
        "ei": FixedAlpha(0.5),
        "modulated_pi": FixedAlpha(1.0),
        "steps_ei_to_pi": SteppedAlpha(0.5, 1.0, n_steps=5),
        "steps_pi_to_ei": SteppedAlpha(1.0, 0.5, n_steps=5),
        "switch_at_25": SwitchedAlpha(0.5, 1.0, at=0.25),
        "switch_at_50": SwitchedAlpha(0.5, 1.0, at=0.5),
        "switch_at_75": SwitchedAlpha(0.5, 1.0, at=0.75),
        "pulse": PulsedAlpha((0.1, 0.3, 0.5, 0.7, 0.9)),
    }
)
"""The schedules that SAWEI is compared with [1]_."""
