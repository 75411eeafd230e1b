"""One evaluation, in this process."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import cloudpickle
import numpy as np
import pytest
import scipy.sparse
from fakes.destinations import RETURNED, UNWANTED
from fakes.learners import LENIENT, OPERATORS, RECORDING, component, shifted
from sklearn import config_context
from sklearn.dummy import DummyClassifier
from sklearn.linear_model import LogisticRegression

from automl.data.folds import Fold, Splits
from automl.data.table_store import Table, TableHandle, load_table, save_table
from automl.data.weights import RowWeights
from automl.evaluation import evaluator
from automl.evaluation.evaluator import (
    EvaluationCall,
    ModelDestination,
    PipelineSpec,
    RefitCall,
    dump_models,
    load_models,
    out_of_fold,
)
from automl.scoring import as_metric
from search_space.arrays import Features, IntArray
from search_space.component import Component
from search_space.space import build_space
from search_space.task import TaskProperties

CODES = np.array([0, 1, 2, 0, 1, 2, 0, 1, 2, 0, 1, 2])
N = len(CODES)
METRIC = as_metric("neg_log_loss", [0, 1, 2])


def table_of_rows(sparse: bool = False) -> Features:
    """Return a table whose first column is the number of the row."""
    X = np.column_stack([np.arange(N, dtype=float), np.linspace(1.0, 2.0, N)])
    return scipy.sparse.csr_array(X) if sparse else X


def splits_of(*pairs: tuple[list[int], list[int]]) -> Splits:
    folds = tuple(Fold(np.array(train), np.array(validation)) for train, validation in pairs)
    return Splits(folds=folds, n_rows=N, description="by hand")


def task(n_rows: int = 8, *, is_sparse: bool = False) -> TaskProperties:
    return TaskProperties(
        n_rows=n_rows,
        n_classes=3,
        smallest_class=4,
        largest_class=4,
        numeric=(0, 1),
        is_sparse=is_sparse,
    )


def spec_for(learner: Component, *, seed: int = 0, is_sparse: bool = False) -> PipelineSpec:
    return PipelineSpec(
        configuration={"classifier": learner.name, "rescaler": "empty"},
        components=(learner, *OPERATORS),
        task=task(is_sparse=is_sparse),
        seed=seed,
        rescale_first=True,
    )


def expected_of(codes: IntArray, train: list[int], rows: list[int]) -> Any:
    """Return what the recording learner predicts if it saw all three classes."""
    return shifted(np.bincount(codes[train], minlength=3) / len(train), np.array(rows))


EVEN, ODD = list(range(0, N, 2)), list(range(1, N, 2))


@pytest.mark.parametrize("sparse", [False, True])
def test_every_row_is_predicted_by_pipelines_that_never_saw_it(sparse: bool) -> None:
    table = Table(table_of_rows(sparse), CODES, 3, splits_of((EVEN, ODD), (ODD, EVEN)))
    found, pipelines = out_of_fold(spec_for(RECORDING, is_sparse=sparse), table)
    assert found.shape == (N, 3)
    assert found.dtype == np.float32
    np.testing.assert_allclose(found[ODD], expected_of(CODES, EVEN, ODD), rtol=1e-6)
    np.testing.assert_allclose(found[EVEN], expected_of(CODES, ODD, EVEN), rtol=1e-6)
    assert [p.named_steps["classifier"].rows_.tolist() for p in pipelines] == [EVEN, ODD]


def test_the_recording_learner_would_notice_a_leak() -> None:
    table = Table(table_of_rows(), CODES, 3, splits_of((EVEN, EVEN)))
    with pytest.raises(AssertionError, match="were trained on"):
        out_of_fold(spec_for(RECORDING), table)


def test_rows_that_no_split_validates_are_left_out() -> None:
    train, validation = [0, 1, 2, 3, 4, 5], [7, 10, 11]
    table = Table(table_of_rows(), CODES, 3, splits_of((train, validation)))
    found, pipelines = out_of_fold(spec_for(RECORDING), table)
    np.testing.assert_allclose(found, expected_of(CODES, train, validation), rtol=1e-6)
    assert len(pipelines) == 1


def test_rows_that_are_validated_repeatedly_get_the_average() -> None:
    folds = [([0, 1, 2, 3], [8, 9]), ([0, 1, 2, 3, 4, 5, 6, 7, 9], [8]), ([0, 1, 2], [10, 8])]
    table = Table(table_of_rows(), CODES, 3, splits_of(*folds))
    found, _ = out_of_fold(spec_for(RECORDING), table)
    of_row_8 = [expected_of(CODES, train, [8])[0] for train, _ in folds]
    expected = [
        np.mean(of_row_8, axis=0),
        expected_of(CODES, folds[0][0], [9])[0],
        expected_of(CODES, folds[2][0], [10])[0],
    ]
    np.testing.assert_allclose(found, expected, rtol=1e-6)  # rows 8, 9, 10


def test_a_class_that_a_training_part_lacks_gets_probability_zero() -> None:
    without_1 = [0, 2, 3, 5, 6, 8]
    table = Table(table_of_rows(), CODES, 3, splits_of((without_1, [1, 4, 7, 9])))
    found, _ = out_of_fold(spec_for(RECORDING), table)
    of_two = shifted(np.array([0.5, 0.5]), np.array([1, 4, 7, 9]))
    expected = np.column_stack([of_two[:, 0], np.zeros(4), of_two[:, 1]])
    np.testing.assert_allclose(found, expected, rtol=1e-6)


def test_the_call_returns_loss_predictions_and_models(tmp_path: Path) -> None:
    handle = save_table(tmp_path, table_of_rows(), CODES, splits_of((EVEN, ODD), (ODD, EVEN)))
    call = EvaluationCall(
        spec=spec_for(RECORDING, seed=3), table=handle, metric=METRIC, models=RETURNED
    )
    payload = call()
    predictions, models = payload.blobs
    found = np.frombuffer(predictions, dtype=np.float32).reshape(N, 3)
    expected, _ = out_of_fold(call.spec, load_table(handle))
    assert np.array_equal(found, expected)
    assert payload.header == {"loss": METRIC.loss(CODES, found)}
    rows = [model.named_steps["classifier"].rows_.tolist() for model in load_models(bytes(models))]
    assert rows == [EVEN, ODD]


def test_the_loss_is_taken_over_the_covered_rows_only(tmp_path: Path) -> None:
    validation = [7, 10, 11]
    handle = save_table(tmp_path, table_of_rows(), CODES, splits_of(([0, 1, 2, 3], validation)))
    call = EvaluationCall(spec=spec_for(RECORDING), table=handle, metric=METRIC, models=UNWANTED)
    payload = call()
    p = expected_of(CODES, [0, 1, 2, 3], validation)
    by_hand = -np.log(p[np.arange(3), CODES[validation]]).mean()
    assert payload.header["loss"] == pytest.approx(by_hand, rel=1e-5)
    assert len(payload.blobs[1]) == 0


class WeighingClassifier(DummyClassifier):  # type: ignore[misc]  # its base is untyped
    """Keeps the weights that it was fitted with."""

    def fit(self, X: Any, y: Any, sample_weight: Any = None) -> WeighingClassifier:
        """Fit and keep."""
        self.weights_ = sample_weight
        super().fit(X, y, sample_weight=sample_weight)
        return self


def build_weighing(hyperparameters: Any, context: Any) -> WeighingClassifier:  # noqa: ARG001
    return WeighingClassifier(strategy="prior")


@pytest.mark.parametrize("routing", [False, True])
def test_weights_follow_their_rows_into_training_losses_and_the_refit(
    tmp_path: Path, routing: bool
) -> None:
    training, judging = np.arange(1.0, N + 1), np.arange(N, 0.0, -1)
    weights = RowWeights(training=training, metric=judging)
    splits = splits_of((EVEN, ODD[::-1]))
    handle = save_table(tmp_path, table_of_rows(), CODES, splits, weights)
    spec = spec_for(component("weighing", build_weighing))
    with config_context(enable_metadata_routing=routing):
        call = EvaluationCall(spec=spec, table=handle, metric=METRIC, models=RETURNED)
        payload, refit = call(), RefitCall(spec=spec, table=handle)()
    (model,) = load_models(bytes(payload.blobs[1]))
    np.testing.assert_array_equal(model[-1].weights_, training[EVEN])
    assert model[-1].weights_.flags.writeable
    shares = np.bincount(CODES[EVEN], training[EVEN]) / training[EVEN].sum()
    by_hand = np.average(-np.log(shares[CODES[ODD]]), weights=judging[ODD])
    assert payload.header["loss"] == pytest.approx(by_hand, rel=1e-6)
    (model,) = load_models(bytes(refit.blobs[0]))
    np.testing.assert_array_equal(model[-1].weights_, training)
    assert model[-1].weights_.flags.writeable


def test_models_that_are_too_large_are_left_out_of_an_evaluation_but_not_of_a_refit(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = save_table(tmp_path, table_of_rows(), CODES, splits_of((EVEN, ODD)))
    monkeypatch.setattr(evaluator, "_LARGEST_STORED_MODELS", 10)
    spec = spec_for(RECORDING)
    evaluation = EvaluationCall(spec=spec, table=handle, metric=METRIC, models=RETURNED)()
    assert len(evaluation.blobs[1]) == 0
    assert memoryview(evaluation.blobs[0]).nbytes == len(ODD) * 3 * 4
    refit = RefitCall(spec=spec, table=handle)()
    assert len(load_models(bytes(refit.blobs[0]))) == 1


def test_models_are_written_where_the_folder_can_be_reached(tmp_path: Path) -> None:
    handle = save_table(tmp_path, table_of_rows(), CODES, splits_of((EVEN, ODD)))
    path = tmp_path / "models.partial"
    destination = ModelDestination(path=str(path), largest_loss=100.0)
    call = EvaluationCall(spec=spec_for(RECORDING), table=handle, metric=METRIC, models=destination)
    assert len(call().blobs[1]) == 0
    assert len(load_models(path.read_bytes())) == 1


def test_a_refit_sees_every_row_and_may_write_to_its_table(tmp_path: Path) -> None:
    handle = save_table(tmp_path, table_of_rows(), CODES, splits_of((EVEN, ODD)))
    payload = RefitCall(spec=spec_for(LENIENT), table=handle)()
    (model,) = load_models(bytes(payload.blobs[0]))
    assert model.named_steps["classifier"].rows_.tolist() == list(range(N))
    assert payload.header["fit_seconds"] >= 0.0
    assert np.array_equal(load_table(handle).codes, CODES)


@pytest.mark.parametrize("sparse", [False, True])
def test_calls_survive_being_pickled(tmp_path: Path, sparse: bool) -> None:
    handle = save_table(tmp_path, table_of_rows(sparse), CODES, splits_of((EVEN, ODD)))
    spec = spec_for(RECORDING, seed=9, is_sparse=sparse)
    evaluation = EvaluationCall(spec=spec, table=handle, metric=METRIC, models=RETURNED)
    copy = cloudpickle.loads(cloudpickle.dumps(evaluation))
    assert copy().header == evaluation().header
    assert bytes(copy().blobs[0]) == bytes(evaluation().blobs[0])
    refit = cloudpickle.loads(cloudpickle.dumps(RefitCall(spec=spec, table=handle)))
    (model,) = load_models(refit().blobs[0])
    assert model.named_steps["classifier"].rows_.tolist() == list(range(N))


def test_equal_specs_build_equal_pipelines_and_the_seed_reaches_the_learner() -> None:
    seeds = [
        spec_for(RECORDING, seed=seed).build().named_steps["classifier"].seed for seed in (1, 1, 2)
    ]
    assert seeds[0] == seeds[1] != seeds[2]


@pytest.mark.parametrize("learner", ["gaussian_nb", "logistic_regression", "decision_tree"])
def test_the_learners_of_the_fast_space_beat_chance_and_repeat_exactly(
    tmp_path: Path, learner: str
) -> None:
    codes = np.random.default_rng(0).permutation(np.arange(90) % 3)
    X = np.random.default_rng(1).normal(size=(90, 2)) + 3.0 * codes[:, np.newaxis]
    rows = np.arange(90)
    folds = tuple(Fold(rows[rows % 3 != i], rows[rows % 3 == i]) for i in range(3))
    properties = TaskProperties(
        n_rows=60, n_classes=3, smallest_class=30, largest_class=30, numeric=(0, 1)
    )
    space = build_space(properties, preset="fast", include=[learner])
    (configuration,) = space.defaults
    call = EvaluationCall(
        spec=PipelineSpec(
            configuration=dict(configuration),
            components=space.components,
            task=space.task,
            seed=1,
            rescale_first=space.rescale_first,
        ),
        table=save_table(
            tmp_path, X, codes, Splits(folds=folds, n_rows=90, description="three folds")
        ),
        metric=as_metric("accuracy", [0, 1, 2]),
        models=UNWANTED,
    )
    one, other = call(), call()
    assert one.header["loss"] < 0.4  # chance is 2/3
    assert bytes(one.blobs[0]) == bytes(other.blobs[0])
    found = np.frombuffer(one.blobs[0], dtype=np.float32).reshape(90, 3)
    np.testing.assert_allclose(found.sum(axis=1), 1.0, atol=1e-5)


def test_a_table_that_is_not_there_is_an_error_of_the_call() -> None:
    call = RefitCall(spec=spec_for(RECORDING), table=TableHandle("/nowhere/at/all", "none"))
    with pytest.raises(Exception, match="cannot be read"):
        call()


def test_dumped_models_come_back() -> None:
    model = LogisticRegression().fit([[0.0], [1.0]], [0, 1])
    (copy,) = load_models(memoryview(dump_models([model])))
    assert np.array_equal(copy.coef_, model.coef_)
