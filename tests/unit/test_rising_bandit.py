"""Which learners a bandit drops, by hand, and equal budgets for all of them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, ForbiddenEqualsClause
from fakes.histories import Job, fail, mixed_job, space_of, table_space
from fakes.plain_histories import plain_history

from automl.errors import SpaceExhaustedError
from automl.history import History
from automl.optimizers.arms import arms_of
from automl.optimizers.domain import Domain
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.initial_design import DefaultsFirst, RandomDesign
from automl.optimizers.optimizer import Optimizer
from automl.optimizers.rising_bandit import RisingBandit, can_catch_up
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.surrogates.random_forest import RandomForest
from automl.trial import Origin, Outcome, Proposal, Status, Trial

FEW = Guidance(
    model=RandomForest(n_trees=3), candidates=CandidateSettings(n_random=30, n_local=2, max_steps=1)
)
LEARNERS = ("slow", "cheap", "middle")  # in the order of the space
RANDOM = RandomDesign(2)


def bandit(n_trials: int = 60, alpha: int = 2, pull: int = 2) -> RisingBandit:
    return RisingBandit(
        n_trials=n_trials, alpha=alpha, pull=pull, initial_design=RANDOM, guidance=FEW
    )


def learner_of(trial: Trial) -> str:
    return str(trial.configuration["classifier"])


def end(history: History, trial: Trial, loss: float | None) -> None:
    """Record a loss, None for a failure."""
    status = Status.CRASHED if loss is None else Status.SUCCESS
    value = math.inf if loss is None else loss
    history.record(Outcome(number=trial.number, status=status, loss=value, seconds=1.0))


def run(
    optimizer: Optimizer, losses: Mapping[str, Sequence[float | None]], n: int
) -> tuple[History, list[str]]:
    """Let n trials of each learner have its losses in turn, the last one from then on."""
    history = mixed_job().history()
    count: Counter[str] = Counter()
    for _ in range(n):
        trial = history.open_trial(optimizer.propose(history, history.rng()))
        learner = learner_of(trial)
        of_learner = losses[learner]
        end(history, trial, of_learner[min(count[learner], len(of_learner) - 1)])
        count[learner] += 1
    return history, [learner_of(trial) for trial in history.trials]


def test_bounds_are_those_of_a_line_through_the_last_scores() -> None:
    # Slopes 0.05, 0.1 and 0.01; upper bounds 0.7, 1 (cut) and 0.6 + 0.1 with ten pulls left.
    before = np.array([0.1, 0.5, 0.57])
    now = np.array([0.2, 0.7, 0.6])
    kept = can_catch_up(before, now, n_between=2, n_remaining=10.0)
    assert kept.tolist() == [True, True, True]
    kept = can_catch_up(before, now, n_between=2, n_remaining=6.0)
    assert kept.tolist() == [False, True, False]


def test_the_best_arm_is_never_dropped_and_equals_stay() -> None:
    flat = np.array([0.4, 0.4, 0.3])
    assert can_catch_up(flat, flat, n_between=1, n_remaining=99.0).tolist() == [True, True, False]
    # Scores above 1 are cut in no way that would drop their arm.
    high = np.array([1.5, 1.2])
    assert can_catch_up(high, high, n_between=1, n_remaining=9.0).tolist() == [True, False]


def test_arms_are_pulled_in_turn_and_dropped_after_alpha_rounds() -> None:
    # "slow" does not improve; "middle" does and may still reach "cheap".
    losses = {"slow": (0.6,), "cheap": (0.2,), "middle": (0.6, 0.6, 0.4)}
    history, order = run(bandit(), losses, 20)
    twice = ["slow", "slow", "cheap", "cheap", "middle", "middle"]
    assert order[:12] == twice * 2
    # Six pulls made, 24 remain: upper bounds 0.4, 0.8 and 0.6 + 24 * 0.2 (cut to 1).
    # "middle" had 0.6 in its second pull, and no more in its third. Growth is then measured over
    # two pulls, from the 0.4 of the first; in the fourth there is none.
    assert order[12:] == ["cheap", "cheap", "middle", "middle"] * 2
    assert bandit().arms_left(history) == ["cheap"]
    assert bandit().arms_left(run(bandit(), losses, 19)[0]) == ["cheap", "middle"]
    assert run(bandit(), losses, 22)[1][20:] == ["cheap", "cheap"]


def test_what_remains_decides_whether_an_arm_may_catch_up() -> None:
    losses = {"slow": (0.6, 0.6, 0.59), "cheap": (0.2,), "middle": (0.2,)}
    # A slope of 0.01 is enough for 0.39 with 40 pulls left, not with 38.
    assert run(bandit(n_trials=2 * 46), losses, 13)[1][12] == "slow"
    assert run(bandit(n_trials=2 * 44), losses, 13)[1][12] == "cheap"


def test_nothing_is_dropped_before_alpha_rounds_or_without_a_success() -> None:
    losses: dict[str, tuple[float | None, ...]] = {
        "slow": (0.9,),
        "cheap": (0.1,),
        "middle": (None,),
    }
    history, _ = run(bandit(alpha=3), losses, 17)
    assert bandit(alpha=3).arms_left(history) == list(LEARNERS)
    history, order = run(bandit(alpha=3), losses, 20)
    assert order[18:] == ["cheap", "cheap"]
    failing, _ = run(bandit(alpha=2), {name: (None,) for name in LEARNERS}, 19)
    assert bandit().arms_left(failing) == list(LEARNERS)


def test_the_last_arm_goes_on_alone_beyond_the_trials_that_were_announced() -> None:
    losses = {"slow": (0.6,), "cheap": (0.2,), "middle": (0.5,)}
    history, order = run(bandit(n_trials=14), losses, 24)
    assert set(order[12:]) == {"cheap"}
    assert history.trials[-1].proposal.beliefs["arms_left"] == 1.0
    assert history.trials[-1].proposal.beliefs["arm"] == 1.0


def test_trials_that_are_pending_take_up_their_turn_and_count_when_they_end() -> None:
    history = mixed_job().history()
    optimizer = bandit()
    trials = [history.open_trial(optimizer.propose(history, history.rng())) for _ in range(12)]
    order = [learner_of(trial) for trial in trials]
    assert Counter(order) == dict.fromkeys(LEARNERS, 4)
    assert optimizer.arms_left(history) == list(LEARNERS)
    for trial in trials[:-1]:
        end(history, trial, {"slow": 0.5, "cheap": 0.2, "middle": 0.6}[learner_of(trial)])
    assert optimizer.arms_left(history) == ["cheap"]
    end(history, trials[-1], 0.3)
    assert optimizer.arms_left(history) == ["cheap", "middle"]


def test_trials_of_somebody_else_count_for_their_learner() -> None:
    history = mixed_job().history()
    domain = Domain(history.problem.search_space.configuration_space, {"classifier": "slow"})
    for configuration in domain.draw(2, np.random.default_rng(0)):
        trial = history.open_trial(Proposal(configuration=configuration, origin=Origin.GIVEN))
        end(history, trial, 0.3)
    proposal = bandit().propose(history, history.rng())
    assert proposal.configuration["classifier"] == "cheap"


def test_each_arm_knows_its_own_observations_alone() -> None:
    history, _ = run(bandit(), {"slow": (0.4,), "cheap": (0.5,), "middle": (None, 0.3)}, 9)
    for arm in arms_of(history):
        alone = arm._alone(history)
        own = [t for t in history.trials if learner_of(t) == arm.space.fixed["classifier"]]
        assert [t.configuration for t in alone.trials] == [t.configuration for t in own]
        assert [t.number for t in alone.trials] == list(range(len(own)))
        for trial, same in zip(own, alone.trials, strict=True):
            found, expected = alone.outcome_of(same.number), history.outcome_of(trial.number)
            assert found is not None
            assert expected is not None
            assert (found.loss, found.status) == (expected.loss, expected.status)


def test_the_defaults_of_each_arm_come_first() -> None:
    optimizer = RisingBandit(
        n_trials=30, pull=2, initial_design=DefaultsFirst(n_random=0), guidance=FEW
    )
    history, _ = run(optimizer, {name: (0.4,) for name in LEARNERS}, 6)
    origins = [trial.proposal.origin for trial in history.trials]
    assert origins[::2] == [Origin.DEFAULT] * 3
    assert Origin.DEFAULT not in origins[1::2]


def test_every_learner_gets_the_same_number_of_trials() -> None:
    optimizer = EqualBudget(initial_design=RANDOM, guidance=FEW)
    losses: dict[str, tuple[float | None, ...]] = {
        "slow": (0.9, None),
        "cheap": (0.1,),
        "middle": (None,),
    }
    history, order = run(optimizer, losses, 14)
    assert order == (list(LEARNERS) * 5)[:14]
    assert [t.proposal.beliefs["arm"] for t in history.trials][:4] == [0.0, 1.0, 2.0, 0.0]


def test_a_learner_that_missed_its_turns_catches_up() -> None:
    job = mixed_job()
    history = job.history()
    for learner, n in (("slow", 3), ("middle", 2)):
        domain = Domain(job.space.configuration_space, {"classifier": learner})
        for configuration in domain.draw(n, np.random.default_rng(n)):
            proposal = Proposal(configuration=configuration, origin=Origin.GIVEN)
            fail(history, history.open_trial(proposal))
    optimizer = EqualBudget(initial_design=RANDOM, guidance=FEW)
    for _ in range(4):
        history.open_trial(optimizer.propose(history, history.rng()))
    assert [learner_of(t) for t in history.trials[5:]] == ["cheap", "cheap", "cheap", "middle"]


@pytest.mark.parametrize(
    "new", [bandit, lambda: EqualBudget(initial_design=RANDOM, guidance=FEW)], ids=["rb", "kbo"]
)
def test_learners_of_which_everything_was_tried_pass_their_turns_on(
    new: Callable[[], Optimizer],
) -> None:
    table = table_space(14)
    n_rows = Counter(str(row["classifier"]) for row in table.listed)
    assert len(set(n_rows.values())) > 1
    history = Job(table).history()
    for _ in range(sum(n_rows.values())):
        trial = history.open_trial(new().propose(history, history.rng()))
        # So "cheap" is what is left, and the others come back when it is used up.
        end(history, trial, 0.1 if learner_of(trial) == "cheap" else 0.8)
    assert Counter(map(learner_of, history.trials)) == n_rows
    with pytest.raises(SpaceExhaustedError):
        new().propose(history, history.rng())


def test_learners_that_cannot_be_drawn_are_no_arms() -> None:
    space = ConfigurationSpace()
    names = ["slow", "cheap", "middle"]
    space.add(Categorical("classifier", names, weights=[1.0, 0.0, 1.0]))
    space.add(ForbiddenEqualsClause(space["classifier"], "middle"))
    history = Job(space_of(space, names)).history()
    assert [dict(arm.space.fixed) for arm in arms_of(history)] == [{"classifier": "slow"}]


def test_a_space_without_learners_is_one_arm() -> None:
    (arm,) = arms_of(plain_history())
    assert arm.space.fixed == {}
