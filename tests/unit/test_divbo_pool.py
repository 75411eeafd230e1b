"""DivBO's temporary pool: of what it is selected, and what is done where that fails."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.histories import filled_history, mixed_job, random_proposal, succeed
from fakes.surrogates import KnownDiversity
from scipy.stats import rankdata

from automl.acquisition.minimum_diversity import minimum_diversity
from automl.ensembles.selection import Selection, first_rounds, select
from automl.errors import DegradedResultWarning
from automl.metrics import Metric, MetricError
from automl.optimizers.divbo import DivBO, PoolSettings
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.scored_candidates import CandidateSettings, Guidance, score_candidates
from automl.scoring import as_metric
from search_space.arrays import FloatArray

FEW = Guidance(candidates=CandidateSettings(n_random=40, n_local=2, max_steps=2))


def test_a_scorer_without_a_batched_form_is_never_called_for_the_pool() -> None:
    def fails(*_: Any) -> float:
        raise AssertionError("a scorer of 0.3 s would be called for every trial in every round")

    def pool_of(metric: Metric) -> FloatArray:
        job, surrogate = mixed_job(), KnownDiversity()
        job.problem = replace(job.problem, metric=metric)
        history = filled_history(job, [succeed] * 12)
        DivBO(initial_design=RandomDesign(0), guidance=FEW, diversity_surrogate=surrogate).propose(
            history, np.random.default_rng(0)
        )
        return surrogate.pools[0]

    log_loss = as_metric("neg_log_loss", np.arange(3))
    of_scorer = pool_of(replace(log_loss, scorer=fails, known=None))
    assert np.array_equal(of_scorer, pool_of(log_loss))


def test_a_pool_that_cannot_be_selected_is_told_once_and_the_search_recovers(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    errors: list[Exception | None] = [None, MetricError(), None, MetricError()]

    def moody(*arguments: Any, **options: Any) -> Selection:
        error = errors.pop(0)
        if error is not None:
            raise error
        return select(*arguments, **options)

    monkeypatch.setattr("automl.optimizers.divbo.select", moody)
    surrogate, job, sizes = KnownDiversity(), mixed_job(), []
    job.problem = replace(job.problem, metric=as_metric("accuracy", np.arange(3)))
    history = filled_history(job, [succeed] * 6)
    optimizer = DivBO(initial_design=RandomDesign(0), guidance=FEW, diversity_surrogate=surrogate)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        while errors:
            assert "rank_sum" in optimizer.propose(history, np.random.default_rng(0)).beliefs
            sizes.append(len(surrogate.pools[-1]))
            rng = np.random.default_rng(70 + len(sizes))
            succeed(job, history, history.open_trial(random_proposal(job.space, rng)))
    assert len([w for w in caught if w.category is DegradedResultWarning]) == 1
    assert sizes[1] == sizes[3] == 1
    assert sizes[0] > 1
    assert sizes[2] > 1


def test_memory_that_is_missing_does_not_end_the_search(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise MemoryError("no room for a copy")

    monkeypatch.setattr("automl.optimizers.divbo.select", fail)
    history = filled_history(mixed_job(), [succeed] * 4)
    optimizer = DivBO(initial_design=RandomDesign(0), guidance=FEW)
    with pytest.warns(DegradedResultWarning, match="MemoryError: no room"):
        assert optimizer.propose(history, np.random.default_rng(0)).beliefs


def test_the_pool_has_the_members_of_all_rounds(monkeypatch: pytest.MonkeyPatch) -> None:
    wanted: list[int] = []

    def best_at_once(predictions: Any, *rest: Any, **options: Any) -> Selection:
        chosen = select(predictions, *rest, **options)
        wanted.append(len(set(chosen.added)))
        return first_rounds(1, chosen.added, chosen.losses, len(predictions))

    monkeypatch.setattr("automl.optimizers.divbo.select", best_at_once)
    surrogate, history = KnownDiversity(), filled_history(mixed_job(), [succeed] * 12)
    DivBO(initial_design=RandomDesign(0), guidance=FEW, diversity_surrogate=surrogate).propose(
        history, np.random.default_rng(0)
    )
    assert len(surrogate.pools[0]) == wanted[0] > 1


@pytest.mark.parametrize("n_samples", [1, 15])
def test_the_choice_is_that_of_the_expected_least_diversity(n_samples: int) -> None:
    history, surrogate = filled_history(mixed_job(), [succeed] * 12), KnownDiversity(doubt=0.5)
    found = DivBO(
        initial_design=RandomDesign(0),
        guidance=FEW,
        diversity_surrogate=surrogate,
        fixed_weight=1.0,
        n_samples=n_samples,
    ).propose(history, np.random.default_rng(3))
    rng = np.random.default_rng(3)
    scored = score_candidates(history, rng, FEW)
    mean, std = surrogate.predict(scored.encoded, surrogate.pools[0])
    diversity = minimum_diversity(mean, std, n_samples=n_samples, rng=rng)  # equation 4
    ranks = rankdata(-scored.scores) + rankdata(-diversity)
    new = [not history.was_proposed(one) for one in scored.configurations]
    best = int(np.where(new, ranks, np.inf).argmin())
    assert found.configuration == scored.configurations[best]
    assert found.beliefs["minimum_diversity"] == pytest.approx(diversity[best])
    assert DivBO().n_samples == 15


@pytest.mark.parametrize("n_rows", [None, 7])
def test_a_pool_is_selected_with_the_weights_of_its_rows(
    n_rows: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    given: list[Any] = []

    def spied(predictions: Any, codes: Any, *rest: Any, **options: Any) -> Selection:
        given.append((codes, options["sample_weight"]))
        return select(predictions, codes, *rest, **options)

    monkeypatch.setattr("automl.optimizers.divbo.select", spied)
    job = mixed_job()
    # The weight of a row tells its number, and with it its class.
    weights = np.arange(1.0, len(job.codes) + 1)
    job.problem = replace(job.problem, sample_weight=weights)
    history = filled_history(job, [succeed] * 4)
    pool = PoolSettings() if n_rows is None else PoolSettings(n_rows=n_rows)
    DivBO(initial_design=RandomDesign(0), guidance=FEW, pool=pool).propose(
        history, np.random.default_rng(0)
    )
    ((codes, of_rows),) = given
    rows = of_rows.astype(int) - 1
    assert np.array_equal(codes, job.codes[rows])
    assert (len(rows) < len(job.codes)) == (n_rows is not None)
