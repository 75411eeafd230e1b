"""Run a scikit-learn classifier on one thread and without the warnings expected of it.

Many fits run side by side, one per core: a fit that takes more than one thread slows down all of
them. Hyperparameters are drawn from wide ranges, so that iterations run out or numbers overflow
now and then: such a model is judged by its predictions, not by a warning.
"""

from __future__ import annotations

import warnings
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Self

import numpy as np
import scipy.sparse
from sklearn.base import clone
from sklearn.exceptions import ConvergenceWarning
from sklearn.utils.validation import check_is_fitted
from threadpoolctl import threadpool_limits

from search_space.arrays import Features, FloatArray, IntArray
from search_space.classifiers.probabilistic import ProbabilisticClassifier

DataParameters = Callable[[Features, IntArray], Mapping[str, Any]]
"""Returns parameters of an estimator that only the rows it is fitted on can tell."""


@contextmanager
def contained() -> Iterator[None]:
    """Limit OpenMP and BLAS to one thread and silence what extreme hyperparameters cause."""
    with threadpool_limits(limits=1), warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        # Overflow and division by zero: on columns that nobody scaled.
        warnings.simplefilter("ignore", RuntimeWarning)
        # AdaBoost, which then keeps the trees that it has.
        warnings.filterwarnings("ignore", message="Sample weights have reached infinite values")
        yield


def weight_argument(sample_weight: FloatArray | None) -> dict[str, FloatArray]:
    """Return weights as keyword argument of a ``fit`` that may not know them."""
    return {} if sample_weight is None else {"sample_weight": sample_weight}


def narrow(X: Features) -> Features:
    """Return a table whose sparse indices are 32-bit integers, the only ones that all C code takes.

    scipy gives 64-bit indices to small arrays, too, depending on how they were made. The values
    are shared; an array with too many values for 32 bits is returned as it is.
    """
    if isinstance(X, np.ndarray) or X.indices.dtype == X.indptr.dtype == np.int32:
        return X
    if max(X.nnz, *X.shape) > np.iinfo(np.int32).max:
        return X
    parts = (X.data, X.indices.astype(np.int32), X.indptr.astype(np.int32))
    return scipy.sparse.csr_array(parts, shape=X.shape)


class ContainedClassifier(ProbabilisticClassifier):
    """A classifier that is fitted and asked on one thread, without expected warnings.

    Parameters
    ----------
    estimator : scikit-learn classifier
        Classifier with ``predict_proba``; it is cloned before it is fitted.
    data_parameters : callable or None
        Called with the rows and labels of each fit; what it returns is set on the clone.

    Attributes
    ----------
    estimator_ : scikit-learn classifier
        The fitted clone.
    classes_ : (n_classes,) array
        Labels seen in `fit`, sorted.
    """

    def __init__(self, estimator: Any, data_parameters: DataParameters | None = None) -> None:
        self.estimator = estimator
        self.data_parameters = data_parameters

    def fit(self, X: Features, y: IntArray, sample_weight: FloatArray | None = None) -> Self:
        """Fit the estimator, with weights if there are any."""
        X = narrow(X)
        estimator = clone(self.estimator)
        if self.data_parameters is not None:
            estimator.set_params(**self.data_parameters(X, y))
        with contained():
            estimator.fit(X, y, **weight_argument(sample_weight))
        self.estimator_ = estimator
        self.classes_ = estimator.classes_
        return self

    def predict_proba(self, X: Features) -> FloatArray:
        """Return probabilities, (n, n_classes), in the order of ``classes_``."""
        check_is_fitted(self)
        with contained():
            return np.asarray(self.estimator_.predict_proba(narrow(X)), dtype=np.float64)
