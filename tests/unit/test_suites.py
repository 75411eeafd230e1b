"""Named lists of data sets."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path

import pytest
from fakes.openml_cache import write_dataset

from automl.benchmark import suites
from automl.benchmark.bundled import load_bundled
from automl.benchmark.suites import SuiteEntry, load_entry, suite, suite_names
from automl.errors import InputError


def quake_as(data_id: int, also: int | None = None, rows: int = 2178) -> SuiteEntry:
    return SuiteEntry(
        name="tremor",
        data_id=data_id,
        also=also,
        task_id=None,
        rows=rows,
        columns=3,
        classes=None,
        is_bundled=False,
    )


def test_the_suites_are_those_of_the_paper_of_openml_and_a_quick_one() -> None:
    assert {name: len(suite(name)) for name in suite_names()} == {
        "divbo": 15,
        "openml-cc18": 72,
        "quick": 4,
    }


@pytest.mark.parametrize("name", suite_names())
def test_no_data_set_is_twice_in_a_suite(name: str) -> None:
    for numbers in zip(*[(e.name, e.data_id) for e in suite(name)], strict=True):
        assert max(Counter(numbers).values()) == 1


def test_the_suite_of_the_paper_has_its_numbers_and_sizes() -> None:
    by_name = {entry.name: entry for entry in suite("divbo")}
    assert {name: e.data_id for name, e in by_name.items()} == {
        "amazon_employee": 43900,
        "bank32nh": 833,
        "cpu_act": 761,
        "cpu_small": 735,
        "eeg": 1471,
        "elevators": 846,
        "house_8L": 843,
        "pol": 722,
        "pollen": 871,
        "puma32H": 752,
        "quake": 772,
        "satimage": 182,
        "spambase": 44,
        "wind": 847,
        "2dplanes": 727,
    }
    assert [name for name, e in by_name.items() if e.classes != 2] == ["satimage"]
    assert by_name["amazon_employee"].also == 4135
    assert sum(entry.rows or 0 for entry in by_name.values()) == 199_299


def test_every_entry_of_openml_cc18_has_a_task() -> None:
    tasks = [entry.task_id for entry in suite("openml-cc18")]
    assert None not in tasks
    assert len(set(tasks)) == 72


@pytest.mark.parametrize("entry", suite("quick"), ids=lambda entry: entry.name)
def test_the_quick_suite_needs_neither_network_nor_openml(
    entry: SuiteEntry, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "openml", None)
    data = load_entry(entry)
    assert (*data.X.shape, data.y.nunique()) == (entry.rows, entry.columns, entry.classes)
    assert (data.name, data.data_id) == (entry.name, entry.data_id)


@pytest.mark.parametrize("name", ["divbo2", "Quick", "cc18"])
def test_a_name_that_is_nearly_right_is_suggested(name: str) -> None:
    with pytest.raises(InputError, match=r"did you mean '(divbo|quick|openml-cc18)'"):
        suite(name)


@pytest.mark.parametrize("name", ["", "../suites/divbo", "divbo.csv.gz.x" * 3])
def test_other_names_are_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="there are: divbo, openml-cc18, quick"):
        suite(name)


def test_the_folder_of_a_wheel_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "suite_tables").mkdir()
    monkeypatch.setattr(suites, "__file__", str(tmp_path / "suites.py"))
    assert suite_names() == ()
    with pytest.raises(InputError, match="there are: none"):
        suite("divbo")


def test_the_same_table_under_another_number_will_do(tmp_path: Path) -> None:
    pytest.importorskip("openml")
    X, y = load_bundled("quake")
    write_dataset(tmp_path, 6, X, y)
    data = load_entry(quake_as(5, also=6), cache=tmp_path)
    assert (data.name, data.data_id) == ("tremor", 6)
    with pytest.raises(InputError, match="OpenML dataset 5 is not in the given cache"):
        load_entry(quake_as(5, also=7), cache=tmp_path)


def test_a_table_of_another_size_is_refused(tmp_path: Path) -> None:
    pytest.importorskip("openml")
    write_dataset(tmp_path, 6, *load_bundled("quake"))
    with pytest.raises(InputError, match="data set 6 has 2178 rows, 3 columns and 2 classes"):
        load_entry(quake_as(6, rows=2177), cache=tmp_path)
