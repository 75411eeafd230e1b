"""From a fitted estimator to the parts of a model file and back, without pickle.

skops writes an object as arrays, plain values and the names of types, and makes only objects whose
types are trusted. Every part is written and read by itself: a member's pipelines are one part.
"""

from __future__ import annotations

import logging
import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Protocol, Self
from zipfile import ZIP_DEFLATED

from sklearn.exceptions import InconsistentVersionWarning

from automl.ensembles.weighted_ensemble import Member, WeightedEnsemble
from automl.errors import AutoMLWarning, InputError
from automl.model_archive import ModelArchive, in_words, read_archive, write_archive
from automl.model_bounds import check_trees
from automl.trusted_types import TRUSTED_TYPES

_LOG = logging.getLogger(__name__)

_PARAMETERS, _FITTED, _TARGET = "parameters", "fitted", "target"
_ENSEMBLE = "ensemble_"
_BEST = "_best_member"  # written as the number of a member
_PRIVATE_OF_A_FIT = (_BEST, "_asked_of_fit", "_changes_of_table", "_schema")
_NOT_OF_ANOTHER_MACHINE = ("work_dir",)

Trusted = Sequence[str | type]
"""Types beyond ours that a file may hold: full names, or the types themselves."""


class _Estimator(Protocol):
    """What is written: parameters and fitted attributes are the whole of it."""

    ensemble_: WeightedEnsemble

    def get_params(self, deep: bool = ...) -> dict[str, Any]: ...
    def set_params(self, **parameters: Any) -> Self: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoredState:
    """What a model file says of an estimator.

    Attributes
    ----------
    parameters : mapping of str to value
        Arguments of its constructor, without those that were left out.
    fitted : mapping of str to value
        Its other attributes.
    target : str or None
        Name of what it predicts, if the writer said so.
    """

    parameters: Mapping[str, Any]
    fitted: Mapping[str, Any]
    target: str | None

    def apply_to(self, estimator: Any) -> None:
        """Make a new estimator what the written one was."""
        known = estimator.get_params(deep=False)
        estimator.set_params(**{n: v for n, v in self.parameters.items() if n in known})
        vars(estimator).update(self.fitted)


def fitted_names(estimator: object) -> list[str]:
    """Return the names of the attributes that a fit leaves.

    Other private ones are not ours: scikit-learn tells an estimator of the pipeline that it is in,
    and of metadata requests, in attributes of its own.
    """
    return [name for name in vars(estimator) if name.endswith("_") or name in _PRIVATE_OF_A_FIT]


def save_state(path: str | Path, estimator: _Estimator, *, target: str | None = None) -> None:
    """Write a model file, with one warning for the parameters that cannot be in one.

    Parameters
    ----------
    path : str or Path
        Where to; a file that is there is replaced.
    estimator : AutoClassifier
        Fitted.
    target : str or None
        Name of what it predicts.

    Raises
    ------
    InputError
        If something that was fitted cannot be written, or the file cannot.
    """
    parameters = estimator.get_params(deep=False)
    fitted = {name: getattr(estimator, name) for name in fitted_names(estimator)}
    ensemble = estimator.ensemble_
    members = [member for member in ensemble.members if member.weight > 0.0]
    fitted[_ENSEMBLE] = replace(ensemble, members=tuple(replace(m, models=()) for m in members))
    fitted[_BEST] = _number_of(fitted.get(_BEST), members)
    # What set_fit_request leaves is scikit-learn's own and no plain value.
    requests = ["metadata requests"] if "_metadata_request" in vars(estimator) else []
    parts = _parameter_parts(parameters, requests)
    parts |= {f"{_FITTED}/{name}": _written(value, name) for name, value in fitted.items()}
    for member in members:
        part = _written(member.models, f"the pipeline of trial {member.number}")
        _LOG.info("trial %d, %s: %.2f MB", member.number, member.learner, len(part) / 1e6)
        parts[_member_part(member)] = part
    if target is not None:
        parts[_TARGET] = target.encode()
    write_archive(Path(path), parts)


