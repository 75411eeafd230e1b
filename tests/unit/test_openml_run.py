"""Runs of OpenML: written without a network, read back, uploaded on request alone."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pytest
from fakes.openml_cache import write_dataset, write_task
from sklearn.tree import DecisionTreeClassifier

from automl import AutoClassifier
from automl.benchmark.bundled import load_bundled
from automl.benchmark.openml_data import OpenMLTask, TaskFold, load_task
from automl.benchmark.openml_labels import class_positions
from automl.benchmark.openml_run import TaskRun, publish, run_on_task, write_run
from automl.errors import InputError

openml = pytest.importorskip("openml")

DATA_ID, TASK_ID, FLOW_ID, RUN_ID = 31, 59, 11, 12
EVEN, ODD = np.arange(0, 120, 2), np.arange(1, 120, 2)
FOLDS = tuple(
    TaskFold(repeat=repeat, fold=fold, train=train, test=test)
    for repeat in (0, 1)
    for fold, (train, test) in enumerate([(ODD, EVEN), (EVEN, ODD)])
)


class FakeServer:
    """Answers as OpenML's server does, and keeps what it was sent."""

    def __init__(self) -> None:
        self.keys: list[str] = []
        self.sent: dict[str, dict[str, Any]] = {}

    def call(
        self, call: str, request_method: str, data: Any = None, file_elements: Any = None
    ) -> str:
        """Return the answer to a call."""
        self.keys.append(openml.config.apikey)
        if request_method == "get":
            description = str(self.sent["flow/"]["description"])
            return description.replace("<oml:name>", f"<oml:id>{FLOW_ID}</oml:id><oml:name>", 1)
        self.sent[call] = file_elements or data
        return {
            "flow/exists": "<oml:flow_exists><oml:id>-1</oml:id></oml:flow_exists>",
            "flow/": f"<oml:upload_flow><oml:id>{FLOW_ID}</oml:id></oml:upload_flow>",
            "run/": f"<oml:upload_run><oml:run_id>{RUN_ID}</oml:run_id></oml:upload_run>",
        }[call]


@pytest.fixture
def task(tmp_path: Path) -> OpenMLTask:
    X, y = load_bundled("credit-g")
    numbers = X.select_dtypes("number").iloc[:120]
    write_dataset(tmp_path / "cache", DATA_ID, numbers, y.iloc[:120].astype("category"))
    write_task(tmp_path / "cache", TASK_ID, DATA_ID, FOLDS)
    return load_task(TASK_ID, cache=tmp_path / "cache")


@pytest.fixture
def run(task: OpenMLTask) -> TaskRun:
    return run_on_task(DecisionTreeClassifier(max_depth=3, random_state=0), task)


