"""From the weights of chosen trials to fitted members, and word of those that are not as asked."""

from __future__ import annotations

import logging
from collections.abc import Mapping
from dataclasses import dataclass

from automl.changes import Change
from automl.data.weights import RowWeights
from automl.ensembles.weighted_ensemble import Member
from automl.evaluation.baseline import fit_baseline
from automl.history import History
from automl.refit import RefitPlan, Refits, assemble_members, refit_trials
from automl.storage.models import ModelStore
from search_space.arrays import IntArray

_LOG = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class FittedMembers:
    """The members of an ensemble.

    Attributes
    ----------
    members : tuple of Member
        By falling weight; weights sum to one. Empty if no chosen trial has a model.
    best : Member or None
        The trial with the lowest loss, with weight 0 if it was not chosen; None if it has no model.
    changes : tuple of Change
        Members that were to be refitted and are not.
    shortfall : str
        Which chosen trials have no model, and why; empty if all have one.
    """

    members: tuple[Member, ...]
    best: Member | None
    changes: tuple[Change, ...]
    shortfall: str


def fit_members(
    weights: Mapping[int, float],
    history: History,
    models: ModelStore,
    plan: RefitPlan,
    *,
    refit: bool,
) -> FittedMembers:
    """Refit chosen trials on all rows where wanted and possible, else take the models of folds.

    Trials that have neither are left out, and the others share their weights. The trial with the
    lowest loss is fitted in any case, last if it was not chosen.

    Parameters
    ----------
    weights : mapping of int to float
        Weight of each chosen trial.
    history : History
        Where the trials are.
    models : ModelStore
        Models of the validation splits.
    plan : RefitPlan
        How to refit.
    refit : bool
        Whether to refit.
    """
    best = history.best
    wanted = {best.number: 0.0, **weights} if best is not None else dict(weights)
    refits = Refits()
    if refit:
        # Trials whose fold models were not kept come first: they have nothing else.
        order = sorted(wanted, key=lambda n: (wanted[n] == 0.0, models.has(n), -wanted[n], n))
        refits = refit_trials(plan, [history.trials[number] for number in order])
    assembled = assemble_members(wanted, history, refits, models, plan.check_rows)
    members = tuple(member for member in assembled.members if member.weight > 0.0)
    lost = {number: reason for number, reason in assembled.lost.items() if number in weights}
    return FittedMembers(
        members=members,
        best=next((m for m in assembled.members if best and m.number == best.number), None),
        changes=_not_refitted(members, refits),
        shortfall=_in_words(lost, len(weights)),
    )


def _in_words(lost: Mapping[int, str], n_chosen: int) -> str:
    """Return what is to be said of chosen trials without a model."""
    if not lost:
        return ""
    reasons = "; ".join(f"trial {number}: {reason}" for number, reason in sorted(lost.items()))
    return (
        f"{len(lost)} of {n_chosen} ensemble members could not be fitted again and are left out "
        f"({reasons})"
    )


def _not_refitted(members: tuple[Member, ...], refits: Refits) -> tuple[Change, ...]:
    """Return one change for each reason why members are the models of their folds."""
    numbers: dict[str, list[int]] = {}
    for member in members:
        if member.number in refits.reasons:
            numbers.setdefault(refits.reasons[member.number], []).append(member.number)
    changes = tuple(
        Change(
            f"the refit of trial{'s' * (len(trials) > 1)} {', '.join(map(str, sorted(trials)))}",
            "left out",
            f"{reason}; the models of the validation splits are averaged",
        )
        for reason, trials in numbers.items()
    )
    for change in changes:
        _LOG.info("%s", change)
    return changes


def baseline_member(codes: IntArray, weights: RowWeights, loss: float) -> Member:
    """Return the class frequencies as the member of an ensemble that has no model.

    Parameters
    ----------
    codes : (n,) array of int
        Class of each row.
    weights : RowWeights
        How much each row counts.
    loss : float
        Validation loss of predicting the class frequencies.
    """
    return Member(
        number=-1,
        learner="baseline",
        weight=1.0,
        loss=loss,
        configuration={},
        models=(fit_baseline(codes, weights.training),),
        is_refitted=True,
    )
