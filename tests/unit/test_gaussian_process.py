"""Tests of the Gaussian process."""

from __future__ import annotations

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from automl.errors import SurrogateError
from automl.surrogates import gaussian_process
from automl.surrogates.gaussian_priors import (
    HorseshoeNoise,
    LogNormalNoise,
    LogPriors,
    NoisePrior,
)
from automl.surrogates.gaussian_process import (
    FittedGaussianProcess,
    GaussianProcess,
    kernel_and_noise,
)
from automl.surrogates.kernels import points_of
from search_space.arrays import FloatArray
from search_space.encoding import ColumnLayout

LAYOUT = ColumnLayout(numeric=(0, 1, 2, 3), categorical=((4, 5), (6, 7, 8)))


def configurations(seed: int, n: int) -> FloatArray:
    rng = np.random.default_rng(seed)
    numbers = rng.uniform(0.125, 1.0, size=(n, 4))
    return np.hstack(
        [numbers, np.eye(2)[rng.integers(2, size=n)], np.eye(3)[rng.integers(3, size=n)]]
    )


def losses(X: FloatArray) -> FloatArray:
    return np.asarray(np.sin(4.0 * X[:, 0]) + X[:, 1] ** 2 + 0.8 * X[:, 4])


def fitted(seed: int = 0, n: int = 60, **options: float) -> FittedGaussianProcess:
    X = configurations(seed, n)
    process = GaussianProcess(layout=LAYOUT, **options)  # type: ignore[arg-type]
    return process.fit(X, losses(X), np.random.default_rng(0))


def logs_of(model: FittedGaussianProcess) -> FloatArray:
    k = model.kernel
    return np.log([*k.length_scales, *k.weights, k.variance, model.noise])


def objective(
    logs: FloatArray,
    X: FloatArray,
    y: FloatArray,
    noise: NoisePrior = LogNormalNoise(),  # noqa: B008 - it is frozen
) -> tuple[float, FloatArray]:
    targets = (y - y.mean()) / y.std()
    return gaussian_process._negative_log_posterior(
        logs, points_of(X, LAYOUT), targets, LAYOUT, LogPriors.of(LAYOUT, noise)
    )


def test_predictions_are_those_of_the_textbook_in_many_digits() -> None:
    X, probe = configurations(0, 8), configurations(1, 5)
    y = losses(X)
    model = GaussianProcess(layout=LAYOUT).fit(X, y, np.random.default_rng(0))
    centre, scale = y.mean(), y.std()
    observed, asked = points_of(X, LAYOUT), points_of(probe, LAYOUT)
    with mpmath.workdps(40):
        C = mpmath.matrix((model.kernel.covariance(observed, observed)).tolist())
        C += mpmath.mpf(model.noise) * mpmath.eye(8)
        cross = mpmath.matrix(model.kernel.covariance(observed, asked).tolist())
        targets = mpmath.matrix(((y - centre) / scale).tolist())
        means = (cross.T * mpmath.lu_solve(C, targets)).T
        variances = [
            model.kernel.variance - (cross[:, i].T * mpmath.lu_solve(C, cross[:, i]))[0]
            for i in range(5)
        ]
    mean, std = model.predict(probe)
    np.testing.assert_allclose(mean, centre + scale * np.array(means.tolist()[0], float), rtol=1e-9)
    np.testing.assert_allclose(std, scale * np.sqrt(np.array(variances, float)), rtol=1e-7)


@settings(deadline=None, max_examples=40)
@given(seed=st.integers(0, 10_000), noise=st.sampled_from([LogNormalNoise(), HorseshoeNoise()]))
def test_the_gradient_of_the_posterior_is_the_limit_of_differences(
    seed: int, noise: NoisePrior
) -> None:
    rng = np.random.default_rng(seed)
    X = configurations(seed, 15)
    logs = LogPriors.of(LAYOUT, LogNormalNoise()).draw(rng) + 0.3 * rng.normal(size=8)
    _, gradient = objective(logs, X, losses(X), noise)
    steps = 1e-5 * np.eye(8)
    values = [
        [objective(logs + h, X, losses(X), noise)[0] for h in (step, -step)] for step in steps
    ]
    differences = [(above - below) / 2e-5 for above, below in values]
    np.testing.assert_allclose(gradient, differences, rtol=1e-4, atol=1e-4)


