"""A fit whose result only its seed decides: ``python repeatable_fit.py`` prints it in a process."""

from __future__ import annotations

import sys

import pandas as pd
from sklearn.datasets import make_classification

from automl import AutoClassifier


def table() -> tuple[pd.DataFrame, pd.Series]:
    """Return numbers, text and labels that are text, so that the order of sets could matter."""
    X, y = make_classification(120, 5, n_informative=3, random_state=0)
    frame = pd.DataFrame(X, columns=list("edcba"))
    frame["town"] = pd.Series(["oslo", "rome", "lima", "bern"] * 30)
    return frame, pd.Series(["no", "yes"])[y].reset_index(drop=True)


def repeatable(**parameters: object) -> AutoClassifier:
    """Return an estimator that was not fitted."""
    return AutoClassifier(
        **{
            "n_trials": 9,
            "time_limit": None,
            "search_space": "default",
            "include": ["gaussian_nb", "lda", "lightgbm"],
            "cv": "holdout",
            "memory_limit": None,
            "random_state": 3,
            **parameters,
        }  # type: ignore[arg-type]  # of all kinds
    )


def result(clf: AutoClassifier) -> str:
    """Return trials, weights and predictions of a fitted estimator, to the last bit."""
    trials = [(t.trial, t.configuration, t.loss, t.status) for t in clf.trials_]
    probabilities = clf.predict_proba(table()[0])
    return repr((trials, clf.ensemble_.weights, probabilities.tobytes().hex()))


if __name__ == "__main__":
    sys.stdout.write(result(repeatable().fit(*table())))
