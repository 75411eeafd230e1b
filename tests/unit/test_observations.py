"""What a performance surrogate sees of a history."""

from __future__ import annotations

import numpy as np
import pytest
from fakes.histories import random_proposal, with_losses

from automl.optimizers.observations import best_trials, performance_observations


def test_a_failure_counts_as_the_worst_loss_and_a_pending_trial_as_the_median() -> None:
    history = with_losses([0.2, None, 0.9, 0.3])
    history.open_trial(random_proposal(history.problem.search_space, np.random.default_rng(8)))
    X, y = performance_observations(history)
    assert y.tolist() == [0.2, 0.9, 0.9, 0.3, 0.3]
    configurations = [trial.configuration for trial in history.trials]
    assert np.array_equal(X, history.problem.encoder.encode(configurations))


def test_without_a_success_there_is_nothing_to_observe() -> None:
    with pytest.raises(ValueError, match="needs one successful trial"):
        performance_observations(with_losses([None, None]))


def test_the_best_trials_come_by_rising_loss_and_the_earlier_recorded_first() -> None:
    history = with_losses([0.5, None, 0.2, 0.5, 0.1])
    assert best_trials(history, 3) == [4, 2, 0]
    assert best_trials(history, 99) == [4, 2, 0, 3]
    assert best_trials(with_losses([None]), 5) == []
