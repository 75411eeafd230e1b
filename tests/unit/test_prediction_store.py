"""Predictions on disk, mapped into memory."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays

from automl.errors import PredictionStoreError
from automl.storage.predictions import PredictionStore

ROWS, CLASSES = 5, 3


def block(number: int) -> npt.NDArray[np.float32]:
    draws = np.random.default_rng(number).dirichlet(np.ones(CLASSES), size=ROWS)
    return draws.astype(np.float32)


def store_in(folder: Path) -> PredictionStore:
    return PredictionStore(folder / "predictions.f32", n_rows=ROWS, n_classes=CLASSES)


def is_mapped(array: npt.NDArray[np.float32]) -> bool:
    """Say whether an array is a view of a file: some array below it is the map itself."""
    base: object = array
    while isinstance(base, np.ndarray):
        if isinstance(base, np.memmap) and getattr(base, "_mmap", None) is base.base:
            return True
        base = base.base
    return False


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=25)
@given(data=st.data(), numbers=st.lists(st.integers(0, 10**6), max_size=12, unique=True))
def test_what_is_stored_comes_back_to_the_bit(
    tmp_path: Path, data: st.DataObject, numbers: list[int]
) -> None:
    values = st.floats(0, 1, width=32)
    blocks = {n: data.draw(arrays(np.float32, (ROWS, CLASSES), elements=values)) for n in numbers}
    asked = data.draw(st.permutations(numbers)) if numbers else []
    with store_in(tmp_path) as store:
        for number, values_of in blocks.items():
            store.append(number, values_of)
        found = store.stack(asked)
    assert found.shape == (len(asked), ROWS, CLASSES)
    assert found.dtype == np.float32
    for number, values_of in zip(asked, found, strict=True):
        assert values_of.tobytes() == blocks[number].tobytes()


def test_blocks_one_behind_the_other_are_views_of_the_file(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        for number in (4, 9, 2, 7):  # the order of appending counts, not the number
            store.append(number, block(number))
        everything = store.stack([4, 9, 2, 7])
        part = store.stack([9, 2])
        assert is_mapped(everything)
        assert is_mapped(part)
        assert np.shares_memory(everything, part)
        assert np.array_equal(part, [block(9), block(2)])
        with pytest.raises(ValueError, match="read-only"):
            part[0, 0, 0] = 0.5


@pytest.mark.parametrize("numbers", [[2, 9], [4, 2], [9, 9], [7, 4, 2, 9]])
def test_blocks_in_any_other_order_come_back_as_asked(tmp_path: Path, numbers: list[int]) -> None:
    with store_in(tmp_path) as store:
        for number in (4, 9, 2, 7):
            store.append(number, block(number))
        assert np.array_equal(store.stack(numbers), [block(number) for number in numbers])


def test_an_array_that_was_handed_out_outlives_growth_and_closing(tmp_path: Path) -> None:
    store = store_in(tmp_path)
    store.append(0, block(0))
    early = store.stack([0])
    for number in range(1, 200):
        store.append(number, block(number))
        if number % 50 == 0:
            assert np.array_equal(store.stack([number])[0], block(number))
    everything = store.stack(range(200))
    store.close()
    assert np.array_equal(early[0], block(0))
    assert np.array_equal(everything, [block(number) for number in range(200)])


def test_nothing_asked_gives_an_empty_stack(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        assert store.stack([]).shape == (0, ROWS, CLASSES)
        store.append(0, block(0))
        assert store.stack(()).shape == (0, ROWS, CLASSES)


def test_the_file_holds_nothing_but_the_blocks(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.append(3, block(3))
        store.append(1, block(1))
        content = (tmp_path / "predictions.f32").read_bytes()
    assert content == block(3).tobytes() + block(1).tobytes()


def test_any_layout_and_precision_is_stored_as_single_precision_rows(tmp_path: Path) -> None:
    double = np.random.default_rng(0).random((CLASSES, ROWS)).T
    assert not double.flags.c_contiguous
    with store_in(tmp_path) as store:
        store.append(0, double)  # type: ignore[arg-type]  # what is tested
        assert np.array_equal(store.stack([0])[0], double.astype(np.float32))


def test_trials_without_predictions_are_named(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.append(1, block(1))
        with pytest.raises(PredictionStoreError, match=r"no stored predictions of trials \[0, 5\]"):
            store.stack([0, 1, 5])


@pytest.mark.parametrize("shape", [(ROWS, CLASSES + 1), (ROWS - 1, CLASSES), (ROWS * CLASSES,)])
def test_another_shape_is_refused_with_both_shapes(tmp_path: Path, shape: tuple[int, ...]) -> None:
    with store_in(tmp_path) as store:
        with pytest.raises(PredictionStoreError) as error:
            store.append(8, np.zeros(shape, dtype=np.float32))
        message = str(error.value)
        assert "trial 8" in message
        assert str(shape) in message
        assert str((ROWS, CLASSES)) in message
        assert store.block_shape == (ROWS, CLASSES)


def test_predictions_are_never_overwritten(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.append(0, block(0))
        with pytest.raises(PredictionStoreError, match="trial 0 has stored predictions already"):
            store.append(0, block(1))
        assert np.array_equal(store.stack([0])[0], block(0))


def filled(path: Path) -> PredictionStore:
    with PredictionStore(path, n_rows=3, n_classes=2) as store:
        for number in (4, 0, 7):
            store.append(number, np.full((3, 2), number / 10, dtype=np.float32))
    return store


def reopened(path: Path) -> PredictionStore:
    return PredictionStore(path, n_rows=3, n_classes=2, resume=True)


def test_a_store_goes_on_where_it_was_closed(tmp_path: Path) -> None:
    path = tmp_path / "p.f32"
    filled(path)
    with reopened(path) as store:
        assert [n for n in range(9) if store.has(n)] == [0, 4, 7]
        store.append(1, np.full((3, 2), 0.1, dtype=np.float32))
        np.testing.assert_allclose(store.stack([0, 1, 4, 7])[:, 0, 0], [0.0, 0.1, 0.4, 0.7])
    with reopened(path) as store:
        np.testing.assert_allclose(store.stack([7, 1])[:, 2, 1], [0.7, 0.1])


@pytest.mark.parametrize("lost", [1, 3 * 2 * 4])
def test_a_block_that_is_not_whole_is_not_stored(tmp_path: Path, lost: int) -> None:
    path = tmp_path / "p.f32"
    filled(path)
    with path.open("r+b") as file:
        file.truncate(3 * 3 * 2 * 4 - lost)
    with reopened(path) as store:
        assert [n for n in range(9) if store.has(n)] == [0, 4]
        store.append(7, np.full((3, 2), 0.9, dtype=np.float32))
        np.testing.assert_allclose(store.stack([4, 0, 7])[:, 0, 0], [0.4, 0.0, 0.9])


def test_a_damaged_block_is_not_stored_and_the_others_are(tmp_path: Path) -> None:
    path = tmp_path / "p.f32"
    filled(path)
    with path.open("r+b") as file:
        file.seek(3 * 2 * 4 + 5)
        file.write(b"\x7f")
    with reopened(path) as store:
        assert [n for n in range(9) if store.has(n)] == [4, 7]
        store.append(0, np.full((3, 2), 0.5, dtype=np.float32))
        np.testing.assert_allclose(store.stack([4, 7, 0])[:, 0, 0], [0.4, 0.7, 0.5])


def test_a_torn_line_of_the_index_is_cut_off(tmp_path: Path) -> None:
    path = tmp_path / "p.f32"
    filled(path)
    index = path.with_suffix(".index")
    index.write_bytes(index.read_bytes()[:-3])
    with reopened(path) as store:
        assert [n for n in range(9) if store.has(n)] == [0, 4]
        store.append(7, np.full((3, 2), 0.7, dtype=np.float32))
    with reopened(path) as store:
        assert store.has(7)


def test_what_was_forgotten_is_stored_anew(tmp_path: Path) -> None:
    path = tmp_path / "p.f32"
    filled(path)
    with reopened(path) as store:
        store.forget(0)
        store.forget(8)  # never stored
        assert [n for n in range(9) if store.has(n)] == [4, 7]
        store.append(0, np.full((3, 2), 0.6, dtype=np.float32))
    with reopened(path) as store:
        np.testing.assert_allclose(store.stack([4, 0, 7])[:, 0, 0], [0.4, 0.6, 0.7])


def test_predictions_whose_file_was_removed_are_missed_with_advice(tmp_path: Path) -> None:
    with store_in(tmp_path) as store:
        store.append(0, block(0))
    assert np.array_equal(store.stack([0])[0], block(0))
    store.close()
    (tmp_path / "predictions.f32").unlink()
    with pytest.raises(PredictionStoreError, match=r"are gone.*give work_dir"):
        store.stack([0])
