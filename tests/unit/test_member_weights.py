"""Tests of the weights of an ensemble's members."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.surrogates.member_weights import (
    FOREST,
    GAUSSIAN_PROCESS,
    Round,
    equal_weights,
    initial_weights,
    mean_errors,
    std_errors,
    updated_weights,
    weights_from_rounds,
    weights_without,
)
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

NAMES = [FOREST, "extra_trees", "gradient_boosting", GAUSSIAN_PROCESS]
CONTINUOUS = ColumnLayout(numeric=(0, 1), categorical=())
MIXED = ColumnLayout(numeric=(0,), categorical=((1, 2),))

errors = st.dictionaries(
    st.sampled_from(NAMES), st.one_of(st.floats(0.0, 10.0), st.just(math.nan)), max_size=4
)


def array(*values: float) -> FloatArray:
    return np.array(values, dtype=np.float64)


def won_by(name: str, *, without: str = "") -> Round:
    """Return a round that one member foretold exactly and the others did not."""
    means = {other: array(float(other != name)) for other in NAMES if other != without}
    return Round(means=means, losses=array(0.0))


def test_all_weight_starts_on_the_gaussian_process_if_continuous_and_else_on_the_forest() -> None:
    assert initial_weights(NAMES, CONTINUOUS) == dict(zip(NAMES, (0, 0, 0, 1), strict=True))
    assert initial_weights(NAMES, MIXED) == dict(zip(NAMES, (1, 0, 0, 0), strict=True))


def test_without_the_member_to_start_with_all_weight_is_on_the_first() -> None:
    assert initial_weights(["a", FOREST], CONTINUOUS) == {"a": 1.0, FOREST: 0.0}
    assert initial_weights(["a", GAUSSIAN_PROCESS], MIXED) == {"a": 1.0, GAUSSIAN_PROCESS: 0.0}


def test_the_lowest_error_wins_and_the_weights_move_by_alpha() -> None:
    weights = updated_weights({"a": 0.2, "b": 0.5, "c": 0.3}, {"a": 2.0, "b": 1.5, "c": 1.0}, 0.4)
    assert weights == pytest.approx({"a": 0.12, "b": 0.3, "c": 0.58})


def test_a_tie_goes_to_the_first_member() -> None:
    tied = {"b": 1.0, "a": 1.0, "c": 3.0}
    assert updated_weights({"a": 0.0, "b": 0.0, "c": 1.0}, tied, 1.0) == {"a": 1, "b": 0, "c": 0}


def test_who_has_no_error_cannot_win() -> None:
    weights = {"a": 0.5, "b": 0.25, "c": 0.25}
    assert updated_weights(weights, {"a": math.nan, "c": 9.0}, 1.0) == {"a": 0, "b": 0, "c": 1}


@pytest.mark.parametrize("nobody", [{}, {"a": math.nan, "b": math.nan}])
def test_without_any_error_weights_stay(nobody: dict[str, float]) -> None:
    weights = {"a": 0.7, "b": 0.3}
    assert updated_weights(weights, nobody, 0.5) == weights


@given(errors, st.floats(0.01, 1.0), st.lists(st.floats(0.0, 1.0), min_size=4, max_size=4))
def test_an_update_keeps_weights_not_negative_and_of_the_same_sum_if_it_was_1(
    of_members: dict[str, float], alpha: float, values: list[float]
) -> None:
    total = sum(values) or 1.0
    weights = dict(zip(NAMES, (value / total for value in values), strict=True))
    updated = updated_weights(weights, of_members, alpha)
    assert all(weight >= 0.0 for weight in updated.values())
    if any(values):
        assert sum(updated.values()) == pytest.approx(1.0)


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.1, math.nan])
def test_an_alpha_out_of_range_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        updated_weights({"a": 1.0}, {"a": 0.0}, alpha)


def test_errors_of_nobody_are_refused() -> None:
    with pytest.raises(ValueError, match="stranger"):
        updated_weights({"a": 1.0}, {"stranger": 0.0}, 0.5)


def test_the_error_is_the_mean_square_over_losses_that_are_known() -> None:
    played = Round(means={"a": array(1.0, 2.0, 9.0)}, losses=array(0.0, 5.0, math.nan))
    assert mean_errors(played) == {"a": 5.0}
    unknown = Round(means={"a": array(1.0)}, losses=array(math.nan))
    assert math.isnan(mean_errors(unknown)["a"])


def test_the_error_of_a_deviation_is_the_distance_to_the_nearer_end() -> None:
    means, stds, losses = (
        array(1.0, 1.0, 1.0, 0.0),
        array(0.5, 0.5, 0.5, 1.0),
        array(2, 0.7, 1, math.nan),
    )
    ends = np.minimum(np.abs(means - stds - losses), np.abs(means + stds - losses))
    played = Round(means={"a": means}, stds={"a": stds}, losses=losses)
    assert std_errors(played)["a"] == pytest.approx(np.nanmean(ends))


def test_who_failed_has_no_weight_and_the_others_keep_theirs() -> None:
    assert weights_without({"a": 0.5, "b": 0.2, "c": 0.3}, ["b"]) == {"a": 0.5, "b": 0.0, "c": 0.3}


def test_if_no_weight_is_left_the_forest_has_it_or_the_first_that_did_not_fail() -> None:
    weights = initial_weights(NAMES, CONTINUOUS)
    assert weights_without(weights, [GAUSSIAN_PROCESS]) == initial_weights(NAMES, MIXED)
    left = weights_without(weights, [GAUSSIAN_PROCESS, FOREST])
    assert left == dict(zip(NAMES, (0, 1, 0, 0), strict=True))
    assert set(weights_without(weights, NAMES).values()) == {0.0}


def test_without_rounds_the_weights_are_those_at_the_start() -> None:
    assert weights_from_rounds(NAMES, CONTINUOUS, [], 0.5) == initial_weights(NAMES, CONTINUOUS)


def test_rounds_are_replayed_one_after_the_other() -> None:
    rounds = [won_by("extra_trees"), won_by(GAUSSIAN_PROCESS), won_by("extra_trees")]
    weights = weights_from_rounds(NAMES, MIXED, rounds, 0.5)
    expected = dict(zip(NAMES, (1 / 8, 1 / 8 + 1 / 2, 0, 1 / 4), strict=True))
    assert weights == pytest.approx(expected)


def test_with_an_alpha_of_1_only_the_last_winner_counts() -> None:
    rounds = [won_by("extra_trees"), won_by(GAUSSIAN_PROCESS)]
    weights = weights_from_rounds(NAMES, MIXED, rounds, 1.0)
    assert weights == initial_weights(NAMES, CONTINUOUS)


def test_a_member_that_failed_in_a_round_starts_from_nothing() -> None:
    rounds = [won_by(GAUSSIAN_PROCESS), won_by(FOREST, without=GAUSSIAN_PROCESS)]
    weights = weights_from_rounds(NAMES, CONTINUOUS, rounds, 0.5)
    # Nothing was left after the failure, so the forest had weight 1 in the second round.
    assert weights == initial_weights(NAMES, MIXED)
    rounds.append(won_by(GAUSSIAN_PROCESS))
    weights = weights_from_rounds(NAMES, CONTINUOUS, rounds, 0.5)
    assert weights == pytest.approx(dict(zip(NAMES, (0.5, 0, 0, 0.5), strict=True)))


def test_deviations_have_winners_of_their_own() -> None:
    played = Round(
        means={"a": array(0.0), "b": array(1.0)},
        stds={"a": array(3.0), "b": array(0.9)},
        losses=array(0.1),
    )
    assert weights_from_rounds(["a", "b"], MIXED, [played], 1.0) == {"a": 1, "b": 0}
    assert weights_from_rounds(["a", "b"], MIXED, [played], 1.0, std_errors) == {"a": 0, "b": 1}


def test_equal_weights_are_equal() -> None:
    assert equal_weights(NAMES) == dict.fromkeys(NAMES, 1.0)
