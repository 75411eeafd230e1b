"""What can go wrong, one class per cause that a caller can act on."""

from __future__ import annotations


class AutoMLError(Exception):
    """Base of every error that is ours."""


class InputError(AutoMLError, ValueError):
    """A table, a target or an argument cannot be used as it is.

    Parameters
    ----------
    message : str
        What was found and what is expected.
    in_python : str
        What else can be done, but only by a program: the command line leaves it out.
    """

    def __init__(self, message: str, in_python: str = "") -> None:
        super().__init__(f"{message} {in_python}" if in_python else message)
        self.message = message


class InputTypeError(InputError, TypeError):
    """An argument has a type that cannot be used."""


class SpaceExhaustedError(AutoMLError):
    """Every configuration of a finite space has been proposed."""


class SurrogateError(AutoMLError):
    """A surrogate cannot be fitted on these observations, though another one may."""


class PredictionStoreError(AutoMLError):
    """Stored predictions are damaged or belong to another search."""


class JournalError(AutoMLError):
    """A journal is damaged, or does not belong to this search."""


class SandboxError(AutoMLError):
    """Evaluation processes cannot be started on this machine."""


class AutoMLWarning(UserWarning):
    """Base of every warning that is ours."""


class DegradedResultWarning(AutoMLWarning):
    """The search ended with less than what was asked for."""
