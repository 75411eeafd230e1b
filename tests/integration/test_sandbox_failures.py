"""However a call fails, the reply says what it was, and the sandbox can run the next call."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from fakes import hostile
from fakes.sandboxed import Runner, is_running, leftovers, supervisors, wait_until

from automl.evaluation.calls import SandboxSettings
from automl.evaluation.framing import Payload
from automl.evaluation.sandbox import Sandbox
from automl.trial import Status

pytestmark = [
    pytest.mark.own_sandboxes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system"),
]


@pytest.fixture(scope="module")
def sandbox() -> Iterator[Sandbox]:
    with Sandbox(SandboxSettings(preload=("fakes.hostile",))) as sandbox:
        yield sandbox
    assert supervisors() == []


@pytest.fixture
def run(sandbox: Sandbox) -> Iterator[Runner]:
    runner = Runner(sandbox)
    yield runner
    assert runner(hostile.answer).header["answer"] == 42  # still works, whatever happened
    assert leftovers() == []


# Failures inside Python


def test_error_becomes_a_reply_with_reason_and_traceback(run: Runner) -> None:
    reply = run(partial(hostile.raise_error, ValueError("boom\nand more")))
    assert reply.status is Status.CRASHED
    assert reply.reason == "ValueError: boom and more"
    assert "raise_error" in reply.traceback
    assert "_answer" not in reply.traceback


@pytest.mark.parametrize("error", [SystemExit(0), KeyboardInterrupt(), GeneratorExit()])
def test_errors_that_end_a_process_are_crashes(run: Runner, error: BaseException) -> None:
    reply = run(partial(hostile.raise_error, error))
    assert reply.status is Status.CRASHED
    assert reply.reason.startswith(type(error).__name__)


def test_unprintable_error_is_named(run: Runner) -> None:
    assert run(hostile.raise_unprintable).reason.startswith("UnprintableError: ")


def test_endless_error_text_is_cut(run: Runner) -> None:
    reply = run(partial(hostile.raise_error, ValueError("x" * 10**7)))
    assert len(reply.reason) <= 500
    assert len(reply.traceback) <= 20_000


def test_memory_error_is_out_of_memory(run: Runner) -> None:
    reply = run(hostile.ask_for_the_impossible)
    assert reply.status is Status.OUT_OF_MEMORY
    assert reply.reason.startswith("MemoryError")


def test_returning_no_payload_is_a_crash(run: Runner) -> None:
    reply = run(hostile.return_something_else)
    assert reply.status is Status.CRASHED
    assert "list instead of a Payload" in reply.reason


def test_header_that_is_no_json_is_a_crash(run: Runner) -> None:
    reply = run(hostile.return_unreadable_header)
    assert reply.status is Status.CRASHED
    assert "not JSON serializable" in reply.reason


def test_array_that_is_not_contiguous_is_a_crash(run: Runner) -> None:
    reply = run(lambda: Payload(header={}, blobs=(np.eye(4)[:, :2].data,)))
    assert reply.status is Status.CRASHED
    assert "contiguous" in reply.reason


def test_garbage_instead_of_a_pickle_is_a_crash(run: Runner) -> None:
    reply = run(b"garbage")
    assert reply.status is Status.CRASHED
    assert "Unpickling" in reply.reason


def test_call_of_a_module_that_is_missing_here_is_a_crash(run: Runner) -> None:
    call = b"cno_such_module\nfunction\n."
    reply = run(call)
    assert reply.status is Status.CRASHED
    assert reply.reason == "ModuleNotFoundError: No module named 'no_such_module'"


def test_call_that_ends_the_process_when_unpickled_is_a_crash(run: Runner) -> None:
    call = cloudpickle.dumps(hostile.FailsToUnpickle(os._exit, 7))
    assert run(call).reason == "ended with exit code 7 and no reply"


# Failures of the process


def test_segmentation_fault_says_where(run: Runner) -> None:
    reply = run(hostile.segfault)
    assert reply.status is Status.CRASHED
    assert reply.reason == "killed by signal 11 (SIGSEGV)"
    assert "in segfault" in reply.traceback


def test_killing_itself_is_a_crash(run: Runner) -> None:
    reply = run(hostile.kill_itself)
    assert (reply.status, reply.reason) == (Status.CRASHED, "killed by signal 9 (SIGKILL)")


def test_leaving_without_a_reply_is_a_crash_with_the_last_words(run: Runner) -> None:
    reply = run(partial(hostile.exit_quietly, 0))
    assert (reply.status, reply.reason) == (
        Status.CRASHED,
        "ended with exit code 0 and no reply",
    )
    assert reply.traceback == "last words\n"


def test_heirs_that_hold_the_pipe_open_do_not_delay_the_crash(run: Runner) -> None:
    reply = run(hostile.exit_and_leave_heirs)
    assert reply.reason == "ended with exit code 3 and no reply"
    assert reply.seconds < 2.0


def test_closing_the_pipe_is_a_crash(run: Runner) -> None:
    reply = run(hostile.close_pipes)
    assert (reply.status, reply.reason) == (Status.CRASHED, "closed its pipe without a reply")


def test_garbage_on_the_pipe_is_a_crash(run: Runner) -> None:
    reply = run(hostile.write_garbage)
    assert reply.status is Status.CRASHED
    assert reply.reason.startswith("sent a malformed reply")


def test_killing_the_supervisor_is_a_crash_and_leaves_nothing(run: Runner, tmp_path: Path) -> None:
    reply = run(partial(hostile.kill_supervisor, tmp_path / "pids"))
    assert reply.status is Status.CRASHED
    assert reply.reason == "supervisor killed by signal 9 (SIGKILL)"
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert len(pids) == 6
    assert wait_until(lambda: not any(map(is_running, pids)))


def test_stopping_the_supervisor_does_not_stop_the_clock(run: Runner) -> None:
    started = time.monotonic()
    reply = run(hostile.stop_supervisor, seconds=0.2)
    assert reply.status is Status.TIMEOUT
    assert time.monotonic() - started < 5.0


# Limits


@pytest.mark.parametrize(
    "call",
    [hostile.sleep, hostile.ignore_everything, hostile.stop_itself],
    ids=lambda call: str(call.__name__),
)
def test_call_that_takes_too_long_is_ended(run: Runner, call: Callable[[], Payload]) -> None:
    started = time.monotonic()
    reply = run(call, seconds=0.3)
    assert reply.status is Status.TIMEOUT
    assert reply.reason == "ran longer than 0.3 s"
    assert 0.3 <= reply.seconds < 1.0
    assert time.monotonic() - started < 2.0


def test_allocating_without_end_is_out_of_memory(run: Runner) -> None:
    reply = run(hostile.allocate, mib=200)
    assert reply.status is Status.OUT_OF_MEMORY
    assert reply.reason == "used more than 200 MiB"
    assert 200 < reply.memory_mib < 600


def test_memory_of_forked_processes_counts(run: Runner) -> None:
    reply = run(hostile.allocate_in_grandchild, mib=200)
    assert reply.status is Status.OUT_OF_MEMORY


def test_pages_that_forked_processes_share_count_once(run: Runner) -> None:
    reply = run(partial(hostile.share_with_grandchildren, 100, 4), mib=250)
    assert reply.status is Status.SUCCESS
    assert 100 <= reply.memory_mib < 150


def test_limit_below_the_size_of_the_imports_is_no_obstacle(run: Runner) -> None:
    assert run(hostile.answer, mib=8).status is Status.SUCCESS


def test_reply_larger_than_the_memory_limit_is_refused(run: Runner) -> None:
    # A memory map costs no memory, but its copy in the parent would.
    def call() -> Payload:
        Path("zeros").touch()
        os.truncate("zeros", 64 * 2**20)
        return Payload(header={}, blobs=(np.memmap("zeros", mode="r").data,))

    assert run(call, mib=100).status is Status.SUCCESS
    reply = run(call, mib=30)
    assert reply.status is Status.OUT_OF_MEMORY
    assert reply.blobs == ()


def test_cancelling_ends_the_call(run: Runner) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.2, cancelled.set)
    timer.start()
    started = time.monotonic()
    reply = run(hostile.ignore_everything, seconds=None, cancelled=cancelled)
    assert (reply.status, reply.reason) == (Status.CANCELLED, "cancelled")
    assert time.monotonic() - started < 2.0
    timer.join()


def test_call_cancelled_beforehand_does_not_start(run: Runner) -> None:
    cancelled = threading.Event()
    cancelled.set()
    assert run(hostile.sleep, cancelled=cancelled).status is Status.CANCELLED


def test_cancelling_works_with_a_supervisor_that_is_stopped(run: Runner) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.2, cancelled.set)
    timer.start()
    reply = run(hostile.stop_supervisor, seconds=None, cancelled=cancelled)
    assert reply.status is Status.CANCELLED
    timer.join()
