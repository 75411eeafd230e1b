"""The file of an optimiser: what it lets go on, and what it refuses."""

from __future__ import annotations

import math
import shutil
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from ConfigSpace import Categorical, Configuration, ConfigurationSpace, EqualsCondition, Float

from automl.ask_tell import AskTell
from automl.errors import InputError, JournalError
from automl.optimizers import recipes
from automl.optimizers.scored_candidates import CandidateSettings
from automl.storage.journal import Journal
from automl.surrogates.random_forest import RandomForest

FEW = CandidateSettings(n_random=40, n_local=3, max_steps=1, n_generations=1)
N_INITIAL = 3


@pytest.fixture(autouse=True)
def _few_candidates(monkeypatch: pytest.MonkeyPatch) -> None:
    few = {name: replace(recipe, candidates=FEW) for name, recipe in recipes.RECIPES.items()}
    monkeypatch.setattr(recipes, "RECIPES", few)


def space() -> ConfigurationSpace:
    """Return a space with choices of types that JSON does not have."""
    made = ConfigurationSpace()
    kind = Categorical("kind", [(1, 2), True, "text"])
    rate = Float("rate", (1e-7, 1.0), log=True)
    made.add(kind, rate, Float("share", (0.0, 1.0)))
    made.add(EqualsCondition(rate, kind, "text"))
    return made


def loss_of(configuration: Mapping[str, Any]) -> float:
    rate = abs(math.log10(configuration["rate"])) if "rate" in configuration else 3.0
    return float(abs(configuration["share"] - 0.4) + 0.1 * rate)


def settle(optimizer: AskTell, configuration: Configuration, number: int) -> None:
    """Tell the loss of a configuration; some fail."""
    if number % 5 == 4:
        optimizer.tell(configuration, failure="bad\nluck")
    else:
        optimizer.tell(configuration, loss_of(configuration))


def advance(optimizer: AskTell, n: int) -> None:
    """Tell what is pending, then ask and tell in turn until so many trials ended."""
    for trial in optimizer.history.pending:
        settle(optimizer, trial.configuration, trial.number)
    while optimizer.history.n_finished < n:
        (configuration,) = optimizer.ask()
        settle(optimizer, configuration, optimizer.history.n_started - 1)


def happened(optimizer: AskTell) -> list[Any]:
    """Return all that a file has to give back, beliefs and their order included."""
    trials = [
        (t.number, dict(t.configuration), t.proposal.origin, dict(t.proposal.beliefs))
        for t in optimizer.history.trials
    ]
    return [trials, optimizer.history.outcomes]


def opened(path: Path, optimizer: str = "bo", seed: int = 1, **options: Any) -> AskTell:
    return AskTell(
        space(), optimizer, seed, **{"n_initial": N_INITIAL, "path": path, "resume": True} | options
    )


def whole_run(path: Path, optimizer: str, n: int, **options: Any) -> list[Any]:
    running = opened(path, optimizer, **options)
    advance(running, n)
    running.close()
    return happened(running)


