"""Greedy ensemble selection: hand-made libraries, a plain second implementation, properties."""

from __future__ import annotations

import functools
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from strategies.libraries import Library, libraries

from automl.ensembles.selection import Selection, better_than_baseline, select, shortlist
from automl.metrics import Metric, rescaled
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray

patiently = settings(deadline=None, max_examples=60)  # scorers take milliseconds each
NAMES = ["accuracy", "balanced_accuracy", "neg_log_loss", "neg_brier_score", "f1_macro"]
RIGHT, WRONG = [0.9, 0.1], [0.2, 0.8]


@functools.cache
def numbered(name: str, n_classes: int) -> Metric:
    """Return the metric for classes that are called by their codes."""
    return as_metric(name, np.arange(n_classes))


def mean_prediction(library: Library, selection: Selection) -> FloatArray:
    """Return the ensemble's prediction."""
    return np.tensordot(selection.weights, rescaled(library.predictions), axes=1)


def selected(library: Library, name: str, size: int = 6) -> Selection:
    """Return the ensemble selected from a library by a metric's name."""
    predictions, codes = library
    return select(predictions, codes, numbered(name, predictions.shape[2]), size)


@st.composite
def runs(draw: st.DrawFn, **options: int) -> tuple[Library, str]:
    """Return a library with a metric that has a value for it."""
    name = draw(st.sampled_from([*NAMES, "roc_auc"]))
    library = draw(libraries(**{"n_classes": 2, **options} if name == "roc_auc" else options))
    if name == "roc_auc":
        assume(0 < library.codes.sum() < len(library.codes))
        assume(not _differs_by_rounding(library.predictions))
    return library, name


def _differs_by_rounding(predictions: npt.NDArray[np.floating[Any]]) -> bool:
    """Return whether rows of a model are equal on paper alone: their order is no order."""
    steps = np.diff(np.sort(rescaled(predictions)[:, :, 1], axis=1), axis=1)
    return bool(np.any((steps > 0.0) & (steps < 1e-6)))


# --- what is selected ----------------------------------------------------------------------


def test_models_that_are_wrong_on_different_rows_complete_each_other() -> None:
    library = np.array([[RIGHT, RIGHT, WRONG], [WRONG, RIGHT, RIGHT], [WRONG, WRONG, RIGHT]])
    chosen = select(library, np.zeros(3, int), numbered("accuracy", 2), 10)
    assert chosen.order == (0, 1)
    assert chosen.weights.tolist() == [0.5, 0.5, 0.0]
    assert chosen.losses[0] == pytest.approx(1 / 3)
    assert chosen.loss == 0.0
    assert (chosen.n_rounds, len(chosen.losses)) == (2, 10)
    assert chosen.members.tolist() == [0, 1]


def test_repeats_give_a_model_the_share_that_it_needs() -> None:
    """The own class of the first row gets w 0.8 + (1-w) 0.3, of the second w 0.45 + (1-w) 0.9.

    Both exceed one half only for 0.4 < w < 8/9, so shares of a third each do not do with three
    models of which the third is useless, and 1 : 1 is the first that does.
    """
    library = np.array([[[0.8, 0.2], [0.45, 0.55]], [[0.3, 0.7], [0.9, 0.1]], [[0.0, 1.0]] * 2])
    assert select(library, np.zeros(2, int), numbered("accuracy", 2), 5).order == (0, 1)
    weak = np.array([[[0.8, 0.2], [0.49, 0.51]], [[0.01, 0.99], [0.9, 0.1]]])
    # Now w 0.8 + (1-w) 0.01 > 0.5 needs w > 0.62: two shares of three.
    assert select(weak, np.zeros(2, int), numbered("accuracy", 2), 5).weights == pytest.approx(
        [2 / 3, 1 / 3]
    )


