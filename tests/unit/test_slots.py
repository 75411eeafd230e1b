"""Worker slots with real threads; the calls are functions of the test."""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import joblib
import pytest
from fakes.slots import PATIENCE, Gates, Places, answer, opens

from automl.data.table_store import TableHandle
from automl.errors import SandboxError
from automl.evaluation.calls import CallLimits, Reply, SandboxSettings
from automl.parallel.slots import Run, WorkerSlots, open_run, worker_count
from automl.trial import Status

NO_LIMITS = CallLimits()
NOWHERE = TableHandle("nowhere", "none")


def slot_threads() -> list[threading.Thread]:
    return [thread for thread in threading.enumerate() if thread.name.startswith("automl-slot")]


@pytest.fixture(autouse=True)
def no_thread_is_left() -> Iterator[None]:
    before = set(slot_threads())
    yield
    assert set(slot_threads()) <= before


def collect_all(slots: WorkerSlots) -> list[tuple[int, Reply]]:
    found = []
    while slots.n_running:
        found += slots.collect(PATIENCE)
    return found


def test_every_call_comes_back_with_its_key_and_its_limits() -> None:
    gates = Gates(b"a", b"b")
    limits = {
        b"a": CallLimits(timeout_seconds=3.0),
        b"b": CallLimits(timeout_seconds=5.0, memory_mib=100.0),
    }
    with WorkerSlots(opens(gates.run), 2) as slots:
        for key, (call, limit) in enumerate(limits.items()):
            gates.open(call)
            slots.submit(key, call, limit)
        replies = dict(collect_all(slots))
    assert {key: bytes(reply.blobs[0]) for key, reply in replies.items()} == {0: b"a", 1: b"b"}
    assert gates.limits == limits


def test_results_come_in_the_order_of_ending() -> None:
    gates = Gates(b"a", b"b", b"c")
    with WorkerSlots(opens(gates.run), 3) as slots:
        for key, call in enumerate((b"a", b"b", b"c")):
            slots.submit(key, call, NO_LIMITS)
        order = []
        for call in (b"c", b"a", b"b"):
            gates.open(call)
            order += [key for key, _ in slots.collect(PATIENCE)]
    assert order == [2, 0, 1]


def test_calls_run_at_the_same_time_in_different_slots() -> None:
    gates = Gates(b"a", b"b")
    with WorkerSlots(opens(gates.run), 2) as slots:
        slots.submit(0, b"a", NO_LIMITS)
        slots.submit(1, b"b", NO_LIMITS)
        gates.wait_for_start(b"a", b"b")  # neither has ended
        assert slots.collect(0.0) == []


def test_everything_that_is_ready_is_collected_at_once() -> None:
    with WorkerSlots(opens(answer), 3) as slots:
        for key in range(3):
            slots.submit(key, b"", NO_LIMITS)
        time.sleep(0.2)
        keys = [key for key, _ in slots.collect(PATIENCE)]
    assert sorted(keys) == [0, 1, 2]


def test_slots_are_busy_until_their_results_are_collected() -> None:
    gates = Gates(b"a", b"b")
    with WorkerSlots(opens(gates.run), 2) as slots:
        assert (slots.all_busy, slots.n_running) == (False, 0)
        slots.submit(0, b"a", NO_LIMITS)
        assert (slots.all_busy, slots.n_running) == (False, 1)
        slots.submit(1, b"b", NO_LIMITS)
        assert (slots.all_busy, slots.n_running) == (True, 2)
        with pytest.raises(RuntimeError, match="all 2 worker slots are busy"):
            slots.submit(2, b"c", NO_LIMITS)
        gates.open(b"a")
        assert [key for key, _ in slots.collect(PATIENCE)] == [0]
        assert (slots.all_busy, slots.n_running) == (False, 1)


@pytest.mark.parametrize("seconds", [-1.0, 0.0, 0.05])
def test_collecting_in_vain_takes_as_long_as_allowed(seconds: float) -> None:
    gates = Gates(b"a")
    with WorkerSlots(opens(gates.run), 1) as slots:
        slots.submit(0, b"a", NO_LIMITS)
        started = time.monotonic()
        assert slots.collect(seconds) == []
        assert max(seconds, 0.0) <= time.monotonic() - started < max(seconds, 0.0) + 1.0
        assert slots.n_running == 1


def test_collecting_without_a_limit_waits_for_the_next_result() -> None:
    gates = Gates(b"a")
    with WorkerSlots(opens(gates.run), 1) as slots:
        slots.submit(0, b"a", NO_LIMITS)
        threading.Timer(0.05, gates.open, [b"a"]).start()
        ((key, reply),) = slots.collect(math.inf)
    assert (key, reply.status) == (0, Status.SUCCESS)


