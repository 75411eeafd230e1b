"""Candidates for one proposal, scored: random draws, ends of local searches, an evolved front.

References
----------
.. [1] F. Hutter, H. H. Hoos, K. Leyton-Brown (2011). Sequential Model-Based Optimization for
   General Algorithm Configuration. LION 5, section 4 (random configurations between those of
   the model).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from ConfigSpace import Configuration

from automl.acquisition.acquisition import ConfidenceBound
from automl.acquisition.nsga2 import crowded_order, nsga2
from automl.acquisition.pareto_front import mace_batch, nondominated_ranks
from automl.optimizers.acquisition_policy import AcquisitionPolicy, Always, Scoring, Situation
from automl.optimizers.domain import Domain
from automl.optimizers.local_search import local_search
from automl.optimizers.observations import best_trials
from automl.optimizers.performance_model import (
    FittedModel,
    PerformanceModel,
    as_model,
)
from automl.surrogates.random_forest import RandomForest
from automl.surrogates.surrogate import Surrogate
from automl.trial import Origin, Proposal
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray, IntArray
from search_space.configuration_batch import ConfigurationBatch

_POPULATION = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class CandidateSettings:
    """How many candidates are scored for one proposal.

    Attributes
    ----------
    n_random : int
        Uniform draws.
    n_local : int
        Local searches, each started from one of the observations with the lowest loss.
    max_steps : int
        Moves of one local search at most.
    n_neighbours : int
        Neighbours that are looked at before a move.
    n_generations : int
        Generations that the front of several acquisition functions evolves through.
    """

    n_random: int = 4_950
    n_local: int = 50
    max_steps: int = 4
    n_neighbours: int = 8
    n_generations: int = 10


@dataclass(frozen=True, slots=True, kw_only=True)
class Guidance:
    """What tells good candidates from bad ones.

    Attributes
    ----------
    model : PerformanceModel or Surrogate
        From configurations to losses.
    acquisition : AcquisitionPolicy
        From what the model predicts to scores.
    candidates : CandidateSettings
        How many candidates are scored.
    random_probability : float
        With which probability a proposal is a uniform draw, whatever the model says.
    """

    model: PerformanceModel | Surrogate = field(default_factory=RandomForest)
    acquisition: AcquisitionPolicy = field(default_factory=Always)
    candidates: CandidateSettings = field(default_factory=CandidateSettings)
    random_probability: float = 0.0

    def __post_init__(self) -> None:
        if not 0.0 <= self.random_probability <= 1.0:
            raise ValueError(
                f"random_probability must be from 0 to 1, not {self.random_probability}"
            )

    def leaves_to_chance(self, history: TrialHistory, rng: np.random.Generator) -> bool:
        """Return whether the next proposal is a uniform draw; before a first success it is."""
        if not history.successes:
            return True
        return self.random_probability > 0.0 and rng.random() < self.random_probability


def guidance_over_learners() -> Guidance:
    """Return what searches over many learners go by: every fifth proposal is left to chance.

    A forest of few trees is wrong for long about learners whose losses jump: without draws that no
    model is asked for, as in SMAC [1]_, such a search can spend most of its trials on one of them.
    """
    return Guidance(random_probability=0.2)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScoredCandidates:
    """Candidates and what is believed of them.

    Attributes
    ----------
    configurations : ConfigurationBatch
        c candidates; those that were searched for come first.
    encoded : (c, d) array
        The same, encoded.
    scores : (c,) array
        Acquisition function, greater is better.
    mean, std : (c,) arrays
        Prediction on the scale of the model.
    n_local : int
        How many of them were searched for.
    objectives : (c, m) array or None
        Several acquisition functions, where candidates are wanted that none outdoes in all.
    beliefs_of : callable
        What the proposal of a candidate has to carry beside the prediction.
    """

    configurations: ConfigurationBatch
    encoded: FloatArray
    scores: FloatArray
    mean: FloatArray
    std: FloatArray
    n_local: int
    objectives: FloatArray | None
    beliefs_of: Callable[[int], Mapping[str, float]]

    def proposal(self, index: int, **beliefs: float) -> Proposal:
        """Return one candidate as a proposal, with the model's numbers and further ones."""
        origin = Origin.LOCAL if index < self.n_local else Origin.RANDOM
        known = {
            "predicted_mean": float(self.mean[index]),
            "predicted_std": float(self.std[index]),
            "acquisition": float(self.scores[index]),
        }
        return Proposal(
            configuration=self.configurations[index],
            origin=origin,
            beliefs=known | dict(self.beliefs_of(index)) | beliefs,
        )

    def performance(self) -> FloatArray:
        """Return one number (c,) for each candidate, greater is better: its score, or its front."""
        if self.objectives is None:
            return self.scores
        return -nondominated_ranks(self.objectives).astype(np.float64)

    def best(self, history: TrialHistory, n: int, rng: np.random.Generator) -> list[int]:
        """Return up to n candidates that were never taken up, to be evaluated together."""
        if self.objectives is None:
            return self._new(history, np.argsort(-self.scores, kind="stable"), n)
        return self._new(history, self._front_first(self.objectives, history, n, rng), n)

    def _front_first(
        self, objectives: FloatArray, history: TrialHistory, n: int, rng: np.random.Generator
    ) -> IntArray:
        """Return all candidates, a batch drawn from the front of the new ones before the others."""
        known = [history.was_proposed(found) for found in self.configurations[: self.n_local]]
        new = np.setdiff1d(np.arange(len(objectives)), np.flatnonzero(known))
        batch = new[mace_batch(objectives[new], self.mean[new], self.std[new], n, rng)]
        others = np.argsort(-self.scores, kind="stable")
        return np.concatenate([batch, others[~np.isin(others, batch)]])

    def _new(self, history: TrialHistory, order: Sequence[int] | IntArray, n: int) -> list[int]:
        found: dict[Configuration, int] = {}
        for index in order:
            configuration = self.configurations[index]
            if configuration not in found and not history.was_proposed(configuration):
                found[configuration] = int(index)
                if len(found) == n:
                    break
        return list(found.values())


