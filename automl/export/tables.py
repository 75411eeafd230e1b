"""What the schema does to a user's table, said with scikit-learn and pandas.

Unlike the schema, it checks neither for infinite values nor for columns of another kind than at
the fit; numbers that come as text "true" or "false" are not read.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Sequence
from functools import singledispatch
from itertools import groupby
from operator import attrgetter
from typing import Any

import numpy as np
import pandas as pd
import scipy.sparse
from sklearn.compose import ColumnTransformer
from sklearn.frozen import FrozenEstimator
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import OrdinalEncoder

from automl.data.category_column import CategoryColumn
from automl.data.column import Column
from automl.data.date_column import DateColumn
from automl.data.number_column import DurationColumn, NumberColumn, parse_numbers
from automl.data.raw_column import object_array
from automl.data.schema import Schema
from automl.errors import InputError
from automl.export.pieces import by_columns, function, lookup, select

_FRAME: Any = pd.DataFrame  # its stubs are generic, which methods taken from the class cannot be
_PART_NAMES = {"weekday": "dt.day_of_week"}
_MISSING = "\0missing"
_WHOLE_NUMBER = re.compile(r"-?\d+")
_MOMENT = re.compile(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d(\.\d+)?")
_ENDS_OF_PERIODS = (" 00:00:00", "-01 00:00:00", "-01-01 00:00:00")


def plain_columns(schema: Schema) -> ColumnTransformer | Pipeline:
    """Return the step that prepares a user's table as a schema does.

    Raises
    ------
    InputError
        If a column is free text, whose statistics scikit-learn cannot compute.
    """
    if schema.is_sparse:
        like = scipy.sparse.csr_array((2, schema.n_features_in))
        chosen = select([column.position for column in schema.columns], like)
        return make_pipeline(function(scipy.sparse.csr_array), chosen)  # other formats lack slices
    parts: list[tuple[str, Pipeline, list[Any]]] = []
    for _, group in groupby(schema.columns, key=_treated_together):
        columns = list(group)
        names = [
            column.position if schema.input_names is None else schema.input_names[column.position]
            for column in columns
        ]
        parts.append((f"from_{columns[0].position}", plain_column(columns[0]), names))
    return by_columns(parts, _stand_in(schema))


def _stand_in(schema: Schema) -> Any:
    empty = np.full((2, schema.n_features_in), np.nan, dtype=object)
    return empty if schema.input_names is None else pd.DataFrame(empty, columns=schema.input_names)


def _treated_together(column: Column) -> object:
    """Return what neighbours in a table have in common if one step can read all of them."""
    if isinstance(column, NumberColumn):
        return column.ignores_text
    return column.name, column.position


@singledispatch
def plain_column(column: Column) -> Pipeline:
    """Return the step that turns a column, or several that are alike, into numbers."""
    raise InputError(
        f"column {column.name!r} holds free text, for which scikit-learn has no equal step; drop "
        "it before fit, or use save and load instead"
    )


@plain_column.register
def _(column: NumberColumn) -> Pipeline:
    return make_pipeline(*_as_numbers("coerce" if column.ignores_text else "raise"))


@plain_column.register
def _(column: DurationColumn) -> Pipeline:
    read = function(_FRAME.apply, func=pd.to_timedelta)
    seconds = function(_FRAME.div, other=pd.Timedelta(seconds=1))
    return make_pipeline(function(_FRAME), read, seconds, _to_array())


@plain_column.register
def _(column: DateColumn) -> Pipeline:
    read = function(
        pd.DataFrame.apply,
        func=pd.to_datetime,
        utc=True,
        format="ISO8601",
        errors="coerce" if column.ignores_text else "raise",
    )
    origin = pd.Timestamp(np.datetime64(column.origin, "us"), tz="UTC")
    days = make_pipeline(
        function(_FRAME.sub, other=origin),
        function(_FRAME.div, other=pd.Timedelta(days=1)),
        _to_array(),
    )
    parts = [
        (
            part,
            make_pipeline(
                function(_FRAME.apply, func=attrgetter(_PART_NAMES.get(part, f"dt.{part}"))),
                _to_array(),
            ),
        )
        for part in column.parts
    ]
    union = FeatureUnion([(name, FrozenEstimator(p)) for name, p in [("days", days), *parts]])
    # As text, since pandas reads no periods; those of weeks and quarters it cannot read so either.
    return make_pipeline(function(_FRAME), function(_FRAME.astype, dtype=str), read, union)


@plain_column.register
def _(column: CategoryColumn) -> Pipeline:
    unknown = float(column.n_levels)
    if column.has_number_levels:
        numbers = parse_numbers(object_array(list(column.levels))).tolist()
        # The first of several levels that say the same number stands for it.
        by_number = {n: float(code) for code, n in reversed(list(enumerate(numbers)))}
        return make_pipeline(*_as_numbers("coerce"), lookup(by_number, otherwise=unknown))
    texts = [*column.levels, *_also_written(column.levels), _MISSING]
    levels = np.array(texts, dtype=object)
    encoder = OrdinalEncoder(
        categories=[levels], handle_unknown="use_encoded_value", unknown_value=len(texts)
    )
    codes = [*range(column.n_levels), *_also_written(column.levels).values()]
    known = {float(place): float(code) for place, code in enumerate(codes)}
    return make_pipeline(
        function(_FRAME),
        function(_FRAME.astype, dtype=object),
        function(_FRAME.fillna, value=_MISSING),
        function(_FRAME.map, func=str),
        function(_FRAME.to_numpy, dtype=object),
        encoder.fit(levels[:, None]),
        lookup({**known, float(len(codes)): np.nan}, otherwise=unknown),
    )


def _also_written(levels: Sequence[str]) -> dict[str, int]:
    """Return what else Python writes for values that the schema reads as a level, by its code.

    Whole numbers may be floats, numbers may be seconds, and midnights may be dates or periods.
    """
    others: dict[str, int] = {}
    for code, level in enumerate(levels):
        for text in _spellings(level):
            others.setdefault(text, code)
    return {text: code for text, code in others.items() if text not in levels}


def _spellings(level: str) -> list[str]:
    if _MOMENT.fullmatch(level):
        ends = (end for end in _ENDS_OF_PERIODS if level.endswith(end))
        return [f"{level}+00:00", *(level.removesuffix(end) for end in ends)]
    try:
        number = float(level)
        length = datetime.timedelta(seconds=number)
    except (ValueError, OverflowError):  # other text, or a number that is no length of time
        return [str(float(level))] if _WHOLE_NUMBER.fullmatch(level) else []
    return [str(number), str(length), str(pd.Timedelta(length))]


def _as_numbers(errors: str) -> tuple[Any, ...]:
    read = function(_FRAME.apply, func=pd.to_numeric, errors=errors)
    return function(_FRAME), read, _to_array()


def _to_array() -> Any:
    return function(_FRAME.to_numpy, dtype=np.float64, na_value=np.nan)
