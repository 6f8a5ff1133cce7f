"""The measures of a study's runs: one number per measure, point and seed, and time series."""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from penstock.analyse import metric
from penstock.analyse.metric import MetricKind
from penstock.statistics.sample import Sample

if TYPE_CHECKING:
    import polars as pl

FULL_SEEDS = 20
"""The number of seeds of a full run, whose verdicts count."""
RUN = "run"
"""The kind of the runs whose measures are read."""

Row = dict[str, Any]
Trace = tuple[list[float], list[float]]
Traces = Mapping[tuple[str, str], Trace]
"""Time series by component and quantity."""
P = TypeVar("P", bound=Hashable)
T = TypeVar("T")


class MissingRunError(LookupError):
    """A point that was not run, or a measure that it does not have."""


@dataclass(frozen=True, slots=True)
class RunTables:
    """The result tables of one run, by name, and its time series."""

    rows: Mapping[str, Sequence[Row]]
    traces: Traces = field(default_factory=dict)

    def row(self, table: str, **names: object) -> Row:
        """The first row of a table with these values, such as `port="link"`."""
        for row in self.rows.get(table, ()):
            if all(row[name] == value for name, value in names.items()):
                return row
        wanted = " and ".join(f"{name} = {value}" for name, value in names.items())
        raise MissingRunError(f"a row of {table} with {wanted}")

    def trace(self, component: str, quantity: str) -> Trace:
        """One time series of the run."""
        if (component, quantity) not in self.traces:
            raise MissingRunError(f"time series {component} {quantity}")
        return self.traces[component, quantity]


