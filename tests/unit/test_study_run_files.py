"""Run files of the study: what is read, what is missing, what is wrong."""

from __future__ import annotations

import pickle
from pathlib import Path

import numpy as np
import pytest
from fakes.study_folder import SEARCHES, write_run, write_study

from automl.benchmark.stored_runs import DamagedRunError
from automl.benchmark.study.run_files import check_whole
from automl.benchmark.study_report.report import report
from automl.benchmark.study_report.run_files import read_study, read_surrogates
from automl.errors import InputError

TRIALS = {"validation_loss": [0.3, None, 0.2], "es_validation": [0.3, None, 0.2]}


def test_trials_are_counted_from_one_in_their_order_and_unknown_losses_are_nan(
    tmp_path: Path,
) -> None:
    path = write_run(tmp_path, ("wind", "rs", 3), TRIALS, {"single": (0.2, 0.25)})
    lines = path.read_text(encoding="utf-8").splitlines(keepends=True)
    path.write_text("".join([*lines[:2], *lines[:1:-1]]), encoding="utf-8")  # rows the other way
    trials = read_study(tmp_path).trials
    assert trials["step"].tolist() == [1, 2, 3]
    assert trials["trial"].tolist() == [0, 1, 2]
    np.testing.assert_array_equal(trials["validation_loss"], [0.3, np.nan, 0.2])
    assert trials["distance"].isna().all()
    assert (trials[["dataset", "search", "seed"]] == ["wind", "rs", 3]).to_numpy().all()


def test_designs_get_the_names_of_the_paper(tmp_path: Path) -> None:
    designs = {"single": (0.2, 0.25), "es_25": (0.1, None), "es_100": (0.1, 0.2)}
    write_run(tmp_path, ("wind", "divbo", 0), TRIALS, designs)
    write_run(tmp_path, ("wind", "divbo_gaussian_process", 0), TRIALS, {"es_25": (0.1, 0.2)})
    finals = read_study(tmp_path).finals
    assert finals["method"].tolist() == [
        "DivBO-",
        "DivBO",
        "divbo/es_100",
        "divbo_gaussian_process/es_25",
    ]
    np.testing.assert_array_equal(finals["test"], [0.25, np.nan, 0.2, 0.2])


def test_members_are_ordered_by_age_with_their_rows_and_columns(tmp_path: Path) -> None:
    write_run(tmp_path, ("wind", "bo", 0), TRIALS, {"single": (0.2, 0.2)}, members=(7, 1, 4))
    (ensemble,) = read_study(tmp_path).ensembles
    assert ensemble.members == (1, 4, 7)  # were rows 1, 2, 0, with 0.1 |i - j|
    np.testing.assert_allclose(ensemble.pairwise, [[0, 0.1, 0.1], [0.1, 0, 0.2], [0.1, 0.2, 0]])


def test_a_run_needs_both_files_and_what_is_missing_is_named(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=2)
    (tmp_path / "runs/quake/bo/1.json").unlink()
    (tmp_path / "runs/wind/rs/0.csv").unlink()
    study = read_study(tmp_path)
    assert study.unfinished == ("quake/bo/1.csv", "wind/rs/0.json")
    missing = [tuple(row) for row in study.missing_runs().itertuples(index=False)]
    assert missing == [("quake", "bo", 1), ("wind", "rs", 0)]
    assert len(study.trials) == (2 * 2 * len(SEARCHES) - 2) * 4
    assert study.origins == ("n_trials=3; divbo=0.1.0; a machine",)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "is empty"),
        ("# settings\ntrial,seconds\n0,1\n", "has no column validation_loss"),
        ('# settings\na,b\n1,2\n1,2,3,4\n"\n', "has a line that is too short or too long"),
        ("# settings\ntrial,seco", "has no column validation_loss"),
        ("# settings\n", "is no table"),
    ],
)
def test_a_broken_table_is_named(tmp_path: Path, text: str, message: str) -> None:
    path = write_run(tmp_path, ("wind", "rs", 0), TRIALS, {"single": (0.2, 0.2)})
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=rf"rs/0\.csv {message}"):
        read_study(tmp_path)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "[]",
        "{}",
        '{"designs": 3}',
        '{"designs": {"single": 3}}',
        '{"designs": {"a": {"test": "x"}}}',
    ],
)
def test_a_broken_result_is_named(tmp_path: Path, text: str) -> None:
    path = write_run(tmp_path, ("wind", "rs", 0), TRIALS, {"single": (0.2, 0.2)})
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"rs/0\.json has not the errors"):
        read_study(tmp_path)


def test_a_matrix_that_does_not_fit_its_members_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, ("wind", "rs", 0), TRIALS, {"single": (0.2, 0.2)})
    text = '{"designs": {}, "members": [1, 2], "pairwise": [[0.0]]}'
    path.with_suffix(".json").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match="has not a row and a column of 'pairwise' for each"):
        read_study(tmp_path)


def test_a_file_that_is_not_named_by_a_seed_is_refused(tmp_path: Path) -> None:
    path = write_run(tmp_path, ("wind", "rs", 0), TRIALS, {"single": (0.2, 0.2)})
    for suffix in (".csv", ".json"):
        path.with_suffix(suffix).rename(path.with_name(f"first{suffix}"))
    with pytest.raises(InputError, match=r"first\.json is not named by its seed"):
        read_study(tmp_path)


