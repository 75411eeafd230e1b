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
