"""What a sandbox hands back, and that nothing of a call outlives it."""

from __future__ import annotations

import os
import threading
import time
from collections.abc import Iterator
from functools import partial
from pathlib import Path

import numpy as np
import psutil
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


def test_reply_carries_header_and_seconds(run: Runner) -> None:
    reply = run(partial(hostile.sleep, 0.1))
    assert reply.status is Status.SUCCESS
    assert reply.header == {"slept": 0.1}
    assert 0.1 <= reply.seconds < 0.5
    assert (reply.reason, reply.traceback, reply.notes) == ("", "", ())


def test_call_runs_in_a_process_of_its_own(run: Runner) -> None:
    pids = {run(hostile.answer).header["pid"] for _ in range(3)}
    assert len(pids) == 3
    assert os.getpid() not in pids


def test_a_function_defined_on_the_spot_runs(run: Runner) -> None:
    offset = 40
    assert run(lambda: Payload(header={"sum": offset + 2})).header == {"sum": 42}


def test_blobs_of_any_length_arrive_in_order_and_aligned(run: Runner) -> None:
    lengths = (0, 1, 15, 16, 17, 0, 3_000_001)
    blobs = run(partial(hostile.return_bytes, *lengths)).blobs
    assert [len(blob) for blob in blobs] == list(lengths)
    for number, blob in enumerate(blobs):
        assert set(bytes(blob)) <= {number + 1}
        assert np.frombuffer(blob, np.uint8).ctypes.data % 16 == 0 or not blob


def test_arrays_are_blobs(run: Runner) -> None:
    array = np.random.default_rng(0).normal(size=(50, 3))
    blobs = run(lambda: Payload(header={}, blobs=(array.data, array[:0].data))).blobs
    np.testing.assert_array_equal(np.frombuffer(blobs[0]).reshape(50, 3), array)
    assert len(blobs[1]) == 0


def test_two_hundred_megabytes_are_returned(run: Runner) -> None:
    blob = run(partial(hostile.return_bytes, 200 * 2**20)).blobs[0]
    assert len(blob) == 200 * 2**20
    assert np.frombuffer(blob, np.uint64).min() == np.frombuffer(blob, np.uint64).max()


def test_infinite_and_missing_numbers_pass_in_the_header(run: Runner) -> None:
    header = run(lambda: Payload(header={"a": float("inf"), "b": [float("nan")]})).header
    assert header["a"] == float("inf")
    assert np.isnan(header["b"][0])


def test_memory_above_the_start_is_reported(run: Runner) -> None:
    blob = 60 * 2**20
    assert 60 <= run(partial(hostile.return_bytes, blob)).memory_mib < 70
    assert run(hostile.answer).memory_mib < 5


def test_overhead_of_a_short_call_is_small(run: Runner) -> None:
    seconds = []
    for _ in range(10):
        started = time.perf_counter()
        run(partial(hostile.sleep, 0.02))
        seconds.append(time.perf_counter() - started)
    assert np.median(seconds) < 0.15  # alone on a machine 0.03; generous for one that is busy


# Nothing leaks


def test_forked_processes_end_with_a_call_that_succeeds(run: Runner) -> None:
    reply = run(hostile.fork_bomb)
    assert reply.status is Status.SUCCESS
    assert len(reply.header["pids"]) == 4
    assert not any(map(is_running, reply.header["pids"]))


def test_forked_processes_end_with_a_call_that_is_ended(run: Runner, tmp_path: Path) -> None:
    reply = run(partial(hostile.fork_bomb, tmp_path / "pids", hostile.SECONDS), seconds=0.5)
    assert reply.status is Status.TIMEOUT
    child, _, *forked = (int(pid) for pid in (tmp_path / "pids").read_text().split())
    assert not any(map(is_running, [child, *forked]))


def test_noise_goes_nowhere(run: Runner, capfd: pytest.CaptureFixture[str]) -> None:
    assert run(hostile.make_noise).status is Status.SUCCESS
    assert capfd.readouterr() == ("", "")


def test_there_is_no_input(run: Runner) -> None:
    assert run(hostile.read_input).header == {"input": ""}


def test_files_of_a_call_are_removed(run: Runner) -> None:
    here = set(Path.cwd().iterdir())
    files = [Path(file) for file in run(hostile.leave_files).header["files"]]
    assert len({file.parent for file in files}) == 1
    assert not any(file.exists() or file.parent.exists() for file in files)
    assert set(Path.cwd().iterdir()) == here


def test_surroundings_are_the_same_for_each_call(run: Runner) -> None:
    before = run(hostile.change_surroundings).header
    after = run(hostile.surroundings).header
    assert after == before
    assert after == {
        "environment": None,
        "folder_is_empty": True,
        "has_path": False,
        "ignores_sigterm": False,
        "umask": before["umask"],
    }
    assert before["umask"] != 0o777


def test_global_state_does_not_pass_from_call_to_call(run: Runner) -> None:
    assert [run(hostile.count).header["counter"] for _ in range(3)] == [1, 1, 1]


def test_thread_left_running_does_not_delay_the_reply(run: Runner) -> None:
    assert run(hostile.leave_thread_running).seconds < 1.0


def test_files_and_processes_do_not_pile_up(run: Runner) -> None:
    def open_files() -> dict[str, int]:
        own = len(list(Path("/proc/self/fd").iterdir()))
        return {**run(hostile.open_files).header, "parent": own}

    before = open_files()
    for _ in range(17):
        run(hostile.answer)
        run(hostile.kill_itself)
        run(partial(hostile.exit_quietly, 0))
    assert open_files() == before
    assert before["own"] <= 6


def test_signals_of_the_terminal_do_not_reach_the_supervisor(run: Runner) -> None:
    supervisor = run(hostile.answer).header["supervisor"]
    assert os.getsid(supervisor) != os.getsid(0)
    assert os.getpgid(supervisor) != os.getpgid(0)


def test_supervisor_has_no_threads(run: Runner) -> None:
    supervisor = psutil.Process(run(hostile.answer).header["supervisor"])
    assert supervisor.num_threads() == 1


def test_environment_of_this_process_stays_as_it_is(run: Runner) -> None:
    before = dict(os.environ)
    run(hostile.answer)
    assert dict(os.environ) == before


def test_an_interrupt_of_the_caller_ends_the_call(run: Runner, tmp_path: Path) -> None:
    class Interrupting(threading.Event):
        def is_set(self) -> bool:  # type: ignore[explicit-override]
            if (tmp_path / "pids").exists():
                raise KeyboardInterrupt
            return False

    call = partial(hostile.fork_bomb, tmp_path / "pids", hostile.SECONDS)
    with pytest.raises(KeyboardInterrupt):
        run(call, cancelled=Interrupting())
    pids = [int(pid) for pid in (tmp_path / "pids").read_text().split()]
    assert wait_until(lambda: not any(map(is_running, pids)))
