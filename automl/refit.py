"""From chosen weights to fitted members: refit on all rows where the time allows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cloudpickle
from sklearn.pipeline import Pipeline

from automl.budget import Budget
from automl.ensembles.weighted_ensemble import Member
from automl.evaluation.calls import CallLimits
from automl.evaluation.evaluator import RefitCall, load_models
from automl.history import History
from automl.optimizers.observations import best_trials
from automl.parallel.slots import WorkerSlots
from automl.storage.models import ModelStore
from automl.trial import Status, Trial
from search_space.values import plain_values

_MEMBERS_EXPECTED = 10
_SECONDS_TO_FINISH = 0.5  # for loading models and ending processes after the last refit


@dataclass(frozen=True, slots=True, kw_only=True)
class RefitPlan:
    """How members are refitted.

    Attributes
    ----------
    slots : WorkerSlots
        Where the fits run.
    make_call : callable
        ``make_call(trial)`` returns the fit of a trial's pipeline on all rows.
    limits : CallLimits
        What one fit may use.
    budget : Budget
        Ends the refits when the time of ``fit`` is over.
    """

    slots: WorkerSlots
    make_call: Callable[[Trial], RefitCall]
    limits: CallLimits
    budget: Budget


@dataclass(frozen=True, slots=True)
class Refits:
    """What came of refitting some trials.

    Attributes
    ----------
    fitted : mapping of int to Pipeline
        The pipeline fitted on all rows, by trial number.
    reasons : mapping of int to str
        Why a trial has none, by trial number.
    """

    fitted: Mapping[int, Pipeline] = field(default_factory=dict)
    reasons: Mapping[int, str] = field(default_factory=dict)


def refit_trials(plan: RefitPlan, trials: Sequence[Trial]) -> Refits:
    """Fit pipelines on all rows, as many as the time allows, in the given order.

    Returns
    -------
    Refits
        Fitted pipelines, and why the others have none, by trial number.
    """
    waiting = list(trials)
    fitted: dict[int, Pipeline] = {}
    reasons = {trial.number: "there was no time left" for trial in trials}
    while waiting or plan.slots.n_running:
        seconds = plan.budget.seconds_left - _SECONDS_TO_FINISH
        if waiting and seconds <= 0.0:
            waiting.clear()
        elif waiting and not plan.slots.all_busy:
            trial = waiting.pop(0)
            left = None if seconds == float("inf") else seconds
            limits = replace(plan.limits, seconds_left=left)
            plan.slots.submit(trial.number, cloudpickle.dumps(plan.make_call(trial)), limits)
        else:
            for number, reply in plan.slots.collect(float("inf")):
                if reply.status is Status.SUCCESS:
                    fitted[number] = load_models(reply.blobs[0])[0]
                else:
                    reasons[number] = reply.reason
    return Refits(fitted, {n: reason for n, reason in reasons.items() if n not in fitted})


def assemble_members(
    weights: Mapping[int, float],
    history: History,
    refitted: Mapping[int, Pipeline],
    stored: ModelStore,
) -> tuple[Member, ...]:
    """Return the members that have a fitted pipeline, by falling weight; weights sum to one.

    Parameters
    ----------
    weights : mapping of int to float
        Weight of each chosen trial.
    history : History
        Where the trials and their losses are.
    refitted : mapping of int to Pipeline
        Pipelines fitted on all rows; a trial that is not there uses its stored fold models.
    stored : ModelStore
        Fold models.

    Returns
    -------
    tuple of Member
        Without the trials that have neither; empty if none has one.
    """
    members = []
    for number in sorted(weights, key=lambda number: (-weights[number], number)):
        models = _models_of(number, refitted, stored)
        if models:
            members.append(_member(number, weights[number], history, models, number in refitted))
    total = sum(member.weight for member in members)
    return tuple(replace(member, weight=member.weight / total) for member in members)


def _models_of(
    number: int, refitted: Mapping[int, Pipeline], stored: ModelStore
) -> tuple[Pipeline, ...]:
    if number in refitted:
        return (refitted[number],)
    data = stored.read(number)
    return tuple(load_models(data)) if data is not None else ()


def _member(
    number: int,
    weight: float,
    history: History,
    models: tuple[Pipeline, ...],
    is_refitted: bool,
) -> Member:
    configuration = history.trials[number].configuration
    outcome = history.outcome_of(number)
    return Member(
        number=number,
        learner=history.problem.search_space.classifier_of(configuration),
        weight=weight,
        loss=outcome.loss if outcome is not None else float("nan"),
        configuration=plain_values(configuration),
        models=models,
        is_refitted=is_refitted,
    )


def estimated_refit_seconds(history: History, n_splits: int, n_workers: int) -> float:
    """Return about how long it takes to refit the members that an ensemble may have.

    The ten trials with the lowest losses stand for the members. One fit on all rows takes a
    split's share of the evaluation, and more by the rows that a split leaves out.
    """
    best = best_trials(history, _MEMBERS_EXPECTED)
    outcomes = (history.outcome_of(number) for number in best)
    growth = n_splits / (n_splits - 1) if n_splits > 1 else 4 / 3
    fits = [growth * outcome.seconds / n_splits for outcome in outcomes if outcome is not None]
    # However many workers there are, the longest fit has to end.
    return max(sum(fits) / n_workers, max(fits, default=0.0))
