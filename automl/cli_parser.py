"""A parser of options that reports what is wrong in one line and says what was meant perhaps."""

from __future__ import annotations

import argparse
from collections.abc import Iterator, Sequence
from typing import NoReturn, TypeVar

from automl.command_messages import tell
from automl.command_result import WRONG_INPUT
from automl.suggestions import did_you_mean

_Namespace = TypeVar("_Namespace")


class OneLineParser(argparse.ArgumentParser):
    """Reports a wrong option in one line instead of the whole usage."""

    def error(self, message: str) -> NoReturn:  # type: ignore[explicit-override]  # from 3.12 on
        """Write a line and end the process."""
        dot = "" if message.endswith("?") else ";"
        tell("error", f"{message}{dot} see {self.prog} --help")
        raise SystemExit(WRONG_INPUT)


class CommandParser(OneLineParser):
    """The parser of one command: refuses unknown and repeated options before all else.

    Otherwise a mistyped option would be reported as one that is missing, and of two values the
    first would be forgotten in silence.
    """

    # `typing.override` is there from Python 3.12 on. The base has a second overload, for callers
    # that bring a namespace of another type, which nobody does here.
    def parse_known_args(  # type: ignore[explicit-override, override]  # see above
        self, args: Sequence[str] | None = None, namespace: _Namespace | None = None
    ) -> tuple[_Namespace | argparse.Namespace, list[str]]:
        """Parse the arguments of the command."""
        seen: set[str] = set()
        for name in _option_names(args or ()):
            if name not in self._option_string_actions:
                known = [option for option in self._option_string_actions if option[1] == "-"]
                self.error(f"unknown option {name}{did_you_mean(name, known, most=1, mark='')}")
            if name in seen:
                self.error(f"option {name} is given twice")
            seen.add(name)
        options, rest = super().parse_known_args(args, namespace)
        if rest:
            self.error(f"unexpected argument {rest[0]!r}")
        return options, rest


def _option_names(args: Sequence[str]) -> Iterator[str]:
    """Return what argparse takes for options: what has a dash and no blank and is no number."""
    for argument in args:
        if argument == "--":
            return
        if len(argument) > 1 and argument[0] == "-" and " " not in argument:
            name = argument.split("=", 1)[0]
            if not _is_number(name):
                yield name


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return True
