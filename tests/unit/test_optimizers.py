"""What each optimiser chooses, worked out a second time from surrogates whose answers are known."""

from __future__ import annotations

import math
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Configuration
from fakes.histories import (
    Fate,
    Job,
    crashes,
    filled_history,
    finite_space,
    memory,
    mixed_job,
    random_proposal,
    stays_pending,
    succeed,
    times_out,
    with_losses,
)
from fakes.surrogates import KnownDiversity, KnownLoss
from scipy.stats import rankdata

from automl.acquisition.expected_improvement import log_expected_improvement
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import select, shortlist
from automl.history import History
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO, PoolSettings
from automl.optimizers.initial_design import DefaultsFirst, RandomDesign
from automl.optimizers.observations import best_trials, performance_observations
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.scored_candidates import (
    CandidateSettings,
    Guidance,
    ScoredCandidates,
    score_candidates,
)
from automl.scoring import as_metric
from automl.surrogates.diversity import DiversitySurrogate
from automl.surrogates.random_forest import RandomForest
from automl.trial import Origin
from search_space.configuration_batch import ConfigurationBatch

FEW = CandidateSettings(n_random=80, n_local=4, max_steps=2)
NO_DESIGN = RandomDesign(0)
MIXED: tuple[Fate, ...] = (succeed, crashes, succeed, stays_pending, succeed, times_out, succeed)


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def bayesian(surrogate: Any = None, candidates: CandidateSettings = FEW) -> BayesianOptimization:
    guidance = Guidance(model=surrogate or RandomForest(), candidates=candidates)
    return BayesianOptimization(initial_design=NO_DESIGN, guidance=guidance)


def divbo(model: Any = None, candidates: CandidateSettings = FEW, **settings: Any) -> DivBO:
    guidance = Guidance(model=model or RandomForest(), candidates=candidates)
    return DivBO(**{"initial_design": NO_DESIGN, "guidance": guidance} | settings)


def scored_by(
    history: History, seed: int, model: Any, candidates: CandidateSettings = FEW
) -> ScoredCandidates:
    return score_candidates(history, rng(seed), Guidance(model=model, candidates=candidates))


# Random search


def test_random_search_follows_its_initial_design_first() -> None:
    history = mixed_job().history()
    optimizer = RandomSearch(initial_design=DefaultsFirst(n_random=0))
    origins = []
    for _ in range(5):
        proposal = optimizer.propose(history, history.rng())
        origins.append(proposal.origin)
        history.open_trial(proposal)
    assert origins == [Origin.DEFAULT] * 3 + [Origin.RANDOM] * 2


def test_the_last_unknown_configuration_of_a_finite_space_is_found() -> None:
    job = Job(finite_space(50))
    history = filled_history(job, [stays_pending] * 49)
    proposal = RandomSearch().propose(history, rng())
    assert not history.was_proposed(proposal.configuration)


# Bayesian optimisation


def test_candidates_are_the_ends_of_local_searches_and_then_random_draws() -> None:
    history = filled_history(mixed_job(), [succeed] * 6)
    scored = scored_by(history, 0, KnownLoss(), FEW)
    assert 1 <= scored.n_local <= 4
    n = scored.n_local + 80
    assert len(scored.configurations) == n
    assert scored.scores.shape == scored.mean.shape == scored.std.shape == (n,)
    encode = history.problem.encoder.encode
    assert np.array_equal(scored.encoded, encode(scored.configurations))
    assert np.array_equal(scored.mean, KnownLoss().predict(scored.encoded)[0])


def test_local_searches_start_at_the_observations_with_the_lowest_loss() -> None:
    history = filled_history(mixed_job(), [succeed] * 6)
    starts = [history.trials[number].configuration for number in best_trials(history, 4)]
    unmoved = scored_by(history, 0, KnownLoss(), replace(FEW, max_steps=0))
    unmoved_ends = unmoved.configurations[: unmoved.n_local]
    # The very objects: what their vectors say may differ by rounding.
    assert all(end is start for end, start in zip(unmoved_ends, starts, strict=True))
    moved = scored_by(history, 0, KnownLoss(), replace(FEW, max_steps=9))
    assert moved.mean[: moved.n_local].min() < unmoved.mean[: unmoved.n_local].min()