@pytest.fixture(autouse=True)
def _no_server(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise AssertionError("the server was asked")

    for name in ("_send_request", "_download_minio_file"):
        monkeypatch.setattr(openml._api_calls, name, refuse)


def test_a_run_is_written_without_the_server_and_read_back(run: TaskRun, tmp_path: Path) -> None:
    folder = write_run(run, tmp_path / "run")
    assert sorted(path.name for path in folder.iterdir()) == [
        "description.xml",
        "flow.xml",
        "predictions.arff",
    ]
    read = openml.runs.OpenMLRun.from_filesystem(folder, expect_model=False)
    assert (read.task_id, read.flow_id) == (TASK_ID, None)
    assert read.flow.name == "sklearn.tree._classes.DecisionTreeClassifier"
    assert read.flow.parameters["max_depth"] == "None"  # the default; the run has its own
    parameters = (folder / "description.xml").read_text().split()
    at = parameters.index("<oml:name>max_depth</oml:name>")
    assert parameters[at + 1] == "<oml:value>3</oml:value>"


def test_every_split_has_its_predictions_with_truth_and_probabilities(
    run: TaskRun, tmp_path: Path
) -> None:
    folder = write_run(run, tmp_path / "run")
    rows = openml.runs.OpenMLRun.from_filesystem(folder, expect_model=False).data_content
    assert len(rows) == 240
    places = [(row[0], row[1], row[3]) for row in rows]
    assert places == [(f.repeat, f.fold, j) for f in FOLDS for j in f.test.tolist()]
    labels = run.task.data.y.astype(str).tolist()
    model = DecisionTreeClassifier(max_depth=3, random_state=0)
    X, train = run.task.data.X, FOLDS[0].train
    model.fit(X.iloc[train], run.task.data.y.iloc[train])
    expected = model.predict_proba(X.iloc[FOLDS[0].test])
    np.testing.assert_allclose([row[6:] for row in rows[:60]], expected)
    for row in rows:
        assert row[5] == labels[int(row[3])]
        assert row[6] + row[7] == pytest.approx(1)
        assert row[4] == ("bad" if row[6] >= row[7] else "good")


def test_accuracies_are_those_of_the_predictions(run: TaskRun, tmp_path: Path) -> None:
    folder = write_run(run, tmp_path / "run")
    read = openml.runs.OpenMLRun.from_filesystem(folder, expect_model=False)
    for (repeat, fold), rows in {
        (f.repeat, f.fold): [r for r in read.data_content if (r[0], r[1]) == (f.repeat, f.fold)]
        for f in FOLDS
    }.items():
        right = np.mean([row[4] == row[5] for row in rows])
        assert read.fold_evaluations["predictive_accuracy"][repeat][fold] == pytest.approx(right)


def test_our_own_estimator_is_described_with_its_parameters(run: TaskRun, tmp_path: Path) -> None:
    ours = replace(run, estimator=AutoClassifier(n_trials=7, exclude=["<svc> & co"]))
    folder = write_run(ours, tmp_path / "run")
    flow = openml.flows.OpenMLFlow.from_filesystem(folder)
    assert flow.name == "automl.estimator.AutoClassifier"
    assert flow.external_version.startswith("divbo==")
    assert len(flow.external_version) < 128
    assert flow.parameters["optimizer"] == "'divbo'"
    assert "&lt;svc&gt; &amp; co" in (folder / "description.xml").read_text()


@pytest.mark.slow
def test_our_own_estimator_predicts_for_every_split_of_a_task(
    task: OpenMLTask, tmp_path: Path
) -> None:
    short = replace(task, folds=task.folds[:1])
    ours = AutoClassifier(n_trials=2, time_limit=None, search_space="fast", random_state=0)
    folder = write_run(run_on_task(ours, short), tmp_path / "run")
    rows = openml.runs.OpenMLRun.from_filesystem(folder, expect_model=False).data_content
    assert [row[3] for row in rows] == FOLDS[0].test.tolist()
    assert not hasattr(ours, "classes_")


def test_a_folder_that_is_not_empty_is_refused(run: TaskRun, tmp_path: Path) -> None:
    (tmp_path / "run").mkdir()
    (tmp_path / "run" / "notes.txt").write_text("mine")
    with pytest.raises(InputError, match="is not an empty folder"):
        write_run(run, tmp_path / "run")
    with pytest.raises(InputError, match="is not an empty folder"):
        write_run(run, tmp_path / "run" / "notes.txt")


def test_a_split_without_predictions_is_refused(run: TaskRun, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="task 59 has 4 splits"):
        write_run(replace(run, predictions=run.predictions[1:]), tmp_path / "run")
    assert not (tmp_path / "run").exists()


def test_a_split_with_two_predictions_is_refused(run: TaskRun, tmp_path: Path) -> None:
    twice = (*run.predictions, run.predictions[0])
    with pytest.raises(InputError, match="each of them once; found 5"):
        write_run(replace(run, predictions=twice), tmp_path / "run")


def test_predictions_of_other_rows_are_refused(run: TaskRun, tmp_path: Path) -> None:
    first, *others = run.predictions
    for short in (
        replace(first, labels=first.labels[1:]),
        replace(first, probabilities=first.probabilities[1:]),
        replace(first, probabilities=first.probabilities[:, :1]),
    ):
        with pytest.raises(InputError, match="of repeat 0, fold 0 must be 60 labels"):
            write_run(replace(run, predictions=(short, *others)), tmp_path / "run")


def test_a_class_that_the_task_does_not_have_is_refused(run: TaskRun, tmp_path: Path) -> None:
    first, *others = run.predictions
    wrong = replace(first, labels=np.array(["ugly"] * 60))
    with pytest.raises(InputError, match="'ugly' is no class of the task"):
        write_run(replace(run, predictions=(wrong, *others)), tmp_path / "run")


def test_a_class_that_was_never_seen_has_probability_zero(run: TaskRun, tmp_path: Path) -> None:
    first, *others = run.predictions
    one = replace(
        first, classes=np.array(["good"]), labels=["good"] * 60, probabilities=np.ones((60, 1))
    )
    folder = write_run(replace(run, predictions=(one, *others)), tmp_path / "run")
    rows = openml.runs.OpenMLRun.from_filesystem(folder, expect_model=False).data_content
    assert {tuple(row[6:]) for row in rows[:60]} == {(0.0, 1.0)}


@pytest.mark.parametrize(
    ("labels", "names", "expected"),
    [
        (["b", "a", "b"], ["a", "b"], [1, 0, 1]),
        (np.array([2, 1]), ["1", "2", "3"], [1, 0]),
        (np.array([True, False]), ["FALSE", "TRUE"], [1, 0]),
        (["A", "a"], ["a", "A"], [1, 0]),
    ],
)
def test_labels_find_their_class_whatever_their_type(
    labels: Any, names: list[str], expected: list[int]
) -> None:
    assert class_positions(labels, names).tolist() == expected


def test_uploading_sends_the_flow_then_the_run_with_the_given_key(
    run: TaskRun, monkeypatch: pytest.MonkeyPatch
) -> None:
    server = FakeServer()
    monkeypatch.setattr(openml._api_calls, "_perform_api_call", server.call)
    own = openml.config.apikey
    assert publish(run, api_key="k3y") == RUN_ID
    assert set(server.keys) == {"k3y"}
    assert openml.config.apikey == own
    assert list(server.sent) == ["flow/exists", "flow/", "run/"]
    name, description = server.sent["run/"]["description"]
    assert name == "description.xml"
    assert f"<oml:flow_id>{FLOW_ID}</oml:flow_id>" in description
    assert f"<oml:component>{FLOW_ID}</oml:component>" in description
    assert server.sent["run/"]["predictions"][1].count("\n0,") == 120


@pytest.mark.parametrize("key", ["", "  "])
def test_uploading_without_a_key_is_refused(key: str, run: TaskRun) -> None:
    with pytest.raises(InputError, match="needs an API key"):
        publish(run, api_key=key)


def test_a_refused_key_is_told(run: TaskRun, monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: Any, **__: Any) -> NoReturn:
        raise openml.exceptions.OpenMLNotAuthorizedError("Authentication failed")

    monkeypatch.setattr(openml._api_calls, "_perform_api_call", refuse)
    own = openml.config.apikey
    with pytest.raises(InputError, match=r"refuses it .*: check the API key") as raised:
        publish(run, api_key="wrong")
    assert openml.config.apikey == own
    assert "wrong" not in str(raised.value)
