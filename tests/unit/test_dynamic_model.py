"""Weights of DensBO that follow from a history, compared with the formulas worked by hand."""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, ConfigurationSpace, Float
from fakes.plain_histories import Line, at, end, opened_at, plain_history
from hypothesis import assume, given
from hypothesis import strategies as st

from automl.errors import DegradedResultWarning, SurrogateError
from automl.optimizers.dynamic_model import DynamicModel
from automl.optimizers.performance_model import FittedModel, PerformanceModel
from automl.surrogates.output_transform import FittedTransform, OutputTransform, Shape
from automl.surrogates.surrogate import Surrogate
from automl.trial_history import TrialHistory
from search_space.encoding import ColumnLayout

LINES = {"a": Line(0.0, std=0.1), "b": Line(1.0, std=0.5), "c": Line(-1.0, 2.0, std=1.0)}


def these(members: Mapping[str, Surrogate], _: ColumnLayout) -> Mapping[str, Surrogate]:
    return members


def model(members: Mapping[str, Surrogate] = LINES, **settings: Any) -> DynamicModel:
    """Return an ensemble that standardises losses, which is easily done by hand."""
    plain = {"transform": OutputTransform(power=False)}
    return DynamicModel(members=partial(these, members), **plain | settings)


def fit(settings: DynamicModel, history: TrialHistory) -> FittedModel:
    return settings.fit_to(history, np.random.default_rng(0))


def encoded(history: TrialHistory, x: float) -> Any:
    space = history.problem.search_space.configuration_space
    configuration = type(space.get_default_configuration())(space, values={"x": x})
    return history.problem.encoder.encode([configuration])[0]


def beliefs(settings: DynamicModel, history: TrialHistory, x: float) -> Mapping[str, float]:
    """Return what a proposal at x carries after a history."""
    return fit(settings, history).beliefs_at(encoded(history, x))


def started() -> TrialHistory:
    """Return a history with losses 0 and 2, of mean 1 and deviation 1."""
    history = plain_history()
    at(history, 0.1, 0.0)
    at(history, 0.9, 2.0)
    return history


def test_it_is_a_performance_model() -> None:
    assert isinstance(model(), PerformanceModel)


def test_weights_start_on_the_first_member_where_no_other_is_named() -> None:
    assert model().weights(started()) == {"a": 1.0, "b": 0.0, "c": 0.0}


@pytest.mark.parametrize(
    ("choice", "expected"), [(False, "gaussian_process"), (True, "random_forest")]
)
def test_weights_start_on_the_process_or_the_forest_by_the_space(
    choice: bool, expected: str
) -> None:
    space = ConfigurationSpace()
    space.add(Float("x", (0.0, 1.0)), *([Categorical("c", ["u", "v"])] if choice else []))
    weights = DynamicModel().weights(plain_history(space))
    assert list(weights) == [
        "random_forest",
        "extra_trees",
        "gradient_boosting",
        "gaussian_process",
    ]
    assert weights == {name: float(name == expected) for name in weights}


def test_the_winner_of_a_round_takes_its_share() -> None:
    history, settings = started(), model(alpha=0.3)
    # On the scale of the fit, 2.1 is 1.1: b said 1, a said 0 and c said -1 + 2 x.
    at(history, 0.5, 2.1, beliefs(settings, history, 0.5))
    assert settings.weights(history) == pytest.approx({"a": 0.7, "b": 0.3, "c": 0.0})
    # b has been asked although it had no weight.
    assert fit(settings, history).surrogate.predict(np.array([[0.5]]))[0] == pytest.approx(0.3)


def test_a_round_keeps_the_scale_of_its_fit() -> None:
    history, settings = started(), model(alpha=1.0)
    at(history, 0.5, 2.1, beliefs(settings, history, 0.5))
    for x in (0.2, 0.3, 0.4):
        at(history, x, 400.0)  # 2.1 is below the mean from now on
    assert settings.weights(history) == {"a": 0.0, "b": 1.0, "c": 0.0}


def test_all_proposals_of_one_fit_are_one_round() -> None:
    history, settings = started(), model({"a": Line(0.0), "b": Line(1.0)}, alpha=0.5)
    carried = beliefs(settings, history, 0.5)
    # Squared errors: 0 and 1 first, then 4 and 1. Together b wins once; in turn, a would first.
    trials = [opened_at(history, x, carried) for x in (0.4, 0.6)]
    end(history, trials[0], 1.0)
    assert settings.weights(history) == {"a": 1.0, "b": 0.0}
    end(history, trials[1], 3.0)
    assert settings.weights(history) == {"a": 0.5, "b": 0.5}


