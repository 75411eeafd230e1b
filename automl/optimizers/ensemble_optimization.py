"""Ensemble optimisation: the loss that is modelled is that of an ensemble with one model more.

References
----------
.. [1] J.-C. Lévesque, C. Gagné, R. Sabourin (2016). Bayesian Hyperparameter Optimization for
   Ensemble Learning. UAI, algorithm 1. https://arxiv.org/abs/1605.06394
"""

from __future__ import annotations

import warnings
from collections.abc import Mapping
from dataclasses import dataclass, field, replace

import numpy as np

from automl.errors import DegradedResultWarning
from automl.history import History
from automl.metrics import MetricError
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.observed_predictions import ObservedPredictions, observed_predictions
from automl.optimizers.random_search import propose_at_random
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners, score_candidates
from automl.trial import Proposal, Status
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray

_EMPTIED, _MEMBER = "slot", "slot_{}"

Slots = Mapping[int, int]
"""Numbers of the trials that are in the slots of the ensemble; an empty slot is left out."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EnsembleOptimization:
    """Expected improvement of an ensemble of fixed size, one slot at a time [1]_.

    The slots take turns, all of them empty at first. A slot is emptied, and the model learns what
    the loss of the ensemble is with each observed trial in it. When the next proposal is made, the
    observed trial with which the loss is lowest is put there, be it the last one or not. Every
    proposal carries the slots as they were when it was made. Of trials with equal losses the oldest
    takes a slot. Large tables are looked at through a constant subset of their validation rows.

    Attributes
    ----------
    size : int
        Slots.
    initial_design : InitialDesign
        What to try before the model is used.
    guidance : Guidance
        Performance model, acquisition function and candidates; by default every fifth proposal is
        left to chance.
    """

    size: int = 12
    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    guidance: Guidance = field(default_factory=guidance_over_learners)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return the new candidate with which the ensemble is expected to be improved most."""
        proposal = self.initial_design.propose(history, rng)
        if proposal is not None:
            return proposal
        if self.guidance.leaves_to_chance(history, rng):
            return propose_at_random(history, rng)
        seen = observed_predictions(history, history.successes)
        slots, turn = self._filled(history, seen)
        rest = {slot: number for slot, number in slots.items() if slot != turn}
        with_rest = _with_losses(history, _losses_with(history, seen, rest))
        scored = score_candidates(with_rest, rng, self.guidance)
        best = scored.best(with_rest, 1, rng)
        proposal = scored.proposal(best[0]) if best else propose_at_random(history, rng)
        return replace(proposal, beliefs={**proposal.beliefs, **self._written(rest, turn)})

    def members(self, history: History) -> tuple[int, ...]:
        """Return the numbers of the trials in the ensemble after a history, slot by slot.

        A trial may be in several slots. Where the slots were never used, the best trial is alone.
        """
        if history.best is None:
            return ()
        slots, _ = self._filled(history, observed_predictions(history, history.successes))
        return tuple(slots[slot] for slot in sorted(slots)) or (history.best.number,)

    def _filled(self, history: History, seen: ObservedPredictions) -> tuple[Slots, int]:
        """Return the slots, the last emptied one filled again, and whose turn it is."""
        for trial in reversed(history.trials):
            beliefs = trial.proposal.beliefs
            if _EMPTIED in beliefs:
                emptied = int(beliefs[_EMPTIED])
                rest = self._read(history, beliefs, emptied)
                best = int(np.argmin(_losses_with(history, seen, rest)))
                return {**rest, emptied: history.successes[best]}, (emptied + 1) % self.size
        return {}, 0

    def _written(self, rest: Slots, emptied: int) -> dict[str, float]:
        numbers = {_MEMBER.format(slot): float(rest.get(slot, -1)) for slot in range(self.size)}
        return {_EMPTIED: float(emptied), **numbers}

    def _read(self, history: History, beliefs: Mapping[str, float], emptied: int) -> Slots:
        known = set(history.successes)
        found = {slot: int(beliefs.get(_MEMBER.format(slot), -1)) for slot in range(self.size)}
        return {
            slot: number for slot, number in found.items() if slot != emptied and number in known
        }


def _losses_with(history: History, seen: ObservedPredictions, rest: Slots) -> FloatArray:
    """Return the loss of the rest of the ensemble with each successful trial, in their order."""
    place = {number: i for i, number in enumerate(history.successes)}
    try:
        criterion = seen.criterion()
        for number in rest.values():
            criterion.add(place[number])
        losses = criterion.losses_if_added()
    except (MetricError, MemoryError) as error:
        # What fails here must not cost the search.
        warnings.warn(
            f"losses of ensembles failed ({type(error).__name__}: {error}); those of the trials "
            "alone stand for them in this proposal",
            DegradedResultWarning,
            stacklevel=2,
        )
        return history.success_losses()
    return np.where(np.isnan(losses), np.nanmax(losses, initial=0.0), losses)


def _with_losses(history: TrialHistory, losses: FloatArray) -> TrialHistory:
    """Return a history with other losses of the successful trials, in their order."""
    of = dict(zip(history.successes, losses.tolist(), strict=True))
    changed = TrialHistory(history.problem, history.seed)
    changed.replay(
        history.trials,
        [
            replace(outcome, loss=of[outcome.number])
            if outcome.status is Status.SUCCESS
            else outcome
            for outcome in history.outcomes
        ],
    )
    return changed
