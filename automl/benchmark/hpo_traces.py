"""What an optimiser believed in the course of one run: weights of surrogates, attitude, regret."""

from __future__ import annotations

from collections.abc import Iterable

import pandas as pd

from automl.ask_tell import AskTell
from automl.benchmark.hpo.methods import AskTell as Method
from automl.benchmark.hpo.problem import HPOProblem
from automl.benchmark.hpo.run_store import RunSettings
from automl.errors import InputError


def trace_of(
    problem: HPOProblem,
    optimizer: Method,
    prefix: str,
    settings: RunSettings,
) -> pd.DataFrame:
    """Run an optimiser and return the beliefs of its proposals whose names begin so.

    Parameters
    ----------
    problem : HPOProblem
        What is minimised.
    optimizer : Method
        New, on the space of the problem; an `AskTell`, since others do not tell what they believe.
    prefix : str
        "densbo_weight_" or "wei_".
    settings : RunSettings
        Length of the run, and how many configurations are asked for at once.

    Returns
    -------
    frame : evaluation, and a column for each belief, without the prefix
        One row for each proposal that has such beliefs.

    Raises
    ------
    InputError
        If no proposal has.
    """
    if not isinstance(optimizer, AskTell):
        raise InputError(
            f"{type(optimizer).__name__} does not tell what it believes: name another --method"
        )
    asked = 0
    while asked < settings.n_evaluations:
        wanted = settings.batch_size if asked else settings.n_initial
        for configuration in optimizer.ask(min(wanted, settings.n_evaluations - asked)):
            optimizer.tell(configuration, problem.evaluate(configuration))
            asked += 1
    rows = [
        {"evaluation": trial.number + 1} | _named(trial.proposal.beliefs.items(), prefix)
        for trial in optimizer.history.trials
        if any(name.startswith(prefix) for name in trial.proposal.beliefs)
    ]
    if not rows:
        raise InputError(f"no proposal of this optimizer believes anything named {prefix}...")
    return pd.DataFrame(rows)


def _named(beliefs: Iterable[tuple[str, float]], prefix: str) -> dict[str, float]:
    return {name.removeprefix(prefix): v for name, v in beliefs if name.startswith(prefix)}
