"""What may be proposed: values that are fixed, tables, and parts of either.

What a fixed value means is known by a second method: draws of the whole space that happen to have
the value are what draws of the part are compared with.
"""

from __future__ import annotations

import numpy as np
import pytest
from ConfigSpace import (
    Categorical,
    Configuration,
    ConfigurationSpace,
    Float,
    ForbiddenAndConjunction,
    ForbiddenEqualsClause,
    Integer,
)
from fakes.histories import Job, mixed_job, mixed_space, table_space

from automl.errors import SpaceExhaustedError
from automl.optimizers.domain import Domain, Subspace, has_values
from automl.optimizers.enumeration import every_configuration
from automl.optimizers.initial_design import DefaultsFirst
from automl.optimizers.random_search import RandomSearch, propose_at_random
from automl.optimizers.vectors import sample_configurations
from automl.trial import Origin, Proposal

SLOW = {"classifier": "slow"}


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def key(configuration: Configuration) -> tuple[tuple[str, object], ...]:
    return tuple(configuration.items())


def test_all_draws_have_the_fixed_values_and_what_depends_on_them() -> None:
    domain = Domain(mixed_space().configuration_space, SLOW)
    drawn = domain.draw(200, rng())
    assert len(drawn) == 200
    for configuration in drawn:
        configuration.check_valid_configuration()
        assert set(configuration) == {
            "classifier",
            "classifier:slow:rate",
            "classifier:slow:depth",
        }
    assert len({key(configuration) for configuration in drawn}) == 200


def test_draws_of_a_part_are_distributed_as_those_of_the_whole_that_fall_into_it() -> None:
    space = mixed_space().configuration_space
    name = "classifier:slow:depth"
    whole = [c[name] for c in sample_configurations(space, 9_000, rng()) if has_values(c, SLOW)]
    part = [c[name] for c in Domain(space, SLOW).draw(3_000, rng(1))]
    depths = np.arange(1, 13)
    shares = [np.mean(np.array(found)[:, None] == depths, axis=0) for found in (whole, part)]
    # Standard deviation of a difference of two shares of about 1/12 of 3,000: 0.007.
    assert np.abs(shares[0] - shares[1]).max() < 0.03


def test_no_fixed_value_changes_nothing_about_draws() -> None:
    space = mixed_space().configuration_space
    assert Domain(space).draw(20, rng(4)) == sample_configurations(space, 20, rng(4))


def test_a_number_can_be_fixed_and_clauses_still_hold() -> None:
    space = ConfigurationSpace()
    space.add(Integer("n", (1, 9)), Categorical("kind", ["a", "b"]), Float("x", (0.0, 1.0)))
    space.add(
        ForbiddenAndConjunction(
            ForbiddenEqualsClause(space["n"], 3), ForbiddenEqualsClause(space["kind"], "a")
        )
    )
    drawn = Domain(space, {"n": 3}).draw(50, rng())
    assert {(c["n"], str(c["kind"])) for c in drawn} == {(3, "b")}


def test_a_fixed_value_is_never_exchanged_by_a_neighbour() -> None:
    domain = Domain(mixed_space().configuration_space, SLOW)
    starts = domain.draw(20, rng())
    found = domain.neighbours(starts, rng(1), 1_000).configurations
    assert len(found) > 100
    assert all(has_values(neighbour, SLOW) for neighbour in found)
    free = Domain(domain.space).neighbours(starts, rng(1), 1_000).configurations
    assert any(not has_values(neighbour, SLOW) for neighbour in free)


def test_enumeration_gives_the_part_with_the_fixed_values() -> None:
    space = ConfigurationSpace()
    space.add(Integer("n", (1, 4)), Categorical("kind", ["a", "b", "c"]))
    whole = [values for values in every_configuration(space, rng()) if values["kind"] == "b"]
    part = list(Domain(space, {"kind": "b"}).every(rng()))
    assert {key(c) for c in part} == {(("kind", "b"), ("n", n)) for n in (1, 2, 3, 4)}
    assert len(part) == len(whole) == 4


def test_a_table_gives_different_rows_and_all_of_them_where_enough_are_wanted() -> None:
    table = table_space(30)
    domain = Domain.of(table)
    for n in (0, 1, 7, 31, 500):
        drawn = domain.draw(n, rng(n))
        assert len({key(c) for c in drawn}) == len(drawn) == min(n, 31)
        assert all(any(c is listed for listed in table.listed) for c in drawn)
    assert [key(c) for c in domain.draw(500, rng(1))] != [key(c) for c in domain.draw(500, rng(2))]


