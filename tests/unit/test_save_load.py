"""Saved estimators: one file, no paths, no code, and what cannot be in it is said."""

from __future__ import annotations

import copy
import getpass
import io
import logging
import os
import pickle
import subprocess
import sys
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from zipfile import ZipFile

import joblib
import numpy as np
import pytest
from fakes.fitted_search import fitted_search, small_table
from fakes.hostile_learners import PriorClassifier
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import StratifiedKFold
from sklearn.pipeline import make_pipeline

from automl import AutoClassifier
from automl.errors import AutoMLWarning, InputError
from automl.model_file import load_model

PREDICT = """
import joblib, pickle
import numpy as np
from automl import AutoClassifier
estimator = {read}
np.save("P.npy", estimator.predict_proba(np.load("X.npy")))
"""


def member_with(search: AutoClassifier, learner: object) -> AutoClassifier:
    """Replace the only member's pipeline by one of another learner."""
    X, y = small_table()
    codes = np.unique(y, return_inverse=True)[1]
    model = make_pipeline(learner).fit(X.to_numpy(), codes)
    (member,) = search.ensemble_.members
    search.ensemble_ = replace(search.ensemble_, members=(replace(member, models=(model,)),))
    return search


def in_fresh_process(folder: Path, code: str) -> None:
    path = os.pathsep.join(sys.path)
    subprocess.run(
        [sys.executable, "-c", code],
        check=True,
        cwd=folder,
        env={**os.environ, "PYTHONPATH": path},
    )


def test_a_loaded_estimator_is_as_it_was(tmp_path: Path) -> None:
    search, (X, _) = fitted_search().set_params(n_trials=7, include=["lda"]), small_table()
    search.save(tmp_path / "a.model")
    loaded = AutoClassifier.load(tmp_path / "a.model")
    assert np.array_equal(loaded.predict_proba(X), search.predict_proba(X))
    assert list(loaded.predict(X)) == list(search.predict(X))
    assert loaded.leaderboard().equals(search.leaderboard())
    assert loaded.get_params() == search.get_params()
    assert set(vars(loaded)) == set(vars(search))


@pytest.mark.slow
@pytest.mark.parametrize(
    ("write", "read"),
    [
        (lambda s, p: s.save(p), 'AutoClassifier.load("a.model")'),
        (joblib.dump, 'joblib.load("a.model")'),
        (lambda s, p: p.write_bytes(pickle.dumps(s)), 'pickle.loads(open("a.model", "rb").read())'),
    ],
    ids=["save", "joblib", "pickle"],
)
def test_a_fresh_process_in_another_folder_predicts_the_same(
    write: Callable[[AutoClassifier, Path], object], read: str, tmp_path: Path
) -> None:
    search, (X, _) = fitted_search(), small_table()
    search._schema = replace(search._schema, input_names=None)  # so that an array will do
    write(search, tmp_path / "a.model")
    elsewhere = tmp_path / "elsewhere"
    elsewhere.mkdir()
    (tmp_path / "a.model").rename(elsewhere / "a.model")
    np.save(elsewhere / "X.npy", X.to_numpy())
    in_fresh_process(elsewhere, PREDICT.format(read=read))
    expected = search.predict_proba(X.to_numpy())
    assert np.array_equal(np.load(elsewhere / "P.npy"), expected)


@pytest.mark.parametrize("copied", [copy.deepcopy, lambda s: pickle.loads(pickle.dumps(s))])
def test_copies_and_pickles_predict_the_same(
    copied: Callable[[AutoClassifier], AutoClassifier],
) -> None:
    X, _ = small_table()
    expected = fitted_search().predict_proba(X)
    assert np.array_equal(copied(fitted_search()).predict_proba(X), expected)
    assert copied(AutoClassifier(n_trials=3)).n_trials == 3


def test_the_file_names_neither_folder_nor_user(tmp_path: Path) -> None:
    search = fitted_search().set_params(work_dir=tmp_path / "work")
    search.save(tmp_path / "a.model")
    assert AutoClassifier.load(tmp_path / "a.model").work_dir is None
    contents = every_byte((tmp_path / "a.model").read_bytes())
    for private in (str(tmp_path), str(Path.cwd()), f"/{getpass.getuser()}/", "/tmp"):
        assert private.encode() not in contents


