"""The results of a sweep: tables of estimates, and its page."""

from __future__ import annotations

import json
import math
import shlex
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from penstock.analyse.estimates import PointEstimate, estimates
from penstock.analyse.metric import NAMES, Metric, metric
from penstock.api.sweep import KIND, decisions
from penstock.core.counts import counted
from penstock.core.scenario import Scenario, are_ready
from penstock.plot import Sheet
from penstock.show import cells
from penstock.show.feedback import warnings as feedback_warnings
from penstock.show.open_loop import open_loop
from penstock.show.output import Outcome, Output
from penstock.show.report import Cell, Figure, Report, Section, Table
from penstock.show.settings import Wording, phrases
from penstock.show.state import warnings_of
from penstock.show.sweep_figures import file_name, sheets
from penstock.show.terminal import WITHOUT_INTERVAL, notes_below, print_note, print_table, print_text
from penstock.statistics import TOO_FEW, upper_bound

if TYPE_CHECKING:
    from penstock.analyse.results import Results

METRICS = ("loss_ratio", "delay_mean_s", "throughput_bps")
"""The default metrics of a sweep."""
MOST_ROWS = 1000

Row = dict[str, Any]


def metrics_of(results: Results, wanted: Sequence[str] = ()) -> list[Metric]:
    """The metrics to show: those given, or the sweep's own, or the default ones."""
    details = results.about["details"]
    names = wanted or details["sweep"]["metrics"] or (*METRICS, *details["sweep"]["precision"])
    base = scenario_of(results)
    return [metric(name, base) for name in dict.fromkeys(names)]


def scenario_of(results: Results) -> Scenario:
    """The scenario that was varied."""
    return Scenario(json.dumps(results.about["details"]["scenario"]), "json", name=results.about["name"])


def count_rows(results: Results, metrics: Sequence[Metric]) -> int:
    """The number of the rows of :func:`estimate_rows`."""
    once = {each.name: each for each in metrics}.values()  # the statistics of a metric have the same places
    places = [rows.select("point", "of").unique() for each in once if (rows := each.values(results)).height]
    return len({place for each in places for place in each.iter_rows()})


def estimate_rows(results: Results, metrics: Sequence[Metric], most: int | None = None) -> list[Row]:
    """One row a point and group or port: the parameters, ``of``, and a :class:`PointEstimate` for each metric.

    ``most`` is how many: the first of them.
    """
    settings = {row["point"]: row for row in results.plan.unique("point", maintain_order=True).iter_rows(named=True)}
    rows: dict[tuple[int, str], Row] = {}
    for each in metrics:
        for found in estimates(each, results, most):
            key = (found.point, found.of)
            own = {name: settings[found.point][name] for name in results.parameters}
            rows.setdefault(key, {**own, "of": found.of})[str(each)] = found
    return [rows[key] for key in sorted(rows, key=lambda key: key[0])][:most]


@notes_below()
def print_sweep(results: Results, metrics: Sequence[Metric], limit: int = 60) -> None:
    """Print the estimates on standard output, up to ``limit`` rows."""
    wording = Wording.of(results)
    for table in dict.fromkeys(each.table for each in metrics):
        own = [each for each in metrics if each.table == table]
        rows, count = estimate_rows(results, own, limit), count_rows(results, own)
        columns: list[tuple[str, str, Callable[[Any], str]]] = [
            (name, path, str) for path, name in wording.names.items()
        ]
        columns.append((NAMES[table], "of", str))
        columns += [(each.label, str(each), _shown) for each in own]
        filled = [{**{str(each): None for each in own}, **row, **wording.values(row)} for row in rows]
        more = f", the first {limit} of {count} rows" if count > limit else ""
        found = estimates_in(rows, own)
        print_table(
            f"{results.about['name']}, {table}: {told_as(found)}{more}", columns, filled, keys=len(wording.names) + 1
        )
        if lacks_interval(found):
            print_note(WITHOUT_INTERVAL)
    for line in precision_lines(results):
        print_text(line)


