"""Whose fault it is that an evaluation of the study failed, told by what real ones reply."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from pathlib import Path

import numpy as np
import pytest
from fakes import hostile, limited
from fakes.limited import LIMITS
from fakes.sandboxed import Runner

from automl.benchmark.study import evaluations
from automl.benchmark.study.evaluation_limits import EvaluationLimits, MachineError, own_failure
from automl.benchmark.study.evaluations import StudyEvaluator
from automl.benchmark.study.opening import StudySettings
from automl.benchmark.study.run_files import StudyKey
from automl.benchmark.study.studies import build_tables, run_missing
from automl.benchmark.study.task_loading import load_study_task
from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.evaluation.sandbox import Sandbox
from automl.evaluation.sandbox_pool import close_sandboxes
from automl.trial import Status

pytestmark = [
    pytest.mark.own_sandboxes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system"),
]

load = partial(load_study_task, "quick", None, 1, 240, "fast")


@pytest.fixture(scope="module")
def run() -> Iterator[Runner]:
    with Sandbox(SandboxSettings(preload=("fakes.limited",))) as sandbox:
        yield Runner(sandbox)


def status_of(reply: Reply) -> Status | None:
    try:
        return own_failure(reply, LIMITS)[0]
    except MachineError:
        return None


@pytest.mark.parametrize(
    ("call", "expected"),
    [
        (partial(hostile.raise_error, ValueError("a bad value")), Status.CRASHED),
        (partial(hostile.raise_error, ZeroDivisionError()), Status.CRASHED),
        (hostile.segfault, Status.CRASHED),
        (partial(limited.work, 1.0), Status.TIMEOUT),
        (
            partial(limited.ask_for_memory, 2**20),
            Status.OUT_OF_MEMORY,
        ),  # numpy says how much was asked for
        (partial(hostile.raise_error, MemoryError()), None),
        (partial(hostile.raise_error, RuntimeError("std::bad_alloc")), None),
        (partial(hostile.raise_error, RuntimeError("can't start new thread")), None),
        (partial(hostile.raise_error, ModuleNotFoundError("No module named 'x'")), None),
        (partial(hostile.raise_error, KeyboardInterrupt()), None),
        (limited.fill_the_disk, None),
        (hostile.kill_itself, None),
    ],
)
def test_blame_is_told_from_what_an_evaluation_replied(
    run: Runner, call: Callable[[], object], expected: Status | None
) -> None:
    reply = run(call, mib=LIMITS.memory_mib)
    assert reply.status is not Status.SUCCESS
    assert status_of(reply) is expected


def test_memory_beyond_the_limit_is_the_configurations_fault(run: Runner) -> None:
    reply = run(hostile.allocate, mib=LIMITS.memory_mib)
    assert own_failure(reply, LIMITS) == (Status.OUT_OF_MEMORY, "used more than 200 MiB")


@pytest.mark.parametrize(
    ("status", "reason"),
    [
        (Status.OUT_OF_MEMORY, "killed by the system, out of memory"),
        (Status.OUT_OF_MEMORY, "_ArrayMemoryError: Unable to allocate 150. MiB for an array"),
        (Status.TIMEOUT, "ran longer than 12 s"),  # of the clock: the machine was busy
        (Status.CRASHED, "cannot start a process: [Errno 11] Resource temporarily unavailable"),
        (Status.CRASHED, "ended with exit code 1 and no reply"),
        (Status.CRASHED, "killed by signal 7 (SIGBUS)"),  # of a file that the disk had no room for
        (Status.CRASHED, "supervisor killed by signal 9 (SIGKILL)"),
        (Status.CANCELLED, "cancelled"),
    ],
)
def test_what_comes_from_outside_is_nobodys_fault(status: Status, reason: str) -> None:
    with pytest.raises(MachineError, match="cannot be told whether its configuration"):
        own_failure(Reply(status=status, seconds=1.0, reason=reason), LIMITS)


def test_time_that_is_not_the_processors_does_not_count(run: Runner) -> None:
    assert run(limited.wait).status is Status.SUCCESS
    assert run(partial(limited.work, 0.05)).status is Status.SUCCESS
    assert LIMITS.of_call == CallLimits(timeout_seconds=12.0, memory_mib=200.0)
    assert EvaluationLimits(cpu_seconds=np.inf).of_call.timeout_seconds is None


class Answering:
    """A sandbox in which every evaluation ends alike."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply

    def run(self, *_: object) -> Reply:
        """Return it."""
        return self.reply


@contextmanager
def borrowed(reply: Reply) -> Iterator[Answering]:
    yield Answering(reply)


def test_only_what_is_a_configurations_own_fault_is_stored(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = load("quake")
    evaluator = StudyEvaluator(task, task.search_space, tmp_path, LIMITS)
    configuration = task.search_space.defaults[0]
    killed = Reply(
        status=Status.OUT_OF_MEMORY, seconds=1.0, reason="killed by the system, out of memory"
    )
    monkeypatch.setattr(evaluations, "borrowed_sandbox", lambda _: borrowed(killed))
    with pytest.raises(MachineError, match=r"^quake, .*: an evaluation ended .*run the same again"):
        evaluator(configuration)
    assert len(evaluator.store) == 0
    used = Reply(status=Status.CRASHED, seconds=0.9, reason="killed by signal 27 (SIGPROF)")
    monkeypatch.setattr(evaluations, "borrowed_sandbox", lambda _: borrowed(used))
    assert evaluator(configuration).reason == "used more than 0.2 s of the processor"
    assert evaluator(configuration).status is Status.TIMEOUT
    assert len(evaluator.store) == 1


def test_a_run_that_the_machine_ends_is_one_line_and_leaves_no_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = Reply(status=Status.CRASHED, seconds=1.0, reason="killed by signal 9 (SIGKILL)")
    monkeypatch.setattr(evaluations, "borrowed_sandbox", lambda _: borrowed(killed))
    settings = StudySettings(
        n_trials=2, preset="fast", max_rows=240, limits=LIMITS, cache=tmp_path / "cache"
    )
    key = StudyKey(dataset="quake", search="rs", seed=0)
    runs, _ = run_missing([key], tmp_path, settings, load)
    (ended,) = runs
    assert ended.failure.startswith("quake, ")
    assert len(ended.failure.splitlines()) == 1
    assert list(tmp_path.glob("runs/**/*.csv")) == []


def test_a_table_is_built_on_and_what_it_still_lacks_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    killed = Reply(status=Status.CRASHED, seconds=1.0, reason="killed by signal 9 (SIGKILL)")
    monkeypatch.setattr(evaluations, "borrowed_sandbox", lambda _: borrowed(killed))
    settings = StudySettings(
        preset="fast", max_rows=240, table_size=3, limits=LIMITS, cache=tmp_path / "cache"
    )
    parts, _ = build_tables(["quake"], settings, load)
    (part,) = parts
    assert len(part.failures) == 3
    assert all(failure.startswith("quake, ") for failure in part.failures)
    assert build_tables(["quake"], settings, load)[1] == 3  # nothing was stored


def test_a_cache_may_be_relative_to_where_the_study_is_run(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    task = load("quake")
    limits = EvaluationLimits(cpu_seconds=30.0)
    evaluator = StudyEvaluator(task, task.search_space, Path("cache"), limits)
    assert evaluator(task.search_space.defaults[0]).status is Status.SUCCESS
    assert evaluator.folder.parent == tmp_path / "cache"
    close_sandboxes()
