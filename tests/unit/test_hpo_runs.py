"""Runs of methods on problems: what is asked and told, what is kept, what is run again."""

from __future__ import annotations

import math
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from ConfigSpace import Configuration, ConfigurationSpace
from fakes.samplers import RandomSearch

from automl.benchmark.hpo.closed_form import ClosedForm, branin, conditional
from automl.benchmark.hpo.methods import METHODS, AskTell, MakeMethod, make_method
from automl.benchmark.hpo.run_store import RunKey, RunSettings, RunStore, read_runs
from automl.benchmark.hpo_runs import Run, evaluations_of, run_missing
from automl.errors import InputError

SETTINGS = RunSettings(n_evaluations=10, batch_size=4, n_initial=3)


@dataclass
class Recorder:
    """Random search that notes its calls."""

    search: RandomSearch
    calls: list[str] = field(default_factory=list)
    told: list[float] = field(default_factory=list)

    def ask(self, n: int) -> list[Configuration]:
        """Note the size of the batch."""
        self.calls.append(f"ask {n}")
        return self.search.ask(n)

    def tell(self, configuration: Configuration, loss: float) -> None:
        """Note the loss, which must be that of the configuration."""
        assert loss == branin().evaluate(configuration)
        self.calls.append("tell")
        self.told.append(loss)


@pytest.fixture
def made() -> list[Recorder]:
    return []


@pytest.fixture
def record(made: list[Recorder]) -> MakeMethod:
    def make(_: str, space: ConfigurationSpace, seed: int, n_proposals: int) -> AskTell:
        assert n_proposals == 7
        made.append(Recorder(RandomSearch(space, seed)))
        return made[-1]

    return make


def run(seed: int = 0, method: str = "random") -> Run:
    return Run(problem=branin(), method=method, seed=seed)


def test_batches_follow_the_initial_design_and_the_last_one_is_cut(
    made: list[Recorder], record: MakeMethod
) -> None:
    rows = evaluations_of(run(), SETTINGS, record)
    tells = ["tell"]
    assert made[0].calls == [
        *("ask 3", *tells * 3),
        *("ask 4", *tells * 4),
        *("ask 3", *tells * 3),
    ]
    assert [row.loss for row in rows] == made[0].told


def test_the_best_so_far_is_the_running_minimum() -> None:
    rows = evaluations_of(run(), SETTINGS)
    assert [row.evaluation for row in rows] == list(range(1, 11))
    assert [row.best for row in rows] == [min(row.loss for row in rows[: n + 1]) for n in range(10)]
    assert all(row.seconds > 0.0 and math.isnan(row.training_seconds) for row in rows)


def test_a_problem_that_knows_training_times_has_them_recorded() -> None:
    class Timed:
        name, space, optimum = "timed", branin().space, None

        def evaluate(self, configuration: Configuration) -> float:
            """Return one of the variables."""
            return float(configuration["x1"])

        def seconds(self, configuration: Configuration) -> float:
            """Return a function of the loss."""
            return float(configuration["x1"]) + 100.0

    rows = evaluations_of(Run(problem=Timed(), method="random", seed=0), SETTINGS)
    assert [row.training_seconds for row in rows] == [row.loss + 100.0 for row in rows]


def test_a_run_depends_on_its_seed_and_on_nothing_else() -> None:
    problem = conditional()
    losses = [
        [e.loss for e in evaluations_of(Run(problem=problem, method="random", seed=s), SETTINGS)]
        for s in (0, 1, 0)
    ]
    assert losses[0] == losses[2] != losses[1]


def test_random_search_depends_on_no_batch_size() -> None:
    one_by_one = RandomSearch(branin().space, 3)
    at_once = RandomSearch(branin().space, 3)
    assert [c for _ in range(5) for c in one_by_one.ask(1)] == at_once.ask(5)