def test_the_rows_of_a_table_are_equally_likely() -> None:
    table = table_space(4)
    domain = Domain.of(table)
    generator = rng(3)
    firsts = [table.listed.index(domain.draw(1, generator)[0]) for _ in range(5_000)]
    # Standard deviation of a share of 1/5 of 5,000: 0.0057.
    assert np.abs(np.bincount(firsts, minlength=5) / 5_000 - 0.2).max() < 0.03


def test_a_row_of_a_table_has_no_neighbours_but_mutates_into_the_most_similar_rows_first() -> None:
    space = ConfigurationSpace()
    space.add(*(Integer(name, (0, 9)) for name in "abc"))
    rows = [(0, 0, 0), (5, 5, 5), (0, 0, 7), (0, 3, 0), (0, 1, 1), (8, 0, 4)]
    listed = tuple(Configuration(space, dict(zip("abc", row, strict=True))) for row in rows)
    domain = Domain(space, finite=listed)
    none = domain.neighbours(listed, rng(), 5)
    assert len(none.configurations) == len(none.owners) == 0
    orders = {
        tuple(rows[listed.index(found)] for found in domain.mutations(listed[0], rng(seed)))
        for seed in range(20)
    }
    for order in orders:
        assert set(order[:2]) == {(0, 0, 7), (0, 3, 0)}
        assert set(order[2:4]) == {(0, 1, 1), (8, 0, 4)}
        assert order[4:] == ((5, 5, 5),)
    assert len({order[0] for order in orders}) == 2


def test_a_mutation_elsewhere_is_any_neighbour() -> None:
    domain = Domain(mixed_space().configuration_space)
    (start,) = domain.draw(1, rng(2))
    found = list(domain.mutations(start, rng(3)))
    assert len(found) > 4
    assert found == list(domain.neighbours([start], rng(3), 10_000).configurations)


def test_what_a_table_holds_is_told_from_what_it_does_not() -> None:
    table = table_space()
    domain = Domain.of(table)
    assert all(domain.contains(row) for row in table.listed)
    assert not any(domain.contains(c) for c in Domain(domain.space).draw(50, rng(9)))


def test_defaults_that_are_no_rows_are_not_proposed() -> None:
    table = table_space()
    job = Job(table)
    history = job.history()
    design = DefaultsFirst(n_random=1)
    first = design.propose(history, rng())
    assert first is not None
    assert first.configuration == table.listed[-1]
    history.open_trial(first)
    second = design.propose(history, rng())
    assert second is not None
    assert second.origin is Origin.RANDOM
    history.open_trial(second)
    assert design.propose(history, rng()) is None


def test_random_search_ends_when_the_rows_of_a_part_are_used_up() -> None:
    table = table_space()
    part = Subspace(table, SLOW)
    rows = [row for row in table.listed if row["classifier"] == "slow"]
    assert part.finite == tuple(rows)
    assert 1 < len(rows) < len(table.listed)
    history = Job(table).history()
    history.problem = type(history.problem)(
        search_space=part,  # type: ignore[arg-type]  # a part is enough for what is tested
        encoder=history.problem.encoder,
        metric=history.problem.metric,
        codes=history.problem.codes,
    )
    for _ in rows:
        history.open_trial(RandomSearch().propose(history, history.rng()))
    assert {key(t.configuration) for t in history.trials} == {key(row) for row in rows}
    with pytest.raises(SpaceExhaustedError):
        propose_at_random(history, history.rng())


def test_a_part_has_the_defaults_that_have_its_values() -> None:
    (default,) = Subspace(mixed_space(), SLOW).defaults
    assert default["classifier"] == "slow"
    assert Subspace(mixed_space(), SLOW).finite is None


def test_a_table_of_what_is_pending_is_used_up_as_well() -> None:
    table = table_space(2)
    history = Job(table).history()
    for row in table.listed:
        history.open_trial(Proposal(configuration=row, origin=Origin.GIVEN))
    with pytest.raises(SpaceExhaustedError):
        propose_at_random(history, rng())
    assert mixed_job().space.finite is None
