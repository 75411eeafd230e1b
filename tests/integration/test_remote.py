"""A worker that cannot reach the folder of the table gets a copy."""

from __future__ import annotations

import math
import pickle
import threading
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import cloudpickle
import numpy as np
import pytest
from fakes.destinations import RETURNED

from automl.data.resampling import make_splits
from automl.data.table_store import TableHandle, save_table
from automl.evaluation.calls import CallLimits, SandboxSettings
from automl.evaluation.evaluator import EvaluationCall, PipelineSpec
from automl.evaluation.sandbox_pool import close_sandboxes
from automl.parallel.remote import Answer, RemoteRun, Request, answer_request
from automl.scoring import as_metric
from automl.trial import Status
from search_space.space import build_space
from search_space.task import TaskProperties


@pytest.fixture(autouse=True)
def _no_sandbox_is_left() -> Iterator[None]:
    yield
    close_sandboxes()


def request_for(folder: Path) -> Request:
    rng = np.random.default_rng(0)
    codes = np.arange(90) % 2
    X = rng.normal(size=(90, 2)) + 3.0 * codes[:, np.newaxis]
    splits = make_splits(3, codes, seed=0)
    handle = save_table(folder, X, codes, splits)
    task = TaskProperties(
        n_rows=60, n_classes=2, smallest_class=45, largest_class=45, numeric=(0, 1)
    )
    space = build_space(task, preset="fast", include=["gaussian_nb"])
    call = EvaluationCall(
        spec=PipelineSpec(
            configuration=dict(space.defaults[0]),
            components=space.components,
            task=task,
            seed=0,
            rescale_first=True,
        ),
        table=handle,
        metric=as_metric("accuracy", [0, 1]),
        models=RETURNED,
    )
    return Request(SandboxSettings(), cloudpickle.dumps(call), CallLimits(), handle)


def test_a_worker_without_the_folder_asks_for_the_files_once(tmp_path: Path) -> None:
    here = request_for(tmp_path / "here")
    near = answer_request(here)
    files = {path.name: path.read_bytes() for path in Path(here.table.path).iterdir()}
    elsewhere = TableHandle(str(tmp_path / "not" / "here"), here.table.fingerprint)
    call = cloudpickle.loads(here.call)
    moved = replace(here, call=cloudpickle.dumps(replace(call, table=elsewhere)), table=elsewhere)

    assert answer_request(moved) == Answer()
    sent = answer_request(replace(moved, files=files))
    again = answer_request(moved)

    for answer in (near, sent, again):
        assert answer.reply is not None
        assert answer.reply.status is Status.SUCCESS
        assert math.isfinite(float(answer.reply.header["loss"]))
    assert near.blobs[0] == sent.blobs[0] == again.blobs[0]
    assert pickle.loads(pickle.dumps(sent)).blobs == sent.blobs


def test_a_table_that_cannot_be_delivered_is_an_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    request = request_for(tmp_path)
    run = RemoteRun(None, request.settings, 2, request.table)
    monkeypatch.setattr(run, "_ask", lambda _: Answer())
    with pytest.raises(RuntimeError, match="asked twice"):
        run(request.call, request.limits, threading.Event())
