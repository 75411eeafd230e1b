"""What importing the package costs, and in which direction imports point."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path

import pytest

import automl

ROOT = Path(automl.__file__).resolve().parents[1]
HEAVY = ("matplotlib", "openml", "dask", "distributed", "xgboost", "torch")


def modules_after(statement: str) -> set[str]:
    """Return the top-level modules that a fresh process holds after a statement."""
    code = (
        f"{statement}\nimport json, sys\n"
        "sys.stdout.write(json.dumps(sorted({name.split('.')[0] for name in sys.modules})))"
    )
    ended = subprocess.run(
        [sys.executable, "-W", "error", "-c", code],
        capture_output=True,
        check=True,
        text=True,
        cwd=ROOT,
    )
    return set(json.loads(ended.stdout))


@pytest.fixture(scope="module")
def imported() -> set[str]:
    return modules_after("from automl import AutoClassifier")


@pytest.mark.slow
@pytest.mark.parametrize("heavy", HEAVY)
def test_importing_the_estimator_leaves_what_is_heavy_alone(heavy: str, imported: set[str]) -> None:
    assert heavy not in imported


def test_importing_the_package_alone_needs_nothing_beyond_python() -> None:
    # `python -m automl --help` and the processes of evaluations should not wait for what they
    # do not use.
    assert not modules_after("import automl") & {"numpy", "sklearn", "pandas", "ConfigSpace"}


@pytest.mark.slow
def test_imports_point_downwards() -> None:
    pytest.importorskip("importlinter")
    # In a process of its own: it configures logging, which switches the loggers of others off.
    code = (
        "from importlinter.cli import lint_imports; "
        f"raise SystemExit(lint_imports(config_filename={str(ROOT / 'pyproject.toml')!r}, "
        "no_cache=True))"
    )
    ended = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=ROOT)
    assert ended.returncode == 0, ended.stdout