DAMAGES: dict[str, tuple[str, bytes | tuple[bytes, bytes]]] = {
    "not in UTF-8": ("wind/rs/0.csv", b"\xff\xfe\xff\n"),
    "words for numbers": ("wind/rs/0.csv", (b"success,,,,", b"success,,,word,")),
    "a long line": ("wind/rs/0.csv", (b"success,", b"success,,,")),
    "half a line": ("wind/rs/0.csv", (b"3,success,", b"3,succ")),
    "half a result": ("wind/rs/0.json", b'{"designs": {"single": {"valid'),
    "ragged matrix": (
        "wind/rs/0.json",
        b'{"designs": {}, "members": [1, 2], "pairwise": [[0.0, 0.1], [0.1]]}',
    ),
}


@pytest.mark.parametrize("name", DAMAGES)
def test_damaged_files_are_named_and_the_others_are_told(tmp_path: Path, name: str) -> None:
    write_study(tmp_path, n_seeds=1)
    place, content = DAMAGES[name]
    path = tmp_path / "runs" / place
    if isinstance(content, tuple):
        whole = path.read_bytes()
        assert content[0] in whole
        content = whole.replace(*content, 1)
        if name == "half a line":
            content = content[: content.rindex(b"3,succ") + 6]
    path.write_bytes(content)
    study = read_study(tmp_path)
    (line,) = study.damaged
    assert line.startswith(f"{path} ")
    assert line.endswith(": delete it and run again.")
    assert [tuple(row) for row in study.missing_runs().itertuples(index=False)] == [
        ("wind", "rs", 0)
    ]
    assert len(study.trials) == 4 * (2 * len(SEARCHES) - 1)
    assert f"Damaged, left out (1):\n\n- {path} " in report(study)


def test_runs_of_other_versions_settings_or_data_are_told_with_a_warning(tmp_path: Path) -> None:
    write_study(tmp_path, n_seeds=2, searches=("rs", "divbo"))
    assert read_study(tmp_path).mixtures == ()
    first = "# n_trials=3; divbo=0.1.0; a machine\n"
    for place, changed in {
        "quake/rs/0": "# n_trials=3; divbo=0.2.0; a machine; data=quake:12\n",
        "quake/rs/1": "# n_trials=3; divbo=0.1.0; a machine; data=quake:34\n",
        "wind/rs/0": "# n_trials=4; divbo=0.1.0; another; data=wind:56\n",
    }.items():
        path = tmp_path / "runs" / f"{place}.csv"
        path.write_text(path.read_text(encoding="utf-8").replace(first, changed), encoding="utf-8")
    study = read_study(tmp_path)
    assert study.mixtures == (
        "Runs with different settings are mixed (number of runs): n_trials 3 (7), 4 (1).",
        "Runs with different versions of packages are mixed (number of runs): divbo 0.1.0 (7), "
        "0.2.0 (1).",
        "Runs with different data are mixed (number of runs): quake (unknown) (2), 12 (1), 34 (1).",
        "Runs with different data are mixed (number of runs): wind (unknown) (3), 56 (1).",
    )
    assert study.origins == (  # data are told where they differ
        "n_trials=3; divbo=0.1.0; a machine",
        "n_trials=3; divbo=0.2.0; a machine",
        "n_trials=4; divbo=0.1.0; another",
    )
    assert f"\n**Warning:** {study.mixtures[1]}\n" in report(study)


def test_surrogates_are_read_where_they_are(tmp_path: Path) -> None:
    assert read_surrogates(tmp_path) is None
    path = tmp_path / "surrogates.csv"
    path.write_text("# settings\ndataset,surrogate,n_observations,seed,tau\nwind,lgb,50,0,0.4\n")
    found = read_surrogates(tmp_path)
    assert found is not None
    assert found["tau"].tolist() == [0.4]
    path.write_text("dataset,tau\nwind,0.4\n")
    with pytest.raises(InputError, match="has not the columns dataset, surrogate, n_observations"):
        read_surrogates(tmp_path)
    path.write_text("# s\ndataset,surrogate,n_observations,seed,tau\nwind,lgb,5x,0,0.4\n")
    with pytest.raises(InputError, match=r"\.csv is damaged: delete it and run again"):
        read_surrogates(tmp_path)


@pytest.mark.parametrize("n_lines", [2, 3, 5])
def test_a_table_that_lost_trials_is_damaged_and_not_run(tmp_path: Path, n_lines: int) -> None:
    write_study(tmp_path, n_seeds=1)
    path = tmp_path / "runs" / "wind" / "rs" / "0.csv"
    path.write_text("".join(path.read_text().splitlines(keepends=True)[:n_lines]))
    assert read_study(tmp_path).damaged == (f"{path} is damaged: delete it and run again.",)
    with pytest.raises(InputError, match=r"rs/0\.csv is damaged: delete it and run again"):
        check_whole(path)


def test_what_is_said_of_damage_survives_the_way_between_processes() -> None:
    error = DamagedRunError.of(Path("runs/0.csv"), "is empty")
    assert str(pickle.loads(pickle.dumps(error))) == "runs/0.csv is empty: delete it and run again."


@pytest.mark.parametrize("content", ["", "[]", "{}", '{"designs": {}}', '{"designs"'])
def test_a_summary_without_errors_is_damaged(tmp_path: Path, content: str) -> None:
    write_study(tmp_path, n_seeds=1)
    path = tmp_path / "runs" / "wind" / "rs" / "0.csv"
    path.with_suffix(".json").write_text(content)
    (line,) = read_study(tmp_path).damaged
    assert line.startswith(f"{path.with_suffix('.json')} ")
    assert line.endswith(": delete it and run again.")
    with pytest.raises(InputError, match=r"rs/0\.json is damaged: delete it and run again"):
        check_whole(path)
