"""scikit-learn's own checks of the estimator, all of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest
from sklearn.utils.estimator_checks import parametrize_with_checks

from automl import AutoClassifier

# Two evaluations are enough to show every rule of the interface.
_QUICK = AutoClassifier(n_trials=2, time_limit=None, search_space="fast", random_state=0)

_NO_REPETITION = (
    "a weight is not a repetition: forests draw rows, scaling and PCA count rows, and weights are "
    "relative to each other"
)
_EXPECTED_TO_FAIL = {
    "check_sample_weight_equivalence_on_dense_data": _NO_REPETITION,
    "check_sample_weight_equivalence_on_sparse_data": _NO_REPETITION,
}


# Some checks draw labels at random: no model can beat the class frequencies there, and fit says so.
@pytest.mark.filterwarnings("ignore::automl.errors.DegradedResultWarning")
@parametrize_with_checks([_QUICK], expected_failed_checks=lambda _: _EXPECTED_TO_FAIL)
def test_estimator_keeps_the_rules_of_scikit_learn(
    estimator: AutoClassifier, check: Callable[[AutoClassifier], None]
) -> None:
    check(estimator)