@patiently
@given(runs(), st.sampled_from([0.0, 0.0, 0.1, 0.3]))
def test_a_plain_implementation_selects_the_same(
    run: tuple[Library, str], tolerance: float
) -> None:
    (predictions, codes), name = run
    metric = numbered(name, predictions.shape[2])
    order, losses = plainly_selected(rescaled(predictions), codes, metric, 6, tolerance)
    chosen = select(predictions, codes, metric, 6, tolerance=tolerance)
    np.testing.assert_allclose(chosen.losses, losses, rtol=0, atol=1e-11)
    assert chosen.order == tuple(order)


def plainly_selected(
    models: FloatArray, codes: IntArray, metric: Metric, size: int, tolerance: float
) -> tuple[list[int], list[float]]:
    """Select by scoring every ensemble anew, ties by the same rule within 1e-12."""
    log_loss = numbered("neg_log_loss", models.shape[2])
    own = metric.losses(codes, models)
    slack = tolerance + 1e-12 * max(metric.optimum, abs(float(own.min())))
    order: list[int] = []
    losses: list[float] = []
    log_losses: list[float] = []
    for _ in range(size):
        means = [(models[order].sum(axis=0) + model) / (len(order) + 1) for model in models]
        scores = [metric.optimum - metric.score(codes, mean) for mean in means]
        tied = [i for i, x in enumerate(scores) if x <= min(scores) + slack]
        if not order and not tolerance:
            tied = [int(own.argmin())]
        seconds = {i: -log_loss.score(codes, means[i]) for i in tied}
        lowest = min(seconds.values())
        tied = [i for i in tied if seconds[i] <= lowest + 1e-12 * lowest]
        order.append(tied[0])
        losses.append(scores[order[-1]])
        log_losses.append(seconds[order[-1]])
    lengths = [i for i, x in enumerate(losses, 1) if x <= min(losses) + slack]
    if tolerance:
        lowest = min(log_losses[i - 1] for i in lengths)
        lengths = [i for i in lengths if log_losses[i - 1] <= lowest + 1e-12 * lowest]
    return order[: lengths[0]], losses


# --- properties ----------------------------------------------------------------------------


@patiently
@given(runs(n_models=1))
def test_one_model_in_the_same_prediction_out(run: tuple[Library, str]) -> None:
    chosen = selected(*run)
    assert chosen.weights.tolist() == [1.0]
    np.testing.assert_array_equal(mean_prediction(run[0], chosen), rescaled(run[0].predictions)[0])


@patiently
@given(runs())
def test_weights_are_shares_that_sum_to_one(run: tuple[Library, str]) -> None:
    chosen = selected(*run)
    counts = chosen.weights * chosen.n_rounds
    assert chosen.weights.sum() == pytest.approx(1.0, rel=1e-15)
    np.testing.assert_allclose(counts, np.bincount(chosen.order, minlength=len(counts)))


@patiently
@given(runs())
def test_the_loss_is_that_of_the_weighted_mean_and_not_above_the_best_models(
    run: tuple[Library, str],
) -> None:
    library, name = run
    chosen = selected(library, name)
    metric = numbered(name, library.predictions.shape[2])
    own = metric.losses(library.codes, library.predictions)
    assert chosen.loss <= own.min() + 1e-12
    if name in ("neg_log_loss", "neg_brier_score"):  # weighting rounds, which can break a tie
        loss = metric.loss(library.codes, mean_prediction(library, chosen))
        assert loss == pytest.approx(chosen.loss, rel=1e-9, abs=1e-12)


@patiently
@given(runs())
def test_size_one_is_the_single_best_by_its_own_loss(run: tuple[Library, str]) -> None:
    library, name = run
    own = numbered(name, library.predictions.shape[2]).losses(library.codes, library.predictions)
    chosen = selected(library, name, size=1)
    assert chosen.order == (int(own.argmin()),)
    assert chosen.losses == (own.min(),)


@patiently
@given(runs(), st.integers(0, 4))
def test_a_duplicate_changes_nothing_in_the_prediction(
    run: tuple[Library, str], which: int
) -> None:
    library, name = run
    twin = library.predictions[which % len(library.predictions)]
    with_twin = library._replace(predictions=np.concatenate([library.predictions, twin[None]]))
    before = mean_prediction(library, selected(library, name))
    after = mean_prediction(with_twin, selected(with_twin, name))
    np.testing.assert_allclose(after, before, atol=1e-12)


