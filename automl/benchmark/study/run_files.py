"""Finished runs of a study in a folder: a table of trials and a summary for each.

The files of a run are `runs/DATASET/SEARCH/SEED.csv` and `SEED.json`. The CSV file appears last and
at once, so a run that was interrupted leaves nothing that counts. Its first line is a comment with
settings, versions of packages, machine and fingerprint of the data.
"""

from __future__ import annotations

import csv
import json
from collections.abc import Mapping
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import numpy as np

from automl.benchmark.stored_runs import (
    Circumstances,
    DamagedRunError,
    is_stored,
    whole_file,
)
from automl.benchmark.study.designs import ensemble_members, evaluate_designs
from automl.benchmark.study.model_library import ModelLibrary
from automl.benchmark.study.runner import FinishedRun
from automl.benchmark.study.running_curves import (
    OwnCurves,
    RunningCurves,
    own_curves,
    running_curves,
)
from automl.trial import Status
from automl.writable import make_writable
from search_space.arrays import IntArray

COLUMNS = (
    "trial",
    "status",
    "learner",
    "origin",
    "validation_loss",
    "test_loss",
    "seconds",
    "propose_seconds",
    "es_validation",
    "es_test",
    "single_validation",
    "single_test",
    "in_pool",
    "distance",
    "members_validation",
    "own_validation",
    "own_test",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyKey:
    """What tells one run from the others.

    Attributes
    ----------
    dataset, search : str
        Names.
    seed : int
        Seed of the search.
    """

    dataset: str
    search: str
    seed: int


@dataclass(frozen=True, slots=True)
class RunFolder:
    """A folder of runs with the same settings.

    Attributes
    ----------
    folder : Path
        Made when the first run is written.
    settings : str
        Of every run.
    data : mapping of str to str
        Fingerprints of data sets, by name.
    """

    folder: Path
    settings: str
    data: Mapping[str, str] = field(default_factory=dict)

    def check(self) -> None:
        """See whether more runs can be added.

        Raises
        ------
        InputError
            If nothing can be written, or a run that is there, wanted again or not, had other
            settings, versions of packages or data.
        """
        make_writable(self.folder)
        for path in sorted((self.folder / "runs").glob("*/*/*.csv")):
            self._circumstances(path.parts[-3]).check(path)

    def holds(self, key: StudyKey) -> bool:
        """Return whether a run is finished: both files are there.

        Raises
        ------
        InputError
            If it was run with other settings, versions of packages or data, or is damaged.
        """
        if not self._path(key).with_suffix(".json").exists():
            return False
        if not is_stored(self._path(key), self._circumstances(key.dataset)):
            return False
        check_whole(self._path(key))
        return True

    def write(self, key: StudyKey, run: FinishedRun, codes: tuple[IntArray, IntArray]) -> None:
        """Keep a finished run.

        Parameters
        ----------
        key : StudyKey
            Its name.
        run : FinishedRun
            What came of it.
        codes : pair of arrays
            Classes of the validation and of the test rows.

        Raises
        ------
        NoModelsError
            If no trial gave a model.
        """
        path = self._path(key)
        told = _Told.of(run, codes)
        with whole_file(path, self._circumstances(key.dataset)) as file:
            writer = csv.writer(file)
            writer.writerow(COLUMNS)
            writer.writerows(told.rows(run))
            summary = json.dumps(told.summary(run), indent=1)
            path.with_suffix(".json").write_text(summary, encoding="utf-8")

    def _circumstances(self, dataset: str) -> Circumstances:
        found = self.data.get(dataset)
        return Circumstances.now(self.settings, data=f"{dataset}:{found}" if found else "")

    def _path(self, key: StudyKey) -> Path:
        return self.folder / "runs" / key.dataset / key.search / f"{key.seed}.csv"


def check_whole(path: Path) -> None:
    """See whether both files of a run are whole.

    Parameters
    ----------
    path : Path
        Of the table; that of the summary differs in its ending.

    Raises
    ------
    DamagedRunError
        If the summary cannot be read or has no designs, or the table has not as many trials as the
        summary tells of. Runs of earlier versions tell of none.
    """
    summary = path.with_suffix(".json")
    try:
        content = json.loads(summary.read_text(encoding="utf-8"))
        n_trials, designs = content.get("trials"), content["designs"]
    except (ValueError, KeyError, AttributeError) as error:
        raise DamagedRunError.of(summary) from error
    if not designs:
        raise DamagedRunError.of(summary)
    with path.open(encoding="utf-8", errors="replace") as file:
        n_lines = sum(1 for _ in file)
    if n_trials is not None and n_lines != n_trials + 2:  # settings and names of columns
        raise DamagedRunError.of(path)


@dataclass(frozen=True, slots=True)
class _Told:
    """What designs and curves say of a run."""

    models: ModelLibrary
    own: OwnCurves | None

    @classmethod
    def of(cls, run: FinishedRun, codes: tuple[IntArray, IntArray]) -> _Told:
        """Return it.

        Raises
        ------
        NoModelsError
            If no trial gave a model.
        """
        models = ModelLibrary(
            validation=run.validation,
            validation_codes=codes[0],
            test=run.test,
            test_codes=codes[1],
            losses=np.array([o.loss for o in run.outcomes if o.status is Status.SUCCESS]),
            metric=run.metric,
        )
        if not run.own_members:
            return cls(models, None)
        place = {number: i for i, number in enumerate(sorted(run.history.successes))}
        members = [[place[number] for number in of_trial] for of_trial in run.own_members]
        return cls(models, own_curves(models, members))

    def summary(self, run: FinishedRun) -> dict[str, Any]:
        """Return what the designs make of the models, in JSON's types."""
        designs = {name: asdict(found) for name, found in evaluate_designs(self.models).items()}
        if self.own is not None:
            last = {"validation": self.own.validation[-1], "test": self.own.test[-1]}
            designs["own"] = {name: float(loss) for name, loss in last.items()}
        chosen = ensemble_members(self.models)
        numbers = sorted(run.history.successes)
        return {
            "trials": len(run.trials),
            "designs": designs,
            "members": [numbers[position] for position in chosen.members],
            "weights": chosen.weights.tolist(),
            "pairwise": chosen.pairwise.tolist(),
        }

    def rows(self, run: FinishedRun) -> list[list[object]]:
        """Return the lines of the table, one for each trial."""
        curves = running_curves(self.models)
        test_losses = self.models.metric.losses(self.models.test_codes, self.models.test)
        found: list[list[object]] = []
        model = -1
        space = run.history.problem.search_space
        for trial, outcome, proposed in zip(
            run.trials, run.outcomes, run.propose_seconds, strict=True
        ):
            is_success = outcome.status is Status.SUCCESS
            model += is_success
            found.append(
                [
                    trial.number,
                    outcome.status.value,
                    space.classifier_of(trial.configuration),
                    trial.proposal.origin.value,
                    outcome.loss if is_success else None,
                    test_losses[model] if is_success else None,
                    round(outcome.seconds, 4),
                    round(proposed, 4),
                    *(_so_far(curves, model) if model >= 0 else [None] * 4),
                    *_of_model(curves, model, is_success=is_success),
                    curves.members_validation[model] if model >= 0 else None,
                    *self._own(trial.number),
                ]
            )
        return found

    def _own(self, trial: int) -> list[object]:
        """Return the losses of the search's own ensemble after a trial."""
        if self.own is None or np.isnan(self.own.validation[trial]):
            return [None, None]
        return [self.own.validation[trial], self.own.test[trial]]


def _so_far(curves: RunningCurves, model: int) -> list[object]:
    """Return the losses that held after a trial, failed or not."""
    return [
        curves.es_validation[model],
        curves.es_test[model],
        curves.single_validation[model],
        curves.single_test[model],
    ]


def _of_model(curves: RunningCurves, model: int, *, is_success: bool) -> list[object]:
    """Return whether a model became a member, and how far from the members it is."""
    if not is_success:
        return [None, None]
    distance = curves.distance[model]
    return [int(curves.in_pool[model]), None if np.isnan(distance) else distance]
