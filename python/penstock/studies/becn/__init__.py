"""Backward congestion notification in ATM LANs: a paper of one switch, three filters and three figures.

`grid` defines the runs, `runs` has the measures, `figures`, `beside` and `captions` draw them, `verdicts` and `per_vc`
judge the claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from penstock.studies.becn.beside import beside_figures
from penstock.studies.becn.captions import TITLES
from penstock.studies.becn.figures import paper_figures
from penstock.studies.becn.grid import (
    BESIDE_SEEDS,
    SCHEMES,
    Point,
    SeriesPoint,
    beside_points,
    figure_points,
    ready,
    series_points,
)
from penstock.studies.becn.per_vc import PREDICATES
from penstock.studies.becn.runs import Runs
from penstock.studies.claims import Finding
from penstock.studies.drawing import command_of, require_figure
from penstock.studies.predicates import findings
from penstock.studies.runs import Row, by_run, only

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.plot import Sheet


class Study:
    """The BECN study, for all figures or one, with seeds 1 to `replications`."""

    title = "BECN study"
    quick_seeds = 5

    def __init__(self, figure: str | None, replications: int) -> None:
        require_figure(figure, TITLES, f"give {min(TITLES)} to {max(TITLES)}")
        self.figure = None if figure is None else int(figure)
        self.seeds = range(1, replications + 1)
        self.runs = Runs(wanted=replications)

    def points(self) -> list[tuple[Point | SeriesPoint, Sequence[int]]]:
        """The points to run, each with its seeds: those of the figures or of one, the additional ones, and series."""
        if self.figure is not None:
            return [(point, self.seeds) for point in figure_points(self.figure)]
        shown = [(point, self.seeds) for figure in TITLES for point in figure_points(figure)]
        few = self.seeds[:BESIDE_SEEDS]
        series = [(each, self.seeds[:1] if each.kind == "watched" else few) for each in series_points()]
        return [*shown, *((point, few) for point in beside_points()), *series]

    def read(self, results: Results) -> None:
        """Reads all stored runs."""
        import polars as pl

        self.runs = Runs(wanted=len(self.seeds))
        tables = [by_run(only(results.table(name)), point_of) for name in ("groups", "ports", "levels")]
        for key, groups in tables[0].items():
            self.runs.add(*key, groups, *(table.get(key, []) for table in tables[1:]))
        series = results.table("series")
        if series.height:
            series = series.filter(pl.col("quantity").is_in(["queue_0", "notices", "level"]))
            self.runs.read_series(series.filter(kind="watched"), point_of)
            self.runs.pulse.read_series(series.filter(quantity="queue_0", kind="pulse"), point_of)

    def sheets(self) -> Iterator[Sheet]:
        """Figures 2 to 4, and additional figures."""
        if self.figure is not None:
            yield from paper_figures(self.runs, [self.figure])
        else:
            yield from paper_figures(self.runs, list(TITLES))
            yield from beside_figures(self.runs)

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce becn` that run one figure again."""
        return command_of(sheet)

    def parameters(self) -> dict[str, str]:
        """The ready files; the study changes a few values in them."""
        used = {SCHEMES[point.scheme].file: None for point, _ in self.points() if isinstance(point, Point)}
        return {f"atm_lan/{name}": ready(name).to_toml() for name in used}

    def findings(self) -> list[Finding]:
        """The verdicts; with one figure, on the claims about it that its runs can answer."""
        return findings("penstock.studies.becn", PREDICATES, self.runs, self.figure)


def point_of(row: Row) -> Point:
    """The point that a row of a table belongs to."""
    return Point(row["scheme"], row["sources"], row["delay"], row["filter_period"], row["threshold"], row["order"])
