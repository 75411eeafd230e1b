"""What to tell a user whose `scoring` cannot be used: why, and what to write instead."""

from __future__ import annotations

import difflib
from collections.abc import Sequence

from automl.stored_predictions import Labels

MADE_FOR_NUMBERS = frozenset(
    {
        "d2_absolute_error_score",
        "explained_variance",
        "neg_max_error",
        "neg_mean_absolute_error",
        "neg_mean_absolute_percentage_error",
        "neg_mean_gamma_deviance",
        "neg_mean_poisson_deviance",
        "neg_mean_squared_error",
        "neg_mean_squared_log_error",
        "neg_median_absolute_error",
        "neg_root_mean_squared_error",
        "neg_root_mean_squared_log_error",
        "r2",
    }
)
"""Scorers of scikit-learn that compare numbers; on class labels they would run and mean nothing."""

MADE_FOR_CLUSTERS = frozenset(
    {
        "adjusted_mutual_info_score",
        "adjusted_rand_score",
        "completeness_score",
        "fowlkes_mallows_score",
        "homogeneity_score",
        "mutual_info_score",
        "normalized_mutual_info_score",
        "rand_score",
        "v_measure_score",
    }
)
"""Scorers of scikit-learn that compare groupings: they work on classes, but are not advertised."""

_MOST_SHOWN = 5


NUMBERS_ARE_MEANT = (
    "If the classes are numbers on a scale and that is meant, pass a scorer made by "
    "sklearn.metrics.make_scorer."
)
"""What else can be done in Python about a scorer of regression."""


def unknown_name(name: str, usable: Sequence[str]) -> str:
    """Return the message for a name that scikit-learn does not have."""
    return f"scoring={name!r} is not a scorer of scikit-learn. {name_advice(name, usable)}"


def made_for_numbers(name: str, usable: Sequence[str]) -> str:
    """Return the message for a scorer of regression."""
    advice = name_advice(name, usable)
    return f"scoring={name!r} compares numbers, but the target has classes. {advice}"


def does_not_work(name: str, classes: Labels, error: Exception) -> str:
    """Return the message for a scorer that fails on a small problem with these classes."""
    reason = str(error).rstrip(". ")
    shown = _shown(classes.tolist())
    return f"scoring={name!r} cannot be used with the {len(classes)} classes {shown}: {reason}."


def name_advice(name: str, usable: Sequence[str]) -> str:
    """Return the names nearest to `name`, then all that can be used."""
    near = close_names(name, usable)
    hint = f"Did you mean {_shown(near)}? " if near else ""
    return f"{hint}Scorers that fit these classes: {', '.join(usable)}."


def positive_class_advice(name: str, classes: Labels) -> str:
    """Return how to say which of two classes is the positive one."""
    response = ", response_method='predict_proba'" if name == "average_precision" else ""
    return (
        "Say which class is the positive one, for example with scoring=sklearn.metrics."
        f"make_scorer(sklearn.metrics.{name}_score, pos_label={classes.tolist()[-1]!r}{response})."
    )


def close_names(name: str, usable: Sequence[str]) -> list[str]:
    """Return up to five of the `usable` names that `name` may be meant to be, nearest first.

    Examples
    --------
    >>> close_names("log_loss", ["accuracy", "d2_log_loss_score", "neg_log_loss"])
    ['neg_log_loss', 'd2_log_loss_score']
    >>> close_names("ROC AUC", ["neg_log_loss", "roc_auc_ovr"])
    ['roc_auc_ovr']
    """
    plain = name.strip().lower().replace(" ", "_").replace("-", "_")
    as_loss = [candidate for candidate in usable if candidate == f"neg_{plain}"]
    holding = [candidate for candidate in usable if plain and plain in candidate]
    similar = difflib.get_close_matches(plain, usable, n=_MOST_SHOWN, cutoff=0.6)
    nearest_first = dict.fromkeys(as_loss + holding + similar)
    return [candidate for candidate in nearest_first if candidate != name][:_MOST_SHOWN]


def _shown(values: Sequence[object]) -> str:
    """Return the values as text, at most five of them."""
    text = ", ".join(repr(value) for value in values[:_MOST_SHOWN])
    return f"{text}, ..." if len(values) > _MOST_SHOWN else text
