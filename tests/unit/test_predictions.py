"""Tests of what acquisition functions begin with."""

from __future__ import annotations

import numpy as np
import pytest

from automl.acquisition.predictions import check_predictions, standardised_fall


def test_the_fall_is_counted_in_standard_deviations() -> None:
    z = standardised_fall(np.array([0.1, 0.5]), np.array([0.1, 0.4]), 0.3)
    np.testing.assert_allclose(z, [2.0, -0.5])


def test_without_uncertainty_an_improvement_is_certain_or_impossible() -> None:
    z = standardised_fall(np.array([0.2, 0.3, 0.4]), np.zeros(3), 0.3)
    assert z.tolist() == [np.inf, -np.inf, -np.inf]


def test_next_to_no_uncertainty_is_like_none() -> None:
    z = standardised_fall(np.array([0.2, 0.4]), np.full(2, 5e-324), 0.3)
    assert z.tolist() == [np.inf, -np.inf]


def test_predictions_that_are_none_are_refused() -> None:
    with pytest.raises(ValueError, match="same shape"):
        check_predictions(np.zeros(2), np.ones(3))
    for std in (-1e-9, np.nan):
        with pytest.raises(ValueError, match="negative"):
            check_predictions(np.zeros(1), np.array([std]))
