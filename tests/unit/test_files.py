"""Tables as files."""

from __future__ import annotations

import gzip
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from automl.data.files import read_table, write_predictions
from automl.errors import InputError

TABLE = pd.DataFrame({"a": [1, 2], "b": [0.5, np.nan], "city": ["Rome; Italy", "Oslo"]})


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig"])
def test_csv_files_are_read_with_any_of_three_delimiters(
    tmp_path: Path, delimiter: str, encoding: str
) -> None:
    path = tmp_path / "table.csv"
    TABLE.to_csv(path, sep=delimiter, index=False, encoding=encoding)
    pd.testing.assert_frame_equal(read_table(path), TABLE)


@pytest.mark.parametrize("name", ["t.csv", "t.csv.gz", "T.CSV", "t.parquet", "t.pq"])
def test_what_was_written_is_read(tmp_path: Path, name: str) -> None:
    path = tmp_path / name
    write_predictions(path, TABLE.set_axis([5, 6], axis=0))
    pd.testing.assert_frame_equal(read_table(path), TABLE)


def test_only_an_empty_field_of_a_csv_file_is_missing(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("country,n\nNA,1\nnan,\n?,3\n,4\n", encoding="utf-8")
    table = read_table(path)
    assert table["country"].isna().tolist() == [False, False, False, True]
    assert table["n"].isna().tolist() == [False, True, False, False]


def test_quoted_fields_may_hold_delimiters_and_line_ends(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text('"a;b;c;d","e"\n"x\ny",2\n', encoding="utf-8")
    assert read_table(path).columns.tolist() == ["a;b;c;d", "e"]


def test_one_column_is_a_table(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a\n1\n2\n", encoding="utf-8")
    assert read_table(path)["a"].tolist() == [1, 2]


def test_a_named_index_of_a_parquet_file_is_a_column(tmp_path: Path) -> None:
    path = tmp_path / "t.parquet"
    TABLE.set_index("city").to_parquet(path)
    assert set(read_table(path).columns) == {"a", "b", "city"}


@pytest.mark.parametrize(
    ("name", "content", "message"),
    [
        ("t.csv", b"", "is empty"),
        ("t.csv", b"\n\n", "is empty"),
        ("t.csv", b"a,b\n", "holds no rows"),
        ("t.csv", b"a,b\n1,2\n1,2,3\n", "cannot be read as csv: .*line 3"),
        ("t.csv", b"a,b\n\xff\xfe,2\n", "cannot be read as csv: .*utf-8"),
        ("t.csv", b"a\0b,c\n1,2\n", "is no text file"),
        ("t.csv", b"a,b,a\n1,2,3\n", "several columns named 'a'"),
        ("t.csv.gz", b"a,b\n1,2\n", "cannot be read as csv"),
        ("t.csv.gz", gzip.compress(b"a,b\n1,2\n", mtime=0)[:-9], "cannot be read as csv"),
        ("t.parquet", b"", "cannot be read as parquet"),
        ("t.parquet", b"a,b\n1,2\n", "cannot be read as parquet"),
        ("t.xlsx", b"PK", r"known are .csv, .csv.gz, .parquet, .pq"),
        ("t", b"a,b\n1,2\n", "suffix"),
    ],
)
def test_what_is_no_table_is_refused_in_one_line(
    tmp_path: Path, name: str, content: bytes, message: str
) -> None:
    path = tmp_path / name
    path.write_bytes(content)
    with pytest.raises(InputError, match=message) as caught:
        read_table(path)
    assert "\n" not in str(caught.value)
    assert str(path) in str(caught.value)


def test_what_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="not there"):
        read_table(tmp_path / "t.csv")
    with pytest.raises(InputError, match="is a folder"):
        read_table(tmp_path)


def test_predictions_that_cannot_be_written_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        write_predictions(tmp_path / "no" / "t.csv", TABLE)
    with pytest.raises(InputError, match="suffix"):
        write_predictions(tmp_path / "t.json", TABLE)


@pytest.mark.parametrize(
    ("texts", "expected"),
    [
        (["01", "02"], ["01", "02"]),
        (["1e3", "2"], ["1e3", "2"]),
        (["+1", "-1"], ["+1", "-1"]),
        (["1.0", "2.0"], ["1.0", "2.0"]),
        (["true", "false"], ["true", "false"]),
        (["NA", "nan"], ["NA", "nan"]),
        (["0", "-12"], [0, -12]),
        (["0", "18446744073709551615"], [0, 2**64 - 1]),
        (["1" * 25, "2"], ["1" * 25, "2"]),
        (["True", "False"], [True, False]),
        (["0.5", "1"], [0.5, 1.0]),
    ],
)
def test_labels_are_numbers_only_where_these_are_written_alike(
    tmp_path: Path, texts: list[str], expected: list[object]
) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n" + "".join(f"1.50,{text}\n" for text in texts), encoding="utf-8")
    table = read_table(path, labels="y")
    assert table["y"].tolist() == expected
    assert table["a"].tolist() == [1.5, 1.5]


def test_labels_may_be_missing_or_no_column(tmp_path: Path) -> None:
    path = tmp_path / "t.csv"
    path.write_text("a,y\n1,3\n2,\n", encoding="utf-8")
    assert read_table(path, labels="y")["y"].isna().tolist() == [False, True]
    assert read_table(path, labels="z").columns.tolist() == ["a", "y"]
