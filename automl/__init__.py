"""AutoML for classification that searches for models that are good together."""

from __future__ import annotations

from importlib.util import find_spec
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from automl.ask_tell import AskTell
    from automl.estimator import AutoClassifier

__all__ = ["AskTell", "AutoClassifier"]

# A script's folder comes first on the import path, so a file of the user's may hide our package.
_found = find_spec("search_space")
if _found is not None and _found.submodule_search_locations is None:
    raise ImportError(
        f"{_found.origin} hides the package 'search_space' that automl needs; rename that file"
    )


def __getattr__(name: str) -> object:
    # The estimator is imported at its first use: the processes that run evaluations import this
    # package too and have to start quickly.
    if name == "AutoClassifier":
        from automl.estimator import AutoClassifier

        return AutoClassifier
    if name == "AskTell":
        from automl.ask_tell import AskTell

        return AskTell
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return [*globals(), *__all__]
