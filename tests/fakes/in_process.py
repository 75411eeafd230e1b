"""Searches whose evaluations run in a thread of this process: many of them in little time."""

from __future__ import annotations

import threading
import warnings
from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from fakes.slots import opens, run_here

from automl.evaluation.calls import CallLimits, Reply


@contextmanager
def evaluations_in_process() -> Iterator[None]:
    """Let every search run its evaluations here; what they warn of is lost, as in a sandbox."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("automl.fitting.open_run", lambda *_: opens(_run_silently))
        yield


def _run_silently(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return run_here(call, limits, cancelled)
