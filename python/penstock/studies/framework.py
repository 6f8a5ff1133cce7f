"""The framework of all studies: a study as data, and a study with its runs.

A study is a package of four files: `grid` (which runs), `measures` (which columns), `figures` (with their captions) and
`claims` (one predicate a claim; `claims.toml` has the statements). Its `__init__` joins them in one `Study`.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from functools import cache
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeVar

from penstock.analyse.metric import MetricKind
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario
from penstock.studies.claims import Finding, NotRun, figure_numbers, judge, load_claims, require_match
from penstock.studies.drawing import drawn
from penstock.studies.predicates import Predicates, evidence_of
from penstock.studies.runs import FULL_SEEDS, RUN, Runs, RunTables, Trace, by_run, traces_by_run

if TYPE_CHECKING:
    import polars as pl

    from penstock.analyse.results import Results
    from penstock.plot import Sheet

RARE = "rare"
"""The kind of the runs for rare events: those of the other seeds, and more."""
RARE_SEEDS = 200
"""The seeds of a full run where claims are about rare events."""
NAMES = {
    "flows": "flow",
    "groups": "group",
    "levels": "group",
    "losses": "group",
    "ports": "port",
    "queues": "port",
    "slowdowns": "group",
}
"""The column of each result table that names its rows."""


@dataclass(frozen=True, slots=True)
class Point(ABC):
    """One run without its seed. The fields of a study's own points are the parameters that it varies."""

    @property
    @abstractmethod
    def file(self) -> str:
        """The scenario that the point changes: the name of a ready one, a file, or with a `base` of its own a name."""

    @property
    @abstractmethod
    def changes(self) -> Mapping[str, object]:
        """What the point changes in it."""

    @property
    def parameters(self) -> dict[str, object]:
        """The parameters by name: the columns of the plan. `kind` is the purpose of the run."""
        own = {each.name: getattr(self, each.name) for each in fields(self)}
        return own if "kind" in own else {**own, "kind": RUN}

    def base(self) -> Scenario:
        """The scenario that it changes."""
        return ready(self.file)

    def build(self) -> Scenario:
        """The scenario of this point."""
        return self.base().with_(self.changes)


P = TypeVar("P", bound=Point)


@dataclass(frozen=True, slots=True)
class SeriesPoint(Generic[P]):
    """A point that is run once more, with time series; `kind` is their purpose."""

    point: P
    kind: str
    changes: Mapping[str, object] = field(compare=False)
    """What differs from the scenario of the point."""

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the point; only the kind differs."""
        return {**self.point.parameters, "kind": self.kind}

    def build(self) -> Scenario:
        """The scenario of the point, with readings."""
        return self.point.build().with_(self.changes)


@dataclass(frozen=True, slots=True)
class Reading(Generic[P]):
    """Another reading of the paper: the study runs and judges it beside its own.

    Attributes:
        name: a short name, the value of the plan's column `reading`.
        text: what it reads differently.
        default: how the study itself reads this.
        decided_by: what decides that: the text of the paper, or else the standard, or else our specification.
        changes: what it changes in the scenario of a point, by path.
        instead: measures that it reads in place of others: those in place, by the names of the others.
    """

    name: str
    text: str
    default: str
    decided_by: Literal["text", "standard", "specification"]
    changes: Callable[[P], Mapping[str, object]] = lambda _point: {}
    instead: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class ReadPoint(Generic[P]):
    """A point under a reading of the paper; None is the study's own reading."""

    point: P | SeriesPoint[P]
    reading: Reading[P] | None

    @property
    def parameters(self) -> dict[str, object]:
        """Those of the point, and the reading; the study's own is empty."""
        return {**self.point.parameters, "reading": self.reading.name if self.reading else ""}

    def build(self) -> Scenario:
        """The scenario of the point, changed by the reading."""
        scenario = self.point.build()
        if self.reading is None:
            return scenario
        own = self.point.point if isinstance(self.point, SeriesPoint) else self.point
        return scenario.with_(self.reading.changes(own))