@patiently
@given(runs(), st.randoms(use_true_random=False))
def test_the_order_of_rows_does_not_matter(run: tuple[Library, str], random: Any) -> None:
    library, name = run
    rows = list(range(len(library.codes)))
    random.shuffle(rows)
    shuffled = Library(library.predictions[:, rows], library.codes[rows])
    assert selected(shuffled, name).order == selected(library, name).order


@patiently
@given(runs())
def test_the_run_of_rounds_is_the_shortest_that_reaches_the_lowest_loss(
    run: tuple[Library, str],
) -> None:
    chosen = selected(*run)
    assert chosen.loss <= min(chosen.losses) + 1e-12
    assert all(loss > min(chosen.losses) for loss in chosen.losses[: chosen.n_rounds - 1])


@patiently
@given(runs())
def test_the_ensemble_of_all_rounds_has_a_share_for_each(run: tuple[Library, str]) -> None:
    library, name = run
    best = selected(library, name)
    whole = best.of_all_rounds()
    assert whole.order == whole.added == best.added
    assert best.order == best.added[: best.n_rounds]
    assert whole.n_rounds == len(whole.losses) == 6
    assert whole.losses == best.losses
    np.testing.assert_allclose(
        whole.weights * 6, np.bincount(best.added, minlength=len(whole.weights))
    )
    if name in ("neg_log_loss", "neg_brier_score"):  # weighting rounds, which can break a tie
        metric = numbered(name, library.predictions.shape[2])
        loss = metric.loss(library.codes, mean_prediction(library, whole))
        assert loss == pytest.approx(whole.loss, rel=1e-9, abs=1e-12)


@patiently
@given(runs())
def test_nothing_that_comes_in_is_written_to(run: tuple[Library, str]) -> None:
    library, _ = run
    library.predictions.flags.writeable = library.codes.flags.writeable = False
    selected(*run)


# --- ties ----------------------------------------------------------------------------------


def test_of_equal_own_losses_the_first_is_the_first_member() -> None:
    library = np.array([[WRONG, RIGHT], [RIGHT, WRONG], [[0.99, 0.01], WRONG]])
    assert select(library, np.zeros(2, int), numbered("accuracy", 2), 1).order == (0,)


@pytest.mark.parametrize("sharper", [1, 2])
def test_of_equal_errors_the_lowest_log_loss_is_added(sharper: int) -> None:
    """Both later models correct the third row of the first, and lose the first row to it."""
    library = np.array([[RIGHT, RIGHT, WRONG], [WRONG, RIGHT, RIGHT], [WRONG, RIGHT, RIGHT]])
    library[sharper, 1] = [1.0, 0.0]
    chosen = select(library, np.zeros(3, int), numbered("accuracy", 2), 2)
    assert chosen.loss == 0.0
    assert chosen.order == (0, sharper)


@pytest.mark.parametrize("name", ["accuracy", "neg_log_loss"])
def test_of_wholly_equal_candidates_the_first_is_added(name: str) -> None:
    library = np.array([[RIGHT, RIGHT, WRONG], [WRONG, RIGHT, RIGHT], [WRONG, RIGHT, RIGHT]])
    chosen = select(library[[1, 0, 2]], np.zeros(3, int), numbered(name, 2), 2)
    assert chosen.order == (0, 1)
    assert select(library, np.zeros(3, int), numbered(name, 2), 2).order == (0, 1)


@patiently
@given(libraries(), st.sampled_from([1e-15, 1e15]))
def test_what_ties_does_not_depend_on_the_unit_of_the_metric(library: Library, unit: float) -> None:
    def cost(estimator: Any, X: FloatArray, y: Any) -> float:
        return -unit * float((estimator.predict(X) != y).mean())

    k = library.predictions.shape[2]
    scaled = select(library.predictions, library.codes, as_metric(cost, np.arange(k)), 4)
    assert scaled.order == selected(library, "accuracy", size=4).order


