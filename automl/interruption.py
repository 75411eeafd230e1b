"""Ctrl-C and SIGTERM end a fit with what it has found until then."""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from automl.budget import Budget

_SIGNALS = (signal.SIGINT, signal.SIGTERM)
_NOBODYS = (signal.default_int_handler, signal.SIG_DFL)


@contextmanager
def ended_by_signals(budget: Budget) -> Iterator[None]:
    """Let the first interrupt leave no time in a budget, and the second one end the process's work.

    An exception raised wherever the interpreter happens to be may be swallowed by a callback of a
    library or leave a file half written; a flag is looked at where it is safe. Signals that someone
    else handles or ignores are left alone, and so is everything outside the main thread, where
    Python handles no signals.

    Parameters
    ----------
    budget : Budget
        Of the fit that runs inside the context.

    Raises
    ------
    KeyboardInterrupt
        At the second SIGINT.
    SystemExit
        At the second SIGTERM, with exit code 143.
    """
    if threading.current_thread() is not threading.main_thread():
        yield
        return

    def handle(number: int, _: FrameType | None) -> None:
        if not budget.is_interrupted:
            budget.interrupt()
        elif number == signal.SIGTERM:
            raise SystemExit(128 + number)
        else:
            raise KeyboardInterrupt

    replaced = {
        number: signal.signal(number, handle)
        for number in _SIGNALS
        if signal.getsignal(number) in _NOBODYS
    }
    try:
        yield
    finally:
        for number, handler in replaced.items():
            signal.signal(number, handler)
