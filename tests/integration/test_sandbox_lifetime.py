"""Where a sandbox can be used, and that its processes end when they should, not before."""

from __future__ import annotations

import gc
import multiprocessing
import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from pathlib import Path

import psutil
import pytest
from fakes import hostile, learning
from fakes.sandboxed import (
    Runner,
    answer_in_a_sandbox,
    is_running,
    supervisors,
    wait_until,
)

from automl.errors import SandboxError
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.sandbox import Sandbox
from automl.trial import Status

pytestmark = [
    pytest.mark.own_sandboxes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system"),
]

SCRIPT = """
import os, sys, time, cloudpickle
from functools import partial
from pathlib import Path
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.framing import Payload
from automl.evaluation.sandbox import Sandbox
from fakes import hostile
sandbox = Sandbox(SandboxSettings())
def run(call):
    return sandbox.run(cloudpickle.dumps(call), CallLimits())
"""


def start_script(folder: Path, text: str) -> subprocess.Popen[str]:
    """Start a script that has no main guard, from its own folder."""
    script = folder / "script.py"
    script.write_text(SCRIPT + text)
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(sys.path)}
    return subprocess.Popen(
        [sys.executable, script.name],
        cwd=folder,
        env=environment,
        stdout=subprocess.PIPE,
        text=True,
    )


def output(folder: Path, text: str) -> list[str]:
    with start_script(folder, text) as process:
        words = process.communicate(timeout=60)[0].split()
        assert process.returncode == 0
    return words


def pids_in(path: Path) -> list[int]:
    assert wait_until(path.exists, 60.0)
    return [int(pid) for pid in path.read_text().split()]


# Where it works


def test_works_in_a_thread_and_outlives_it() -> None:
    with Sandbox(SandboxSettings()) as sandbox:
        pids = []

        def call() -> None:
            pids.append(Runner(sandbox)(hostile.answer).header["supervisor"])

        for _ in range(2):
            thread = threading.Thread(target=call)
            thread.start()
            thread.join()
            time.sleep(0.1)
        assert pids[0] == pids[1]


def test_four_threads_with_four_sandboxes_run_twenty_calls() -> None:
    def five_calls(number: int) -> list[float]:
        with Sandbox(SandboxSettings()) as sandbox:
            calls = [partial(hostile.sleep, 0.001 * (5 * number + call)) for call in range(5)]
            return [Runner(sandbox)(call).header["slept"] for call in calls]

    with ThreadPoolExecutor(4) as threads:
        slept = [value for values in threads.map(five_calls, range(4)) for value in values]
    assert slept == pytest.approx([0.001 * number for number in range(20)])
    assert supervisors() == []


def test_works_in_a_daemonic_process() -> None:
    context = multiprocessing.get_context("spawn")
    with context.Pool(1) as pool:  # workers of a pool are daemonic
        assert pool.apply(answer_in_a_sandbox).status is Status.SUCCESS