def score_candidates(
    history: TrialHistory, rng: np.random.Generator, guidance: Guidance
) -> ScoredCandidates:
    """Fit the model and score random and local candidates with it.

    Of a finite space the candidates are the draws that were never taken up, each once, as long as
    there are some: it has no neighbours, and ranks among candidates are to compare what is new.

    Parameters
    ----------
    history : TrialHistory
        One trial at least has succeeded.
    rng : numpy Generator
        Source of every random choice.
    guidance : Guidance
        Model, acquisition function and number of candidates.
    """
    settings = guidance.candidates
    model = as_model(guidance.model).fit_to(history, rng)
    search = _Search(history, model, settings, rng)
    scoring = guidance.acquisition.scoring(Situation(history, model, search.lowest_bound, rng))
    if search.is_finite:
        n_local, configurations, encoded = 0, search.random, search.encoded_random
        mean, std = search.of_random
    else:
        found = search.climb(scoring.score)
        if scoring.objectives is not None:
            found = search.evolve(found, scoring)
        local = found.different()  # searches may meet
        n_local, configurations = len(local), ConfigurationBatch.joined([local, search.random])
        encoded_local = search.encode(local)
        encoded = np.concatenate([encoded_local, search.encoded_random])
        mean, std = search.joined(model.surrogate.predict(encoded_local))
    of_all = scoring.beliefs_of_all(configurations, mean, std)

    def beliefs_of(index: int) -> Mapping[str, float]:
        of_policy = scoring.beliefs(float(mean[index]), float(std[index]))
        return {**model.beliefs_at(encoded[index]), **of_all, **of_policy}

    return ScoredCandidates(
        configurations=configurations,
        encoded=encoded,
        scores=scoring.score(mean, std),
        mean=mean,
        std=std,
        n_local=n_local,
        objectives=None if scoring.objectives is None else scoring.objectives(mean, std),
        beliefs_of=beliefs_of,
    )


