"""Two processes collect the same tests: what spreads tests over workers refuses anything else."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

import automl

ROOT = Path(automl.__file__).resolve().parents[1]


def start_collecting(hash_seed: str) -> subprocess.Popen[str]:
    environment = {k: v for k, v in os.environ.items() if not k.startswith("PYTEST_")}
    return subprocess.Popen(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", "tests"],
        stdout=subprocess.PIPE,
        text=True,
        cwd=ROOT,
        env=environment | {"PYTHONHASHSEED": hash_seed},
    )


@pytest.mark.slow
def test_names_of_tests_depend_neither_on_the_clock_nor_on_the_hash_seed() -> None:
    first = start_collecting("1")
    time.sleep(1.1)  # gzip and file times count whole seconds
    second = start_collecting("2")
    collected = [
        {line for line in process.communicate()[0].splitlines() if "::" in line}
        for process in (first, second)
    ]
    assert (first.returncode, second.returncode) == (0, 0)
    assert collected[0]
    assert collected[0] == collected[1]
