"""The parameters of the estimator, good and bad."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from automl import AutoClassifier
from automl.errors import InputError, InputTypeError
from automl.history import History
from automl.optimizers.bayesian import BayesianOptimization
from automl.optimizers.divbo import DivBO
from automl.optimizers.ensemble_optimization import EnsembleOptimization
from automl.optimizers.equal_budget import EqualBudget
from automl.optimizers.named import ACQUISITIONS
from automl.optimizers.neural_ensemble_search import RegularizedEvolution
from automl.optimizers.random_search import RandomSearch
from automl.optimizers.rising_bandit import RisingBandit
from automl.settings import Settings, check_settings, prolonged
from automl.trial import Proposal


class OfTheUser:
    """An optimiser that is good enough for the settings."""

    def propose(self, history: History, rng: np.random.Generator) -> Proposal:
        """Propose nothing."""
        raise NotImplementedError


class Unfinished:
    """An object that cannot propose."""

    def suggest(self) -> None:
        """Bear another name than what is asked for."""


def check(**parameters: Any) -> Settings:
    return check_settings(AutoClassifier(**parameters))


def told(outcome: object, history: object) -> None: ...


MINE = OfTheUser()
GOOD = [
    ("time_limit", 300, 300.0),
    ("time_limit", np.float32(0.5), 0.5),
    ("n_trials", None, None),
    ("n_trials", 1, 1),
    ("n_trials", np.int64(7), 7),
    ("optimizer", MINE, MINE),
    ("include", None, None),
    ("include", ["a", "b"], ("a", "b")),
    ("exclude", ("a",), ("a",)),
    ("exclude", [], ()),
    ("extra_learners", None, ()),
    ("extra_learners", [MINE], (MINE,)),
    ("ensemble_size", 1, 1),
    ("ensemble_size", np.int32(40), 40),
    ("trial_time_limit", "auto", None),
    ("trial_time_limit", None, math.inf),
    ("trial_time_limit", 2.5, 2.5),
    ("memory_limit", "auto", None),
    ("memory_limit", None, math.inf),
    ("memory_limit", 512, 512.0),
    ("n_jobs", None, None),
    ("deterministic", np.True_, True),
    ("n_jobs", -1, -1),
    ("n_jobs", np.int64(3), 3),
    ("refit", False, False),
    ("refit", np.True_, True),
    ("work_dir", None, None),
    ("work_dir", "not/there/yet", Path("not/there/yet").absolute()),
    ("work_dir", Path("x"), Path("x").absolute()),
    ("verbose", 0, 0),
    ("verbose", 2, 2),
    ("verbose", True, 1),
    ("callbacks", None, ()),
    ("callbacks", [told], (told,)),
    ("random_state", 0, 0),
    ("random_state", np.int64(5), 5),
]


@pytest.mark.parametrize(("name", "value", "expected"), GOOD)
def test_a_good_value_is_taken_over(name: str, value: Any, expected: Any) -> None:
    settings = check(**{name: value})
    attribute = "seed" if name == "random_state" else name
    found = getattr(settings, attribute)
    assert found == expected
    assert type(found) is type(expected)


WRONG_VALUE = [
    ("time_limit", 0),
    ("time_limit", -1.5),
    ("time_limit", math.nan),
    ("n_trials", 0),
    ("n_trials", -3),
    ("optimizer", "genetic"),
    ("ensemble_size", 0),
    ("trial_time_limit", 0),
    ("trial_time_limit", "fast"),
    ("trial_time_limit", math.nan),
    ("memory_limit", -512),
    ("memory_limit", "1GB"),
    ("n_jobs", 0),
    ("n_jobs", 1.5),
    ("n_jobs", True),
    ("n_jobs", "all"),
    ("verbose", -1),
    ("verbose", "loud"),
    ("random_state", -1),
    ("random_state", 0.5),
    ("random_state", True),
    ("random_state", "seed"),
]
WRONG_TYPE = [
    ("time_limit", "300"),
    ("time_limit", True),
    ("time_limit", [300]),
    ("n_trials", 2.0),
    ("n_trials", True),
    ("n_trials", "10"),
    ("deterministic", "yes"),
    ("optimizer", None),
    ("optimizer", DivBO),
    ("optimizer", Unfinished()),
    ("include", "lightgbm"),
    ("include", 3),
    ("include", ["lightgbm", 3]),
    ("exclude", "lightgbm"),
    ("exclude", [None]),
    ("extra_learners", 3),
    ("extra_learners", MINE),
    ("ensemble_size", 2.5),
    ("ensemble_size", None),
    ("ensemble_size", False),
    ("trial_time_limit", [1]),
    ("trial_time_limit", False),
    ("memory_limit", True),
    ("memory_limit", {}),
    ("refit", None),
    ("refit", 1),
    ("refit", "yes"),
    ("work_dir", 3),
    ("work_dir", b"bytes"),
    ("callbacks", told),
    ("callbacks", ["told"]),
]


@pytest.mark.parametrize(("name", "value"), WRONG_VALUE + WRONG_TYPE)
def test_a_bad_value_is_refused_with_its_parameter_and_what_was_found(
    name: str, value: Any
) -> None:
    with pytest.raises(InputError) as error:
        check(**{name: value})
    assert isinstance(error.value, ValueError)
    message = str(error.value)
    assert message.startswith(name)
    items = value if isinstance(value, list) else [value]
    assert any(repr(item) in message for item in items)


@pytest.mark.parametrize(("name", "value"), WRONG_TYPE)
def test_a_value_of_a_wrong_type_is_a_type_error_too(name: str, value: Any) -> None:
    with pytest.raises(InputTypeError) as error:
        check(**{name: value})
    assert isinstance(error.value, TypeError)


@pytest.mark.parametrize("time_limit", [None, math.inf])
def test_a_search_without_an_end_is_refused(time_limit: float | None) -> None:
    with pytest.raises(InputError, match=r"time_limit is .* and n_trials is None.*never end"):
        check(time_limit=time_limit, n_trials=None)
    assert check(time_limit=time_limit, n_trials=3).time_limit == math.inf


def test_the_defaults_are_good() -> None:
    settings = check()
    assert (settings.time_limit, settings.n_trials) == (300.0, None)
    assert isinstance(settings.optimizer, DivBO)
    assert settings.optimizer.pool.size == settings.ensemble_size


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("divbo", DivBO),
        ("bo", BayesianOptimization),
        ("random", RandomSearch),
        ("rising_bandit", RisingBandit),
        ("ensemble_optimization", EnsembleOptimization),
        ("nes", RegularizedEvolution),
        ("kbo", EqualBudget),
    ],
)
def test_every_name_of_an_optimiser_gives_a_new_object_of_its_class(name: str, kind: type) -> None:
    one, other = (check(optimizer=name, n_trials=40).optimizer for _ in range(2))
    assert type(one) is type(other) is kind
    assert one is not other


def test_the_names_that_exist_are_in_the_message() -> None:
    with pytest.raises(InputError, match="'divbo', 'bo', 'random'"):
        check(optimizer="genetic")
    with pytest.raises(
        InputError, match="'rising-bandit' is unknown; did you mean 'rising_bandit'"
    ):
        check(optimizer="rising-bandit")


def test_a_bandit_has_to_know_how_many_trials_there_are() -> None:
    optimizer = check(optimizer="rising_bandit", n_trials=70).optimizer
    assert isinstance(optimizer, RisingBandit)
    assert optimizer.n_trials == 70
    with pytest.raises(InputError, match="'rising_bandit' needs n_trials, found None"):
        check(optimizer="rising_bandit")


def test_a_bandit_with_a_name_that_goes_on_knows_of_all_trials() -> None:
    settings = check(optimizer="rising_bandit", n_trials=70)
    optimizer = prolonged(settings, 30, "rising_bandit").optimizer
    assert isinstance(optimizer, RisingBandit)
    assert optimizer.n_trials == 100
    mine = RisingBandit(n_trials=500)
    assert prolonged(check(optimizer=mine), 30, mine).optimizer is mine
    other = check(optimizer="bo", n_trials=70)
    assert prolonged(other, 30, "bo") is other


@pytest.mark.parametrize("name", ["random", "nes"])
def test_a_model_is_refused_where_there_is_none(name: str) -> None:
    for part in ({"surrogate": "densbo"}, {"acquisition": "lcb"}):
        with pytest.raises(InputError, match=f"no effect with optimizer '{name}'"):
            check(optimizer=name, **part)


@pytest.mark.parametrize("name", ["bo", "rising_bandit", "ensemble_optimization", "kbo"])
def test_a_model_that_was_asked_for_guides_the_search(name: str) -> None:
    optimizer: Any = check(optimizer=name, n_trials=9, acquisition="lcb").optimizer
    assert optimizer.guidance.acquisition == ACQUISITIONS["lcb"]


def test_a_file_is_no_folder(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(InputError, match=r"work_dir must be a folder, .*file' is a file"):
        check(work_dir=tmp_path / "file")
    assert check(work_dir=str(tmp_path)).work_dir == tmp_path


def test_no_random_state_gives_another_seed_each_time() -> None:
    found = {check(random_state=None).seed for _ in range(5)}
    assert len(found) == 5


@pytest.mark.parametrize("kind", [np.random.RandomState, np.random.default_rng])
def test_a_generator_gives_the_seed_that_its_state_implies(kind: Any) -> None:
    found = [check(random_state=kind(3)).seed for _ in range(2)]
    assert found[0] == found[1] >= 0
    assert check(random_state=kind(4)).seed != found[0]
    shared = kind(3)
    assert check(random_state=shared).seed != check(random_state=shared).seed


@given(st.integers(0, 2**70))
def test_a_whole_number_is_the_seed_itself(seed: int) -> None:
    assert check(random_state=seed).seed == seed
