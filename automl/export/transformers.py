"""The steps before the classifier, said with transformers of scikit-learn."""

from __future__ import annotations

from functools import singledispatch
from typing import Any

import numpy as np
import scipy.sparse
from sklearn.decomposition import TruncatedSVD
from sklearn.frozen import FrozenEstimator
from sklearn.impute import SimpleImputer
from sklearn.kernel_approximation import Nystroem
from sklearn.pipeline import FeatureUnion, Pipeline, make_pipeline
from sklearn.preprocessing import FunctionTransformer, PolynomialFeatures

from automl.export.pieces import by_columns, function, lookup, of_a_library, select
from search_space.arrays import Features, IntArray
from search_space.columns import ByKind
from search_space.encoders import NativeCodes, OrdinalCodes
from search_space.imputers import Imputer, ZeroImputer
from search_space.rescalers import Rescaler
from search_space.transformers.column_selector import ColumnSelector
from search_space.transformers.cross_feature import BinaryProducts
from search_space.transformers.fast_ica import IndependentComponents
from search_space.transformers.kernel_pca import KernelComponents
from search_space.transformers.lda_decomposer import SeparatingDirections
from search_space.transformers.nystroem import without_negatives
from search_space.transformers.polynomial import ImportantProducts
from search_space.transformers.sized_operator import LARGEST_OUTPUT, SizedOperator
from search_space.variance_filter import VarianceFilter

_BOUNDS = {"a_min": -LARGEST_OUTPUT, "a_max": LARGEST_OUTPUT}


@singledispatch
def plain(transformer: Any, like: Features) -> Any:
    """Return a fitted transformer that does the same and is made of scikit-learn alone.

    Parameters
    ----------
    transformer : transformer
        Fitted; one that is not ours is returned as it is.
    like : (2, d) array or sparse array
        Rows such as it takes.

    Raises
    ------
    InputError
        If it is ours and has no counterpart.
    """
    return of_a_library(transformer)


def plain_steps(steps: list[tuple[str, Any]], like: Features) -> list[tuple[str, Any]]:
    """Return the counterparts of steps that follow one another; see :func:`plain`."""
    converted = []
    for name, step in steps:
        converted.append((name, plain(step, like)))
        like = converted[-1][1].transform(like)
    return converted


@plain.register
def _(transformer: Pipeline, like: Features) -> Pipeline:
    return Pipeline(plain_steps(transformer.steps, like))


@plain.register
def _(transformer: FunctionTransformer, like: Features) -> FunctionTransformer:
    if transformer.func is without_negatives:
        return function(np.clip, a_min=0.0, a_max=None)
    return transformer


@plain.register
def _(transformer: Imputer, like: Features) -> Any:
    numeric = like[:, transformer.numeric]
    steps = [s for s in (transformer.imputer_, transformer.filter_) if s is not None]
    named = [(str(i), step) for i, step in enumerate(steps)]
    chain = Pipeline(plain_steps(named, numeric)) if named else "passthrough"
    return by_columns(
        [
            ("numeric", chain, transformer.numeric),
            ("categorical", "passthrough", transformer.categorical),
        ],
        like,
    )


@plain.register
def _(transformer: ZeroImputer, like: Features) -> SimpleImputer:
    return _filled_with(0.0, like)


@plain.register
def _(transformer: OrdinalCodes, like: Features) -> SimpleImputer:
    return _filled_with(-1.0, like)


def _filled_with(value: float, like: Features) -> SimpleImputer:
    return SimpleImputer(strategy="constant", fill_value=value, keep_empty_features=True).fit(like)


@plain.register
def _(transformer: NativeCodes, like: Features) -> Any:
    tables = [{float(code): float(code) for code in levels} for levels in transformer.levels_]
    return by_columns(
        [(str(j), lookup(table, otherwise=np.nan), [j]) for j, table in enumerate(tables)], like
    )


@plain.register
def _(transformer: ByKind, like: Features) -> Any:
    n_numeric = like.shape[1] - transformer.n_categorical
    kinds = (
        ("numeric", transformer.numeric_, range(n_numeric)),
        ("categorical", transformer.categorical_, range(n_numeric, like.shape[1])),
    )
    return by_columns(
        [
            (name, "passthrough" if part is None else plain(part, like[:, positions]), positions)
            for name, part, positions in kinds
        ],
        like,
    )


@plain.register
def _(transformer: VarianceFilter | ColumnSelector, like: Features) -> Any:
    return select(transformer.kept_.tolist(), like)


@plain.register
def _(transformer: Rescaler, like: Features) -> Any:
    if scipy.sparse.issparse(like):
        return transformer.scaler_
    return make_pipeline(transformer.scaler_, function(np.clip, **_BOUNDS))


@plain.register
def _(transformer: SizedOperator, like: Features) -> Any:
    if transformer.is_empty_:
        return select([0], like)
    inner = plain(transformer.transformer_, like)
    if scipy.sparse.issparse(inner.transform(like)):
        return inner
    return make_pipeline(inner, *_finite())


def _finite() -> tuple[Any, Any]:
    """Return the steps that keep values within what single precision can hold."""
    return function(np.nan_to_num, nan=0.0), function(np.clip, **_BOUNDS)


@plain.register
def _(transformer: IndependentComponents, like: Features) -> Any:
    return transformer.ica_


@plain.register
def _(transformer: SeparatingDirections, like: Features) -> Any:
    return transformer.directions_


@plain.register
def _(transformer: KernelComponents, like: Features) -> Pipeline:
    n_rows = len(transformer.sample_)
    kernel = Nystroem(
        transformer.kernel, n_components=1, n_jobs=1, **dict(transformer.options)
    ).fit(transformer.sample_)
    kernel.components_, kernel.normalization_ = transformer.sample_, np.eye(n_rows)
    project = TruncatedSVD(1).fit(np.eye(2, n_rows))
    project.components_ = transformer.projection_.T
    return make_pipeline(kernel, *_finite(), transformer.centerer_, project)


@plain.register
def _(transformer: BinaryProducts, like: Features) -> Any:
    left, right = transformer.left_, transformer.right_
    chosen = np.union1d(left, right)
    if not len(chosen):
        return select(range(like.shape[1]), like)
    products = PolynomialFeatures(interaction_only=True, include_bias=False)
    products.fit(like[:, chosen])
    # Products of pairs come after the columns themselves, in the order of their positions.
    position = {tuple(np.flatnonzero(row)): i for i, row in enumerate(products.powers_)}
    places = np.searchsorted(chosen, np.column_stack([left, right]))
    return _with_products(like, chosen, products, [position[tuple(pair)] for pair in places])


@plain.register
def _(transformer: ImportantProducts, like: Features) -> Any:
    chosen, products = transformer.chosen_, transformer.products_
    return _with_products(like, chosen, products, range(len(chosen), products.n_output_features_))


def _with_products(
    like: Features, chosen: IntArray, products: PolynomialFeatures, kept: Any
) -> FeatureUnion:
    """Return what appends some products of the chosen columns to all columns."""
    pick = select(chosen.tolist(), like)
    appended = Pipeline(
        [
            ("chosen", pick),
            ("products", products),
            ("kept", select(list(kept), products.transform(pick.transform(like)))),
        ]
    )
    everything = select(range(like.shape[1]), like)
    union = [("columns", FrozenEstimator(everything)), ("products", FrozenEstimator(appended))]
    return FeatureUnion(union).fit(like)
