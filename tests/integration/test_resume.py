"""Killed searches go on without losing or repeating anything; foreign folders are left alone."""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

import numpy as np
import psutil
import pytest
from fakes import resumable_fit
from fakes.resumable_fit import X, Y, resumable
from sklearn.model_selection import ShuffleSplit

from automl import AutoClassifier
from automl.errors import InputError, JournalError
from automl.history import History
from automl.storage.journal_reading import read_journal
from automl.trial import Outcome

N_KILLS = 20


def started(folder: Path) -> subprocess.Popen[bytes]:
    return subprocess.Popen([sys.executable, str(resumable_fit.__file__), str(folder)])


def finished(folder: Path) -> dict[int, object]:
    """Return the outcomes that count, by trial."""
    path = folder / "journal.jsonl"
    return {o.number: o for o in read_journal(path).outcomes} if path.exists() else {}


def same_result(one: AutoClassifier, other: AutoClassifier) -> bool:
    return (
        [(r.trial, r.configuration, r.loss) for r in one.trials_]
        == [(r.trial, r.configuration, r.loss) for r in other.trials_]
        and one.ensemble_.weights == other.ensemble_.weights
        and np.array_equal(one.predict_proba(X), other.predict_proba(X))
    )


@pytest.mark.slow
def test_a_search_killed_twenty_times_ends_like_one_that_was_not(tmp_path: Path) -> None:
    undisturbed = resumable(tmp_path / "undisturbed").fit(X, Y)
    folder, rng = tmp_path / "disturbed", np.random.default_rng(0)
    before: dict[int, object] = {}
    for _ in range(N_KILLS):
        process = started(folder)
        deadline = time.monotonic() + 60.0
        # Kill soon after the process has written something, before it comes to an end.
        size, path = _size(folder), folder / "journal.jsonl"
        while _size(folder) == size and process.poll() is None and time.monotonic() < deadline:
            time.sleep(0.01)
        time.sleep(rng.uniform(0.0, 0.15))
        process.kill()
        process.wait()
        after = finished(folder)
        assert before.items() <= after.items(), "a finished evaluation was lost or repeated"
        before = after
        if path.exists() and rng.random() < 0.3:
            with path.open("ab") as file:
                file.write(b"0123torn")
    resumed = resumable(folder).fit(X, Y)
    assert before.items() <= finished(folder).items()
    assert same_result(resumed, undisturbed)


def _size(folder: Path) -> int:
    path = folder / "journal.jsonl"
    return path.stat().st_size if path.exists() else 0


@pytest.mark.slow
def test_killed_evaluation_processes_cost_a_trial_and_not_the_search(tmp_path: Path) -> None:
    process = started(tmp_path / "run")
    rng, n_killed = np.random.default_rng(1), 0
    folder = tmp_path / "run"
    while process.poll() is None and n_killed < 5:
        size = _size(folder)
        while _size(folder) == size and process.poll() is None:
            time.sleep(0.01)  # the processes of evaluations are there again, and at work
        time.sleep(rng.uniform(0.0, 0.1))
        try:
            below = psutil.Process(process.pid).children(recursive=True)
            below[rng.integers(len(below))].kill()
            n_killed += 1
        except (psutil.NoSuchProcess, ValueError):
            continue  # nothing runs at this moment
    assert process.wait(timeout=120) == 0
    journal = read_journal(tmp_path / "run" / "journal.jsonl")
    assert {outcome.number for outcome in journal.outcomes} == set(range(24))


def test_lost_predictions_are_made_again(tmp_path: Path) -> None:
    first = resumable(tmp_path / "run", n_trials=4).fit(X, Y)
    path = tmp_path / "run" / "predictions.f32"
    with path.open("r+b") as file:
        file.truncate(path.stat().st_size - 1)
    again = resumable(tmp_path / "run", n_trials=4).fit(X, Y)
    assert same_result(first, again)


def test_predictions_that_were_stored_before_the_outcome_was_written_are_no_hindrance(
    tmp_path: Path,
) -> None:
    first = resumable(tmp_path / "run", n_trials=4).fit(X, Y)
    path = tmp_path / "run" / "journal.jsonl"
    lines = path.read_bytes().splitlines(keepends=True)
    assert b"outcome" in lines[-1]
    path.write_bytes(b"".join(lines[:-1]))
    again = resumable(tmp_path / "run", n_trials=4).fit(X, Y)
    assert same_result(first, again)


@pytest.mark.parametrize("optimizer", ["divbo", "rising_bandit", "ensemble_optimization", "nes"])
def test_fit_more_extends_a_search_as_if_it_had_been_longer(tmp_path: Path, optimizer: str) -> None:
    asked = {"optimizer": optimizer}
    longer = resumable(tmp_path / "longer", n_trials=9, **asked).fit(X, Y)
    extended = resumable(tmp_path / "extended", n_trials=5, resume=False, **asked).fit(X, Y)
    changes = extended.changes_
    extended.fit_more(n_trials=4)
    assert same_result(extended, longer)
    assert extended.changes_ == changes
    assert extended.n_trials == 5


