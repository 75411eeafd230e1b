"""Messages about parameters in the words of the command line."""

from __future__ import annotations

import inspect
from pathlib import Path

import pytest

from automl.errors import InputError, InputTypeError
from automl.estimator import AutoClassifier
from automl.option_names import OPTIONS, as_options, in_options


def test_every_parameter_has_its_option_but_those_that_only_programs_can_give() -> None:
    parameters = set(inspect.signature(AutoClassifier).parameters)
    assert parameters - set(OPTIONS) == {"extra_learners", "callbacks"}
    assert set(OPTIONS) <= parameters


@pytest.mark.parametrize(
    ("message", "translated"),
    [
        ("Raise time_limit, trial_time_limit or memory_limit.", None),
        ("cv=5 folds cannot be made", "--cv 5 folds cannot be made"),
        ("scoring='acuracy' is no scorer", "--scoring 'acuracy' is no scorer"),
        ("include: unknown name 'cv'", "--include: unknown name 'cv'"),
        ("a: both in include and in exclude", "a: both in --include and in --exclude"),
        ("the message may include what an optimizer says", "the same"),
        ("column 'time_limit' has values", "the same"),
        ("scikit-learn's n_jobs and column 'n_jobs'", "scikit-learn's --jobs and column 'n_jobs'"),
        ("raise --time-limit and my_time_limit_too", "the same"),
    ],
)
def test_parameters_become_options_and_quotations_stay(
    message: str, translated: str | None
) -> None:
    expected = translated or "Raise --time-limit, --trial-time-limit or --memory-limit."
    assert in_options(message) == (message if translated == "the same" else expected)


def test_errors_name_the_file_and_the_target_and_leave_out_what_only_programs_can_do() -> None:
    with pytest.raises(InputError) as caught, as_options(Path("t.csv"), "risk"):
        raise InputTypeError("X and y, of which 'X' and y-z; AutoClassifier", "pass an object")
    assert str(caught.value) == "'t.csv' and --target 'risk', of which 'X' and y-z; automl"


def test_python_gets_the_whole_message() -> None:
    assert str(InputError("cv=1 is wrong.", in_python="Pass a splitter.")) == (
        "cv=1 is wrong. Pass a splitter."
    )