@dataclass(slots=True)
class Runs(Generic[P]):
    """All measures by point and seed, and time series.

    `wanted` is the number of seeds that every point should have, except for those that need `fewer`. `figure` is the
    figure that the runs are for; None is all. `apart` has the time series of runs made for them alone, by their kind.
    `known` has what was computed from time series; copies of the runs share it. `kinds` has the kinds of measures that
    are no columns of result tables.
    """

    measures: dict[P, dict[int, dict[str, float]]] = field(default_factory=dict)
    series: dict[P, dict[int, dict[tuple[str, str], Trace]]] = field(default_factory=dict)
    wanted: int = 0
    fewer: Mapping[P, int] = field(default_factory=dict)
    figure: str | None = None
    apart: dict[str, Runs[P]] = field(default_factory=dict)
    known: dict[tuple[int, Callable[..., Any], Hashable], tuple[object, Any]] = field(default_factory=dict, repr=False)
    kinds: Mapping[str, MetricKind] = field(default_factory=dict)

    def of_kind(self, kind: str) -> Runs[P]:
        """The runs with time series of one kind."""
        return self.apart.setdefault(kind, Runs(kinds=self.kinds))

    def keep(self, point: P, seed: int, measures: Iterable[tuple[str, float]]) -> None:
        """Reads the measures of one run."""
        self.measures.setdefault(point, {})[seed] = dict(measures)

    def add_series(self, point: P, seed: int, rows: Iterable[Row]) -> None:
        """Reads the time series of one run."""
        traces = self.series.setdefault(point, {}).setdefault(seed, {})
        for row in rows:
            times, values = traces.setdefault((row["component"], row["quantity"]), ([], []))
            times.append(row["time_s"])
            values.append(row["value"])

    def by_seed(self, name: str, point: P) -> dict[int, float]:
        """One measure at one point, for each seed."""
        found = {seed: values[name] for seed, values in self.measures.get(point, {}).items() if name in values}
        if not found:
            raise MissingRunError(f"{name} at {point}")
        return found

    def values(self, name: str, point: P) -> list[float]:
        """One measure at one point, a value per seed."""
        return list(self.by_seed(name, point).values())

    def kind(self, name: str) -> MetricKind | None:
        """What kind of quantity a measure is: by its name, or by that up to the first dot, as `loss` of `loss.voice`.

        None for a measure without bounds.
        """
        kinds = {**metric.KINDS, **self.kinds}
        return kinds.get(name, kinds.get(name.partition(".")[0]))

    def sample(self, name: str, values: Iterable[float], scale: float = 1.0) -> Sample:
        """Values of a measure, one for each seed, in units of 1 / `scale`, with the bounds of the measure."""
        return metric.sample_of(self.kind(name), values, scale)

    def mean(self, name: str, point: P) -> float:
        """One measure at one point, the mean over seeds."""
        return mean(self.values(name, point))

    def average(self, name: str, points: Sequence[P]) -> float:
        """The mean of a measure over points and seeds."""
        return math.fsum(self.mean(name, point) for point in points) / len(points)

    def seed_means(self, name: str, points: Sequence[P]) -> dict[int, float]:
        """The mean of a measure over several points, for each seed that has them all."""
        columns = [self.by_seed(name, point) for point in points]
        seeds = [seed for seed in columns[0] if all(seed in column for column in columns)]
        if not seeds:
            raise MissingRunError(f"{name} at {points[0]}")
        return {seed: math.fsum(column[seed] for column in columns) / len(columns) for seed in seeds}

    def mean_over(self, name: str, points: Sequence[P]) -> list[float]:
        """The same as a list, a value for each seed."""
        return list(self.seed_means(name, points).values())

    def traces(self, point: P, component: str, quantity: str) -> dict[int, Trace]:
        """One time series at one point, for each seed."""
        kept = self.series.get(point, {})
        found = {seed: traces[component, quantity] for seed, traces in kept.items() if (component, quantity) in traces}
        if not found:
            raise MissingRunError(f"time series {component} {quantity} at {point}")
        return found

    def once(self, function: Callable[..., T], readings: object, *more: Hashable) -> T:
        """A function of a time series, or of those of a run, computed once for each of these objects."""
        key = id(readings), function, more
        if key not in self.known:
            self.known[key] = readings, function(readings, *more)
        found: T = self.known[key][1]
        return found

    def first_trace(self, point: P, component: str, quantity: str) -> Trace:
        """One time series at one point, of its first seed."""
        found = self.traces(point, component, quantity)
        return found[min(found)]

    def require(self, points: Iterable[P]) -> None:
        """Raises :class:`MissingRunError` for a point that was not run."""
        for point in points:
            if point not in self.measures:
                raise MissingRunError(str(point))

    def seeds_at(self, point: P) -> int:
        """The number of seeds that a point should have."""
        return min(self.wanted, self.fewer.get(point, self.wanted))

    @property
    def seeds(self) -> int:
        """The most seeds that any point has."""
        return max((len(seeds) for kept in (self.measures, self.series) for seeds in kept.values()), default=0)


def mean(values: Collection[float], of: str = "readings") -> float:
    """The arithmetic mean. Raises :class:`MissingRunError`, with a name, if there are no values."""
    if not values:
        raise MissingRunError(of)
    return math.fsum(values) / len(values)


def by_run(rows: pl.DataFrame) -> dict[str, pl.DataFrame]:
    """The rows of a table by their run, without that column."""
    if not rows.height:
        return {}
    return {str(run): own for (run,), own in rows.partition_by("run", as_dict=True, include_key=False).items()}


def traces_by_run(rows: pl.DataFrame) -> dict[str, dict[tuple[str, str], Trace]]:
    """The time series of each run."""
    found: dict[str, dict[tuple[str, str], Trace]] = {}
    if rows.height:
        for (run, *name), own in rows.partition_by("run", "component", "quantity", as_dict=True).items():
            component, quantity = map(str, name)
            traces = found.setdefault(str(run), {})
            times = own["time_s"].to_list()
            first, _ = next(iter(traces.values()), (times, None))  # the series of a run share their times
            traces[component, quantity] = (first if first == times else times), own["value"].to_list()
    return found
