"""What a sandboxed call is given and what comes back, as values."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from typing import Any

from automl.trial import Status


@dataclass(frozen=True, slots=True, kw_only=True)
class SandboxSettings:
    """How calls are prepared; equal settings may share a supervisor.

    Attributes
    ----------
    preload : tuple of str
        Modules to import once, before the first call.
    n_threads : int
        Threads that OpenMP and BLAS may use in a call.
    idle_seconds : float
        A supervisor without a call for this long ends itself.
    startup_seconds : float
        A supervisor that is not ready by then is given up.
    """

    preload: tuple[str, ...] = ()
    n_threads: int = 1
    idle_seconds: float = 300.0
    startup_seconds: float = 120.0

    def __post_init__(self) -> None:
        if self.n_threads < 1:
            raise ValueError(f"n_threads is {self.n_threads}, but a call needs at least 1")


@dataclass(frozen=True, slots=True, kw_only=True)
class CallLimits:
    """What one call may use; no limit where the value is missing.

    Attributes
    ----------
    timeout_seconds : float or None
        Wall-clock seconds, from the start of the child to its complete reply.
    memory_mib : float or None
        Growth of anonymous memory, the call's own child processes included, over its start.
    seconds_left : float or None
        Seconds until the caller needs an answer, the start of the sandbox included.
    """

    timeout_seconds: float | None = None
    memory_mib: float | None = None
    seconds_left: float | None = None

    def after(self, waited_seconds: float) -> CallLimits:
        """Return the limits of a call that could only start after some waiting."""
        if self.seconds_left is None:
            return self
        left = max(0.0, self.seconds_left - waited_seconds)
        timeout = left if self.timeout_seconds is None else min(self.timeout_seconds, left)
        return replace(self, timeout_seconds=timeout, seconds_left=None)


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """How a call ended, without the raw bytes it returned.

    Attributes
    ----------
    status : Status
        How it ended.
    seconds : float
        Wall-clock seconds of the call; starting processes is not counted.
    memory_mib : float
        Largest growth of anonymous memory that was seen.
    reason : str
        One line on what went wrong; empty after a success.
    traceback : str
        Where it went wrong; after a hard crash, the end of what was written to stderr.
    header : mapping
        JSON values that the call returned.
    lengths : tuple of int
        Bytes of each blob that the call returned.
    """

    status: Status
    seconds: float
    memory_mib: float = 0.0
    reason: str = ""
    traceback: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)
    lengths: tuple[int, ...] = ()

    def as_json(self) -> dict[str, Any]:
        """Return the fields as JSON values."""
        return {item.name: getattr(self, item.name) for item in fields(self)}

    @classmethod
    def from_json(cls, values: Mapping[str, Any]) -> Verdict:
        """Return the verdict that `as_json` wrote.

        Raises
        ------
        KeyError, TypeError, ValueError
            If a field is missing or malformed.
        """
        return cls(
            status=Status(values["status"]),
            seconds=float(values["seconds"]),
            memory_mib=float(values["memory_mib"]),
            reason=str(values["reason"]),
            traceback=str(values["traceback"]),
            header=dict(values["header"]),
            lengths=tuple(int(length) for length in values["lengths"]),
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """How a call ended and what it returned.

    Attributes
    ----------
    status : Status
        How it ended.
    seconds : float
        Wall-clock seconds of the call; starting processes is not counted.
    memory_mib : float
        Largest growth of anonymous memory that was seen; looked at every 20 ms and at the end.
    reason : str
        One line on what went wrong; empty after a success.
    traceback : str
        Where it went wrong; after a hard crash, the end of what was written to stderr.
    header : mapping
        JSON values that the call returned; tuples have become lists.
    blobs : tuple of memoryview
        Raw bytes that the call returned, each aligned to 16 bytes.
    notes : tuple of str
        What could not be imported beforehand; in the first reply after a start only.
    """

    status: Status
    seconds: float
    memory_mib: float = 0.0
    reason: str = ""
    traceback: str = ""
    header: Mapping[str, Any] = field(default_factory=dict)
    blobs: tuple[memoryview, ...] = ()
    notes: tuple[str, ...] = ()
