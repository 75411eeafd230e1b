"""Fitted fold models of the best trials, as bytes on disk."""

from __future__ import annotations

import math
from collections.abc import Mapping
from pathlib import Path


class ModelStore:
    """Keeps the serialised models of a limited number of trials, those with the lowest losses.

    Parameters
    ----------
    folder : Path
        Where the files are; it has to exist.
    n_kept : int
        Trials whose models are kept.
    max_bytes : int
        What the kept models may take together.
    """

    def __init__(self, folder: Path, *, n_kept: int, max_bytes: int = 4 * 2**30) -> None:
        self._folder = folder
        self._n_kept = n_kept
        self._max_bytes = max_bytes
        self._losses: dict[int, float] = {}
        self._sizes: dict[int, int] = {}

    def partial_path(self, number: int) -> Path:
        """Return the file that whoever fitted the models of a trial may write them to."""
        return self._path(number).with_suffix(".partial")

    @property
    def largest_loss(self) -> float:
        """Loss up to which the models of a further trial would be kept."""
        return math.inf if not self._is_full else self._losses[self._worst()]

    def offer(self, number: int, loss: float, models: bytes | memoryview = b"") -> None:
        """Keep the models of a trial if its loss is among the lowest; drop the worst beyond.

        Parameters
        ----------
        number : int
            The trial.
        loss : float
            Its loss.
        models : bytes
            The models; empty if they were written to `partial_path`, or not at all.
        """
        partial = self.partial_path(number)
        if len(models):
            partial.write_bytes(models)
        if not partial.exists() or not partial.stat().st_size:
            self.refuse(number)
            return
        self._sizes[number] = partial.stat().st_size
        partial.replace(self._path(number))  # a model file is complete or it is not there
        self._losses[number] = loss
        while len(self._losses) > self._n_kept or sum(self._sizes.values()) > self._max_bytes:
            worst = self._worst()
            del self._losses[worst], self._sizes[worst]
            self._path(worst).unlink()

    def restore(self, losses: Mapping[int, float]) -> None:
        """Take over the models that an earlier run kept, of trials with these losses.

        Parameters
        ----------
        losses : mapping of int to float
            Loss by the number of each successful trial.
        """
        for number, loss in losses.items():
            if self._path(number).exists():
                self._losses[number] = loss
                self._sizes[number] = self._path(number).stat().st_size

    def refuse(self, number: int) -> None:
        """Remove what a trial that failed may have begun to write."""
        self.partial_path(number).unlink(missing_ok=True)

    def read(self, number: int) -> bytes | None:
        """Return the models of a trial, or None if they were not kept."""
        return self._path(number).read_bytes() if number in self._losses else None

    def has(self, number: int) -> bool:
        """Return whether the models of a trial were kept."""
        return number in self._losses

    @property
    def _is_full(self) -> bool:
        return len(self._losses) >= self._n_kept

    def _worst(self) -> int:
        return max(self._losses, key=lambda number: (self._losses[number], number))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.models"
