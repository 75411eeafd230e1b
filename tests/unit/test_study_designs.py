"""Tests of what the study makes of the models of a search."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from sklearn.linear_model import LogisticRegression

from automl.benchmark.study.designs import (
    DESIGNS,
    DesignResult,
    design_named,
    ensemble_members,
    evaluate_designs,
)
from automl.benchmark.study.model_library import ModelLibrary, NoModelsError
from automl.benchmark.study.running_curves import own_curves, running_curves
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import select
from automl.errors import InputError
from automl.scoring import as_metric
from search_space.arrays import FloatArray, IntArray

METRIC = as_metric("accuracy", np.arange(3))


def library(n_models: int = 12, seed: int = 0) -> ModelLibrary:
    """Return models that are right in part on 60 validation and 80 test rows."""
    rng = np.random.default_rng(seed)
    codes = rng.integers(3, size=140)
    values = rng.random((n_models, 140, 3)) ** rng.uniform(0.5, 3.0, size=(n_models, 1, 1))
    values += 0.3 * np.eye(3)[codes]
    predictions = (values / values.sum(axis=2, keepdims=True)).astype(np.float32)
    validation = predictions[:, :60]
    return ModelLibrary(
        validation=validation,
        validation_codes=codes[:60],
        test=predictions[:, 60:],
        test_codes=codes[60:],
        losses=METRIC.losses(codes[:60], validation),
        metric=METRIC,
    )


def error(codes: IntArray, probabilities: FloatArray) -> float:
    return 1.0 - float(np.mean(probabilities.argmax(axis=1) == codes))


def first_models(models: ModelLibrary, n: int) -> ModelLibrary:
    return replace(
        models, validation=models.validation[:n], test=models.test[:n], losses=models.losses[:n]
    )


def test_the_designs_of_the_study_are_evaluated_by_default() -> None:
    results = evaluate_designs(library())
    assert tuple(results) == DESIGNS == ("single", "es_25", "es_100", "bagging_5", "stacking_5")
    assert len({result.test for result in results.values()}) > 2


def test_the_single_model_is_the_one_with_the_lowest_validation_loss() -> None:
    models = library()
    best = int(models.losses.argmin())
    expected = DesignResult(
        validation=float(models.losses[best]),
        test=error(models.test_codes, models.test[best]),
    )
    assert evaluate_designs(models, ["single"]) == {"single": expected}


@pytest.mark.parametrize("size", [1, 7, 25])
def test_ensemble_selection_keeps_all_rounds_and_is_weighed_as_it_selects(size: int) -> None:
    models = library()
    chosen = select(models.validation, models.validation_codes, METRIC, size)
    weights = np.bincount(chosen.added, minlength=len(models.losses)) / size  # of all rounds
    result = evaluate_designs(models, [f"es_{size}"])[f"es_{size}"]
    mixed = np.einsum("m,mnk->nk", weights, models.test)
    assert result.test == error(models.test_codes, mixed)
    mixed = np.einsum("m,mnk->nk", weights, models.validation)
    assert result.validation == error(models.validation_codes, mixed)


@pytest.mark.parametrize("size", [1, 3, 5])
def test_bagging_and_stacking_take_the_best_models(size: int) -> None:
    models = library()
    best = np.argsort(models.losses, kind="stable")[:size]
    results = evaluate_designs(models, [f"bagging_{size}", f"stacking_{size}"])
    bagged = models.test[best].mean(axis=0)
    assert results[f"bagging_{size}"].test == error(models.test_codes, bagged)
    of_rows = [np.hstack(list(rows[best])) for rows in (models.validation, models.test)]
    regression = LogisticRegression(max_iter=1_000).fit(of_rows[0], models.validation_codes)
    for rows, codes, loss in (
        (of_rows[0], models.validation_codes, results[f"stacking_{size}"].validation),
        (of_rows[1], models.test_codes, results[f"stacking_{size}"].test),
    ):
        assert loss == pytest.approx(np.mean(regression.predict(rows) != codes))


def test_fewer_models_than_a_design_wants_are_all_taken() -> None:
    models = library(3)
    many = evaluate_designs(models, ["bagging_5", "stacking_9"])
    few = evaluate_designs(models, ["bagging_3", "stacking_3"])
    assert list(many.values()) == list(few.values())
    assert set(evaluate_designs(library(1))) == set(DESIGNS)


def test_no_model_at_all_is_an_error_of_its_own() -> None:
    with pytest.raises(NoModelsError, match="no trial"):
        first_models(library(), 0)


def test_libraries_that_do_not_fit_or_hold_failed_trials_are_refused() -> None:
    models = library()
    with pytest.raises(ValueError, match="12 models on validation rows, 11 on test rows"):
        replace(models, test=models.test[1:])
    with pytest.raises(ValueError, match="leave failed trials out"):
        replace(models, losses=np.where(np.arange(12) == 3, np.inf, models.losses))


@pytest.mark.parametrize(
    ("name", "meant"),
    [
        ("bagging5", "did you mean 'bagging_5'"),
        ("Single", "did you mean 'single'"),
        ("es_0", "did you mean"),
        ("stacking_", "did you mean 'stacking_5'"),
        ("es_2_5", "did you mean 'es_25'"),
        ("voting", "numbers from 1$"),
        ("", "numbers from 1$"),
    ],
)
def test_names_that_are_none_are_refused_with_what_was_meant(name: str, meant: str) -> None:
    with pytest.raises(InputError, match=meant):
        evaluate_designs(library(), ["single", name])
    with pytest.raises(InputError, match=f"no design is called '{name}'"):
        design_named(name)


def test_the_members_are_those_of_25_rounds_with_weights_and_diversities() -> None:
    models = library()
    told = ensemble_members(models)
    chosen = select(models.validation, models.validation_codes, METRIC, 25)
    assert chosen.n_rounds < 25  # of which the best ones are not all
    weights = np.bincount(chosen.added, minlength=len(models.losses)) / 25
    assert told.members == tuple(np.flatnonzero(weights))
    assert len(told.members) > 1
    assert np.array_equal(told.weights, weights[list(told.members)])
    expected = pairwise_diversity(models.validation)[np.ix_(told.members, told.members)]
    np.testing.assert_allclose(told.pairwise, expected, atol=1e-12)


def test_running_curves_are_what_is_computed_after_every_trial_from_scratch() -> None:
    models = library(15, seed=3)
    curves = running_curves(models, size=6)
    diversity = pairwise_diversity(models.validation)
    members: tuple[int, ...] = ()
    for n in range(1, 16):
        some = first_models(models, n)
        results = evaluate_designs(some, ["single", "es_6"])
        last = n - 1
        assert curves.single_validation[last] == results["single"].validation
        assert curves.single_test[last] == results["single"].test
        assert curves.es_validation[last] == results["es_6"].validation
        assert curves.es_test[last] == results["es_6"].test
        if members:
            closest = diversity[last, list(members)].min()
            assert curves.distance[last] == pytest.approx(closest, abs=1e-12)
        members = ensemble_members(some, 6).members
        assert curves.in_pool[last] == (last in members)
        expected = np.mean(models.losses[list(members)])
        assert curves.members_validation[last] == pytest.approx(expected)
    assert np.flatnonzero(np.isnan(curves.distance)).tolist() == [0]
    assert 1 < curves.in_pool.sum() < 15


def test_curves_of_own_ensembles_are_those_of_the_mean_of_their_members() -> None:
    models = library(4)
    members = [[], [2], [2, 0], [2, 0], [1, 3, 3]]
    curves = own_curves(models, members)
    for trial, of_trial in enumerate(members):
        found = curves.validation[trial], curves.test[trial]
        if of_trial:
            both = (models.validation[of_trial].mean(axis=0), models.test[of_trial].mean(axis=0))
            assert found == (models.on_validation(both[0]), models.on_test(both[1]))
        else:
            assert np.isnan(found).all()


def test_of_equal_models_the_first_stays_the_best() -> None:
    models = library(3)
    twins = replace(models, validation=models.validation[[0, 0, 0]], losses=np.full(3, 0.25))
    curves = running_curves(twins)
    assert len(set(curves.single_test)) == 1
    assert curves.in_pool.tolist() == [True, False, False]
    assert curves.distance[1:].tolist() == [0.0, 0.0]
