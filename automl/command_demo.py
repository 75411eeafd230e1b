"""The command ``automl demo``."""

from __future__ import annotations

import argparse
import sys

from automl.command_result import CommandResult, exit_code_of
from automl.demo import run_demo


def run(options: argparse.Namespace) -> CommandResult:
    """Run the demonstration; it writes as it goes, so nothing is left to return.

    Raises
    ------
    InputError
        If there is no bundled table of that name.
    """
    search = run_demo(options.data, options.time_limit, options.jobs, options.seed, sys.stdout)
    return CommandResult("", exit_code_of(search))
