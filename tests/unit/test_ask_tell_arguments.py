"""Arguments of the optimiser that cannot be used: one error of one line, which names them."""

from __future__ import annotations

from typing import Any

import pytest
from ConfigSpace import ConfigurationSpace

from automl.ask_tell import AskTell
from automl.errors import InputError, InputTypeError
from automl.optimizers.acquisition_policy import Always
from automl.surrogates.random_forest import RandomForest


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ({"optimizer": "densb"}, "optimizer 'densb' is unknown; did you mean 'densbo'"),
        ({"optimizer": None}, "optimizer None is unknown; use one of 'densbo'"),
        ({"surrogate": "gausian_process"}, "did you mean 'gaussian_process'"),
        ({"acquisition": "sawie"}, "did you mean 'sawei'"),
        ({"acquisition": "Mace"}, "did you mean 'mace'"),
        ({"surrogate": 3}, "surrogate must be a name or an object"),
        ({"surrogate": RandomForest}, "surrogate must be a name or an object"),
        ({"acquisition": 3}, "acquisition must be a name or an object"),
        ({"acquisition": Always}, "acquisition must be a name or an object"),
        ({"seed": -1}, "seed must be a whole number of at least 0"),
        ({"seed": None}, "seed must be a whole number"),
        ({"seed": 1.5}, "seed must be a whole number"),
        ({"n_initial": 0}, "n_initial must be a whole number of at least 1"),
        ({"optimizer": "random", "surrogate": "densbo"}, "mean nothing with optimizer='random'"),
        ({"optimizer": "random", "acquisition": "ei"}, "mean nothing with optimizer='random'"),
        ({"resume": True}, "resume=True needs path"),
        ({"path": 3}, "path must be a text or a Path, found 3"),
        ({"path": "/no such folder/x"}, "the folder '/no such folder' does not exist"),
    ],
)
def test_an_argument_that_cannot_be_used_is_named(arguments: dict[str, Any], said: str) -> None:
    with pytest.raises(InputError, match=said):
        AskTell(ConfigurationSpace({"x": (0.0, 1.0)}), **arguments)


@pytest.mark.parametrize("space", [{"x": (0.0, 1.0)}, None, ConfigurationSpace()])
def test_a_space_without_hyperparameters_is_refused(space: Any) -> None:
    with pytest.raises(InputTypeError, match="space must be a ConfigurationSpace"):
        AskTell(space)