def load_state(path: str | Path, trusted: Trusted = ()) -> StoredState:
    """Read a model file; one warning says which versions differ.

    Parameters
    ----------
    path : str or Path
        A model file.
    trusted : sequence of str or type
        Types beyond ours that it may hold.

    Raises
    ------
    InputError
        If it cannot be read, is no model file, is damaged, or holds types that are not trusted
        or trees that do not end.
    """
    path = Path(path)
    archive = read_archive(path)
    with warnings.catch_warnings():
        # scikit-learn warns once for every part of a pipeline.
        warnings.simplefilter("ignore", InconsistentVersionWarning)
        objects = _objects(path, archive, trusted)
    check_trees(objects)
    _warn_of_versions(path, archive)
    fitted = _group(objects, _FITTED)
    if not isinstance(fitted.get(_ENSEMBLE), WeightedEnsemble):
        raise InputError(f"{str(path)!r} is not a model file of automl")
    ensemble = fitted[_ENSEMBLE]
    members = tuple(replace(m, models=objects[_member_part(m)]) for m in ensemble.members)
    fitted[_ENSEMBLE] = replace(ensemble, members=members)
    fitted[_BEST] = next((m for m in members if m.number == fitted.get(_BEST)), None)
    target = archive.parts.get(_TARGET)
    return StoredState(
        parameters=_group(objects, _PARAMETERS),
        fitted=fitted,
        target=None if target is None else target.decode(),
    )


def _number_of(best: Member | None, members: Sequence[Member]) -> int | None:
    """Return the number of the best trial if it is among the members that are written."""
    numbers = [member.number for member in members]
    return best.number if best is not None and best.number in numbers else None


def _member_part(member: Member) -> str:
    return f"members/{member.number}"


def _group(objects: Mapping[str, Any], group: str) -> dict[str, Any]:
    prefix = f"{group}/"
    return {n.removeprefix(prefix): v for n, v in objects.items() if n.startswith(prefix)}


def _parameter_parts(parameters: Mapping[str, Any], others: Sequence[str]) -> dict[str, bytes]:
    """Return those parameters that any machine can read without trusting anything more.

    A warning names the rest, and others that are left out.
    """
    import skops.io  # takes a second

    parts, left_out = {}, [*others]
    for name, value in parameters.items():
        if name in _NOT_OF_ANOTHER_MACHINE:
            continue
        try:
            part = _written(value, name)
            foreign = set(skops.io.get_untrusted_types(data=part)).difference(TRUSTED_TYPES)
        except InputError:
            foreign = {"what cannot be written"}
        if foreign:
            left_out.append(name)
        else:
            parts[f"{_PARAMETERS}/{name}"] = part
    if left_out:
        warnings.warn(
            f"the model file leaves out {', '.join(left_out)}: no plain values; the loaded "
            "estimator has the default there and predicts the same",
            AutoMLWarning,
            stacklevel=4,
        )
    return parts


def _written(value: Any, name: str) -> bytes:
    import skops.io

    try:
        data: bytes = skops.io.dumps(value, compression=ZIP_DEFLATED)
    except (TypeError, ValueError, AttributeError) as error:
        raise InputError(f"{name} cannot be written to a model file: {error}") from error
    return data


def _objects(path: Path, archive: ModelArchive, trusted: Trusted) -> dict[str, Any]:
    """Return what each part holds; nothing is made before every type in the file is trusted."""
    import skops.io

    parts = {name: part for name, part in archive.parts.items() if name != _TARGET}
    written = in_words(archive.versions)
    try:
        found = {t for part in parts.values() for t in skops.io.get_untrusted_types(data=part)}
        allowed = {*TRUSTED_TYPES, *(_full_name(t) for t in trusted)}
        _refuse_untrusted(path, found - allowed)
        return {name: skops.io.loads(part, trusted=sorted(found)) for name, part in parts.items()}
    except (ImportError, AttributeError) as error:
        raise InputError(
            f"{str(path)!r} cannot be loaded here ({error}); it was written with {written}"
        ) from error


def _full_name(trusted: str | type) -> str:
    if isinstance(trusted, str):
        return trusted
    return f"{trusted.__module__}.{trusted.__name__}"


def _refuse_untrusted(path: Path, names: set[str]) -> None:
    if names:
        listed = ", ".join(repr(name) for name in sorted(names))
        raise InputError(
            f"{str(path)!r} holds types that are not trusted: {listed}. If they are yours, or you "
            f"know where the file comes from, pass load(path, trusted=[{listed}])."
        )


def _warn_of_versions(path: Path, archive: ModelArchive) -> None:
    other = archive.other_versions
    if other:
        written = in_words({name: versions[0] for name, versions in other.items()})
        here = in_words({name: versions[1] for name, versions in other.items()})
        warnings.warn(
            f"{str(path)!r} was written with {written}, here are {here}; predictions may differ",
            AutoMLWarning,
            stacklevel=4,
        )
