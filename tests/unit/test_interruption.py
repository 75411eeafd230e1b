"""The first signal leaves no time, the second one ends."""

from __future__ import annotations

import signal
import threading

import pytest

from automl.budget import Budget
from automl.interruption import ended_by_signals


@pytest.mark.parametrize(
    ("number", "second"), [(signal.SIGINT, KeyboardInterrupt), (signal.SIGTERM, SystemExit)]
)
def test_the_first_signal_leaves_no_time_and_the_second_ends(
    number: signal.Signals, second: type[BaseException]
) -> None:
    before = signal.getsignal(number)
    budget = Budget(seconds=100.0)
    with ended_by_signals(budget):
        signal.raise_signal(number)
        assert budget.is_interrupted
        assert budget.seconds_left == budget.search_seconds_left == 0.0
        assert not budget.allows_another(0)
        with pytest.raises(second):
            signal.raise_signal(number)
    assert signal.getsignal(number) is before


def test_a_signal_that_someone_handles_is_left_to_them() -> None:
    seen: list[int] = []
    before = signal.signal(signal.SIGTERM, lambda number, _: seen.append(number))
    budget = Budget()
    try:
        with ended_by_signals(budget):
            signal.raise_signal(signal.SIGTERM)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]
    assert not budget.is_interrupted


def test_other_threads_leave_signals_alone() -> None:
    handlers: list[object] = []

    def look() -> None:
        with ended_by_signals(Budget()):
            handlers.append(signal.getsignal(signal.SIGINT))

    thread = threading.Thread(target=look)
    thread.start()
    thread.join()
    assert handlers == [signal.getsignal(signal.SIGINT)]
