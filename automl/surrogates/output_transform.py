r"""Losses brought to a normal shape by a power, in a way that later losses can follow.

The rule is that of HEBO [1]_: losses that are all positive have the Box-Cox transform [2]_, others
the one of Yeo and Johnson [3]_ after division by their standard deviation. The power is the most
likely one, and the result is standardised. Where a transform leaves nothing of the differences
between losses the next one is taken, at last none.

=============  ====================================================================================
Box-Cox        :math:`(x^p - 1) / p`
Yeo-Johnson    :math:`((1 + x)^p - 1) / p` for :math:`x \ge 0`,
               :math:`-((1 - x)^{2 - p} - 1) / (2 - p)` for :math:`x < 0`
=============  ====================================================================================

Beyond the losses that it was fitted on, a transform goes on as a straight line. It is so defined
and increasing for every loss, also below zero, where a power is not.

References
----------
.. [1] Cowen-Rivers et al. (2022). HEBO: Pushing the Limits of Sample-Efficient Hyper-parameter
   Optimisation. Journal of Artificial Intelligence Research 74, 1269-1349.
.. [2] Box, Cox (1964). An Analysis of Transformations. Journal of the Royal Statistical Society
   B 26, 211-252.
.. [3] Yeo, Johnson (2000). A New Family of Power Transformations to Improve Normality or Symmetry.
   Biometrika 87, 954-959.
"""

from __future__ import annotations

import enum
import math
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Self

import numpy as np
from scipy.optimize import minimize_scalar
from scipy.special import boxcox, boxcox1p

from search_space.arrays import FloatArray

# Differs from HEBO: powers are bounded such that they cannot overflow, and losses are divided by
# their geometric mean first, which the standardised Box-Cox transform does not depend on. HEBO
# lets powers of narrow losses (0.300, 0.301, ...) overflow and then takes another transform. What
# it tests, whether the standardised result has a deviation of 0.5, tells only that this happened.

# Of e, in a power of a loss: so that its square does not overflow, and between the losses: so that
# differences of 1e-3 are told apart even at the end where a power is flat.
_LARGEST_EXPONENT, _LARGEST_RANGE = 300.0, 30.0
_RESOLUTION = 1e-12  # a deviation below this share of the values is rounding
_SMALLEST_SHARE = 1e-150  # of the largest loss; one below it is taken for zero
_FURTHEST = 1e9  # standard deviations; no loss is taken for further away
_UNLIKELY = 1e6  # minus log likelihood of what merges all losses
_LARGEST_RATIO, _STEEPEST = 1e150, 1e150  # of a later loss to the unit; of the lines beyond


class Shape(enum.Enum):
    """What is done to losses before they are standardised."""

    BOX_COX = "Box-Cox"
    YEO_JOHNSON = "Yeo-Johnson"
    NONE = "none"


