"""The whole report of a study as Markdown, and its frames as CSV files."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from automl.benchmark.hpo_report import as_markdown
from automl.benchmark.hpo_statistics import LEVEL, reported_evaluations
from automl.benchmark.study_report.courses import (
    curves,
    distances,
    effective_updates,
    learner_errors,
    mean_curves,
    ranks_over_trials,
)
from automl.benchmark.study_report.final_errors import average_ranks, mean_errors, present_methods
from automl.benchmark.study_report.methods import (
    PAPER_METHODS,
    PAPER_SEARCHES,
    POST_HOC_METHODS,
)
from automl.benchmark.study_report.published import published_values
from automl.benchmark.study_report.run_files import Study
from automl.benchmark.study_report.sections import (
    POOL_METHODS,
    further_methods,
    pairwise_table,
    ranks_table,
    table_1,
    table_1_frame,
    table_3,
    table_4,
)
from automl.benchmark.study_report.significance import (
    RankTest,
    counts_of_verdicts,
    differences_to,
    rank_test,
    smallest_p_value,
)
from automl.suggestions import counted

_NAMED_AT_MOST = 20
_BASELINES = ("RS-ES", "BO-ES", "RB-ES")
_PARTS = ("validation", "test")
_LASTS = (100, 50)


def report(study: Study | None, surrogates: pd.DataFrame | None = None) -> str:
    """Return all tables of a study as Markdown.

    Parameters
    ----------
    study : Study or None
        Of `read_study`; without one, what can be told of surrogates.
    surrogates : frame or None
        Of `read_surrogates`.
    """
    parts = ["# Report of the study"]
    if study is not None:
        parts += [_extent(study), *_sections(study)]
    if surrogates is not None:
        parts.append(_surrogates_section(surrogates))
    return "\n\n".join(parts)


def _sections(study: Study) -> list[str]:
    sections = [
        ("Average ranks", _ranks_text(study)),
        ("Table 1: test errors (%)", _table_1_text(study)),
        ("Table 2: DivBO against other searches with ensembles", _table_2_text(study)),
        ("Table 3: validation errors (%) of single learners", _table_3_text(study)),
        ("Table 4: effective updates of the pool", _table_4_text(study)),
        ("Figure 6: average diversity of two members of the final ensemble", _pairs_text(study)),
        ("Figure 3: average validation rank after so many trials", _rank_curves_text(study)),
        ("Further searches: test errors (%)", as_text(further_methods(study, of_paper=False))),
        ("Other designs: test errors (%)", as_text(further_methods(study, of_paper=True))),
    ]
    return [f"## {title}\n\n{text}" for title, text in sections if text]


def write_frames(study: Study | None, folder: Path, surrogates: pd.DataFrame | None = None) -> None:
    """Write what tables and figures are made of to CSV files.

    Parameters
    ----------
    study : Study or None
        Of `read_study`.
    folder : Path
        Made if it is not there.
    surrogates : frame or None
        Of `read_surrogates`; means and deviations of Kendall's tau go to `taus.csv`.
    """
    frames = {} if study is None else _frames(study)
    if surrogates is not None:
        frames["taus"] = taus(surrogates)
    folder.mkdir(parents=True, exist_ok=True)
    for name, frame in frames.items():
        frame.to_csv(folder / f"{name}.csv", index=False)


def _frames(study: Study) -> dict[str, pd.DataFrame]:
    found, methods = curves(study.trials), tuple(PAPER_METHODS)
    frames = {
        "finals": study.finals,
        "table_1": table_1_frame(study),
        "table_2": differences_to(study.finals, _BASELINES),
        "table_3": learner_errors(study.trials),
        "curves": mean_curves(found),
        "distances": distances(study.trials, tuple(POOL_METHODS)),
        "missing": study.missing_runs(),
    }
    for last in _LASTS:
        frames[f"table_4_last_{last}"] = effective_updates(study.trials, last)
    for part in _PARTS:
        frames[f"ranks_{part}"] = average_ranks(study.finals, methods, part)
        frames[f"ranks_over_trials_{part}"] = ranks_over_trials(found, methods, part)
    return frames


def taus(surrogates: pd.DataFrame) -> pd.DataFrame:
    """Return means and deviations over seeds of Kendall's tau.

    Returns
    -------
    frame : dataset, surrogate, n_observations, tau, std
    """
    grouped = surrogates.groupby(["dataset", "surrogate", "n_observations"])["tau"]
    return pd.DataFrame({"tau": grouped.mean(), "std": grouped.std(ddof=1)}).reset_index()


def ranks_tested(study: Study) -> RankTest | None:
    """Return Friedman's and Nemenyi's tests of the test errors of the ten methods."""
    return rank_test(mean_errors(study.finals, tuple(PAPER_METHODS), "test"))


def as_text(frame: pd.DataFrame) -> str:
    """Return a table in Markdown, or nothing for an empty one."""
    return "" if frame.empty else as_markdown(frame)


def _extent(study: Study) -> str:
    """Return what was run, and what is missing, in words."""
    counts = study.finals[["dataset", "search", "seed"]].nunique()
    longest = study.trials["step"].max()
    lines = [
        f"{counted(counts['dataset'], 'data set')}, {counted(counts['search'], 'search', 'es')}, "
        f"{counted(counts['seed'], 'seed')}, up to {counted(longest, 'trial')} each.",
        *(f"- {origin}" for origin in study.origins[:_NAMED_AT_MOST]),
    ]
    lines += [line for warning in study.mixtures for line in ("", f"**Warning:** {warning}")]
    lines += _named("Damaged, left out", list(study.damaged))
    lines += _named("Of these runs one file of two is missing", list(study.unfinished))
    absent = [name for name in PAPER_SEARCHES if name not in set(study.finals["search"])]
    if absent:
        lines += ["", f"Searches of the paper that nobody has run: {', '.join(absent)}."]
    missing = study.missing_runs()
    partly = missing[~missing["search"].isin(absent)]
    names = [f"{r.dataset}, {r.search}, seed {r.seed}" for r in partly.itertuples(index=False)]
    lines += _named("Missing runs, whose data set and seed count in no comparison of them", names)
    return "\n".join(lines)


def _named(title: str, names: list[str]) -> list[str]:
    if not names:
        return []
    more = len(names) - _NAMED_AT_MOST
    listed = [f"- {name}" for name in names[:_NAMED_AT_MOST]]
    return ["", f"{title} ({len(names)}):", "", *listed, *([f"- and {more} more"] * (more > 0))]


def _ranks_text(study: Study) -> str:
    note = "The paper ranks ten methods on validation errors, and on test errors all but DivBO-."
    ten, four = tuple(PAPER_METHODS), POST_HOC_METHODS
    titles = [
        *((f"{part.title()}, all methods", ten, part) for part in _PARTS),
        *((f"{part.title()}, post-hoc ensembles alone", four, part) for part in _PARTS),
    ]
    texts = [f"### {title}\n\n{_one_ranking(study, m, part)}" for title, m, part in titles]
    texts.insert(2, _test_text(study))
    return "\n\n".join([note, *texts])


def _one_ranking(study: Study, methods: tuple[str, ...], part: str) -> str:
    table = ranks_table(study, methods, part)
    if table.empty:
        return "No data set and seed was run with every method."
    present = present_methods(study.finals, methods, part)
    lacking = [name for name in methods if name not in present]
    without = f" Not there: {', '.join(lacking)}." if lacking else ""
    n = len(mean_errors(study.finals, methods, part))
    return (
        f"Ranks of mean errors, over {counted(n, 'data set')} that every method has run, with a "
        f"95 % interval over data sets.{without}\n\n{as_markdown(table)}"
    )


def _rank_curves_text(study: Study) -> str:
    ranks = ranks_over_trials(curves(study.trials), tuple(PAPER_METHODS), "validation")
    if ranks.empty:
        return ""
    wanted = reported_evaluations(int(ranks["evaluation"].max()))
    shown = ranks[ranks["evaluation"].isin(wanted)]
    wide = shown.pivot(index="method", columns="evaluation", values="rank")
    present = set(study.finals["method"])
    unknown = [m for m in PAPER_METHODS if m in present and m not in wide.index]
    note = f"Without a curve in the run files, so not ranked here: {', '.join(unknown)}.\n\n"
    table = as_markdown(wide.rename_axis(columns=None).reset_index())
    return f"{note if unknown else ''}{table}"


def _test_text(study: Study) -> str:
    found = ranks_tested(study)
    if found is None:
        return "Friedman's test needs two complete data sets and three methods."
    groups = "; ".join(", ".join(group) for group in found.groups())
    return (
        f"Friedman's test of the test errors: p = {found.p_value:.2g}. Average ranks that differ "
        f"by more than {found.critical_difference:.2f} differ at the level {LEVEL} (Nemenyi)"
        + (f". No difference is shown within: {groups}." if groups else ".")
    )


def _table_1_text(study: Study) -> str:
    note = "Mean ± standard deviation over seeds, then that of the paper after a slash."
    return f"{note}\n\n{as_markdown(table_1(study))}"


def _table_2_text(study: Study) -> str:
    differences = differences_to(study.finals, _BASELINES)
    if differences.empty:
        return "DivBO and none of the others were run on the same data set and seed."
    counts = counts_of_verdicts(differences)
    n = int(differences["n_seeds"].max())
    note = f"Data sets, by Wilcoxon's signed-rank test over seeds at {LEVEL} (two-sided)."
    if smallest_p_value(n) > LEVEL:
        note = (
            f"Wilcoxon's signed-rank test cannot tell: of {counted(n, 'seed')} its smallest "
            f"two-sided p-value is {smallest_p_value(n):.3g}, above {LEVEL}; it takes 6 "
            "seeds. So only the number of data sets where DivBO's mean is lower is given, which is "
            "no finding of significance."
        )
        counts = counts[["baseline", "data sets", "lower mean"]]
    elif counts["too few seeds"].any():
        note += " With fewer than 6 seeds it cannot reach that: such data sets are counted apart."
    paper = [published_values(verdict) for verdict in ("better", "same", "worse")]
    if all(len(values) for values in paper):
        counts["better/same/worse in the paper"] = [
            "/".join(f"{values[name]:.0f}" for values in paper) for name in counts["baseline"]
        ]
    return f"{note}\n\n{as_markdown(counts)}"


def _table_3_text(study: Study) -> str:
    mean, deviation = published_values("mean"), published_values("std")
    paper = ", ".join(f"{name} {mean[name]} ± {deviation[name]}" for name in mean.index)
    note = (
        "Mean ± standard deviation of all learners that were tried, over all seeds; failed trials "
        f"do not count. The paper names no data set; its values are of quake's size: {paper}."
    )
    return f"{note}\n\n{as_markdown(table_3(study))}"


def _table_4_text(study: Study) -> str:
    note = (
        "Trials that are in the pool right after they ended and lowered the validation error of "
        "the ensemble, means over seeds."
    )
    lengths = study.trials.groupby(["dataset", "search", "seed"])["step"].max()
    tables = []
    for last in _LASTS:
        short = f" (some runs have only {lengths.min()})" if lengths.min() < last else ""
        tables.append(
            f"During the last {last} trials{short}:\n\n{as_markdown(table_4(study, last))}"
        )
    return "\n\n".join([note, *tables])


def _pairs_text(study: Study) -> str:
    table = as_text(pairwise_table(study))
    return f"Mean over pairs of members, then over seeds.\n\n{table}" if table else ""


def _surrogates_section(surrogates: pd.DataFrame) -> str:
    found = taus(surrogates)
    last = found["n_observations"] == found.groupby("dataset")["n_observations"].transform("max")
    note = "With the most observations, mean and standard deviation over seeds."
    paper = ", ".join(
        f"{name} {value} on {dataset}"
        for dataset in ("quake", "wind")
        for name, value in published_values(f"tau on {dataset}").items()
    )
    title, table = "Figure 2: Kendall's tau of surrogates", as_markdown(found[last])
    return f"## {title}\n\n{note} The paper, with 250: {paper}.\n\n{table}"
