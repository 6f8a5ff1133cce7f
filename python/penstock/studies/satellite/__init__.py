"""Proactive rate control of ATM over a satellite: a thesis of three traffic scenarios, three cases and 39 figures.

`grid` says what is run, `runs` keeps what was measured, `figures` and `captions` show it, `verdicts` and `weighed`
judge the claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.studies.claims import Evidence, Finding, NotRun, figure_numbers, judge, load_claims, require_match
from penstock.studies.satellite.captions import PLANS
from penstock.studies.satellite.figures import beside_figures, thesis_figures
from penstock.studies.satellite.grid import (
    SERIES_SEEDS,
    Point,
    SeriesPoint,
    alternatives,
    case_points,
    grid,
    ready,
    series_points,
)
from penstock.studies.satellite.runs import MissingRunError, Row, Runs
from penstock.studies.satellite.verdicts import Predicate
from penstock.studies.satellite.weighed import PREDICATES

if TYPE_CHECKING:
    import polars as pl

    from penstock.plot import Sheet
    from penstock.results import Results


class Study:
    """The satellite study, for all figures or one, with seeds 1 to `replications`."""

    title = "Satellite study"

    def __init__(self, figure: str | None, replications: int) -> None:
        if figure is not None and figure not in map(str, PLANS):
            raise InputError(
                "the study has no such figure",
                path="--figure",
                value=figure,
                remedy=f"give {min(PLANS)} to {max(PLANS)}",
            )
        self.figure = None if figure is None else int(figure)
        self.seeds = range(1, replications + 1)
        self.runs = Runs(wanted=replications)

    def points(self) -> list[tuple[Point | SeriesPoint, Sequence[int]]]:
        """The points to run, each with its seeds: the grid and the alternatives, or those of one figure, and series."""
        if self.figure is not None:
            plan = PLANS[self.figure]
            return [(point, self.seeds) for point in case_points(plan.scenario, plan.case)]
        watched = [(SeriesPoint(point), self.seeds[:SERIES_SEEDS]) for point in series_points()]
        return [*((point, self.seeds) for point in grid() + alternatives()), *watched]

    def read(self, results: Results) -> None:
        """Takes in all runs that there are."""
        import polars as pl

        self.runs = Runs(wanted=len(self.seeds))
        runs = results.table("groups").filter(kind="run")
        shared = results.table("ports").filter(~pl.col("port").str.starts_with("access/"))
        tables = [by_run(runs), by_run(shared), by_run(results.table("losses"))]
        for key, groups in tables[0].items():
            self.runs.add(*key, groups, *(table.get(key, []) for table in tables[1:]))
        series = results.table("series")
        if series.height:
            drawn = ["satellite", *(f"{group}/1" for group in ("video", "voice", "data"))]
            for (point, seed), rows in by_run(series.filter(pl.col("component").is_in(drawn)), "series").items():
                self.runs.add_series(point, seed, rows)

    def sheets(self) -> Iterator[Sheet]:
        """Figures 11 to 49, and those beside them."""
        if self.figure is not None:
            yield from thesis_figures(self.runs, [self.figure])
        else:
            yield from thesis_figures(self.runs, list(PLANS))
            yield from beside_figures(self.runs)

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce satellite` that run one figure again."""
        _, is_numbered, number = sheet.name.partition("figure-")
        return f"--figure {number}" if is_numbered else ""

    def parameters(self) -> dict[str, str]:
        """The ready files; the study changes only the numbers of sources in them."""
        used = {(point.scenario, point.case): None for point, _ in self.points() if isinstance(point, Point)}
        return {f"scenario {scenario}, case {case}": ready(scenario, case).to_toml() for scenario, case in used}

    def findings(self) -> list[Finding]:
        """The verdicts; with one figure, on the claims about it that its runs can answer."""
        claims = load_claims("sat")
        require_match(claims, PREDICATES)
        findings = []
        for claim in claims:
            evidence = self.evidence(PREDICATES[claim.id])
            is_about = str(self.figure) in figure_numbers(claim.figure) and not isinstance(evidence, NotRun)
            if self.figure is None or is_about:
                findings.append(judge(claim, evidence))
        return findings

    def evidence(self, predicate: Predicate) -> Evidence:
        """What the runs say, or which of them are missing."""
        try:
            return predicate(self.runs)
        except MissingRunError as missing:
            return NotRun(f"not run: {missing}")


def by_run(table: pl.DataFrame, kind: str = "run") -> dict[tuple[Point, int], list[Row]]:
    """The rows of a table by point and seed, in the order of both."""
    found: dict[tuple[Point, int], list[Row]] = {}
    for row in table.filter(kind=kind).iter_rows(named=True) if table.height else ():
        found.setdefault((Point(row["scenario"], row["case"], row["n"]), row["seed"]), []).append(row)
    return found
