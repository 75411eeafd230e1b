"""What figures of the study draw."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pandas as pd
import pytest

from automl.benchmark.study_report import figures


@pytest.mark.parametrize("dashed", [(44.0, 43.5), None, (None, None)])
def test_dashed_lines_have_an_axis_of_their_own_and_the_colour_of_the_solid_ones(
    monkeypatch: pytest.MonkeyPatch, dashed: tuple[float | None, ...] | None
) -> None:
    pytest.importorskip("matplotlib")
    from matplotlib.figure import Figure

    drawn: list[Any] = []

    def draw_figure(draw: Callable[[Figure], None], *_: object) -> None:
        drawn.append(Figure())
        draw(drawn[0])

    monkeypatch.setattr(figures, "draw_figure", draw_figure)
    values = pd.DataFrame({"name": "DivBO", "step": [1, 2], "value": [0.2, 0.3], "std": [0.1, 0.1]})
    if dashed is not None:
        values["dashed"] = pd.Series(dashed, dtype=float)
    figures.plot_bands(values, Path("unused.png"), ("trials", "diversity", "error"))
    (solid,) = drawn[0].axes[0].lines
    assert solid.get_ydata().tolist() == [0.2, 0.3]
    if dashed == (44.0, 43.5):
        (line,) = drawn[0].axes[1].lines
        assert line.get_ydata().tolist() == [44.0, 43.5]
        assert (line.get_linestyle(), line.get_color()) == ("--", solid.get_color())
        assert drawn[0].axes[1].get_ylabel() == "error"
    else:
        assert len(drawn[0].axes) == 1