def every_byte(archive: bytes) -> bytes:
    """Return an archive's parts uncompressed, those of the archives in it as well."""
    with ZipFile(io.BytesIO(archive)) as opened:
        parts = [opened.read(name) for name in opened.namelist()]
    return b"".join(every_byte(p) if p.startswith(b"PK") else p for p in parts) + archive[:1000]


def test_what_cannot_be_in_a_file_is_named_in_one_warning_and_not_needed(tmp_path: Path) -> None:
    search, (X, _) = fitted_search(), small_table()
    search.set_params(scoring=lambda *_: 0.0, callbacks=[print], optimizer=object())
    with pytest.warns(AutoMLWarning, match="leaves out callbacks, optimizer, scoring") as seen:
        search.save(tmp_path / "a.model")
    assert len(seen) == 1
    assert Path(seen[0].filename) == Path(__file__)
    loaded = AutoClassifier.load(tmp_path / "a.model")
    assert np.array_equal(loaded.predict_proba(X), search.predict_proba(X))
    assert (loaded.scoring, loaded.optimizer, loaded.callbacks) == ("accuracy", "divbo", None)


def test_a_splitter_is_kept(tmp_path: Path) -> None:
    fitted_search().set_params(cv=StratifiedKFold(7)).save(tmp_path / "a.model")
    assert AutoClassifier.load(tmp_path / "a.model").cv.n_splits == 7


def test_other_learners_need_trust_and_the_message_names_them(tmp_path: Path) -> None:
    search, (X, _) = member_with(fitted_search(), PriorClassifier()), small_table()
    search.save(tmp_path / "a.model")
    name = f"{PriorClassifier.__module__}.PriorClassifier"
    with pytest.raises(InputError, match=rf"not trusted: '{name}'.*trusted=\['{name}'\]"):
        AutoClassifier.load(tmp_path / "a.model")
    expected = search.predict_proba(X)
    for trusted in (name, PriorClassifier):
        loaded = AutoClassifier.load(tmp_path / "a.model", trusted=[trusted])
        assert np.array_equal(loaded.predict_proba(X), expected)


def test_nothing_of_a_hostile_file_is_run(tmp_path: Path) -> None:
    search = fitted_search()
    search.changes_ = (partial(os.mkdir, str(tmp_path / "made")),)  # type: ignore[assignment]
    search.save(tmp_path / "a.model")
    with pytest.raises(InputError, match=r"not trusted: 'posix\.mkdir'"):
        AutoClassifier.load(tmp_path / "a.model")
    assert not (tmp_path / "made").exists()


def test_members_without_weight_are_not_stored_and_sizes_are_told(
    tmp_path: Path, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    # The check of imports configures logging, which switches off all loggers that there are.
    monkeypatch.setattr(logging.getLogger("automl.model_state"), "disabled", False)
    search = fitted_search()
    (member,) = search.ensemble_.members
    idle = replace(member, number=5, weight=0.0)
    search.ensemble_ = replace(search.ensemble_, members=(member, idle))
    with caplog.at_level(logging.INFO, logger="automl.model_state"):
        search.save(tmp_path / "a.model")
    assert [m.number for m in AutoClassifier.load(tmp_path / "a.model").ensemble_.members] == [0]
    (message,) = caplog.messages
    assert message.startswith("trial 0, logistic_regression: 0.0")


def test_what_was_fitted_and_cannot_be_written_is_an_error(tmp_path: Path) -> None:
    search = fitted_search()
    search.changes_ = ((i for i in ()),)  # type: ignore[assignment]
    with pytest.raises(InputError, match="changes_ cannot be written to a model file"):
        search.save(tmp_path / "a.model")
    assert not list(tmp_path.iterdir())


def test_an_unfitted_estimator_is_not_saved(tmp_path: Path) -> None:
    with pytest.raises(NotFittedError):
        AutoClassifier().save(tmp_path / "a.model")


def test_the_command_line_reads_what_save_wrote(tmp_path: Path) -> None:
    fitted_search().save(tmp_path / "a.model")
    assert load_model(tmp_path / "a.model").target == "prediction"
