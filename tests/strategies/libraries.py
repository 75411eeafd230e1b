"""Libraries of stored predictions, from ordinary ones to those full of exact ties."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from search_space.arrays import FloatArray, IntArray


class Library(NamedTuple):
    """Class probabilities of m models, (m, n, k), and the class codes (n,) of their rows."""

    predictions: npt.NDArray[np.floating[Any]]
    codes: IntArray


@st.composite
def libraries(
    draw: st.DrawFn, *, n_classes: int | None = None, n_models: int | None = None
) -> Library:
    """Return libraries of few models and rows, where often not every class occurs.

    Half of them hold multiples of one eighth only.  Their sums are exact in any order, so losses
    and decisions that are equal on paper are equal in the machine.
    """
    k = n_classes or draw(st.integers(2, 4))
    shape = (n_models or draw(st.integers(1, 5)), draw(st.integers(1, 12)), k)
    codes = draw(arrays(np.int64, shape[1], elements=st.integers(0, k - 1)))
    if draw(st.booleans()):
        cuts = draw(arrays(np.int64, (*shape[:2], k - 1), elements=st.integers(0, 8)))
        ends = np.sort(cuts, axis=2)
        predictions = np.diff(ends, axis=2, prepend=0, append=8) / 8.0
    else:
        weights = draw(arrays(np.float64, shape, elements=st.floats(1e-3, 1.0)))
        predictions = weights / weights.sum(axis=2, keepdims=True)
    return Library(predictions.astype(draw(st.sampled_from([np.float32, np.float64]))), codes)


def weights_of(n_rows: int) -> st.SearchStrategy[FloatArray]:
    """Return weights of rows, some of them zero but not all."""
    some = arrays(np.float64, n_rows, elements=st.just(0.0) | st.floats(0.01, 10.0))
    return some.filter(lambda weights: bool(weights.any()))
