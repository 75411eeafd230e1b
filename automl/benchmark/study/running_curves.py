"""How good the best model and the ensemble were after every trial, and which trials changed it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from automl.batched_losses import BoolArray
from automl.benchmark.study.designs import ENSEMBLE_SIZE
from automl.benchmark.study.model_library import ModelLibrary
from automl.ensembles.bagging import weighted_mean
from automl.ensembles.diversity import diversity_to
from automl.ensembles.running_selection import running_selections
from search_space.arrays import FloatArray, IntArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class RunningCurves:
    """One value for each model of a library, in its order: what was true right after its trial.

    Attributes
    ----------
    single_validation, single_test : (m,) arrays, loss
        Of the model that was best on validation; of equals the first.
    es_validation, es_test : (m,) arrays, loss
        Of the ensemble that is selected from all models until then.
    in_pool : (m,) array of bool
        Whether the model is a member of that ensemble.
    members_validation : (m,) array, loss
        Mean of the members of that ensemble, each counted once.
    distance : (m,) array, in [0, 1]
        Smallest diversity of the model from a member of the ensemble before; NaN for the first.
    """

    single_validation: FloatArray
    single_test: FloatArray
    es_validation: FloatArray
    es_test: FloatArray
    in_pool: BoolArray
    members_validation: FloatArray
    distance: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class OwnCurves:
    """The losses of the ensemble that a search keeps itself, one value for each trial.

    Attributes
    ----------
    validation, test : (t,) arrays, loss
        NaN before the first model.
    """

    validation: FloatArray
    test: FloatArray


def own_curves(library: ModelLibrary, members: Sequence[Sequence[int]]) -> OwnCurves:
    """Return how good ensembles were.

    Parameters
    ----------
    library : ModelLibrary
        The models.
    members : sequence of sequences
        Models in the ensemble after each trial, with repeats.
    """
    losses = np.full((len(members), 2), np.nan)
    before: Sequence[int] = ()
    for trial, of_trial in enumerate(members):
        if of_trial and of_trial == before:
            losses[trial] = losses[trial - 1]
        elif of_trial:
            counts = np.bincount(of_trial, minlength=len(library.losses))
            losses[trial] = _losses(library, counts / counts.sum())
        before = of_trial
    return OwnCurves(validation=losses[:, 0], test=losses[:, 1])


def running_curves(library: ModelLibrary, size: int = ENSEMBLE_SIZE) -> RunningCurves:
    """Return what was true after each trial.

    A failed trial changes none of the losses, so those of the trial before it hold.

    Parameters
    ----------
    library : ModelLibrary
        The models in the order in which their trials ended.
    size : int
        Rounds of ensemble selection.
    """
    singles = _best_so_far(library.losses)
    test_losses = library.metric.losses(library.test_codes, library.test)
    n_models = len(library.losses)
    ensemble_losses = np.empty((n_models, 2))
    members_losses = np.empty(n_models)
    in_pool, distance = np.zeros(n_models, dtype=bool), np.full(n_models, np.nan)
    members: IntArray = np.empty(0, dtype=np.intp)
    order: tuple[int, ...] = ()
    selections = running_selections(
        library.validation, library.validation_codes, library.metric, size
    )
    for model, best in enumerate(selections):
        selection = best.of_all_rounds()  # as the design that is compared
        if model > 0:
            distance[model] = _distance(library, model, members)
        if selection.order == order:
            ensemble_losses[model] = ensemble_losses[model - 1]
        else:
            ensemble_losses[model] = _losses(library, selection.weights)
        order, members = selection.order, selection.members
        in_pool[model] = model in members
        members_losses[model] = library.losses[members].mean()
    return RunningCurves(
        single_validation=library.losses[singles],
        single_test=test_losses[singles],
        es_validation=ensemble_losses[:, 0],
        es_test=ensemble_losses[:, 1],
        in_pool=in_pool,
        members_validation=members_losses,
        distance=distance,
    )


def _best_so_far(losses: FloatArray) -> IntArray:
    """Return the first model with the lowest loss of the first 1, 2, ... models."""
    is_better = np.r_[True, losses[1:] < np.minimum.accumulate(losses)[:-1]]
    return np.maximum.accumulate(np.where(is_better, np.arange(len(losses)), 0))


def _distance(library: ModelLibrary, model: int, members: IntArray) -> float:
    one, others = library.validation[model], library.validation[members]
    return float(diversity_to(np.asarray(one), np.asarray(others)).min())


def _losses(library: ModelLibrary, weights: FloatArray) -> tuple[float, float]:
    return (
        library.on_validation(weighted_mean(weights, library.validation)),
        library.on_test(weighted_mean(weights, library.test)),
    )
