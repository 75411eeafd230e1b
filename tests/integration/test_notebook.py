"""A fit in the kernel of a notebook."""

from __future__ import annotations

import time
from collections.abc import Iterator
from typing import Any

import pytest
from jupyter_client.manager import KernelManager

pytestmark = pytest.mark.slow

_FIT = """
import warnings
from sklearn.datasets import load_iris
from sklearn.metrics import accuracy_score, make_scorer
from automl import AutoClassifier

X, y = load_iris(return_X_y=True)
def hits(a, b):
    return accuracy_score(a, b)
clf = AutoClassifier({limits}, n_jobs=2, search_space="fast", random_state=0,
                     scoring=make_scorer(hits), callbacks=[lambda *_: print("trial", flush=True)])
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    clf.fit(X, y)
print("score", clf.score(X, y) > 0.9, "interrupted", clf.was_interrupted_,
      any("interrupted" in str(w.message) for w in caught))
"""


@pytest.fixture
def kernel() -> Iterator[Any]:
    manager = KernelManager(kernel_name="python3")
    manager.start_kernel()
    client = manager.client()
    client.start_channels()
    client.wait_for_ready(timeout=60)
    yield manager, client
    client.stop_channels()
    manager.shutdown_kernel(now=True)


def _printed(client: Any, until: str, seconds: float = 60.0) -> str:
    """Return what a cell printed up to some text."""
    text, deadline = "", time.monotonic() + seconds
    while until not in text:
        message = client.get_iopub_msg(timeout=max(0.0, deadline - time.monotonic()))
        text += str(message["content"].get("text", ""))
        assert message["msg_type"] != "error", message["content"]
    return text


def test_a_cell_fits_with_its_own_metric_and_two_workers(kernel: Any) -> None:
    # Q03
    _, client = kernel
    client.execute(_FIT.format(limits="time_limit=None, n_trials=3"))
    printed = _printed(client, "interrupted")
    assert "score True" in printed
    assert printed.count("trial") == 3


def test_interrupting_a_cell_returns_what_was_found_and_leaves_the_kernel_alive(
    kernel: Any,
) -> None:
    manager, client = kernel
    client.execute(_FIT.format(limits="time_limit=120"))
    _printed(client, "trial")
    started = time.monotonic()
    manager.interrupt_kernel()
    assert "interrupted True True" in _printed(client, "interrupted True")
    assert time.monotonic() - started < 60.0
    client.execute("print('alive', len(clf.ensemble_.members) > 0)")
    assert "alive True" in _printed(client, "alive True")
