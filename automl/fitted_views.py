"""What a fitted estimator shows of its search."""

from __future__ import annotations

import pandas as pd
from sklearn.utils.validation import check_is_fitted

from automl.ensembles.weighted_ensemble import WeightedEnsemble
from automl.failures import Failure, failures_among
from automl.leaderboard import TrialRecord, leaderboard_frame


class FittedViews:
    """Adds the leaderboard, failures and the threshold to an estimator like `AutoClassifier`."""

    ensemble_: WeightedEnsemble
    trials_: tuple[TrialRecord, ...]

    def leaderboard(self) -> pd.DataFrame:
        """Return every trial that ended by rising loss, then failures, cancelled trials last.

        Returns
        -------
        DataFrame
            Columns trial, learner, loss, seconds, status, weight (in the ensemble) and
            configuration.
        """
        check_is_fitted(self, "ensemble_")
        return leaderboard_frame(self.trials_, self.ensemble_.weights)

    @property
    def failures_(self) -> tuple[Failure, ...]:
        """Kinds of failures, the most frequent first."""
        check_is_fitted(self, "ensemble_")
        return failures_among(self.trials_)

    @property
    def decision_threshold_(self) -> float:
        """Probability of the second of two classes above which `predict` gives it."""
        check_is_fitted(self, "ensemble_")
        return self.ensemble_.threshold
