"""Writes the run files of a made-up study."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import pandas as pd

COLUMNS = (
    *("trial", "status", "learner", "origin", "validation_loss", "test_loss", "seconds"),
    *("propose_seconds", "es_validation", "es_test", "single_validation", "single_test"),
    *("in_pool", "distance", "members_validation", "own_validation", "own_test"),
)
DESIGNS = ("single", "es_25", "es_100", "bagging_5", "stacking_5")
SEARCHES = ("rs", "bo", "rb", "eo", "nes", "divbo")


def write_run(
    folder: Path,
    run: tuple[str, str, int],
    trials: Mapping[str, Sequence[object]],
    designs: Mapping[str, tuple[float | None, float | None]],
    members: Sequence[int] = (2, 0),
) -> Path:
    """Write both files of a run; columns that are not given stay empty. Return the table's path."""
    dataset, search, seed = run
    path = folder / "runs" / dataset / search / f"{seed}.csv"
    path.parent.mkdir(parents=True, exist_ok=True)
    n = len(next(iter(trials.values())))
    frame = pd.DataFrame({"trial": range(n), "status": "success", **trials})
    frame = frame.reindex(columns=[*COLUMNS, *(name for name in trials if name not in COLUMNS)])
    with path.open("w", encoding="utf-8") as file:
        file.write("# n_trials=3; divbo=0.1.0; a machine\n")
        frame.to_csv(file, index=False)
    m = len(members)
    content = {
        "trials": n,
        "designs": {k: {"validation": v, "test": t} for k, (v, t) in designs.items()},
        "members": list(members),
        "weights": [1.0 / m] * m,
        "pairwise": [[0.1 * abs(i - j) for j in range(m)] for i in range(m)],
    }
    path.with_suffix(".json").write_text(json.dumps(content), encoding="utf-8")
    return path


def write_study(
    folder: Path,
    *,
    datasets: Sequence[str] = ("quake", "wind"),
    searches: Sequence[str] = SEARCHES,
    n_seeds: int = 2,
    n_trials: int = 4,
) -> None:
    """Write runs in which later searches of the list are better, each with a failed trial."""
    for k, search in enumerate(searches):
        for dataset in datasets:
            for seed in range(n_seeds):
                rng = np.random.default_rng([k, len(dataset), seed])
                error = np.sort(0.4 - 0.02 * k + 0.05 * rng.random(n_trials))[::-1].tolist()
                tried: list[object] = [None, *error[1:]]
                in_pool = [0, *[1] * (n_trials - 1)]
                columns = ("validation_loss", "test_loss", "es_validation", "es_test")
                single = ("single_validation", "single_test")
                others = (*single, "distance", "members_validation")
                trials = {name: tried for name in (*columns, *others)}
                own = ("own",) if search == "eo" else ()
                trials |= {
                    f"{name}_{part}": tried for name in own for part in ("validation", "test")
                }
                last = error[-1]
                designs = {d: (last - 0.01 * (d != "single"), last) for d in (*DESIGNS, *own)}
                write_run(folder, (dataset, search, seed), {**trials, "in_pool": in_pool}, designs)
