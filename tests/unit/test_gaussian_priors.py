"""Tests of the priors of a Gaussian process's parameters."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import gamma, norm

from automl.surrogates.gaussian_priors import (
    HorseshoeNoise,
    LogNormalNoise,
    LogPriors,
    NoisePrior,
)
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

LAYOUT = ColumnLayout(numeric=(0, 1, 2, 3), categorical=((4, 5), (6, 7, 8)))
NOISES: list[NoisePrior] = [LogNormalNoise(), HorseshoeNoise(), HorseshoeNoise(scale=3.0)]


def exact_horseshoe(noise: float, scale: float) -> float:
    """Return the density of a normal variable of half-Cauchy deviation, for both signs together."""
    z = mpmath.mpf(noise / scale) ** 2 / 2
    return float(2 * mpmath.exp(z) * mpmath.e1(z) / mpmath.sqrt(2 * mpmath.pi**3) / scale)


def test_length_scales_and_weights_are_log_normal_and_the_variance_is_a_gamma() -> None:
    priors = LogPriors.of(LAYOUT, LogNormalNoise())
    rng = np.random.default_rng(0)

    def density(logs: FloatArray) -> float:
        of_kernel = norm(priors.medians, priors.deviations).logpdf(logs[:6]).sum()
        # The density of a logarithm is that of the value times the value.
        of_variance = gamma(0.5, scale=2.0).logpdf(np.exp(logs[6])) + logs[6]
        return float(of_kernel + of_variance + norm(math.log(0.01), 0.5).logpdf(logs[7]))

    one, other = rng.normal(size=(2, 8))
    change = priors.density(one)[0] - priors.density(other)[0]
    assert change == pytest.approx(density(one) - density(other), rel=1e-9)
    assert np.exp(priors.start[:4]) == pytest.approx(np.exp(np.sqrt(2.0)) * 2.0)
    assert np.exp(priors.start[4:]) == pytest.approx([0.5, 0.5, 1.0, 0.01])


@pytest.mark.parametrize("noise", NOISES)
@given(log_noise=st.floats(-18.0, 2.0))
def test_the_slope_of_a_noise_prior_is_the_limit_of_differences(
    noise: NoisePrior, log_noise: float
) -> None:
    step = 1e-5
    above, below = noise.density(log_noise + step)[0], noise.density(log_noise - step)[0]
    assert noise.density(log_noise)[1] == pytest.approx((above - below) / (2 * step), abs=1e-6)


@given(noise=st.floats(1e-8, 10.0), other=st.floats(1e-8, 10.0))
def test_the_horseshoe_is_close_to_its_exact_density(noise: float, other: float) -> None:
    prior = HorseshoeNoise()
    change = prior.density(math.log(noise))[0] - prior.density(math.log(other))[0]
    exact = math.log(exact_horseshoe(noise, 0.1) / exact_horseshoe(other, 0.1))
    assert abs(change - exact) < 0.65  # of 29 between the ends


def test_draws_of_the_horseshoe_have_its_exact_distribution() -> None:
    prior, rng, n = HorseshoeNoise(), np.random.default_rng(0), 20_000
    draws = np.exp([prior.draw(rng) for _ in range(n)])
    for limit in (0.01, 0.1, 1.0):
        share = float(mpmath.quad(lambda x: exact_horseshoe(x, 0.1), [0, limit / 100, limit]))
        error = math.sqrt(share * (1.0 - share) / n)
        assert abs(np.mean(draws < limit) - share) < 4.0 * error


@pytest.mark.parametrize("noise", NOISES)
def test_a_search_begins_within_the_bounds(noise: NoisePrior) -> None:
    priors = LogPriors.of(LAYOUT, noise)
    lower, upper = np.array(priors.bounds).T
    assert np.all((lower < priors.start) & (priors.start < upper))
    assert len(priors.bounds) == len(priors.start) == 8


@pytest.mark.parametrize("prior", [LogNormalNoise, HorseshoeNoise])
@pytest.mark.parametrize("name", ["floor", "ceiling"])
def test_settings_have_to_be_positive(prior: type, name: str) -> None:
    with pytest.raises(ValueError, match=name):
        prior(**{name: 0.0})
