"""The readings of one run by component: what is read, in which unit, and of which flows and ports."""

from __future__ import annotations

import re
from bisect import bisect_left, bisect_right
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from penstock.core.findings import Reading
from penstock.core.scenario import Scenario

if TYPE_CHECKING:
    from penstock.api.run import Result

RATE, PDUS, NUMBER = "b/s", "PDUs", ""
"""Units as readings declare them."""
OF_EVERY_PORT = re.compile(r"queue_(\d+|bits)|throughput_\d+|utilisation|notices")
"""Readings of a port that are not drawn as those of a scheme: notices have their own panel."""
COUNTERS = {"received", "forward_rm_cells", "unack", "cuts", "outstanding", "waiting"}
"""Readings of a flow that are not drawn: the bookkeeping of a protocol."""

Times = tuple[Sequence[float], Sequence[float]]


@dataclass(frozen=True, slots=True)
class Readings:
    """The readings of one run.

    Attributes:
        values: times and values by component and quantity.
        kinds: the declared unit and range of each.
        lines: the rate of each line, bits per second, by its port.
        routes: for each group the ports of its path, without access lines; empty if it has several paths.
        shares: for each group the rate at each level, as a share of its own line.
        sizes: the number of flows of each group.
        scheme: the port whose scheme's readings say most: of those that have any, the one with the longest queue.
    """

    values: Mapping[tuple[str, str], Times]
    kinds: Mapping[tuple[str, str], Reading]
    lines: Mapping[str, float]
    routes: Mapping[str, Sequence[str]]
    shares: Mapping[str, Sequence[float]]
    sizes: Mapping[str, int]
    scheme: str | None = None

    @classmethod
    def of(cls, result: Result) -> Readings:
        """Those of the first replication of a result."""
        number = result.groups["replication"].min()
        first = {name: table.filter(replication=number) for name, table in result.tables().items()}
        parts = first["series"].partition_by("component", "quantity", as_dict=True, maintain_order=True)
        values = {
            (str(key[0]), str(key[1])): (part["time_s"].to_list(), part["value"].to_list())
            for key, part in parts.items()
        }
        ports = first["ports"].to_dicts()
        joined = {(port["from"], port["to"]): str(port["port"]) for port in ports}
        scenario = Scenario.of(result.manifest["scenario"]).expanded()
        flows: Mapping[str, Any] = scenario.tree["flow"]
        routes = {}
        for name, flow in flows.items():
            hops = zip(flow.get("path", ()), flow.get("path", ())[1:], strict=False)
            routes[name] = [joined[hop] for hop in hops if hop in joined]
        shares: dict[str, list[float]] = {}
        for row in first["levels"].sort("level").iter_rows(named=True) if "levels" in first else ():
            if row["rate_share"] is not None:
                shares.setdefault(row["group"], []).append(row["rate_share"])
        lines = {str(port["port"]): float(port["rate_bps"]) for port in ports}
        # A line whose rate changes has this reading, too; a scenario names only what it reads from the start.
        kinds = {key: Reading(*key, RATE, None) for key in values if key[1] == "rate"}
        kinds |= {(each.component, each.quantity): each for each in scenario.readings()}
        sizes = {name: int(flow["count"]) for name, flow in flows.items()}
        found = cls(values, kinds, lines, routes, shares, sizes)
        controlled = [port for port in lines if found.of_scheme(port)]
        return replace(found, scheme=max(controlled, key=found.longest, default=None))

    def last(self, count: int) -> Readings:
        """The last `count` readings of each quantity."""
        return replace(self, values={key: (x[-count:], y[-count:]) for key, (x, y) in self.values.items()})

    def between(self, low_s: float, high_s: float) -> Readings:
        """The readings from one time to another, both included."""
        values = {}
        for key, (times, own) in self.values.items():
            part = slice(bisect_left(times, low_s), bisect_right(times, high_s))
            values[key] = (times[part], own[part])
        return replace(self, values={key: each for key, each in values.items() if each[0]})

    def span(self) -> tuple[float, float]:
        """The times of the first and the last reading, in seconds; raises ``ValueError`` without readings."""
        ends = [(times[0], times[-1]) for times, _ in self.values.values() if times]
        return min(low for low, _ in ends), max(high for _, high in ends)

    def length(self) -> int:
        """The number of readings of a quantity."""
        return max((len(times) for times, _ in self.values.values()), default=0)

    def quantities(self, component: str) -> list[str]:
        """The quantities that were read of a flow or a port."""
        return [quantity for each, quantity in self.values if each == component]

    def of_scheme(self, port: str) -> list[str]:
        """The quantities of a port that its scheme reads."""
        return [each for each in self.quantities(port) if not OF_EVERY_PORT.fullmatch(each)]

    def of_sources(self) -> list[str]:
        """The quantities of sources that are drawn."""
        sources = {component for component, quantity in self.values if quantity == "received"}
        found = dict.fromkeys(quantity for component, quantity in self.values if component in sources)
        return [quantity for quantity in found if quantity not in COUNTERS]

    def flows(self, quantity: str) -> list[str]:
        """The flows of which a quantity was read, the most active first: those that received most."""
        found = [each for each, own in self.values if own == quantity and (each, "received") in self.values]
        return sorted(found, key=lambda flow: -self.values[flow, "received"][1][-1])

    def has_all(self, flows: Sequence[str]) -> bool:
        """Whether these are all flows of their groups."""
        return len(flows) == sum(self.sizes[group] for group in {group_of(flow) for flow in flows})

    def rate(self, flow: str, quantity: str) -> Times:
        """A rate of a flow in bits per second: as it was read, or that of its level."""
        times, values = self.values[flow, quantity]
        if quantity != "level":
            return times, values
        group = group_of(flow)
        own = self.lines.get(f"access/{flow}") or self.lines[self.routes[group][0]]
        return times, [own * self.shares[group][round(level)] for level in values]

    def bottleneck(self, flows: Sequence[str]) -> str | None:
        """The slowest line on the path of each of these flows: of several such lines the one with the longest queue.

        None if there is none that all cross, or if the rate of a line on the way changes.
        """
        crossed = {port for flow in flows for port in self.routes[group_of(flow)]}
        if any((port, "rate") in self.values for port in crossed):
            return None
        slowest = []
        for group in {group_of(flow) for flow in flows}:
            least = min((self.lines[port] for port in self.routes[group]), default=0.0)
            slowest.append({port for port in self.routes[group] if self.lines[port] == least})
        return max(sorted(set.intersection(*slowest)), key=self.longest, default=None)

    def longest(self, port: str) -> float:
        """The longest queue of a port that was read, in PDUs."""
        queues = [each for each in self.quantities(port) if each.startswith("queue_") and each != "queue_bits"]
        return max((max(self.values[port, queue][1]) for queue in queues), default=0.0)


def group_of(flow: str) -> str:
    """The group of a flow: ``video`` of ``video/3``."""
    return flow.partition("/")[0]
