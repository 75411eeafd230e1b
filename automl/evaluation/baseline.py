"""The baseline that a model has to beat: the class frequencies of the training rows."""

from __future__ import annotations

import numpy as np
from sklearn.dummy import DummyClassifier
from sklearn.pipeline import Pipeline

from automl.data.resampling import Splits
from search_space.arrays import IntArray, PredictionArray


def baseline_predictions(codes: IntArray, splits: Splits, n_classes: int) -> PredictionArray:
    """Return what predicting class frequencies gives for every covered row.

    Parameters
    ----------
    codes : (n,) array of int
        Class of each row.
    splits : Splits
        A row gets the frequencies of the training parts that left it out, averaged.
    n_classes : int
        Columns of the result.

    Returns
    -------
    (rows, n_classes) array
        Probabilities in the order of ``splits.covered``.
    """
    total = np.zeros((codes.shape[0], n_classes))
    counts = np.zeros(codes.shape[0])
    for fold in splits.folds:
        frequencies = np.bincount(codes[fold.train], minlength=n_classes) / fold.train.shape[0]
        total[fold.validation] += frequencies
        counts[fold.validation] += 1.0
    covered = splits.covered
    return (total[covered] / counts[covered, np.newaxis]).astype(np.float32)


def fit_baseline(codes: IntArray) -> Pipeline:
    """Return a pipeline that predicts the class frequencies of all rows, whatever the features."""
    model = DummyClassifier(strategy="prior").fit(np.zeros((codes.shape[0], 1)), codes)
    pipeline = Pipeline([("classifier", model)])
    return pipeline
