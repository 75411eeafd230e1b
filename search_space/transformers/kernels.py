"""The hyperparameters of a kernel, which two operators share."""

from __future__ import annotations

from collections.abc import Sequence

from ConfigSpace import (
    Categorical,
    ConfigurationSpace,
    EqualsCondition,
    Float,
    InCondition,
    Integer,
)

_WITH_GAMMA = ("poly", "rbf", "sigmoid", "chi2")


def add_kernel(
    space: ConfigurationSpace,
    kernels: Sequence[str],
    *,
    default_gamma: float,
    with_gamma: Sequence[str] = _WITH_GAMMA,
) -> None:
    """Add ``kernel`` and its conditional ``gamma``, ``degree`` and ``coef0`` to a space.

    Parameters
    ----------
    space : ConfigurationSpace
        What they are added to.
    kernels : sequence of str
        Kernels to choose from; must include ``"rbf"``, ``"poly"`` and ``"sigmoid"``.
    default_gamma : float
        Inverse squared width of the default configuration.
    with_gamma : sequence of str
        Kernels for which ``gamma`` is searched.
    """
    kernel = Categorical("kernel", kernels, default="rbf")
    gamma = Float("gamma", (2.0**-15, 8.0), default=default_gamma, log=True)
    degree = Integer("degree", (2, 5), default=3)
    coef0 = Float("coef0", (-1.0, 1.0), default=0.0)
    space.add(
        kernel,
        gamma,
        degree,
        coef0,
        InCondition(gamma, kernel, [name for name in kernels if name in with_gamma]),
        EqualsCondition(degree, kernel, "poly"),
        InCondition(coef0, kernel, ["poly", "sigmoid"]),
    )
