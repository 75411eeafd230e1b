"""The command line ``automl``: argument parsing, exit codes, and nothing else."""

from __future__ import annotations

import argparse
import importlib
import importlib.metadata
import os
import sys
from collections.abc import Sequence
from pathlib import Path

from automl.cli_parser import CommandParser, OneLineParser
from automl.cli_values import (
    amount,
    amount_or_auto,
    amount_or_none,
    comma_list,
    count,
    jobs,
    one_of,
    seed,
    validation,
    whole,
)
from automl.command_messages import tell, warnings_as_lines
from automl.command_result import (
    EXIT_CODES,
    INTERRUPTED,
    READER_GONE,
    WRONG_INPUT,
    CommandResult,
)
from automl.errors import InputError

# Written down once more: what knows them takes long to import.
_OPTIMIZERS = (
    "divbo",
    "bo",
    "random",
    "rising_bandit",
    "ensemble_optimization",
    "nes",
    "kbo",
)
_SURROGATES = (
    "random_forest",
    "extra_trees",
    "gradient_boosting",
    "gaussian_process",
    "gaussian_process_horseshoe",
    "densbo",
    "equal_weights",
)
_ACQUISITIONS = ("ei", "pi", "lcb", "sawei", "mace", "hedge")

_FIT_EXAMPLE = f"""{EXIT_CODES}

example:
  automl fit train.csv --target churn --time-limit 60 --jobs 2 --model churn.model"""
_PREDICT_EXAMPLE = """A model file holds no code; nevertheless, only load models you trust.

example:
  automl predict churn.model new.csv --output predictions.csv --proba"""
_LEADERBOARD_EXAMPLE = """A model file holds no code; nevertheless, only load models you trust.

example:
  automl leaderboard churn.model --top 10
  automl leaderboard churn.model --trial 7"""
_DEMO_EXAMPLE = """example:
  automl demo --data credit-g --time-limit 30 --jobs 2"""
