"""What DivBO does where its temporary pool cannot be selected."""

from __future__ import annotations

import warnings
from dataclasses import replace
from typing import Any

import numpy as np
import pytest
from fakes.histories import filled_history, mixed_job, random_proposal, succeed
from fakes.surrogates import KnownDiversity

from automl.errors import DegradedResultWarning
from automl.history import History
from automl.optimizers.bayesian import CandidateSettings
from automl.optimizers.divbo import DivBO
from automl.optimizers.initial_design import RandomDesign
from automl.optimizers.observations import best_trials
from automl.scoring import as_metric

FEW = CandidateSettings(n_random=40, n_local=2, max_steps=2)


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
    optimizer = DivBO(initial_design=RandomDesign(0), candidates=FEW, diversity_surrogate=surrogate)
    with pytest.warns(DegradedResultWarning, match="ZeroDivisionError: of all things"):
        proposal = optimizer.propose(history, np.random.default_rng(0))
    assert "rank_sum" in proposal.beliefs
    (best,) = best_trials(history, 1)
    expected = history.problem.encoder.encode([history.trials[best].configuration])
    assert np.array_equal(surrogate.pools[0], expected)


def test_it_is_said_once_and_the_search_recovers() -> None:
    scorer, surrogate = Moody(), KnownDiversity()
    history = history_scored_by(scorer)
    optimizer = DivBO(initial_design=RandomDesign(0), candidates=FEW, diversity_surrogate=surrogate)
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
    optimizer = DivBO(initial_design=RandomDesign(0), candidates=FEW)
    with pytest.warns(DegradedResultWarning, match="MemoryError: no room"):
        assert optimizer.propose(history, np.random.default_rng(0)).beliefs
