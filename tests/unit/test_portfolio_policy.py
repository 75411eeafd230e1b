"""GP-Hedge over a history: who is followed, what is carried, and what it earns."""

from __future__ import annotations

import json

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    EqualsCondition,
    Float,
)
from fakes.plain_histories import at, plain_history

from automl.acquisition.acquisition import (
    ConfidenceBound,
    ExpectedImprovement,
    ImprovementProbability,
)
from automl.acquisition.portfolio import hedge_probabilities
from automl.optimizers.acquisition_policy import Situation
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.performance_model import FittedModel
from automl.optimizers.portfolio_policy import Portfolio, nine_functions
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.trial import Outcome, Proposal, Status
from automl.trial_history import TrialHistory
from search_space.arrays import FloatArray

FEW = CandidateSettings(n_random=60, n_local=2, max_steps=1)
GREEDY, BOLD = ConfidenceBound(kappa=0.0), ConfidenceBound(kappa=50.0)
TWO = Portfolio(functions={"greedy": GREEDY, "bold": BOLD}, eta=2.0)


class Slope:
    """Predicts ten times the first column, and is less sure the higher it is."""

    def predict(self, X: FloatArray) -> tuple[FloatArray, FloatArray]:
        """Return mean and standard deviation."""
        return 10.0 * X[:, 0], 0.1 + X[:, 0]


def situation(history: TrialHistory, seed: int = 0) -> Situation:
    encoded = history.problem.encoder.encode([t.configuration for t in history.trials])
    model = FittedModel(
        surrogate=Slope(), encoded=encoded, targets=np.array([0.0, 4.0] * 9), incumbent=0.0
    )
    return Situation(history, model, lambda _: 0.0, np.random.default_rng(seed))


def candidates(history: TrialHistory, *positions: float) -> list[Configuration]:
    space = history.problem.search_space.configuration_space
    return [Configuration(space, values={"x": x}) for x in positions]


def test_every_function_nominates_its_best_candidate_and_one_is_followed() -> None:
    history = plain_history()
    at(history, 0.5, 1.0)
    scoring = TWO.scoring(situation(history))
    found = candidates(history, 0.3, 0.1, 0.9)
    mean, std = Slope().predict(history.problem.encoder.encode(found))
    beliefs = scoring.beliefs_of_all(found, mean, std)
    assert beliefs["hedge_nominated:greedy:x"] == pytest.approx(0.1)
    assert beliefs["hedge_nominated:bold:x"] == pytest.approx(0.9)
    followed = {name: beliefs[f"hedge_followed:{name}"] for name in ("greedy", "bold")}
    assert sorted(followed.values()) == [0.0, 1.0]
    function = GREEDY if followed["greedy"] else BOLD
    assert np.array_equal(scoring.score(mean, std), function(mean, std, 0.0))
    assert not any(name.startswith("hedge_predicted") for name in beliefs)


def test_rewards_are_what_the_new_model_predicts_for_the_last_nominations() -> None:
    history = plain_history()
    nominated = {"hedge_nominated:greedy:x": 0.2, "hedge_nominated:bold:x": 0.8}
    followed = {"hedge_followed:greedy": 1.0, "hedge_followed:bold": 0.0}
    at(history, 0.2, 1.0, nominated | followed)
    found = candidates(history, 0.5)
    scoring = TWO.scoring(situation(history))
    beliefs = scoring.beliefs_of_all(found, np.zeros(1), np.ones(1))
    # Encoded as 1/8 + 7/8 x; targets have mean 2 and deviation 2.
    expected = {
        name: (10.0 * (0.125 + 0.875 * x) - 2.0) / 2.0
        for name, x in (("greedy", 0.2), ("bold", 0.8))
    }
    for name, reward in expected.items():
        assert beliefs[f"hedge_predicted:{name}"] == pytest.approx(reward)


def test_who_gained_more_is_followed_more_often() -> None:
    history = plain_history()
    for number in range(3):
        carried = {
            "hedge_nominated:greedy:x": 0.2,
            "hedge_nominated:bold:x": 0.25,
            "hedge_followed:greedy": 1.0,
            "hedge_followed:bold": 0.0,
        }
        if number:
            carried |= {"hedge_predicted:greedy": -0.2, "hedge_predicted:bold": -0.1}
        at(history, 0.1 + 0.2 * number, 1.0, carried)
    found = candidates(history, 0.5)
    n_greedy = 0
    for seed in range(400):
        beliefs = TWO.scoring(situation(history, seed)).beliefs_of_all(
            found, np.zeros(1), np.ones(1)
        )
        n_greedy += beliefs["hedge_followed:greedy"] == 1.0
    last = np.array([(10.0 * (0.125 + 0.875 * x) - 2.0) / 2.0 for x in (0.2, 0.25)])
    expected = hedge_probabilities(-(np.array([-0.4, -0.2]) + last), 2.0)[0]
    assert n_greedy / 400 == pytest.approx(expected, abs=0.08)


def test_it_searches_a_conditional_space_and_its_beliefs_survive_a_journal() -> None:
    space = ConfigurationSpace()
    kind = Categorical("kind", ["a", "b"], default="a")
    own = Float("own", (0.0, 1.0))
    space.add(kind, own, Float("x", (0.0, 1.0)))
    space.add(EqualsCondition(own, kind, "b"))
    optimizer = BayesianOptimization(
        initial_design=RandomDesign(3),
        guidance=Guidance(
            acquisition=Portfolio(functions={"ei": ExpectedImprovement(), "bold": BOLD}),
            candidates=FEW,
        ),
    )
    history, twin = plain_history(space), plain_history(space)
    for _ in range(9):
        for each in (history, twin):
            proposal = optimizer.propose(each, each.rng())
            kept = json.loads(json.dumps(dict(proposal.beliefs)))
            if each is twin:
                proposal = Proposal(
                    configuration=proposal.configuration, origin=proposal.origin, beliefs=kept
                )
            trial = each.open_trial(proposal)
            values = dict(trial.configuration)
            end_with(each, trial.number, values["x"] + values.get("own", 0.5))
    assert [t.configuration for t in history.trials] == [t.configuration for t in twin.trials]
    assert sum("hedge_predicted:ei" in t.proposal.beliefs for t in history.trials) == 5


def end_with(history: TrialHistory, number: int, loss: float) -> None:
    history.record(Outcome(number=number, status=Status.SUCCESS, loss=loss, seconds=0.0))


def test_nine_functions_differ_and_margins_move_the_incumbent() -> None:
    functions = nine_functions()
    mean, std = np.array([0.0, 0.5, 2.0]), np.array([0.3, 1.0, 2.0])
    scores = {name: function(mean, std, 0.2) for name, function in functions.items()}
    assert len({tuple(score) for score in scores.values()}) == 9
    for margin in (0.01, 0.1, 1.0):
        expected = ExpectedImprovement()(mean, std, 0.2 - margin)
        assert np.array_equal(scores[f"ei_{margin}"], expected)
        expected = ImprovementProbability()(mean, std, 0.2 - margin)
        assert np.array_equal(scores[f"pi_{margin}"], expected)