@dataclass(frozen=True, slots=True, kw_only=True)
class FittedTransform:
    """A transform of losses, not decreasing.

    Attributes
    ----------
    shape : Shape
        Which transform.
    power : float
        Its power p; without meaning if there is none.
    unit : float, loss
        What losses are divided by, positive.
    lowest, highest : float, units
        Range in which the transform is a power.
    centre, scale : float
        What is subtracted from the transformed, and what it is then divided by.
    """

    shape: Shape
    power: float
    unit: float
    lowest: float
    highest: float
    centre: float = 0.0
    scale: float = 1.0

    def apply(self, losses: FloatArray) -> FloatArray:
        """Return losses, those fitted on or others, on the scale of the transform.

        Parameters
        ----------
        losses : (n,) array, loss
            Finite losses.

        Returns
        -------
        (n,) array, standard deviations of the transformed losses fitted on
            Finite.
        """
        # A later loss may be so much larger that a quotient overflows; it is then the furthest.
        with np.errstate(over="ignore"):
            x = np.clip(losses / self.unit, -_LARGEST_RATIO, _LARGEST_RATIO)
            z = self._power_of(np.clip(x, self.lowest, self.highest))
            z += self._slope(self.lowest) * np.minimum(x - self.lowest, 0.0)
            z += self._slope(self.highest) * np.maximum(x - self.highest, 0.0)
            return np.clip((z - self.centre) / self.scale, -_FURTHEST, _FURTHEST)

    def log_slopes(self, losses: FloatArray) -> FloatArray:
        """Return the logarithm of the derivative of the transform at losses.

        Parameters
        ----------
        losses : (n,) array, loss
            Finite losses.

        Returns
        -------
        (n,) array
            Of standard deviations of the transformed by loss.
        """
        x = np.clip(losses / self.unit, self.lowest, self.highest)
        return self._log_slopes(x) - math.log(self.unit) - math.log(self.scale)

    def unit_at(self, loss: float) -> float:
        """Return by how much a loss changes if the transformed one changes by 1."""
        return math.exp(min(-float(self.log_slopes(np.array([loss]))[0]), math.log(_STEEPEST)))

    def as_numbers(self) -> dict[str, float]:
        """Return numbers by name that `from_numbers` makes the same transform of."""
        return {
            "shape": float(list(Shape).index(self.shape)),
            "power": self.power,
            "unit": self.unit,
            "lowest": self.lowest,
            "highest": self.highest,
            "centre": self.centre,
            "scale": self.scale,
        }

    @classmethod
    def from_numbers(cls, numbers: Mapping[str, float]) -> Self:
        """Return the transform that `as_numbers` gave these of."""
        others = {name: value for name, value in numbers.items() if name != "shape"}
        return cls(shape=list(Shape)[int(numbers["shape"])], **others)

    def standardised_on(self, losses: FloatArray) -> Self | None:
        """Return the transform that gives these losses mean 0 and deviation 1, None if none can."""
        z = self._power_of(losses / self.unit)
        centre, scale = float(np.mean(z)), float(np.std(z))
        if not scale > _RESOLUTION * float(np.max(np.abs(z))):
            return None
        return replace(self, centre=centre, scale=scale)

    def _power_of(self, x: FloatArray) -> FloatArray:
        """Return the transformed values, not yet standardised."""
        if self.shape is Shape.NONE:
            return np.array(x)
        if self.shape is Shape.BOX_COX:
            return np.asarray(boxcox(x, self.power))
        return _yeo_johnson(x, self.power)

    def _slope(self, x: float) -> float:
        """Return the derivative of the power."""
        return math.exp(min(float(self._log_slopes(np.array([x]))[0]), math.log(_STEEPEST)))

    def _log_slopes(self, x: FloatArray) -> FloatArray:
        """Return its logarithm."""
        if self.shape is Shape.NONE:
            return np.zeros(len(x))
        if self.shape is Shape.BOX_COX:
            return np.asarray((self.power - 1.0) * np.log(x))
        return np.asarray((self.power - 1.0) * np.sign(x) * np.log1p(np.abs(x)))


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputTransform:
    """How transforms are fitted.

    Attributes
    ----------
    power : bool
        Whether powers are tried; otherwise losses are standardised only.
    """

    power: bool = True

    def fit(self, losses: FloatArray) -> FittedTransform:
        """Return the transform for these losses.

        Parameters
        ----------
        losses : (n,) array, loss
            Finite losses, at least one.

        Returns
        -------
        FittedTransform
            Gives them mean 0 and deviation 1, and of equal losses subtracts their value.

        Raises
        ------
        ValueError
            If there is no loss or one is not finite.
        """
        if losses.ndim != 1 or len(losses) < 1 or not np.isfinite(losses).all():
            raise ValueError(f"losses must be finite and (n,), n at least 1, not {losses.shape}")
        largest = float(np.max(np.abs(losses)))
        # Divided first, so that squares cannot overflow.
        unit = largest * float(np.std(losses / largest)) if largest > 0.0 else 0.0
        if not unit > np.finfo(np.float64).tiny:
            return _shifted(losses)
        for candidate in self._candidates(losses, unit):
            fitted = candidate.standardised_on(losses)
            if fitted is not None:
                return fitted
        return _shifted(losses)

    def _candidates(self, losses: FloatArray, unit: float) -> list[FittedTransform]:
        """Return transforms that are not standardised yet, the preferred first."""
        candidates = [_ranged(Shape.NONE, 1.0, unit, losses)]
        if self.power:
            power = most_likely_power(Shape.YEO_JOHNSON, losses / unit)
            candidates.insert(0, _ranged(Shape.YEO_JOHNSON, power, unit, losses))
        if self.power and losses.min() > _SMALLEST_SHARE * losses.max():
            typical = float(np.exp(np.mean(np.log(losses))))
            power = most_likely_power(Shape.BOX_COX, losses / typical)
            candidates.insert(0, _ranged(Shape.BOX_COX, power, typical, losses))
        return candidates


def most_likely_power(shape: Shape, x: FloatArray) -> float:
    """Return the power for which transformed values are most likely those of a normal variable.

    Parameters
    ----------
    shape : Shape
        A transform that has a power.
    x : (n,) array
        Values, for Box-Cox positive and of geometric mean 1.
    """
    logs = np.log(x) if shape is Shape.BOX_COX else np.sign(x) * np.log1p(np.abs(x))
    if np.ptp(logs) < _RESOLUTION:
        return 1.0
    reach = min(_LARGEST_RANGE / np.ptp(logs), _LARGEST_EXPONENT / np.max(np.abs(logs)))
    middle = 0.0 if shape is Shape.BOX_COX else 1.0

    def misfit(power: float) -> float:
        z = boxcox(x, power) if shape is Shape.BOX_COX else _yeo_johnson(x, power)
        variance = float(np.var(z))
        # The second term is the density of x given that of z; for Box-Cox the logs add up to 0.
        log_slopes = (power - 1.0) * float(np.mean(logs))
        return 0.5 * np.log(variance) - log_slopes if variance > 0.0 else _UNLIKELY

    found = minimize_scalar(misfit, bounds=(middle - reach, middle + reach), method="bounded")
    return float(found.x)


def _yeo_johnson(x: FloatArray, power: float) -> FloatArray:
    """Return the transformed values."""
    above, below = boxcox1p(np.maximum(x, 0.0), power), boxcox1p(np.maximum(-x, 0.0), 2.0 - power)
    return np.asarray(above - below)


def _ranged(shape: Shape, power: float, unit: float, losses: FloatArray) -> FittedTransform:
    """Return a transform, not standardised, that is a power in the range of these losses."""
    x = losses / unit
    return FittedTransform(
        shape=shape, power=power, unit=unit, lowest=float(x.min()), highest=float(x.max())
    )


def _shifted(losses: FloatArray) -> FittedTransform:
    """Return the transform that subtracts the first loss."""
    unit = max(1.0, abs(float(losses[0])))
    first = float(losses[0]) / unit
    return FittedTransform(
        shape=Shape.NONE,
        power=1.0,
        unit=unit,
        lowest=first,
        highest=first,
        centre=first,
        scale=1.0 / unit,
    )
