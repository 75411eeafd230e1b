"""What an optimizer may answer, and what it is told otherwise."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from ConfigSpace import Categorical, Configuration, ConfigurationSpace
from fakes.histories import finite_space, mixed_space

from automl.errors import InputError, InputTypeError
from automl.proposals import checked_proposal
from automl.trial import Origin, Proposal

SPACE = mixed_space().configuration_space
DEFAULT = SPACE.get_default_configuration()


class Mine:
    """An optimiser of a user; only its name is used here."""


def checked(answer: object) -> Proposal:
    return checked_proposal(answer, SPACE, Mine())


def proposal(**fields: Any) -> Proposal:
    return Proposal(**{"configuration": DEFAULT, "origin": Origin.RANDOM, **fields})


def test_a_legal_proposal_is_taken_as_it_is() -> None:
    answer = proposal(origin=Origin.LOCAL, beliefs={"predicted_loss": 0.25})
    assert checked(answer) == answer
    assert checked(answer).configuration is DEFAULT


@pytest.mark.parametrize(
    ("answer", "found"),
    [
        (None, "got None;"),
        (DEFAULT, "got Configuration.*around it$"),
        ({"classifier": "cheap"}, "got .* of type dict"),
        ("cheap", "got 'cheap' of type str"),
        ([proposal()], "of type list"),
    ],
)
def test_anything_but_a_proposal_is_named(answer: object, found: str) -> None:
    with pytest.raises(InputTypeError, match=rf"optimizer Mine must return a Proposal .*{found}"):
        checked(answer)


def test_a_message_stays_short_whatever_came_back() -> None:
    with pytest.raises(InputTypeError) as caught:
        checked("x" * 10_000)
    assert len(str(caught.value)) < 400


@pytest.mark.parametrize("configuration", [None, dict(DEFAULT), "cheap"])
def test_a_proposal_of_no_configuration_is_named(configuration: Any) -> None:
    with pytest.raises(InputTypeError, match="optimizer Mine must propose a ConfigSpace Config"):
        checked(proposal(configuration=configuration))


def illegal(**changes: float) -> Configuration:
    """Return the default configuration with positions in its vector changed, unchecked."""
    vector = DEFAULT.get_array().copy()
    for name, value in changes.items():
        vector[SPACE.index_of[name.replace("__", ":")]] = value
    return Configuration(SPACE, vector=vector)


@pytest.mark.parametrize(
    "configuration",
    [
        finite_space().configuration_space.get_default_configuration(),
        illegal(classifier__middle__penalty=7.0),
        illegal(classifier__middle__penalty=np.nan),
        illegal(classifier__cheap__share=0.5),
        illegal(classifier=17.0),
    ],
    ids=["foreign", "out of range", "active without value", "inactive with value", "no choice"],
)
def test_an_illegal_configuration_is_named(configuration: Configuration) -> None:
    with pytest.raises(InputError, match="optimizer Mine must propose a legal configuration of"):
        checked(proposal(configuration=configuration))


def test_a_configuration_of_an_equal_space_moves_into_the_space() -> None:
    copy = mixed_space().configuration_space.get_default_configuration()
    configuration = checked(proposal(configuration=copy)).configuration
    assert configuration.config_space is SPACE
    assert configuration == DEFAULT


def test_a_value_that_only_the_other_space_has_is_named() -> None:
    other = ConfigurationSpace()
    other.add(Categorical("classifier", ["of another"]))
    with pytest.raises(InputError, match="of another"):
        checked(proposal(configuration=other.get_default_configuration()))


def test_beliefs_become_floats() -> None:
    beliefs = {"a": np.float32(0.5), "b": 3, "c": np.True_, "d": Fraction(1, 4), "e": np.inf}
    found = checked(proposal(beliefs=beliefs)).beliefs
    assert found == {"a": 0.5, "b": 3.0, "c": 1.0, "d": 0.25, "e": np.inf}
    assert {type(value) for value in found.values()} == {float}


@pytest.mark.parametrize(
    "beliefs",
    [None, [0.5], {"a": "high"}, {"a": None}, {"a": np.zeros(2)}, {1: 0.5}, {"a": 1j}, {"a": {}}],
)
def test_beliefs_that_are_no_numbers_are_named(beliefs: Any) -> None:
    with pytest.raises(InputTypeError, match="optimizer Mine must give its beliefs as a mapping"):
        checked(proposal(beliefs=beliefs))


def test_an_origin_may_be_written_as_text() -> None:
    answer = proposal()
    assert checked(replace(answer, origin="random")).origin is Origin.RANDOM  # type: ignore[arg-type]  # what is tested


@pytest.mark.parametrize("origin", ["mine", None, 3])
def test_an_unknown_origin_is_named(origin: Any) -> None:
    with pytest.raises(InputTypeError, match=r"optimizer Mine .* default, random, local search"):
        checked(proposal(origin=origin))