def test_rounds_are_taken_in_the_order_of_their_fits() -> None:
    settings = model({"a": Line(0.0), "b": Line(1.0)}, alpha=0.75)
    history = started()
    first = opened_at(history, 0.4, beliefs(settings, history, 0.4))
    at(history, 0.2, 1.0)  # another loss, so that a new fit is another round
    second = opened_at(history, 0.6, beliefs(settings, history, 0.6))
    end(history, second, 1.0)  # a wins the later round
    end(history, first, 2.0)  # b wins the earlier one, whose loss comes later
    assert settings.weights(history) == pytest.approx({"a": 0.25 * 0.25 + 0.75, "b": 0.25 * 0.75})


@pytest.mark.parametrize("how", ["failed", "pending"])
def test_a_round_without_a_loss_changes_nothing(how: str) -> None:
    history, settings = started(), model()
    trial = opened_at(history, 0.5, beliefs(settings, history, 0.5))
    if how == "failed":
        end(history, trial, None)
    assert settings.weights(history) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_of_a_round_only_losses_count() -> None:
    history, settings = started(), model({"a": Line(0.0), "b": Line(1.0)}, alpha=0.5)
    carried = beliefs(settings, history, 0.5)
    trials = [opened_at(history, x, carried) for x in (0.3, 0.4, 0.5)]
    end(history, trials[0], None)
    end(history, trials[2], 2.0)
    assert settings.weights(history) == {"a": 0.5, "b": 0.5}


def test_trials_that_no_ensemble_proposed_do_not_count() -> None:
    history, settings = started(), model()
    at(history, 0.5, 2.0, {"predicted_mean": 1.0})
    assert settings.weights(history) == {"a": 1.0, "b": 0.0, "c": 0.0}


def test_a_member_that_could_not_be_fitted_loses_its_weight_and_may_win_it_back() -> None:
    members = {"a": Line(0.0, fails_on=2), "b": Line(1.0), "c": Line(-5.0)}
    history, settings = started(), model(members, alpha=0.5)
    with pytest.warns(DegradedResultWarning, match="a could not be fitted .* the other surrogates"):
        carried = beliefs(settings, history, 0.5)
    assert "densbo_mean_a" not in carried
    assert [carried[f"densbo_weight_{name}"] for name in "abc"] == [0.0, 1.0, 0.0]
    at(history, 0.5, 1.0, carried)  # 0 on the scale: a would have won
    assert settings.weights(history) == {"a": 0.0, "b": 1.0, "c": 0.0}
    at(history, 0.6, 1.0, beliefs(settings, history, 0.6))
    assert settings.weights(history) == {"a": 0.5, "b": 0.5, "c": 0.0}


def test_where_no_member_can_be_fitted_an_error_says_so() -> None:
    with pytest.raises(SurrogateError, match="no member could be fitted"):
        fit(model({"a": Line(fails_on=2)}), started())


def second_opinion(
    script: list[tuple[float, list[float | None]]], alpha: float, *, of_std: bool
) -> list[float]:
    """Work the weights out from equations 7 and 8, or 16 to 18, with NumPy alone."""
    weights = np.array([1.0, 0.0, 0.0])
    known = [0.0, 2.0]
    for x, losses in script:
        ended = np.array([loss for loss in losses if loss is not None])
        if ended.size:
            z = (ended - np.mean(known)) / np.std(known)
            column = 0.125 + 0.875 * x
            means = np.array([[0.0], [1.0], [-1.0 + 2.0 * column]])
            errors = (means - z) ** 2
            if of_std:
                errors = np.abs(np.abs(means - z) - np.array([[0.1], [0.5], [1.0]]))
            least, second = np.sort(errors.mean(axis=1))[:2]
            assume(second - least > 1e-9)  # rounding decides between members as good as equal
            winner = np.arange(3) == errors.mean(axis=1).argmin()
            weights = (1.0 - alpha) * weights + alpha * winner
        known += ended.tolist()
    return [float(weight) for weight in weights]


losses_of_a_round = st.lists(st.none() | st.floats(-3.0, 5.0), min_size=1, max_size=3)
scripts = st.lists(st.tuples(st.floats(0.0, 1.0), losses_of_a_round), max_size=6)


