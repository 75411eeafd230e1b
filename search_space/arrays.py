"""Array types that every module shares."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import scipy.sparse

FloatArray = npt.NDArray[np.float64]
IntArray = npt.NDArray[np.int64]
PredictionArray = npt.NDArray[np.float32]
"""Class probabilities as they are stored: single precision."""

Features = FloatArray | scipy.sparse.csr_array
"""A prepared table: (rows, columns), categories as level codes, missing values as NaN."""
