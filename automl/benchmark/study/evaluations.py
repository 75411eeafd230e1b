"""Evaluations of a study: train on the training rows, predict validation and test rows.

Each configuration is evaluated once for a data set, whatever search and seed wants it: learners are
seeded by the configuration, not by the trial.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import asdict, dataclass
from pathlib import Path

import cloudpickle
import numpy as np
from ConfigSpace import Configuration

from automl.benchmark.study.evaluation_limits import EvaluationLimits, MachineError, own_failure
from automl.benchmark.study.evaluation_store import Evaluation, EvaluationStore, key_of
from automl.benchmark.study.study_task import StudyTask
from automl.data.folds import Fold, Splits
from automl.data.table_store import TableHandle, data_fingerprint, load_table, save_table
from automl.errors import InputError
from automl.evaluation.calls import Reply, SandboxSettings
from automl.evaluation.evaluator import PipelineSpec, out_of_fold
from automl.evaluation.framing import Payload
from automl.evaluation.sandbox_pool import borrowed_sandbox
from automl.storage.fingerprints import space_fingerprint
from automl.trial import Status
from automl.versions import package_versions
from search_space.arrays import IntArray, PredictionArray
from search_space.space import SearchSpace
from search_space.values import plain_values


@dataclass(frozen=True, slots=True, kw_only=True)
class StudyCall:
    """Fits a pipeline on the training rows; runs inside the sandbox."""

    spec: PipelineSpec
    table: TableHandle
    limits: EvaluationLimits

    def __call__(self) -> Payload:
        """Return the predictions for validation and test rows, in the order of the table."""
        table = load_table(self.table)
        with self.limits.enforced():
            predictions, _ = out_of_fold(self.spec, table)
        return Payload(header={}, blobs=(predictions,))


class StudyEvaluator:
    """Evaluates configurations on one task, or finds what was evaluated before.

    Parameters
    ----------
    task : StudyTask
        Data and split.
    space : SearchSpace
        What configurations belong to.
    cache : Path
        Folder of the stores of all tasks; the one of this task has its name and a fingerprint of
        data, split, space, limits and versions.
    limits : EvaluationLimits
        What one evaluation may use.
    only_stored : bool
        Whether a configuration that is not stored is an error.

    Attributes
    ----------
    folder : Path
        Of the store of this task.
    store : EvaluationStore
        What was evaluated.
    data : str
        Fingerprint of the data and of which rows train.
    """

    def __init__(
        self,
        task: StudyTask,
        space: SearchSpace,
        cache: Path,
        limits: EvaluationLimits,
        *,
        only_stored: bool = False,
    ) -> None:
        self._task, self._space, self._limits = task, space, limits
        held_out = np.sort(np.concatenate([task.validation, task.test]))
        self._splits = Splits(
            folds=(Fold(task.train, held_out),),
            n_rows=len(task.codes),
            description="training, then validation and test rows",
        )
        self._validation = np.searchsorted(held_out, task.validation)
        self._test = np.searchsorted(held_out, task.test)
        self.data = data_fingerprint(task.X, task.codes, self._splits)
        meaning = {
            "task": task.name,
            "data": self.data,
            "space": space_fingerprint(space),
            "limits": asdict(limits),
            "versions": package_versions(),
        }
        # Which of the rows that are held out validate does not change what is predicted for them.
        digest = key_of({k: str(v) for k, v in meaning.items()})[:12]
        # Evaluations look for their table from a working directory of their own.
        self.folder = cache.absolute() / f"{task.name}-{digest}"
        self.store = EvaluationStore(
            self.folder, n_rows=len(held_out), n_classes=task.n_classes, meaning=meaning
        )
        self._only_stored = only_stored
        modules = {module for component in space.components for module in component.modules}
        self._sandbox_settings = SandboxSettings(
            preload=("automl.evaluation.evaluator", *sorted(modules))
        )
        self._table: TableHandle | None = None

    def __call__(self, configuration: Configuration) -> Evaluation:
        """Return the evaluation of a configuration.

        Raises
        ------
        InputError
            If it is not stored and nothing else may be evaluated.
        MachineError
            If it failed and the machine may be to blame: then nothing is stored.
        """
        key = key_of(configuration)
        known = self.store.find(key)
        if known is not None:
            return known
        if self._only_stored:
            raise InputError(
                f"{self.folder} lacks an evaluation of {self._space.classifier_of(configuration)}: "
                "build the table anew, or search without one"
            )
        return self._evaluate(key, configuration)

    def n_stored(self, configurations: Iterable[Configuration]) -> int:
        """Return how many of some configurations were evaluated before."""
        return sum(self.store.find(key_of(one)) is not None for one in configurations)

    def predictions(self, evaluations: list[Evaluation]) -> tuple[PredictionArray, PredictionArray]:
        """Return what successes predict for validation and test rows, (m, rows, classes) each."""
        blocks = self.store.predictions([e.slot for e in evaluations]).astype(np.float32)
        return blocks[:, self._validation], blocks[:, self._test]

    @property
    def codes(self) -> tuple[IntArray, IntArray]:
        """Classes of the validation and of the test rows."""
        return self._task.codes[self._task.validation], self._task.codes[self._task.test]

    def _evaluate(self, key: str, configuration: Configuration) -> Evaluation:
        call = StudyCall(
            spec=PipelineSpec(
                configuration=plain_values(configuration),
                components=self._space.components,
                task=self._space.task,
                seed=int(key[:7], 16),
                rescale_first=self._space.rescale_first,
            ),
            table=self._saved_table(),
            limits=self._limits,
        )
        with borrowed_sandbox(self._sandbox_settings) as sandbox:
            reply = sandbox.run(cloudpickle.dumps(call), self._limits.of_call)
        if reply.status is not Status.SUCCESS:
            return self.store.add(self._failure(key, configuration, reply), None)
        evaluation = Evaluation(key=key, status=reply.status, seconds=reply.seconds)
        shape = (len(self._validation) + len(self._test), self._task.n_classes)
        predictions = np.frombuffer(reply.blobs[0], dtype=np.float32).reshape(shape)
        return self.store.add(evaluation, predictions)

    def _failure(self, key: str, configuration: Configuration, reply: Reply) -> Evaluation:
        try:
            status, reason = own_failure(reply, self._limits)
        except MachineError as error:
            learner = self._space.classifier_of(configuration)
            raise MachineError(f"{self._task.name}, {learner}: {error}") from error
        return Evaluation(key=key, status=status, seconds=reply.seconds, reason=reason)

    def _saved_table(self) -> TableHandle:
        if self._table is None:
            task = self._task
            self._table = save_table(self.folder / "table", task.X, task.codes, self._splits)
            load_table(self._table)  # a damaged one would pass for a failure of every learner
        return self._table
