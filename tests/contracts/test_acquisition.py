"""What every acquisition function has to do; a new one is tested by being listed."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl.acquisition.acquisition import (
    AcquisitionFunction,
    ConfidenceBound,
    ExpectedImprovement,
    ImprovementProbability,
    WeightedExpectedImprovement,
)
from automl.acquisition.weighted_expected_improvement import weighted_expected_improvement
from search_space.arrays import FloatArray

# Those that prefer the lower of two means, wherever they are, at equal standard deviations.
MONOTONE: list[AcquisitionFunction] = [
    ExpectedImprovement(),
    ImprovementProbability(),
    ConfidenceBound(kappa=0.0),
    ConfidenceBound(kappa=2.0),
    WeightedExpectedImprovement(alpha=0.2),
    WeightedExpectedImprovement(alpha=0.5),
    WeightedExpectedImprovement(alpha=0.75),
    WeightedExpectedImprovement(alpha=1.0),
]
ANY: list[AcquisitionFunction] = [
    *MONOTONE,
    WeightedExpectedImprovement(alpha=0.0),
    WeightedExpectedImprovement(alpha=0.1),
]
INCUMBENT = 0.3
losses = st.floats(-5.0, 5.0)
deviations = st.floats(0.0, 10.0)

every_function = pytest.mark.parametrize("function", ANY, ids=repr)


def candidates(seed: int, n: int = 50) -> tuple[FloatArray, FloatArray]:
    rng = np.random.default_rng(seed)
    std = rng.uniform(0.0, 0.5, n)
    std[::10] = 0.0
    return rng.normal(0.4, 0.3, n), std


@every_function
def test_each_candidate_has_one_score(function: AcquisitionFunction) -> None:
    mean, std = candidates(0)
    scores = function(mean, std, INCUMBENT)
    assert scores.shape == (50,)
    assert scores.dtype == np.float64
    assert not np.isnan(scores).any()
    assert np.all(np.isfinite(scores[std > 0.0]))
    assert function(np.zeros(0), np.zeros(0), INCUMBENT).shape == (0,)


@every_function
def test_scores_are_repeated_and_predictions_are_left_alone(function: AcquisitionFunction) -> None:
    mean, std = candidates(0)
    mean.flags.writeable = std.flags.writeable = False
    assert np.array_equal(function(mean, std, INCUMBENT), function(mean, std, INCUMBENT))


@every_function
def test_candidates_are_scored_one_by_one_as_all_together(function: AcquisitionFunction) -> None:
    mean, std = candidates(1)
    one_by_one = [function(mean[[i]], std[[i]], INCUMBENT)[0] for i in range(len(mean))]
    np.testing.assert_allclose(function(mean, std, INCUMBENT), one_by_one, rtol=1e-13)


@pytest.mark.parametrize("function", MONOTONE, ids=repr)
@given(one=losses, other=losses, std=deviations)
def test_a_lower_mean_never_scores_worse(
    function: AcquisitionFunction, one: float, other: float, std: float
) -> None:
    mean = np.array([min(one, other), max(one, other)])
    better, worse = function(mean, np.full(2, std), INCUMBENT)
    # Roundings of a logarithm that is as large as z^2 / 2.
    assert better >= worse or better == pytest.approx(worse, rel=1e-12, abs=1e-12)


@every_function
@given(mean=losses, std=deviations, shift=losses)
def test_only_differences_from_the_incumbent_decide(
    function: AcquisitionFunction, mean: float, std: float, shift: float
) -> None:
    # Shifted by whole numbers of a power of two, so that differences stay what they are.
    means = np.round(np.array([mean, 0.25, -1.0]) * 1024) / 1024
    shift = round(shift * 1024) / 1024
    stds = np.array([std, 0.5, 2.0])
    here, there = function(means, stds, 0.5), function(means + shift, stds, 0.5 + shift)
    finite = np.isfinite(here)
    assert np.array_equal(finite, np.isfinite(there))
    gaps = np.diff(here[finite]), np.diff(there[finite])
    np.testing.assert_allclose(*gaps, rtol=1e-9, atol=1e-9)


@every_function
@pytest.mark.parametrize("std", [5e-324, 1e-200, 1e-100, 1e-12])
def test_next_to_no_uncertainty_leaves_an_order(function: AcquisitionFunction, std: float) -> None:
    mean = np.array([0.1, 0.2, 0.5])
    scores = function(mean, np.full(3, std), INCUMBENT)
    assert not np.isnan(scores).any()
    assert not np.isposinf(scores).any()
    if function in MONOTONE:
        assert scores[0] >= scores[1] > scores[2]


@pytest.mark.parametrize("function", MONOTONE[:2] + MONOTONE[4:], ids=repr)
def test_hopeless_candidates_are_still_told_apart(function: AcquisitionFunction) -> None:
    mean = np.array([50.0, 51.0, 1e4])
    scores = function(mean, np.ones(3), 0.0)
    assert np.all(np.isfinite(scores))
    assert np.all(np.diff(scores) < 0.0)


@pytest.mark.parametrize("alpha", [0.51, 0.75, 1.0])
def test_a_weight_orders_as_its_formula_does_what_may_improve(alpha: float) -> None:
    mean, std = candidates(2, 200)
    formula = weighted_expected_improvement(mean, std, INCUMBENT, alpha=alpha)
    scores = WeightedExpectedImprovement(alpha=alpha)(mean, std, INCUMBENT)
    promising = formula > 0.0
    assert 20 < promising.sum() < 180
    assert np.array_equal(scores[promising], formula[promising])
    assert scores[~promising].max() < 0.0


@every_function
def test_predictions_that_are_none_are_refused(function: AcquisitionFunction) -> None:
    with pytest.raises(ValueError, match="same shape"):
        function(np.zeros(2), np.ones(3), INCUMBENT)
    for std in (-1e-9, np.nan):
        with pytest.raises(ValueError, match="negative"):
            function(np.zeros(1), np.array([std]), INCUMBENT)


@pytest.mark.parametrize("wrong", [-0.1, 1.1, np.nan])
def test_a_weight_out_of_range_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="alpha"):
        WeightedExpectedImprovement(alpha=wrong)


@pytest.mark.parametrize("wrong", [-0.1, np.inf, np.nan])
def test_a_width_that_is_none_is_refused(wrong: float) -> None:
    with pytest.raises(ValueError, match="kappa"):
        ConfidenceBound(kappa=wrong)
