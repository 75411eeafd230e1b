"""Kinds of failures of a search."""

from __future__ import annotations

from dataclasses import replace

import pytest
from fakes.fitted_search import fitted_search
from sklearn.exceptions import NotFittedError

from automl import AutoClassifier
from automl.failures import Failure, failures_among, kind_of_failure
from automl.trial import Status

SUCCESS, _, FAILED, CANCELLED = fitted_search().trials_


def test_alike_failures_are_one_kind_and_the_most_frequent_comes_first() -> None:
    records = [
        replace(FAILED, trial=0, status="timeout", reason="took longer than 3 s"),
        SUCCESS,
        replace(FAILED, trial=2, status="crashed", reason="ValueError: 7 rows", traceback=""),
        replace(FAILED, trial=3, status="crashed", reason="ValueError: 9 rows", traceback="T 3"),
        replace(FAILED, trial=4, status="crashed", reason="ValueError: 9 rows", traceback="T 4"),
        replace(FAILED, trial=5, status="crashed", reason="KeyError: 'a'", traceback="T 5"),
        CANCELLED,
    ]
    crashed = {"status": "crashed"}
    assert failures_among(records) == (
        Failure(**crashed, reason="ValueError: 7 rows", count=3, first_trial=2, traceback="T 3"),
        Failure(
            status="timeout",
            reason="took longer than 3 s",
            count=1,
            first_trial=0,
            traceback=FAILED.traceback,
        ),
        Failure(**crashed, reason="KeyError: 'a'", count=1, first_trial=5, traceback="T 5"),
    )


def test_a_search_without_failures_has_no_kinds() -> None:
    assert failures_among([SUCCESS, CANCELLED]) == ()
    assert failures_among([]) == ()


def test_limits_are_one_kind_whatever_the_text_and_apart_from_each_other() -> None:
    kinds = {
        kind_of_failure(status, text)
        for status in (Status.TIMEOUT, Status.OUT_OF_MEMORY)
        for text in ("a", "b")
    }
    assert len(kinds) == 2


@pytest.mark.parametrize(
    ("reason", "text"),
    [
        ("ValueError: boom", "2 x crashed (ValueError: boom), first in trial 4"),
        ("", "2 x crashed, first in trial 4"),
    ],
)
def test_a_failure_reads_as_a_line(reason: str, text: str) -> None:
    failure = Failure(status="crashed", reason=reason, count=2, first_trial=4, traceback="T")
    assert str(failure) == text


def test_a_fitted_estimator_has_its_failures_and_an_unfitted_one_says_so() -> None:
    (failure,) = fitted_search().failures_
    assert (failure.first_trial, failure.status, failure.count) == (2, "timeout", 1)
    with pytest.raises(NotFittedError):
        AutoClassifier().failures_  # noqa: B018 - it is the access that must fail
