"""The bundled tables."""

from __future__ import annotations

from pathlib import Path

import pandas as pd
import pytest

from automl.benchmark import bundled
from automl.benchmark.bundled import bundled_names, load_bundled
from automl.errors import InputError

SHAPES = {  # rows, columns, classes: as datasets/README.md says
    "credit-g": (1000, 20, 2),
    "quake": (2178, 3, 2),
    "satimage": (6430, 36, 6),
    "spambase": (4601, 57, 2),
}


def test_the_names_are_those_of_the_files() -> None:
    assert bundled_names() == tuple(sorted(SHAPES))


@pytest.mark.parametrize("name", SHAPES)
def test_a_table_has_its_size_and_no_target_among_its_features(name: str) -> None:
    X, y = load_bundled(name)
    assert (*X.shape, y.nunique()) == SHAPES[name]
    assert "target" not in X.columns
    assert y.notna().all()


def test_categories_are_columns_of_categories() -> None:
    X, _ = load_bundled("credit-g")
    assert X["purpose"].dtype == "category"
    assert pd.api.types.is_integer_dtype(X["age"])


@pytest.mark.parametrize("name", ["iris", "", "../bundled/quake", "quake.parquet"])
def test_an_unknown_name_is_refused_with_the_known_ones(name: str) -> None:
    with pytest.raises(InputError, match="there are: credit-g, quake, satimage, spambase"):
        load_bundled(name)


def test_the_folder_of_a_wheel_comes_first(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "bundled").mkdir()
    monkeypatch.setattr(bundled, "__file__", str(tmp_path / "bundled.py"))
    assert bundled._folder() == tmp_path / "bundled"


def test_a_missing_folder_is_told(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(bundled, "__file__", f"{tmp_path}/a/b/bundled.py")
    assert bundled_names() == ()
    with pytest.raises(InputError, match="there are: none"):
        load_bundled("quake")
