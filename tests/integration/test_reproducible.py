"""The same seed gives the same result: in any process, and with any number of workers."""

from __future__ import annotations

import os
import random
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from fakes import repeatable_fit
from fakes.repeatable_fit import repeatable, result, table

pytestmark = pytest.mark.slow


def in_a_process(hash_seed: int) -> str:
    environment = os.environ | {"PYTHONHASHSEED": str(hash_seed)}
    command = [sys.executable, str(repeatable_fit.__file__)]
    done = subprocess.run(command, env=environment, check=True, capture_output=True, text=True)
    return done.stdout


def test_another_process_with_another_hash_seed_gives_the_same_result() -> None:
    here = result(repeatable().fit(*table()))
    assert in_a_process(1) == here


def test_one_and_two_workers_agree_if_asked_to() -> None:
    alone = result(repeatable(deterministic=True, n_jobs=1).fit(*table()))
    assert result(repeatable(deterministic=True, n_jobs=2).fit(*table())) == alone


def test_a_deterministic_search_is_extended_alike_by_any_number_of_workers(tmp_path: Path) -> None:
    def extended(n_jobs: int) -> str:
        folder = tmp_path / str(n_jobs)
        clf = repeatable(deterministic=True, n_jobs=n_jobs, n_trials=5, work_dir=folder)
        return result(clf.fit(*table()).fit_more(n_trials=3))

    assert extended(1) == extended(3)


def test_workers_without_work_are_named() -> None:
    clf = repeatable(deterministic=True, n_jobs=5, n_trials=2).fit(*table())
    assert [str(change) for change in clf.changes_ if "workers" in change.subject] == [
        "1 of 5 workers not used: deterministic=True runs 4 evaluations at the same time at most"
    ]


def test_random_generators_of_the_caller_are_neither_used_nor_changed() -> None:
    results = []
    for seed in (0, 1):
        np.random.seed(seed)  # noqa: NPY002 - what a caller may have done
        random.seed(seed)
        before = np.random.get_state()[1].tolist(), random.getstate()  # type: ignore[index]  # noqa: NPY002
        results.append(result(repeatable(n_trials=3).fit(*table())))
        assert before == (np.random.get_state()[1].tolist(), random.getstate())  # type: ignore[index]  # noqa: NPY002
    assert results[0] == results[1]
