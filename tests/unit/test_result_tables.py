"""Results as plain text."""

from __future__ import annotations

from dataclasses import replace

from fakes.fitted_search import fitted_search

from automl.configuration_text import configuration_text, shortened
from automl.result_tables import (
    ensemble_text,
    failures_text,
    leaderboard_text,
    text_table,
    trial_text,
)


def test_columns_are_as_wide_as_their_widest_cell() -> None:
    text = text_table(("n", "name", "loss"), [("1", "a", "0.5"), ("20", "bcdef", "10")], left=(1,))
    assert text.splitlines() == [
        " n  name   loss",
        " 1  a       0.5",
        "20  bcdef    10",
    ]


def test_a_table_without_rows_has_its_head() -> None:
    assert text_table(("a", "b"), []) == "a  b\n"


def test_the_leaderboard_has_successes_by_loss_and_counts_the_failures() -> None:
    lines = leaderboard_text(fitted_search().leaderboard(), top=20).splitlines()
    assert [line.split() for line in lines[:-1]] == [
        ["trial", "learner", "loss", "seconds", "weight", "configuration"],
        ["0", "logistic_regression", "0.125", "1.2", "1.00", "C=0.988"],
        ["1", "lda", "0.25", "1.2", "preprocessor=pca"],
    ]
    assert lines[-1] == (
        "2 of 2 models; 3 trials finished, 1 failed (1 timeout), 1 cancelled at the end."
    )


def test_the_leaderboard_is_cut_at_the_top() -> None:
    lines = leaderboard_text(fitted_search().leaderboard(), top=1).splitlines()
    assert len(lines) == 3
    assert lines[-1].startswith("1 of 2 models; 3 trials finished")


def test_failures_are_listed_with_their_status_and_reason() -> None:
    lines = failures_text(fitted_search().trials_, top=20).splitlines()
    assert lines[0].split() == ["trial", "learner", "status", "seconds", "reason"]
    assert lines[1].split(maxsplit=4) == ["2", "mlp", "timeout", "1.2", "took longer than 1 s"]
    assert lines[2:] == [
        "1 of 1 failures; 3 trials finished, 1 failed (1 timeout), 1 cancelled at the end.",
        "",
        "1 x timeout (took longer than 1 s), first in trial 2",
    ]


def test_each_kind_of_failure_is_told_with_its_first_traceback() -> None:
    failure = replace(
        fitted_search().trials_[2], status="crashed", reason="E: 1", traceback="Traceback:\n  x\n"
    )
    text = failures_text([failure, replace(failure, trial=5, reason="E: 2")], top=1)
    assert text.endswith("\n\n2 x crashed (E: 1), first in trial 2\nTraceback:\n  x\n")


def test_failures_are_cut_at_the_top() -> None:
    failure = fitted_search().trials_[2]
    lines = failures_text([failure, replace(failure, reason="two\nlines")] * 2, top=2).splitlines()
    assert [line.split()[0] for line in lines[1:3]] == ["2", "2"]
    assert lines[2].endswith("  two lines")
    assert lines[3].startswith("2 of 4 failures;")


def test_a_trial_is_told_in_full() -> None:
    lines = trial_text(fitted_search().trials_[0], 0.75).splitlines()
    assert [line.split() for line in lines] == [
        ["trial", "0"],
        ["learner", "logistic_regression"],
        ["status", "success"],
        ["loss", "0.125"],
        ["weight", "0.75"],
        ["seconds", "1.25"],
        ["memory", "1", "MiB"],
        ["origin", "random"],
        [],
        ["configuration"],
        ["classifier", "logistic_regression"],
        ["classifier:logistic_regression:C", "0.98765"],
    ]


def test_a_failed_trial_ends_with_its_reason_and_traceback() -> None:
    trial = replace(fitted_search().trials_[2], traceback="Traceback:\n  File x\nValueError: y\n")
    lines = trial_text(trial, 0.0).splitlines()
    assert "loss     none" in lines
    assert lines[-5:] == [
        "reason: took longer than 1 s",
        "",
        "Traceback:",
        "  File x",
        "ValueError: y",
    ]


def test_the_ensemble_lists_its_members() -> None:
    lines = ensemble_text(fitted_search().ensemble_).splitlines()
    assert lines[1].split() == ["1.00", "0", "logistic_regression", "0.125", "all", "rows"]


def test_a_configuration_names_the_learners_own_hyperparameters_first() -> None:
    configuration = {
        "balancer": "empty",
        "imputer": "none",
        "preprocessor": "pca",
        "preprocessor:pca:keep": 0.5,
        "classifier": "lightgbm",
        "classifier:lightgbm:num_leaves": 31,
    }
    assert configuration_text(configuration) == "num_leaves=31 preprocessor=pca"


def test_a_long_text_is_cut_and_says_so() -> None:
    assert shortened("a b\nc") == "a b c"
    assert shortened("x" * 72) == "x" * 72
    assert shortened("x" * 73) == "x" * 69 + "..."