def test_an_error_outside_a_call_reaches_whoever_collects() -> None:
    def broken(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
        if call == b"bad":
            raise SandboxError("the supervisor cannot be started")
        return answer(call, limits, cancelled)

    with WorkerSlots(opens(broken), 1) as slots:
        slots.submit(0, b"bad", NO_LIMITS)
        with pytest.raises(SandboxError, match="cannot be started"):
            slots.collect(PATIENCE)
        assert slots.n_running == 0
        slots.submit(1, b"good", NO_LIMITS)  # the slot lives on
        assert [key for key, _ in slots.collect(PATIENCE)] == [1]


def test_a_slot_that_cannot_open_its_place_says_so_instead_of_waiting_for_ever() -> None:
    @contextmanager
    def closed() -> Iterator[Run]:
        raise SandboxError("this system cannot fork")
        yield

    with WorkerSlots(closed, 2) as slots:
        for key in range(2):
            slots.submit(key, b"", NO_LIMITS)
        for _ in range(2):
            with pytest.raises(SandboxError, match="cannot fork"):
                slots.collect(PATIENCE)


def test_after_resuming_calls_run_again() -> None:
    def run(call: bytes, limits: CallLimits, cancelled: threading.Event) -> Reply:
        if cancelled.is_set():
            return Reply(status=Status.CANCELLED, seconds=0.0)
        return answer(call, limits, cancelled)

    found = []
    with WorkerSlots(opens(run), 1) as slots:
        for switch in (slots.cancel, slots.resume):
            switch()
            slots.submit(0, b"a", NO_LIMITS)
            found += [reply.status for _, reply in collect_all(slots)]
    assert found == [Status.CANCELLED, Status.SUCCESS]


def test_cancelling_ends_what_runs_and_what_is_started_later() -> None:
    gates = Gates(b"a", b"b")
    with WorkerSlots(opens(gates.run), 1) as slots:
        slots.submit(0, b"a", NO_LIMITS)
        gates.wait_for_start(b"a")
        slots.cancel()
        ((_, reply),) = slots.collect(PATIENCE)
        assert reply.status is Status.CANCELLED
        slots.submit(1, b"b", NO_LIMITS)
        ((_, reply),) = slots.collect(PATIENCE)
        assert reply.status is Status.CANCELLED


def test_closing_ends_what_runs_and_every_thread() -> None:
    before = len(slot_threads())
    gates = Gates(b"a", b"b", b"c")
    slots = WorkerSlots(opens(gates.run), 3)
    assert len(slot_threads()) == before + 3
    for key, call in enumerate((b"a", b"b", b"c")):
        slots.submit(key, call, NO_LIMITS)
    gates.wait_for_start(b"a", b"b", b"c")
    slots.close()
    assert len(slot_threads()) == before
    assert [reply.status for _, reply in slots.collect(0.0)] == [Status.CANCELLED] * 3
    slots.close()  # a second time does no harm


def test_every_slot_opens_its_place_once_and_closes_it() -> None:
    places = Places()
    with WorkerSlots(places.open, 3) as slots:
        for key in range(20):
            if slots.all_busy:
                slots.collect(PATIENCE)
            slots.submit(key, b"", NO_LIMITS)
        collect_all(slots)
        assert places.n_closed == 0
    assert (places.n_opened, places.n_closed) == (3, 3)


def test_an_exception_in_the_body_closes_the_slots_too() -> None:
    gates = Gates(b"a")

    def interrupted() -> None:
        with WorkerSlots(opens(gates.run), 1) as slots:
            slots.submit(0, b"a", NO_LIMITS)
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        interrupted()
    assert slot_threads() == []


@pytest.mark.parametrize("backend", ["sequential", "threading", "loky", "multiprocessing"])
def test_backends_of_this_machine_need_no_worker_of_joblib(backend: str) -> None:
    with joblib.parallel_config(backend=backend):
        opened = open_run(SandboxSettings(), 2, NOWHERE)()
    assert type(opened).__name__ != "nullcontext"  # a sandbox of this process, not yet started


def test_another_backend_runs_the_calls_in_its_own_workers() -> None:
    class Elsewhere(joblib.parallel.ThreadingBackend):  # type: ignore[misc]
        """A backend that is none of joblib's own for one machine."""

    joblib.register_parallel_backend("elsewhere", Elsewhere)
    settings = SandboxSettings()
    with joblib.parallel_config(backend="elsewhere"):
        opened = open_run(settings, 2, NOWHERE)()
    with opened as run:
        cancelled = threading.Event()
        cancelled.set()  # so that nothing is run: what is of interest is where it would be
        reply = run(b"", NO_LIMITS, cancelled)
    assert (reply.status, reply.reason) == (Status.CANCELLED, "the search was stopped")


@pytest.mark.parametrize(
    ("n_jobs", "n_cores", "expected"), [(3, 2, 3), (-1, 2, 2), (-2, 8, 7), (-9, 4, 1), (None, 4, 1)]
)
def test_negative_numbers_of_workers_count_from_the_cores_that_may_be_used(
    monkeypatch: pytest.MonkeyPatch, n_jobs: int | None, n_cores: int, expected: int
) -> None:
    monkeypatch.setattr("automl.parallel.slots.available_cores", lambda: n_cores)
    monkeypatch.setattr("joblib.parallel.cpu_count", lambda *_, **__: 16)
    monkeypatch.setattr("joblib._parallel_backends.cpu_count", lambda *_, **__: 16)
    assert worker_count(n_jobs) == expected


def test_workers_of_a_remote_backend_are_counted_by_the_backend(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr("automl.parallel.slots.available_cores", lambda: 1)
    monkeypatch.setattr("automl.parallel.slots.get_active_backend", lambda **_: (object(), 5))
    monkeypatch.setattr("joblib.effective_n_jobs", lambda _: 40)
    assert worker_count(-1) == 40