def test_what_is_stored_comes_back_exactly(tmp_path: Path) -> None:
    store = RunStore(tmp_path, SETTINGS)
    rows = evaluations_of(run(seed=7), SETTINGS)
    store.write(run(seed=7).key, rows)
    frame = read_runs(tmp_path)
    assert frame["best"].tolist() == [row.best for row in rows]
    assert frame["seconds"].tolist() == [row.seconds for row in rows]
    assert frame[["problem", "method", "seed"]].drop_duplicates().values.tolist() == [
        ["branin", "random", 7]
    ]
    assert list(tmp_path.rglob("*.partial")) == []


def test_a_finished_run_is_skipped_and_a_half_finished_one_starts_again(
    tmp_path: Path, made: list[Recorder], record: MakeMethod
) -> None:
    store = RunStore(tmp_path, SETTINGS)
    store.write(run(seed=0).key, evaluations_of(run(seed=0), SETTINGS))
    torn = tmp_path / "branin" / "random" / "1.4711.partial"
    torn.write_text("# n_evaluations=10 batch_size=4 n_initial=3; ...\nproblem,meth")
    ended = list(run_missing([run(seed=0), run(seed=1)], store, make=record))
    assert [e.key.seed for e in ended] == [1]
    assert len(made) == 1
    assert len(read_runs(tmp_path)) == 20
    assert list(run_missing([run(seed=0), run(seed=1)], store, make=record)) == []


def test_runs_with_other_settings_are_not_mixed(tmp_path: Path) -> None:
    list(run_missing([run()], RunStore(tmp_path, SETTINGS)))
    longer = RunStore(tmp_path, RunSettings(n_evaluations=11, batch_size=4, n_initial=3))
    with pytest.raises(InputError, match="was run with n_evaluations=10 batch_size=4"):
        list(run_missing([run()], longer))


def test_other_settings_are_found_in_runs_that_are_not_wanted(tmp_path: Path) -> None:
    list(run_missing([run(seed=0)], RunStore(tmp_path, SETTINGS)))
    longer = RunStore(tmp_path, RunSettings(n_evaluations=11, batch_size=4, n_initial=3))
    with pytest.raises(InputError, match="was run with n_evaluations=10 batch_size=4"):
        list(run_missing([run(seed=1)], longer))
    longer.write(run(seed=1).key, evaluations_of(run(seed=1), longer.settings))
    with pytest.raises(InputError, match="was run with n_evaluations=11"):
        read_runs(tmp_path)


@pytest.mark.parametrize("n_lines", [0, 1, 2, 8])
def test_a_run_that_lost_lines_is_damaged(tmp_path: Path, n_lines: int) -> None:
    store = RunStore(tmp_path, SETTINGS)
    list(run_missing([run()], store))
    path = tmp_path / "branin" / "random" / "0.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:n_lines]))
    for use in (lambda: read_runs(tmp_path), lambda: list(run_missing([run()], store))):
        with pytest.raises(InputError, match="damaged: delete it and run again"):
            use()


def test_tables_of_a_report_are_no_runs(tmp_path: Path) -> None:
    list(run_missing([run()], RunStore(tmp_path, SETTINGS)))
    runs = read_runs(tmp_path)
    (tmp_path / "frames").mkdir()
    runs.to_csv(tmp_path / "frames" / "best.csv", index=False)
    assert len(read_runs(tmp_path)) == len(runs)


class Broken:
    """A method that fails in one of several ways."""

    def __init__(self, how: str, space: ConfigurationSpace) -> None:
        self.how, self.search = how, RandomSearch(space, 0)

    def ask(self, n: int) -> list[Configuration]:
        """Return too few, or raise."""
        if self.how == "raises":
            raise ZeroDivisionError
        return self.search.ask(n - 1 if self.how == "too few" else n)

    def tell(self, configuration: Configuration, loss: float) -> None:
        """Learn nothing."""


def make_broken(method: str, space: ConfigurationSpace, seed: int, _: int) -> AskTell:
    return RandomSearch(space, seed) if method == "random" else Broken(method, space)


