"""Validation predictions of all successful trials in one memory-mapped file."""

from __future__ import annotations

import os
import zlib
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
        The file. Beside it, a file with the suffix ``.index`` has a line for each block: number of
        the trial and checksum.
    n_rows, n_classes : int
        Shape of one block.
    resume : bool
        Whether to go on with files that are there; otherwise they are emptied. A block that is not
        whole or whose checksum does not fit counts as not stored.
    """

    def __init__(self, path: Path, *, n_rows: int, n_classes: int, resume: bool = False) -> None:
        self._path = path
        self._block = (n_rows, n_classes)
        self._slots: dict[int, int] = {}
        self._n_slots = 0
        self._map: PredictionArray | None = None
        mode = "r+b" if resume and path.exists() else "w+b"
        index_path = path.with_suffix(".index")
        self._file = path.open(mode, buffering=0)
        self._index = index_path.open(
            "r+b" if resume and index_path.exists() else "w+b", buffering=0
        )
        if resume:
            self._read_index()

    def has(self, number: int) -> bool:
        """Return whether the predictions of a trial are stored."""
        return number in self._slots

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
        self._write(data, self._n_slots * self._block_bytes)
        self._index.write(b"%d %08x\n" % (number, zlib.crc32(data)))
        self._slots[number] = self._n_slots
        self._n_slots += 1

    def forget(self, number: int) -> None:
        """Let the predictions of a trial be stored anew; nothing happens if it has none."""
        self._slots.pop(number, None)

    def stack(self, numbers: Sequence[int]) -> PredictionArray:
        """Return the predictions of some trials, (trials, rows, classes), read-only.

        Trials that lie one behind the other in the file are not copied.

        Raises
        ------
        PredictionStoreError
            If a trial has no stored predictions, or the file has been removed.
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
        self._index.close()

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

    def _read_index(self) -> None:
        """Take over the blocks that are whole; what is behind the last whole line is cut off."""
        content = self._index.read()
        sound = content[: content.rfind(b"\n") + 1]
        self._index.truncate(len(sound))
        self._index.seek(len(sound))
        for slot, line in enumerate(sound.splitlines()):
            number, checksum = line.split()
            block = os.pread(self._file.fileno(), self._block_bytes, slot * self._block_bytes)
            if len(block) == self._block_bytes and b"%08x" % zlib.crc32(block) == checksum:
                self._slots[int(number)] = slot
            self._n_slots = slot + 1

    def _write(self, data: memoryview, offset: int) -> None:
        descriptor = self._file.fileno()
        while data:
            written = os.pwrite(descriptor, data, offset)
            data, offset = data[written:], offset + written

    def _mapped(self) -> PredictionArray:
        if self._map is None or self._map.shape[0] < self._n_slots:
            shape = (self._n_slots, *self._block)
            try:
                self._map = np.memmap(self._path, dtype=_ITEM, mode="r", shape=shape)
            except FileNotFoundError as error:
                raise PredictionStoreError(
                    f"the stored predictions {str(self._path)!r} are gone: a temporary folder is "
                    "removed at the end of fit; give work_dir to keep it"
                ) from error
        return self._map