def estimates_in(rows: Sequence[Row], metrics: Sequence[Metric]) -> list[PointEstimate]:
    """All estimates of these metrics in the rows of a table."""
    return [row[str(each)] for row in rows for each in metrics if str(each) in row]


def told_as(found: Sequence[PointEstimate]) -> str:
    """What the estimates of a table are told as."""
    if any(each.has_interval for each in found):
        return "mean (95 % interval)"
    is_random = not all(each.estimate.constant for each in found if each.estimate is not None)
    return "mean" if is_random else "value"


def lacks_interval(found: Sequence[PointEstimate]) -> bool:
    """Whether the mean of too few replications is among them."""
    return any(each.estimate is not None and each.estimate.low is None and not each.estimate.constant for each in found)


def to_json(results: Results, metrics: Sequence[Metric]) -> list[Row]:
    """The estimates as plain data, in SI units."""
    return [
        {name: _plain(value) if isinstance(value, PointEstimate) else value for name, value in row.items()}
        for row in estimate_rows(results, metrics)
    ]


def precision_lines(results: Results) -> list[str]:
    """One line for each precision that was not reached."""
    wording = Wording.of(results)
    settings = {row["point"]: row for row in results.plan.iter_rows(named=True)}
    lines = []
    for decision in decisions(results):
        if decision.verdict != "reached":
            setting = wording.setting(settings[decision.point])
            of = "" if decision.metric.name else f" of {decision.of}"
            lines.append(f"{decision.metric}{of} at {setting}: {decision.text}")
    return lines


def page_of(results: Results) -> Report:
    """The page of a sweep."""
    metrics = metrics_of(results)
    words = results.about["details"]["words"]
    command = shlex.join(["penstock", "sweep", *words, "--out", str(results.directory)]) if words else ""
    tables = list(_tables(results, metrics))
    if failures := results.about["failures"]:
        tables.append(
            Table(
                "Runs that failed",
                ["point", "seed", "replication", "reason"],
                [
                    [phrases(row["parameters"]), str(row["seed"]), str(row["replication"]), row["reason"]]
                    for row in failures
                ],
            )
        )
    drawn = sheets(results, metrics)
    base = scenario_of(results)
    most, points = widest(results, metrics), results.plan["point"].n_unique()
    sections = [Section("Estimates", tables=tables)]
    if drawn:
        sections.append(Section("Figures", figures=[Figure(sheet) for sheet in drawn]))
    return Report(
        title=base.title or base.name,
        headline=headline(results, most),
        summary=f"A sweep of {counted(points, 'point')} and {counted(results.plan.height, 'run')}.",
        sections=sections,
        warnings=[
            *warnings_of(results),
            *feedback_warnings(base.meetings(), is_ready=are_ready(words)),
            *open_loop(base),
            *precision_lines(results),
        ],
        lead=lead_of(drawn, most),
        parameters={
            "The scenario that was varied": base.to_toml(),
            "The sweep": json.dumps(results.about["details"]["sweep"], indent=1),
        },
        versions=results.versions(),
        command=command,
    )


@dataclass(frozen=True, slots=True)
class Span:
    """A metric of one group or port with its least and its greatest estimate."""

    metric: Metric
    of: str
    least: PointEstimate
    greatest: PointEstimate

    @property
    def width(self) -> float:
        """The distance of the two means, as a share of the greater."""
        low, high = mean_of(self.least), mean_of(self.greatest)
        return (high - low) / max(abs(low), abs(high), sys.float_info.min)


def mean_of(found: PointEstimate) -> float:
    """The mean of an estimate that has one."""
    return found.estimate.mean if found.estimate is not None else math.nan


