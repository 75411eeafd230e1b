"""What can go wrong, one class per cause that a caller can act on."""

from __future__ import annotations


class AutoMLError(Exception):
    """Base of every error that is ours."""


class InputError(AutoMLError, ValueError):
    """A table, a target or an argument cannot be used as it is."""


class InputTypeError(InputError, TypeError):
    """An argument has a type that cannot be used."""


class SpaceExhaustedError(AutoMLError):
    """Every configuration of a finite space has been proposed."""


class PredictionStoreError(AutoMLError):
    """Stored predictions are damaged or belong to another search."""


class SandboxError(AutoMLError):
    """Evaluation processes cannot be started on this machine."""


class AutoMLWarning(UserWarning):
    """Base of every warning that is ours."""


class DegradedResultWarning(AutoMLWarning):
    """The search ended with less than what was asked for."""
