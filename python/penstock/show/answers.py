"""What the pages of a search and of a capacity share: their scenario, their words, and curves of stored runs."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from penstock.analyse.condition import Condition
from penstock.analyse.demand import overload
from penstock.analyse.estimates import sample
from penstock.analyse.metric import Metric
from penstock.analyse.results import Results
from penstock.core.scenario import Scenario
from penstock.plot import Curve, Panel
from penstock.show.league_figures import scaled, unit_for
from penstock.show.report import Table
from penstock.show.settings import phrases, short_names
from penstock.show.sweep_figures import scale
from penstock.show.terminal import print_table, print_text
from penstock.statistics import Estimate, Sample

INTERVALS = "Means over replications with 95 % intervals."
OVERLOADED = (
    "Overloaded: the data that wait at the sources rise through the run, significantly and by more than 1 % of what "
    "these offered. The demand grows without bound, so such a value never counts as within a condition."
)
"""What a table with overloaded values has as its note."""


def base_of(results: Results) -> Scenario:
    """The scenario whose parameters were varied."""
    return Scenario(json.dumps(results.about["details"]["scenario"]), "json", name=results.about["name"])


def shown(setting: Mapping[str, object]) -> str:
    """A setting in words: ``trigger = 0.9, rate = 2 Mb/s``."""
    names = short_names(list(setting))
    return phrases({names[path]: value for path, value in setting.items()})


def settings_of(results: Results) -> dict[int, dict[str, Any]]:
    """The values of the parameters of each point."""
    rows = results.plan.unique("point", keep="first", maintain_order=True).iter_rows(named=True)
    return {row["point"]: {path: row[path] for path in results.parameters} for row in rows}


def samples_along(
    results: Results, metric: Metric, path: str, fixed: Mapping[str, Any], replications: int
) -> dict[Any, Sample]:
    """The values of a metric by the value of one parameter, where the other parameters have the values of ``fixed``."""
    rows = metric.values(results)
    if not rows.height:
        return {}
    rows = rows.filter(rows["replication"] < replications)
    found = {}
    for point, setting in settings_of(results).items():
        if all(setting[other] == value for other, value in fixed.items() if other != path):
            own = sample(metric.kind, rows.filter(rows["point"] == point))
            if own.values:
                found[setting[path]] = own
    return found


def panel_along(path: str, metric: Metric, samples: Mapping[Any, Sample], limit: Condition | None = None) -> Panel:
    """A metric against one parameter, with the limit of a condition as a line."""
    name = short_names([path])[path]
    label, places = scale(name, list(samples))
    at = {places[value]: own for value, own in samples.items()}
    curve = Curve(
        "",
        {x: dict(enumerate(own.linear)) for x, own in at.items()},
        estimates={x: own.estimate() for x, own in at.items()},
    )
    return Panel(
        label,
        f"{metric.name}: {metric.label}",
        curves=[curve],
        level=None if limit is None else limit.limit,
        level_label="" if limit is None else f"{limit.name.rpartition('.')[2]} {limit.sign} {limit.shown_limit}",
    )


def with_overload(
    table: Table, rises: Sequence[Mapping[str, float]], perhaps: Sequence[Mapping[str, float]] = ()
) -> Table:
    """A table with a column for the groups of each row that are overloaded, or perhaps are, if any row has one."""
    if not any([*rises, *perhaps]):
        return table
    maybe = [f"perhaps {overload(own)}" if own else "-" for own in perhaps or [{}] * len(rises)]
    rows = [[*row, overload(own) or other] for row, own, other in zip(table.rows, rises, maybe, strict=True)]
    return replace(table, columns=[*table.columns, "overloaded"], rows=rows, note=f"{table.note} {OVERLOADED}".strip())


def print_rows(table: Table) -> None:
    """Print a table of texts on standard output, with its note."""
    columns: list[tuple[str, str, Callable[[Any], str]]] = [(name, name, str) for name in table.columns]
    print_table(table.title, columns, [dict(zip(table.columns, row, strict=True)) for row in table.rows])
    if table.note:
        print_text(table.note)
        print()


def quantity(metric: Metric, estimate: Estimate) -> str:
    """An estimate in a unit that people read: ``12.5 (12.1 to 12.9) ms``."""
    size, unit = unit_for(metric.unit, [estimate.mean])
    return f"{scaled(estimate, size)} {unit}".rstrip()


def heading(limit: Condition) -> str:
    """The metric of a condition as it was asked for, with the unit of its limit if that was written."""
    unit, _ = limit.unit
    return f"{limit.name} ({unit})" if unit else limit.name


def in_unit(limit: Condition, estimate: Estimate) -> Estimate:
    """An estimate of the metric of a condition in the unit of its limit."""
    return scaled(estimate, limit.unit[1])


def plain(values: Sequence[float | None]) -> dict[str, float | None]:
    """The stored parts of an estimate, by name."""
    return dict(zip(("mean", "low", "high", "count", "constant"), values, strict=False))
