"""What the optimizers of `AskTell` go by, unless something else is asked for."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from types import MappingProxyType

from automl.errors import InputError
from automl.optimizers.acquisition_policy import AcquisitionPolicy
from automl.optimizers.named import acquisition_of, check_name, model_of
from automl.optimizers.performance_model import PerformanceModel
from automl.optimizers.scored_candidates import CandidateSettings, Guidance
from automl.surrogates.surrogate import Surrogate

RANDOM = "random"
"""The optimizer that goes by nothing."""


@dataclass(frozen=True, slots=True)
class Recipe:
    """Names of a surrogate and an acquisition function, and how many candidates are scored."""

    surrogate: str
    acquisition: str
    candidates: CandidateSettings = field(default_factory=CandidateSettings)


# A process takes long to predict many; SMAC's black-box facade, with which SAWEI was published,
# looks at 1,000 too.
_FOR_A_PROCESS = CandidateSettings(n_random=980, n_local=20, max_steps=8)

RECIPES: Mapping[str, Recipe] = MappingProxyType(
    {
        "densbo": Recipe("densbo", "mace"),
        "bo": Recipe("extra_trees", "ei"),
        "sawei": Recipe("gaussian_process_horseshoe", "sawei", _FOR_A_PROCESS),
    }
)
"""Optimizers with a model."""


def guidance_of(
    optimizer: str,
    surrogate: str | Surrogate | PerformanceModel | None,
    acquisition: str | AcquisitionPolicy | None,
) -> Guidance | None:
    """Return what an optimizer goes by, None for random search.

    Raises
    ------
    InputError
        If a name is unknown, or random search is to have parts.
    """
    check_name("optimizer", optimizer, [*RECIPES, RANDOM])
    if optimizer == RANDOM:
        if surrogate is not None or acquisition is not None:
            raise InputError("surrogate and acquisition mean nothing with optimizer='random'")
        return None
    usual = RECIPES[optimizer]
    return Guidance(
        model=model_of(usual.surrogate if surrogate is None else surrogate),
        acquisition=acquisition_of(usual.acquisition if acquisition is None else acquisition),
        candidates=usual.candidates,
    )


def name_of(part: object) -> str:
    """Return what a file says of a part: objects by their type alone."""
    return str(part) if part is None or isinstance(part, str) else type(part).__qualname__
