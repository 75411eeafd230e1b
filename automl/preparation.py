"""From the user's table and parameters to what a search works on, after every check."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol

from automl.changes import Change
from automl.data.label_types import Labels
from automl.data.labels import encode_labels
from automl.data.resampling import Splits, make_splits
from automl.data.schema import Schema, learn_schema
from automl.data.suspicion import suspicious_columns
from automl.data.table_store import load_table, stored_table
from automl.data.task_description import describe_task
from automl.data.weights import RowWeights, check_parts, row_weights
from automl.evaluation.baseline import baseline_loss
from automl.metrics import Metric
from automl.prepared_data import PreparedData
from automl.scoring import as_metric
from automl.seeding import Purpose, derived_seed
from automl.settings import Settings
from automl.task_space import space_for
from automl.travel import check_can_travel
from automl.validation import affordable_cv


class Asked(Protocol):
    """The parameters of an estimator that need a table to be checked."""

    scoring: Any
    cv: Any
    search_space: Any
    class_weight: Any


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Prepared:
    """A table after every check, and what is to be remembered of it.

    Attributes
    ----------
    schema : Schema
        What was learnt of the columns.
    classes : (k,) array
        The user's labels, sorted.
    changes : tuple of Change
        What was dropped, converted or left out.
    to_warn_of : tuple of Change
        Of these, what the user has to be warned of.
    data : PreparedData
        What the search works on.
    """

    schema: Schema
    classes: Labels
    changes: tuple[Change, ...]
    to_warn_of: tuple[Change, ...]
    data: PreparedData


def prepare(
    X: Any, y: Any, asked: Asked, settings: Settings, *, sample_weight: Any, groups: Any
) -> Prepared:
    """Return a table and its labels, checked.

    Parameters
    ----------
    X, y, sample_weight, groups : object
        What the user passed to ``fit``.
    asked : estimator
        Its parameters.
    settings : Settings
        The checked ones.

    Raises
    ------
    InputError
        If the table, the labels, the weights, the groups or a parameter cannot be used.
    """
    name = type(asked).__name__
    schema = learn_schema(X, estimator_name=name)
    features = schema.transform(X)
    codes, classes = encode_labels(y, features.shape[0], estimator_name=name)
    n_classes = classes.shape[0]
    weights = row_weights(sample_weight, asked.class_weight, codes, classes)
    metric = as_metric(asked.scoring, classes)
    check_can_travel("scoring", asked.scoring)
    cv = affordable_cv(
        asked.cv,
        n_rows=features.shape[0],
        n_columns=len(schema.numeric) + sum(schema.n_levels),
        n_classes=n_classes,
        seconds=settings.time_limit,
    )
    seed = derived_seed(settings.seed, Purpose.SPLITS)
    splits = make_splits(cv, codes, seed=seed, groups=groups, X=X)
    if settings.resume and settings.work_dir is not None and _is_random(cv):
        splits = _splits_of(settings.work_dir, splits)
    weights, unweighted = _usable(weights, metric)
    check_parts(weights, codes, splits)
    baseline = baseline_loss(metric, codes, splits, n_classes, weights)
    to_warn_of = (*suspicious_columns(features, codes, schema.names), *unweighted)
    has_weights = weights.training is not None
    task = describe_task(schema, codes, splits, n_classes, has_weights=has_weights)
    space, left_out = space_for(task, asked.search_space, settings)
    return Prepared(
        schema=schema,
        classes=classes,
        changes=(*schema.changes, *to_warn_of, *splits.changes, *baseline.changes, *left_out),
        to_warn_of=to_warn_of,
        data=PreparedData(
            X=features,
            codes=codes,
            n_classes=n_classes,
            splits=splits,
            metric=metric,
            search_space=space,
            baseline_loss=baseline.loss,
            weights=weights,
        ),
    )


def prepare_again(
    work_dir: Path, schema: Schema, classes: Labels, asked: Asked, settings: Settings
) -> Prepared:
    """Return what an earlier search worked on, read from its folder.

    Parameters
    ----------
    work_dir : Path
        Folder of the earlier search.
    schema : Schema
        What was learnt of its columns.
    classes : (k,) array
        Its labels.
    asked : estimator
        Its parameters.
    settings : Settings
        The checked ones.

    Raises
    ------
    PredictionStoreError
        If the table is not there any more.
    """
    table = load_table(stored_table(work_dir / "table"))
    metric = as_metric(asked.scoring, classes)
    n_classes = classes.shape[0]
    weights = table.weights
    task = describe_task(
        schema, table.codes, table.splits, n_classes, has_weights=weights.training is not None
    )
    baseline = baseline_loss(metric, table.codes, table.splits, n_classes, weights)
    space, _ = space_for(task, asked.search_space, settings)
    return Prepared(
        schema=schema,
        classes=classes,
        changes=(),
        to_warn_of=(),
        data=PreparedData(
            X=table.X,
            codes=table.codes,
            n_classes=n_classes,
            splits=table.splits,
            metric=metric,
            search_space=space,
            baseline_loss=baseline.loss,
            weights=weights,
        ),
    )


def _is_random(cv: Any) -> bool:
    """Return whether a splitter gives other folds each time."""
    draws = getattr(cv, "random_state", 0) is None
    return draws and hasattr(cv, "split") and bool(getattr(cv, "shuffle", True))


def _splits_of(work_dir: Path, drawn: Splits) -> Splits:
    """Return the folds that the same splitter drew for the search in a folder, if there is one."""
    if not (work_dir / "table").is_dir():
        return drawn
    splits = load_table(stored_table(work_dir / "table")).splits
    is_the_same = (splits.description, splits.n_rows) == (drawn.description, drawn.n_rows)
    return replace(splits, changes=drawn.changes) if is_the_same else drawn


def _usable(weights: RowWeights, metric: Metric) -> tuple[RowWeights, tuple[Change, ...]]:
    """Return the weights without those that the metric cannot take, and word of it."""
    if weights.metric is None or metric.takes_sample_weight:
        return weights, ()
    reason = f"scoring {metric.name!r} takes no weights of rows; only learners get them"
    change = Change("sample_weight", "left out of the losses", reason)
    return replace(weights, metric=None), (change,)