def widest(results: Results, metrics: Sequence[Metric]) -> Span | None:
    """Of the first metric with values, the group or port that the parameters change most; None without values."""
    for each in metrics:
        by_name: dict[str, list[PointEstimate]] = {}
        for found in estimates(each, results):
            if found.estimate is not None:
                by_name.setdefault(found.of, []).append(found)
        if by_name:
            spans = [Span(each, of, min(own, key=mean_of), max(own, key=mean_of)) for of, own in by_name.items()]
            return max(spans, key=lambda span: span.width)
    return None


def headline(results: Results, most: Span | None) -> str:
    """One sentence: the range of the first metric, and where its ends are."""
    if most is None:
        return "No run has a value yet."
    name = f"{most.metric.label} of {most.of}"
    name = f"{name[0].upper()}{name[1:]}"
    if not most.width:
        return f"{name} is {most.least} at every point."
    wording = Wording.of(results)
    settings = {row["point"]: wording.setting(row) for row in results.plan.iter_rows(named=True)}
    ends = [f"{found} (at {settings[found.point]})" for found in (most.least, most.greatest)]
    return f"{name} goes from {ends[0]} to {ends[1]}."


def lead_of(drawn: Sequence[Sheet], most: Span | None) -> str | None:
    """The figure that the headline is about, or the first one."""
    names = [sheet.name for sheet in drawn]
    if most is not None:
        own = [name for name in names if name.startswith(f"{most.metric}-".replace("/", "-"))]
        names = [name for name in own if name.endswith(f"-{file_name(most.of)}")] or own or names
    return names[0] if names else None


def _tables(results: Results, metrics: Sequence[Metric]) -> Iterator[Table]:
    """One table for the metrics of groups, one for those of ports, and one for those of messages."""
    wording = Wording.of(results)
    for table in dict.fromkeys(each.table for each in metrics):
        own = [each for each in metrics if each.table == table]
        rows = estimate_rows(results, own)
        more = f" The first {MOST_ROWS} of {len(rows)} rows." if len(rows) > MOST_ROWS else ""
        found = estimates_in(rows, own)
        short = f" {WITHOUT_INTERVAL}" if lacks_interval(found) else ""
        yield Table(
            f"Of {table}",
            [*results.parameters, NAMES[table], *(each.label for each in own)],
            [
                [
                    *(str(value) for value in (*wording.values(row).values(), row["of"])),
                    *(_shown(row.get(str(each))) for each in own),
                ]
                for row in rows[:MOST_ROWS]
            ],
            note=f"{told_as(found).capitalize()}, or an upper bound without events, which holds for independent PDUs."
            f"{short}{more}",
        )


def _shown(value: object) -> str:
    return "-" if value is None else str(value).replace(TOO_FEW, "")  # a note below the table says it once


def _plain(found: PointEstimate) -> Row:
    estimate = found.estimate
    told: Row = (
        {"mean": None, "low": None, "high": None, "count": 0}
        if estimate is None
        else {"mean": estimate.mean, "low": estimate.low, "high": estimate.high, "count": estimate.count}
    )
    told |= {"constant": True} if estimate is not None and estimate.constant else {}
    if found.trials is None or found.events is None:
        return told
    bound = upper_bound(found.events, found.trials) if found.trials else None
    return {**told, "events": found.events, "trials": found.trials, "upper_bound": bound}


def outcome(results: Results) -> Outcome:
    """The estimates at the first points."""
    metrics = metrics_of(results)
    found = []
    for table in dict.fromkeys(each.table for each in metrics):
        own = [each for each in metrics if each.table == table]
        lines: list[Sequence[Cell]] = [
            [
                *(cells.plain(row[name]) for name in (*results.parameters, "of")),
                *(cells.shown(row.get(str(each)), each) for each in own),
            ]
            for row in estimate_rows(results, own, cells.MOST_ROWS)
        ]
        headings = [*results.parameters, "of", *(cells.label(each) for each in own)]
        rows = cells.MadeRows(range(count_rows(results, own)), lines.__getitem__)
        found.append(Table(table.capitalize(), headings, rows))
    return "", found


OUTPUT = Output(KIND, page_of, outcome)
