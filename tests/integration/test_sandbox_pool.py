"""Sandboxes are lent to one borrower at a time and kept for the next."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator

import pytest
from fakes import hostile
from fakes.sandboxed import Runner, supervisors

from automl.evaluation.calls import SandboxSettings
from automl.evaluation.sandbox_pool import borrowed_sandbox, close_sandboxes

pytestmark = [
    pytest.mark.own_sandboxes,
    pytest.mark.skipif(not hasattr(os, "fork"), reason="needs a POSIX system"),
]

SETTINGS = SandboxSettings()


@pytest.fixture(autouse=True)
def _empty_pool() -> Iterator[None]:
    close_sandboxes()
    yield
    close_sandboxes()
    assert supervisors() == []


def test_next_borrower_gets_the_same_supervisor() -> None:
    pids = []
    for _ in range(2):
        with borrowed_sandbox(SandboxSettings()) as sandbox:
            pids.append(Runner(sandbox)(hostile.answer).header["supervisor"])
    assert pids[0] == pids[1]


def test_two_borrowers_at_a_time_get_two() -> None:
    with borrowed_sandbox(SETTINGS) as first, borrowed_sandbox(SETTINGS) as second:
        assert first is not second
    with borrowed_sandbox(SETTINGS) as third:
        assert third is first or third is second


def test_other_settings_get_another() -> None:
    with borrowed_sandbox(SETTINGS) as first:
        pass
    with borrowed_sandbox(SandboxSettings(n_threads=2)) as second:
        assert first is not second


def test_sandbox_comes_back_after_an_error() -> None:
    with pytest.raises(ZeroDivisionError), borrowed_sandbox(SETTINGS) as first:
        raise ZeroDivisionError
    with borrowed_sandbox(SETTINGS) as second:
        assert first is second


def test_closing_ends_the_idle_ones_only() -> None:
    with borrowed_sandbox(SETTINGS) as idle:
        Runner(idle)(hostile.answer)
        with borrowed_sandbox(SETTINGS) as busy:
            pid = Runner(busy)(hostile.answer).header["supervisor"]
            assert len(supervisors()) == 2
        close_sandboxes()
        assert [process.pid for process in supervisors()] != [pid]
        assert len(supervisors()) == 1


def test_threads_never_share() -> None:
    owners: dict[int, int] = {}
    clashes = []
    barrier = threading.Barrier(4)

    def borrow() -> None:
        barrier.wait()
        for _ in range(200):
            with borrowed_sandbox(SETTINGS) as sandbox:
                if owners.setdefault(id(sandbox), threading.get_ident()) != threading.get_ident():
                    clashes.append(sandbox)
                owners.pop(id(sandbox))

    threads = [threading.Thread(target=borrow) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert clashes == []


@pytest.mark.filterwarnings("ignore:.*fork:DeprecationWarning")  # there may be threads
def test_forked_process_does_not_take_what_is_on_the_shelf() -> None:
    with borrowed_sandbox(SETTINGS) as sandbox:
        mine = id(sandbox)
    child = os.fork()
    if child == 0:
        with borrowed_sandbox(SETTINGS) as sandbox:
            os._exit(int(id(sandbox) == mine))
    assert os.waitpid(child, 0)[1] == 0
    with borrowed_sandbox(SETTINGS) as sandbox:
        assert id(sandbox) == mine
