"""One clock for the whole of ``fit``: how much time and how many trials are left."""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from dataclasses import dataclass, field


@dataclass(slots=True, kw_only=True)
class Budget:
    """Seconds and trials for a search, measured from one start.

    Whoever starts work asks the budget how long that work may take.

    Attributes
    ----------
    seconds : float
        Time from the start to the end of ``fit``; infinity for no limit.
    n_trials : int or None
        Evaluations that may be started; None for no limit.
    clock : callable
        Monotonic seconds.
    started_at : float
        Reading of the clock when the budget began.
    reserved : float
        Seconds at the end that the search leaves to what comes after it.
    is_stopped : bool
        Whether someone asked the search to end early.
    is_interrupted : bool
        Whether someone asked ``fit`` to end at once: no time is left then.
    """

    seconds: float = math.inf
    n_trials: int | None = None
    clock: Callable[[], float] = time.monotonic
    started_at: float = field(default=math.nan)
    reserved: float = 0.0
    is_stopped: bool = False
    is_interrupted: bool = False

    def __post_init__(self) -> None:
        if math.isnan(self.started_at):
            self.started_at = self.clock()

    @property
    def seconds_used(self) -> float:
        """Time since the start."""
        return self.clock() - self.started_at

    @property
    def seconds_left(self) -> float:
        """Time until the end of ``fit``, never negative."""
        return 0.0 if self.is_interrupted else max(0.0, self.seconds - self.seconds_used)

    @property
    def search_seconds_left(self) -> float:
        """Time until the search has to end, never negative."""
        return max(0.0, self.seconds_left - self.reserved)

    def interrupt(self) -> None:
        """Leave no time: the search ends, and what comes after it does without more fits."""
        self.is_stopped = self.is_interrupted = True

    def allows_another(self, n_started: int) -> bool:
        """Return whether one more evaluation may be started."""
        has_trials = self.n_trials is None or n_started < self.n_trials
        return has_trials and not self.is_stopped and self.search_seconds_left > 0.0

    def __str__(self) -> str:  # type: ignore[explicit-override]  # typing has it from 3.12 on
        asked = [seconds_text(self.seconds)] if math.isfinite(self.seconds) else []
        asked += [trials_text(self.n_trials)] if self.n_trials is not None else []
        return f"asked {' or '.join(asked) or 'no limit'}, used {seconds_text(self.seconds_used)}"


def seconds_text(seconds: float) -> str:
    """Return a time in seconds to a tenth.

    Examples
    --------
    >>> seconds_text(60.0), seconds_text(58.7123)
    ('60 s', '58.7 s')
    """
    return f"{seconds:.1f}".removesuffix(".0") + " s"


def trials_text(n: int) -> str:
    """Return a number of trials in words.

    Examples
    --------
    >>> trials_text(1), trials_text(3)
    ('1 trial', '3 trials')
    """
    return f"{n} trial" if n == 1 else f"{n} trials"
