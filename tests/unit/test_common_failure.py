"""When a search is given up: every trial failed for one reason."""

from __future__ import annotations

import math
from collections.abc import Sequence

import pytest
from fakes.histories import Job, filled_history, mixed_job, space_of
from hypothesis import given
from hypothesis import strategies as st

from automl.common_failure import CommonFailure, common_failure
from automl.history import History
from automl.trial import Outcome, Status, Trial

SAME = "ValueError: scorers need labels"


def history_of(endings: Sequence[tuple[Status, str] | None], job: Job | None = None) -> History:
    """Return random trials that ended so, one after another; None is pending."""

    def fate(status: Status, reason: str) -> object:
        def end(job: Job, history: History, trial: Trial) -> None:  # noqa: ARG001 - a Fate
            loss = 0.5 if status is Status.SUCCESS else math.inf
            history.record(
                Outcome(number=trial.number, status=status, loss=loss, seconds=1.0, reason=reason)
            )

        return end

    def stay(job: Job, history: History, trial: Trial) -> None: ...

    fates = [stay if ending is None else fate(*ending) for ending in endings]
    return filled_history(mixed_job() if job is None else job, fates)  # type: ignore[arg-type]  # fates of two forms


def crashes(n: int, reason: str = SAME) -> list[tuple[Status, str] | None]:
    return [(Status.CRASHED, reason)] * n


def test_ten_equal_failures_of_every_learner_are_the_end() -> None:
    history = history_of(crashes(10))
    learners = {t.configuration["classifier"] for t in history.trials}
    assert learners == {"slow", "cheap", "middle"}
    expected = CommonFailure(status=Status.CRASHED, reason=SAME, n_trials=10)
    assert common_failure(history) == expected


def test_nine_are_not() -> None:
    assert common_failure(history_of(crashes(9))) is None


def test_a_learner_that_was_not_tried_is_hope() -> None:
    space = mixed_job().space
    names = ["slow", "cheap", "middle", "untried"]
    assert common_failure(history_of(crashes(30), Job(space))) is not None
    more = space_of(space.configuration_space, names)
    assert common_failure(history_of(crashes(30), Job(more))) is None


@pytest.mark.parametrize(
    "other",
    [
        (Status.SUCCESS, ""),
        (Status.CRASHED, "KeyError: 'a'"),
        (Status.TIMEOUT, "ran longer than 3 s"),
        (Status.OUT_OF_MEMORY, SAME),
    ],
)
@given(position=st.integers(0, 19))
def test_one_other_ending_is_hope_wherever_it_stands(
    other: tuple[Status, str], position: int
) -> None:
    endings = crashes(20)
    endings[position] = other
    assert common_failure(history_of(endings)) is None


def test_what_was_cancelled_or_runs_says_nothing() -> None:
    silent: list[tuple[Status, str] | None] = [(Status.CANCELLED, "the search was stopped"), None]
    found = common_failure(history_of(silent + crashes(12) + silent))
    assert found is not None
    assert found.n_trials == 12
    assert common_failure(history_of(silent * 10)) is None
    assert common_failure(history_of(crashes(9) + silent * 10)) is None


@pytest.mark.parametrize("status", [Status.TIMEOUT, Status.OUT_OF_MEMORY])
def test_limits_are_one_reason_whatever_the_text(status: Status) -> None:
    found = common_failure(history_of([(status, f"text {n}" * n) for n in range(12)]))
    assert found is not None
    assert found.status is status


def test_numbers_in_a_reason_and_its_end_do_not_make_another() -> None:
    long = "ValueError: " + "x" * 60
    assert common_failure(
        history_of([(Status.CRASHED, f"ValueError: {n} rows, {7 * n} columns") for n in range(12)])
    )
    assert common_failure(history_of([(Status.CRASHED, long + "y" * n) for n in range(12)]))


@pytest.mark.parametrize(
    ("status", "advice"),
    [
        (Status.TIMEOUT, "Raise trial_time_limit"),
        (Status.OUT_OF_MEMORY, "Raise memory_limit"),
        (Status.CRASHED, "work_dir"),
    ],
)
def test_its_text_names_number_reason_and_what_to_do(status: Status, advice: str) -> None:
    text = str(CommonFailure(status=status, reason=SAME, n_trials=12))
    assert f"first 12 evaluations failed for the same reason ({status}: {SAME})" in text
    assert advice in text
