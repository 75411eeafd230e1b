"""What holds for every test."""

from __future__ import annotations

import signal
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from automl.evaluation.calls import SandboxSettings
from automl.evaluation.sandbox_pool import borrowed_sandbox, close_sandboxes
from automl.parallel.slots import Run


def pytest_configure() -> None:
    """Let tests be interrupted, even where the suite runs in the background of a shell script."""
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(autouse=True)
def _shared_sandboxes(
    request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch
) -> Iterator[None]:
    """Let one fit after another use the same supervisors, whose imports take a second each.

    A test that is about these processes themselves is marked `own_sandboxes`.
    """
    if request.node.get_closest_marker("own_sandboxes"):
        close_sandboxes()
        yield
        return
    monkeypatch.setattr("automl.parallel.slots._local_run", _borrowed_run)
    yield


@contextmanager
def _borrowed_run(settings: SandboxSettings) -> Iterator[Run]:
    with borrowed_sandbox(settings) as sandbox:
        sandbox.start()
        yield sandbox.run
