"""Many configurations of one space as one array; objects are made where one is asked for.

A search looks at thousands of configurations and takes one of them.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import SupportsIndex, overload

import numpy as np
import numpy.typing as npt
from ConfigSpace import Configuration, ConfigurationSpace

from search_space.arrays import FloatArray, IntArray

Rows = IntArray | npt.NDArray[np.bool_] | slice
"""Which rows: positions, a mask, or a slice."""


class ConfigurationBatch(Sequence[Configuration]):
    """An immutable sequence of configurations of one space.

    Rows that were made from configurations give back these very objects, whose values may differ
    by rounding from what their vectors say. Every other row makes a new one each time.

    Parameters
    ----------
    space : ConfigurationSpace
        What the configurations belong to.
    vectors : (n, h) array
        ConfigSpace's vectors, legal ones; h hyperparameters.

    Attributes
    ----------
    space : ConfigurationSpace
        The same.
    vectors : (n, h) array
        The same, in C order; cannot be written to.
    """

    __hash__ = None  # type: ignore[assignment]  # compared by arrays, like a list

    def __init__(self, space: ConfigurationSpace, vectors: FloatArray) -> None:
        if vectors.ndim != 2 or vectors.shape[1] != len(space):
            raise ValueError(f"need vectors (n, {len(space)}), not {vectors.shape}")
        self.space = space
        self.vectors: FloatArray = np.ascontiguousarray(vectors, dtype=np.float64).view()
        self.vectors.flags.writeable = False
        # (n,) objects: a configuration, or None where it has to be made; None where all have to.
        self._known: npt.NDArray[np.object_] | None = None

    @classmethod
    def of(
        cls, configurations: Sequence[Configuration], space: ConfigurationSpace
    ) -> ConfigurationBatch:
        """Return a sequence of configurations of a space as a batch; a batch is returned itself."""
        if isinstance(configurations, ConfigurationBatch):
            return configurations
        shape = (len(configurations), len(space))
        rows = [configuration.get_array() for configuration in configurations]
        known = np.fromiter(configurations, dtype=np.object_, count=len(configurations))
        return cls(space, np.array(rows, dtype=np.float64).reshape(shape))._knowing(known)

    @classmethod
    def joined(cls, batches: Sequence[ConfigurationBatch]) -> ConfigurationBatch:
        """Return the rows of batches of one space, at least one batch, one after another."""
        batch = cls(batches[0].space, np.concatenate([part.vectors for part in batches]))
        if all(part._known is None for part in batches):
            return batch
        return batch._knowing(np.concatenate([part._objects() for part in batches]))

    def take(self, rows: Rows) -> ConfigurationBatch:
        """Return some of the rows."""
        taken = type(self)(self.space, self.vectors[rows])
        return taken if self._known is None else taken._knowing(self._known[rows])

    def replaced(self, rows: IntArray, by: ConfigurationBatch) -> ConfigurationBatch:
        """Return a batch with k different rows replaced by a batch of k configurations."""
        source = np.arange(len(self))
        source[rows] = len(self) + np.arange(len(by))
        return type(self).joined([self, by]).take(source)

    def different(self) -> ConfigurationBatch:
        """Return the first of each of the rows that are equal, bit for bit."""
        first: dict[bytes, int] = {}
        for row, vector in enumerate(self.vectors):
            first.setdefault(vector.tobytes(), row)
        return self.take(np.array(list(first.values()), dtype=np.int64))

    def __len__(self) -> int:
        return len(self.vectors)

    @overload
    def __getitem__(self, index: SupportsIndex) -> Configuration: ...
    @overload
    def __getitem__(self, index: slice) -> ConfigurationBatch: ...

    def __getitem__(self, index: SupportsIndex | slice) -> Configuration | ConfigurationBatch:
        """Return one configuration, or a batch of some."""
        if isinstance(index, slice):
            return self.take(index)
        vector = self.vectors[index]
        known = None if self._known is None else self._known[index]
        # A configuration of its own array: it may be changed.
        return Configuration(self.space, vector=vector.copy()) if known is None else known

    def __iter__(self) -> Iterator[Configuration]:
        return (self[row] for row in range(len(self)))

    def __eq__(self, other: object) -> bool:
        """Return whether another batch has an equal space and the same vectors."""
        if not isinstance(other, ConfigurationBatch):
            return NotImplemented
        return self.space == other.space and np.array_equal(
            self.vectors, other.vectors, equal_nan=True
        )

    def __repr__(self) -> str:
        return f"{type(self).__name__}({len(self)} configurations)"

    def _objects(self) -> npt.NDArray[np.object_]:
        return np.full(len(self), None, dtype=np.object_) if self._known is None else self._known

    def _knowing(self, known: npt.NDArray[np.object_]) -> ConfigurationBatch:
        """Return this new batch, which gives back the configurations that it was made from."""
        self._known = known
        return self