@pytest.mark.parametrize(
    ("how", "reason"),
    [("raises", "ZeroDivisionError"), ("too few", "3 configurations were asked, 2 came")],
)
def test_a_run_that_fails_is_named_and_ends_no_other(how: str, reason: str, tmp_path: Path) -> None:
    store = RunStore(tmp_path, SETTINGS)
    failed, finished = run_missing([run(method=how), run()], store, make=make_broken)
    assert failed.key == RunKey(problem="branin", method=how, seed=0)
    assert reason in failed.failure
    assert finished.failure == ""
    assert [store.holds(e.key) for e in (failed, finished)] == [False, True]


def test_a_loss_that_is_no_number_is_a_failure(tmp_path: Path) -> None:
    base = branin()
    problem = ClosedForm(
        name="nan", space=base.space, formula=lambda _: math.nan, optimum=0.0, minimisers=()
    )
    (ended,) = run_missing(
        [Run(problem=problem, method="random", seed=0)], RunStore(tmp_path, SETTINGS)
    )
    assert "is nan" in ended.failure


def test_an_unknown_method_ends_the_benchmark_at_once(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="No method is called 'magic'; there are random"):
        list(run_missing([run(method="magic"), run()], RunStore(tmp_path, SETTINGS)))
    with pytest.raises(InputError, match="holds no slash"):
        RunStore(tmp_path, SETTINGS).holds(run(method="a/b").key)


def test_an_empty_folder_and_impossible_settings_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="holds no runs"):
        read_runs(tmp_path)
    with pytest.raises(InputError, match="must be positive"):
        RunSettings(n_evaluations=10, batch_size=0, n_initial=1)


@pytest.mark.slow
def test_several_processes_find_what_one_finds(tmp_path: Path) -> None:
    runs = [
        Run(problem=p, method="random", seed=s) for p in (branin(), conditional()) for s in (0, 1)
    ]
    folders = {n_jobs: tmp_path / str(n_jobs) for n_jobs in (1, 2)}
    for n_jobs, folder in folders.items():
        ended = list(run_missing(runs, RunStore(folder, SETTINGS), n_jobs=n_jobs, make=make_method))
        assert {e.failure for e in ended} == {""}
    one, two = (read_runs(folder)["loss"].tolist() for folder in folders.values())
    assert one == two
    assert len(one) == 40


@pytest.mark.parametrize("name", METHODS)
def test_every_method_runs(name: str) -> None:
    rows = evaluations_of(
        Run(problem=branin(), method=name, seed=0),
        RunSettings(n_evaluations=12, batch_size=1, n_initial=8),
    )
    assert len({row.loss for row in rows}) == 12


def test_the_weight_of_exploitation_is_kept(tmp_path: Path) -> None:
    settings = RunSettings(n_evaluations=13, batch_size=1, n_initial=8)
    store = RunStore(tmp_path, settings)
    for name in ("gp_steps_ei_to_pi", "gp_switch_at_50", "random"):
        run = Run(problem=branin(), method=name, seed=0)
        store.write(run.key, evaluations_of(run, settings))
    runs = read_runs(tmp_path).set_index(["method", "evaluation"])["alpha"].unstack()
    assert runs.loc["gp_steps_ei_to_pi", 9:].tolist() == [0.5, 0.625, 0.75, 0.875, 1.0]
    assert runs.loc["gp_steps_ei_to_pi", :8].isna().all()
    assert runs.loc[["gp_switch_at_50", "random"]].isna().all(axis=None)


def test_runs_without_a_column_are_read(tmp_path: Path) -> None:
    store = RunStore(tmp_path, SETTINGS)
    store.write(run().key, evaluations_of(run(), SETTINGS))
    (path,) = tmp_path.rglob("*.csv")
    lines = path.read_text().splitlines()
    path.write_text("\n".join([lines[0], *(line.rpartition(",")[0] for line in lines[1:])]))
    assert read_runs(tmp_path)["alpha"].isna().all()
