"""ABR source rules over a satellite: a paper of one connection, one rule and its parameter Crm.

`grid` defines the runs, `runs` has the measures, `figures`, `beside` and `captions` draw them, `verdicts` judges the
claims. Nothing in the runs is random: each point is run once, for any number of seeds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import fields
from typing import TYPE_CHECKING

from penstock.studies.abr.beside import beside_figures
from penstock.studies.abr.captions import TITLES
from penstock.studies.abr.figures import paper_figures
from penstock.studies.abr.grid import Point, all_points, figure_points, file_of, ready
from penstock.studies.abr.runs import FLOW, QUANTITIES, SEED, Runs, Traces
from penstock.studies.abr.verdicts import PREDICATES
from penstock.studies.claims import Finding
from penstock.studies.drawing import command_of, require_figure
from penstock.studies.predicates import findings
from penstock.studies.runs import Row

if TYPE_CHECKING:
    import polars as pl

    from penstock.analyse.results import Results
    from penstock.plot import Sheet


class Study:
    """The ABR study, for all figures or one."""

    title = "ABR over a satellite"
    quick_seeds = 1

    def __init__(self, figure: str | None, replications: int) -> None:
        require_figure(figure, TITLES, f"give {', '.join(map(str, TITLES))}; 1 and 3 are diagrams")
        self.figure = None if figure is None else int(figure)
        self.runs = Runs(wanted=1)

    def points(self) -> list[tuple[Point, Sequence[int]]]:
        """The points to run, each once: of all figures or of one."""
        points = all_points() if self.figure is None else figure_points(self.figure)
        return [(point, [SEED]) for point in points]

    def read(self, results: Results) -> None:
        """Takes in all runs that there are."""
        import polars as pl

        self.runs = Runs(wanted=1)
        series = results.table("series")
        if not series.height:
            return
        series = series.filter(pl.col("quantity").is_in(QUANTITIES))
        traces = {part["point"][0]: traces_of(part) for part in series.partition_by("point")}
        for row in results.table("flows").filter(flow=FLOW).iter_rows(named=True):
            self.runs.add(point_of(row), traces[row["point"]], row)

    def sheets(self) -> Iterator[Sheet]:
        """Figures 2, 4 and 5, and additional figures."""
        yield from paper_figures(self.runs, list(TITLES) if self.figure is None else [self.figure])
        if self.figure is None:
            yield from beside_figures(self.runs)

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce abr` that run one figure again."""
        return command_of(sheet)

    def parameters(self) -> dict[str, str]:
        """The ready files; the study changes a few values in them."""
        used = dict.fromkeys(file_of(point) for point, _ in self.points())
        return {f"abr/{name}": ready(name).to_toml() for name in used}

    def findings(self) -> list[Finding]:
        """The verdicts; with one figure, on the claims about it that its runs can answer."""
        return findings("penstock.studies.abr", PREDICATES, self.runs, self.figure)


def point_of(row: Row) -> Point:
    """The point that a row of a table belongs to."""
    return Point(**{field.name: row[field.name] for field in fields(Point)})


def traces_of(series: pl.DataFrame) -> Traces:
    """The time series of one run."""
    return {
        (part["component"][0], part["quantity"][0]): (part["time_s"].to_list(), part["value"].to_list())
        for part in series.partition_by("component", "quantity", maintain_order=True)
    }
