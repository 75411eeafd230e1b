"""Random generators derived from one seed, one for each trial and purpose.

No two parts of a search share a stream, and none of the streams depends on which worker ran a
trial or when: a search that is resumed or run in another order draws the same numbers.
"""

from __future__ import annotations

from enum import IntEnum

import numpy as np


class Purpose(IntEnum):
    """What a generator is for; part of its spawn key, so the numbers must never change."""

    SPLITS = 0
    PROPOSAL = 1
    LEARNER = 2


def derived_rng(seed: int, purpose: Purpose, number: int = 0) -> np.random.Generator:
    """Return the generator of one purpose and one trial.

    Parameters
    ----------
    seed : int
        Seed of the whole search, not negative.
    purpose : Purpose
        What the numbers are for.
    number : int
        The trial that they are for.

    Examples
    --------
    >>> a = derived_rng(0, Purpose.PROPOSAL, 3).random()
    >>> a == derived_rng(0, Purpose.PROPOSAL, 3).random()
    True
    >>> a == derived_rng(0, Purpose.PROPOSAL, 4).random()
    False
    """
    return np.random.default_rng(np.random.SeedSequence(seed, spawn_key=(int(purpose), number)))


def derived_seed(seed: int, purpose: Purpose, number: int = 0) -> int:
    """Return an integer in [0, 2**31 - 1) for libraries that take no generator."""
    return int(derived_rng(seed, purpose, number).integers(2**31 - 1))
