"""Commands on the small files of the fixture `folder`, and how one ends that must fail."""

from __future__ import annotations

import re

import pytest

from automl.cli import main

FIT = ("fit", "train.csv", "--target", "shape", "--model", "new.model")
PREDICT = ("predict", "a.model", "new.csv", "--output", "out.csv")


def fail(argv: tuple[str, ...], capsys: pytest.CaptureFixture[str]) -> str:
    """Run a command that must fail for wrong input; return the line on standard error."""
    try:
        code: object = main(argv)
    except SystemExit as end:
        code = end.code
    written = capsys.readouterr()
    assert code == 2
    assert written.out == ""
    assert re.fullmatch(r"automl: error: [^\n]+\n", written.err)
    return written.err
