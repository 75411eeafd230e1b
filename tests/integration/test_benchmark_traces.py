"""What a run believed, as a table and as a figure."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from automl.benchmark.hpo.closed_form import branin, conditional
from automl.benchmark.hpo.methods import METHODS, make_method, traced_beliefs
from automl.benchmark.hpo.run_store import RunSettings
from automl.benchmark.hpo_plots import plot_alphas, plot_ranks, plot_trace
from automl.benchmark.hpo_traces import trace_of
from automl.errors import InputError


def test_weights_of_a_run_start_on_the_forest_and_sum_to_one(tmp_path: Path) -> None:
    problem = conditional()
    method = make_method("densbo_0.5", problem.space, 0, 6)
    settings = RunSettings(n_evaluations=14, batch_size=2, n_initial=8)
    trace = trace_of(problem, method, "densbo_weight_", settings)
    assert trace["evaluation"].tolist() == list(range(9, 15))
    weights = trace.drop(columns="evaluation")
    assert weights.iloc[0]["random_forest"] == 1.0
    assert weights.sum(axis=1).to_numpy() == pytest.approx(1.0)
    assert len(weights.drop_duplicates()) > 1
    pytest.importorskip("matplotlib")
    plot_trace(trace, tmp_path / "weights.png", label="weight")
    assert (tmp_path / "weights.png").read_bytes().startswith(b"\x89PNG")


TRACED = (
    *("densbo_0.1", "densbo_0.5", "densbo_0.9", "densbo_1.0", "equal_weights"),
    *("gp_sawei", "gp_sawei_deviations", "gp_steps_ei_to_pi", "gp_steps_pi_to_ei", "gp_pulse"),
)


@pytest.mark.parametrize("method", [name for name in METHODS if name not in TRACED])
def test_methods_without_such_beliefs_are_told_at_once(method: str) -> None:
    with pytest.raises(InputError, match=f"--method {method} has no beliefs.*densbo_0.5"):
        traced_beliefs(method)


@pytest.mark.parametrize("method", TRACED)
def test_beliefs_are_found_by_their_names(method: str) -> None:
    prefix = traced_beliefs(method)
    run = RunSettings(n_evaluations=11, batch_size=1, n_initial=8)
    made = make_method(method, branin().space, 0, 3)
    assert len(trace_of(branin(), made, prefix, run)) == 3


def test_a_method_without_such_beliefs_is_refused() -> None:
    method = make_method("random", branin().space, 0, 1)
    with pytest.raises(InputError, match="wei_"):
        trace_of(branin(), method, "wei_", RunSettings(n_evaluations=3, batch_size=1, n_initial=2))


@pytest.mark.parametrize("evaluations", [(1, 2, 3), (1, 2, 4, 5)])
def test_ranks_are_drawn(evaluations: tuple[int, ...], tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [(e, m, 1.5, 1.0, 2.0) for e in evaluations for m in ("a", "b")]
    ranks = pd.DataFrame(rows, columns=["evaluation", "method", "rank", "low", "high"])
    plot_ranks(ranks, tmp_path / "ranks.png")
    assert (tmp_path / "ranks.png").stat().st_size > 1_000


def test_weights_of_exploitation_are_drawn(tmp_path: Path) -> None:
    pytest.importorskip("matplotlib")
    rows = [("bbob", e, m, 0.5, 0.4, 0.6) for e in (1, 2) for m in ("gp_sawei", "gp_pulse")]
    columns = ["family", "evaluation", "method", "alpha", "low", "high"]
    plot_alphas(pd.DataFrame(rows, columns=columns), tmp_path / "alphas.png")
    assert (tmp_path / "alphas.png").stat().st_size > 1_000