_EXAMPLE = f"""{EXIT_CODES}

examples:
  automl demo
  automl fit train.csv --target churn --time-limit 60 --jobs 2 --model churn.model
  automl predict churn.model new.csv --output predictions.csv --proba
  automl leaderboard churn.model"""


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command and return its exit code.

    Parameters
    ----------
    argv : sequence of str or None
        Arguments without the program's name; None takes those of the process.

    Returns
    -------
    int
        0 after success, 2 for a wrong file, column or option, 3 if no trial gave a model, 130 after
        Ctrl-C. Errors of our own are raised.
    """
    options = _parser().parse_args(argv)
    try:
        with warnings_as_lines():
            # Each command is imported when it runs: they need seconds to load, --help does not.
            result: CommandResult = importlib.import_module(f"automl.{options.module}").run(options)
    except InputError as error:
        tell("error", error)
        return WRONG_INPUT
    except KeyboardInterrupt:
        tell("error", "interrupted")
        return INTERRUPTED
    return _write(result)


def _write(result: CommandResult) -> int:
    """Write a result to standard output; its reader may have gone, as in ``| head``."""
    try:
        sys.stdout.write(result.text)
        sys.stdout.flush()
    except BrokenPipeError:
        # Otherwise the interpreter would complain when it flushes once more at its end.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return READER_GONE
    return result.exit_code


def _version() -> str:
    try:
        return importlib.metadata.version("divbo")
    except importlib.metadata.PackageNotFoundError:
        return "(not installed)"


def _parser() -> argparse.ArgumentParser:
    parser = OneLineParser(
        prog="automl",
        description="Searches for classifiers that are good together, and predicts with them.",
        epilog=_EXAMPLE,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.add_argument("--version", action="version", version=f"divbo {_version()}")
    commands = parser.add_subparsers(
        title="commands", metavar="COMMAND", required=True, parser_class=CommandParser
    )
    _add_fit(commands)
    _add_predict(commands)
    _add_leaderboard(commands)
    _add_demo(commands)
    return parser


def _command(
    commands: argparse._SubParsersAction[CommandParser], name: str, summary: str, example: str
) -> CommandParser:
    parser = commands.add_parser(
        name,
        help=summary,
        description=f"{summary[0].upper()}{summary[1:]}.",
        epilog=example,
        formatter_class=argparse.RawDescriptionHelpFormatter,
        allow_abbrev=False,
    )
    parser.set_defaults(module=f"command_{name}")
    return parser


def _add_fit(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _command(commands, "fit", "search on a table and save the ensemble", _FIT_EXAMPLE)
    add = parser.add_argument
    add("train", metavar="TRAIN", type=Path, help="table with the target: .csv, .csv.gz, .parquet")
    add("--target", required=True, metavar="COLUMN", help="column that holds the labels")
    add("--model", required=True, type=Path, metavar="FILE", help="where the model is saved")
    add("--force", action="store_true", help="overwrite the model file if it exists")
    _add_limits(parser)
    _add_search(parser)
    talk = parser.add_mutually_exclusive_group()
    talk.add_argument("--quiet", action="store_true", help="no progress, no notes")
    talk.add_argument("--verbose", action="store_true", help="a line for each trial and each note")


def _add_limits(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("limits").add_argument
    add(
        "--time-limit",
        type=amount_or_none,
        metavar="SECONDS",
        default=argparse.SUPPRESS,
        help="seconds for everything, or none [default: 300, with --trials none]",
    )
    add("--trials", type=count, metavar="N", help="evaluations at most [default: no limit]")
    add(
        "--trial-time-limit",
        type=amount_or_auto,
        default="auto",
        metavar="SECONDS",
        help="seconds for one evaluation, auto (time limit / 8) or none [default: auto]",
    )
    add(
        "--memory-limit",
        type=amount_or_auto,
        default="auto",
        metavar="MIB",
        help="MiB for one evaluation, auto (a share of the free memory) or none [default: auto]",
    )
    add(
        "--jobs",
        type=jobs,
        default=1,
        metavar="N",
        help="evaluations at a time; -1: all cores [default: 1]",
    )


def _add_search(parser: argparse.ArgumentParser) -> None:
    add = parser.add_argument_group("search").add_argument
    add(
        "--scoring",
        default="accuracy",
        metavar="NAME",
        help="scorer of scikit-learn [default: accuracy]",
    )
    add(
        "--cv",
        type=validation,
        default="auto",
        metavar="HOW",
        help="auto, holdout, number of folds, or fraction of rows that validate [default: auto]",
    )
    add(
        "--class-weight",
        type=one_of("balanced"),
        metavar="HOW",
        help="balanced: in training, all classes weigh the same altogether [default: rows do]",
    )
    add(
        "--optimizer",
        type=one_of(*_OPTIMIZERS),
        default="divbo",
        metavar="NAME",
        help=f"{', '.join(_OPTIMIZERS)}; rising_bandit needs --trials [default: divbo]",
    )
    add(
        "--surrogate",
        type=one_of(*_SURROGATES),
        metavar="NAME",
        help=f"not of random and nes: {', '.join(_SURROGATES)} [default: random_forest]",
    )
    add(
        "--acquisition",
        type=one_of(*_ACQUISITIONS),
        metavar="NAME",
        help=f"not of random and nes: {', '.join(_ACQUISITIONS)} [default: ei]",
    )
    add(
        "--search-space",
        type=one_of("default", "divbo", "fast"),
        default="default",
        metavar="NAME",
        help="default, divbo (the paper's) or fast (three cheap learners) [default: default]",
    )
    add("--include", type=comma_list, metavar="NAMES", help="the only learners, e.g. lightgbm,lda")
    add("--exclude", type=comma_list, metavar="NAMES", help="learners to leave out, e.g. mlp")
    add(
        "--ensemble-size",
        type=count,
        default=25,
        metavar="N",
        help="rounds of ensemble selection; 1: the best single model [default: 25]",
    )
    add(
        "--no-refit",
        action="store_true",
        help="average the models of the splits instead of fitting on all rows",
    )
    add(
        "--work-dir",
        type=Path,
        metavar="DIR",
        help="new or empty folder for journal and predictions [default: temporary]",
    )
    add(
        "--resume",
        action="store_true",
        help="go on with the search in --work-dir, after it ended or was killed",
    )
    add(
        "--deterministic",
        action="store_true",
        help="same result for any --jobs, given --seed and --trials",
    )
    add("--seed", type=seed, metavar="N", help="seed of everything random [default: drawn]")


def _add_predict(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _command(commands, "predict", "predict the rows of a table", _PREDICT_EXAMPLE)
    add = parser.add_argument
    add("model", metavar="MODEL", type=Path, help="file that automl fit saved")
    add("data", metavar="DATA", type=Path, help="table as in fit, with or without the target")
    add(
        "--output",
        required=True,
        type=Path,
        metavar="FILE",
        help=".csv or .parquet file for the predictions",
    )
    add("--force", action="store_true", help="overwrite the output file if it exists")
    add("--proba", action="store_true", help="also a column of probabilities for each class")


def _add_leaderboard(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _command(commands, "leaderboard", "list the trials of a search", _LEADERBOARD_EXAMPLE)
    add = parser.add_argument
    add("model", metavar="MODEL", type=Path, help="file that automl fit saved")
    add("--top", type=count, metavar="N", help="rows at most [default: 20]")
    other = parser.add_mutually_exclusive_group().add_argument
    other("--failures", action="store_true", help="the trials that failed, and why")
    other("--trial", type=whole, metavar="N", help="all of one trial: its configuration, its error")


def _add_demo(commands: argparse._SubParsersAction[CommandParser]) -> None:
    parser = _command(
        commands, "demo", "search on a bundled table and compare with known models", _DEMO_EXAMPLE
    )
    add = parser.add_argument
    add("--data", default="spambase", metavar="NAME", help="bundled table [default: spambase]")
    add(
        "--time-limit",
        type=amount,
        default=60.0,
        metavar="SECONDS",
        help="seconds for the search [default: 60]",
    )
    add(
        "--jobs",
        type=jobs,
        default=2,
        metavar="N",
        help="evaluations at a time; -1: all cores [default: 2]",
    )
    add("--seed", type=seed, default=0, metavar="N", help="seed of everything random [default: 0]")
