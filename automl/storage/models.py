"""Fitted fold models of the best trials, as bytes on disk."""

from __future__ import annotations

from pathlib import Path


class ModelStore:
    """Keeps the serialised models of a limited number of trials, those with the lowest losses.

    Parameters
    ----------
    folder : Path
        Where the files are; it has to exist.
    n_kept : int
        Trials whose models are kept.
    """

    def __init__(self, folder: Path, *, n_kept: int) -> None:
        self._folder = folder
        self._n_kept = n_kept
        self._losses: dict[int, float] = {}

    def offer(self, number: int, loss: float, models: bytes | memoryview) -> None:
        """Keep the models of a trial if its loss is among the lowest; drop the worst beyond."""
        if not len(models) or not self._n_kept:
            return
        worst = self._worst() if len(self._losses) == self._n_kept else None
        if worst is not None and (self._losses[worst], worst) < (loss, number):
            return
        path = self._path(number)
        partial = path.with_suffix(".partial")
        partial.write_bytes(models)
        partial.replace(path)  # a model file is complete or it is not there
        self._losses[number] = loss
        if worst is not None:
            del self._losses[worst]
            self._path(worst).unlink(missing_ok=True)

    def read(self, number: int) -> bytes | None:
        """Return the models of a trial, or None if they were not kept."""
        return self._path(number).read_bytes() if number in self._losses else None

    def has(self, number: int) -> bool:
        """Return whether the models of a trial were kept."""
        return number in self._losses

    def _worst(self) -> int:
        return max(self._losses, key=lambda number: (self._losses[number], number))

    def _path(self, number: int) -> Path:
        return self._folder / f"{number:06d}.models"
