"""Tests of the self-adjusting weight."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.sawei import (
    SaweiRecord,
    SaweiSettings,
    converged,
    current_regret,
    is_exploring,
    next_alpha,
    smoothed,
)

AT_ONCE = SaweiSettings(window=1)  # no smoothing, the first judgement after two records
regret_lists = st.lists(st.floats(0.0, 10.0), min_size=1, max_size=25)


def record(
    regret: float,
    *,
    explore: float = 0.2,
    exploit: float = 0.1,
    alpha: float = 0.5,
    changed: bool = False,
) -> SaweiRecord:
    return SaweiRecord(alpha, explore, exploit, regret, changed)


def with_regrets(regrets: Sequence[float], **others: float) -> list[SaweiRecord]:
    return [record(regret, **others) for regret in regrets]  # type: ignore[arg-type]


def test_smoothing_pads_with_the_first_regret() -> None:
    regrets = np.array([8.0, 0.0, 0.0, 0.0, 4.0])
    # Windows of four, whose middle two are averaged: 8888, 8880, 8800, 8000, 0004.
    assert smoothed(regrets, window=4).tolist() == [8.0, 8.0, 4.0, 0.0, 0.0]
    assert smoothed(regrets, window=1).tolist() == regrets.tolist()


def test_one_outlier_in_seven_leaves_no_trace() -> None:
    regrets = np.ones(20)
    regrets[10] = 100.0
    np.testing.assert_allclose(smoothed(regrets, window=7), np.ones(20), rtol=1e-14)


@given(regret_lists, st.integers(1, 8))
def test_smoothing_looks_back_only(regrets: list[float], window: int) -> None:
    series = np.array(regrets)
    whole = smoothed(series, window=window)
    for end in range(1, len(series) + 1):
        assert smoothed(series[:end], window=window)[-1] == pytest.approx(whole[end - 1])


@pytest.mark.parametrize("regrets", [[], [1.0, np.nan], [-np.inf, 1.0]])
def test_regrets_that_are_none_are_refused(regrets: list[float]) -> None:
    with pytest.raises(ValueError, match="finite"):
        smoothed(np.array(regrets), window=3)


def test_convergence_is_judged_by_the_greatest_gradient_so_far() -> None:
    # Steps of 10, 2, 1, 0.5, 0.5; the greatest gradient is 10 throughout.
    series = np.array([20.0, 10.0, 8.0, 7.0, 6.5, 7.0])
    assert converged(series, AT_ONCE).tolist() == [False, False, False, True, True, True]
    strict = dataclasses.replace(AT_ONCE, epsilon=0.05)
    assert converged(series, strict).tolist() == [False, False, False, False, True, True]


def test_a_later_jump_does_not_change_earlier_judgements() -> None:
    series = np.array([1.0, 2.0, 3.0, 3.2, 100.0, 101.0])
    assert converged(series, AT_ONCE).tolist() == [False, False, False, False, False, True]


@given(regret_lists, st.integers(1, 4), st.sampled_from([0.0, 0.05, 0.1, 0.5, 1.0]))
def test_convergence_is_that_of_the_numerical_gradient_of_each_beginning(
    regrets: list[float], window: int, epsilon: float
) -> None:
    series = np.array(regrets)
    settings = SaweiSettings(window=window, epsilon=epsilon)
    expected = [False] * len(series)
    for end in range(window, len(series)):
        if end >= 1:
            gradient = np.abs(np.gradient(series[: end + 1]))
            expected[end] = bool(gradient[-1] <= epsilon * gradient.max())
    assert converged(series, settings).tolist() == expected


def test_nothing_is_judged_before_the_window_is_full_of_regrets() -> None:
    settings = SaweiSettings(window=7)
    flat = converged(np.ones(9), settings)
    assert flat.tolist() == [False] * 7 + [True] * 2
    alphas = [next_alpha(with_regrets([1.0] * n), settings) for n in range(9)]
    assert alphas == [0.5] * 8 + [0.6]


def test_the_first_weight_is_that_of_the_settings() -> None:
    assert next_alpha([], SaweiSettings(initial_alpha=0.3)) == 0.3


def test_an_attitude_is_answered_by_its_opposite() -> None:
    exploring = with_regrets([1.0, 1.0], explore=0.2, exploit=0.1)
    exploiting = with_regrets([1.0, 1.0], explore=0.1, exploit=0.2)
    assert next_alpha(exploring, AT_ONCE) == pytest.approx(0.6)
    assert next_alpha(exploiting, AT_ONCE) == pytest.approx(0.4)


def test_equal_terms_count_as_exploiting() -> None:
    equal = with_regrets([1.0, 1.0], explore=0.2, exploit=0.2)
    assert next_alpha(equal, AT_ONCE) == pytest.approx(0.4)


def test_while_the_regret_moves_the_weight_stays() -> None:
    assert next_alpha(with_regrets([3.0, 2.0, 1.0], alpha=0.7), AT_ONCE) == 0.7


@pytest.mark.parametrize(("alpha", "explore", "limit"), [(0.97, 0.2, 1.0), (0.03, 0.0, 0.0)])
def test_the_weight_stays_in_its_range(alpha: float, explore: float, limit: float) -> None:
    records = with_regrets([1.0, 1.0], explore=explore, exploit=0.1, alpha=alpha)
    assert next_alpha(records, AT_ONCE) == limit


# Exploring much at first, then exploiting a little.
TRACKED = [
    record(4.0, explore=0.9, exploit=0.1),
    record(4.0, explore=0.9, exploit=0.1, changed=True),
    record(2.0, explore=0.4, exploit=0.1),
    record(2.0, explore=0.1, exploit=0.2),
]


@pytest.mark.parametrize(
    ("tracking", "events", "exploring"),
    [
        ("last", [False, True, False, True], False),
        ("until_adjustment", [False, True, False, True], True),
        ("until_adjustment", [False, False, True, True], False),
        ("until_adjustment", [False, False, False, True], True),
        ("until_incumbent_change", [False, False, True, True], True),
    ],
)
def test_the_attitude_is_summed_over_the_records_tracked(
    tracking: str, events: list[bool], exploring: bool
) -> None:
    assert is_exploring(TRACKED, np.array(events), tracking) == exploring  # type: ignore[arg-type]


def test_sums_begin_after_the_record_that_changed_the_incumbent() -> None:
    changed_late = [
        *TRACKED[:2],
        dataclasses.replace(TRACKED[2], incumbent_changed=True),
        TRACKED[3],
    ]
    nothing = np.zeros(4, dtype=np.bool_)
    assert is_exploring(TRACKED, nothing, "until_incumbent_change")
    assert not is_exploring(changed_late, nothing, "until_incumbent_change")


def test_a_change_at_the_last_record_ends_its_sums_only_afterwards() -> None:
    changed_now = [*TRACKED[:3], dataclasses.replace(TRACKED[3], incumbent_changed=True)]
    assert is_exploring(changed_now, np.zeros(4, dtype=np.bool_), "until_incumbent_change")


def test_a_search_followed_by_hand() -> None:
    # Unsmoothed regrets and the steps they end with; an adjustment is due up to a step of 0.1.
    regrets = [2.0, 1.0, 1.0, 0.95, 0.5, 0.5, 0.5]
    attitudes = [(0.3, 0.1)] * 4 + [(0.1, 0.3)] * 3
    records: list[SaweiRecord] = []
    alphas = [0.5]
    for regret, (explore, exploit) in zip(regrets, attitudes, strict=True):
        records.append(record(regret, explore=explore, exploit=exploit, alpha=alphas[-1]))
        alphas.append(next_alpha(records, AT_ONCE))
    np.testing.assert_allclose(alphas, [0.5, 0.5, 0.5, 0.6, 0.7, 0.7, 0.6, 0.5])


def test_a_regret_that_is_not_finite_is_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        next_alpha(with_regrets([-np.inf, 1.0]), AT_ONCE)


# kappa is sqrt(2 ln(2 * 3^2 / 18)) = 0 with beta 18, and 2 with the other one.
@pytest.mark.parametrize(
    ("beta", "share", "expected"),
    [
        (18.0, 1.0, 0.2 - -0.4),
        (18.0, 0.5, 0.3 - -0.4),
        (18.0 / np.exp(2.0), 1.0, min(0.5 + 0.0, 0.3 + 0.4, 0.2 + 0.8) - (0.2 - 0.8)),
    ],
)
def test_the_regret_follows_the_settings(beta: float, share: float, expected: float) -> None:
    losses, mean = np.array([0.2, 0.1, 0.6]), np.array([0.5, 0.3, 0.2])
    std = np.array([0.0, 0.2, 0.4])
    settings = SaweiSettings(beta=beta, evaluated_share=share)
    regret = current_regret(losses, (mean, std), lambda kappa: kappa / 5 - 0.4, 2, settings)
    assert regret == pytest.approx(expected)


def test_losses_and_predictions_of_other_configurations_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        current_regret(np.zeros(2), (np.zeros(3), np.ones(3)), float, 2, SaweiSettings())


@pytest.mark.parametrize(
    "wrong",
    [
        {"initial_alpha": 1.1},
        {"delta": 0.0},
        {"epsilon": -0.1},
        {"epsilon": np.inf},
        {"window": 0},
        {"beta": 0.0},
        {"evaluated_share": 0.0},
        {"tracking": "never"},
        {"units": "metres"},
    ],
)
def test_settings_without_meaning_are_refused(wrong: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=next(iter(wrong))):
        SaweiSettings(**wrong)  # type: ignore[arg-type]
