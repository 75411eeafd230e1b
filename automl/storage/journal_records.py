"""The lines of a journal: ``checksum<TAB>JSON``, and what their JSON says.

The checksum is the CRC-32 of the JSON text in hexadecimal. JSON has no number that is not finite:
these are written as the texts "Infinity", "-Infinity" and "NaN".
"""

from __future__ import annotations

import json
import math
import zlib
from collections.abc import Mapping
from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from automl.trial import Origin, Outcome, Status, Trial
from search_space.values import plain_values

FORMAT = 1
"""Changes with the meaning of the lines."""


@dataclass(frozen=True, slots=True, kw_only=True)
class JournalHeader:
    """What identifies a search.

    Attributes
    ----------
    seed : int
        Seed of everything random.
    metric : str
        Name of the metric.
    n_rows, n_classes, n_splits : int
        Size of the table, and number of folds.
    data : str
        Fingerprint of the prepared features, the classes and the folds.
    search_space : str
        Fingerprint of the search space.
    versions : mapping of str to str
        Version of Python and of each package that decides what a trial gives.
    """

    seed: int
    metric: str
    n_rows: int
    n_classes: int
    n_splits: int
    data: str
    search_space: str
    versions: Mapping[str, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class WrittenTrial:
    """A trial as a journal holds it: values of its configuration in JSON's types."""

    number: int
    origin: Origin
    configuration: Mapping[str, Any]
    beliefs: Mapping[str, float]


@dataclass(frozen=True, slots=True, kw_only=True)
class Reopened:
    """A trial whose outcome does not count any more, so that it is evaluated again."""

    number: int


Record = JournalHeader | WrittenTrial | Outcome | Reopened


def header_record(header: JournalHeader) -> dict[str, Any]:
    """Return what is written of a search."""
    return {"kind": "search", "format": FORMAT, **asdict(header)}


def trial_record(trial: Trial) -> dict[str, Any]:
    """Return what is written of a proposal that was taken up."""
    proposal = trial.proposal
    return {
        "kind": "trial",
        "number": trial.number,
        "origin": str(proposal.origin),
        "configuration": plain_values(proposal.configuration),
        "beliefs": dict(proposal.beliefs),
    }


def outcome_record(outcome: Outcome) -> dict[str, Any]:
    """Return what is written of how a trial ended."""
    return {"kind": "outcome", **asdict(outcome)}


def reopened_record(number: int) -> dict[str, Any]:
    """Return what is written of a trial that is evaluated again."""
    return {"kind": "reopened", "number": number}


def as_json(value: Any) -> str:
    """Return a value as JSON by the letter of the standard: ASCII, finite numbers only.

    Examples
    --------
    >>> as_json({"loss": math.inf, "layers": (np.int64(5), None)})
    '{"loss": "Infinity", "layers": [5, null]}'
    """
    return json.dumps(_standard(value), default=str, allow_nan=False)


def as_line(record: Mapping[str, Any], seconds: float) -> bytes:
    """Return a record as a line with its checksum, and the time used when it was written."""
    text = as_json({**record, "at": round(seconds, 3)}).encode()
    return b"%08x\t%s\n" % (zlib.crc32(text), text)


def record_of(line: bytes) -> tuple[Record, float]:
    """Return what a line says, and the seconds of the search that were used then.

    Raises
    ------
    ValueError
        If the line is not whole, or says what no version of this format says.
    """
    if not line.endswith(b"\n"):
        raise ValueError("it has no end")
    checksum, _, text = line[:-1].partition(b"\t")
    if checksum != b"%08x" % zlib.crc32(text):
        raise ValueError("its checksum does not fit")
    fields: dict[str, Any] = json.loads(text)
    try:
        seconds = float(fields.pop("at"))
        return _record_of(fields.pop("kind"), fields), seconds
    except (KeyError, TypeError, AttributeError) as error:
        raise ValueError(f"it is no record: {type(error).__name__}: {error}") from error


def _record_of(kind: str, fields: dict[str, Any]) -> Record:
    match kind:
        case "search":
            if fields.pop("format") != FORMAT:
                raise ValueError(f"its format is not {FORMAT}")
            return JournalHeader(**fields)
        case "trial":
            origin = Origin(fields["origin"])
            beliefs = {name: float(value) for name, value in fields["beliefs"].items()}
            return WrittenTrial(**fields | {"origin": origin, "beliefs": beliefs})
        case "outcome":
            numbers = {name: float(fields[name]) for name in ("loss", "seconds", "memory_mib")}
            return Outcome(**fields | numbers | {"status": Status(fields["status"])})
        case "reopened":
            return Reopened(**fields)
        case _:
            raise ValueError(f"its kind {kind!r} is unknown")


def _standard(value: Any) -> Any:
    """Return a value without NumPy's scalars and without numbers that JSON does not know."""
    if isinstance(value, np.generic):
        value = value.item()
    if isinstance(value, Mapping):
        return {name: _standard(item) for name, item in value.items()}
    if isinstance(value, list | tuple):
        return [_standard(item) for item in value]
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else "Infinity" if value > 0.0 else "-Infinity"
    return value
