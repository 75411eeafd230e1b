"""From the files of a search that ended, or was killed, back to a history that can go on."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from pathlib import Path

from automl.errors import InputError
from automl.history import History
from automl.storage.journal import Journal
from automl.storage.journal_reading import JournalContent, read_journal, restored_trial
from automl.storage.journal_records import JournalHeader
from automl.storage.models import ModelStore
from automl.storage.predictions import PredictionStore
from automl.trial import Outcome, Status, Trial

JOURNAL = "journal.jsonl"
"""Name of the journal in the folder of a search."""

_GIVEN_BY = {
    "seed": "random_state",
    "metric": "scoring",
    "n_rows": "X",
    "n_classes": "y",
    "n_splits": "cv",
    "data": "X, y, sample_weight, class_weight, groups or cv",
    "search_space": "search_space, include, exclude or extra_learners",
    "versions": "the installed versions",
}


@dataclass(frozen=True, slots=True)
class SearchFolder:
    """Where the files of a search are, and what an earlier run of it wrote there.

    Attributes
    ----------
    path : Path
        The folder.
    written : JournalContent or None
        What its journal says; None where a new search begins.
    """

    path: Path
    written: JournalContent | None = None


def journal_of(folder: Path) -> JournalContent | None:
    """Return what the journal in a folder says, None if there is none.

    Raises
    ------
    JournalError
        If it is damaged other than by a torn last line.
    """
    path = folder / JOURNAL
    return read_journal(path) if path.exists() and path.stat().st_size else None


def check_same_search(folder: Path, found: JournalHeader, wanted: JournalHeader) -> None:
    """Refuse to go on with the files of another search.

    Raises
    ------
    InputError
        If anything that decides what a trial gives differs; the message names it.
    """
    here, there = asdict(wanted), asdict(found)
    differing = [name for name in here if here[name] != there[name]]
    if not differing:
        return
    what = "; ".join(_difference(name, there[name], here[name]) for name in differing)
    raise InputError(
        f"work_dir {str(folder)!r} holds another search ({what}); give what it was begun with or "
        "choose a new folder; nothing in it was touched"
    )


def restore(
    history: History,
    written: JournalContent,
    journal: Journal,
    predictions: PredictionStore,
    models: ModelStore,
) -> tuple[Trial, ...]:
    """Fill an empty history with an earlier run; return the trials to be evaluated (again).

    These are the ones that were running when it ended, and those whose predictions are lost.

    Parameters
    ----------
    history : History
        Empty.
    written : JournalContent
        What the journal says.
    journal : Journal
        Is told of outcomes that do not count any more.
    predictions, models : PredictionStore, ModelStore
        Opened on the files of the earlier run.
    """
    space = history.problem.search_space.configuration_space
    trials = [restored_trial(trial, space) for trial in written.trials]
    kept: list[Outcome] = []
    for outcome in written.outcomes:
        if _counts(outcome, predictions):
            kept.append(outcome)
        else:
            journal.write_reopened(outcome.number)
    history.replay(trials, kept)
    models.restore(dict(zip(history.successes, history.success_losses().tolist(), strict=True)))
    for trial in history.pending:
        # Stored before its outcome was written: the evaluation is going to be repeated.
        predictions.forget(trial.number)
    return history.pending


def _counts(outcome: Outcome, predictions: PredictionStore) -> bool:
    if outcome.status is Status.SUCCESS:
        return predictions.has(outcome.number)
    return outcome.status is not Status.CANCELLED


def _difference(name: str, found: object, wanted: object) -> str:
    if name == "versions" and isinstance(found, dict) and isinstance(wanted, dict):
        changed = [
            f"{package} {found.get(package, 'none')} there, {version} here"
            for package, version in wanted.items()
            if found.get(package) != version
        ]
        return f"{_GIVEN_BY[name]}: {', '.join(changed)}"
    if name in ("data", "search_space"):  # a digest says nothing to a reader
        return f"{_GIVEN_BY[name]} differ"
    return f"{_GIVEN_BY[name]}: {found!r} there, {wanted!r} here"