Wanted = tuple[P | SeriesPoint[P], int | None]
"""A point to run, and the most seeds to run it with; None is all seeds of the study."""


@cache
def ready(file: str) -> Scenario:
    """A scenario of a study, loaded once."""
    return Scenario.load(file)


@dataclass(frozen=True, slots=True)
class PaperTable:
    """A table of the paper next to ours, with cells as text; None is no value."""

    title: str
    columns: Sequence[str]
    rows: Sequence[Sequence[str | None]]
    note: str = ""


@dataclass(frozen=True, slots=True)
class Readings:
    """The time series that a study reads: quantities, and components by a regular expression; all if empty."""

    quantities: Sequence[str] = ()
    components: str = ""


@dataclass(frozen=True, slots=True)
class Study(Generic[P]):
    """A published study.

    Attributes:
        package: its package, which has `claims.toml`.
        title: its name in tables and pages.
        quick_seeds: the number of seeds of a quick run: that of the paper, or enough for its bands.
        point: the class of its points.
        points: the points to run for one figure, or for all if `None`.
        measure: the measures of one run, by name. A measure that is a column of a result table has its name.
        kinds: the kinds of the other measures, by name, or by the name up to its first dot; without it, no bounds.
        figures: the makers of each figure of the paper; makers raise `MissingRunError` if runs are missing.
        beside: the makers of additional figures.
        predicates: one for each claim.
        tables: the result tables that `measure` reads, with the names of their rows to read; all if empty.
        readings: the time series to read.
        choice: what to give as a figure, for an error.
        printed: the tables of the paper next to ours.
        rare: the points whose claims are about rare events: a full run has more seeds of them.
        other_readings: other readings of the paper, each of them run and judged beside the study's own.
        judged: the points that the claims read, which other readings run; all if `None`.
    """

    package: str
    title: str
    quick_seeds: int
    point: type[P]
    points: Callable[[str | None], Sequence[Wanted[P]]]
    measure: Callable[[P, RunTables], Iterable[tuple[str, float]]]
    figures: Mapping[str, Sequence[Callable[[Runs[P]], Sheet]]]
    beside: Sequence[Callable[[Runs[P]], Sheet]]
    predicates: Predicates[Runs[P]]
    tables: Mapping[str, Sequence[str]]
    kinds: Mapping[str, MetricKind] = field(default_factory=dict)
    readings: Readings = Readings()
    choice: str = ""
    printed: Callable[[Runs[P]], Iterator[PaperTable]] | None = None
    rare: Sequence[P] = ()
    other_readings: Sequence[Reading[P]] = ()
    judged: Callable[[], Sequence[Wanted[P]]] | None = None

    def point_of(self, row: Mapping[str, Any]) -> P:
        """The point that a row of a result table belongs to, by the columns of the plan."""
        return self.point(**{each.name: row[each.name] for each in fields(self.point)})