def test_the_parameters_found_are_a_maximum() -> None:
    X = configurations(0, 60)
    best, gradient = objective(logs_of(fitted(max_steps=200)), X, losses(X))
    lowest, highest = np.array(LogPriors.of(LAYOUT, LogNormalNoise()).bounds).T
    inside = (logs_of(fitted()) > lowest + 1e-6) & (logs_of(fitted()) < highest - 1e-6)
    assert inside.sum() >= 6
    assert np.all(np.abs(gradient[inside]) < 0.05)
    for seed in range(20):
        noise = 0.3 * np.random.default_rng(seed).normal(size=8)
        near = np.clip(logs_of(fitted(max_steps=200)) + noise, lowest, highest)
        assert objective(near, X, losses(X))[0] > best


@pytest.mark.parametrize("seed", range(3))
def test_more_starting_points_never_give_less_probable_parameters(seed: int) -> None:
    X = configurations(seed, 20)
    y = losses(X) + np.random.default_rng(seed).normal(size=20)
    values = [
        objective(
            logs_of(
                GaussianProcess(layout=LAYOUT, n_starts=n).fit(X, y, np.random.default_rng(seed))
            ),
            X,
            y,
        )[0]
        for n in (1, 2, 5)
    ]
    assert values[0] >= values[1] >= values[2]


def test_a_smooth_loss_is_learned_from_few_observations() -> None:
    probe = configurations(1, 200)
    mean, std = fitted().predict(probe)
    errors = mean - losses(probe)
    assert np.sqrt(np.mean(errors**2)) < 0.1 * losses(probe).std()
    assert np.mean(np.abs(errors) <= 2.0 * std) > 0.9


def test_columns_without_influence_get_long_length_scales_and_small_weights() -> None:
    k = fitted(n=100).kernel
    assert min(k.length_scales[2:]) > 3.0 * max(k.length_scales[:2])
    assert k.weights[0] > 3.0 * k.weights[1]


def test_observations_are_reproduced_and_less_is_known_elsewhere() -> None:
    X = configurations(0, 30)
    mean, std = fitted(n=30).predict(X)
    np.testing.assert_allclose(mean, losses(X), atol=0.1)
    assert std.mean() < 0.7 * fitted(n=30).predict(configurations(1, 100))[1].mean()


def test_far_from_all_observations_the_prior_is_predicted() -> None:
    model = fitted()
    mean, std = model.predict(np.full((1, 9), 1e6))
    y = losses(configurations(0, 60))
    assert mean == pytest.approx(y.mean(), abs=1e-9)
    assert std == pytest.approx(y.std() * np.sqrt(model.kernel.variance), rel=1e-9)


def test_other_units_of_the_loss_give_the_same_predictions_in_these_units() -> None:
    X, probe = configurations(0, 40), configurations(1, 20)
    process = GaussianProcess(layout=LAYOUT)
    mean, std = process.fit(X, losses(X), np.random.default_rng(0)).predict(probe)
    in_units = process.fit(X, 1e4 * losses(X) - 7.0, np.random.default_rng(0)).predict(probe)
    np.testing.assert_allclose(in_units[0], 1e4 * mean - 7.0, rtol=1e-3)
    np.testing.assert_allclose(in_units[1], 1e4 * std, rtol=1e-2)


@pytest.mark.parametrize("noise", [LogNormalNoise(), HorseshoeNoise()])
def test_noise_of_the_losses_is_found_and_not_part_of_the_deviation(noise: NoisePrior) -> None:
    rng = np.random.default_rng(0)
    X = np.hstack([rng.uniform(size=(150, 1))])
    y = np.sin(3.0 * X[:, 0]) + 0.2 * rng.normal(size=150)
    layout = ColumnLayout(numeric=(0,), categorical=())
    model = GaussianProcess(layout=layout, noise=noise).fit(X, y, rng)
    assert np.sqrt(model.noise) * model.scale == pytest.approx(0.2, rel=0.25)
    assert model.predict(X)[1].mean() < 0.1


def test_a_loss_without_noise_is_followed_closely_where_none_is_expected() -> None:
    X = np.linspace(0.0, 1.0, 15)[:, np.newaxis]
    between = 0.5 * (X[1:] + X[:-1])
    layout = ColumnLayout(numeric=(0,), categorical=())
    errors = []
    for noise in (LogNormalNoise(), HorseshoeNoise()):
        process = GaussianProcess(layout=layout, noise=noise)
        model = process.fit(X, np.sin(6.0 * X[:, 0]), np.random.default_rng(0))
        errors.append(np.abs(model.predict(between)[0] - np.sin(6.0 * between[:, 0])).max())
    assert errors[1] < 0.1 * errors[0]


