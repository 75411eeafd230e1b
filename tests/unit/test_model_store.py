"""Models of the best trials, kept as files."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from automl.storage.models import ModelStore


def files(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=50)
@given(
    losses=st.lists(st.floats(0, 2) | st.sampled_from([0.5, 1.0]), max_size=12),
    n_kept=st.integers(0, 5),
)
def test_the_lowest_losses_are_kept_whatever_the_order(
    tmp_path_factory: pytest.TempPathFactory, losses: list[float], n_kept: int
) -> None:
    folder = tmp_path_factory.mktemp("models")
    store = ModelStore(folder, n_kept=n_kept)
    for number, loss in enumerate(losses):
        store.offer(number, loss, f"models of {number}".encode())
    # Among equals the earlier trial stays.
    best = set(sorted(range(len(losses)), key=lambda number: (losses[number], number))[:n_kept])
    for number in range(len(losses)):
        expected = f"models of {number}".encode() if number in best else None
        assert store.read(number) == expected
        assert store.has(number) is (number in best)
    assert len(files(folder)) == len(best)


def test_models_may_come_as_a_view_of_memory(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.offer(0, 0.5, memoryview(b"abc"))
    assert store.read(0) == b"abc"


@pytest.mark.parametrize("nothing", [b"", memoryview(b"")])
def test_no_models_are_not_kept(tmp_path: Path, nothing: bytes | memoryview) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.offer(0, 0.5, b"good")
    store.offer(1, 0.1, nothing)
    assert store.read(0) == b"good"
    assert not store.has(1)


def test_models_that_were_written_to_the_partial_file_are_taken_over(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.partial_path(4).write_bytes(b"written elsewhere")
    assert (store.read(4), store.has(4)) == (None, False)  # not before they are offered
    store.offer(4, 0.5)
    assert store.read(4) == b"written elsewhere"
    assert files(tmp_path) == ["000004.models"]


def test_an_empty_partial_file_holds_no_models(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.partial_path(0).write_bytes(b"")
    store.offer(0, 0.5)
    assert not store.has(0)
    assert files(tmp_path) == []


def test_what_a_failed_trial_began_to_write_is_removed(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.offer(0, 0.5, b"good")
    store.partial_path(1).write_bytes(b"only ha")
    store.refuse(1)
    store.refuse(2)  # began nothing
    assert files(tmp_path) == ["000000.models"]


def test_partial_files_of_different_trials_do_not_meet(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    assert len({store.partial_path(number) for number in (0, 1, 10, 999_999, 1_000_000)}) == 5


def test_the_largest_loss_that_is_kept_is_known_in_advance(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=2)
    found = []
    for number, loss in enumerate([0.5, 0.9, 0.7, 0.8, 0.1]):
        found.append(store.largest_loss)
        store.offer(number, loss, b"models")
    assert found == [math.inf, math.inf, 0.9, 0.7, 0.7]
    assert store.largest_loss == 0.5


def test_a_trial_that_was_never_offered_has_no_models(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    assert store.read(3) is None
    assert not store.has(3)


def test_a_write_that_breaks_off_leaves_no_model_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    store = ModelStore(tmp_path, n_kept=1)
    store.offer(0, 0.5, b"complete")

    def write_half(path: Path, data: bytes) -> int:
        with path.open("wb") as file:
            file.write(data[: len(data) // 2])
        raise OSError("no space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Path, "write_bytes", write_half)
        with pytest.raises(OSError, match="no space"):
            store.offer(1, 0.1, b"only half of this")
    assert store.read(0) == b"complete"
    assert store.read(1) is None
    assert [name for name in files(tmp_path) if name.endswith(".models")] == ["000000.models"]
    store.offer(2, math.nextafter(0.5, 0.0), b"the next one")
    assert (store.read(0), store.read(2)) == (None, b"the next one")


def test_the_worst_models_go_when_all_take_too_much_space(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=10, max_bytes=10)
    for number, loss in enumerate((0.3, 0.1, 0.2)):
        store.offer(number, loss, b"four")
    assert [store.has(number) for number in range(3)] == [False, True, True]
    assert sorted(path.stat().st_size for path in tmp_path.iterdir()) == [4, 4]


def test_the_models_of_an_earlier_run_are_taken_over(tmp_path: Path) -> None:
    store = ModelStore(tmp_path, n_kept=2)
    for number, loss in enumerate((0.3, 0.1, 0.2)):
        store.offer(number, loss, b"models of %d" % number)
    again = ModelStore(tmp_path, n_kept=2)
    again.restore({0: 0.3, 1: 0.1, 2: 0.2})
    assert [again.has(number) for number in range(3)] == [False, True, True]
    assert again.largest_loss == 0.2
    again.offer(3, 0.15, b"models of 3")
    assert [again.has(number) for number in range(4)] == [False, True, False, True]