class Reproduction(Generic[P]):
    """A study with its runs: for all figures or one, with seeds 1 to `seeds`.

    `settings` change every scenario, by path: the study under another reading of its paper. With `readings` it has
    those that it names itself, too, each with its runs in `under`.
    """

    def __init__(
        self,
        study: Study[P],
        figure: str | None,
        seeds: int,
        settings: Mapping[str, object] | None = None,
        *,
        readings: bool = False,
    ) -> None:
        if figure is not None and figure not in study.figures:
            raise InputError("the study has no such figure", path="--figure", value=figure, remedy=study.choice)
        self.study = study
        self.figure = figure
        self.seeds = seeds
        self.wanted = study.points(figure)
        self.settings = dict(settings or {})
        if self.settings:
            self._check_settings()
        if readings:
            self._check_readings()
        self.others: Sequence[Reading[P]] = study.other_readings if readings else ()
        self.runs = self._no_runs()
        self.under: dict[str, Runs[P]] = {}

    @property
    def title(self) -> str:
        """The name of the study in tables and pages."""
        return self.study.title

    def points(self) -> list[tuple[P | SeriesPoint[P], Sequence[int]]]:
        """The points to run under the study's own reading, each with its seeds."""
        seeds, more = range(1, self.seeds + 1), range(1, max(self.seeds, RARE_SEEDS) + 1)
        rare = self.study.rare if self.seeds >= FULL_SEEDS else ()
        return [(point, more if point in rare else seeds[:most]) for point, most in self.wanted]

    def planned(self) -> Sequence[tuple[P | SeriesPoint[P] | ReadPoint[P], Sequence[int]]]:
        """All points to run, each with its seeds: those of the study's own reading, then those of each other one."""
        own, seeds = self.points(), range(1, self.seeds + 1)
        if not self.others:
            return own
        judged = self.wanted if self.study.judged is None else self.study.judged()
        return [
            *((ReadPoint(point, None), wanted) for point, wanted in own),
            *((ReadPoint(point, each), seeds[:most]) for each in self.others for point, most in judged),
        ]

    def build(self, point: P | SeriesPoint[P] | ReadPoint[P]) -> Scenario:
        """The scenario of a point, with the settings."""
        return point.build().with_(self.settings) if self.settings else point.build()

    def read(self, results: Results) -> None:
        """Reads all stored runs."""
        stored: _Stored[P] = _Stored(
            {name: by_run(results.rows(name, self._wanted_rows(name))) for name in self.study.tables},
            traces_by_run(results.rows("series", self._wanted_series())),
        )
        plan = results.plan.to_dicts()
        self.runs = self._runs_of(plan, stored, None)
        self.under = {each.name: self._runs_of(plan, stored, each) for each in self.others}

    def sheets(self) -> Iterator[Sheet]:
        """The figures that have runs."""
        numbers = self.study.figures if self.figure is None else [self.figure]
        makers = [maker for number in numbers for maker in self.study.figures[number]]
        return drawn([*makers, *(self.study.beside if self.figure is None else ())], self.runs)

    def tables(self) -> Iterator[PaperTable]:
        """The printed tables of the paper next to ours, as far as there are runs."""
        return iter(()) if self.study.printed is None else self.study.printed(self.runs)

    def command(self, sheet: Sheet) -> str:
        """The arguments of `penstock reproduce` that run one figure again, without the study's name.

        None for additional figures. A detail, such as `figure-4-detail`, is drawn with its figure.
        """
        number = sheet.name.removeprefix("figure-").removeprefix("table-").removesuffix("-detail")
        return f"--figure {number}" if number in self.study.figures else ""

    def parameters(self) -> dict[str, str]:
        """The scenario files that the points change, by name, every default written out."""
        used: dict[str, P] = {}
        for point, _ in self.wanted:
            if not isinstance(point, SeriesPoint):
                used.setdefault(point.file, point)
        return {file: point.base().with_(self.settings).to_toml() for file, point in used.items()}

    def findings(self, reading: str = "") -> list[Finding]:
        """The verdicts on the claims; with one figure, on the claims about it that its runs can answer.

        If runs of the figure are missing, the claims about it that they do not answer are there, as not run. With the
        name of another reading, the verdicts under that reading.
        """
        claims = load_claims(self.study.package)
        require_match(claims, self.study.predicates)
        runs = self.under[reading] if reading else self.runs
        found = []
        for claim in claims:
            evidence = evidence_of(self.study.predicates[claim.id], runs)
            is_about = self.figure in figure_numbers(claim.figure) and not (
                isinstance(evidence, NotRun) and self._has_all_runs()
            )
            if self.figure is None or is_about:
                found.append(judge(claim, evidence))
        return found

    def _has_all_runs(self) -> bool:
        points = [point for point, _ in self.wanted if not isinstance(point, SeriesPoint)]
        return all(len(self.runs.measures.get(point, ())) == self.runs.seeds_at(point) for point in points)

    def _check_settings(self) -> None:
        """Raises :class:`InputError` for a setting that the study varies itself, or that a scenario refuses."""
        for path in self.settings:
            if any(path in point.changes for point, _ in self.wanted):
                raise InputError(
                    "the study sets this itself at its points",
                    path="--set",
                    value=path,
                    remedy="set a path that it leaves as its scenario files have it",
                )
        firsts = {point.file: point for point, _ in reversed(self.wanted) if not isinstance(point, SeriesPoint)}
        for file, point in firsts.items():
            try:
                self.build(point)
            except InputError as error:
                raise InputError(
                    error.reason, path=error.path, value=error.value, remedy=error.remedy, file=file
                ) from None

    def _check_readings(self) -> None:
        """Raises :class:`InputError` if there are no other readings, or they are not of the whole study as it is."""
        if not self.study.other_readings:
            raise InputError("the study names no other readings", path="--readings", remedy="leave out --readings")
        if self.figure is not None or self.settings:
            raise InputError(
                "other readings are those of the whole study, as it reads the paper itself",
                path="--readings",
                remedy="leave out --figure and --set, or leave out --readings",
            )

    def _no_runs(self) -> Runs[P]:
        fewer = {point: most for point, most in self.wanted if most is not None and not isinstance(point, SeriesPoint)}
        return Runs(wanted=self.seeds, fewer=fewer, figure=self.figure, kinds=self.study.kinds)

    def _wanted_rows(self, name: str) -> pl.Expr | None:
        """Which rows of a table the study reads."""
        import polars as pl

        names = self.study.tables[name]
        return pl.col(NAMES[name]).is_in(list(names)) if names else None

    def _wanted_series(self) -> pl.Expr:
        """Which readings of time series it reads."""
        import polars as pl

        wanted = pl.lit(True)
        if self.study.readings.quantities:
            wanted &= pl.col("quantity").is_in(list(self.study.readings.quantities))
        if self.study.readings.components:
            wanted &= pl.col("component").str.contains(f"^(?:{self.study.readings.components})$")
        return wanted

    def _runs_of(self, plan: Sequence[Mapping[str, Any]], stored: _Stored[P], reading: Reading[P] | None) -> Runs[P]:
        """The runs of a plan under one reading; None is the study's own."""
        runs = self._no_runs()
        kinds = {point.kind for point, _ in self.wanted if isinstance(point, SeriesPoint)}
        wanted = reading.name if reading else ""
        for row in plan:
            if row.get("reading", "") != wanted:
                continue
            point, run, seed = self.study.point_of(row), row["run"], row["seed"]
            is_series = row["kind"] in kinds
            if run in stored.traces:
                kept = runs.of_kind(row["kind"]) if is_series else runs
                kept.series.setdefault(point, {})[seed] = stored.traces[run]
            if is_series or not stored.has(run):
                continue
            measures = stored.measures(self.study, point, run)
            if reading is not None:
                own = {name: measures[other] for name, other in reading.instead.items() if other in measures}
                measures = {**measures, **own}
            if seed <= self.seeds:
                runs.keep(point, seed, measures.items())
            if point in self.study.rare:
                runs.of_kind(RARE).keep(point, seed, measures.items())
        return runs


@dataclass(slots=True)
class _Stored(Generic[P]):
    """Stored runs by their keys: the rows of each table, and time series. Several points may share a run."""

    tables: Mapping[str, Mapping[str, pl.DataFrame]]
    traces: Mapping[str, dict[tuple[str, str], Trace]]
    known: dict[tuple[str, P], dict[str, float]] = field(default_factory=dict)

    def has(self, run: str) -> bool:
        """Whether a table that the study reads has rows of a run, or time series: a point may have no row in some."""
        return run in self.traces or any(run in table for table in self.tables.values())

    def measures(self, study: Study[P], point: P, run: str) -> dict[str, float]:
        """The measures of a run, computed once for each point that it is of."""
        if (run, point) not in self.known:
            rows = {name: table[run].to_dicts() if run in table else [] for name, table in self.tables.items()}
            self.known[run, point] = dict(study.measure(point, RunTables(rows, self.traces.get(run, {}))))
        return self.known[run, point]
