"""A fit that is killed and goes on: ``python resumable_fit.py FOLDER`` runs it in a process."""

from __future__ import annotations

import sys
from pathlib import Path

from sklearn.datasets import make_classification

from automl import AutoClassifier

X, Y = make_classification(200, 6, n_informative=4, random_state=0)


def resumable(folder: Path, **parameters: object) -> AutoClassifier:
    """Return an estimator with one worker, whose result only its seed decides."""
    return AutoClassifier(
        **{
            "n_trials": 24,
            "time_limit": None,
            "search_space": "fast",
            "random_state": 0,
            "work_dir": folder,
            "resume": True,
            **parameters,
        }  # type: ignore[arg-type]  # of all kinds
    )


if __name__ == "__main__":
    resumable(Path(sys.argv[1])).fit(X, Y)
