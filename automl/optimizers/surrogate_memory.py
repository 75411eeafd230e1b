"""What one fit of a surrogate leaves to the next, in the beliefs of the proposals between them.

So it belongs to the history: a search that is gone on with fits its surrogates as it would have.
"""

from __future__ import annotations

from collections.abc import Mapping

from automl.surrogates.surrogate import (
    FittedSurrogate,
    RememberedFit,
    RememberingSurrogate,
    Surrogate,
)
from automl.trial_history import TrialHistory

_PREFIX = "fit_{}:"


def continued(surrogate: Surrogate, history: TrialHistory, name: str = "") -> Surrogate:
    """Return a surrogate that knows what its last fit left, if it cares for that.

    Parameters
    ----------
    surrogate : Surrogate
        Settings.
    history : TrialHistory
        Where the last proposal with such beliefs counts.
    name : str
        What the surrogate is called, where there are several.
    """
    if not isinstance(surrogate, RememberingSurrogate):
        return surrogate
    prefix = _PREFIX.format(name)
    for trial in reversed(history.trials):
        beliefs = trial.proposal.beliefs
        memory = {k.removeprefix(prefix): v for k, v in beliefs.items() if k.startswith(prefix)}
        if memory:
            return surrogate.continued(memory)
    return surrogate


def memory_of(fitted: FittedSurrogate, name: str = "") -> Mapping[str, float]:
    """Return the beliefs that a proposal has to carry for the next fit."""
    if not isinstance(fitted, RememberedFit):
        return {}
    prefix = _PREFIX.format(name)
    return {f"{prefix}{key}": value for key, value in fitted.memory.items()}
