"""Figures show every seed and the interval, and are the same bytes on every run."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from penstock.plot import Curve, Panel, Sheet, Trace, draw, save

CURVE = Curve("loss", {1.0: {1: 0.0, 2: 2.0, 3: 4.0}, 2.0: {1: 1.0, 2: 2.0, 3: 3.0}})
ZERO = Curve("loss", {1.0: {1: 0.0, 2: 0.0}, 2.0: {1: 0.0, 2: 0.0}})


def sheet(*panels: Panel, columns: int = 1) -> Sheet:
    return Sheet("figure", "A figure", "What it shows. " * 12, panels, columns)


def test_one_line_per_seed_their_mean_and_its_interval() -> None:
    axis = draw(sheet(Panel("x", "y", [CURVE]))).axes[0]
    thin = [line for line in axis.lines if line.get_linewidth() < 1]
    assert [np.asarray(line.get_ydata()).tolist() for line in thin] == [[0.0, 1.0], [2.0, 2.0], [4.0, 3.0]]
    (mean,) = [line for line in axis.lines if line.get_linewidth() > 1]
    assert np.asarray(mean.get_ydata()).tolist() == [2.0, 2.0]
    (band,) = axis.collections
    heights = [float(height) for _, height in np.asarray(band.get_paths()[0].vertices)]
    assert max(heights) == pytest.approx(2 + 4.302653 * 2 / 3**0.5, abs=1e-5)


def test_an_exact_curve_is_dashed_and_has_no_interval() -> None:
    axis = draw(sheet(Panel("x", "y", [Curve("theory", {1.0: {0: 5.0}, 2.0: {0: 6.0}}, exact=True)]))).axes[0]
    assert [line.get_linestyle() for line in axis.lines] == ["--"]
    assert not axis.collections


def test_an_axis_where_all_is_zero_says_so_and_keeps_its_scale() -> None:
    axis = draw(sheet(Panel("x", "y", [ZERO], top=0.001))).axes[0]
    assert axis.get_ylim() == (0, 0.001)
    assert "zero at every point" in axis.texts[0].get_text()


def test_data_above_the_least_top_are_not_cut_off() -> None:
    axis = draw(sheet(Panel("x", "y", [CURVE], top=0.5))).axes[0]
    assert axis.get_ylim()[1] > 4.0


def test_all_labels_are_explained_once() -> None:
    panels = [Panel("x", "y", [Curve("a", CURVE.points), Curve("b", CURVE.points, hue=1)]) for _ in range(4)]
    (legend,) = draw(sheet(*panels, columns=2)).legends
    assert [text.get_text() for text in legend.get_texts()] == ["a", "b"]


def every_kind() -> Sheet:
    rows = {"first": [1.0, 2.0], "second": [3.0], "nothing": []}
    traces = [Trace("queue", [0.0, 1.0, 2.0], [3.0, 1.0, 2.0])]
    panels = [Panel("x", "y", [CURVE]), Panel("", "", rows=rows), Panel("t", "q", traces=traces, level=1.0)]
    return sheet(*panels, columns=2)


def test_the_same_data_give_the_same_bytes_in_another_process(tmp_path: Path) -> None:
    here, there = tmp_path / "here", tmp_path / "there"
    for folder in (here, there):
        folder.mkdir()
    written = save(every_kind(), here)
    script = (
        "import sys; sys.path.insert(0, sys.argv[1]); from test_plot import *; save(every_kind(), Path(sys.argv[2]))"
    )
    environment = {**os.environ, "PYTHONHASHSEED": "7"}
    command = [sys.executable, "-c", script, str(Path(__file__).parent), str(there)]
    subprocess.run(command, check=True, env=environment)
    assert [path.suffix for path in written] == [".svg", ".png"]
    for path in written:
        assert path.read_bytes() == (there / path.name).read_bytes()
    assert b"<dc:date>" not in written[0].read_bytes()
