"""Evaluations that were made once, on disk: what several searches and processes share.

A store belongs to one data set, one split and one set of limits. Its folder holds
`predictions.f16`, a block of half-precision probabilities for each success, and
`evaluations.jsonl`, a line for each evaluation with checksums of itself and of its block. A block
is written before the line that counts on it, both under a lock, so that processes add to a store at
the same time and a kill leaves nothing that counts by half.
"""

from __future__ import annotations

import fcntl
import hashlib
import json
import os
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import asdict, dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from automl.errors import InputError
from automl.trial import Status
from search_space.values import plain_values

HalfArray = npt.NDArray[np.float16]

_ITEM = np.dtype("<f2")


@dataclass(frozen=True, slots=True, kw_only=True)
class Evaluation:
    """What came of evaluating a configuration.

    Attributes
    ----------
    key : str
        Of the configuration; see `key_of`.
    status : Status
        How it ended.
    seconds : float
        Wall-clock seconds that it took when it was made.
    reason : str
        One line on what went wrong; empty after a success.
    slot : int
        Block of its predictions, -1 without success.
    checksum : int or None
        Of that block; None without success, and in stores of earlier versions.
    """

    key: str
    status: Status
    seconds: float
    reason: str = ""
    slot: int = -1
    checksum: int | None = None


def key_of(configuration: Mapping[str, Any]) -> str:
    """Return what equal configurations have in common: a digest of their values in hexadecimal.

    Examples
    --------
    >>> key_of({"classifier": "lda", "rate": 0.1}) == key_of({"rate": 0.1, "classifier": "lda"})
    True
    """
    text = json.dumps(plain_values(configuration), sort_keys=True)
    return hashlib.blake2b(text.encode(), digest_size=16).hexdigest()


