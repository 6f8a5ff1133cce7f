"""One run against time: queues, notices, and the rates or windows of the sources, as figures.

`penstock run --trace` draws them. The whole run shows drift and start-up, the close-up the oscillation.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from penstock.core.errors import InputError
from penstock.plot import Panel, Sheet, Trace, shared_traces

if TYPE_CHECKING:
    import polars as pl

    from penstock.core.scenario import Scenario

READINGS = 20_000
"""Readings of a run whose scenario has no interval: ten for each column of a figure 2,000 points wide."""
CLOSE_UP = 200
"""Readings in the close-up, at the end of a run of ten times as many or more."""
CLOSE_UP_TRANSPORT = 1_000
"""The same with transport connections: a window takes many round trips to oscillate."""
MOST_FLOWS = 20
"""The most flows that are all read, if the scenario sets nothing."""
MOST_PORTS, MOST_SHOWN = 4, 6
STATES = ("level", "factor", "credit", "window")
"""Readings of sources, one panel each. `credit` and `window` belong to transport connections: the credit that the
receiver advertises, and the part of it that the sender uses."""
BITS = "queue_bits"
CELL_OCTETS = 53


def sampled(scenario: Scenario, end_s: float) -> tuple[Scenario, str]:
    """The scenario with readings at an interval that suits a run of `end_s`, and that interval."""
    cell_time = scenario.tree.get("cell_time")
    interval_s = end_s / READINGS
    if cell_time is not None:
        cell_s = seconds(cell_time)
        interval = f"{max(1, round(interval_s / cell_s))} cell times"
    else:
        interval = f"{max(1, round(interval_s * 1e9))} ns"
    flows = sum(flow["count"] for flow in scenario.tree["flow"].values())
    changes: dict[str, object] = {"measure.sample": interval}
    if flows <= MOST_FLOWS:
        changes["measure.sample_flows"] = True
    read = scenario.with_(changes)
    return read, interval if cell_time is not None else read.tree["measure"]["sample"]


def seconds(text: str) -> float:
    """A length of time as the engine writes it."""
    number, unit = text.split()
    return float(number) * {"ps": 1e-12, "ns": 1e-9, "us": 1e-6, "ms": 1e-3, "s": 1.0, "min": 60.0}[unit]


def sheets(scenario: Scenario, seed: int, series: pl.DataFrame, levels: pl.DataFrame | None) -> list[Sheet]:
    """The whole run, and a close-up if there are enough readings. Raises :class:`InputError` without readings.

    `series` is the table of one run; `levels`, if present, has the rate of each level of a group.
    """
    if not series.height:
        raise InputError("the run ended before its first reading", path="measure.sample", remedy="read more often")
    readings = traces_of(series)
    panels = [
        *queue_panels(scenario, readings),
        *notice_panels(readings),
        *source_panels(readings, rates_of(levels), pdus(scenario)),
    ]
    title = scenario.title or scenario.name
    named = f"Seed {seed}. Ports with the longest queues, and the first sources of each group."
    made = [shared_traces("trace", title, panels, caption=f"The whole run. {named}")]
    times = max((times for times, _ in readings.values()), key=len)
    count = CLOSE_UP_TRANSPORT if any(quantity == "credit" for _, quantity in readings) else CLOSE_UP
    if len(times) >= 10 * count:
        close = [cut(panel, times[-count]) for panel in panels]
        caption = f"The last {count:,} readings. {named}"
        made.append(shared_traces("trace-close-up", f"{title}: close-up", close, caption=caption))
    return made


Readings = Mapping[tuple[str, str], tuple[list[float], list[float]]]


def traces_of(series: pl.DataFrame) -> Readings:
    """Times and values of each quantity of each component."""
    parts = series.partition_by("component", "quantity", as_dict=True, maintain_order=True)
    return {
        (str(key[0]), str(key[1])): (part["time_s"].to_list(), part["value"].to_list()) for key, part in parts.items()
    }


def rates_of(levels: pl.DataFrame | None) -> Mapping[str, Sequence[float]]:
    """The rate at each level of each group, as a share of the line; empty without levels."""
    found: dict[str, list[float]] = {}
    for row in levels.sort("level").iter_rows(named=True) if levels is not None and levels.height else ():
        if row["rate_share"] is not None:
            found.setdefault(row["group"], []).append(row["rate_share"])
    return found


def pdus(scenario: Scenario) -> str:
    """The name of the PDUs of a scenario: cells, if all of them are cells."""
    flows = scenario.tree["flow"].values()
    are_cells = all(flow["octets"] == CELL_OCTETS and flow.get("transport") is None for flow in flows)
    return "cells" if are_cells else "PDUs"


def queue_panels(scenario: Scenario, readings: Readings) -> list[Panel]:
    """The fullest queues: in bits those whose bits are counted, in PDUs the others and each queue of several.

    The latter with the threshold of the congestion point if there is one port.
    """
    queues = {key: value for key, value in readings.items() if key[1].startswith("queue_")}
    in_bits = {port for port, quantity in queues if quantity == BITS}
    several = {port for port, quantity in queues if quantity not in ("queue_0", BITS)}
    panels = []
    if shown := busiest({key: value for key, value in queues.items() if key[1] == BITS}):
        traces = [Trace(port, times, [bits / 1e3 for bits in values]) for (port, _), (times, values) in shown.items()]
        panels.append(Panel("", "queue (kbit)", traces=traces))
    own = {key: value for key, value in queues.items() if key[1] != BITS and key[0] not in in_bits - several}
    if shown := busiest(own):
        traces = [Trace(f"{port}, {queue}" if port in several else port, *shown[port, queue]) for port, queue in shown]
        ports = {port for port, _ in shown}
        level = threshold(scenario.tree, *ports) if len(ports) == 1 else None
        label = f"queue ({pdus(scenario)})"
        panels.append(Panel("", label, traces=traces, level=level, level_label="threshold" if level else ""))
    return panels


def busiest(queues: Readings) -> Readings:
    """The few queues with the highest maximum; without those that are always empty, if there are others."""
    busy = sorted(queues, key=lambda key: -max(queues[key][1]))[:MOST_PORTS]
    return {key: queues[key] for key in queues if key in busy and (max(queues[key][1]) > 0 or key == busy[0])}


def threshold(tree: Mapping[str, Any], port: str) -> float | None:
    """The queue length above which a port's congestion point acts, if it is in cells."""
    line = tree["line"].get(port, {})
    for parameters in line.get("congestion_point", {}).values():
        found = re.fullmatch(r"([0-9]+) (?:cells?|PDUs?)", str(parameters.get("threshold", "")))
        if found:
            return float(found[1])
    return None


