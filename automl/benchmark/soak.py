"""An endurance run: what is left behind by a search among whose learners many misbehave."""

from __future__ import annotations

import gc
import os
import tempfile
import time
import uuid
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import asdict, dataclass
from pathlib import Path

import numpy as np
import psutil

from automl.benchmark.hostile import MISBEHAVING_LEARNERS
from automl.estimator import AutoClassifier
from automl.trial import Status

_MARK = "DIVBO_SOAK"  # environment variable that every descendant inherits
_SHARED_MEMORY = Path("/dev/shm")
_PATIENCE = 10.0  # seconds until what is still ending counts as left behind
_MEMORY_GROWTH = 100.0  # MB that the parent may grow by
_MEGABYTE = 1e6
_WARM_UP = 30  # evaluations after which everything is imported and every pool is filled


@dataclass(frozen=True, slots=True, kw_only=True)
class Holdings:
    """What this process and its descendants hold of the machine at one moment.

    Attributes
    ----------
    processes, threads, file_handles : int
        Descendants, orphans among them; threads and handles of this process.
    temporary_files, shared_memory : int
        Entries of the folder of temporary files, and of the machine's shared memory.
    memory_megabytes : float
        Resident memory of this process.
    """

    processes: int
    threads: int
    file_handles: int
    temporary_files: int
    shared_memory: int
    memory_megabytes: float


@dataclass(frozen=True, slots=True)
class Check:
    """One line of the report.

    Attributes
    ----------
    what : str
        What was counted or measured.
    before, after, at_most : float
        Before and after the run, and what the latter may be.
    """

    what: str
    before: float
    after: float
    at_most: float

    @property
    def is_ok(self) -> bool:
        """Whether the bound is kept."""
        return self.after <= self.at_most

    def row(self) -> str:
        """Return the check as a row of a Markdown table."""
        numbers = f"{self.before:.0f} | {self.after:.0f} | {self.at_most:.0f}"
        return f"| {self.what} | {numbers} | {'ok' if self.is_ok else 'ABOVE'} |"


@dataclass(frozen=True, slots=True)
class Report:
    """What came of an endurance run.

    Attributes
    ----------
    summary : str
        How the evaluations ended, in one line.
    checks : tuple of Check
        What was left behind.
    """

    summary: str
    checks: tuple[Check, ...]

    @property
    def is_ok(self) -> bool:
        """Whether every bound is kept."""
        return all(check.is_ok for check in self.checks)

    def table(self) -> str:
        """Return the checks as a Markdown table."""
        head = "| what | before | after | at most | ok |\n|---|---|---|---|---|"
        return "\n".join([head, *(check.row() for check in self.checks)])


def soak(n_evaluations: int, n_jobs: int, seed: int) -> Report:
    """Search with misbehaving learners and compare what is held before and after.

    A short search comes first, so that imports and caches do not count as growth.

    Parameters
    ----------
    n_evaluations : int
        Evaluations of the search.
    n_jobs : int
        Evaluations at the same time.
    seed : int
        Seed of the table and of the search.
    """
    with surroundings():
        _search(min(_WARM_UP, n_evaluations), n_jobs, seed + 1)
        before = holdings()
        started_at = time.monotonic()
        fitted = _search(n_evaluations, n_jobs, seed)
        seconds = time.monotonic() - started_at
        after = settled(holdings, before)
    statuses = Counter(record.status for record in fitted.trials_)
    ended = ", ".join(f"{count} {status}" for status, count in statuses.most_common())
    missing = n_evaluations - sum(statuses.values()) + statuses[Status.CANCELLED]
    return Report(
        summary=f"{n_evaluations} evaluations in {seconds:.0f} s: {ended}",
        checks=(Check("evaluations without a result", 0, missing, 0), *checks(before, after)),
    )


@contextmanager
def surroundings() -> Iterator[None]:
    """Mark the processes that are started, and give their temporary files a folder of its own."""
    kept = {name: os.environ.get(name) for name in (_MARK, "TMPDIR")}
    with tempfile.TemporaryDirectory(prefix="soak-") as folder:
        os.environ.update({_MARK: uuid.uuid4().hex, "TMPDIR": folder})
        tempfile.tempdir = None  # forget what was found before
        try:
            yield
        finally:
            tempfile.tempdir = None
            for name, value in kept.items():
                os.environ.pop(name)
                if value is not None:
                    os.environ[name] = value


def holdings() -> Holdings:
    """Return what is held now, in the `surroundings` of a run."""
    gc.collect()
    process = psutil.Process()
    return Holdings(
        processes=len(_marked(os.environ[_MARK])),
        threads=process.num_threads(),
        file_handles=process.num_fds(),
        temporary_files=sum(1 for _ in Path(tempfile.gettempdir()).rglob("*")),
        shared_memory=sum(1 for _ in _SHARED_MEMORY.iterdir()) if _SHARED_MEMORY.exists() else 0,
        memory_megabytes=process.memory_info().rss / _MEGABYTE,
    )


def settled(
    look: Callable[[], Holdings], before: Holdings, patience: float = _PATIENCE
) -> Holdings:
    """Return what `look` gives as soon as nothing is left behind, or at the end of the patience."""
    end = time.monotonic() + patience
    while True:
        now = look()
        if all(check.is_ok for check in checks(before, now)) or time.monotonic() > end:
            return now
        time.sleep(0.1)


def checks(before: Holdings, after: Holdings) -> tuple[Check, ...]:
    """Return one check for each thing that is held: nothing may be left but some memory."""
    later = asdict(after)
    return tuple(
        Check(
            what=name.replace("_", " "),
            before=value,
            after=later[name],
            at_most=value + (_MEMORY_GROWTH if name == "memory_megabytes" else 0.0),
        )
        for name, value in asdict(before).items()
    )


def _search(n_evaluations: int, n_jobs: int, seed: int) -> AutoClassifier:
    """Return a fitted estimator; most of its evaluations were of learners that misbehave."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(150, 4))
    y = (X[:, 0] + 0.5 * rng.normal(size=150) > 0).astype(int)
    clf = AutoClassifier(
        time_limit=None,
        n_trials=n_evaluations,
        optimizer="random",
        search_space="fast",
        extra_learners=list(MISBEHAVING_LEARNERS),
        cv="holdout",
        trial_time_limit=1.0,
        memory_limit=200.0,
        n_jobs=n_jobs,
        random_state=seed,
    )
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        return clf.fit(X, y)


def _marked(mark: str) -> list[psutil.Process]:
    """Return the other processes that carry a mark in their environment."""
    found = []
    for process in psutil.process_iter():
        try:
            is_marked = process.environ().get(_MARK) == mark
        except (psutil.Error, OSError):
            continue  # it has ended, or is somebody else's
        if is_marked and process.pid != os.getpid():
            found.append(process)
    return found