Score = Callable[[FloatArray, FloatArray], FloatArray]

Predicted = tuple[FloatArray, FloatArray]
"""Means and standard deviations."""


class _Search:
    """Searches of one proposal: all use the same model, draws and generator."""

    def __init__(
        self,
        history: TrialHistory,
        model: FittedModel,
        settings: CandidateSettings,
        rng: np.random.Generator,
    ) -> None:
        problem = history.problem
        self.encode = problem.encoder.encode
        self._model = model
        self._settings = settings
        self._rng = rng
        trials = history.trials
        self._domain = Domain.of(problem.search_space)
        starts = [trials[i].configuration for i in best_trials(history, settings.n_local)]
        self._starts = ConfigurationBatch.of(starts, self._domain.space)
        self.is_finite = self._domain.finite is not None
        self.random = self._domain.draw(settings.n_random, rng)
        if self.is_finite:
            known = [history.was_proposed(configuration) for configuration in self.random]
            if not all(known):
                self.random = self.random.take(np.flatnonzero(~np.array(known)))
        self.encoded_random = self.encode(self.random)
        # Every search looks at all draws: predictions of thousands are made once.
        self.of_random = model.surrogate.predict(self.encoded_random)

    def joined(self, predicted: Predicted) -> Predicted:
        """Return predictions with those of the random draws after them."""
        (mean, std), (mean_of_random, std_of_random) = predicted, self.of_random
        return np.concatenate([mean, mean_of_random]), np.concatenate([std, std_of_random])

    def climb(self, score: Score) -> ConfigurationBatch:
        """Return the ends of local searches from the best observations."""

        def acquisition(configurations: Sequence[Configuration]) -> FloatArray:
            return score(*self._predict(configurations))

        return local_search(
            acquisition,
            self._starts,
            self._rng,
            max_steps=self._settings.max_steps,
            n_neighbours=self._settings.n_neighbours,
            domain=self._domain,
        )

    def lowest_bound(self, kappa: float) -> float:
        """Return the least lower confidence bound of draws and of local searches for it."""
        bound = ConfidenceBound(kappa)

        def score(mean: FloatArray, std: FloatArray) -> FloatArray:
            return bound(mean, std, self._model.incumbent)

        return -float(score(*self.joined(self._predict(self.climb(score)))).max())

    def evolve(self, found: ConfigurationBatch, scoring: Scoring) -> ConfigurationBatch:
        """Return what a population near the front evolves to, beside what was found."""
        objectives_of = scoring.objectives
        if objectives_of is None or not self._settings.n_generations:
            return found

        # A member is the bytes of its vector: what is hashed fast and tells all others apart.
        def batch_of(names: Sequence[bytes]) -> ConfigurationBatch:
            vectors = np.frombuffer(b"".join(names), dtype=np.float64)
            return ConfigurationBatch(found.space, vectors.reshape(len(names), len(found.space)))

        def objectives(names: list[bytes]) -> FloatArray:
            return objectives_of(*self._predict(batch_of(names)))

        def vary(parents: list[bytes], rng: np.random.Generator) -> list[bytes]:
            drawn = self._domain.neighbours(batch_of(parents), rng, 1).configurations
            return [vector.tobytes() for vector in drawn.vectors]

        together = ConfigurationBatch.joined([found, self.random]).vectors
        values = objectives_of(*self.joined(self._predict(found)))
        # The best by each objective; a front of all would cost more than it is worth.
        best = np.unique(np.argsort(-values, axis=0)[:_POPULATION])
        order = best[crowded_order(values[best])[:_POPULATION]]
        members, _ = nsga2(
            objectives,
            [vector.tobytes() for vector in together[order]],
            vary,
            n_generations=self._settings.n_generations,
            rng=self._rng,
        )
        return ConfigurationBatch.joined([found, batch_of(members)])

    def _predict(self, configurations: Sequence[Configuration]) -> Predicted:
        return self._model.surrogate.predict(self.encode(configurations))
