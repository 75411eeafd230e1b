"""What OpenML calls a flow: an estimator's class, its versions and its parameters, as text."""

from __future__ import annotations

import inspect
from typing import Any

from automl.versions import package_versions


def flow_of(package: Any, estimator: Any) -> Any:
    """Return the description of an estimator's class that OpenML knows it by.

    Parameters
    ----------
    package : module
        The package openml.
    estimator : object
        An estimator; its parameters are not part of the flow, their defaults are.
    """
    kind = type(estimator)
    defaults = _defaults(kind)
    versions = {name: f"{name}=={version}" for name, version in package_versions().items()}
    return package.flows.OpenMLFlow(
        name=f"{kind.__module__}.{kind.__qualname__}",
        class_name=f"{kind.__module__}.{kind.__qualname__}",
        custom_name=kind.__name__,
        description=(inspect.getdoc(kind) or kind.__name__).partition("\n\n")[0],
        model=estimator,
        components={},
        parameters={name: repr(value) for name, value in defaults.items()},
        parameters_meta_info={name: {"data_type": None, "description": None} for name in defaults},
        external_version=f"{versions['divbo']},{versions['scikit-learn']}",  # short by its rules
        tags=["divbo"],
        language="English",
        dependencies="\n".join(versions.values()),
    )


def parameter_settings(estimator: Any) -> list[dict[str, str]]:
    """Return an estimator's parameters by name as OpenML keeps them with a run."""
    return [
        {"oml:name": name, "oml:value": repr(value)}
        for name, value in sorted(estimator.get_params(deep=False).items())
    ]


def _defaults(kind: type) -> dict[str, Any]:
    parameters = inspect.signature(kind).parameters.values()
    return {p.name: p.default for p in parameters if p.default is not p.empty}
