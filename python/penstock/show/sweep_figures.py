"""The figures of a sweep: each metric against its axes, distributions of delays, and traces."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import TYPE_CHECKING, Any

from penstock.analyse.estimates import sample
from penstock.analyse.metric import Metric
from penstock.plot import Curve, Panel, Sheet, Tail, Trace, against, heat_map, shared_traces, tails
from penstock.show.settings import Wording, phrases
from penstock.statistics import Sample

if TYPE_CHECKING:
    from penstock.analyse.results import Results

MOST_CURVES = 7
MOST_FIGURES = 24
MOST_DETAILS = 8
"""Figures of distributions, and of traces."""

READINGS = {
    "queue (PDUs)": "queue_[0-9]",
    "queue (bits)": "queue_bits$",
    "utilisation": "utilisation",
    "filtered": "filtered",
    "credit (PDUs)": "credit$",
    "window (PDUs)": "window$",
}
"""Panels of readings, and the quantities of each."""

QUANTITY = re.compile(r"([-+]?\d+(?:\.\d+)?(?:e[-+]?\d+)?) (\S+)")


def sheets(results: Results, metrics: Sequence[Metric]) -> list[Sheet]:
    """The figures for which there are values."""
    made = [sheet for each in metrics for sheet in of_metric(results, each)]
    return [*made[:MOST_FIGURES], *list(of_delays(results))[:MOST_DETAILS], *list(of_series(results))[:MOST_DETAILS]]


@dataclass(frozen=True, slots=True)
class Axis:
    """One axis of a sweep: its paths, its name, its label in a figure, and the place of each step.

    A step is the tuple of the values of all paths. Its name is the value of the first path whose values all differ,
    else all values. Quantities of one unit are numbers, with the unit in the label; other texts are side by side.
    """

    paths: tuple[str, ...]
    name: str
    label: str
    places: Mapping[tuple[Any, ...], Any]
    words: Mapping[tuple[Any, ...], str]


def axes_of(results: Results) -> list[Axis]:
    """The axes with more than one value, the one with the most first."""
    wording = Wording.of(results)
    names = wording.names
    axes = []
    for table in results.about["details"]["sweep"]["axis"]:
        paths = tuple(sorted(table))
        steps = results.plan.select(paths).unique(maintain_order=True).rows()
        spoken = [tuple(wording.words[path][value] for path, value in zip(paths, step, strict=True)) for step in steps]
        telling = [place for place in range(len(paths)) if len({step[place] for step in steps}) == len(steps)]
        if telling:
            name = names[paths[telling[0]]]
            values = [step[telling[0]] for step in spoken]
        else:
            name = ", ".join(names[path] for path in paths)
            values = [", ".join(map(str, step)) for step in spoken]
        label, places = scale(name, values)
        by_step = dict(zip(steps, values, strict=True))
        axes.append(
            Axis(
                paths,
                name,
                label,
                {step: places[value] for step, value in by_step.items()},
                {step: str(value) for step, value in by_step.items()},
            )
        )
    varied = [axis for axis in axes if len(axis.places) > 1] or axes[:1]
    return sorted(varied, key=lambda axis: -len(axis.places))


def scale(name: str, values: Sequence[object]) -> tuple[str, Mapping[Any, Any]]:
    """The label of an axis, and the place of each value on it."""
    parts = [QUANTITY.fullmatch(value) if isinstance(value, str) else None for value in values]
    units = {part[2] for part in parts if part}
    if all(parts) and len(units) == 1:
        return f"{name} ({units.pop()})", {
            value: float(part[1]) for value, part in zip(values, parts, strict=True) if part
        }
    return name, {value: value for value in values}


def of_metric(results: Results, each: Metric) -> Iterator[Sheet]:
    """A metric against the first axis, a curve for each value of the second, a figure for each of the others.

    With two axes or more, also a heat map of the first two.
    """
    first, *others = axes_of(results)
    found = samples_of(results, each, [first, *others])
    groups = list(dict.fromkeys(of for of, _ in found))
    rest = others[1:]
    for number, setting in enumerate(product(*(axis.places for axis in rest))):
        at = phrases({axis.name: axis.words[step] for axis, step in zip(rest, setting, strict=True)})
        title = f"{each.label}{f' at {at}' if at else ''}"
        name = f"{each}-{number + 1}"
        chosen = {(of, *key[:2]): own for (of, key), own in found.items() if key[2:] == setting}
        if not others:
            whole = f"{groups[0]}: {title}" if len(groups) == 1 else title
            curves = [curve(of, {first.places[x]: chosen[of, x] for of_, x in chosen if of_ == of}) for of in groups]
            for part in range(0, len(curves), MOST_CURVES):
                shown = curves[part : part + MOST_CURVES]
                told_part = part_of(part, len(curves))
                yield against(
                    file_name(name, part), f"{whole}{told_part}", shown, x_label=first.label, y_label=each.label
                )
            continue
        second = others[0]
        for of in groups:
            curves = [
                curve(
                    f"{second.name} = {second.words[y]}",
                    {first.places[x]: chosen[of, x, y] for x in first.places if (of, x, y) in chosen},
                )
                for y in second.places
            ]
            if len(curves) <= MOST_CURVES:
                yield against(file_name(name, of), f"{of}: {title}", curves, x_label=first.label, y_label=each.label)
            cells = {
                (first.places[x], second.places[y]): dict(enumerate(own.linear))
                for (group, x, y), own in chosen.items()
                if group == of
            }
            yield heat_map(
                file_name(name, of, "map"),
                f"{of}: {title}, as a map",
                cells,
                x_label=first.label,
                y_label=second.label,
                quantity=each.label,
            )


def curve(label: str, samples: Mapping[Any, Sample]) -> Curve:
    """A curve of the estimates at each x."""
    points = {x: dict(enumerate(own.linear)) for x, own in samples.items()}
    return Curve(label, points, estimates={x: own.estimate() for x, own in samples.items()})


def samples_of(results: Results, each: Metric, axes: Sequence[Axis]) -> dict[tuple[str, tuple[Any, ...]], Sample]:
    """The values of a metric by group or port and values of the axes."""
    rows = each.values(results)
    found: dict[tuple[str, tuple[Any, ...]], Sample] = {}
    if not rows.height:
        return found
    settings = {
        row["point"]: tuple(tuple(row[path] for path in axis.paths) for axis in axes)
        for row in results.plan.unique("point", maintain_order=True).iter_rows(named=True)
    }
    for (point, of), part in rows.drop_nulls("value").group_by(["point", "of"], maintain_order=True):
        found[str(of), settings[point]] = sample(each.kind, part)
    return found


def of_delays(results: Results) -> Iterator[Sheet]:
    """The tails of the delays of each group, seven points a figure."""
    import polars as pl

    rows = results.table("distributions")
    if not rows.height:
        return
    wording = Wording.of(results)
    counted = rows.filter(pl.col("count") > 0)
    summed = counted.group_by("group", "point", *results.parameters, "delay_s", maintain_order=True).agg(
        pl.sum("count")
    )
    for (of,), part in summed.group_by("group", maintain_order=True):
        points = [own for _, own in part.group_by("point", maintain_order=True)]
        for start in range(0, len(points), MOST_CURVES):
            curves = [
                Tail(
                    wording.setting(own.row(0, named=True)),
                    dict(zip(own["delay_s"].to_list(), own["count"].to_list(), strict=True)),
                )
                for own in points[start : start + MOST_CURVES]
            ]
            yield tails(
                file_name("delays", of, start),
                f"Delays of {of}{part_of(start, len(points))}",
                curves,
                x_label="delay (s)",
                y_label="share of PDUs above",
                caption="All replications together; the delays are those of a histogram, within 0.8 %.",
            )


def of_series(results: Results) -> Iterator[Sheet]:
    """Readings of the first run of each point: one panel for each of the `READINGS`."""
    rows = results.table("series")
    if not rows.height:
        return
    wording = Wording.of(results)
    for (point,), part in rows.group_by("point", maintain_order=True):
        first = part.filter(run=part["run"][0])
        panels = []
        for kind, quantities in READINGS.items():
            own = first.filter(first["quantity"].str.contains(f"^{quantities}"))
            traces = [
                Trace(f"{component} {quantity}", readings["time_s"].to_list(), readings["value"].to_list())
                for (component, quantity), readings in own.group_by(["component", "quantity"], maintain_order=True)
                if not str(component).startswith("access/")
            ]
            if traces:
                panels.append(Panel("", kind, traces=traces[:MOST_CURVES]))
        if panels:
            setting = wording.setting(first.row(0, named=True))
            yield shared_traces(file_name("traces", point), f"Queues and rates over time: {setting}", panels)


def part_of(first: int, count: int) -> str:
    """The number of one of several figures of the same quantity, which starts with that curve; none if it is alone."""
    parts = -(-count // MOST_CURVES)
    return f", part {first // MOST_CURVES + 1} of {parts}" if parts > 1 else ""


def file_name(*parts: object) -> str:
    """A valid file name."""
    return "-".join(re.sub(r"[^A-Za-z0-9_.]+", "-", str(part)) for part in parts)
