"""The panels of a run against time: queues, what the scheme reads at its port, notices, and the most active sources."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from penstock.plot import Panel, Trace
from penstock.show.readings import NUMBER, PDUS, RATE, Readings, Times

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario

BITS = "queue_bits"
QUEUE = re.compile(r"queue_(\d+|bits)")
CELL_OCTETS = 53
MOST_PORTS, MOST_SOURCES = 4, 6
LEAST_PART = 0.1
"""A queue is drawn if its maximum is at least this part of the greatest."""
NOTICE_PARTS = 400
"""The most intervals in which notices are counted: more would be a block of ink."""
WORDS = {"active": "active flows", "acr": "ACR", "ers": "ERS", "macr": "MACR"}


def panels_of(scenario: Scenario, readings: Readings) -> list[Panel]:
    """All panels that have something to show."""
    scenario = scenario.expanded()
    return [
        *queue_panels(scenario, readings),
        *scheme_panels(scenario, readings),
        *notice_panels(readings),
        *source_panels(readings, pdus(scenario)),
    ]


def pdus(scenario: Scenario) -> str:
    """The name of the PDUs of a scenario: cells, if all of them are cells."""
    flows = scenario.expanded().tree["flow"].values()
    are_cells = all(flow["octets"] == CELL_OCTETS and flow.get("transport") is None for flow in flows)
    return "cells" if are_cells else "PDUs"


def queue_panels(scenario: Scenario, readings: Readings) -> list[Panel]:
    """The fullest queues: in bits those whose bits are counted, in PDUs the others and each queue of several.

    The latter with the threshold of the congestion point if there is one port. A queue that never holds two PDUs is
    not drawn if there are other readings.
    """
    queues = {key: value for key, value in readings.values.items() if QUEUE.fullmatch(key[1])}
    in_bits = {port for port, quantity in queues if quantity == BITS}
    several = {port for port, quantity in queues if quantity not in ("queue_0", BITS)}
    panels = []
    if shown := busiest({key: value for key, value in queues.items() if key[1] == BITS}, 0.0):
        traces = [Trace(port, times, [bits / 1e3 for bits in values]) for (port, _), (times, values) in shown.items()]
        panels.append(Panel("", "queue (kbit)", traces=traces))
    own = {key: value for key, value in queues.items() if key[1] != BITS and key[0] not in in_bits - several}
    if shown := busiest(own, 1.0):
        traces = [Trace(f"{port}, {queue}" if port in several else port, *shown[port, queue]) for port, queue in shown]
        ports = {port for port, _ in shown}
        level = threshold(scenario.tree, *ports) if len(ports) == 1 else None
        label = f"queue ({pdus(scenario)})"
        panels.append(Panel("", label, traces=traces, level=level, level_label="threshold" if level else ""))
    return panels


def busiest(queues: Mapping[tuple[str, str], Times], least: float) -> Mapping[tuple[str, str], Times]:
    """The few queues with the highest maximum, which is more than `least`, and not much lower than the greatest."""
    highest = {key: max(values) for key, (_, values) in queues.items()}
    limit = max(least, LEAST_PART * max(highest.values(), default=0.0))
    busy = sorted((key for key in queues if highest[key] > limit), key=lambda key: -highest[key])[:MOST_PORTS]
    return {key: queues[key] for key in queues if key in busy}


def threshold(tree: Mapping[str, Any], port: str) -> float | None:
    """The queue length above which a port's congestion point acts, if it is in cells."""
    line = tree["line"].get(port, {})
    for parameters in line.get("congestion_point", {}).values():
        found = re.fullmatch(r"([0-9]+) (?:cells?|PDUs?)", str(parameters.get("threshold", "")))
        if found:
            return float(found[1])
    return None


def scheme_panels(scenario: Scenario, readings: Readings) -> list[Panel]:
    """What the scheme reads at its port with the longest queue: all rates together, and a panel for each other kind."""
    port = readings.scheme
    if port is None:
        return []
    kinds: dict[tuple[str, str], list[Trace]] = {}
    for quantity in readings.of_scheme(port):
        unit = readings.kinds[port, quantity].unit
        times, values = readings.values[port, quantity]
        if any(values):
            scaled = [value / 1e6 for value in values] if unit == RATE else values
            family = "rates" if unit == RATE else quantity.partition(".")[0]
            kinds.setdefault((unit, family), []).append(Trace(readable_name(quantity), times, scaled))
    units = {RATE: " (Mb/s)", PDUS: f" ({pdus(scenario)})", NUMBER: ""}
    panels = []
    for (unit, family), traces in kinds.items():
        label = f"{readable_name(family)} at {port}{units.get(unit, f' ({unit})')}"
        panels.append(Panel("", label, traces=traces, **mark(scenario, readings, unit)))
    return panels


