"""Proactive rate control of ATM over a satellite: a thesis of three traffic scenarios, three cases and 39 figures.

`grid` says what is run, `runs` keeps what was measured, `figures` and `captions` show it, `verdicts` and `weighed`
judge the claims.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING

from penstock.errors import InputError
from penstock.run import Outcome, Task
from penstock.studies.claims import Evidence, Finding, NotRun, figure_numbers, judge, load_claims, require_match
from penstock.studies.satellite.captions import PLANS
from penstock.studies.satellite.figures import beside_figures, figure_rows, thesis_figures
from penstock.studies.satellite.grid import (
    SERIES_DURATION,
    SERIES_INTERVAL,
    SERIES_SEEDS,
    Point,
    alternatives,
    case_points,
    grid,
    series_points,
)
from penstock.studies.satellite.runs import MissingRunError, Row, Runs
from penstock.studies.satellite.verdicts import Predicate
from penstock.studies.satellite.weighed import PREDICATES

if TYPE_CHECKING:
    from penstock.plot import Sheet

SERIES = "time series of "


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
        self.points = {str(point): point for point in self.wanted_points()}

    def wanted_points(self) -> list[Point]:
        """The points to run: all, or those of one figure."""
        if self.figure is None:
            return grid() + alternatives()
        plan = PLANS[self.figure]
        return case_points(plan.scenario, plan.case)

    def stages(self) -> Iterator[Sequence[Task]]:
        """The grid and the alternatives, seed by seed so that an interruption leaves whole curves; then the series."""
        texts = {key: point.build().to_json() for key, point in self.points.items()}
        yield [Task(text, seed, key=key) for seed in self.seeds for key, text in texts.items()]
        if self.figure is None:
            for point in series_points():
                changes = {"measure.sample": SERIES_INTERVAL, "duration": SERIES_DURATION}
                text = point.build().with_(changes).to_json()
                yield [
                    Task(text, seed, key=f"{SERIES}{point}", tables=("series",)) for seed in self.seeds[:SERIES_SEEDS]
                ]

    def add(self, outcome: Outcome) -> None:
        """Takes in one run."""
        import polars as pl

        point = self.points[outcome.key.removeprefix(SERIES)]
        frames = {name: pl.DataFrame(table) for name, table in outcome.tables.items()}
        if outcome.key.startswith(SERIES):
            groups = {row["group"] for row in self.runs.groups if row["scenario"] == point.scenario}
            kept = ["satellite", *(f"{group}/1" for group in groups)]
            frame = frames["series"].filter(pl.col("component").is_in(kept))
            self.runs.add_series(point, outcome.seed, frame.iter_rows(named=True))
        else:
            self.runs.add(point, outcome.seed, *(frames[name].to_dicts() for name in ("groups", "ports", "losses")))

    def sheets(self) -> Iterator[Sheet]:
        """Figures 11 to 49, and those beside them."""
        self.runs.sort()
        if self.figure is not None:
            yield from thesis_figures(self.runs, [self.figure])
        else:
            yield from thesis_figures(self.runs, list(PLANS))
            yield from beside_figures(self.runs)

    def tables(self) -> Mapping[str, Sequence[Row]]:
        """Groups and ports of every run, the data of the figures, and the time series."""
        self.runs.sort()
        numbers = list(PLANS) if self.figure is None else [self.figure]
        tables: dict[str, Sequence[Row]] = {
            "groups": self.runs.groups,
            "ports": self.runs.ports,
            "figures": figure_rows(list(thesis_figures(self.runs, numbers))),
        }
        if self.runs.series:
            tables["series"] = list(self.runs.series_rows())
        return {name: rows for name, rows in tables.items() if rows}

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
