"""Proactive rate control of ATM over a satellite: a thesis of three traffic scenarios, three cases and 39 figures.

`grid` defines the runs, `runs` has the measures, `figures` and `captions` draw them, `verdicts` and `weighed` judge the
claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from penstock.studies import FULL_SEEDS
from penstock.studies.claims import Finding
from penstock.studies.drawing import command_of, require_figure
from penstock.studies.predicates import findings
from penstock.studies.runs import Row, by_run
from penstock.studies.satellite.captions import PLANS
from penstock.studies.satellite.figures import beside_figures, thesis_figures
from penstock.studies.satellite.grid import (
    RARE_SEEDS,
    Point,
    SeriesPoint,
    alternatives,
    case_points,
    grid,
    rare_points,
    ready,
    series_points,
)
from penstock.studies.satellite.runs import Runs
from penstock.studies.satellite.weighed import PREDICATES

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.plot import Sheet


class Study:
    """The satellite study, for all figures or one, with seeds 1 to `replications`."""

    title = "Satellite study"
    quick_seeds = 3

    def __init__(self, figure: str | None, replications: int) -> None:
        require_figure(figure, PLANS, f"give {min(PLANS)} to {max(PLANS)}")
        self.figure = None if figure is None else int(figure)
        self.seeds = range(1, replications + 1)
        self.runs = Runs(wanted=replications)

    def points(self) -> list[tuple[Point | SeriesPoint, Sequence[int]]]:
        """The points to run, each with its seeds: the grid and the alternatives, or those of one figure, and series."""
        if self.figure is not None:
            plan = PLANS[self.figure]
            return [(point, self.seeds_of(point)) for point in case_points(plan.scenario, plan.case)]
        watched = [(SeriesPoint(point), self.seeds) for point in series_points()]
        return [*((point, self.seeds_of(point)) for point in grid() + alternatives()), *watched]

    def seeds_of(self, point: Point) -> Sequence[int]:
        """The seeds of a point: more in a full run if its claims are about rare events."""
        is_rare = len(self.seeds) >= FULL_SEEDS and point in rare_points()
        return range(1, max(RARE_SEEDS, len(self.seeds)) + 1) if is_rare else self.seeds

    def read(self, results: Results) -> None:
        """Reads all stored runs."""
        import polars as pl

        self.runs = Runs(wanted=len(self.seeds))
        runs = results.table("groups").filter(kind="run")
        shared = results.table("ports").filter(~pl.col("port").str.starts_with("access/"))
        tables = [by_run(table, point_of) for table in (runs, shared, results.table("losses"))]
        for key, groups in tables[0].items():
            self.runs.add(*key, groups, *(table.get(key, []) for table in tables[1:]))
        series = results.table("series")
        if series.height:
            drawn = ["satellite", *(f"{group}/1" for group in ("video", "voice", "data"))]
            self.runs.read_series(series.filter(pl.col("component").is_in(drawn)), point_of, "series")

    def sheets(self) -> Iterator[Sheet]:
        """Figures 11 to 49, and additional figures."""
        if self.figure is not None:
            yield from thesis_figures(self.runs, [self.figure])
        else:
            yield from thesis_figures(self.runs, list(PLANS))
            yield from beside_figures(self.runs)

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce satellite` that run one figure again."""
        return command_of(sheet)

    def parameters(self) -> dict[str, str]:
        """The ready files; the study changes only the numbers of sources in them."""
        used = {(point.scenario, point.case): None for point, _ in self.points() if isinstance(point, Point)}
        return {f"scenario {scenario}, case {case}": ready(scenario, case).to_toml() for scenario, case in used}

    def findings(self) -> list[Finding]:
        """The verdicts; with one figure, on the claims about it that its runs can answer."""
        return findings("sat", PREDICATES, self.runs, self.figure)


def point_of(row: Row) -> Point:
    """The point that a row of a table belongs to."""
    return Point(row["scenario"], row["case"], row["n"])
