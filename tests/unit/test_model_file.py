"""Model files: whole or absent, recognised before they are loaded."""

from __future__ import annotations

import json
import os
import pickle
from collections.abc import Callable
from pathlib import Path

import joblib
import pytest
from fakes.fitted_search import fitted_search, small_table

from automl.errors import AutoMLWarning, InputError
from automl.model_file import SavedModel, load_model, save_model


class Bomb:
    """Makes a file when it is unpickled."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def __reduce__(  # type: ignore[explicit-override]
        self,
    ) -> tuple[Callable[..., object], tuple[object, ...]]:
        return os.mkdir, (str(self._path),)


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    path = tmp_path / "a.model"
    save_model(path, SavedModel(estimator=fitted_search(), target="shape"))
    return path


def with_head(path: Path, **changes: object) -> None:
    """Change entries of a model file's first line."""
    line, rest = path.read_bytes().split(b"\n", 1)
    head = json.loads(line.removeprefix(b"divbo model ")) | changes
    path.write_bytes(b"divbo model " + json.dumps(head).encode() + b"\n" + rest)


def test_a_saved_model_predicts_the_same_after_loading(saved: Path) -> None:
    X, _ = small_table()
    loaded = load_model(saved)
    assert loaded.target == "shape"
    assert (loaded.estimator.predict_proba(X) == fitted_search().predict_proba(X)).all()


def test_saving_leaves_nothing_else_in_the_folder(saved: Path) -> None:
    assert list(saved.parent.iterdir()) == [saved]


def test_a_failed_save_leaves_the_old_file_and_nothing_else(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = saved.read_bytes()

    def fail(_: int) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr("automl.model_archive.os.fsync", fail)
    with pytest.raises(InputError, match="cannot be written: No space left on device"):
        save_model(saved, SavedModel(estimator=fitted_search(), target="other"))
    assert saved.read_bytes() == before
    assert list(saved.parent.iterdir()) == [saved]


def test_saving_through_a_link_keeps_the_link(saved: Path, tmp_path: Path) -> None:
    link = tmp_path / "link"
    link.symlink_to(saved)
    save_model(link, SavedModel(estimator=fitted_search(), target="through the link"))
    assert link.is_symlink()
    assert load_model(saved).target == "through the link"


def test_a_new_model_file_has_the_rights_of_any_new_file(saved: Path) -> None:
    plain = saved.with_name("plain")
    plain.touch()
    assert saved.stat().st_mode == plain.stat().st_mode


@pytest.mark.parametrize("content", [b"", b"a,b\n1,2\n", b"divbo mode", b"\x00" * 20_000])
def test_another_kind_of_file_is_called_that(content: bytes, tmp_path: Path) -> None:
    path = tmp_path / "x"
    path.write_bytes(content)
    with pytest.raises(InputError, match="is not a model file of automl"):
        load_model(path)


def test_a_pickle_of_something_else_is_not_loaded(tmp_path: Path) -> None:
    path, made = tmp_path / "x.joblib", tmp_path / "made"
    joblib.dump(Bomb(made), path)
    with pytest.raises(InputError, match="is not a model file of automl"):
        load_model(path)
    assert not made.exists()
    pickle.loads(path.read_bytes())
    assert made.exists()  # so the file would have done it


@pytest.mark.parametrize("position", [-1, -1000])
def test_a_changed_byte_is_found_before_anything_is_loaded(saved: Path, position: int) -> None:
    content = bytearray(saved.read_bytes())
    content[position] ^= 1
    saved.write_bytes(content)
    with pytest.raises(InputError, match="is damaged or was not copied in full"):
        load_model(saved)


def test_a_cut_file_is_found(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes()[:-100])
    with pytest.raises(InputError, match="is damaged or was not copied in full"):
        load_model(saved)


def test_a_first_line_that_cannot_be_read_is_damage(saved: Path) -> None:
    saved.write_bytes(saved.read_bytes().replace(b'{"format"', b'{format"', 1))
    with pytest.raises(InputError, match="is damaged"):
        load_model(saved)


def test_a_file_of_another_format_is_refused_with_its_versions(saved: Path) -> None:
    with_head(saved, format=3, versions={"divbo": "9.0"})
    with pytest.raises(InputError, match=r"has format 3, .* written with divbo 9\.0"):
        load_model(saved)


def test_other_versions_are_one_warning_and_the_model_is_loaded(saved: Path) -> None:
    with_head(saved, versions={"python": "3.99", "oldlib": "1.0"})
    with pytest.warns(AutoMLWarning, match=r"python 3\.99, oldlib 1\.0, here are .* none") as seen:
        assert load_model(saved).target == "shape"
    assert len(seen) == 1


def test_a_class_that_is_gone_is_told_with_the_versions(
    saved: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delattr("automl.data.schema.Schema")
    with pytest.raises(InputError, match=r"cannot be loaded here \(.*Schema.*written with python"):
        load_model(saved)


def test_an_absent_file_is_told(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: No such file"):
        load_model(tmp_path / "absent")


def test_a_folder_is_no_model_file(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read: Is a directory"):
        load_model(tmp_path)
