"""Validation predictions of all successful trials in one memory-mapped file."""

from __future__ import annotations

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Self

import numpy as np

from automl.errors import PredictionStoreError
from search_space.arrays import PredictionArray

_ITEM = np.dtype("<f4")


class PredictionStore:
    """A growing array (trials, rows, classes) of single-precision probabilities on disk.

    A block is written and flushed before it can be read. Blocks lie in the order of `append`, so
    the predictions of trials that were appended one after another are read without a copy.

    Parameters
    ----------
    path : Path
        The file, created if it is not there and emptied if it is.
    n_rows, n_classes : int
        Shape of one block.
    """

    def __init__(self, path: Path, *, n_rows: int, n_classes: int) -> None:
        self._path = path
        self._block = (n_rows, n_classes)
        self._slots: dict[int, int] = {}
        self._file = path.open("w+b", buffering=0)
        self._map: PredictionArray | None = None

    def append(self, number: int, predictions: PredictionArray) -> None:
        """Store the predictions of a trial, (rows, classes).

        Raises
        ------
        PredictionStoreError
            If the shape is another one or the trial has predictions already.
        """
        if predictions.shape != self._block:
            raise PredictionStoreError(
                f"trial {number}: predictions of shape {predictions.shape}, "
                f"expected {self._block} (rows, classes)"
            )
        if number in self._slots:
            raise PredictionStoreError(f"trial {number} has stored predictions already")
        data = np.ascontiguousarray(predictions, dtype=_ITEM).data.cast("B")
        self._write(data, len(self._slots) * self._block_bytes)
        self._slots[number] = len(self._slots)

    def stack(self, numbers: Sequence[int]) -> PredictionArray:
        """Return the predictions of some trials, (trials, rows, classes), read-only.

        Trials that lie one behind the other in the file are not copied.

        Raises
        ------
        PredictionStoreError
            If a trial has no stored predictions.
        """
        missing = [number for number in numbers if number not in self._slots]
        if missing:
            raise PredictionStoreError(f"no stored predictions of trials {missing}")
        slots = [self._slots[number] for number in numbers]
        if not slots:
            return np.empty((0, *self._block), dtype=np.float32)
        mapped = self._mapped()
        if slots == list(range(slots[0], slots[0] + len(slots))):
            return mapped[slots[0] : slots[0] + len(slots)]
        return mapped[slots]

    def close(self) -> None:
        """Release the file; arrays that were handed out stay readable."""
        self._map = None
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    @property
    def block_shape(self) -> tuple[int, int]:
        """Rows and classes of one trial's predictions."""
        return self._block

    @property
    def _block_bytes(self) -> int:
        return self._block[0] * self._block[1] * _ITEM.itemsize

    def _write(self, data: memoryview, offset: int) -> None:
        descriptor = self._file.fileno()
        while data:
            written = os.pwrite(descriptor, data, offset)
            data, offset = data[written:], offset + written

    def _mapped(self) -> PredictionArray:
        if self._map is None or self._map.shape[0] < len(self._slots):
            shape = (len(self._slots), *self._block)
            self._map = np.memmap(self._path, dtype=_ITEM, mode="r", shape=shape)
        return self._map
