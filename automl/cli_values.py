"""Values of command line options: text to checked values."""

from __future__ import annotations

from argparse import ArgumentTypeError
from collections.abc import Callable

from automl.suggestions import did_you_mean


def amount(text: str) -> float:
    """Return a positive number."""
    return _positive(text, "a positive number")


def amount_or_none(text: str) -> float | None:
    """Return a positive number, or None for "none"."""
    return None if text == "none" else _positive(text, "a positive number or none")


def amount_or_auto(text: str) -> float | str | None:
    """Return a positive number, None for "none", or "auto"."""
    if text == "none":
        return None
    return text if text == "auto" else _positive(text, "a positive number, auto or none")


def count(text: str) -> int:
    """Return a whole number of at least 1."""
    value = _whole(text, "a whole number of at least 1")
    if value < 1:
        raise ArgumentTypeError(f"must be a whole number of at least 1, found {text!r}")
    return value


def jobs(text: str) -> int:
    """Return a number of workers, as joblib counts them: -1 is all cores."""
    value = _whole(text, "a number of workers, or -1 for all cores")
    if value == 0:
        raise ArgumentTypeError(f"must be a number of workers, or -1 for all cores, found {text!r}")
    return value


def whole(text: str) -> int:
    """Return a whole number that is not negative."""
    value = _whole(text, "a whole number that is not negative")
    if value < 0:
        raise ArgumentTypeError(f"must be a whole number that is not negative, found {text!r}")
    return value


def seed(text: str) -> int:
    """Return a seed: a whole number that 32 bits hold."""
    value = _whole(text, "a whole number from 0 to 4294967295")
    if not 0 <= value < 2**32:
        raise ArgumentTypeError(f"must be a whole number from 0 to 4294967295, found {text!r}")
    return value


def one_of(*names: str) -> Callable[[str], str]:
    """Return what checks that a value is one of some names."""

    def check(text: str) -> str:
        if text not in names:
            hint = did_you_mean(text, names)
            raise ArgumentTypeError(f"must be one of {', '.join(names)}, found {text!r}{hint}")
        return text

    return check


def comma_list(text: str) -> list[str]:
    """Return the names between commas.

    Examples
    --------
    >>> comma_list("lightgbm, lda,")
    ['lightgbm', 'lda']
    """
    names = [name.strip() for name in text.split(",") if name.strip()]
    if not names:
        raise ArgumentTypeError(f"must be names with commas between them, found {text!r}")
    return names


def validation(text: str) -> str | int | float:
    """Return "auto", "holdout", a number of folds, or the fraction of rows that validate."""
    if text in ("auto", "holdout"):
        return text
    expected = "auto, holdout, a number of folds from 2, or a fraction between 0 and 1"
    try:
        value = float(text)
    except ValueError:
        raise ArgumentTypeError(f"must be {expected}, found {text!r}") from None
    if 0.0 < value < 1.0:
        return value
    if value >= 2.0 and value.is_integer():
        return int(value)
    raise ArgumentTypeError(f"must be {expected}, found {text!r}")


def _positive(text: str, expected: str) -> float:
    try:
        value = float(text)
    except ValueError:
        value = 0.0
    if not value > 0.0:  # this is how NaN is refused, too
        raise ArgumentTypeError(f"must be {expected}, found {text!r}")
    return value


def _whole(text: str, expected: str) -> int:
    try:
        return int(text)
    except ValueError:
        raise ArgumentTypeError(f"must be {expected}, found {text!r}") from None
