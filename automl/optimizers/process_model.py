"""A Gaussian process of the losses on the scale that makes them most likely.

A process is smooth everywhere to the same degree, and losses often are so on another scale than
their own: those that span many powers of ten after a power transform, a sum of squares as it is.
Both scales are fitted, and that is gone by under which the losses observed have the greater
likelihood; the density of a transformed loss is that of the loss times the slope of the transform.

References
----------
.. [1] Box, Cox (1964). An Analysis of Transformations. Journal of the Royal Statistical Society
   B 26, 211-252: likelihoods of different transforms, section 3.
.. [2] Snelson, Rasmussen, Ghahramani (2003). Warped Gaussian Processes. NeurIPS 16, Eq. (5).
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from automl.errors import SurrogateError
from automl.optimizers.observations import modelled_losses, performance_observations
from automl.optimizers.performance_model import FittedModel, SurrogateModel
from automl.optimizers.surrogate_memory import continued, memory_of
from automl.surrogates.gaussian_process import FittedGaussianProcess, GaussianProcess
from automl.surrogates.output_transform import FittedTransform, OutputTransform
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

SCALES = {"standardised": OutputTransform(power=False), "transformed": OutputTransform()}
"""What is tried, in this order: of equally likely scales the first is taken."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ProcessModel:
    """A Gaussian process on one of two scales.

    Attributes
    ----------
    make : callable
        Returns the process for a layout of columns.
    """

    make: Callable[[ColumnLayout], GaussianProcess]

    def fit_to(self, history: TrialHistory, rng: np.random.Generator) -> FittedModel:
        """Return the model after these trials, of which one at least has succeeded."""
        X, losses = performance_observations(history)
        successes = modelled_losses(history)
        process = self.make(history.problem.encoder.layout)
        memory: dict[str, float] = {}
        fits: list[_Fit] = []
        for name, transform in SCALES.items():
            scale = transform.fit(successes)
            targets = scale.apply(losses)
            try:
                fitted = continued(process, history, name).fit(X, targets, rng)
            except SurrogateError:
                continue  # the other scale may do
            assert isinstance(fitted, FittedGaussianProcess)
            memory |= memory_of(fitted, name)
            likelihood = fitted.log_likelihood + float(scale.log_slopes(losses).sum())
            fits.append(_Fit(fitted, scale, targets, likelihood))
        if not fits:
            # Says why, and what stands for it.
            return SurrogateModel(make=self.make, transform=OutputTransform()).fit_to(history, rng)
        best = max(fits, key=lambda fit: fit.log_likelihood)
        lowest = float(successes.min())
        return FittedModel(
            surrogate=best.process,
            encoded=X,
            targets=best.targets,
            incumbent=float(best.scale.apply(np.array([lowest]))[0]),
            unit=best.scale.unit_at(lowest),
            beliefs_at=lambda _: memory,
        )


@dataclass(frozen=True, slots=True)
class _Fit:
    process: FittedGaussianProcess
    scale: FittedTransform
    targets: FloatArray
    log_likelihood: float
