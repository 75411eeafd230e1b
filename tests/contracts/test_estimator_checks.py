"""scikit-learn's own checks of the estimator, all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from automl import AutoClassifier

# Two evaluations are enough to show every rule of the interface.
_QUICK = AutoClassifier(n_trials=2, time_limit=None, search_space="fast", random_state=0)


# Some checks draw labels at random: no model can beat the class frequencies there, and fit says so.
@pytest.mark.filterwarnings("ignore::automl.errors.DegradedResultWarning")
@parametrize_with_checks([_QUICK])
def test_estimator_keeps_the_rules_of_scikit_learn(
    estimator: AutoClassifier, check: Callable[[AutoClassifier], None]
) -> None:
    # No check is expected to fail.
    check(estimator)
