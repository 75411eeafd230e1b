"""Streams of random numbers: derived, apart, the same in every process."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from automl import seeding
from automl.seeding import Purpose, derived_rng, derived_seed

seeds = st.integers(0, 2**32 - 1)
numbers = st.integers(0, 10_000)
purposes = st.sampled_from(Purpose)


def test_the_purposes_keep_their_numbers() -> None:
    # They are part of the spawn key: another number is another search from the same seed.
    assert {p.name: int(p) for p in Purpose} == {"SPLITS": 0, "PROPOSAL": 1, "LEARNER": 2}


def test_a_stream_is_the_seed_sequence_with_purpose_and_number_as_spawn_key() -> None:
    sequence = np.random.SeedSequence(5, spawn_key=(1, 7))
    expected = np.random.default_rng(sequence).random(4)
    assert np.array_equal(derived_rng(5, Purpose.PROPOSAL, 7).random(4), expected)


@given(
    st.lists(st.tuples(seeds, purposes, numbers), min_size=2, max_size=2, unique=True),
)
def test_other_seeds_purposes_or_trials_draw_other_numbers(
    keys: list[tuple[int, Purpose, int]],
) -> None:
    one, other = (derived_rng(*key).integers(2**63, size=2).tolist() for key in keys)
    assert one != other


@given(seeds, purposes, numbers)
def test_a_derived_seed_suits_every_library(seed: int, purpose: Purpose, number: int) -> None:
    value = derived_seed(seed, purpose, number)
    assert type(value) is int
    assert 0 <= value < 2**31 - 1
    assert value == derived_seed(seed, purpose, number)


def test_a_fresh_process_with_another_hash_seed_draws_the_same() -> None:
    # The file alone: importing the whole package would take seconds.
    code = (
        "import runpy, sys\n"
        f"seeding = runpy.run_path({seeding.__file__!r})\n"
        "value = seeding['derived_seed'](3, seeding['Purpose'].LEARNER, 11)\n"
        "sys.stdout.write(str(value))"
    )
    found = subprocess.run(
        [sys.executable, "-c", code],
        capture_output=True,
        check=True,
        text=True,
        env=os.environ | {"PYTHONHASHSEED": "4242"},
    )
    assert found.stdout == str(derived_seed(3, Purpose.LEARNER, 11))