def test_local_searches_that_meet_give_one_candidate() -> None:
    history = filled_history(Job(finite_space(6)), [succeed] * 5)
    settings = CandidateSettings(n_random=1, n_local=5, max_steps=9)
    scored = scored_by(history, 0, KnownLoss(), settings)
    local = {tuple(found.items()) for found in scored.configurations[: scored.n_local]}
    assert len(local) == scored.n_local < 5


@pytest.mark.parametrize("make", [bayesian, divbo])
def test_few_of_the_candidates_become_objects(make: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    history = filled_history(mixed_job(), [succeed] * 6)
    made: list[Configuration] = []
    initialise = Configuration.__init__

    def counting(configuration: Configuration, *args: Any, **kwargs: Any) -> None:
        made.append(configuration)
        initialise(configuration, *args, **kwargs)

    monkeypatch.setattr(Configuration, "__init__", counting)
    proposal = make(candidates=FEW).propose(history, rng())
    assert any(proposal.configuration is configuration for configuration in made)
    # Those that were proposed before are looked at and passed over.
    assert len(made) <= 10


def test_improvement_is_over_the_lowest_loss_that_was_observed() -> None:
    history = with_losses([0.4, 0.2, None, 0.7])
    scored = scored_by(history, 0, KnownLoss(std=0.5), FEW)
    expected = log_expected_improvement(scored.mean, np.full(len(scored.mean), 0.5), 0.2)
    assert np.array_equal(scored.scores, expected)


def test_the_surrogate_is_fitted_on_all_trials_once() -> None:
    surrogate = KnownLoss()
    history = filled_history(mixed_job(), MIXED)
    bayesian(surrogate).propose(history, rng())
    ((X, y),) = surrogate.fitted_on
    expected_X, expected_y = performance_observations(history)
    assert np.array_equal(X, expected_X)
    assert np.array_equal(y, expected_y)


@pytest.mark.parametrize("seed", range(4))
def test_the_candidate_with_the_highest_expected_improvement_is_proposed(seed: int) -> None:
    history = filled_history(mixed_job(), MIXED)
    proposal = bayesian(KnownLoss()).propose(history, rng(seed))
    scored = scored_by(history, seed, KnownLoss(), FEW)
    new = [i for i, c in enumerate(scored.configurations) if not history.was_proposed(c)]
    # All are equally uncertain, so the lowest mean improves most.
    best = min(new, key=lambda i: scored.mean[i])
    assert proposal.configuration == scored.configurations[best]
    assert proposal.origin is (Origin.LOCAL if best < scored.n_local else Origin.RANDOM)
    assert proposal.beliefs == {
        "predicted_mean": scored.mean[best],
        "predicted_std": scored.std[best],
        "acquisition": scored.scores[best],
    }


def test_known_configurations_are_passed_over_in_the_order_of_improvement() -> None:
    job = Job(finite_space(6))
    history = filled_history(job, [succeed])
    optimizer = bayesian(KnownLoss(), CandidateSettings(n_random=200, n_local=1))
    means = []
    for _ in range(5):
        proposal = optimizer.propose(history, history.rng())
        means.append(proposal.beliefs["predicted_mean"])
        history.open_trial(proposal)  # stays pending: it is known all the same
    assert means == sorted(means)
    assert len(set(means)) == 5


def test_where_all_candidates_are_known_a_random_draw_takes_their_place() -> None:
    job = Job(finite_space(6))
    history = filled_history(job, [succeed] * 5)
    no_candidates = CandidateSettings(n_random=0, n_local=5, max_steps=0)
    for optimizer in (bayesian(candidates=no_candidates), divbo(candidates=no_candidates)):
        proposal = optimizer.propose(history, rng())
        assert proposal.origin is Origin.RANDOM
        assert not history.was_proposed(proposal.configuration)
        assert proposal.beliefs == {}


def test_origin_and_beliefs_belong_to_the_index() -> None:
    history = mixed_job().history()
    space = history.problem.search_space
    configurations = ConfigurationBatch.of(space.defaults, space.configuration_space)
    numbers = np.array([1.0, 2.0, 3.0])
    scored = ScoredCandidates(
        configurations=configurations,
        encoded=np.zeros((3, 1)),
        scores=-numbers,
        mean=numbers,
        std=numbers / 10,
        n_local=1,
        objectives=None,
        beliefs_of=lambda index: {"own": float(index)},
    )
    local, random = scored.proposal(0), scored.proposal(2, extra=7.0)
    origins = [scored.proposal(index).origin for index in range(3)]
    assert origins == [Origin.LOCAL, Origin.RANDOM, Origin.RANDOM]
    assert local.configuration is space.defaults[0]
    assert random.configuration is space.defaults[2]
    assert random.beliefs == {
        "predicted_mean": 3.0,
        "predicted_std": pytest.approx(0.3),
        "acquisition": -3.0,
        "own": 2.0,
        "extra": 7.0,
    }


# DivBO


def test_the_settings_of_the_paper_can_be_written_down() -> None:
    paper = DivBO(
        initial_design=RandomDesign(5),
        beta=0.05,
        tau=0.2,
        guidance=Guidance(
            candidates=CandidateSettings(n_random=4_950, n_local=50), random_probability=0.2
        ),
        pool=PoolSettings(size=25),
    )
    ours = DivBO()
    assert (paper.beta, paper.tau) == (ours.beta, ours.tau)
    assert (paper.guidance, paper.pool) == (ours.guidance, ours.pool)
    assert ours.initial_design == DefaultsFirst()
    job = mixed_job()
    history = job.history()
    beliefs = []
    paper.guidance = replace(paper.guidance, random_probability=0.0)
    for _ in range(6):
        proposal = paper.propose(history, history.rng())
        beliefs.append("rank_sum" in proposal.beliefs)
        succeed(job, history, history.open_trial(proposal))
    assert beliefs == [False] * 5 + [True]  # Algorithm 1, lines 3 and 5


@pytest.mark.parametrize("n", [1, 2, 5, 9])
def test_without_weight_for_diversity_it_is_bayesian_optimisation(n: int) -> None:
    history = filled_history(mixed_job(), (MIXED * 2)[:n])
    for seed in range(3):
        plain = bayesian().propose(history, rng(seed))
        found = divbo(beta=0.0).propose(history, rng(seed))
        assert found.configuration == plain.configuration
        assert found.origin == plain.origin
        assert found.beliefs.items() >= plain.beliefs.items()


def second_opinion(history: History, seed: int, beta: float, tau: float) -> tuple[int, Any]:
    """Work out the choice from the formulas: return its index and the scored candidates."""
    scored = scored_by(history, seed, KnownLoss(), FEW)
    encode = history.problem.encoder.encode
    losses = history.success_losses()
    library = shortlist(losses, 250)
    stack = np.stack([memory(history).blocks[history.successes[i]] for i in library])
    problem = history.problem
    members = select(stack, problem.codes, problem.metric, 25).of_all_rounds().members
    pool = encode([history.trials[history.successes[library[i]]].configuration for i in members])
    distances = np.linalg.norm(scored.encoded[:, None] - pool[None], axis=-1)
    weight = beta * (1.0 / (1.0 + math.exp(-tau * history.n_finished)) - 0.5)
    score = rankdata(-scored.scores) + weight * rankdata(-distances.min(axis=1))
    order = np.argsort(score, kind="stable")
    new = [i for i in order if not history.was_proposed(scored.configurations[i])]
    return int(new[0]), scored


@pytest.mark.parametrize("seed", range(3))
@pytest.mark.parametrize("beta", [0.05, 1.0, 50.0])
def test_the_choice_has_the_lowest_sum_of_ranks(beta: float, seed: int) -> None:
    history = filled_history(mixed_job(), MIXED * 2)
    optimizer = divbo(beta=beta, model=KnownLoss(), diversity_surrogate=KnownDiversity())
    proposal = optimizer.propose(history, rng(seed))
    index, scored = second_opinion(history, seed, beta, tau=0.2)
    assert proposal.configuration == scored.configurations[index]


def test_diversity_changes_the_choice() -> None:
    history = filled_history(mixed_job(), MIXED * 2)
    choices = set()
    for beta in (0.0, 1e6):
        known = {"model": KnownLoss(), "diversity_surrogate": KnownDiversity()}
        proposal = divbo(beta=beta, **known).propose(history, rng())
        choices.add(tuple(proposal.configuration.items()))
    assert len(choices) == 2


def test_the_weight_grows_with_the_trials_that_have_an_outcome() -> None:
    beliefs = []
    for n in (1, 4, 7):
        history = filled_history(mixed_job(), MIXED[:n])
        beliefs.append(divbo(beta=0.3, tau=0.7).propose(history, rng()).beliefs)
        expected = 0.3 * (1.0 / (1.0 + math.exp(-0.7 * history.n_finished)) - 0.5)
        assert beliefs[-1]["diversity_weight"] == pytest.approx(expected, rel=1e-12)
    weights = [belief["diversity_weight"] for belief in beliefs]
    assert weights[0] < weights[1] < weights[2] < 0.15


def test_a_fixed_weight_stays_the_same() -> None:
    for n in (1, 7):
        history = filled_history(mixed_job(), MIXED[:n])
        proposal = divbo(beta=0.3, fixed_weight=0.1).propose(history, rng())
        assert proposal.beliefs["diversity_weight"] == 0.1


def test_only_successes_are_in_the_pairs_and_in_the_pool() -> None:
    history = filled_history(mixed_job(), (*MIXED, stays_pending, crashes))
    surrogate = KnownDiversity()
    divbo(diversity_surrogate=surrogate).propose(history, rng())
    ((X, diversity),) = surrogate.fitted_on
    encode = history.problem.encoder.encode
    succeeded = encode([history.trials[number].configuration for number in history.successes])
    assert history.successes == (0, 2, 4, 6)
    assert np.array_equal(X, succeeded)
    assert diversity.shape == (4, 4)
    (pool,) = surrogate.pools
    rows = {row.tobytes() for row in succeeded}
    assert 1 <= len(pool) <= 4
    assert {row.tobytes() for row in pool} <= rows


def test_diversities_are_those_of_the_stored_predictions() -> None:
    history = filled_history(mixed_job(), MIXED * 2)
    surrogate = KnownDiversity()
    divbo(diversity_surrogate=surrogate).propose(history, rng())
    ((_, diversity),) = surrogate.fitted_on
    stack = np.stack([memory(history).blocks[number] for number in history.successes])
    assert np.array_equal(diversity, pairwise_diversity(stack))


def test_what_grew_with_the_search_equals_what_is_computed_afresh() -> None:
    job = mixed_job()
    history = job.history()
    grown, fresh = KnownDiversity(), KnownDiversity()
    optimizer = divbo(diversity_surrogate=grown)
    draws = rng(5)
    for fate in MIXED * 3:
        if history.successes:
            optimizer.propose(history, rng())
            divbo(diversity_surrogate=fresh).propose(history, rng())
        fate(job, history, history.open_trial(random_proposal(job.space, draws)))
    assert len(grown.fitted_on) == len(fresh.fitted_on) == 20
    for (X, matrix), (fresh_X, fresh_matrix) in zip(grown.fitted_on, fresh.fitted_on, strict=True):
        assert np.array_equal(X, fresh_X)
        assert np.array_equal(matrix, fresh_matrix)
    for pool, fresh_pool in zip(grown.pools, fresh.pools, strict=True):
        assert np.array_equal(pool, fresh_pool)


def test_predictions_are_read_again_only_after_another_success() -> None:
    job = mixed_job()
    history = filled_history(job, [succeed] * 3)
    optimizer = divbo()
    for fate in (stays_pending, crashes):
        optimizer.propose(history, rng())
        fate(job, history, history.open_trial(random_proposal(job.space, rng(77))))
    optimizer.propose(history, rng())
    assert len(memory(history).asked) == 1
    succeed(job, history, history.pending[0])
    optimizer.propose(history, rng())
    assert memory(history).asked == [(0, 1, 2), (0, 1, 2, 3)]


def test_the_pool_is_selected_among_the_best_of_a_long_history() -> None:
    history = filled_history(mixed_job(), [succeed] * 12)
    surrogate = KnownDiversity()
    few = PoolSettings(n_library=3)
    divbo(diversity_surrogate=surrogate, pool=few).propose(history, rng())
    encode = history.problem.encoder.encode
    best = encode([history.trials[number].configuration for number in best_trials(history, 3)])
    (pool,) = surrogate.pools
    assert {row.tobytes() for row in pool} <= {row.tobytes() for row in best}
    assert surrogate.fitted_on[0][1].shape == (12, 12)  # diversity is learnt from all pairs


def test_a_pool_of_one_round_is_the_best_model() -> None:
    history = filled_history(mixed_job(), [succeed] * 8)
    surrogate = KnownDiversity()
    divbo(diversity_surrogate=surrogate, pool=PoolSettings(size=1)).propose(history, rng())
    (best,) = best_trials(history, 1)
    expected = history.problem.encoder.encode([history.trials[best].configuration])
    assert np.array_equal(surrogate.pools[0], expected)


@pytest.mark.parametrize("few", [PoolSettings(n_rows=30), PoolSettings(n_values=90)])
def test_of_many_rows_an_even_part_of_each_class_is_used(few: PoolSettings) -> None:
    job = mixed_job(n_rows=90)  # classes 0, 1, 2, 0, 1, 2, ...
    history = filled_history(job, [succeed] * 6)
    surrogate = KnownDiversity()
    divbo(diversity_surrogate=surrogate, pool=few).propose(history, rng())
    rows = np.flatnonzero((np.arange(90) // 3) % 3 == 0)  # every third row of a class
    stack = np.stack([memory(history).blocks[number] for number in history.successes])
    assert np.array_equal(surrogate.fitted_on[0][1], pairwise_diversity(stack[:, rows]))


def test_a_rare_class_stays_among_the_rows_so_that_the_metric_stays_defined() -> None:
    job = mixed_job(n_rows=600)
    codes = np.arange(600) % 2
    codes[[1, 11, 21]] = 2
    metric = as_metric("roc_auc_ovr", np.arange(3))
    job.codes = codes
    job.problem = replace(job.problem, codes=codes, metric=metric)
    history = filled_history(job, [succeed] * 5)
    proposal = divbo(pool=PoolSettings(n_rows=100)).propose(history, rng())
    assert "rank_sum" in proposal.beliefs


def test_settings_are_compared_without_what_was_learnt() -> None:
    used, unused = divbo(), divbo()
    history = filled_history(mixed_job(), [succeed] * 3)
    used.propose(history, rng())
    assert used == unused
    assert repr(used) == repr(unused)
    assert used != divbo(beta=0.1)


def test_real_surrogates_are_the_default() -> None:
    assert DivBO().guidance.model == RandomForest()
    assert DivBO().diversity_surrogate == DiversitySurrogate()
