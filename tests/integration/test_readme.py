"""The Python of the README runs as it stands there, with fewer evaluations."""

from __future__ import annotations

import re
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from sklearn.model_selection import TimeSeriesSplit

import automl
from automl.errors import AutoMLWarning

README = Path(__file__).parents[2] / "README.md"
BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
FEW = {"time_limit": None, "n_trials": 2, "search_space": "fast", "random_state": 0}

pytestmark = pytest.mark.slow


class Quick:
    """Makes the estimator, with limits of its own instead of those of the example."""

    load = automl.AutoClassifier.load

    def __call__(self, **parameters: Any) -> Any:
        """Return the estimator."""
        return automl.estimator.AutoClassifier(**parameters | FEW)


def blocks() -> list[str]:
    return BLOCK.findall(README.read_text(encoding="utf-8"))


@pytest.fixture
def names(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """Return what a reader has at hand, in a folder of their own."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr(automl, "AutoClassifier", Quick(), raising=False)
    rng = np.random.default_rng(0)
    return {
        "X": rng.normal(size=(60, 3)),
        "y": np.where(rng.random(60) < 0.5, "ill", "well"),
        "w": rng.random(60) + 0.5,
        "patient": np.arange(60) // 4,
        "TimeSeriesSplit": TimeSeriesSplit,
        "AutoClassifier": automl.AutoClassifier,
        "clf": automl.AutoClassifier(),
    }


@pytest.mark.parametrize("block", blocks(), ids=lambda block: block.split("\n", 1)[0][:30])
def test_a_block_of_the_readme_runs(block: str, names: dict[str, Any]) -> None:
    mine, fitted = names["X"], ("clf.save" in block or "clf.to_sklearn" in block)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", AutoMLWarning)
        if fitted:
            names["clf"].fit(mine, names["y"])
        shorter = re.sub(r"fit_more\(time_limit=\d+\)", "fit_more(n_trials=1)", block)
        exec(compile(shorter, "README.md", "exec"), names)


def test_no_block_is_overlooked() -> None:
    text = README.read_text(encoding="utf-8")
    assert len(blocks()) == len(re.findall("^```python$", text, re.MULTILINE)) >= 6
