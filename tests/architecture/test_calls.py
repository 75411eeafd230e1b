"""Calls that have no place in the library."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

import automl

ROOT = Path(automl.__file__).resolve().parents[1]
FILES = sorted(path for name in ("automl", "search_space") for path in (ROOT / name).rglob("*.py"))
# What numpy.random offers without a global state.
STATELESS = {"Generator", "SeedSequence", "default_rng", "RandomState", "PCG64", "BitGenerator"}


def dotted(node: ast.AST) -> str:
    """Return the name of what is called or read, e.g. ``np.random.rand``."""
    if isinstance(node, ast.Attribute):
        return f"{dotted(node.value)}.{node.attr}"
    return node.id if isinstance(node, ast.Name) else ""


def legacy_draws(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        name = dotted(node) if isinstance(node, ast.Attribute) else ""
        parts = name.split(".")
        if parts[:-1] in (["np", "random"], ["numpy", "random"]) and parts[-1] not in STATELESS:
            yield f"line {node.lineno}: {name}"  # type: ignore[attr-defined]
        if isinstance(node, ast.Call) and dotted(node.func).split(".")[-1] == "RandomState":
            yield f"line {node.lineno}: {dotted(node.func)}()"


def prints(tree: ast.AST) -> Iterator[str]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and dotted(node.func) in ("print", "input"):
            yield f"line {node.lineno}: {dotted(node.func)}()"


def offenders(search: Callable[[ast.AST], Iterator[str]]) -> list[str]:
    """Return every place in the library that a search finds."""
    assert len(FILES) > 100
    return [
        f"{path.relative_to(ROOT)}, {place}"
        for path in FILES
        for place in search(ast.parse(path.read_text(encoding="utf-8")))
    ]


def test_no_module_draws_from_a_global_or_legacy_generator() -> None:
    assert offenders(legacy_draws) == []


def test_no_module_prints_or_asks() -> None:
    assert offenders(prints) == []


@pytest.mark.parametrize(
    "line",
    ["np.random.seed(0)", "x = np.random.rand()", "numpy.random.shuffle", "RandomState(3)"],
)
def test_the_search_for_draws_finds_them(line: str) -> None:
    assert list(legacy_draws(ast.parse(line)))


@pytest.mark.parametrize(
    "line", ["np.random.default_rng(0)", "np.random.Generator", "isinstance(x, RandomState)"]
)
def test_the_search_for_draws_spares_generators(line: str) -> None:
    assert not list(legacy_draws(ast.parse(line)))


def test_the_search_for_prints_finds_them() -> None:
    assert list(prints(ast.parse("if a:\n    print(a)")))
    assert not list(prints(ast.parse("console.print(a)")))
