"""Tests of the schedules of the weight of exploitation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.schedules import (
    HAND_MADE,
    AlphaSchedule,
    FixedAlpha,
    LinearAlpha,
    PulsedAlpha,
    SteppedAlpha,
    SwitchedAlpha,
)


def followed(schedule: AlphaSchedule, n: int) -> list[float]:
    """Return the weights of a search of n proposals."""
    return [round(schedule(step / n, step), 12) for step in range(n)]


def test_a_fixed_weight_stays() -> None:
    assert followed(FixedAlpha(0.3), 4) == [0.3] * 4


def test_a_linear_weight_goes_from_start_to_end() -> None:
    assert followed(LinearAlpha(0.5, 1.0), 4) == [0.5, 0.625, 0.75, 0.875]
    assert LinearAlpha(1.0, 0.2)(1.0, 9) == pytest.approx(0.2)


def test_steps_are_equally_long_and_reach_both_ends() -> None:
    up = [0.5, 0.5, 0.625, 0.625, 0.75, 0.75, 0.875, 0.875, 1.0, 1.0]
    assert followed(HAND_MADE["steps_ei_to_pi"], 10) == up
    assert followed(HAND_MADE["steps_pi_to_ei"], 10) == up[::-1]
    assert SteppedAlpha(0.5, 1.0, n_steps=5)(1.0, 10) == 1.0


@pytest.mark.parametrize(("name", "before"), [("25", 2), ("50", 4), ("75", 6)])
def test_a_switch_happens_once_where_it_is_set(name: str, before: int) -> None:
    expected = [0.5] * before + [1.0] * (8 - before)
    assert followed(HAND_MADE[f"switch_at_{name}"], 8) == expected


def test_a_pulse_takes_its_weights_in_turn_whatever_the_budget() -> None:
    pulse = HAND_MADE["pulse"]
    assert [pulse(0.9, step) for step in range(7)] == [0.1, 0.3, 0.5, 0.7, 0.9, 0.1, 0.3]


@pytest.mark.parametrize("name", sorted(HAND_MADE))
@given(progress=st.floats(0.0, 1.0), step=st.integers(0, 10_000))
def test_every_schedule_gives_a_weight_at_any_time(name: str, progress: float, step: int) -> None:
    assert 0.0 <= HAND_MADE[name](progress, step) <= 1.0


@pytest.mark.parametrize("schedule", [*HAND_MADE.values(), LinearAlpha(0.0, 1.0)])
@pytest.mark.parametrize(("progress", "step"), [(-0.1, 0), (1.1, 0), (np.nan, 0), (0.5, -1)])
def test_a_position_outside_the_search_is_refused(
    schedule: AlphaSchedule, progress: float, step: int
) -> None:
    with pytest.raises(ValueError, match="progress"):
        schedule(progress, step)


@pytest.mark.parametrize("alpha", [-0.1, 1.1, np.nan])
def test_weights_out_of_range_are_refused(alpha: float) -> None:
    makers = (
        lambda: FixedAlpha(alpha),
        lambda: LinearAlpha(0.5, alpha),
        lambda: SteppedAlpha(alpha, 0.5, n_steps=3),
        lambda: SwitchedAlpha(0.5, alpha, at=0.5),
        lambda: PulsedAlpha((0.5, alpha)),
    )
    for make in makers:
        with pytest.raises(ValueError, match="alpha"):
            make()


def test_schedules_without_content_are_refused() -> None:
    with pytest.raises(ValueError, match="n_steps"):
        SteppedAlpha(0.0, 1.0, n_steps=1)
    with pytest.raises(ValueError, match="empty"):
        PulsedAlpha(())
    for at in (0.0, 1.0, np.nan):
        with pytest.raises(ValueError, match="at must"):
            SwitchedAlpha(0.0, 1.0, at=at)