@pytest.mark.parametrize("optimizer", ["random", "bo", "sawei", "densbo"])
def test_a_run_killed_after_any_line_or_inside_one_goes_on_as_it_would_have(
    tmp_path: Path, optimizer: str
) -> None:
    n = 7
    without_file = AskTell(space(), optimizer, 1, n_initial=N_INITIAL)
    advance(without_file, n)
    expected = whole_run(tmp_path / "whole", optimizer, n)
    assert happened(without_file) == expected
    lines = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
    assert len(lines) == 1 + 2 * n
    for k in range(1, len(lines) + 1):
        # In the middle of a line: of each, but of one in two where proposals take long.
        torn = lines[k][: len(lines[k]) // 2] if k < len(lines) and k % 2 else b""
        for rest in {b"", torn}:
            path = tmp_path / f"cut {k} {bool(rest)}"
            path.write_bytes(b"".join(lines[:k]) + rest)
            assert whole_run(path, optimizer, n) == expected
            assert len(path.read_bytes().splitlines()) == len(lines)


def test_only_the_last_byte_of_a_line_makes_it_count(tmp_path: Path) -> None:
    whole_run(tmp_path / "whole", "random", 2)
    lines = (tmp_path / "whole").read_bytes().splitlines(keepends=True)
    for k, n_trials in ((1, 1), (3, 2)):  # the lines of trials 0 and 1
        path = tmp_path / f"cut {k}"
        path.write_bytes(b"".join(lines[: k + 1])[:-1])
        torn = opened(path, "random")
        assert torn.history.n_started == n_trials - 1
        torn.close()


def test_a_batch_of_pending_trials_is_waited_for_after_a_kill(tmp_path: Path) -> None:
    running, twin = opened(tmp_path / "file", "densbo"), opened(tmp_path / "twin", "densbo")
    for optimizer in (running, twin):
        advance(optimizer, 4)
        asked = optimizer.ask(3)
        optimizer.tell(asked[1], 0.25)
    running.close()
    resumed = opened(tmp_path / "file", "densbo")
    assert happened(resumed) == happened(twin)
    for optimizer in (resumed, twin):
        optimizer.tell(asked[2], 0.5)
        optimizer.tell(dict(asked[0]), 0.75)
        advance(optimizer, 9)
        optimizer.close()
    assert happened(resumed) == happened(twin)
    assert resumed.history.pending == ()


def test_what_was_told_unasked_is_in_the_file(tmp_path: Path) -> None:
    first = opened(tmp_path / "file")
    first.tell({"kind": (1, 2), "share": 0.4}, 0.1)
    first.tell({"kind": True, "share": 0.1}, failure="no")
    first.close()
    again = opened(tmp_path / "file")
    assert happened(again) == happened(first)
    assert again.best.configuration["kind"] == (1, 2)
    again.close()


@pytest.mark.parametrize("optimizer", ["random", "bo", "sawei", "densbo"])
def test_going_on_from_a_saved_file_equals_going_on(tmp_path: Path, optimizer: str) -> None:
    running = AskTell(space(), optimizer, 1, n_initial=N_INITIAL)
    advance(running, 5)
    running.ask()
    running.save(tmp_path / "saved")
    resumed = opened(tmp_path / "saved", optimizer)
    assert happened(resumed) == happened(running)
    for one in (running, resumed):
        advance(one, 8)
    assert happened(resumed) == happened(running)
    resumed.close()


def test_a_file_that_is_saved_appears_whole_or_not_at_all(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    running = AskTell(space(), "random", 1)
    advance(running, 2)

    def killed(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(Journal, "write_outcome", killed)
    with pytest.raises(KeyboardInterrupt):
        running.save(tmp_path / "saved")
    assert not (tmp_path / "saved").exists()


def test_an_optimiser_with_a_file_can_be_saved_to_another_one(tmp_path: Path) -> None:
    running = opened(tmp_path / "file")
    advance(running, 4)
    running.save(str(tmp_path / "copy"))
    running.close()
    copied = opened(tmp_path / "copy")
    assert happened(copied) == happened(running)
    copied.close()


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"seed": 2}, "another seed: 1 there, 2 here"),
        ({"optimizer": "sawei"}, "another optimizer, surrogate, acquisition or n_initial"),
        ({"surrogate": "extra_trees"}, "another optimizer, surrogate, acquisition or n_initial"),
        ({"surrogate": RandomForest()}, "another optimizer, surrogate, acquisition or n_initial"),
        ({"acquisition": "pi"}, "another optimizer, surrogate, acquisition or n_initial"),
        ({"n_initial": 4}, "another optimizer, surrogate, acquisition or n_initial"),
        ({"space": ConfigurationSpace({"share": (0.0, 1.0)})}, "another space"),
    ],
)
def test_a_file_of_something_else_is_refused_by_name_and_left_as_it_is(
    tmp_path: Path, options: dict[str, Any], said: str
) -> None:
    path = tmp_path / "file"
    whole_run(path, "bo", 4)
    with path.open("ab") as file:
        file.write(b"torn")
    before = path.read_bytes()
    settings: dict[str, Any] = {"space": space(), "optimizer": "bo", "seed": 1, "n_initial": 3}
    with pytest.raises(InputError, match=said):
        AskTell(**settings | options, path=path, resume=True)
    assert path.read_bytes() == before


