"""The set-up that the scripts in ``bin`` share, with an interpreter that only pretends."""

from __future__ import annotations

import os
import shutil
import subprocess
from pathlib import Path

import pytest

BIN = Path(__file__).parents[2] / "bin"

# Stands for Python and for the interpreter of the environment that it makes; notes what it is
# asked to do. `pip install` fails where the checkout holds a file "broken".
PRETENDER = """#!/bin/sh
echo "$*" >>"$CALLS"
case "$*" in
"-m venv --clear "*)
    mkdir -p "$4/bin" && cp "$0" "$4/bin/python"
    ;;
"-m pip install --help") [ -e "$CALLS.old_pip" ] || echo "  --group [path:]group" ;;
"-m pip install "*)
    echo "pip chatters"
    [ ! -e broken ] || { echo "no such package" >&2; exit 1; }
    ;;
"-m automl demo "*)
    shift 3
    printf '<%s>' "$@"
    ;;
esac
"""


@pytest.fixture
def checkout(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Return a checkout, blanks in its path, that uses the pretender for Python."""
    root = tmp_path / "a check out"
    root.mkdir()
    shutil.copytree(BIN, root / "bin")
    (root / "pyproject.toml").write_text("first\n")
    pretender = tmp_path / "pretend python"
    pretender.write_text(PRETENDER)
    pretender.chmod(0o755)
    monkeypatch.setenv("PYTHON", str(pretender))
    monkeypatch.setenv("CALLS", str(tmp_path / "calls"))
    return root


def run(checkout: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    """Run the demo script from another folder."""
    return subprocess.run(
        [checkout / "bin" / "demo", *arguments],
        cwd="/",
        capture_output=True,
        text=True,
        check=False,
    )


def calls(checkout: Path) -> list[str]:
    """Return what Python was asked to do since the last call, checks of what is there aside."""
    path = checkout.parent / "calls"
    lines = path.read_text().splitlines()
    path.unlink()
    kinds = ("-m venv ", "-m pip install ", "-m automl ")
    return [line for line in lines if line.startswith(kinds)]


def test_the_first_run_makes_an_environment_and_installs(checkout: Path) -> None:
    ended = run(checkout, "--data", "two words")
    assert (ended.returncode, ended.stdout) == (0, "<--data><two words>")
    assert ended.stderr == f"Setting up {checkout}/.venv (once; a minute or two)\n"
    assert calls(checkout) == [
        f"-m venv --clear {checkout}/.venv",
        "-m pip install -e .",
        "-m automl demo --data two words",
    ]


def test_the_second_run_only_runs(checkout: Path) -> None:
    run(checkout)
    calls(checkout)
    ended = run(checkout, "--seed", "1")
    assert (ended.returncode, ended.stdout, ended.stderr) == (0, "<--seed><1>", "")
    assert calls(checkout) == ["-m automl demo --seed 1"]


def test_a_changed_project_is_installed_again_in_the_same_environment(checkout: Path) -> None:
    run(checkout)
    calls(checkout)
    (checkout / "pyproject.toml").write_text("second\n")
    assert run(checkout, "-h").stderr == f"Updating {checkout}/.venv\n"
    assert calls(checkout) == ["-m pip install -e .", "-m automl demo -h"]


def test_a_moved_checkout_is_installed_again(checkout: Path) -> None:
    run(checkout)
    calls(checkout)
    moved = checkout.rename(checkout.with_name("elsewhere"))
    run(moved, "-h")
    assert calls(moved) == ["-m pip install -e .", "-m automl demo -h"]


def test_an_environment_without_its_interpreter_is_made_anew(checkout: Path) -> None:
    run(checkout)
    calls(checkout)
    (checkout / ".venv" / "bin" / "python").unlink()
    run(checkout, "-h")
    assert calls(checkout)[0] == f"-m venv --clear {checkout}/.venv"


def test_a_failed_installation_shows_its_log_and_is_tried_again(checkout: Path) -> None:
    (checkout / "broken").touch()
    ended = run(checkout)
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines()[1:] == [
        f"This failed: {checkout}/.venv/bin/python -m pip install -e .",
        "pip chatters",
        "no such package",
    ]
    (checkout / "broken").unlink()
    calls(checkout)
    assert run(checkout, "-h").returncode == 0
    assert calls(checkout) == ["-m pip install -e .", "-m automl demo -h"]


@pytest.mark.parametrize("is_old", [True, False])
def test_pip_is_upgraded_only_for_groups_that_it_does_not_know(
    checkout: Path, is_old: bool
) -> None:
    script = checkout / "bin" / "demo"
    script.write_text(script.read_text().replace("-e .", "-e . --group dev"))
    if is_old:
        (checkout.parent / "calls.old_pip").touch()
    run(checkout, "-h")
    upgrades = ["-m pip install --upgrade pip>=25.1"] if is_old else []
    assert [call for call in calls(checkout) if "--help" not in call][1:] == [
        *upgrades,
        "-m pip install -e . --group dev",
        "-m automl demo -h",
    ]


def test_without_a_suitable_python_the_script_says_what_to_install(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PYTHON", "python0.9")
    ended = run(checkout)
    assert ended.returncode == 1
    assert ended.stderr.startswith(
        "Found no Python 3.11 or newer with the modules venv and ensurepip (tried: python0.9).\n"
    )
    assert not (checkout / ".venv").exists()


def test_the_first_python_that_is_new_enough_is_taken(
    checkout: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    # A name may exist and still not run, as version managers make them.
    tools = checkout.parent / "tools"
    tools.mkdir()
    (tools / "python3.13").write_text("#!/bin/sh\nexit 127\n")
    (tools / "python3.12").write_text(PRETENDER)
    for tool in tools.iterdir():
        tool.chmod(0o755)
    monkeypatch.delenv("PYTHON")
    monkeypatch.setenv("PATH", str(tools), prepend=os.pathsep)
    assert run(checkout, "-h").returncode == 0
    assert calls(checkout)[0] == f"-m venv --clear {checkout}/.venv"