@pytest.mark.parametrize("y", [np.full(5, 1 / 3), np.array([0.0, 0.0, 0.0, 0.0, 1e-300])])
def test_losses_that_are_equal_or_nearly_so_keep_the_priors(y: FloatArray) -> None:
    X = configurations(0, 5)
    model = GaussianProcess(layout=LAYOUT).fit(X, y, np.random.default_rng(0))
    mean, std = model.predict(X)
    np.testing.assert_allclose(mean, y, atol=1e-12)
    assert np.all(np.isfinite(std) & (std > 0.0))


def test_the_deviation_is_never_below_the_floor() -> None:
    X = configurations(0, 60)
    model = fitted(std_floor=0.5)
    _, std = model.predict(X)
    np.testing.assert_allclose(std, 0.5 * losses(X).std(), rtol=1e-9)


def test_losses_too_large_to_square_are_an_error_of_its_own() -> None:
    X = configurations(0, 4)
    with pytest.raises(SurrogateError, match="too large"):
        GaussianProcess(layout=LAYOUT).fit(X, 1e300 * losses(X), np.random.default_rng(0))


def test_a_start_that_fails_is_left_out_and_all_failing_is_an_error(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, calls = gaussian_process._negative_log_posterior, []

    def failing_first(logs: FloatArray, *others: object) -> tuple[float, FloatArray]:
        calls.append(logs)
        if len(calls) == 1:
            raise SurrogateError("no factor")
        return search(logs, *others)  # type: ignore[arg-type]

    def failing(*_: object) -> tuple[float, FloatArray]:
        raise SurrogateError("no factor at all")

    monkeypatch.setattr(gaussian_process, "_negative_log_posterior", failing_first)
    mean, _ = fitted(n_starts=2).predict(configurations(1, 200))
    assert np.corrcoef(mean, losses(configurations(1, 200)))[0, 1] > 0.9
    monkeypatch.setattr(gaussian_process, "_negative_log_posterior", failing)
    with pytest.raises(SurrogateError, match="no factor at all"):
        fitted()


def test_parameters_of_many_observations_are_found_from_some_and_predictions_know_all() -> None:
    X = configurations(0, 120)
    y = losses(X)
    rows = np.sort(np.random.default_rng(5).choice(120, 40, replace=False))
    process = GaussianProcess(layout=LAYOUT, max_rows=40, n_starts=1)
    model = process.fit(X, y, np.random.default_rng(5))
    some = process.fit(X[rows], (y[rows] - y.mean()) / y.std(), np.random.default_rng(5))
    assert len(model.alpha) == 120
    mean, _ = model.predict(X)
    assert np.abs(mean - y).max() < 0.1
    # The losses of some are not standardised anew, so that their variance differs a little.
    assert np.allclose(model.kernel.length_scales, some.kernel.length_scales, rtol=0.2)


@pytest.mark.parametrize("seed", range(3))
def test_a_search_over_some_observations_first_ends_at_parameters_as_probable(seed: int) -> None:
    X = configurations(seed, 120)
    y = losses(X) + np.random.default_rng(seed).normal(0.0, 0.1, 120)
    at_once, in_two = (
        GaussianProcess(layout=LAYOUT, first_rows=n).fit(X, y, np.random.default_rng(0))
        for n in (120, 50)
    )
    assert not np.array_equal(logs_of(at_once), logs_of(in_two))
    value, better = (objective(logs_of(model), X, y)[0] for model in (at_once, in_two))
    assert better < value + 0.1


def test_other_columns_than_the_layout_has_are_refused() -> None:
    with pytest.raises(ValueError, match="must be"):
        GaussianProcess(layout=LAYOUT).fit(
            np.zeros((3, 8)), np.arange(3.0), np.random.default_rng(0)
        )
    with pytest.raises(ValueError, match="must be"):
        fitted().predict(np.zeros((3, 8)))


@pytest.mark.parametrize(
    "name", ["n_starts", "max_steps", "max_rows", "first_rows", "std_floor", "growth"]
)
def test_settings_have_to_be_positive(name: str) -> None:
    with pytest.raises(ValueError, match=name):
        GaussianProcess(layout=LAYOUT, **{name: 0})  # type: ignore[arg-type]


def test_parameters_are_in_the_order_of_their_logarithms() -> None:
    kernel, noise = kernel_and_noise(np.log(np.arange(1.0, 9.0)), LAYOUT)
    assert kernel.length_scales == pytest.approx([1.0, 2.0, 3.0, 4.0])
    assert kernel.weights == pytest.approx([5.0, 6.0])
    assert (kernel.variance, noise) == pytest.approx((7.0, 8.0))


def noisy(seed: int, n: int) -> tuple[FloatArray, FloatArray]:
    X = configurations(seed, n)
    return X, losses(X) + np.random.default_rng(seed).normal(0.0, 0.1, n)


@pytest.mark.parametrize("seed", range(3))
def test_a_search_that_begins_at_known_parameters_ends_at_parameters_as_probable(
    seed: int,
) -> None:
    X, y = noisy(seed, 90)
    process = GaussianProcess(layout=LAYOUT)
    before = process.fit(X[:80], y[:80], np.random.default_rng(0))
    fresh = process.fit(X, y, np.random.default_rng(0))
    continued = process.continued(before.memory).fit(X, y, np.random.default_rng(0))
    value, better = (objective(logs_of(model), X, y)[0] for model in (fresh, continued))
    assert better < value + 0.1


def test_it_takes_a_small_part_of_the_steps(monkeypatch: pytest.MonkeyPatch) -> None:
    search, calls = gaussian_process._negative_log_posterior, []

    def counted(logs: FloatArray, *others: object) -> tuple[float, FloatArray]:
        calls.append(logs)
        return search(logs, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(gaussian_process, "_negative_log_posterior", counted)
    X, y = noisy(0, 81)
    before = GaussianProcess(layout=LAYOUT).fit(X[:80], y[:80], np.random.default_rng(0))
    n_fresh = len(calls)
    before.settings.continued(before.memory).fit(X, y, np.random.default_rng(0))
    assert len(calls) - n_fresh < n_fresh / 3


def test_the_search_begins_elsewhere_too_where_observations_have_grown() -> None:
    X, y = noisy(0, 50)
    process = GaussianProcess(layout=LAYOUT, first_rows=60, growth=0.2)
    searched_at, drew = [], []
    for n in range(27, 50):
        rng = np.random.default_rng(0)
        model = process.fit(X[:n], y[:n], rng)
        drew.append(rng.bit_generator.state != np.random.default_rng(0).bit_generator.state)
        searched_at.append(model.memory["searched_at"])
        process = process.continued(model.memory)
    assert searched_at == [27, 28, *([29] * 6), *([35] * 7), *([42] * 8)]
    assert drew == [n == at for n, at in zip(range(27, 50), searched_at, strict=True)]


def test_a_known_start_that_fails_is_followed_by_the_others(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    search, before = gaussian_process._negative_log_posterior, fitted()
    known = np.array([before.memory[str(i)] for i in range(8)])

    def failing_there(logs: FloatArray, *others: object) -> tuple[float, FloatArray]:
        if np.allclose(logs, known, rtol=0.0, atol=1e-3):
            raise SurrogateError("no factor")
        return search(logs, *others)  # type: ignore[arg-type]

    monkeypatch.setattr(gaussian_process, "_negative_log_posterior", failing_there)
    X = configurations(0, 60)
    process = GaussianProcess(layout=LAYOUT).continued(before.memory)
    rng = np.random.default_rng(0)
    model = process.fit(X, losses(X), rng)
    assert rng.bit_generator.state != np.random.default_rng(0).bit_generator.state
    mean, _ = model.predict(configurations(1, 200))
    assert np.corrcoef(mean, losses(configurations(1, 200)))[0, 1] > 0.9


def test_what_is_remembered_are_the_parameters_by_number_in_any_order() -> None:
    model = fitted()
    np.testing.assert_allclose(
        [model.memory[str(i)] for i in range(8)], logs_of(model), rtol=0.0, atol=5.1e-5
    )
    backwards = dict(reversed(model.memory.items()))
    known = GaussianProcess(layout=LAYOUT).continued(backwards).known
    assert known is not None
    np.testing.assert_allclose(known.logs, logs_of(model), rtol=0.0, atol=5.1e-5)


@pytest.mark.parametrize("n_parameters", [0, 7, 9])
def test_parameters_of_another_layout_are_not_taken(n_parameters: int) -> None:
    memory = {"searched_at": 40.0} | {str(i): 0.1 for i in range(n_parameters)}
    assert GaussianProcess(layout=LAYOUT).continued(memory).known is None


@pytest.mark.parametrize("memory", [{}, {"n_fits": 3.0}, {str(i): 0.1 for i in range(9)}])
def test_what_another_surrogate_left_is_not_taken(memory: dict[str, float]) -> None:
    assert GaussianProcess(layout=LAYOUT).continued(memory).known is None


@pytest.mark.parametrize("n", [1, 499, 500, 501, 1_203])
def test_predictions_do_not_depend_on_what_else_is_predicted(n: int) -> None:
    model, X = fitted(n=20), configurations(3, 1_203)
    mean, std = model.predict(X)
    for part, whole in zip(model.predict(X[:n]), (mean, std), strict=True):
        np.testing.assert_allclose(part, whole[:n], rtol=1e-9, atol=1e-12)
