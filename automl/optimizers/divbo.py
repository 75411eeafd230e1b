"""DivBO: Bayesian optimisation that looks for models that are good and different.

References
----------
.. [1] Y. Shen, Y. Lu, Y. Li, Y. Tu, W. Zhang, B. Cui (2022). DivBO: Diversity-aware CASH for
   Ensemble Learning. NeurIPS. https://arxiv.org/abs/2302.03255, equations (3)-(5), Algorithm 1.
"""

from __future__ import annotations

import warnings
from dataclasses import dataclass, field, fields

import numpy as np

from automl.acquisition.minimum_diversity import minimum_diversity
from automl.acquisition.rank_sum import rank_sum, saturating_weight
from automl.ensembles.diversity import diversity_to, pairwise_diversity
from automl.ensembles.selection import select, shortlist
from automl.errors import DegradedResultWarning
from automl.history import History
from automl.metrics import MetricError
from automl.optimizers.initial_design import DefaultsFirst, InitialDesign
from automl.optimizers.observed_predictions import ObservedPredictions, observed_predictions
from automl.optimizers.random_search import propose_at_random
from automl.optimizers.scored_candidates import Guidance, guidance_over_learners, score_candidates
from automl.surrogates.diversity import DiversitySurrogate, FittedDiversitySurrogate
from automl.trial import Proposal
from search_space.arrays import FloatArray, PredictionArray


@dataclass(frozen=True, slots=True, kw_only=True)
class PoolSettings:
    """How the temporary pool is selected from the history.

    Attributes
    ----------
    size : int
        Rounds of ensemble selection, E in [1]_.
    n_rows : int
        Validation rows that the pool and the diversities are computed on, up to one more for each
        class: a constant subset, as section 3.3 of [1]_ suggests for large tables.
    n_values : int
        Probabilities of one trial that are used at most, so that many classes mean fewer rows.
    n_library : int
        Trials at most that the selection may choose from, those with the lowest losses.
    """

    size: int = 25
    n_rows: int = 5_000
    n_values: int = 50_000
    n_library: int = 250


@dataclass(frozen=True, slots=True)
class _Knowledge:
    """What was computed from one set of successful trials: a memo, not state."""

    successes: tuple[int, ...]
    diversity: FloatArray
    pool: tuple[int, ...]


