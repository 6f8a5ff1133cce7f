"""The aeronautical network (ATNP WG2/WP197, 1996): five strategies against congestion, two tables, five exercises.

`grid` defines the runs, `runs` has the measures, `printed` the paper's tables; `tables`, `figures`, `beside` and
`captions` show them, `verdicts` and `weighed` judge the claims, with the ties of `ties`.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING

from penstock.studies.atn.beside import beside_figures
from penstock.studies.atn.captions import TITLES
from penstock.studies.atn.figures import table_figures
from penstock.studies.atn.grid import (
    SCENARIOS,
    WATCHED_SEEDS,
    Point,
    SeriesPoint,
    exercise_points,
    load_points,
    ready,
    series_points,
    table_points,
)
from penstock.studies.atn.printed import TABLES
from penstock.studies.atn.runs import Runs
from penstock.studies.atn.tables import side_by_side
from penstock.studies.atn.verdicts import PREDICATES
from penstock.studies.claims import Finding
from penstock.studies.drawing import require_figure
from penstock.studies.predicates import findings
from penstock.studies.runs import Row, by_run, only

if TYPE_CHECKING:
    from penstock.analyse.results import Results
    from penstock.plot import Sheet
    from penstock.studies import PaperTable

READINGS = ("credit", "queue_bits", "received")
NAMES = [each.name for each in fields(Point)]


class Study:
    """The ATN study, for everything or one of the two tables, with seeds 1 to `replications`."""

    title = "ATN study"
    quick_seeds = 20

    def __init__(self, figure: str | None, replications: int) -> None:
        require_figure(figure, TABLES, f"give {' or '.join(TABLES)}")
        self.figure = figure
        self.seeds = range(1, replications + 1)
        tables = [table for number, table in TABLES.items() if figure in (None, number)]
        self.runs = Runs(wanted=replications, tables=tables)

    def points(self) -> list[tuple[Point | SeriesPoint, Sequence[int]]]:
        """The points to run, each with its seeds: those of the tables or one, the load, exercises, and series."""
        if self.figure is not None:
            return [(point, self.seeds) for point in table_points(TABLES[self.figure].scenario)]
        return [
            *((point, self.seeds) for point in load_points()),
            *((point, self.seeds) for point in exercise_points()),
            *((each, self.seeds[: WATCHED_SEEDS if each.kind == "watched" else None]) for each in series_points()),
        ]

    def read(self, results: Results) -> None:
        """Reads all stored runs."""
        import polars as pl

        self.runs = Runs(wanted=len(self.seeds), tables=self.runs.tables)
        ports = by_run(only(results.table("ports")), point_of)
        for key, groups in by_run(only(results.table("groups")), point_of).items():
            self.runs.add(*key, groups, ports.get(key, []))
        series = results.table("series")
        if series.height:
            is_shown = pl.col("component").str.starts_with("data/") | pl.col("component").is_in(
                [scenario.bottleneck for scenario in SCENARIOS.values()]
            )
            series = series.filter(pl.col("quantity").is_in(READINGS) & is_shown)
            for kind, kept in self.runs.watched.items():
                kept.read_series(series.filter(kind=kind), point_of)

    def sheets(self) -> Iterator[Sheet]:
        """The two tables as figures, and additional figures."""
        if self.figure is not None:
            yield from table_figures(self.runs, [self.figure])
        else:
            yield from table_figures(self.runs, list(TITLES))
            yield from beside_figures(self.runs)

    def tables(self) -> Iterator[PaperTable]:
        """The printed tables next to ours."""
        return side_by_side(self.runs, list(TABLES) if self.figure is None else [self.figure])

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce atn` that run one table again."""
        _, is_numbered, number = sheet.name.partition("table-")
        return f"--figure {number}" if is_numbered else ""

    def parameters(self) -> dict[str, str]:
        """The ready files; the study changes a few values in them."""
        used = {point.scenario: None for point, _ in self.points() if isinstance(point, Point)}
        return {SCENARIOS[name].file: ready(name).to_toml() for name in used}

    def findings(self) -> list[Finding]:
        """The verdicts; with one table, on the part of the claims that its runs can answer."""
        found = findings("penstock.studies.atn", PREDICATES, self.runs, None)
        if self.figure is None:
            return found
        return [replace(each, figure=self.figure) for each in found if each.reproduced != "not run"]


def point_of(row: Row) -> Point:
    """The point that a row of a table belongs to."""
    return Point(**{name: row[name] for name in NAMES})
