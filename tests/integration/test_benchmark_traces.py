"""What a run believed, as a table and as a figure."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from automl.benchmark.hpo.closed_form import branin, conditional
from automl.benchmark.hpo.methods import make_method
from automl.benchmark.hpo_plots import plot_ranks, plot_trace
from automl.benchmark.hpo_traces import trace_of
from automl.errors import InputError


def test_weights_of_a_run_start_on_the_forest_and_sum_to_one(tmp_path: Path) -> None:
    problem = conditional()
    method = make_method("densbo_0.5", problem.space, 0)
    trace = trace_of(problem, method, "densbo_weight_", n_evaluations=14, batch_size=2)
    assert trace["evaluation"].tolist() == list(range(9, 15))
    weights = trace.drop(columns="evaluation")
    assert weights.iloc[0]["random_forest"] == 1.0
    assert weights.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert len(weights.drop_duplicates()) > 1
    pytest.importorskip("matplotlib")
    plot_trace(trace, tmp_path / "weights.png", label="weight")
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")


def test_a_method_without_such_beliefs_is_refused() -> None:
    method = make_method("random", branin().space, 0)
    with pytest.raises(InputError, match="wei_"):
        trace_of(branin(), method, "wei_", n_evaluations=3, batch_size=1)


def test_ranks_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [(e, m, 1.5, 1.0, 2.0) for e in (1, 2) for m in ("a", "b")]
    ranks = pd.DataFrame(rows, columns=["evaluation", "method", "rank", "low", "high"])
    plot_ranks(ranks, tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").stat().st_size > 1_000
