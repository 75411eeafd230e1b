"""The progress report: what it says, where, and that it never gets in the way."""

from __future__ import annotations

import io
import logging
import math
import sys
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace

from automl.budget import Budget
from automl.estimator import AutoClassifier
from automl.history import History, Problem
from automl.progress import watch
from automl.settings import Settings, check_settings
from automl.trial import Origin, Outcome, Proposal, Status


class Terminal(io.StringIO):
    """A stream that says it is a terminal."""

    def isatty(self) -> bool:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        """Return True."""
        return True


class BrokenStream(io.StringIO):
    """A stream whose reader has gone."""

    def write(self, text: str) -> int:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        """Fail."""
        raise BrokenPipeError(f"nobody reads {text!r}")


@dataclass
class Clock:
    """Seconds that pass only when told to."""

    now: float = 100.0

    def __call__(self) -> float:
        """Return the time."""
        return self.now


class OneLearner:
    """The part of a search space that a report asks."""

    def classifier_of(self, configuration: object) -> str:  # noqa: ARG002 - the real signature
        """Return the only learner."""
        return "lda"


@dataclass
class Search:
    """Plays a search to the observers of `watch`."""

    settings: Settings
    budget: Budget
    history: History = field(init=False)

    def play(self, *steps: Callable[[Search], None]) -> None:
        """Take the steps while the search is watched."""
        with watch(self.settings, self.budget) as observers:
            problem: Any = Problem(
                search_space=OneLearner(),  # type: ignore[arg-type]  # only asked for names
                encoder=None,  # type: ignore[arg-type]  # never asked
                metric=None,  # type: ignore[arg-type]  # never asked
                codes=np.zeros(0, dtype=np.int64),
            )
            predictions: Any = None
            self.history = History(problem, predictions, 0, observers=observers)
            for step in steps:
                step(self)

    def start(self) -> int:
        """Start a trial and return its number."""
        configuration = ConfigurationSpace({"x": (0.0, 1.0)}).sample_configuration()
        trial = self.history.open_trial(Proposal(configuration=configuration, origin=Origin.RANDOM))
        return trial.number


def new_search(
    verbose: int,
    *callbacks: Callable[..., object],
    seconds: float = 60.0,
    n_trials: int | None = None,
) -> tuple[Search, Clock]:
    clock = Clock()
    budget = Budget(seconds=seconds, n_trials=n_trials, clock=clock)
    settings = check_settings(AutoClassifier(verbose=verbose, callbacks=callbacks))
    return Search(settings, budget), clock


def success(loss: float) -> Callable[[Search], None]:
    def step(search: Search) -> None:
        number = search.start()
        outcome = Outcome(number=number, status=Status.SUCCESS, loss=loss, seconds=2.14)
        search.history.record(outcome)

    return step


def ended(status: Status, reason: str = "") -> Callable[[Search], None]:
    def step(search: Search) -> None:
        number = search.start()
        search.history.record(
            Outcome(number=number, status=status, loss=math.inf, seconds=9.96, reason=reason)
        )

    return step


def start_only(search: Search) -> None:
    search.start()


def later(clock: Clock, seconds: float) -> Callable[[Search], None]:
    def step(_: Search) -> None:
        clock.now += seconds

    return step


def shown(monkeypatch: pytest.MonkeyPatch, stream: io.StringIO, search: Search, *steps: Any) -> str:
    monkeypatch.setattr(sys, "stderr", stream)
    search.play(*steps)
    return stream.getvalue()


def test_verbosity_zero_writes_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    search, clock = new_search(0)
    steps = (success(0.5), later(clock, 30.0), success(0.25))
    assert shown(monkeypatch, Terminal(), search, *steps) == ""


def test_callbacks_get_each_outcome_and_the_history() -> None:
    seen: list[tuple[int, int]] = []
    search, _ = new_search(
        0, lambda outcome, history: seen.append((outcome.number, history.n_finished))
    )
    search.play(success(0.5), ended(Status.CRASHED))
    assert seen == [(0, 1), (1, 2)]