def readable_name(quantity: str) -> str:
    """The name of a quantity in words."""
    return WORDS.get(quantity) or quantity.removeprefix("filtered.").replace("_", " ")


def mark(scenario: Scenario, readings: Readings, unit: str) -> dict[str, Any]:
    """The line of reference of a panel of the scheme: the rate of its line, or the share that triggers notices."""
    port = str(readings.scheme)
    if unit == RATE and (port, "rate") not in readings.values:  # a rate that changes is one of the traces
        return {"level": readings.lines[port] / 1e6, "level_label": "the line"}
    for parameters in scenario.tree["line"].get(port, {}).get("congestion_point", {}).values():
        if unit == NUMBER and "trigger" in parameters:
            return {"level": float(parameters["trigger"]), "level_label": "trigger"}
    return {}


def notice_panels(readings: Readings) -> list[Panel]:
    """Notices of each port, counted in intervals long enough to see them apart."""
    traces = []
    interval_s = 0.0
    for (port, quantity), (times, values) in readings.values.items():
        if quantity == "notices" and values[-1] > values[0] and len(times) > 1:
            step = max(1, len(times) // NOTICE_PARTS)
            ends, counts = times[::step], values[::step]
            traces.append(Trace(port, ends[1:], [after - before for before, after in pairwise(counts)]))
            interval_s = ends[1] - ends[0]
    if not traces:
        return []
    return [Panel("", f"notices in {span(interval_s)}", traces=traces[:MOST_PORTS])]


def span(length_s: float) -> str:
    """A length of time in a suitable unit."""
    unit, size = next(((unit, size) for unit, size in (("s", 1.0), ("ms", 1e-3)) if length_s >= size), ("us", 1e-6))
    return f"{length_s / size:.4g} {unit}"


def source_panels(readings: Readings, unit: str) -> list[Panel]:
    """The most active sources: their rates, factors, credits or windows (in PDUs, called `unit`)."""
    panels = []
    for state in states_drawn(readings):
        flows = readings.flows(state)
        own = {flow: readings.values[flow, state] for flow in flows}
        declared = readings.kinds[flows[0], state].unit
        has_rates = state == "level" and all(flow.partition("/")[0] in readings.shares for flow in flows)
        if declared == RATE or has_rates:
            panels += rate_panels(readings, state, flows)
        else:
            panels.append(
                panel_of(f"{readable_name(state)} ({unit})" if declared == PDUS else readable_name(state), flows, own)
            )
    return panels


def states_drawn(readings: Readings) -> list[str]:
    """The quantities of sources that have panels: all, but a window that is always what the receiver advertises."""

    def is_all_credit(state: str) -> bool:
        own = ((readings.values[flow, state], readings.values.get((flow, "credit"))) for flow in readings.flows(state))
        return state == "window" and all(values == credit for values, credit in own)

    return [state for state in readings.of_sources() if not is_all_credit(state)]


def rate_panels(readings: Readings, state: str, flows: Sequence[str]) -> list[Panel]:
    """The rates of sources: in per cent of their bottleneck with their sum, or in Mb/s if it has no one rate."""
    rates = {flow: readings.rate(flow, state) for flow in flows}
    name = "rate" if state == "level" else readable_name(state)
    line = readings.bottleneck(flows)
    if line is None:
        own = {flow: (times, [value / 1e6 for value in values]) for flow, (times, values) in rates.items()}
        return [panel_of(f"{name} (Mb/s)", flows, own)]
    share = 100 / readings.lines[line]
    own = {flow: (times, [value * share for value in values]) for flow, (times, values) in rates.items()}
    panels = [panel_of(f"{name} (% of {line})", flows, own)]
    if len(flows) > 1 and readings.has_all(flows):
        times = own[flows[0]][0]
        total = [sum(each) for each in zip(*(values for _, values in own.values()), strict=True)]
        traces = [Trace(f"sum over {len(flows)} sources", times, total)]
        panels.insert(
            0, Panel("", f"all rates (% of {line})", traces=traces, level=100.0, level_label="the bottleneck")
        )
    return panels


def panel_of(label: str, flows: Sequence[str], values: Mapping[str, Times]) -> Panel:
    """A reading of the most active flows, in the order of their names."""
    shown = sorted(flows[:MOST_SOURCES], key=natural)
    return Panel("", label, traces=[Trace(flow, *values[flow]) for flow in shown])


def natural(name: str) -> list[tuple[int, str]]:
    """A key that sorts ``video/10`` after ``video/9``."""
    return [(int(part) if part.isdigit() else -1, part) for part in re.split(r"(\d+)", name)]
