"""Policies: what they take from a history, and what they leave in a proposal."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace
from fakes.plain_histories import Line, at, end, opened_at, plain_history
from fakes.surrogates import KnownLoss
from scipy.stats import norm

from automl.acquisition.acquisition import ImprovementProbability, WeightedExpectedImprovement
from automl.acquisition.confidence_bound import hebo_kappa, sawei_kappa
from automl.acquisition.expected_improvement import log_expected_improvement
from automl.acquisition.improvement_probability import log_improvement_probability
from automl.acquisition.pareto_front import mace_objectives
from automl.acquisition.sawei import SaweiRecord, SaweiSettings, next_alpha
from automl.acquisition.schedules import FixedAlpha, LinearAlpha, PulsedAlpha
from automl.optimizers.acquisition_policy import (
    AcquisitionPolicy,
    Always,
    GrowingConfidence,
    ParetoFront,
    Scheduled,
    SelfAdjusting,
    Situation,
    Switched,
)
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.observations import performance_observations
from automl.optimizers.performance_model import FittedModel
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.surrogates.random_forest import RandomForest
from automl.trial_history import TrialHistory

MEAN = np.array([-0.5, 0.1, 0.4, 2.0])
STD = np.array([0.2, 0.5, 0.01, 1.0])
FEW = CandidateSettings(n_random=50, n_local=2, max_steps=1, n_generations=1)


@dataclass
class Bound:
    """A least lower bound that is known, and for which widths it was asked."""

    asked: list[float] = field(default_factory=list)

    def __call__(self, kappa: float) -> float:
        """Return a bound further down the wider it is."""
        self.asked.append(kappa)
        return -1.0 - kappa


def fitted(history: TrialHistory, line: Line | None = None) -> FittedModel:
    """Return a model that predicts a known line, on the scale of the losses."""
    X, losses = performance_observations(history)
    return FittedModel(
        surrogate=line or Line(0.1, 1.0, std=0.3),
        encoded=X,
        targets=losses,
        incumbent=float(losses.min()),
    )


def situation(
    history: TrialHistory, line: Line | None = None, bound: Callable[[float], float] | None = None
) -> Situation:
    rng = np.random.default_rng(0)
    return Situation(history, fitted(history, line), bound or Bound(), rng)


def of_losses(*losses: float) -> TrialHistory:
    history = plain_history()
    for x, loss in zip(np.linspace(0.05, 0.95, len(losses)), losses, strict=True):
        at(history, float(x), loss)
    return history


@pytest.mark.parametrize(
    "policy",
    [Always(), GrowingConfidence(), Scheduled(FixedAlpha(0.5), 3), SelfAdjusting(), ParetoFront()],
)
def test_scores_are_one_for_each_candidate_and_the_policy_stays_as_it_is(
    policy: AcquisitionPolicy,
) -> None:
    assert isinstance(policy, AcquisitionPolicy)
    before = repr(policy)
    scoring = policy.scoring(situation(of_losses(0.5, 2.0)))
    assert scoring.score(MEAN, STD).shape == (4,)
    assert repr(policy) == before


def test_the_dimensions_are_the_hyperparameters_of_the_space() -> None:
    space = ConfigurationSpace({"x": (0.0, 1.0), "y": (0.0, 1.0), "z": ["a", "b"]})
    history = plain_history(space)
    known = FittedModel(
        surrogate=Line(), encoded=np.zeros((1, 4)), targets=np.zeros(1), incumbent=0.0
    )
    assert Situation(history, known, Bound(), np.random.default_rng(0)).n_dimensions == 3


# Always, growing confidence


def test_the_function_is_given_the_incumbent_of_the_model() -> None:
    for function, expected in (
        (None, log_expected_improvement),
        (ImprovementProbability(), log_improvement_probability),
    ):
        policy = Always(function) if function else Always()
        scoring = policy.scoring(situation(of_losses(0.5, 0.25)))
        assert np.array_equal(scoring.score(MEAN, STD), expected(MEAN, STD, 0.25))
        assert scoring.objectives is None
        assert scoring.beliefs(0.0, 1.0) == {}


@pytest.mark.parametrize("beta", [0.2, 1.0])
@pytest.mark.parametrize("n_finished", [1, 2, 7])
def test_the_bound_grows_with_the_trials_that_ended(n_finished: int, beta: float) -> None:
    history = of_losses(*np.linspace(0.0, 1.0, n_finished))
    opened_at(history, 0.5)  # does not count
    scoring = GrowingConfidence(beta=beta).scoring(situation(history))
    kappa = sawei_kappa(n_finished, 1, beta=beta)
    np.testing.assert_allclose(scoring.score(MEAN, STD), kappa * STD - MEAN)


# Schedules


def test_a_schedule_counts_the_proposals_that_it_made() -> None:
    history = of_losses(0.5, 0.3)
    alphas = []
    for _ in range(6):
        policy = Scheduled(LinearAlpha(0.2, 1.0), n_proposals=4)
        scoring = policy.scoring(situation(history))
        carried = dict(scoring.beliefs(0.1, 0.2))
        alphas.append(carried["wei_alpha"])
        opened_at(history, 0.4, carried)  # a pending proposal counts
        opened_at(history, 0.6, {"predicted_mean": 0.0})  # one that was given does not
    assert alphas == pytest.approx([0.2, 0.4, 0.6, 0.8, 1.0, 1.0])


def test_a_pulse_goes_on_beyond_the_budget() -> None:
    history = of_losses(0.5)
    alphas = []
    for _ in range(5):
        scoring = Scheduled(PulsedAlpha((0.1, 0.9)), n_proposals=2).scoring(situation(history))
        alphas.append(scoring.beliefs(0.1, 0.2)["wei_alpha"])
        opened_at(history, 0.4, scoring.beliefs(0.1, 0.2))
    assert alphas == [0.1, 0.9, 0.1, 0.9, 0.1]


@pytest.mark.parametrize("alpha", [0.2, 0.5, 0.9])
def test_the_weight_of_a_schedule_is_that_of_the_score(alpha: float) -> None:
    scoring = Scheduled(FixedAlpha(alpha), 3).scoring(situation(of_losses(0.5, 0.3)))
    expected = WeightedExpectedImprovement(alpha)(MEAN, STD, 0.3)
    assert np.array_equal(scoring.score(MEAN, STD), expected)


def test_a_switch_counts_the_proposals_that_it_made() -> None:
    history = of_losses(0.5, 0.3)
    policy = Switched(before=Always(), after=Scheduled(FixedAlpha(0.9), 9), at=2)
    scores, carried = [], []
    for _ in range(4):
        scoring = policy.scoring(situation(history))
        scores.append(scoring.score(MEAN, STD))
        carried.append(scoring.beliefs(0.1, 0.2))
        opened_at(history, 0.4, carried[-1])
        opened_at(history, 0.6, {"predicted_mean": 0.0})  # one that was given does not count
    before = log_expected_improvement(MEAN, STD, 0.3)
    after = WeightedExpectedImprovement(0.9)(MEAN, STD, 0.3)
    for score, expected in zip(scores, [before, before, after, after], strict=True):
        assert np.array_equal(score, expected)
    assert ["wei_alpha" in beliefs for beliefs in carried] == [False, False, True, True]


# SAWEI


@pytest.mark.parametrize(
    ("units", "unit"), [("loss", 1.0), ("deviations", 1.0 / np.std([0.5, 0.2, 0.9]))]
)
def test_a_proposal_carries_its_terms_and_the_regret_before_it(units: Any, unit: float) -> None:
    history, bound = of_losses(0.5, 0.2, 0.9), Bound()
    policy = SelfAdjusting(SaweiSettings(initial_alpha=0.3, units=units))
    known = situation(history, Line(0.1, 1.0, std=0.3), bound)
    carried = policy.scoring(known).beliefs(0.1, 0.4)
    z = (0.2 - 0.1) / 0.4
    kappa = sawei_kappa(3, 1)
    upper = 0.1 + (0.125 + 0.875 * 0.05) + kappa * 0.3  # the first trial has the lowest bound
    assert bound.asked == [kappa]
    assert carried == pytest.approx(
        {
            "wei_alpha": 0.3,
            "wei_explore": 0.4 * norm.pdf(z) * unit,
            "wei_exploit": norm.cdf(z),
            "wei_regret": upper + 1.0 + kappa,
        }
    )


def test_what_is_pending_is_not_among_the_observations_of_the_regret() -> None:
    history = of_losses(0.5, 0.2)
    regret = SelfAdjusting().scoring(situation(history)).beliefs(0.1, 0.4)["wei_regret"]
    opened_at(history, 0.0)  # where the line is lowest
    assert SelfAdjusting().scoring(situation(history)).beliefs(0.1, 0.4)["wei_regret"] == regret


SCRIPTED = SaweiSettings(window=2, epsilon=0.6, delta=0.2)


@pytest.mark.parametrize("tracking", ["last", "until_incumbent_change", "until_adjustment"])
def test_the_weight_follows_from_the_records_of_the_search(tracking: str) -> None:
    settings = SaweiSettings(window=2, epsilon=0.6, delta=0.2, tracking=tracking)  # type: ignore[arg-type]
    history = of_losses(0.5, 0.45)
    draws = np.random.default_rng(8)
    kept: list[dict[str, float]] = []
    changed: list[bool] = []
    alphas: list[float] = []
    best = 0.45
    for number in range(24):
        bound = Bound()
        lowest = float(draws.normal(scale=0.5))

        def known(kappa: float, lowest: float = lowest, bound: Bound = bound) -> float:
            return bound(kappa) + lowest

        scoring = SelfAdjusting(settings).scoring(situation(history, bound=known))
        mean, std = float(draws.normal(0.3, 0.3)), float(draws.uniform(0.05, 1.0))
        carried = dict(scoring.beliefs(mean, std))
        # The regret after a proposal is the one that the next one carries.
        records = [
            SaweiRecord(
                alpha=of["wei_alpha"],
                explore=of["wei_explore"],
                exploit=of["wei_exploit"],
                upper_bound_regret=after["wei_regret"],
                incumbent_changed=was,
            )
            for of, after, was in zip(kept, [*kept, carried][1:], changed, strict=True)
        ]
        assert carried["wei_alpha"] == next_alpha(records, settings)
        alphas.append(carried["wei_alpha"])
        kept.append(carried)
        loss = None if number % 6 == 4 else float(draws.uniform(0.0, 0.6))
        changed.append(loss is not None and loss < best)
        best = min(best, best if loss is None else loss)
        # A journal gives back what is carried.
        at(history, float(draws.uniform()), loss, json.loads(json.dumps(carried)))
        at(history, float(draws.uniform()), 0.7)  # given by somebody, no record
    assert len(set(alphas)) > 2
    assert alphas[:2] == [0.5, 0.5]


@pytest.mark.parametrize(
    ("order", "losses", "expected"),
    [
        ([0, 1, 2], [0.4, 0.5, 0.8], 0.6),  # record 0 was the incumbent: 1 and 2 count, exploring
        ([1, 0, 2], [0.4, 0.5, 0.8], 0.4),  # record 1 too, as it ended first: 2 counts, exploiting
        ([0, 1, 2], [0.4, 0.4, 0.8], 0.6),  # an equal loss changes nothing
        ([0, 1, 2], [0.4, None, 0.8], 0.6),  # nor does a failure
    ],
)
def test_incumbents_follow_from_the_order_of_recording(
    order: list[int], losses: list[float | None], expected: float
) -> None:
    settings = SaweiSettings(window=1, epsilon=10.0, tracking="until_incumbent_change")
    history = of_losses(0.9)
    carried = {"wei_alpha": 0.5, "wei_regret": 1.0}
    terms = [(0.0, 0.0), (9.0, 0.0), (0.0, 1.0)]  # of exploring and of exploiting
    trials = [
        opened_at(history, 0.3, carried | {"wei_explore": explore, "wei_exploit": exploit})
        for explore, exploit in terms
    ]
    for number in order:
        end(history, trials[number], losses[number])
    after = SelfAdjusting(settings).scoring(situation(history)).beliefs(0.1, 0.2)
    assert after["wei_alpha"] == pytest.approx(expected)


def test_a_search_of_an_optimiser_carries_the_weights_of_its_records() -> None:
    policy = SelfAdjusting(SCRIPTED)
    optimizer = BayesianOptimization(
        initial_design=RandomDesign(3),
        guidance=Guidance(model=RandomForest(n_trees=3), acquisition=policy, candidates=FEW),
    )
    history = plain_history()
    for _ in range(14):
        trial = history.open_trial(optimizer.propose(history, history.rng()))
        end(history, trial, float((trial.configuration["x"] - 0.4) ** 2))
    made = [t for t in history.trials if "wei_regret" in t.proposal.beliefs]
    assert [trial.number for trial in made] == list(range(3, 14))
    losses = [outcome.loss for outcome in history.outcomes]
    records = []
    for trial, following in pairwise(made):
        carried = trial.proposal.beliefs
        records.append(
            SaweiRecord(
                carried["wei_alpha"],
                carried["wei_explore"],
                carried["wei_exploit"],
                following.proposal.beliefs["wei_regret"],
                losses[trial.number] < min(losses[: trial.number]),
            )
        )
        assert following.proposal.beliefs["wei_alpha"] == next_alpha(records, SCRIPTED)
    assert len({trial.proposal.beliefs["wei_alpha"] for trial in made}) > 1


# MACE


def test_the_incumbent_of_the_front_is_what_is_predicted_of_the_best_trial() -> None:
    history = of_losses(0.5, 0.2, 0.9)  # at 0.05, 0.5 and 0.95
    scoring = ParetoFront().scoring(situation(history, Line(0.1, 2.0)))
    incumbent = 0.1 + 2.0 * (0.125 + 0.875 * 0.5)
    expected = mace_objectives(MEAN, STD, incumbent, kappa=hebo_kappa(3, 1))
    assert scoring.objectives is not None
    np.testing.assert_allclose(scoring.objectives(MEAN, STD), expected)
    np.testing.assert_allclose(
        scoring.score(MEAN, STD), log_expected_improvement(MEAN, STD, incumbent)
    )


@pytest.mark.parametrize(
    ("batch_size", "n_finished", "n_rounds"), [(1, 5, 5), (4, 3, 1), (4, 8, 2), (4, 11, 2)]
)
def test_the_bound_of_the_front_grows_by_rounds(
    batch_size: int, n_finished: int, n_rounds: int
) -> None:
    history = of_losses(*np.linspace(1.0, 2.0, n_finished))
    opened_at(history, 0.5)  # does not count
    scoring = ParetoFront(batch_size=batch_size).scoring(situation(history))
    assert scoring.objectives is not None
    found = scoring.objectives(MEAN, STD)[:, 2]
    np.testing.assert_allclose(found, hebo_kappa(n_rounds, 1) * STD - MEAN)


# All of them in a search


@pytest.mark.parametrize("n", [1, 3])
@pytest.mark.parametrize("policy", [ParetoFront(), Always(), SelfAdjusting()])
def test_only_a_front_gives_a_batch(policy: AcquisitionPolicy, n: int) -> None:
    optimizer = BayesianOptimization(
        initial_design=RandomDesign(0),
        guidance=Guidance(model=KnownLoss(), acquisition=policy, candidates=FEW),
    )
    history = of_losses(0.5, 0.2, 0.9)
    proposals = optimizer.propose_batch(history, history.rng(), n)
    assert len(proposals) == (n if isinstance(policy, ParetoFront) else 1)


def test_a_policy_and_a_model_leave_their_beliefs_side_by_side() -> None:
    optimizer = BayesianOptimization(
        initial_design=RandomDesign(0),
        guidance=Guidance(model=DynamicModel(), acquisition=SelfAdjusting(), candidates=FEW),
    )
    history = of_losses(0.5, 0.2, 0.9)
    carried = optimizer.propose(history, history.rng()).beliefs
    assert {"predicted_mean", "acquisition", "wei_alpha", "densbo_round"} <= carried.keys()
