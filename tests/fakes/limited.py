"""Calls of a study's evaluations that use what is limited, or fail of what the machine lacks."""

from __future__ import annotations

import time
from pathlib import Path
from typing import NoReturn

import numpy as np
from fakes import hostile

from automl.benchmark.study.evaluation_limits import EvaluationLimits
from automl.evaluation.framing import Payload

LIMITS = EvaluationLimits(cpu_seconds=0.2, memory_mib=200.0)


def work(seconds: float) -> Payload:
    """Use the processor under the limits, then more without them, as the reply may need it."""
    with LIMITS.enforced():
        _use_processor(seconds)
    _use_processor(2.0 * LIMITS.cpu_seconds)
    return hostile.answer()


def wait() -> Payload:
    with LIMITS.enforced():
        time.sleep(2.0 * LIMITS.cpu_seconds)
    return hostile.answer()


def fill_the_disk() -> NoReturn:
    try:
        with Path("/dev/full").open("w", encoding="utf-8") as file:
            file.write("x")
    except OSError as error:
        raise ValueError("cannot fit") from error
    raise AssertionError


def ask_for_memory(n_tib: int) -> NoReturn:
    np.zeros((n_tib, 2**40), dtype=np.uint8)
    raise AssertionError


def _use_processor(seconds: float) -> None:
    end = time.process_time() + seconds
    while time.process_time() < end:
        pass
