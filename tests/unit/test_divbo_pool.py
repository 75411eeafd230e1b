"""What DivBO does where its temporary pool cannot be selected."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.histories import filled_history, mixed_job, random_proposal, succeed
from fakes.surrogates import KnownDiversity

from automl.ensembles.selection import Selection, select
from automl.errors import DegradedResultWarning
from automl.history import History
from automl.optimizers.divbo import DivBO, PoolSettings
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.observations import best_trials
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.scoring import as_metric

FEW = Guidance(candidates=CandidateSettings(n_random=40, n_local=2, max_steps=2))


class Moody:
    """A scorer that can be told to fail."""

    error: Exception | None = None

    def __call__(self, estimator: Any, X: Any, y: Any) -> float:
        """Return the accuracy, unless told otherwise."""
        if self.error is not None:
            raise self.error
        return float(np.mean(estimator.predict(X) == y))


def history_scored_by(scorer: Moody) -> History:
    job = mixed_job()
    job.problem = replace(job.problem, metric=as_metric(scorer, np.arange(3)))
    return filled_history(job, [succeed] * 6)


def test_the_best_trial_stands_for_a_pool_that_cannot_be_selected() -> None:
    scorer, surrogate = Moody(), KnownDiversity()
    history = history_scored_by(scorer)
    scorer.error = ZeroDivisionError("of all things")
    optimizer = DivBO(initial_design=RandomDesign(0), guidance=FEW, diversity_surrogate=surrogate)
    with pytest.warns(DegradedResultWarning, match="ZeroDivisionError: of all things"):
        proposal = optimizer.propose(history, np.random.default_rng(0))
    assert "rank_sum" in proposal.beliefs
    (best,) = best_trials(history, 1)
    expected = history.problem.encoder.encode([history.trials[best].configuration])
    assert np.array_equal(surrogate.pools[0], expected)


def test_it_is_said_once_and_the_search_recovers() -> None:
    scorer, surrogate = Moody(), KnownDiversity()
    history = history_scored_by(scorer)
    optimizer = DivBO(initial_design=RandomDesign(0), guidance=FEW, diversity_surrogate=surrogate)
    job, sizes = mixed_job(), []
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for error in (None, ZeroDivisionError(), None, ZeroDivisionError()):
            scorer.error = error
            optimizer.propose(history, np.random.default_rng(0))
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
