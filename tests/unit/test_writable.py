"""Folders that files can be made in, and those that refuse."""

from pathlib import Path

import pytest

from automl.errors import InputError
from automl.writable import check_writable, make_writable


def test_a_writable_folder_stays_empty(tmp_path: Path) -> None:
    check_writable(tmp_path)
    assert not list(tmp_path.iterdir())


def test_a_folder_that_is_not_there_is_refused_unless_it_may_be_made(tmp_path: Path) -> None:
    folder = tmp_path / "new" / "inner"
    with pytest.raises(InputError, match=r"no file can be written .*: No such .*; name another"):
        check_writable(folder)
    make_writable(folder)
    assert folder.is_dir()


def test_what_is_no_folder_or_lies_in_none_is_refused(tmp_path: Path) -> None:
    file = tmp_path / "file"
    file.touch()
    with pytest.raises(InputError, match=r"no file can be written in folder .*file'"):
        make_writable(file)
    with pytest.raises(InputError, match=r"no file can be written .*: Not a directory"):
        make_writable(file / "inner")