@pytest.mark.parametrize("verbose", [0, 1, 2])
@pytest.mark.parametrize(("answer", "stops"), [(True, True), (None, False), (1, False)])
def test_only_the_answer_true_stops_the_search(
    verbose: int, answer: object, stops: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sys, "stderr", io.StringIO())
    search, _ = new_search(verbose, lambda *_: answer, lambda *_: None)
    search.play(success(0.5))
    assert search.budget.is_stopped is stops


def test_plain_lines_come_at_improvements_and_when_the_last_is_ten_seconds_old(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, clock = new_search(1)
    text = shown(
        monkeypatch,
        io.StringIO(),
        search,
        success(0.5),
        success(0.75),
        success(0.5),  # as good is no improvement
        later(clock, 9.9),
        success(0.6),
        later(clock, 0.2),
        ended(Status.TIMEOUT),
        later(clock, 1.0),
        success(0.25),
    )
    assert text.splitlines() == [
        "automl: 0 s: 1 trial finished, best loss 0.5 (lda), 60 s left",
        "automl: 10 s: 5 trials finished, 1 failed, best loss 0.5 (lda), 50 s left",
        "automl: 11 s: 6 trials finished, 1 failed, best loss 0.25 (lda), 49 s left",
        "automl: asked 60 s, used 11.1 s, 6 trials finished, 1 failed (1 timeout), best loss 0.25",
    ]


def test_running_trials_and_the_limit_of_trials_are_in_the_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, _ = new_search(1, seconds=math.inf, n_trials=9)
    text = shown(monkeypatch, io.StringIO(), search, start_only, start_only, success(0.5))
    assert text.splitlines()[0] == (
        "automl: 0 s: 1 of 9 trials finished, 2 running, best loss 0.5 (lda)"
    )


def test_the_line_says_when_the_search_is_over_and_the_ensemble_is_built(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, _ = new_search(1, seconds=math.inf, n_trials=1)
    text = shown(monkeypatch, io.StringIO(), search, success(0.5))
    assert text.splitlines()[0].endswith("best loss 0.5 (lda), building the ensemble")


@pytest.mark.parametrize(
    ("seconds", "n_trials", "asked"),
    [(60.0, None, "60 s"), (math.inf, 7, "7 trials"), (2.5, 7, "2.5 s or 7 trials")],
)
def test_the_last_line_says_what_was_asked_for(
    seconds: float, n_trials: int | None, asked: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, clock = new_search(1, seconds=seconds, n_trials=n_trials)
    text = shown(monkeypatch, io.StringIO(), search, success(0.04612), later(clock, 1.26))
    assert text.splitlines()[-1] == (
        f"automl: asked {asked}, used 1.3 s, 1 trial finished, 0 failed, best loss 0.04612"
    )


def test_cancelled_trials_are_neither_finished_nor_failed(monkeypatch: pytest.MonkeyPatch) -> None:
    search, _ = new_search(1)
    steps = (ended(Status.CRASHED), ended(Status.CANCELLED), ended(Status.OUT_OF_MEMORY))
    text = shown(monkeypatch, io.StringIO(), search, *steps)
    assert text.splitlines()[-1] == (
        "automl: asked 60 s, used 0 s, 2 trials finished, "
        "2 failed (1 crashed, 1 out of memory), 1 cancelled at the end, no model"
    )


def test_verbosity_two_has_a_line_for_each_trial(monkeypatch: pytest.MonkeyPatch) -> None:
    search, _ = new_search(2)
    steps = (success(0.5), success(0.75), ended(Status.CRASHED, "ValueError:\n  no rows"))
    text = shown(monkeypatch, io.StringIO(), search, *steps)
    assert [line for line in text.splitlines() if line.startswith("automl: trial ")] == [
        "automl: trial 0, lda: loss 0.5 in 2.1 s",
        "automl: trial 1, lda: loss 0.75 in 2.1 s",
        "automl: trial 2, lda: crashed after 10.0 s (ValueError: no rows)",
    ]


def test_an_error_in_the_search_passes_and_has_no_last_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    def fail(_: Search) -> None:
        raise RuntimeError("worker lost")

    stream = io.StringIO()
    search, _ = new_search(1)
    with pytest.raises(RuntimeError, match="worker lost"):
        shown(monkeypatch, stream, search, success(0.5), fail)
    assert "asked" not in stream.getvalue()


@pytest.mark.parametrize("stream", [BrokenStream(), None], ids=["broken", "absent"])
def test_a_stream_that_cannot_be_written_does_not_stop_the_search(
    stream: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    search, _ = new_search(2)
    monkeypatch.setattr(sys, "stderr", stream)
    search.play(success(0.5), success(0.25))
    assert search.history.n_finished == 2


def test_logging_is_left_as_it_was(monkeypatch: pytest.MonkeyPatch) -> None:
    root = logging.getLogger()
    before = (list(root.handlers), root.level, list(logging.getLogger("automl").handlers))
    search, _ = new_search(2)
    shown(monkeypatch, io.StringIO(), search, success(0.5))
    assert before == (root.handlers, root.level, logging.getLogger("automl").handlers)


def test_a_terminal_has_one_live_line_and_keeps_only_the_last_line(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    search, _ = new_search(1)
    text = shown(monkeypatch, Terminal(), search, success(0.5), success(0.25))
    assert "0 s: waiting for the first trial, 60 s left" in text
    assert "0 s: 2 trials finished, best loss 0.25 (lda), 60 s left" in text
    assert on_screen(text) == ["asked 60 s, used 0 s, 2 trials finished, 0 failed, best loss 0.25"]


def test_trial_lines_stay_above_the_live_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    search, _ = new_search(2)
    text = shown(monkeypatch, Terminal(), search, success(0.5))
    assert on_screen(text) == [
        "trial 0, lda: loss 0.5 in 2.1 s",
        "asked 60 s, used 0 s, 1 trial finished, 0 failed, best loss 0.5",
    ]


def test_the_live_line_is_cut_to_a_narrow_terminal(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "30")
    search, _ = new_search(1)
    text = shown(monkeypatch, Terminal(), search, success(0.5))
    assert "0 s: 1 trial finished, best lo" in text
    assert "0.5 (lda)" not in text


def test_a_dumb_terminal_gets_plain_lines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "dumb")
    search, _ = new_search(1)
    text = shown(monkeypatch, Terminal(), search, success(0.5))
    assert "\x1b" not in text
    assert len(text.splitlines()) == 2


def test_the_error_stream_is_put_back(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    terminal = Terminal()
    search, _ = new_search(1)
    shown(monkeypatch, terminal, search, success(0.5))
    assert sys.stderr is terminal


@pytest.mark.slow
def test_the_live_line_follows_the_clock_between_outcomes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setenv("COLUMNS", "120")
    search, clock = new_search(1)

    def wait(_: Search) -> None:
        time.sleep(1.5)

    text = shown(monkeypatch, Terminal(), search, success(0.5), later(clock, 7.0), wait)
    assert "7 s: 1 trial finished, best loss 0.5 (lda), 53 s left" in text


def on_screen(text: str) -> list[str]:
    """Return the lines that a terminal shows after some output.

    Knows what a live line uses: carriage return, "erase line" and "cursor up".
    """
    lines, row = [""], 0
    position = 0
    while position < len(text):
        if text.startswith("\x1b[", position):
            end = next(i for i in range(position + 2, len(text)) if text[i].isalpha())
            command, argument = text[end], text[position + 2 : end]
            if command == "A":
                row -= int(argument or 1)
            elif command == "K":
                lines[row] = ""
            position = end + 1
            continue
        character = text[position]
        if character == "\n":
            row += 1
            lines += [""] * (row + 1 - len(lines))
        elif character != "\r":
            lines[row] += character
        position += 1
    return [line.rstrip() for line in lines if line.strip()]
