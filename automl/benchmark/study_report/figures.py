"""Figures 2 to 6 of the paper and a diagram of critical differences; needs matplotlib.

References
----------
.. [1] Y. Shen, Y. Lu, Y. Li, Y. Tu, W. Zhang, B. Cui (2022). DivBO: Diversity-aware CASH for
   Ensemble Learning. NeurIPS: figures 2 to 6.
.. [2] J. Demsar (2006). Statistical Comparisons of Classifiers over Multiple Data Sets. Journal of
   Machine Learning Research 7: figure 1.
"""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING

import pandas as pd

from automl.benchmark.hpo_plots import draw_figure, plot_ranks
from automl.benchmark.study_report.courses import curves, distances, mean_curves, ranks_over_trials
from automl.benchmark.study_report.methods import PAPER_METHODS, POST_HOC_METHODS, search_name
from automl.benchmark.study_report.report import ranks_tested, taus
from automl.benchmark.study_report.run_files import FinalEnsemble, Study
from automl.benchmark.study_report.sections import POOL_METHODS
from automl.benchmark.study_report.significance import RankTest

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

_ENSEMBLE_METHODS = ("EO", "NES", *POST_HOC_METHODS)


def write_figures(
    study: Study | None, folder: Path, surrogates: pd.DataFrame | None = None
) -> None:
    """Draw everything that there are numbers for, as PNG files.

    Parameters
    ----------
    study : Study or None
        Of `read_study`.
    folder : Path
        Made if it is not there.
    surrogates : frame or None
        Of `read_surrogates`.

    Raises
    ------
    InputError
        If matplotlib is not installed.
    """
    folder.mkdir(parents=True, exist_ok=True)
    if surrogates is not None:
        _plot_surrogates(surrogates, folder)
    if study is not None:
        _plot_study(study, folder)


def _plot_study(study: Study, folder: Path) -> None:
    found = curves(study.trials)
    _plot_rank_curves(found, folder)
    means = mean_curves(found[found["method"].isin(_ENSEMBLE_METHODS)])
    for dataset, part in means.groupby("dataset"):
        for error in ("validation", "test"):
            plot_bands(
                part.rename(columns={"method": "name", error: "value", f"{error}_std": "std"}),
                folder / f"fig4_{error}_{dataset}.png",
                (f"trials, {dataset}", f"{error} error (%)"),
            )
    for dataset, part in distances(study.trials, tuple(POOL_METHODS)).groupby("dataset"):
        named = part.assign(name=part["search"].map(POOL_METHODS))
        labels = (
            f"trials, {dataset}",
            "smallest diversity from the ensemble",
            "mean validation error of its members (%), dashed",
        )
        path = folder / f"fig5_{dataset}.png"
        columns = {"distance": "value", "members_error": "dashed"}
        plot_bands(named.rename(columns=columns), path, labels)
    _plot_ensembles(study, folder)
    tested = ranks_tested(study)
    if tested is not None:
        plot_critical_difference(tested, folder / "critical_difference.png")


def _plot_surrogates(surrogates: pd.DataFrame, folder: Path) -> None:
    """Draw figure 2: Kendall's tau of surrogates over observations, a file for each data set."""
    found = taus(surrogates)
    columns = {"surrogate": "name", "tau": "value", "n_observations": "step"}
    for dataset, part in found.groupby("dataset"):
        labels = (f"observations, {dataset}", "Kendall's tau")
        plot_bands(part.rename(columns=columns), folder / f"fig2_{dataset}.png", labels)


def _plot_rank_curves(found: pd.DataFrame, folder: Path) -> None:
    for name, methods, part in (
        ("fig3_validation_ranks", tuple(PAPER_METHODS), "validation"),
        ("fig4_test_ranks", POST_HOC_METHODS, "test"),
    ):
        ranks = ranks_over_trials(found, methods, part)
        if not ranks.empty:
            plot_ranks(ranks, folder / f"{name}.png")


def _plot_ensembles(study: Study, folder: Path) -> None:
    chosen = [e for search in POOL_METHODS for e in study.ensembles if e.search == search]
    for dataset in dict.fromkeys(ensemble.dataset for ensemble in chosen):
        of_dataset = [e for e in chosen if e.dataset == dataset]
        seed = min(e.seed for e in of_dataset)  # one run, as in the paper
        plot_pairs([e for e in of_dataset if e.seed == seed], folder / f"fig6_{dataset}.png")


