"""The journal of a search: one checksummed line for each proposal and outcome, append-only."""

from __future__ import annotations

import json
import os
import zlib
from dataclasses import asdict
from pathlib import Path
from typing import Any, Self

from automl.trial import Outcome, Trial
from search_space.values import plain_values


class Journal:
    """Writes what happens to a file before it counts.

    Each line is ``checksum<TAB>JSON``, where the checksum is the CRC-32 of the JSON text in
    hexadecimal.

    Parameters
    ----------
    path : Path
        The file; it must not exist yet.
    header : dict
        What identifies the search: versions, seed, fingerprint of the data.
    """

    def __init__(self, path: Path, header: dict[str, Any]) -> None:
        self._file = path.open("x", encoding="utf-8")
        self._append({"kind": "search", **header})

    def write_trial(self, trial: Trial) -> None:
        """Write a proposal that was taken up."""
        proposal = trial.proposal
        self._append(
            {
                "kind": "trial",
                "number": trial.number,
                "origin": str(proposal.origin),
                "configuration": plain_values(proposal.configuration),
                "beliefs": dict(proposal.beliefs),
            }
        )

    def write_outcome(self, outcome: Outcome) -> None:
        """Write how a trial ended."""
        self._append({"kind": "outcome", **asdict(outcome)})

    def close(self) -> None:
        """Close the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()

    def _append(self, record: dict[str, Any]) -> None:
        text = json.dumps(record, default=_plain, ensure_ascii=True)
        self._file.write(f"{zlib.crc32(text.encode()):08x}\t{text}\n")
        self._file.flush()
        os.fsync(self._file.fileno())


def _plain(value: Any) -> Any:
    """Return a NumPy scalar as the Python value that JSON knows."""
    return value.item()
