"""The table of a case: every scheme by every measure, with the best of each, and the reasons of empty cells."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from penstock.analyse.replications import are_one_run
from penstock.core.counts import counted
from penstock.core.face import Shown
from penstock.league.league import Case, League
from penstock.league.measures import (
    FAIR_AFTER,
    FAIRNESS,
    MEASURES,
    Found,
    Measure,
    Value,
    lacking_in,
    runs_of,
    series_of,
    target_of,
    values_of,
)
from penstock.league.readings import Readings, readings_of
from penstock.league.settling import Settling, settling_of
from penstock.statistics import Sample, Standing, standings

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

    from penstock.analyse.results import Results

NOT_RUN = "not run yet"
RUN_FAILED = "the run failed"


@dataclass(frozen=True, slots=True)
class Column:
    """A measure of one class of a case, or of its network.

    Attributes:
        measure: the measure.
        of: the class; empty for the network.
        samples: the values of each scheme that has one in every replication.
        standings: these schemes beside the best, from the best to the worst.
        reasons: for each of the other schemes why it has no value.
        late: for each scheme the number of replications that count with the length of the run, if there are any.
    """

    measure: Measure
    of: str
    samples: Mapping[str, Sample]
    standings: Sequence[Standing]
    reasons: Mapping[str, str]
    late: Mapping[str, int]

    @property
    def best(self) -> tuple[str, ...]:
        """The schemes that do not differ significantly from the best, the best mean first.

        Neither do those whose means agree with the best to four digits: without randomness, every difference would be
        significant. A measure that is not judged has no best.
        """
        if not self.measure.is_judged:
            return ()
        first = self.standings[0].estimate.mean if self.standings else 0.0
        same = {one.name for one in self.standings if f"{one.estimate.mean:.4g}" == f"{first:.4g}"}
        return tuple(one.name for one in self.standings if one.is_best or one.name in same)

    @property
    def decides(self) -> bool:
        """Whether the best is significantly better than at least one scheme."""
        return self.measure.is_judged and len(self.best) < len(self.standings)

    def __getitem__(self, scheme: str) -> Standing:
        return next(one for one in self.standings if one.name == scheme)


@dataclass(frozen=True, slots=True, repr=False)
class CaseTable(Shown):
    """The columns of a case, and the replications that count: those that all of its schemes have.

    ``identical`` has the schemes whose runs agree to the last bit, ``constant`` those whose replications do, and
    ``readings`` the busiest line against time, if the runs have a time series; ``settling`` tells of each scheme with
    readings whether it had settled.
    """

    case: Case
    columns: Sequence[Column]
    replications: Sequence[int]
    identical: Sequence[tuple[str, ...]]
    constant: Sequence[str]
    readings: Readings | None
    settling: Mapping[str, Settling]

    def __repr__(self) -> str:
        told = f"{counted(len(self.columns), 'column')}, {counted(len(self.replications), 'replication')}"
        return f"<CaseTable {self.case.name!r}: {counted(len(self.case.scenarios), 'scheme')}, {told}>"

    def column(self, measure: Measure, of: str = "") -> Column | None:
        """The column of a measure, if any scheme has a value."""
        return next((each for each in self.columns if (each.measure, each.of) == (measure, of)), None)


def tables_of(league: League, results: Results) -> Iterator[CaseTable]:
    """The table of every case, one after the other: each reads its own runs only."""
    point = 0
    for case in league.cases:
        yield table_of(case, results, point)
        point += len(case.scenarios)


def table_of(case: Case, results: Results, first: int = 0) -> CaseTable:
    """The table of a case whose schemes are the points of the results from the number ``first`` on."""
    runs = runs_in(case, results, first)
    series = series_of(case, results, names_of(runs))
    found = _found(case, results, runs, series)
    failed = {}
    for each in results.about["failures"]:
        own = each["parameters"]
        if (own.get("network", ""), own.get("traffic", "")) == (case.network, case.traffic):
            failed[str(own.get("scheme", own.get("scenario")))] = str(each["reason"])
    numbers = [set(own) for own in found.values() if own]
    shared = sorted(set.intersection(*numbers)) if numbers else []
    about = results.rows("runs", runs=names_of(runs))
    kept = dict(about.select("run", "fingerprint").iter_rows()) if about.width else {}
    prints = {name: [kept[run] for run in own.values()] for name, own in runs.items()}
    constant = [name for name, own in prints.items() if are_one_run(own)]
    columns = columns_of(case, found, shared, failed, constant)
    readings = readings_of(case, series, runs, shared)
    settling = settling_of(case, readings, constant)
    return CaseTable(case, columns, shared, _same(prints, len(shared)), constant, readings, settling)


def runs_in(case: Case, results: Results, first: int) -> dict[str, dict[int, str]]:
    """The stored runs of each scheme of a case, by replication."""
    found: dict[str, dict[int, str]] = {}
    for point, name in enumerate(case.scenarios, start=first):
        own = results.plan.filter(results.plan["point"] == point).sort("replication")
        pairs = own.select("replication", "run").iter_rows()
        found[name] = {replication: run for replication, run in pairs if run in results.store.runs}
    return found


def names_of(runs: Mapping[str, Mapping[int, str]]) -> list[str]:
    """The names of all runs."""
    return [run for own in runs.values() for run in own.values()]


def found_in(case: Case, results: Results, first: int = 0) -> dict[str, dict[int, Found]]:
    """All measures of the stored runs of a case, by scheme and replication."""
    runs = runs_in(case, results, first)
    return _found(case, results, runs, series_of(case, results, names_of(runs)))


def _found(
    case: Case, results: Results, runs: Mapping[str, Mapping[int, str]], series: pl.DataFrame
) -> dict[str, dict[int, Found]]:
    tables = runs_of(results, names_of(runs), series)
    trees = {name: scenario.expanded().tree for name, scenario in case.scenarios.items()}
    lacking = lacking_in(case)
    targets: dict[str, set[float]] = {}
    for name, own in runs.items():
        target = target_of(trees[name])
        for run in own.values():
            if run in tables:
                targets.setdefault(tables[run].fingerprint, set()).add(target)
    return {
        name: {
            replication: values_of(tables[run], case, trees[name], lacking, targets[tables[run].fingerprint])
            for replication, run in own.items()
            if run in tables
        }
        for name, own in runs.items()
    }


def columns_of(
    case: Case,
    found: Mapping[str, Mapping[int, Found]],
    shared: Sequence[int],
    failed: Mapping[str, str],
    constant: Sequence[str] = (),
) -> list[Column]:
    """One column for each measure and class of which any scheme has a value, or a reason that is not its own.

    The replications of the schemes in ``constant`` are one run.
    """
    places = dict.fromkeys(place for own in found.values() for each in own.values() for place in each)
    columns = []
    for measure in MEASURES:
        for key, of in (place for place in places if place[0] == measure.key):
            samples, reasons, late = {}, dict(case.refused), {}
            for scheme, own in found.items():
                values = [own[number][key, of] for number in shared if number in own and (key, of) in own[number]]
                if not own or len(values) < len(shared):
                    reasons[scheme] = f"{RUN_FAILED}: {failed[scheme]}" if scheme in failed else NOT_RUN
                elif missing := [value for value in values if value.reason]:
                    often = "" if len(missing) == len(values) else f" in {len(missing)} of {len(values)} runs"
                    reasons[scheme] = f"{missing[0].reason}{often}"
                else:
                    samples[scheme] = sample_of(measure, values, len(case.shares), constant=scheme in constant)
                    if missed := sum(not value.reached for value in values):
                        late[scheme] = missed
            ranked = standings(samples, lower_is_better=measure.lower_is_better)
            columns.append(Column(measure, of, samples, ranked, reasons, late))
    return columns


def sample_of(measure: Measure, values: Sequence[Value], flows: int, *, constant: bool = False) -> Sample:
    """The values of a measure with its bounds; Jain's index of n flows is 1/n or more."""
    low = 1 / flows if measure == FAIRNESS else 0.0
    trials = [value.trials for value in values]
    counts = trials if all(trials) and measure != FAIR_AFTER else ()
    return Sample([value.value for value in values], low, measure.high, counts, constant)


def _same(prints: Mapping[str, list[str]], replications: int) -> list[tuple[str, ...]]:
    """The schemes whose runs agree to the last bit in every replication."""
    groups: dict[tuple[str, ...], list[str]] = {}
    for name, own in prints.items():
        if len(own) == replications:
            groups.setdefault(tuple(own), []).append(name)
    return [tuple(names) for names in groups.values() if len(names) > 1]
