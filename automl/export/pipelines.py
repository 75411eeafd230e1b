"""An ensemble, or one member of it, as a pipeline from a user's table to a user's labels."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.ensemble import VotingClassifier
from sklearn.frozen import FrozenEstimator
from sklearn.model_selection import FixedThresholdClassifier
from sklearn.pipeline import Pipeline

from automl.data.schema import Schema
from automl.ensembles.threshold import EVEN_THRESHOLD
from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.errors import InputError
from automl.export.classifiers import plain_classifier
from automl.export.tables import plain_columns
from automl.export.transformers import plain_steps
from search_space.arrays import Features
from search_space.transformers.sized_operator import quiet_arrays

Labels = npt.NDArray[Any]


def plain_ensemble(schema: Schema, ensemble: WeightedEnsemble, labels: Labels) -> Pipeline:
    """Return a pipeline of the columns and of a weighted vote of the members.

    Parameters
    ----------
    schema : Schema
        How the table is read.
    ensemble : WeightedEnsemble
        The members; those without weight are left out.
    labels : (k,) array
        What the class codes stand for.

    Raises
    ------
    InputError
        If a part has no counterpart in scikit-learn.
    """
    members = [member for member in ensemble.members if member.weight > 0.0]
    with quiet_arrays():  # what operators have to say of the rows that stand in
        columns = plain_columns(schema)
        like = _prepared(schema)
        vote = _vote(members, like, labels)
        if ensemble.threshold != EVEN_THRESHOLD:
            vote = _with_threshold(vote, ensemble.threshold, like, labels)
    return Pipeline([("columns", columns), ("ensemble", vote)])


def plain_member(schema: Schema, member: Member, labels: Labels) -> Pipeline:
    """Return a member's pipeline with the columns as its first step; see `plain_ensemble`.

    A member of several pipelines, one for each fold, becomes their vote.
    """
    like = _prepared(schema)
    with quiet_arrays():
        columns = plain_columns(schema)
        if len(member.models) > 1:
            return Pipeline([("columns", columns), ("folds", _vote([member], like, labels))])
        *steps, (name, last) = _plain_model(member, 0, like, labels).steps
        rows = Pipeline(steps).transform(like) if steps else like
        single = _voting([("classifier", last)], [1.0], rows, labels)
    return Pipeline([("columns", columns), *steps, (name, single)])


def _prepared(schema: Schema) -> Features:
    """Return two rows that stand in for a prepared table."""
    shape = (2, len(schema.names))
    return scipy.sparse.csr_array(shape) if schema.is_sparse else np.zeros(shape)


def _with_threshold(
    vote: VotingClassifier, threshold: float, like: Features, labels: Labels
) -> FixedThresholdClassifier:
    just_above = float(np.nextafter(threshold, 1.0))  # it takes what is equal to the threshold
    fixed = FixedThresholdClassifier(
        FrozenEstimator(vote),
        threshold=just_above,
        pos_label=labels[1],
        response_method="predict_proba",
    )
    return fixed.fit(like, labels)


def _vote(members: Sequence[Member], like: Features, labels: Labels) -> VotingClassifier:
    models, weights = [], []
    for member in members:
        for fold in range(len(member.models)):
            name = f"trial_{member.number}" + (f"_{fold}" if len(member.models) > 1 else "")
            models.append((name, _plain_model(member, fold, like, labels)))
            weights.append(member.weight / len(member.models))
    return _voting(models, weights, like, labels)


def _plain_model(member: Member, fold: int, like: Features, labels: Labels) -> Pipeline:
    model = member.models[fold]
    if not np.array_equal(model.classes_, np.arange(len(labels))):
        raise InputError(
            f"trial {member.number} was fitted to rows without some of the classes; scikit-learn "
            "cannot average it with others. Use save and load, or fit with refit=True"
        )
    *before, (name, classifier) = model.steps
    steps = plain_steps(before, like)
    rows = Pipeline(steps).transform(like) if steps else like
    return Pipeline([*steps, (name, plain_classifier(classifier, rows))])


def _voting(
    models: list[tuple[str, Any]], weights: list[float], like: Features, labels: Labels
) -> VotingClassifier:
    vote = VotingClassifier(
        [(name, FrozenEstimator(model)) for name, model in models], voting="soft", weights=weights
    )
    rows = like[np.zeros(len(labels), dtype=int)]
    return vote.fit(rows, labels)