def plot_bands(values: pd.DataFrame, path: Path, labels: tuple[str, ...]) -> None:
    """Draw lines with their standard deviations shaded.

    Parameters
    ----------
    values : frame
        name, step, value, std; perhaps dashed, what dashed lines of the same colours show.
    path : Path
        Where the figure goes.
    labels : tuple of str
        Of the axes: steps, values, then what is dashed, which has an axis of its own on the right.
    """
    is_dashed = "dashed" in values and bool(values["dashed"].notna().any())

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        right = axes.twinx() if is_dashed else None
        for name, part in values.groupby("name"):
            (line,) = axes.plot(part["step"], part["value"], label=str(name))
            low, high = part["value"] - part["std"], part["value"] + part["std"]
            color = line.get_color()
            axes.fill_between(part["step"], low, high, color=color, alpha=0.1, linewidth=0)
            if right is not None:
                right.plot(part["step"], part["dashed"], "--", color=color, linewidth=1)
                right.set_ylabel(labels[2])
        axes.set_xlabel(labels[0])
        axes.set_ylabel(labels[1])
        axes.grid(alpha=0.3)
        axes.legend(fontsize=7, ncols=2)

    draw_figure(draw, path)


def plot_pairs(ensembles: list[FinalEnsemble], path: Path) -> None:
    """Draw the diversity of each pair of members as a heat map for each ensemble.

    Parameters
    ----------
    ensembles : list of FinalEnsemble
        At least one; numbers of trials, from old to new, name the rows.
    path : Path
        Where the figure goes.
    """
    top = max(float(ensemble.pairwise.max()) for ensemble in ensembles)

    def draw(figure: Figure) -> None:
        grid = figure.subplots(1, len(ensembles), squeeze=False)[0]
        for axes, ensemble in zip(grid, ensembles, strict=True):
            image = axes.imshow(ensemble.pairwise, vmin=0.0, vmax=max(top, 1e-9))
            ticks = range(len(ensemble.members))
            axes.set_xticks(ticks, ensemble.members, rotation=90, fontsize=6)
            axes.set_yticks(ticks, ensemble.members, fontsize=6)
            axes.set_title(search_name(ensemble.search))
        figure.colorbar(image, ax=grid.tolist(), label="diversity")

    draw_figure(draw, path, (3.4 * len(ensembles) + 1.0, 3.6))


def plot_critical_difference(tested: RankTest, path: Path) -> None:
    """Draw average ranks on a line; a bar joins methods that do not differ [2]_.

    Parameters
    ----------
    tested : RankTest
        Of `rank_test`.
    path : Path
        Where the figure goes.
    """
    groups = tested.groups()
    k = len(tested.ranks)
    below = 0.3 * (len(groups) + 1)

    def draw(figure: Figure) -> None:
        axes = figure.subplots()
        axes.set_axis_off()
        axes.set_xlim(0.0, k + 1.0)
        axes.set_ylim(-below - 0.4 * (k / 2 + 1), 1.6)
        _draw_scale(axes, k, tested.critical_difference)
        for level, group in enumerate(groups):
            first, last = tested.ranks[group[0]], tested.ranks[group[-1]]
            height = -0.3 * (level + 0.7)
            axes.plot([first - 0.05, last + 0.05], [height, height], color="black", linewidth=3)
        for place, (name, rank) in enumerate(tested.ranks.items()):
            is_left = place < (k + 1) // 2
            row = place if is_left else k - 1 - place
            height, end = -below - 0.4 * row, 0.6 if is_left else k + 0.4
            axes.plot([rank, rank, end], [0.0, height, height], color="black", linewidth=0.8)
            side = "right" if is_left else "left"
            axes.text(end, height, f" {name} ({rank:.2f}) ", ha=side, va="center")

    draw_figure(draw, path, (8.0, 1.6 + 0.3 * len(groups) + 0.16 * k))


def _draw_scale(axes: Axes, k: int, difference: float) -> None:
    axes.plot([1, k], [0.0, 0.0], color="black", linewidth=1)
    for rank in range(1, k + 1):
        axes.plot([rank, rank], [0.0, 0.12], color="black", linewidth=1)
        axes.text(rank, 0.2, str(rank), ha="center", va="bottom")
    axes.plot([1, min(1 + difference, k)], [1.0, 1.0], color="black", linewidth=2)
    clipped = " (beyond the scale)" if 1 + difference > k else ""
    axes.text(1, 1.15, f"CD = {difference:.2f}{clipped}", ha="left", va="bottom")
