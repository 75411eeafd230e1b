"""An optimiser in rough hands: interruptions, full disks, threads, forks, edited configurations."""

from __future__ import annotations

import copy
import multiprocessing
import os
import pickle
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from ConfigSpace import ConfigurationSpace, Float

from automl.ask_tell import AskTell
from automl.errors import InputError


def opened(path: Path | None, *, resume: bool = False) -> AskTell:
    space = ConfigurationSpace({"x": (0.0, 1.0), "n": (1, 1000)})
    return AskTell(space, "random", 3, path=path, resume=resume)


def happened(optimizer: AskTell) -> list[Any]:
    return [
        [(trial.number, dict(trial.configuration)) for trial in optimizer.history.trials],
        optimizer.history.outcomes,
    ]


def interrupted_fsync(file: int) -> None:
    os.fdatasync(file)  # the line is on the disk
    raise KeyboardInterrupt


def half_a_line(file: int, content: bytes, offset: int) -> int:
    written = write_at(file, content[: len(content) // 2], offset)
    raise OSError(28, f"No space left on device after {written} bytes")


write_at = os.pwrite
ACCIDENTS: dict[str, tuple[str, Callable[..., Any], type[BaseException]]] = {
    "interrupted": ("fsync", interrupted_fsync, KeyboardInterrupt),
    "disk full": ("pwrite", half_a_line, OSError),
}


@pytest.mark.parametrize("accident", ACCIDENTS)
@pytest.mark.parametrize("when", ["ask", "tell"])
def test_what_could_not_be_written_leaves_nothing_behind(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, accident: str, when: str
) -> None:
    name, happening, error = ACCIDENTS[accident]
    path = tmp_path / "file"
    optimizer = opened(path)
    (configuration,) = optimizer.ask()
    before = path.read_bytes()
    with monkeypatch.context() as patch:
        patch.setattr(f"automl.storage.journal.os.{name}", happening)
        with pytest.raises(error):
            optimizer.ask() if when == "ask" else optimizer.tell(configuration, 0.5)
    assert path.read_bytes() == before
    optimizer.tell(configuration, 0.5)
    optimizer.tell(optimizer.ask()[0], 0.25)
    expected = happened(optimizer)
    optimizer.close()
    assert happened(opened(path, resume=True)) == expected
    assert len(expected[0]) == len(expected[1]) == 2


def test_bytes_that_could_not_be_cut_off_are_before_the_next_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer = opened(tmp_path / "file")
    (configuration,) = optimizer.ask()

    def read_only(*_: object) -> None:
        raise OSError(30, "Read-only file system")

    with monkeypatch.context() as patch:
        patch.setattr("automl.storage.journal.os.pwrite", half_a_line)
        patch.setattr("automl.storage.journal.os.ftruncate", read_only)
        with pytest.raises(OSError, match="No space left"):
            optimizer.tell(configuration, 0.5)
        with pytest.raises(OSError, match="Read-only"):
            optimizer.tell(configuration, 0.5)
    optimizer.tell(configuration, 0.5)
    optimizer.close()
    assert len(opened(tmp_path / "file", resume=True).history.outcomes) == 1


@pytest.mark.parametrize("x", [np.float32(0.1), np.float64(1 / 3), 0.12345678901234567, 1])
def test_numbers_of_any_type_are_told_once(tmp_path: Path, x: Any) -> None:
    optimizer = opened(tmp_path / "file")
    for loss in (1.0, 2.0):
        optimizer.tell({"x": x, "n": np.int32(7)}, loss)
    assert [outcome.loss for outcome in optimizer.history.outcomes] == [1.0, 2.0]
    assert optimizer.history.pending == ()


def test_losses_of_rounded_numbers_belong_to_what_was_asked_for() -> None:
    space = ConfigurationSpace({"x": (0.0, 1.0), "n": (1, 10**9), "kind": ["a", "b"]})
    space.add(Float("rate", (1e-8, 1.0), log=True))
    optimizer = AskTell(space, "random", 3)
    for loss, configuration in enumerate(optimizer.ask(40)):
        written = {
            k: float(f"{v:.6g}") if k in ("x", "rate") else v for k, v in configuration.items()
        }
        optimizer.tell(written, loss)
    assert [outcome.number for outcome in optimizer.history.outcomes] == list(range(40))
    assert optimizer.history.n_started == 40


def test_losses_of_other_configurations_do_not() -> None:
    optimizer = opened(None)
    (asked,) = optimizer.ask()
    for change in ({"n": int(asked["n"]) + 1}, {"x": asked["x"] + 1e-4}):
        optimizer.tell({**asked, **change}, 1.0)
    assert [trial.number for trial in optimizer.history.pending] == [0]


def test_a_configuration_that_was_handed_out_can_be_changed() -> None:
    optimizer = opened(None)
    (asked,) = optimizer.ask()
    before = happened(optimizer)
    asked["x"] = 0.25
    assert happened(optimizer) == before
    optimizer.tell(asked, 1.0)
    optimizer.best.configuration["x"] = 0.75
    assert optimizer.best.configuration["x"] == 0.25
    assert len(optimizer.history.pending) == 1


def test_threads_ask_and_tell_at_the_same_time(tmp_path: Path) -> None:
    path = tmp_path / "file"
    optimizer = opened(path)

    def work(_: int) -> None:
        for _round in range(5):
            for configuration in optimizer.ask(2):
                optimizer.tell(configuration, configuration["x"])

    with ThreadPoolExecutor(4) as threads:
        list(threads.map(work, range(4)))
    assert optimizer.history.n_started == optimizer.history.n_finished == 40
    expected = happened(optimizer)
    optimizer.close()
    assert happened(opened(path, resume=True)) == expected


def _tell_here(optimizer: AskTell, answers: Any) -> None:
    try:
        optimizer.tell({"x": 0.5, "n": 5}, 1.0)
    except InputError as error:
        answers.put(str(error))


def test_the_file_has_one_process(tmp_path: Path) -> None:
    optimizer = opened(tmp_path / "file")
    context = multiprocessing.get_context("fork")
    answers = context.Queue()
    child = context.Process(target=_tell_here, args=(optimizer, answers))
    child.start()
    assert f"belongs to process {os.getpid()}" in answers.get(timeout=60)
    child.join()
    optimizer.tell({"x": 0.5, "n": 5}, 1.0)
    assert optimizer.history.n_finished == 1


def test_copies_go_their_own_ways_unless_there_is_a_file(tmp_path: Path) -> None:
    optimizer = opened(None)
    for again in (copy.deepcopy(optimizer), pickle.loads(pickle.dumps(optimizer))):
        assert dict(again.ask()[0]) == dict(copy.deepcopy(optimizer).ask()[0])
    assert optimizer.history.n_started == 0
    with pytest.raises(TypeError, match="cannot be copied"):
        copy.deepcopy(opened(tmp_path / "file"))
