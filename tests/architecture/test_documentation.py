"""The documented defaults of the estimator are those of its signature."""

from __future__ import annotations

import inspect
import re
import tomllib
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest

from automl import AutoClassifier

ROOT = Path(__file__).parents[2]
ENTRY = re.compile(r"^    (?P<name>\w+) : (?P<types>.*?)(?:, default=(?P<default>.+))?$", re.M)


@dataclass(frozen=True)
class Parameter:
    """One entry of the docstring."""

    name: str
    types: str
    default: str | None


def section(title: str) -> str:
    """Return a section of the class docstring, without its heading."""
    doc = AutoClassifier.__doc__
    assert doc is not None
    found = re.search(
        rf"^    {title}\n    -+\n(.*?)(?=^    \w[\w ]*\n    -+$|\Z)", doc, re.M | re.S
    )
    assert found is not None, f"the docstring has no section {title}"
    return found[1]


def documented() -> list[Parameter]:
    return [
        Parameter(entry["name"], entry["types"], entry["default"])
        for entry in ENTRY.finditer(section("Parameters"))
    ]


SIGNATURE = inspect.signature(AutoClassifier.__init__)
DEFAULTS = {
    name: parameter.default
    for name, parameter in SIGNATURE.parameters.items()
    if name not in ("self", "kwargs")
}


def test_every_parameter_is_documented_in_the_order_of_the_signature() -> None:
    assert [parameter.name for parameter in documented()] == list(DEFAULTS)


@pytest.mark.parametrize("parameter", documented(), ids=lambda parameter: parameter.name)
def test_the_documented_default_is_that_of_the_signature(parameter: Parameter) -> None:
    assert parameter.default is not None, "no default is documented"
    default = DEFAULTS[parameter.name]
    written = f'"{default}"' if isinstance(default, str) else repr(default)
    assert parameter.default == written


@pytest.mark.parametrize("parameter", documented(), ids=lambda parameter: parameter.name)
def test_the_documented_types_include_that_of_the_default(parameter: Parameter) -> None:
    default = DEFAULTS[parameter.name]
    word = "None" if default is None else type(default).__name__
    assert word in parameter.types or str(parameter.default) in parameter.types


def test_the_parameters_can_only_be_given_by_name() -> None:
    kinds = {p.kind for name, p in SIGNATURE.parameters.items() if name != "self"}
    assert kinds == {inspect.Parameter.KEYWORD_ONLY}


def test_the_constructor_only_stores_its_parameters() -> None:
    markers = {name: object() for name in DEFAULTS}
    estimator = AutoClassifier(**markers)  # type: ignore[arg-type]  # never looked at
    assert vars(estimator) == markers


@pytest.mark.slow
def test_every_documented_attribute_exists_after_fit() -> None:
    rng = np.random.default_rng(0)
    X = rng.normal(size=(60, 2))
    y = (X[:, 0] > 0).astype(int)
    estimator = AutoClassifier(
        n_trials=2, time_limit=60.0, search_space="fast", cv="holdout", random_state=0
    ).fit(X, y)
    names = {entry["name"] for entry in ENTRY.finditer(section("Attributes"))}
    assert "classes_" in names
    public = {name for name in vars(estimator) if name.endswith("_") and not name.startswith("_")}
    assert public <= names
    assert all(hasattr(estimator, name) for name in names - {"feature_names_in_"})


def test_the_changelog_begins_with_the_version_of_the_distribution() -> None:
    with (ROOT / "pyproject.toml").open("rb") as file:
        version = tomllib.load(file)["project"]["version"]
    headings = re.findall(r"^## \[(.+?)\] - (.+)$", (ROOT / "CHANGELOG.md").read_text(), re.M)
    assert headings[0][0] == version
    assert re.fullmatch(r"Unreleased|\d{4}-\d{2}-\d{2}", headings[0][1])
