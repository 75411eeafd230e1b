"""A configuration as one short line."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

_WIDEST = 72  # characters
_LEFT_OUT = ("empty", "none")  # components that change nothing


def configuration_text(configuration: Mapping[str, Any], width: int = _WIDEST) -> str:
    """Return the learner's hyperparameters in one short line, then the other parts of the pipeline.

    Examples
    --------
    >>> configuration_text(
    ...     {"classifier": "lda", "classifier:lda:shrinkage": 0.51239, "preprocessor": "pca"}
    ... )
    'shrinkage=0.512 preprocessor=pca'
    """
    own = [
        f"{name.rsplit(':', 1)[1]}={_value(value)}"
        for name, value in configuration.items()
        if name.startswith("classifier:")
    ]
    others = [
        f"{name}={value}"
        for name, value in configuration.items()
        if ":" not in name and name != "classifier" and value not in _LEFT_OUT
    ]
    return shortened(" ".join(own + others), width)


def _value(value: Any) -> str:
    return f"{value:.3g}" if isinstance(value, float) else str(value)


def shortened(text: str, width: int = _WIDEST) -> str:
    """Return a text as one line of at most so many characters."""
    line = " ".join(text.split())
    return line if len(line) <= width else line[: width - 3] + "..."