@given(scripts, st.sampled_from([0.1, 0.5, 1.0]), st.booleans())
def test_weights_are_those_of_the_formulas(
    script: list[tuple[float, list[float | None]]], alpha: float, separate_std: bool
) -> None:
    history, settings = started(), model(alpha=alpha, separate_std=separate_std)
    for x, losses in script:
        carried = json.loads(json.dumps(dict(beliefs(settings, history, x))))  # as a journal has it
        trials = [opened_at(history, x, carried) for _ in losses]
        for trial, loss in zip(trials, losses, strict=True):
            end(history, trial, loss)
    expected = second_opinion(script, alpha, of_std=False)
    fitted = fit(settings, history).surrogate
    assert list(settings.weights(history).values()) == pytest.approx(expected)
    assert list(fitted.weights.values()) == pytest.approx(expected)  # type: ignore[attr-defined]
    of_std = second_opinion(script, alpha, of_std=separate_std)
    assert list(fitted.std_weights.values()) == pytest.approx(of_std)  # type: ignore[attr-defined]


def test_equal_weights_stay_and_leave_no_predictions() -> None:
    history, settings = started(), model(alpha=None)
    carried = beliefs(settings, history, 0.5)
    third = pytest.approx(1.0 / 3.0)
    assert dict(carried) == {"densbo_round": 2.0} | dict.fromkeys(
        ["densbo_weight_a", "densbo_weight_b", "densbo_weight_c"], third
    )
    at(history, 0.5, 2.0, carried)
    assert settings.weights(history) == {"a": 1.0, "b": 1.0, "c": 1.0}
    mean, _ = fit(settings, history).surrogate.predict(np.array([[0.5]]))
    assert mean == pytest.approx((0.0 + 1.0 + 0.0) / 3.0)


def test_deviations_are_carried_only_where_they_have_weights_of_their_own() -> None:
    history = started()
    with_std = beliefs(model(separate_std=True), history, 0.5)
    without = beliefs(model(), history, 0.5)
    assert with_std["densbo_std_b"] == 0.5
    assert with_std.items() - without.items() == {
        (f"densbo_std_{name}", line.std) for name, line in LINES.items()
    }


def test_beliefs_hold_what_each_member_says_on_the_scale() -> None:
    history = started()
    carried = beliefs(model(), history, 0.5)
    column = 0.125 + 0.875 * 0.5
    means = [carried[f"densbo_mean_{name}"] for name in "abc"]
    assert means == pytest.approx([0.0, 1.0, -1.0 + 2.0 * column])
    assert carried["densbo_round"] == 2.0


def test_failures_are_the_worst_and_pending_trials_in_the_middle_of_the_scale() -> None:
    history = started()
    at(history, 0.3, None)
    at(history, 0.2, 1.0)
    opened_at(history, 0.4)
    fitted = fit(model(), history)
    deviation = np.std([0.0, 2.0, 1.0])
    expected = np.array([-1.0, 1.0, 1.0, 0.0, 0.0]) / deviation
    np.testing.assert_allclose(fitted.targets, expected, atol=1e-12)
    assert fitted.incumbent == pytest.approx(-1.0 / deviation)
    assert fitted.scale == pytest.approx(np.std(expected))


@pytest.mark.parametrize("alpha", [0.0, -0.1, 1.1, float("nan")])
def test_a_share_that_is_none_is_refused(alpha: float) -> None:
    with pytest.raises(ValueError, match=r"alpha must be in \(0, 1\]"):
        DynamicModel(alpha=alpha)


# The scale travels


finite = st.floats(allow_nan=False, allow_infinity=False)
loss_lists = st.lists(finite, min_size=1, max_size=8) | st.lists(
    st.floats(0.01, 3.0), min_size=2, max_size=8
)


@given(loss_lists, st.booleans(), loss_lists)
def test_a_transform_comes_back_from_its_numbers_bit_for_bit(
    losses: list[float], power: bool, later: list[float]
) -> None:
    fitted = OutputTransform(power=power).fit(np.array(losses))
    written = json.loads(json.dumps(fitted.as_numbers(), allow_nan=False))
    restored = FittedTransform.from_numbers(written)
    assert restored == fitted
    assert np.array_equal(restored.apply(np.array(later)), fitted.apply(np.array(later)))


@pytest.mark.parametrize(
    ("losses", "shape"),
    [
        ([0.1, 0.2, 0.9], Shape.BOX_COX),
        ([-0.1, 0.2, 0.9], Shape.YEO_JOHNSON),
        ([0.5, 0.5], Shape.NONE),
    ],
)
def test_every_shape_comes_back(losses: list[float], shape: Shape) -> None:
    fitted = OutputTransform().fit(np.array(losses))
    assert fitted.shape is shape
    assert all(type(number) is float for number in fitted.as_numbers().values())
    assert FittedTransform.from_numbers(fitted.as_numbers()) == fitted
