"""Evaluations on disk: shared by processes, whole or not there."""

from __future__ import annotations

import json
import multiprocessing
import os
import zlib
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from automl.benchmark.study.evaluation_store import Evaluation, EvaluationStore, key_of
from automl.errors import InputError
from automl.trial import Status

MEANING = {"task": "quake", "limits": {"seconds": 60.0}}


def opened(folder: Path) -> EvaluationStore:
    return EvaluationStore(folder, n_rows=3, n_classes=2, meaning=MEANING)


def success(name: str) -> Evaluation:
    return Evaluation(key=key_of({"classifier": name}), status=Status.SUCCESS, seconds=0.5)


def block(value: float) -> np.ndarray:
    return np.array([[value, 1.0 - value]] * 3, dtype=np.float32)


def test_what_was_added_is_found_again_also_by_another_store(tmp_path: Path) -> None:
    store, other = opened(tmp_path), opened(tmp_path)
    assert other.find(success("a").key) is None
    first = store.add(success("a"), block(0.25))
    second = store.add(success("b"), block(0.75))
    failed = Evaluation(key="f" * 32, status=Status.TIMEOUT, seconds=60.0, reason="took 60 s")
    assert store.add(failed, None) == failed
    assert (first.slot, second.slot) == (0, 1)
    for known in (store, other, opened(tmp_path)):
        assert known.find(first.key) == first
        assert known.find(failed.key) == failed
        assert len(known) == 3
        found = known.predictions([1, 0])
        assert found.dtype == np.float16
        assert found[:, 0, 0].tolist() == [0.75, 0.25]
    assert store.predictions([]).shape == (0, 3, 2)


def test_what_another_process_has_added_meanwhile_counts(tmp_path: Path) -> None:
    store, other = opened(tmp_path), opened(tmp_path)
    first = store.add(success("a"), block(0.25))
    assert other.add(success("a"), block(0.5)) == first
    assert len(opened(tmp_path)) == 1
    assert other.predictions([0])[0, 0, 0] == 0.25


def test_equal_values_have_one_key_whatever_their_types_and_order() -> None:
    plain = {"classifier": "lda", "n": 3, "rate": 0.1, "flag": True}
    sampled = {
        "flag": np.True_,
        "rate": np.float64(0.1),
        "n": np.int64(3),
        "classifier": np.str_("lda"),
    }
    assert key_of(plain) == key_of(sampled)
    assert key_of(plain) != key_of({**plain, "n": 4})


@pytest.mark.parametrize(
    ("name", "rest"), [("evaluations.jsonl", b"0123\t{"), ("predictions.f16", b"abc")]
)
def test_what_a_kill_left_by_half_does_not_count(tmp_path: Path, name: str, rest: bytes) -> None:
    alive = opened(tmp_path)
    first = alive.add(success("a"), block(0.25))
    with (tmp_path / name).open("ab") as file:
        file.write(rest)
    assert len(opened(tmp_path)) == 1
    second = alive.add(success("b"), block(0.75))
    again = opened(tmp_path)
    assert again.find(second.key) == second
    assert again.predictions([first.slot, second.slot])[:, 0, 0].tolist() == [0.25, 0.75]


def test_blocks_that_were_lost_are_noticed_and_never_written_over(tmp_path: Path) -> None:
    first, second = (opened(tmp_path).add(success(name), block(0.25)) for name in "ab")
    os.truncate(tmp_path / "predictions.f16", 12)
    store = opened(tmp_path)
    with pytest.raises(InputError, match="has lost predictions"):
        store.predictions([second.slot])
    third = store.add(success("c"), block(0.75))
    assert third.slot == 2
    assert store.predictions([first.slot, third.slot])[:, 0, 0].tolist() == [0.25, 0.75]
    with pytest.raises(InputError, match="damaged predictions in block 1"):
        store.predictions([second.slot])


def test_a_changed_block_is_refused_every_time(tmp_path: Path) -> None:
    first, second = (opened(tmp_path).add(success(name), block(0.25)) for name in "ab")
    path = tmp_path / "predictions.f16"
    changed = bytearray(path.read_bytes())
    changed[-1] ^= 1
    path.write_bytes(changed)
    store = opened(tmp_path)
    assert store.predictions([first.slot])[0, 0, 0] == 0.25
    for _ in range(2):
        with pytest.raises(InputError, match=r"damaged predictions in block 1; remove the folder"):
            store.predictions([first.slot, second.slot])


def test_blocks_of_earlier_versions_have_no_checksum(tmp_path: Path) -> None:
    added = opened(tmp_path).add(success("a"), block(0.25))
    path = tmp_path / "evaluations.jsonl"
    fields = json.loads(path.read_bytes().partition(b"\t")[2])
    del fields["checksum"]
    text = json.dumps(fields).encode()
    path.write_bytes(b"%08x\t%s\n" % (zlib.crc32(text), text))
    store = opened(tmp_path)
    assert store.find(added.key) == replace(added, checksum=None)
    assert store.predictions([0])[0, 0, 0] == 0.25


def test_a_damaged_line_is_evaluated_again(tmp_path: Path) -> None:
    opened(tmp_path).add(success("a"), block(0.25))
    path = tmp_path / "evaluations.jsonl"
    path.write_bytes(path.read_bytes().replace(b"0.5", b"0.6"))
    store = opened(tmp_path)
    assert store.find(success("a").key) is None
    assert store.add(success("a"), block(0.5)).slot == 1
    assert opened(tmp_path).predictions([1])[0, 0, 0] == 0.5


def test_evaluations_with_another_meaning_are_not_mixed(tmp_path: Path) -> None:
    opened(tmp_path)
    with pytest.raises(InputError, match="another meaning"):
        EvaluationStore(tmp_path, n_rows=3, n_classes=2, meaning={"task": "wind"})


@pytest.mark.parametrize(
    ("status", "predictions"),
    [(Status.SUCCESS, None), (Status.SUCCESS, np.ones((2, 2))), (Status.CRASHED, block(0.5))],
)
def test_predictions_have_to_fit(
    tmp_path: Path, status: Status, predictions: np.ndarray | None
) -> None:
    evaluation = Evaluation(key="0" * 32, status=status, seconds=1.0)
    with pytest.raises(ValueError, match="rows, classes"):
        opened(tmp_path).add(evaluation, predictions)
    assert len(opened(tmp_path)) == 0


def _add_many(folder: Path, first: int) -> None:
    store = opened(folder)
    for i in range(first, first + 60):
        store.add(success(str(i % 90)), block((i % 90) / 128))


def test_processes_add_at_the_same_time(tmp_path: Path) -> None:
    context = multiprocessing.get_context("fork")
    processes = [context.Process(target=_add_many, args=(tmp_path, 30 * k)) for k in range(3)]
    for process in processes:
        process.start()
    for process in processes:
        process.join()
    assert [process.exitcode for process in processes] == [0, 0, 0]
    store = opened(tmp_path)
    assert len(store) == 90
    for i in range(90):
        evaluation = store.find(success(str(i)).key)
        assert evaluation is not None
        assert store.predictions([evaluation.slot])[0, 0, 0] == i / 128
