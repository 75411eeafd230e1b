"""Figures of a comparison of tuning methods; needs matplotlib (``pip install 'divbo[plots]'``)."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pandas as pd

from automl.errors import InputError

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_INCHES = (7.0, 4.0)


def plot_ranks(ranks: pd.DataFrame, path: Path) -> None:
    """Draw the mean rank of each method over evaluations, with its interval.

    Parameters
    ----------
    ranks : frame
        Of `ranks_over_evaluations`.
    path : Path
        Where the figure goes; the suffix says in which format.
    """

    def draw(axes: Axes) -> None:
        for method, of_method in ranks.groupby("method"):
            (line,) = axes.plot(of_method["evaluation"], of_method["rank"], label=str(method))
            axes.fill_between(
                of_method["evaluation"],
                of_method["low"],
                of_method["high"],
                color=line.get_color(),
                alpha=0.1,
                linewidth=0,
            )
        axes.set_ylabel("mean rank")
        if len(np.unique(np.diff(ranks["evaluation"].unique()))) > 1:  # powers of two
            axes.set_xscale("log", base=2)
            axes.xaxis.set_major_formatter("{x:.0f}")

    _figure(draw, path)


def plot_alphas(alphas: pd.DataFrame, path: Path) -> None:
    """Draw the weight of exploitation over evaluations, with its quartiles over problems.

    Parameters
    ----------
    alphas : frame
        Of `alphas_over_evaluations`.
    path : Path
        Where the figure goes.
    """

    def draw(axes: Axes) -> None:
        for (family, method), part in alphas.groupby(["family", "method"]):
            (line,) = axes.plot(part["evaluation"], part["alpha"], label=f"{method}, {family}")
            # Of schedules, which do not differ between problems, this is nothing.
            axes.fill_between(
                part["evaluation"],
                part["low"],
                part["high"],
                color=line.get_color(),
                alpha=0.2,
                linewidth=0,
            )
        axes.set_ylabel("weight of exploitation")

    _figure(draw, path)


def plot_trace(trace: pd.DataFrame, path: Path, *, label: str) -> None:
    """Draw each column of a trace over evaluations.

    Parameters
    ----------
    trace : frame
        Of `trace_of`.
    path : Path
        Where the figure goes.
    label : str
        What the numbers are.
    """

    def draw(axes: Axes) -> None:
        for name in trace.columns.drop("evaluation"):
            axes.step(trace["evaluation"], trace[name], where="post", label=name)
        axes.set_ylabel(label)

    _figure(draw, path)


def _figure(draw: Any, path: Path) -> None:
    def draw_all(figure: Figure) -> None:
        axes = figure.subplots()
        draw(axes)
        axes.set_xlabel("evaluations")
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, ncols=2)

    draw_figure(draw_all, path)


def draw_figure(
    draw: Callable[[Figure], None], path: Path, inches: tuple[float, float] = _INCHES
) -> None:
    """Draw a figure and write it, without anything that outlives the call.

    Parameters
    ----------
    draw : callable
        Fills an empty figure.
    path : Path
        Where it goes; the suffix says in which format.
    inches : pair of float
        Width and height.

    Raises
    ------
    InputError
        If matplotlib is not installed.
    """
    try:
        import matplotlib as mpl
    except ImportError as error:
        raise InputError("figures need matplotlib: pip install 'divbo[plots]'") from error
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure
    from matplotlib.rcsetup import cycler

    # Not through pyplot, which keeps figures and a backend for the whole process.
    colors = mpl.color_sequences["tab20"]  # a dark and a light one of each hue, in turn
    cycle = cycler(color=[*colors[::2], *colors[1::2]])
    with mpl.rc_context({"font.size": 9, "axes.prop_cycle": cycle}):
        figure = Figure(figsize=inches, layout="constrained")
        FigureCanvasAgg(figure)
        draw(figure)
        figure.savefig(path, dpi=130)
