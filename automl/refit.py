"""From chosen weights to fitted members: refit on all rows where the time allows it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace

import cloudpickle
import numpy as np
from sklearn.pipeline import Pipeline

from automl.budget import Budget
from automl.ensembles.weighted_ensemble import Member
from automl.evaluation.calls import CallLimits
from automl.evaluation.evaluator import RefitCall, load_models
from automl.fit_limits import SECONDS_TO_FINISH
from automl.history import History
from automl.parallel.slots import LONGEST_WAIT, WorkerSlots
from automl.probabilities import checked_probabilities
from automl.storage.models import ModelStore
from automl.trial import Status, Trial
from search_space.arrays import Features
from search_space.values import plain_values

_NO_TIME = "there was no time left"


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
    check_rows : (n, d) array or sparse array
        A few prepared rows that each model has to predict in this process.
    """

    slots: WorkerSlots
    make_call: Callable[[Trial], RefitCall]
    limits: CallLimits
    budget: Budget
    check_rows: Features


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
    reasons = {trial.number: _NO_TIME for trial in trials}
    while waiting or plan.slots.n_running:
        if plan.budget.is_interrupted:
            plan.slots.cancel()
        seconds = plan.budget.seconds_left - SECONDS_TO_FINISH
        if waiting and seconds <= 0.0:
            waiting.clear()
        elif waiting and not plan.slots.all_busy:
            trial = waiting.pop(0)
            left = None if seconds == float("inf") else seconds
            limits = replace(plan.limits, seconds_left=left)
            plan.slots.submit(trial.number, cloudpickle.dumps(plan.make_call(trial)), limits)
        else:
            for number, reply in plan.slots.collect(LONGEST_WAIT):
                reasons[number] = reply.reason
                if reply.status is Status.SUCCESS:
                    models, reasons[number] = usable_models(reply.blobs[0], plan.check_rows)
                    fitted.update((number, model) for model in models)
    return Refits(fitted, {n: reason for n, reason in reasons.items() if n not in fitted})


def usable_models(
    data: bytes | memoryview, check_rows: Features
) -> tuple[tuple[Pipeline, ...], str]:
    """Return serialised pipelines, or none and why they do not predict in this process."""
    try:
        models = tuple(load_models(data))
        for model in models:
            probabilities = model.predict_proba(check_rows)
            checked_probabilities(probabilities, check_rows.shape[0], np.asarray(model.classes_))
    except Exception as error:  # noqa: BLE001 - code of a user's learner runs here
        return (), f"its model does not work in this process: {type(error).__name__}: {error}"
    return models, ""


@dataclass(frozen=True, slots=True)
class Assembled:
    """The members of an ensemble, and what became of the others.

    Attributes
    ----------
    members : tuple of Member
        Those that have a fitted pipeline, by falling weight; weights sum to one. Empty if none has.
    lost : mapping of int to str
        Why a chosen trial is no member, by trial number.
    """

    members: tuple[Member, ...]
    lost: Mapping[int, str]


def assemble_members(
    weights: Mapping[int, float],
    history: History,
    refits: Refits,
    stored: ModelStore,
    check_rows: Features,
) -> Assembled:
    """Return the members that have a fitted pipeline.

    Parameters
    ----------
    weights : mapping of int to float
        Weight of each chosen trial.
    history : History
        Where the trials and their losses are.
    refits : Refits
        Pipelines fitted on all rows; a trial that has none there uses its stored fold models.
    stored : ModelStore
        Fold models.
    check_rows : (n, d) array or sparse array
        A few prepared rows that each model has to predict in this process.
    """
    members = []
    lost = {}
    for number in sorted(weights, key=lambda number: (-weights[number], number)):
        is_refitted = number in refits.fitted
        models, reason = (
            ((refits.fitted[number],), "")
            if is_refitted
            else _fold_models(number, stored, check_rows)
        )
        if models:
            members.append(_member(number, weights[number], history, models, is_refitted))
        else:
            lost[number] = "; ".join(filter(None, (refits.reasons.get(number, ""), reason)))
    total = sum(member.weight for member in members) or 1.0
    scaled = tuple(replace(member, weight=member.weight / total) for member in members)
    return Assembled(members=scaled, lost=lost)


def _fold_models(
    number: int, stored: ModelStore, check_rows: Features
) -> tuple[tuple[Pipeline, ...], str]:
    data = stored.read(number)
    if data is None:
        return (), "the models of its folds were not kept"
    return usable_models(data, check_rows)


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
