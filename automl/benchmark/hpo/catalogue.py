"""Which problems there are, and how they are chosen by name."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fnmatch import fnmatchcase
from pathlib import Path

from automl.benchmark.hpo.bbob import bbob_problems
from automl.benchmark.hpo.closed_form import branin, conditional, hartmann6
from automl.benchmark.hpo.problem import HPOProblem
from automl.benchmark.hpo.tables import table_problems
from automl.benchmark.hpo.yahpo import yahpo_problems
from automl.errors import InputError


@dataclass(frozen=True, slots=True, kw_only=True)
class Catalogue:
    """Where problems come from.

    Attributes
    ----------
    yahpo_data : Path or None
        A checkout of yahpo_data.
    tables : Path or None
        A folder of tables of neural networks.
    bbob_dimension : int
        Number of variables of the BBOB functions.
    bbob_instances : tuple of int
        Which instances of each BBOB function.
    """

    yahpo_data: Path | None = None
    tables: Path | None = None
    bbob_dimension: int = 8
    bbob_instances: tuple[int, ...] = (1, 2, 3)

    def problems(self) -> list[HPOProblem]:
        """Return all problems. None is read yet."""
        return [
            branin(),
            hartmann6(),
            conditional(),
            *bbob_problems(self.bbob_dimension, self.bbob_instances),
            *(yahpo_problems(self.yahpo_data) if self.yahpo_data else ()),
            *(table_problems(self.tables) if self.tables else ()),
        ]

    def choose(self, patterns: Sequence[str]) -> list[HPOProblem]:
        """Return the problems whose names match, in the order of the catalogue.

        Parameters
        ----------
        patterns : sequence of str
            Names, or patterns such as ``rbv2_rpart/*``.

        Raises
        ------
        InputError
            If a pattern matches nothing.
        """
        problems = self.problems()
        for pattern in patterns:
            if not any(fnmatchcase(problem.name, pattern) for problem in problems):
                raise InputError(
                    f"No problem is called {pattern!r}. Surrogates need the folder of their data "
                    "(--yahpo-data), as do tables (--tables); --list names what there is."
                )
        return [p for p in problems if any(fnmatchcase(p.name, pattern) for pattern in patterns)]
