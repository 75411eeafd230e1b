"""What is made of the models after a search: the best one, or an ensemble of one of three designs.

========== ===============================================================
single     The model with the lowest validation loss.
es_N       Ensemble selection in N rounds.
bagging_K  The mean of the K best models.
stacking_K A logistic regression on the probabilities of the K best models.
========== ===============================================================

Everything is chosen and fitted on the validation rows, so that losses there are too low; those on
the test rows are not.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np

from automl.benchmark.study.model_library import ModelLibrary
from automl.ensembles.bagging import bagging_weights, weighted_mean
from automl.ensembles.criteria import Stack
from automl.ensembles.diversity import pairwise_diversity
from automl.ensembles.selection import Selection, select, shortlist
from automl.ensembles.stacking import Stacking
from automl.errors import InputError
from automl.suggestions import did_you_mean
from search_space.arrays import FloatArray

DESIGNS = ("single", "es_25", "es_100", "bagging_5", "stacking_5")
"""The designs of the study."""

ENSEMBLE_SIZE = 25
"""Rounds of the ensemble selection whose members and course are told."""

_NAME = re.compile(r"(?P<family>es|bagging|stacking)_(?P<size>[1-9]\d*)")

Prediction = tuple[FloatArray, FloatArray]
"""Probabilities of a design for the validation rows and for the test rows."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DesignResult:
    """Losses of what a design makes of a library.

    Attributes
    ----------
    validation, test : float, loss
        On the rows it was made with, and on others.
    """

    validation: float
    test: float


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class EnsembleMembers:
    """Which models ensemble selection takes, and how differently they predict.

    Attributes
    ----------
    members : tuple of int
        Models with a share, in the order of the library.
    weights : (e,) array
        Share of each; they sum to one.
    pairwise : (e, e) array, in [0, 1]
        Diversity of every two of them on the validation rows.
    """

    members: tuple[int, ...]
    weights: FloatArray
    pairwise: FloatArray


@dataclass(frozen=True, slots=True, kw_only=True)
class Design:
    """A design by its name.

    Attributes
    ----------
    name : str
        The name.
    predict : callable
        Library to the design's predictions.
    """

    name: str
    predict: Callable[[ModelLibrary], Prediction]


def design_named(name: str) -> Design:
    """Return the design of a name; the number in it may be any above zero.

    Raises
    ------
    InputError
        If there is none of this name.
    """
    if name == "single":
        return Design(name=name, predict=lambda library: _bagged(library, 1))
    found = _NAME.fullmatch(name)
    if found is None:
        raise InputError(
            f"no design is called {name!r}; there are 'single', 'es_N', 'bagging_K' and "
            f"'stacking_K' with numbers from 1{did_you_mean(name, DESIGNS)}"
        )
    predict = _FAMILIES[found["family"]]
    size = int(found["size"])
    return Design(name=name, predict=lambda library: predict(library, size))


def evaluate_designs(
    library: ModelLibrary, names: Sequence[str] = DESIGNS
) -> dict[str, DesignResult]:
    """Return the losses of each design; where it wants more models than there are, of all.

    Parameters
    ----------
    library : ModelLibrary
        The models of a search.
    names : sequence of str
        The designs.

    Raises
    ------
    InputError
        If a name is none.
    """
    results = {}
    for design in [design_named(name) for name in names]:
        validation, test = design.predict(library)
        results[design.name] = DesignResult(
            validation=library.on_validation(validation), test=library.on_test(test)
        )
    return results


def ensemble_members(library: ModelLibrary, size: int = ENSEMBLE_SIZE) -> EnsembleMembers:
    """Return the members of ensemble selection in so many rounds."""
    chosen = _selected(library, size)
    return EnsembleMembers(
        members=tuple(chosen.members.tolist()),
        weights=chosen.weights[chosen.members],
        pairwise=pairwise_diversity(np.asarray(library.validation[chosen.members])),
    )


def _selected(library: ModelLibrary, size: int) -> Selection:
    # Without a tolerance for losses that the validation rows cannot tell apart, and all rounds, as
    # in the paper. Differs from it in that the log loss decides between equals.
    chosen = select(library.validation, library.validation_codes, library.metric, size)
    return chosen.of_all_rounds()


def _with_weights(library: ModelLibrary, weights: FloatArray) -> Prediction:
    return weighted_mean(weights, library.validation), weighted_mean(weights, library.test)


def _ensemble_selection(library: ModelLibrary, size: int) -> Prediction:
    return _with_weights(library, _selected(library, size).weights)


def _bagged(library: ModelLibrary, size: int) -> Prediction:
    return _with_weights(library, bagging_weights(library.losses, size))


def _stacked(library: ModelLibrary, size: int) -> Prediction:
    best = shortlist(library.losses, size)
    validation: Stack = library.validation[best]
    fitted = Stacking().fit(validation, library.validation_codes)
    return fitted.predict(validation), fitted.predict(library.test[best])


_FAMILIES: dict[str, Callable[[ModelLibrary, int], Prediction]] = {
    "es": _ensemble_selection,
    "bagging": _bagged,
    "stacking": _stacked,
}
