"""Workers without processes: a trial ends when the test says so, on a clock of its own."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence

from automl.trial import Outcome, Status, Trial

Pick = Callable[[Sequence[Trial]], int]
"""Which of the running trials ends next, by its position."""


class FakeClock:
    """Seconds that pass only where a test lets them."""

    def __init__(self, now: float = 1000.0) -> None:
        self.now = now

    def __call__(self) -> float:
        """Return the time."""
        return self.now


def first(running: Sequence[Trial]) -> int:  # noqa: ARG001 - a Pick
    return 0


def last(running: Sequence[Trial]) -> int:
    return len(running) - 1


def always_fail(trial: Trial) -> Outcome:
    return Outcome(
        number=trial.number,
        status=Status.CRASHED,
        loss=math.inf,
        seconds=1.0,
        reason=f"ValueError: no value in row {trial.number}",
    )


def always_succeed(trial: Trial) -> Outcome:
    return Outcome(number=trial.number, status=Status.SUCCESS, loss=0.5, seconds=1.0)


class FakeWorkers:
    """Ends one trial at each wait, and lets a second pass on the clock.

    Attributes
    ----------
    events : list of str
        "start", "wait" and "stop" in the order of the calls; a test may write into it too.
    waits : list of float
        Seconds that each wait was given.
    """

    def __init__(
        self,
        n_slots: int = 1,
        *,
        evaluate: Callable[[Trial], Outcome] = always_succeed,
        pick: Pick = first,
        clock: FakeClock | None = None,
    ) -> None:
        self.n_slots = n_slots
        self.running: list[Trial] = []
        self.events: list[str] = []
        self.waits: list[float] = []
        self._evaluate = evaluate
        self._pick = pick
        self._clock = clock if clock is not None else FakeClock()

    @property
    def all_busy(self) -> bool:
        """Whether there is no free slot."""
        return len(self.running) >= self.n_slots

    def start(self, trial: Trial) -> None:
        """Note the trial as running."""
        assert not self.all_busy, "started more than there are slots"
        self.events.append("start")
        self.running.append(trial)

    def wait(self, seconds: float) -> Iterator[Outcome]:
        """End one trial and let a second pass, or what is left of it."""
        self.events.append("wait")
        self.waits.append(seconds)
        if seconds < 1.0:
            self._clock.now += seconds
            return
        self._clock.now += 1.0
        if self.running:
            yield self._evaluate(self.running.pop(self._pick(self.running)))

    def stop(self) -> Iterator[Outcome]:
        """End all that runs."""
        self.events.append("stop")
        while self.running:
            yield from self.wait(math.inf)