def test_losses_within_the_tolerance_leave_the_choice_to_the_log_loss() -> None:
    """The first model is right once more, the second nearly as often and much surer."""
    first = [[0.6, 0.4]] * 10
    second = [[0.99, 0.01]] * 9 + [[0.1, 0.9]]
    library = np.array([first, second])
    codes, metric = np.zeros(10, int), numbered("accuracy", 2)
    assert select(library, codes, metric, 4).order == (0,)
    assert select(library, codes, metric, 4, tolerance=0.05).order == (0,)
    assert select(library, codes, metric, 4, tolerance=0.1).weights[1] > 0.7


# --- what comes in, and the small functions ------------------------------------------------


def test_of_equal_errors_the_log_loss_with_the_weights_of_rows_decides() -> None:
    sure, unsure = [0.99, 0.01], [0.6, 0.4]
    library = np.array([[sure, unsure], [unsure, sure]])
    codes, metric = np.zeros(2, int), numbered("accuracy", 2)
    for weights, best in (([9.0, 1.0], 0), ([1.0, 9.0], 1)):
        chosen = select(library, codes, metric, 1, tolerance=0.1, sample_weight=np.array(weights))
        assert chosen.order == (best,)


def test_weights_of_rows_change_what_is_best() -> None:
    library = np.array([[RIGHT, WRONG], [WRONG, RIGHT]])
    metric = numbered("accuracy", 2)
    for weight, best in (([2.0, 1.0], 0), ([1.0, 2.0], 1)):
        chosen = select(library, np.zeros(2, int), metric, 1, sample_weight=np.array(weight))
        assert chosen.order == (best,)
        assert chosen.loss == pytest.approx(1 / 3)


@pytest.mark.parametrize("size", [0, -1])
def test_an_ensemble_needs_a_round(size: int) -> None:
    with pytest.raises(ValueError, match=f"at least one round, got size={size}"):
        select(np.full((1, 1, 2), 0.5), np.array([0]), numbered("accuracy", 2), size)


@pytest.mark.parametrize("tolerance", [-0.1, float("nan")])
def test_a_tolerance_is_no_less_than_zero(tolerance: float) -> None:
    with pytest.raises(ValueError, match="zero or more"):
        select(
            np.full((1, 1, 2), 0.5),
            np.zeros(1, int),
            numbered("accuracy", 2),
            1,
            tolerance=tolerance,
        )


@pytest.mark.parametrize("shape", [(0, 2, 2), (3, 2), (3, 1, 2), (3, 2, 3)])
def test_shapes_that_do_not_fit_are_named(shape: tuple[int, ...]) -> None:
    with pytest.raises(ValueError, match=r"probabilities \(.*\) do not fit codes \(2,\)"):
        select(np.full(shape, 0.5), np.array([0, 1]), numbered("accuracy", 2), 3)


@pytest.mark.parametrize("name", NAMES)
def test_a_model_without_a_prediction_is_refused(name: str) -> None:
    library = np.full((3, 2, 2), 0.5)
    library[1, 1] = np.nan
    with pytest.raises(ValueError, match="must be finite and not negative"):
        select(library, np.array([0, 1]), numbered(name, 2), 3)


def test_a_shortlist_is_the_best_first_with_equals_in_their_order() -> None:
    losses = np.array([0.3, np.inf, 0.1, 0.3, np.nan, 0.2, 0.1])
    assert shortlist(losses, 4).tolist() == [2, 6, 5, 0]
    assert shortlist(losses, 99).tolist() == [2, 6, 5, 0, 3]
    assert shortlist(losses, 0).tolist() == []


def test_only_lower_losses_are_better_than_the_baseline() -> None:
    losses = np.array([0.5, 0.4, np.inf, np.nan, 0.6])
    assert better_than_baseline(losses, 0.5).tolist() == [False, True, False, False, False]