@dataclass(slots=True, kw_only=True)
class DivBO:
    """Rank sum of expected improvement and predicted diversity [1]_.

    Attributes
    ----------
    beta, tau : float
        Scale and speed of the saturating weight of diversity, Eq. (5).
    fixed_weight : float or None
        A weight of diversity that stays the same, 0.1 in the ablation of [1]_; None saturates.
    n_samples : int
        Draws that the minimum of Eq. (4) is averaged over, N.
    initial_design : InitialDesign
        What to try before the surrogates are used.
    guidance : Guidance
        Performance model, acquisition function and candidates: by default a random forest of the
        losses as they are, expected improvement, and every fifth proposal left to chance, which
        the code that was published with [1]_ does and its text leaves open.
    diversity_surrogate : DiversitySurrogate
        Model from pairs of encoded configurations to their diversity.
    pool : PoolSettings
        How the temporary pool is selected.
    """

    beta: float = 0.05
    tau: float = 0.2
    fixed_weight: float | None = None
    n_samples: int = 15
    initial_design: InitialDesign = field(default_factory=DefaultsFirst)
    guidance: Guidance = field(default_factory=guidance_over_learners)
    diversity_surrogate: DiversitySurrogate = field(default_factory=DiversitySurrogate)
    pool: PoolSettings = field(default_factory=PoolSettings)
    _memo: tuple[History, _Knowledge] | None = field(
        default=None, init=False, repr=False, compare=False
    )
    _warned_of: History | None = field(default=None, init=False, repr=False, compare=False)

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Return the new candidate with the lowest weighted sum of ranks, Algorithm 1 of [1]_."""
        proposal = self.initial_design.propose(history, rng)  # lines 3-4
        if proposal is not None:
            return proposal
        if self.guidance.leaves_to_chance(history, rng):
            return propose_at_random(history, rng)
        scored = score_candidates(history, rng, self.guidance)
        diversity = self._expected_diversity(history, scored.encoded, rng)
        weight = self._weight(history)
        scores = rank_sum(scored.performance(), diversity, weight=weight)  # line 8
        for index in np.argsort(scores, kind="stable"):  # line 9
            if not history.was_proposed(scored.configurations[index]):
                return scored.proposal(
                    int(index),
                    diversity_weight=weight,
                    minimum_diversity=float(diversity[index]),
                    rank_sum=float(scores[index]),
                )
        return propose_at_random(history, rng)

    def _weight(self, history: History) -> float:
        if self.fixed_weight is not None:
            return self.fixed_weight
        # `t` of Eq. (5) counts observations, those of the initial design included.
        return saturating_weight(history.n_finished, beta=self.beta, tau=self.tau)

    # typing.override needs Python 3.12
    def __getstate__(self) -> tuple[None, dict[str, object]]:  # type: ignore[explicit-override]
        """Leave the memo behind: it refers to a history with open files."""
        settings = {item.name: getattr(self, item.name) for item in fields(self)}
        return None, settings | {"_memo": None, "_warned_of": None}

    def _expected_diversity(
        self, history: History, candidates: FloatArray, rng: np.random.Generator
    ) -> FloatArray:
        """Return Eq. (4) for each candidate: diversity from the closest member of the pool."""
        knowledge = self._knowledge(history)
        encode = history.problem.encoder.encode
        trials = history.trials
        observed = encode([trials[number].configuration for number in knowledge.successes])
        model: FittedDiversitySurrogate = self.diversity_surrogate.fit(
            observed, knowledge.diversity, rng
        )
        pool = encode([trials[number].configuration for number in knowledge.pool])
        mean, std = model.predict(candidates, pool)
        return minimum_diversity(mean, std, n_samples=self.n_samples, rng=rng)

    def _knowledge(self, history: History) -> _Knowledge:
        """Return diversities and temporary pool, growing what is known of the same history."""
        successes = history.successes
        known = self._memo[1] if self._memo is not None and self._memo[0] is history else None
        if known is not None and known.successes == successes:
            return known
        seen = observed_predictions(
            history, successes, n_rows=self.pool.n_rows, n_values=self.pool.n_values
        )
        predictions = seen.predictions
        if known is not None and successes[: len(known.successes)] == known.successes:
            diversity = _grown(known.diversity, predictions)
        else:
            diversity = pairwise_diversity(predictions)
        knowledge = _Knowledge(successes, diversity, self._select_pool(history, seen))
        self._memo = (history, knowledge)
        return knowledge

    def _select_pool(self, history: History, seen: ObservedPredictions) -> tuple[int, ...]:
        """Return the distinct members of an ensemble selected from the history, line 7.

        Those of all rounds: the rounds that gain nothing on the rows at hand, which a final
        ensemble may leave out, are what the pool is in [1]_.
        """
        library = shortlist(history.success_losses(), self.pool.n_library)
        try:
            chosen = select(
                seen.predictions[library],
                seen.codes,
                seen.metric,
                self.pool.size,
                sample_weight=seen.sample_weight,
            )
            members = chosen.of_all_rounds().members
        except (MetricError, MemoryError) as error:
            # What fails here must not cost the search: the best trial is a pool.
            members = np.array([0])
            self._warn_once(history, error)
        return tuple(history.successes[library[i]] for i in members)

    def _warn_once(self, history: History, error: Exception) -> None:
        """Say that a pool could not be selected, the first time in a search."""
        if self._warned_of is history:
            return
        self._warned_of = history
        warnings.warn(
            f"selection of DivBO's pool failed ({type(error).__name__}: {error}); the best single "
            "trial stands for the pool, and the search goes on",
            DegradedResultWarning,
            stacklevel=2,
        )


def _grown(diversity: FloatArray, predictions: PredictionArray) -> FloatArray:
    """Return the diversity matrix with rows for the predictions it does not hold yet."""
    n_known, n_all = diversity.shape[0], predictions.shape[0]
    grown = np.zeros((n_all, n_all))
    grown[:n_known, :n_known] = diversity
    for i in range(n_known, n_all):
        grown[i, : i + 1] = diversity_to(predictions[i], predictions[: i + 1])
        grown[: i + 1, i] = grown[i, : i + 1]
    return grown
