"""Rising bandit: learners that cannot catch up any more are dropped.

References
----------
.. [1] Y. Li, J. Jiang, J. Gao, Y. Shao, C. Zhang, B. Cui (2020). Efficient Automatic CASH via
   Rising Bandits. AAAI 34, 4763-4771.
.. [2] Y. Li et al. (2021). VolcanoML: Speeding up End-to-End AutoML via Scalable Search Space
   Decomposition. PVLDB 14(11). https://arxiv.org/abs/2107.08861
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from automl.errors import SpaceExhaustedError
from automl.history import History
from automl.optimizers.arms import Arm, arms_of, outcomes_of
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners
from automl.optimizers.vectors import BoolArray
from automl.trial import Proposal, Status
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray

_HIGHEST = 1.0  # score of a loss of 0


@dataclass(frozen=True, slots=True, kw_only=True)
class RisingBandit:
    """A Bayesian optimisation within each learner; those that fall behind are dropped [1]_.

    The learners left are pulled in turn, several trials at a time as in [2]_. After a round,
    the best score of each so far, and its recent growth carried on for the pulls that remain,
    bound what it can reach. What was dropped is found from the history anew at every proposal. So
    where several trials run at the same time, an outcome that arrives after the end of its round
    counts in that round all the same, and may bring a learner back.

    Differs from the published code of [2]_ in two places: remaining pulls are counted in pulls,
    not in trials, and growth is divided by the number of pulls between the two scores.

    Attributes
    ----------
    n_trials : int
        Trials of the whole search.
    alpha : int, pulls
        How far back growth is looked at, and after how many rounds the first learner is dropped.
    pull : int, trials
        Trials that a learner gets each time its turn comes.
    initial_design : InitialDesign
        What to try within each learner before the model is used.
    guidance : Guidance
        Performance model, acquisition function and candidates within each learner; by default every
        fifth proposal is left to chance.
    """

    n_trials: int
    alpha: int = 3
    pull: int = 5
    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    guidance: Guidance = field(default_factory=guidance_over_learners)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return a proposal of the learner whose turn it is."""
        search = BayesianOptimization(initial_design=self.initial_design, guidance=self.guidance)
        arms = arms_of(history)
        exhausted: set[int] = set()
        while len(exhausted) < len(arms):
            left, turn = self._standing(history, arms, exhausted)
            try:
                proposal = arms[turn].propose(history, rng, search)
            except SpaceExhaustedError:
                exhausted.add(turn)
                continue
            beliefs = {"arm": float(turn), "arms_left": float(len(left))}
            return replace(proposal, beliefs={**proposal.beliefs, **beliefs})
        raise SpaceExhaustedError(f"all {history.n_started} configurations of the space were tried")

    def arms_left(self, history: TrialHistory) -> list[str]:
        """Return the learners that are not dropped after a history."""
        arms = arms_of(history)
        left, _ = self._standing(history, arms, ())
        return [str(value) for i in left for value in arms[i].space.fixed.values()]

    def _standing(
        self, history: TrialHistory, arms: Sequence[Arm], exhausted: Collection[int]
    ) -> tuple[list[int], int]:
        """Return the arms that are left and whose turn it is.

        An arm that is exhausted has had all its turns. Where all that are left are, those come back
        that were dropped.
        """
        losses = [_losses(history, arm) for arm in arms]
        left, n_pulls, n_rounds = list(range(len(arms))), 0, 0
        while not all(i in exhausted for i in left):
            n_rounds += 1
            for i in left:
                if i not in exhausted and len(losses[i]) < n_rounds * self.pull:
                    return left, i
            n_pulls += len(left)
            if n_rounds >= max(2, self.alpha):
                remaining = max(0.0, self.n_trials / self.pull - n_pulls)
                keep = self._keep([losses[i] for i in left], n_rounds, remaining)
                left = [i for i, kept in zip(left, keep, strict=True) if kept]
        dropped = [i for i in range(len(arms)) if i not in exhausted]
        return left, min(dropped, key=lambda i: len(losses[i]))

    def _keep(self, losses: Sequence[FloatArray], n_rounds: int, remaining: float) -> BoolArray:
        """Return which arms with these losses are left after a round."""
        # With as many rounds as `alpha` there is no score before the first of these pulls.
        n_before = max(1, n_rounds - self.alpha)
        seen = [of_arm[: n_rounds * self.pull] for of_arm in losses]
        known = np.concatenate(seen)
        known = known[np.isfinite(known)]
        if not known.size:
            return np.ones(len(losses), dtype=np.bool_)
        # Where nothing has succeeded yet the worst loss stands for it, as in the performance model.
        worst = float(known.max())
        now = np.array([1.0 - min(worst, *of_arm) for of_arm in seen])
        before = np.array([1.0 - min(worst, *of_arm[: n_before * self.pull]) for of_arm in seen])
        return can_catch_up(before, now, n_between=n_rounds - n_before, n_remaining=remaining)


def can_catch_up(
    before: FloatArray, now: FloatArray, *, n_between: int, n_remaining: float
) -> BoolArray:
    """Return which arms may still reach what another one has reached.

    Parameters
    ----------
    before, now : (k,) arrays, score
        Best scores of k arms, earlier and now; 1 is the highest there is.
    n_between : int, pulls
        Pulls of each arm from `before` to `now`.
    n_remaining : float, pulls
        Pulls until the end of the search.

    Returns
    -------
    (k,) array of bool
        True unless the upper bound of an arm is below the lower bound of another.

    Examples
    --------
    >>> before, now = np.array([0.5, 0.7, 0.6]), np.array([0.6, 0.9, 0.61])
    >>> can_catch_up(before, now, n_between=2, n_remaining=7.0)
    array([ True,  True, False])
    """
    slope = (now - before) / n_between
    upper = np.maximum(now, np.minimum(_HIGHEST, now + slope * n_remaining))
    return np.asarray(upper >= now.max())


def _losses(history: TrialHistory, arm: Arm) -> FloatArray:
    """Return the losses of an arm's trials, infinite for failures and pending ones."""
    return np.array(
        [
            outcome.loss if outcome is not None and outcome.status is Status.SUCCESS else np.inf
            for outcome in outcomes_of(history, arm.trials)
        ],
        dtype=np.float64,
    )
