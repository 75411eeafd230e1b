"""What can be measured of the overhead at all; the figures themselves are never asserted."""

from __future__ import annotations

import math

import pytest

from automl.benchmark.overhead import overrun_seconds


@pytest.mark.slow
def test_the_overrun_is_measured_in_a_search_with_hostile_learners() -> None:
    assert math.isfinite(overrun_seconds("quake", 4.0))
