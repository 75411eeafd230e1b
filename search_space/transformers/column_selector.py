"""Column selection that never ends with nothing."""

from __future__ import annotations

from typing import Any, Protocol, Self

import numpy as np
import numpy.typing as npt
import scipy.sparse
from sklearn.base import BaseEstimator, TransformerMixin, clone

from search_space.arrays import Features, IntArray
from search_space.transformers.sized_operator import quiet_arrays


class _Selector(Protocol):
    """What scikit-learn's univariate selectors offer once they are fitted."""

    scores_: npt.NDArray[np.float64]

    def fit(self, X: Features, y: IntArray) -> Any: ...
    def get_support(self) -> npt.NDArray[np.bool_]: ...


class ColumnSelector(TransformerMixin, BaseEstimator):
    """Keeps the columns that a univariate selector keeps, or else the one of the highest score.

    Parameters
    ----------
    selector : transformer
        Selector of scikit-learn with ``scores_``.
    clips_negatives : bool
        Whether negative values count as 0 when columns are scored, as the chi-squared score
        requires. The selected columns keep them.
    """

    def __init__(self, selector: _Selector, clips_negatives: bool) -> None:
        self.selector = selector
        self.clips_negatives = clips_negatives

    def fit(self, X: Features, y: IntArray) -> Self:
        """Score and select columns by training rows."""
        scored = _without_negatives(X) if self.clips_negatives else X
        self.selector_: _Selector = clone(self.selector)
        # Constant columns have no score, and scikit-learn says so once a fit.
        with quiet_arrays():
            self.selector_.fit(scored, y)
        kept = self.selector_.get_support()
        if not kept.any():
            kept = np.arange(X.shape[1]) == np.argmax(np.nan_to_num(self.selector_.scores_))
        self.kept_ = np.flatnonzero(kept)
        return self

    def transform(self, X: Features) -> Features:
        """Return the selected columns."""
        return X[:, self.kept_]


def _without_negatives(X: Features) -> Features:
    if scipy.sparse.issparse(X):
        return scipy.sparse.csr_array(X.maximum(0.0))
    clipped: Features = np.maximum(X, 0.0)
    return clipped