class EvaluationStore:
    """The evaluations of one data set, split and set of limits.

    Parameters
    ----------
    folder : Path
        Is made if it is not there.
    n_rows, n_classes : int
        Shape of a block of predictions.
    meaning : mapping
        What evaluations depend on beside the configuration: kept beside them, and compared.

    Raises
    ------
    InputError
        If the folder holds evaluations with another meaning.
    """

    def __init__(
        self, folder: Path, *, n_rows: int, n_classes: int, meaning: Mapping[str, Any]
    ) -> None:
        self._block = (n_rows, n_classes)
        self._folder = folder
        folder.mkdir(parents=True, exist_ok=True)
        self._lock = folder / "lock"
        self._lock.touch()
        with self._locked():
            _check_meaning(folder / "meaning.json", meaning)
            for name in ("predictions.f16", "evaluations.jsonl"):
                (folder / name).touch()
        self._known: dict[str, Evaluation] = {}
        self._unchecked: dict[int, int] = {}  # checksums of blocks that were not read yet
        self._read_to = 0
        self._map: HalfArray | None = None
        self._refresh()

    @property
    def n_classes(self) -> int:
        """Classes of the predictions."""
        return self._block[1]

    def __len__(self) -> int:
        return len(self._known)

    def find(self, key: str) -> Evaluation | None:
        """Return an evaluation that this or another process has added."""
        if key not in self._known:
            self._refresh()
        return self._known.get(key)

    def add(self, evaluation: Evaluation, predictions: npt.NDArray[Any] | None) -> Evaluation:
        """Add an evaluation and return it, or the one that another process added meanwhile.

        Parameters
        ----------
        evaluation : Evaluation
            Without a slot and a checksum.
        predictions : (rows, classes) array or None
            Probabilities of a success, kept in half precision.

        Raises
        ------
        ValueError
            If the predictions are missing, have another shape or belong to a failure.
        """
        is_success = evaluation.status is Status.SUCCESS
        shape = () if predictions is None else predictions.shape
        if shape != (self._block if is_success else ()):
            raise ValueError(
                f"{evaluation.status} with predictions of shape {shape}, "
                f"a success has {self._block} (rows, classes)"
            )
        with self._locked():
            known = self.find(evaluation.key)
            if known is not None:
                return known
            if predictions is not None:
                block = np.ascontiguousarray(predictions, dtype=_ITEM).tobytes()
                slot, checksum = self._append(block), zlib.crc32(block)
                evaluation = replace(evaluation, slot=slot, checksum=checksum)
            self._write_line(json.dumps(asdict(evaluation)).encode())
        self._refresh()
        return evaluation

    def predictions(self, slots: list[int]) -> HalfArray:
        """Return the blocks of some slots, (slots, rows, classes), as a copy.

        Raises
        ------
        InputError
            If the file of predictions is shorter than it has to be, or a block is not as it was
            written.
        """
        if not slots:
            return np.empty((0, *self._block), dtype=_ITEM)
        if self._map is None or self._map.shape[0] <= max(slots):
            n_slots = (self._folder / "predictions.f16").stat().st_size // self._block_bytes
            if n_slots <= max(slots):
                raise InputError(
                    f"{self._folder} has lost predictions: {n_slots} blocks are there, block "
                    f"{max(slots)} is wanted; remove the folder and evaluate anew"
                )
            self._map = np.memmap(
                self._folder / "predictions.f16", _ITEM, "r", shape=(n_slots, *self._block)
            )
        found: HalfArray = self._map[slots]
        for slot, block in zip(slots, found, strict=True):
            checksum = self._unchecked.get(slot)
            if checksum is not None and checksum != zlib.crc32(block):
                raise InputError(
                    f"{self._folder} has damaged predictions in block {slot}; remove the folder "
                    "and evaluate anew"
                )
            self._unchecked.pop(slot, None)
        return found

    @property
    def _block_bytes(self) -> int:
        return self._block[0] * self._block[1] * _ITEM.itemsize

    @contextmanager
    def _locked(self) -> Iterator[None]:
        with self._lock.open("rb") as file:
            fcntl.flock(file, fcntl.LOCK_EX)
            yield

    def _append(self, block: bytes) -> int:
        """Write a block behind the last whole one and return its slot."""
        with (self._folder / "predictions.f16").open("r+b") as file:
            n_blocks = file.seek(0, os.SEEK_END) // self._block_bytes
            # Never where a line says that a block is, even if the file has lost it.
            slot = max(n_blocks, 1 + max((e.slot for e in self._known.values()), default=-1))
            file.seek(slot * self._block_bytes)
            file.write(block)
        return slot

    def _write_line(self, text: bytes) -> None:
        """Write a line behind the last whole one: a process may have been killed inside of one."""
        with (self._folder / "evaluations.jsonl").open("r+b") as file:
            size = file.seek(0, os.SEEK_END)
            file.seek(max(0, size - 1))
            if size and file.read(1) != b"\n":
                file.seek(0)
                file.truncate(file.read().rfind(b"\n") + 1)
                file.seek(0, os.SEEK_END)
            file.write(b"%08x\t%s\n" % (zlib.crc32(text), text))

    def _refresh(self) -> None:
        """Read the lines that were added since the last time."""
        with (self._folder / "evaluations.jsonl").open("rb") as file:
            file.seek(self._read_to)
            new = file.read()
        whole = new[: new.rfind(b"\n") + 1]
        self._read_to += len(whole)
        for line in whole.splitlines():
            checksum, _, text = line.partition(b"\t")
            if checksum != b"%08x" % zlib.crc32(text):
                continue  # damaged: it is evaluated again
            fields = json.loads(text)
            evaluation = Evaluation(**fields | {"status": Status(fields["status"])})
            self._known[evaluation.key] = evaluation
            if evaluation.checksum is not None:
                self._unchecked[evaluation.slot] = evaluation.checksum


def _check_meaning(path: Path, meaning: Mapping[str, Any]) -> None:
    wanted = json.dumps(meaning, indent=1, sort_keys=True)
    if not path.exists():
        path.write_text(wanted, encoding="utf-8")
    found = path.read_text(encoding="utf-8")
    if found != wanted:
        raise InputError(
            f"{path.parent} holds evaluations with another meaning: they are described in "
            f"{path.name}; name another folder or remove this one"
        )
