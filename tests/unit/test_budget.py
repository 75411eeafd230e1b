"""The clock of ``fit``."""

from __future__ import annotations

import math
import time

import pytest
from fakes.workers import FakeClock

from automl.budget import Budget


def test_time_is_counted_from_the_given_start_and_never_negative() -> None:
    clock = FakeClock(100.0)
    budget = Budget(seconds=10.0, clock=clock, started_at=96.0)
    assert (budget.seconds_used, budget.seconds_left) == (4.0, 6.0)
    clock.now = 200.0
    assert (budget.seconds_used, budget.seconds_left) == (104.0, 0.0)


def test_the_clock_starts_at_once_unless_told_otherwise() -> None:
    clock = FakeClock(100.0)
    assert Budget(clock=clock).started_at == 100.0
    assert Budget().started_at == pytest.approx(time.monotonic(), abs=1.0)


def test_reserved_seconds_are_taken_from_the_search_only() -> None:
    clock = FakeClock()
    budget = Budget(seconds=10.0, clock=clock, reserved=4.0)
    assert (budget.seconds_left, budget.search_seconds_left) == (10.0, 6.0)
    clock.now += 6.0
    assert (budget.seconds_left, budget.search_seconds_left) == (4.0, 0.0)
    assert not budget.allows_another(0)
    budget.reserved = 2.0
    assert budget.allows_another(0)


def test_without_limits_there_is_always_time_for_another() -> None:
    budget = Budget()
    assert budget.seconds_left == budget.search_seconds_left == math.inf
    assert budget.allows_another(10**9)


@pytest.mark.parametrize(("n_started", "allows"), [(0, True), (2, True), (3, False), (4, False)])
def test_the_number_of_trials_is_a_limit(n_started: int, allows: bool) -> None:
    assert Budget(n_trials=3).allows_another(n_started) is allows


def test_a_stopped_search_starts_nothing_more() -> None:
    budget = Budget()
    budget.is_stopped = True
    assert not budget.allows_another(0)