def test_fit_more_tells_the_very_callbacks_that_were_given(tmp_path: Path) -> None:
    class Listener:
        """Counts what it is told."""

        def __init__(self) -> None:
            self.numbers: list[int] = []

        def __call__(self, outcome: Outcome, _: History) -> None:
            """Note the trial."""
            self.numbers.append(outcome.number)

    listener = Listener()
    clf = resumable(tmp_path / "run", n_trials=2, callbacks=[listener]).fit(X, Y)
    clf.fit_more(n_trials=1)
    assert listener.numbers == [0, 1, 2]


def test_fit_more_needs_a_folder_and_a_limit(tmp_path: Path) -> None:
    clf = resumable(tmp_path / "run", n_trials=3).fit(X, Y)
    with pytest.raises(InputError, match="n_trials is None"):
        clf.fit_more()
    clf.set_params(work_dir=None, resume=False)
    with pytest.raises(InputError, match="fit_more needs the files of the search"):
        clf.fit_more(n_trials=2)


def test_time_that_was_used_is_used(tmp_path: Path) -> None:
    resumable(tmp_path / "run", n_trials=None, time_limit=4.0).fit(X, Y)
    n_trials = len(read_journal(tmp_path / "run" / "journal.jsonl").trials)
    begun = time.monotonic()
    resumable(tmp_path / "run", n_trials=None, time_limit=4.0).fit(X, Y)
    assert time.monotonic() - begun < 4.0
    assert len(read_journal(tmp_path / "run" / "journal.jsonl").trials) <= n_trials + 1


@pytest.mark.parametrize(
    ("parameters", "rows", "message"),
    [
        ({"random_state": 1}, 200, "random_state: 0 there, 1 here"),
        ({"scoring": "neg_log_loss"}, 200, "scoring: 'accuracy' there, 'neg_log_loss' here"),
        ({"exclude": ["gaussian_nb"]}, 200, "include, exclude or extra_learners differ"),
        ({}, 190, "X: 200 there, 190 here"),
        ({"resume": False}, 200, "give resume=True to go on with the search in it"),
    ],
)
def test_the_folder_of_another_search_is_refused_and_left_alone(
    tmp_path: Path, parameters: dict[str, object], rows: int, message: str
) -> None:
    resumable(tmp_path / "run", n_trials=2).fit(X, Y)
    files = _content(tmp_path / "run")
    with pytest.raises(InputError, match=message):
        resumable(tmp_path / "run", n_trials=2, **parameters).fit(X[:rows], Y[:rows])
    assert _content(tmp_path / "run") == files


def test_a_damaged_journal_is_refused_and_left_alone(tmp_path: Path) -> None:
    resumable(tmp_path / "run", n_trials=2).fit(X, Y)
    path = tmp_path / "run" / "journal.jsonl"
    path.write_bytes(path.read_bytes().replace(b"outcome", b"outcame", 1))
    files = _content(tmp_path / "run")
    with pytest.raises(JournalError, match="line 3 of journal"):
        resumable(tmp_path / "run", n_trials=2).fit(X, Y)
    assert _content(tmp_path / "run") == files


def test_a_folder_with_other_files_is_refused_and_left_alone(tmp_path: Path) -> None:
    (tmp_path / "precious.txt").write_text("x")
    with pytest.raises(InputError, match="holds no search to go on with"):
        resumable(tmp_path).fit(X, Y)
    assert _content(tmp_path) == {"precious.txt": b"x"}


def test_resuming_without_a_folder_is_refused() -> None:
    with pytest.raises(InputError, match="resume needs the folder"):
        AutoClassifier(resume=True).fit(X, Y)


def _content(folder: Path) -> dict[str, bytes]:
    return {
        str(path.relative_to(folder)): path.read_bytes()
        for path in sorted(folder.rglob("*"))
        if path.is_file()
    }


def test_a_splitter_that_draws_other_folds_each_time_goes_on_with_those_it_drew(
    tmp_path: Path,
) -> None:
    def search(n_trials: int, cv: object = None) -> AutoClassifier:
        folds = ShuffleSplit(3) if cv is None else cv
        return resumable(tmp_path, n_trials=n_trials, cv=folds).fit(X, Y)

    first = search(2)
    more = search(4)
    assert [(t.trial, t.loss) for t in more.trials_[:2]] == [
        (t.trial, t.loss) for t in first.trials_
    ]
    assert len(more.trials_) == 4
    with pytest.raises(InputError, match="another search"):
        search(6, ShuffleSplit(2))
    with pytest.raises(InputError, match="another search"):
        search(6, ShuffleSplit(3, random_state=0))


@pytest.mark.parametrize("changed", [{"class_weight": "balanced"}, {"cv": 3}, {"random_state": 5}])
def test_fit_more_refuses_what_was_set_since_and_would_have_no_effect(
    changed: dict[str, object], tmp_path: Path
) -> None:
    clf = resumable(tmp_path, n_trials=2).fit(X, Y)
    clf.set_params(**changed)
    with pytest.raises(InputError, match=f"{next(iter(changed))} was set after fit"):
        clf.fit_more(n_trials=1)
    assert clf.predict(X).shape == Y.shape