def notice_panels(readings: Readings) -> list[Panel]:
    """Notices of each port between one reading and the next."""
    traces = []
    interval_s = 0.0
    for (port, quantity), (times, values) in readings.items():
        if quantity == "notices" and values[-1] > 0 and len(times) > 1:
            traces.append(Trace(port, times[1:], [after - before for before, after in pairwise(values)]))
            interval_s = times[1] - times[0]
    if not traces:
        return []
    return [Panel("", f"notices in {span(interval_s)}", traces=traces[:MOST_PORTS])]


def span(length_s: float) -> str:
    """A length of time in a suitable unit."""
    unit, size = next(((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if length_s >= size), ("us", 1e-6))
    return f"{length_s / size:.4g} {unit}"


def source_panels(readings: Readings, rates: Mapping[str, Sequence[float]], unit: str) -> list[Panel]:
    """Rates, levels, factors, credits or windows (in PDUs, called `unit`) of sources.

    Also the sum of the rates if each source of a group was read.
    """
    panels = []
    for state in STATES:
        sources = [component for component, quantity in readings if quantity == state]
        if state == "window" and all(readings[each, state] == readings.get((each, "credit")) for each in sources):
            continue
        if not sources:
            continue
        known = all(source.split("/")[0] in rates for source in sources)
        own = {source: readings[source, state] for source in sources}
        label = f"{state} ({unit})" if state in ("credit", "window") else state
        if known:
            own = {
                source: (times, [100 * rates[source.split("/")[0]][round(value)] for value in values])
                for source, (times, values) in own.items()
            }
            label = "rate (% of the line)"
        if known and len(sources) > len({source.split("/")[0] for source in sources}):
            times = own[sources[0]][0]
            total = [sum(each) for each in zip(*(values for _, values in own.values()), strict=True)]
            panels.append(
                Panel(
                    "",
                    "all rates (% of the line)",
                    traces=[Trace(f"sum over {len(sources)} sources", times, total)],
                    level=100.0,
                    level_label="the line",
                )
            )
        shown = [Trace(source, *own[source]) for source in sources[:MOST_SHOWN]]
        panels.append(Panel("", label, traces=shown))
    return panels


def cut(panel: Panel, first_s: float) -> Panel:
    """A panel from a time on."""
    from bisect import bisect_left
    from dataclasses import replace

    traces = []
    for trace in panel.traces:
        start = bisect_left(trace.x, first_s)
        traces.append(replace(trace, x=trace.x[start:], y=trace.y[start:]))
    return replace(panel, traces=traces)
