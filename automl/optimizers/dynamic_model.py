"""DensBO: surrogates whose weights follow from how well they foretold what was proposed.

What each member predicts for a proposed configuration, and the scale on which, travel in the
beliefs of the proposal. So the weights are a function of the history: a search that is gone on with
has the same, and two searches in one process share nothing.

References
----------
.. [1] DensBO: Dynamic Ensembling of Surrogate Models for Hyperparameter Optimisation. Submitted to
   ICLR 2025, section 3 and appendix on weights of the deviations.
"""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from typing import Literal

import numpy as np

from automl.optimizers.observations import modelled_losses, performance_observations
from automl.optimizers.performance_model import FittedModel, warn_of_unfitted
from automl.optimizers.surrogate_memory import continued, memory_of
from automl.surrogates.dynamic_ensemble import (
    DynamicEnsemble,
    FittedDynamicEnsemble,
    default_members,
)
from automl.surrogates.member_weights import (
    Round,
    equal_weights,
    mean_errors,
    std_errors,
    weights_from_rounds,
)
from automl.surrogates.output_transform import FittedTransform, OutputTransform
from automl.surrogates.surrogate import Surrogate
from automl.trial import Status, Trial
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

_ROUND = "densbo_round"
_MEAN, _STD, _SCALE, _WEIGHT = "densbo_mean_", "densbo_std_", "densbo_scale_", "densbo_weight_"


@dataclass(frozen=True, slots=True, kw_only=True)
class DynamicModel:
    """Settings of the ensemble [1]_.

    Attributes
    ----------
    alpha : float or None
        Share of the last round in the weights, in (0, 1]; None for equal weights that stay.
    separate_std : bool
        Whether standard deviations have weights of their own.
    combine : {"std", "variance"}
        What of the members' deviations is averaged.
    members : callable
        Returns the members for a layout of columns, in the order in which ties are decided.
    transform : OutputTransform
        Brings losses to the scale that members are fitted and compared on.
    """

    alpha: float | None = 0.5
    separate_std: bool = False
    combine: Literal["std", "variance"] = "std"
    members: Callable[[ColumnLayout], Mapping[str, Surrogate]] = default_members
    transform: OutputTransform = field(default_factory=OutputTransform)

    def __post_init__(self) -> None:
        if self.alpha is not None and not 0.0 < self.alpha <= 1.0:
            raise ValueError(f"alpha must be in (0, 1], not {self.alpha}")

    def fit_to(self, history: TrialHistory, rng: np.random.Generator) -> FittedModel:
        """Return the ensemble after these trials, of which one at least has succeeded."""
        X, losses = performance_observations(history)
        successes = modelled_losses(history)
        scale = self.transform.fit(successes)
        layout = history.problem.encoder.layout
        members = {
            name: continued(member, history, name) for name, member in self.members(layout).items()
        }
        ensemble = self._weighted(history, members, layout)
        targets = scale.apply(losses)
        fitted = ensemble.fit(X, targets, rng)
        for name, reason in fitted.failures.items():
            warn_of_unfitted(name, reason, "the other surrogates do without it")
        best = scale.apply(np.array([successes.min()]))
        carried = {_ROUND: float(history.n_finished)}
        for name, member in fitted.members.items():
            carried |= memory_of(member, name)

        def beliefs_at(row: FloatArray) -> Mapping[str, float]:
            return carried | self._beliefs(fitted, scale, row[np.newaxis])

        return FittedModel(
            surrogate=fitted,
            encoded=X,
            targets=targets,
            incumbent=float(best[0]),
            unit=scale.unit_at(float(successes.min())),
            beliefs_at=beliefs_at,
        )

    def weights(self, history: TrialHistory) -> dict[str, float]:
        """Return the weight of each member after a history."""
        layout = history.problem.encoder.layout
        return dict(self._weighted(history, self.members(layout), layout).weights)

    def _weighted(
        self, history: TrialHistory, members: Mapping[str, Surrogate], layout: ColumnLayout
    ) -> DynamicEnsemble:
        names = list(members)
        if self.alpha is None:
            equal = equal_weights(names)
            return DynamicEnsemble(members=members, weights=equal, combine=self.combine)
        rounds = list(_rounds(history, names))
        weights = weights_from_rounds(names, layout, rounds, self.alpha, mean_errors)
        std_weights = None
        if self.separate_std:
            std_weights = weights_from_rounds(names, layout, rounds, self.alpha, std_errors)
        return DynamicEnsemble(
            members=members, weights=weights, std_weights=std_weights, combine=self.combine
        )

    def _beliefs(
        self, fitted: FittedDynamicEnsemble, scale: FittedTransform, row: FloatArray
    ) -> dict[str, float]:
        beliefs = {f"{_WEIGHT}{name}": weight for name, weight in fitted.weights.items()}
        if self.alpha is None:
            return beliefs
        of_members = {name: float(mean[0]) for name, mean in fitted.member_predictions(row).items()}
        beliefs |= {f"{_MEAN}{name}": mean for name, mean in of_members.items()}
        if self.separate_std:
            stds = fitted.member_stds(row)
            beliefs |= {f"{_STD}{name}": float(std[0]) for name, std in stds.items()}
        return beliefs | {f"{_SCALE}{name}": value for name, value in scale.as_numbers().items()}


def _rounds(history: TrialHistory, names: list[str]) -> Iterator[Round]:
    """Yield what was foretold and came of the trials of each model, the first model first."""
    by_round: defaultdict[float, list[Trial]] = defaultdict(list)
    for trial in history.trials:
        if f"{_SCALE}unit" in trial.proposal.beliefs:
            by_round[trial.proposal.beliefs[_ROUND]].append(trial)
    for number in sorted(by_round):
        trials = by_round[number]
        first = trials[0].proposal.beliefs
        scale = FittedTransform.from_numbers(
            {key.removeprefix(_SCALE): v for key, v in first.items() if key.startswith(_SCALE)}
        )
        yield Round(
            means=_told(trials, _MEAN, names),
            losses=np.array([_loss(history, trial, scale) for trial in trials]),
            stds=_told(trials, _STD, names),
        )


def _told(trials: list[Trial], kind: str, names: list[str]) -> dict[str, FloatArray]:
    """Return what each member that could be fitted had to say of all trials."""
    beliefs = [trial.proposal.beliefs for trial in trials]
    return {
        name: np.array([known[f"{kind}{name}"] for known in beliefs])
        for name in names
        if all(f"{kind}{name}" in known for known in beliefs)
    }


def _loss(history: TrialHistory, trial: Trial, scale: FittedTransform) -> float:
    outcome = history.outcome_of(trial.number)
    if outcome is None or outcome.status is not Status.SUCCESS:
        return math.nan
    return float(scale.apply(np.array([outcome.loss]))[0])