def test_a_range_that_differs_is_another_space(tmp_path: Path) -> None:
    narrow, wide = (ConfigurationSpace({"x": (0.0, end)}) for end in (1.0, 2.0))
    AskTell(narrow, path=tmp_path / "file").close()
    with pytest.raises(InputError, match="another space"):
        AskTell(wide, path=tmp_path / "file", resume=True)


def test_a_file_that_exists_is_refused_unless_it_is_gone_on_with(tmp_path: Path) -> None:
    path = tmp_path / "file"
    whole_run(path, "random", 2)
    before = path.read_bytes()
    with pytest.raises(InputError, match="exists; give resume=True"):
        opened(path, "random", resume=False)
    running = AskTell(space(), "random")
    with pytest.raises(InputError, match="exists; name a new file"):
        running.save(path)
    assert path.read_bytes() == before


def test_a_file_that_two_optimisers_write_to_is_refused(tmp_path: Path) -> None:
    first = opened(tmp_path / "file")
    with pytest.raises(InputError, match=r"^path .*: another optimiser writes to it"):
        opened(tmp_path / "file")
    first.close()
    opened(tmp_path / "file").close()


@pytest.mark.parametrize("written", [b"", b"something else\n", b"\x00\xff"])
def test_a_file_that_is_none_of_an_optimiser_is_refused(tmp_path: Path, written: bytes) -> None:
    (tmp_path / "file").write_bytes(written)
    with pytest.raises(JournalError, match="journal"):
        opened(tmp_path / "file")
    assert (tmp_path / "file").read_bytes() == written


def test_a_damaged_line_in_the_middle_is_named(tmp_path: Path) -> None:
    whole_run(tmp_path / "file", "random", 3)
    lines = (tmp_path / "file").read_bytes().splitlines(keepends=True)
    lines[3] = lines[3].replace(b"0", b"1")
    (tmp_path / "file").write_bytes(b"".join(lines))
    with pytest.raises(JournalError, match="line 4 "):
        opened(tmp_path / "file", "random")


def test_nothing_is_asked_or_told_once_the_file_is_closed(tmp_path: Path) -> None:
    optimizer = opened(tmp_path / "file")
    (configuration,) = optimizer.ask()
    optimizer.close()
    optimizer.close()
    before = happened(optimizer)
    with pytest.raises(InputError, match="is closed"):
        optimizer.ask()
    with pytest.raises(InputError, match="is closed"):
        optimizer.tell(configuration, 0.5)
    assert happened(optimizer) == before
    again = opened(tmp_path / "file")
    again.tell(configuration, 0.5)
    assert again.best.configuration == configuration
    again.close()


def test_without_a_file_closing_means_nothing() -> None:
    optimizer = AskTell(space(), "random")
    optimizer.close()
    assert len(optimizer.ask()) == 1


def test_a_loss_that_could_not_be_written_can_be_told_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    optimizer = opened(tmp_path / "file")
    asked = optimizer.ask(2)

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    with monkeypatch.context() as patch:
        patch.setattr(Journal, "write_outcome", full)
        for configuration in (asked[0], {"kind": True, "share": 0.9}):
            with pytest.raises(OSError, match="No space left"):
                optimizer.tell(configuration, 0.5)
    optimizer.tell(asked[0], 0.5)
    optimizer.tell({"kind": True, "share": 0.9}, 0.25)
    optimizer.tell(asked[1], 0.75)
    optimizer.close()
    assert [outcome.number for outcome in optimizer.history.outcomes] == [0, 2, 1]
    assert optimizer.history.pending == ()


def test_a_file_can_be_moved_between_runs(tmp_path: Path) -> None:
    expected = whole_run(tmp_path / "whole", "bo", 6)
    whole_run(tmp_path / "file", "bo", 4)
    shutil.move(tmp_path / "file", tmp_path / "moved")
    assert whole_run(tmp_path / "moved", "bo", 6) == expected
