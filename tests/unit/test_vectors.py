"""Drawing many configurations at once."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pytest
from ConfigSpace import (
    AndConjunction,
    Categorical,
    Configuration,
    ConfigurationSpace,
    Constant,
    EqualsCondition,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    InCondition,
    Integer,
    LessThanCondition,
    Normal,
)
from fakes.histories import mixed_space
from scipy.stats import chi2_contingency, ks_2samp

from automl.optimizers.vectors import VectorRules, sample_configurations
from search_space import TaskProperties, build_space
from search_space.configuration_batch import ConfigurationBatch


def draw(space: ConfigurationSpace, n: int, seed: int) -> ConfigurationBatch:
    return sample_configurations(space, n, np.random.default_rng(seed))


@pytest.mark.parametrize("n", [0, 1, 2, 300])
def test_as_many_valid_configurations_are_drawn_as_asked(n: int) -> None:
    found = draw(mixed_space().configuration_space, n, seed=0)
    assert len(found) == n
    for configuration in found:
        configuration.check_valid_configuration()


def test_draws_depend_on_the_generator_alone() -> None:
    space = mixed_space().configuration_space
    first = draw(space, 20, seed=1)
    space.seed(12345)
    space.sample_configuration(7)
    assert draw(space, 20, seed=1) == first
    assert draw(mixed_space().configuration_space, 20, seed=1) == first
    assert draw(space, 20, seed=2) != first


def test_one_generator_never_gives_the_same_draws_twice() -> None:
    space = mixed_space().configuration_space
    rng = np.random.default_rng(0)
    assert sample_configurations(space, 5, rng) != sample_configurations(space, 5, rng)


def test_draws_are_uniform_over_choices_and_the_scale_of_numbers() -> None:
    found = draw(mixed_space().configuration_space, 6_000, seed=3)
    counts = np.array([sum(c["classifier"] == name for c in found) for name in COUNTED])
    # Six standard deviations of a binomial(6000, 1/3) are 219.
    assert np.abs(counts - 2_000).max() < 219
    rates = np.array([c["classifier:slow:rate"] for c in found if c["classifier"] == "slow"])
    # The logarithm is uniform over three decades: a third of the draws in each.
    shares = np.histogram(np.log10(rates), bins=[-3, -2, -1, 0])[0] / rates.size
    np.testing.assert_allclose(shares, 1 / 3, atol=0.064)


COUNTED = ("slow", "cheap", "middle")


def vectors_of(configurations: Sequence[Configuration]) -> np.ndarray:
    return np.array([configuration.get_array() for configuration in configurations])


def flat_space() -> ConfigurationSpace:
    space = ConfigurationSpace()
    space.add(
        Float("x", (0.1, 1.0), log=True),
        Float("bell", (-1.0, 1.0), distribution=Normal(0.5, 0.2)),
        Integer("n", (1, 50), log=True),
        Categorical("kind", ["a", "b", "c"], weights=[0.5, 0.3, 0.2]),
        Constant("fixed", 7),
    )
    return space


def forbidding_space() -> ConfigurationSpace:
    space = flat_space()
    kind = space["kind"]
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(kind, "b"), ForbiddenEqualsClause(space["n"], 1)
        ),
        ForbiddenEqualsClause(kind, "c"),
    )
    return space


TASK = TaskProperties(
    n_rows=300, n_classes=2, smallest_class=100, largest_class=200, numeric=tuple(range(8))
)
SPACES = {
    "flat": flat_space,
    "forbidding": forbidding_space,
    "conditional": lambda: mixed_space().configuration_space,
    "classifiers": lambda: build_space(TASK).configuration_space,
}


@pytest.mark.parametrize("name", SPACES)
def test_the_distribution_is_that_of_configspace(name: str) -> None:
    space = SPACES[name]()
    ours = vectors_of(draw(space, 4_000, seed=0))
    space.seed(1)
    theirs = vectors_of(space.sample_configuration(4_000))
    for j, hyperparameter in enumerate(space.values()):
        counts = [(np.isnan(v[:, j]).sum(), (~np.isnan(v[:, j])).sum()) for v in (ours, theirs)]
        if min(np.sum(counts, axis=0)) > 0:
            assert chi2_contingency(counts).pvalue > 1e-5, hyperparameter.name
        a, b = (v[~np.isnan(v[:, j]), j] for v in (ours, theirs))
        assert len(a) == len(b) == 0 or ks_2samp(a, b).pvalue > 1e-5, hyperparameter.name


@pytest.mark.parametrize("name", SPACES)
def test_draws_are_valid(name: str) -> None:
    space = SPACES[name]()
    for configuration in draw(space, 300, seed=4):
        configuration.check_valid_configuration()
        assert Configuration(space, dict(configuration)) == configuration


def test_few_allowed_values_are_found() -> None:
    space = ConfigurationSpace()
    n = Integer("n", (0, 200))
    space.add(n, *(ForbiddenEqualsClause(n, value) for value in range(200) if value != 100))
    assert {c["n"] for c in draw(space, 50, seed=0)} == {100, 200}


def test_an_empty_space_has_one_configuration() -> None:
    assert [dict(c) for c in draw(ConfigurationSpace(), 3, seed=0)] == [{}, {}, {}]


def test_conditions_have_the_same_effect_as_one_configuration_after_another() -> None:
    space = ConfigurationSpace()
    kind, other = Categorical("kind", list("abc")), Categorical("other", list("abc"))
    inner, level = Categorical("inner", ["x", "y"]), Integer("level", (1, 9))
    names = ("of_a", "of_a_too", "of_other", "of_inner", "low", "both", "few")
    space.add(kind, other, inner, level, *(Float(name, (0.0, 1.0), default=0.3) for name in names))
    space.add(
        EqualsCondition(inner, kind, "a"),
        EqualsCondition(space["of_a"], kind, "a"),
        EqualsCondition(space["of_a_too"], kind, "a"),
        EqualsCondition(space["of_other"], other, "a"),
        EqualsCondition(space["of_inner"], inner, "y"),
        LessThanCondition(space["low"], level, 4),
        AndConjunction(
            EqualsCondition(space["both"], kind, "a"), EqualsCondition(space["both"], other, "b")
        ),
        InCondition(space["few"], kind, ["a", "c"]),
    )
    rng = np.random.default_rng(0)
    vectors = np.array([h.sample_vector(500, seed=space.random) for h in space.values()])
    vectors = vectors[np.argsort([space.index_of[name] for name in space])]
    vectors[rng.random(vectors.shape) < 0.3] = np.nan
    vectors[[space.index_of[name] for name in ("kind", "other", "level")]] = 0.0
    vectors[[space.index_of[name] for name in ("kind", "other")]] = rng.integers(3, size=(2, 500))
    vectors[space.index_of["level"]] = rng.random(500)
    expected = vectors.copy()
    for column in expected.T:
        for name, hyperparameter in space.items():
            place, conditions = space.index_of[name], space.parent_conditions_of[name]
            if not all(condition.satisfied_by_vector(column) for condition in conditions):
                column[place] = np.nan
            elif np.isnan(column[place]):
                column[place] = hyperparameter.to_vector(hyperparameter.default_value)
    VectorRules(space).settle(vectors)
    np.testing.assert_array_equal(vectors, expected)
    assert 0 < np.isnan(vectors).sum() < vectors.size
