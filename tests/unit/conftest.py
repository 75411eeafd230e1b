"""What several files of tests ask for by name."""

from __future__ import annotations

from pathlib import Path

import pytest
from fakes.fitted_search import fitted_search, small_table

from automl.model_file import SavedModel, save_model


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Make a folder with tables and a model the current one; a search in it is an error."""
    X, y = small_table()
    X.to_csv(tmp_path / "new.csv", index=False)
    X.assign(shape=y).to_csv(tmp_path / "train.csv", index=False)
    save_model(tmp_path / "a.model", SavedModel(estimator=fitted_search(), target="shape"))
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("automl.estimator.fit_ensemble", _refuse_to_search)
    return tmp_path


def _refuse_to_search(*_: object, **__: object) -> None:
    raise AssertionError("a search was started")