@pytest.fixture(scope="module")
def words(tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    """Run a script that calls its own function, with a module beside it, and ends."""
    folder = tmp_path_factory.mktemp("script")
    (folder / "beside.py").write_text("value = 41\n")
    text = """
import beside
def here():
    import beside
    return Payload(header={"value": beside.value + 1, "pid": os.getppid(), "cwd": os.getcwd()})
header = run(here).header
print(header["value"], header["pid"], header["cwd"])
"""
    return output(folder, text)


def test_works_in_a_script_without_a_main_guard(words: list[str]) -> None:
    assert words[0] == "42"


def test_supervisor_ends_with_the_interpreter(words: list[str]) -> None:
    assert not is_running(int(words[1]))


def test_private_folder_is_removed_in_the_end(words: list[str]) -> None:
    assert not Path(words[2]).parent.exists()


def test_a_process_forked_from_the_owner_gets_a_supervisor_of_its_own(tmp_path: Path) -> None:
    text = """
mine = run(hostile.answer).header["supervisor"]
sys.stdout.flush()
child = os.fork()
print(run(hostile.answer).header["supervisor"], flush=True)
if child == 0:
    sandbox.close()
    os._exit(0)
os.waitpid(child, 0)
print(mine, run(hostile.answer).header["supervisor"])
"""
    *words, before, after = output(tmp_path, text)
    assert before == after
    assert before in words
    assert len(set(words)) == 2


def test_works_in_a_process_that_does_not_wait_for_its_children(tmp_path: Path) -> None:
    text = """
import signal
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
print(run(hostile.kill_itself).reason)
"""
    assert " ".join(output(tmp_path, text)) == "killed by signal 9 (SIGKILL)"


def test_elsewhere_it_says_so_when_it_is_used(monkeypatch: pytest.MonkeyPatch) -> None:
    sandbox = Sandbox(SandboxSettings())
    monkeypatch.delattr(os, "fork")
    with pytest.raises(SandboxError, match="POSIX"):
        sandbox.run(b"", CallLimits())


@pytest.mark.parametrize("n_threads", [1, 2])
def test_libraries_with_threads_of_their_own_work_after_the_fork(n_threads: int) -> None:
    settings = SandboxSettings(preload=("fakes.learning",), n_threads=n_threads)
    with Sandbox(settings) as sandbox:
        run = Runner(sandbox)
        for _ in range(2):
            assert run(partial(learning.fit_lightgbm, n_threads)).header == {"trees": 5}
            assert run(learning.fit_histogram_boosting).header == {"trees": 5}
            assert run(learning.multiply).header["error"] < 1e-9
        threads = run(learning.threads).header
    assert threads == {"allowed": [["blas", n_threads], ["openmp", n_threads]], "supervisor": 1}


# When it ends


def test_killing_the_owner_leaves_nothing(tmp_path: Path) -> None:
    text = "run(partial(hostile.fork_bomb, Path('pids').absolute(), 30))"
    with start_script(tmp_path, text) as process:
        pids = pids_in(tmp_path / "pids")
        folder = psutil.Process(pids[0]).cwd()
        assert all(map(is_running, pids))
        process.kill()
    assert wait_until(lambda: not any(map(is_running, pids)))
    assert wait_until(lambda: not Path(folder).parent.exists())


def test_killing_the_owner_ends_an_idle_supervisor(tmp_path: Path) -> None:
    text = """
pid = run(hostile.answer).header["supervisor"]
# A process that holds copies of all pipes and lives on, as those of a pool may do.
heir = os.fork()
if heir == 0:
    time.sleep(30)
    os._exit(0)
Path("new").write_text(f"{pid} {heir}")
os.rename("new", "pids")
time.sleep(30)
"""
    with start_script(tmp_path, text) as process:
        supervisor, heir = pids_in(tmp_path / "pids")
        process.kill()
        process.wait()
        assert wait_until(lambda: not is_running(supervisor))
        assert is_running(heir)
        psutil.Process(heir).kill()


def test_supervisor_ends_when_the_sandbox_is_forgotten() -> None:
    sandbox = Sandbox(SandboxSettings())
    Runner(sandbox)(hostile.answer)
    assert len(supervisors()) == 1
    del sandbox
    gc.collect()
    assert supervisors() == []


def test_closed_sandbox_can_be_closed_again_and_used_again() -> None:
    sandbox = Sandbox(SandboxSettings())
    sandbox.close()
    for _ in range(2):
        assert Runner(sandbox)(hostile.answer).status is Status.SUCCESS
        sandbox.close()
        sandbox.close()
        assert supervisors() == []


def test_starting_returns_at_once_and_closing_does_not_wait_for_imports() -> None:
    started = time.monotonic()
    sandbox = Sandbox(SandboxSettings(preload=("sklearn.ensemble",)))
    sandbox.start()
    sandbox.start()
    assert len(supervisors()) == 1
    sandbox.close()
    assert time.monotonic() - started < 0.5
    assert supervisors() == []


def test_idle_supervisor_ends_itself_and_is_replaced() -> None:
    with Sandbox(SandboxSettings(idle_seconds=0.1)) as sandbox:
        first = Runner(sandbox)(hostile.answer).header["supervisor"]
        assert wait_until(lambda: not is_running(first))
        assert Runner(sandbox)(hostile.answer).header["supervisor"] != first


# How it starts


@pytest.fixture
def module(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Callable[[str], SandboxSettings]:
    """Write a module to preload; return the settings that do."""
    monkeypatch.syspath_prepend(tmp_path)

    def write(text: str) -> SandboxSettings:
        (tmp_path / "preloaded.py").write_text(text)
        return SandboxSettings(preload=("preloaded",), startup_seconds=20.0)

    return write


def test_what_cannot_be_imported_is_noted_once(module: Callable[[str], SandboxSettings]) -> None:
    with Sandbox(module("raise SystemExit('no such GPU')")) as sandbox:
        replies = [Runner(sandbox)(hostile.answer) for _ in range(2)]
    assert replies[0].notes == ("cannot import preloaded: SystemExit: no such GPU",)
    assert replies[1].notes == ()


def test_what_modules_print_does_no_harm(module: Callable[[str], SandboxSettings]) -> None:
    text = "import os, sys; print('noise', flush=True); os.write(1, b'x' * 10**6); sys.stdin.read()"
    with Sandbox(module(text)) as sandbox:
        assert Runner(sandbox)(hostile.answer).notes == ()


def test_end_of_the_supervisor_while_it_imports_is_an_error(
    module: Callable[[str], SandboxSettings],
) -> None:
    with Sandbox(module("import ctypes; ctypes.string_at(0)")) as sandbox:
        with pytest.raises(SandboxError, match=r"(?s)Segmentation fault.*preloaded\.py"):
            sandbox.run(b"", CallLimits())
        assert supervisors() == []
        module("")
        assert Runner(sandbox)(hostile.answer).status is Status.SUCCESS


def test_a_supervisor_that_is_killed_while_it_imports_is_replaced(
    module: Callable[[str], SandboxSettings], tmp_path: Path
) -> None:
    mark = tmp_path / "killed"
    text = f"""
import os, pathlib, signal
mark = pathlib.Path({str(mark)!r})
if not mark.exists():
    mark.touch()
    os.kill(os.getpid(), signal.SIGKILL)
"""
    with Sandbox(module(text)) as sandbox:
        assert Runner(sandbox)(hostile.answer).status is Status.SUCCESS
    assert mark.exists()


def test_a_supervisor_that_is_killed_again_and_again_is_an_error(
    module: Callable[[str], SandboxSettings],
) -> None:
    with (
        Sandbox(module("import os; os.kill(os.getpid(), 9)")) as sandbox,
        pytest.raises(SandboxError, match="ended while importing"),
    ):
        sandbox.run(b"", CallLimits())
    assert supervisors() == []


def test_time_that_ends_before_the_supervisor_is_ready_is_the_end_of_the_call(
    module: Callable[[str], SandboxSettings],
) -> None:
    with Sandbox(module("import time; time.sleep(30)")) as sandbox:
        started = time.monotonic()
        reply = sandbox.run(b"", CallLimits(seconds_left=0.3))
        assert time.monotonic() - started < 5.0
    assert reply.status is Status.CANCELLED
    assert "no time left" in reply.reason
    assert supervisors() == []


def test_import_that_hangs_is_an_error(module: Callable[[str], SandboxSettings]) -> None:
    module("import time; time.sleep(30)")
    with Sandbox(SandboxSettings(preload=("preloaded",), startup_seconds=1.0)) as sandbox:
        with pytest.raises(SandboxError, match=r"took more than 1\.0 s"):
            sandbox.run(b"", CallLimits())
        assert supervisors() == []


def test_call_can_be_cancelled_while_the_supervisor_starts(
    module: Callable[[str], SandboxSettings],
) -> None:
    cancelled = threading.Event()
    timer = threading.Timer(0.1, cancelled.set)
    timer.start()
    started = time.monotonic()
    with Sandbox(module("import time; time.sleep(30)")) as sandbox:
        reply = Runner(sandbox)(hostile.answer, cancelled=cancelled)
    assert reply.status is Status.CANCELLED
    assert time.monotonic() - started < 2.0
    timer.join()


def test_missing_interpreter_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sys, "executable", "/no/such/python")
    with pytest.raises(SandboxError, match="/no/such/python"):
        Sandbox(SandboxSettings()).start()


def test_settings_without_a_thread_are_refused() -> None:
    with pytest.raises(ValueError, match="n_threads is 0"):
        SandboxSettings(n_threads=0)
