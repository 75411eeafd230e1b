"""The help of the command line, and what it costs to show it."""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from automl.cli import main

ROOT = Path(__file__).parents[2]
COMMANDS = ("fit", "predict", "leaderboard", "demo")


@pytest.mark.parametrize("command", COMMANDS)
def test_help_of_a_command_has_an_example(
    command: str, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "100")
    with pytest.raises(SystemExit) as end:
        main((command, "--help"))
    assert end.value.code == 0
    text = capsys.readouterr().out
    assert text.startswith(f"usage: automl {command}")
    assert f"example:\n  automl {command}" in text


def test_help_names_the_units_and_the_commands(capsys: pytest.CaptureFixture[str]) -> None:
    texts = {}
    for argv in ((), ("fit",), ("predict",), ("leaderboard",)):
        with pytest.raises(SystemExit):
            main((*argv, "--help"))
        texts["".join(argv)] = " ".join(capsys.readouterr().out.split())
    assert all(command in texts[""] for command in COMMANDS)
    assert all("3 saved, but no trial gave a model" in texts[name] for name in ("", "fit"))
    assert "--time-limit SECONDS" in texts["fit"]
    assert "--memory-limit MIB" in texts["fit"]
    assert "only load models you trust" in texts["predict"]
    assert "only load models you trust" in texts["leaderboard"]


def test_version_is_that_of_the_distribution(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as end:
        main(("--version",))
    assert end.value.code == 0
    assert re.fullmatch(r"divbo (\d+\.\d+\.\d+\S*|\(not installed\))\n", capsys.readouterr().out)


def test_help_loads_none_of_the_heavy_packages() -> None:
    # The package's own __init__ stands aside, so that only what the command line asks for counts.
    code = (
        "import sys, types\n"
        "package = types.ModuleType('automl')\n"
        f"package.__path__ = [{str(ROOT / 'automl')!r}]\n"
        "sys.modules['automl'] = package\n"
        "from automl.cli import main\n"
        "try:\n    main(['fit', '--help'])\n"
        "except SystemExit:\n    pass\n"
        "heavy = {'numpy', 'pandas', 'sklearn', 'rich', 'joblib', 'ConfigSpace'}\n"
        "raise SystemExit(', '.join(heavy & set(sys.modules)) or 0)"
    )
    ended = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    )
    assert (ended.returncode, ended.stderr) == (0, "")
