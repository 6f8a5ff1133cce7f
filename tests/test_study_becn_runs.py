"""The BECN study, run: short runs of one figure, and of a series."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import polars as pl
import pytest
from studied import one_job_or_two, with_jobs, written

from penstock.analyse.results import Results
from penstock.api.run import run
from penstock.studies.becn import grid
from penstock.studies.becn.grid import Point
from penstock.studies.becn.measures import CELL_TIME_S
from penstock.studies.framework import SeriesPoint


@pytest.fixture
def short(monkeypatch: pytest.MonkeyPatch) -> None:
    """The same points, each for some thousand cells, and figure 3 with few of them."""
    build = Point.build

    def shorter(point: Point) -> Any:
        return build(point).with_(
            {"warm_up": "5000 cell times", "stop": {"port": "output", "departures": 20_000}, "duration": "1 s"}
        )

    monkeypatch.setattr(Point, "build", shorter)


@one_job_or_two
def test_one_figure_gives_the_same_bytes_for_any_number_of_jobs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], jobs: tuple[int, ...], short: None
) -> None:
    out = with_jobs("becn", tmp_path, capsys, jobs, figure="3", seeds=2)
    assert len(written(out)) == 7
    findings = json.loads((out / "claims.json").read_text(encoding="utf-8"))["claims"]
    assert [finding["id"] for finding in findings] == ["becn.fig3.throughput", "becn.fig3.share"]
    figures = pl.read_parquet(out / "data" / "figures.parquet")
    assert figures.height == 4 * 44 * 2
    results = Results(out)
    assert results.about["complete"]
    page = (out / "report.html").read_text(encoding="utf-8")
    assert "penstock reproduce becn --seeds 2 --figure 3" in page
    assert "<svg" in page
    assert "becn.fig3.share" in page


def test_a_series_point_is_read_from_rest() -> None:
    for each, _ in grid.series_points()[:1]:
        assert isinstance(each, SeriesPoint)
        shorter = each.build().with_({"duration": "20000 cell times"})
        readings = run(shorter).series
        assert readings["time_s"].min() == pytest.approx(grid.SAMPLE * CELL_TIME_S, rel=0.6)
        components = set(readings.filter(quantity="level")["component"])
        assert components == {f"source/{number}" for number in range(1, each.point.sources + 1)}
