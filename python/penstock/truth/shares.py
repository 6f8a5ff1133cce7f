"""The max-min fair rates of a run's flows, if its traffic has any: sources that always send, and constant ones.

Each line, including access lines, is shared by water filling (:func:`penstock.truth.fairness.max_min`); constant
sources demand their rate, greedy ones have no limit. The shares are of whole lines: a scheme with a target of part of a
line should give that part of each share. Minimum rates (MCR) count as the congestion points treat them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from penstock.core.scenario import Scenario
from penstock.core.units import bits_per_second, seconds
from penstock.truth.fairness import Mcr, max_min

if TYPE_CHECKING:
    from penstock.api.run import Result

CONSTANT = {"cbr", "silent"}


def fair_shares(result: Result) -> dict[str, float]:
    """The max-min fair rate of one flow of each group, bits per second.

    Empty unless some flow is greedy and under control, and every other is greedy, silent or of a constant rate. Also
    empty if a group has no written path, if the tables have no access lines (``measure.flows``), if lines share a
    capacity or parameters change, for a simulation that stopped, or if the congestion points have different rules for
    minimum rates.
    """
    scenario = Scenario.of(result.manifest["scenario"]).expanded().tree
    flows: Mapping[str, Any] = scenario["flow"]
    traffic = {name: next(iter(flow["traffic"])) for name, flow in flows.items()}
    controlled = [name for name, flow in flows.items() if is_controlled(flow)]
    if not set(traffic.values()) <= {"greedy", *CONSTANT} or not any(traffic[name] == "greedy" for name in controlled):
        return {}
    if any(scenario.get(key) for key in ("capacity", "change")):  # rates of lines may change
        return {}
    if "stopped" in result.manifest:  # the flows may not have reached their rates
        return {}
    if any("path" not in flow for flow in flows.values()):  # the engine chooses the paths
        return {}
    if not scenario["measure"]["flows"] and any("access" in flow for flow in flows.values()):
        return {}
    ports = result.ports.filter(replication=result.ports["replication"].min()).to_dicts()
    lines = Lines.of(ports)
    nominal = dict(result.groups.select("group", "nominal_bps").iter_rows())
    rules = _rules(scenario)
    if len(rules) > 1:
        return {}
    demands, minima = {}, {}
    for name, flow in flows.items():
        for one in members(name, flow["count"]):
            if traffic[name] in CONSTANT:
                demands[one] = nominal[name] / flow["count"]
            if rules:
                first = lines.rates[lines.route(one, flow)[0]]
                minima[one] = _minimum(flow.get("reaction_point", {"uncontrolled": {}}), first)
    shares = lines.shared(flows, demands, minima, rules[0] if rules else "plus")
    return {name: shares[members(name, flow["count"])[0]] for name, flow in flows.items()}


def greedy_shares(scenario: Scenario) -> dict[str, float]:
    """The max-min fair rate of each greedy flow by its name, bits per second, whatever controls it.

    Every other flow demands the long-run mean rate of its traffic; minimum rates do not count. Empty if no flow is
    greedy, if a group has no written path, or if the mean rate of another flow is unknown or follows control.
    """
    import polars as pl

    flows: Mapping[str, Any] = scenario.expanded().tree["flow"]
    if any("path" not in flow for flow in flows.values()):
        return {}
    tables = scenario.blank_tables()
    nominal = dict(pl.DataFrame(tables["groups"]).select("group", "nominal_bps").iter_rows())
    greedy = {name for name, flow in flows.items() if "greedy" in flow["traffic"]}
    others = {name: flow for name, flow in flows.items() if name not in greedy}
    if not greedy or any(nominal[name] is None or is_adaptive(flow) for name, flow in others.items()):
        return {}
    demands = {
        one: nominal[name] / flow["count"] for name, flow in others.items() for one in members(name, flow["count"])
    }
    shares = Lines.of(pl.DataFrame(tables["ports"]).to_dicts()).shared(flows, demands, {}, "plus")
    return {one: shares[one] for name in greedy for one in members(name, flows[name]["count"])}


def is_steady(scenario: Scenario) -> bool:
    """Whether the fair shares never change: every flow is greedy from the start, silent or of a constant rate.

    Changes and series of the scenario may change them, and an outage does.
    """
    tree = scenario.expanded().tree
    if tree.get("change") or any("outage" in line for line in tree["line"].values()):
        return False
    flows = tree["flow"].values()
    kinds = [(kind, given) for flow in flows for kind, given in flow["traffic"].items()]
    return all(kind in CONSTANT or (kind == "greedy" and begins_at_once(given)) for kind, given in kinds)


def begins_at_once(greedy: Mapping[str, Any]) -> bool:
    """Whether all flows of a greedy source send from the start on, but for a random phase, and without a pause."""
    return "pause" not in greedy and all(seconds(greedy.get(key, "0 s")) == 0 for key in ("start", "stagger"))


def members(name: str, count: int) -> list[str]:
    """The names of the flows of a group with a written path."""
    return [name] if count == 1 else [f"{name}/{number}" for number in range(1, count + 1)]


@dataclass(frozen=True, slots=True)
class Lines:
    """The lines of a network: their rates, and the port from a node to the next."""

    rates: Mapping[str, float]
    joined: Mapping[tuple[str, str], str]

    @classmethod
    def of(cls, ports: Iterable[Mapping[str, Any]]) -> Lines:
        """From the rows of the table of ports."""
        rows = list(ports)
        return cls(
            {row["port"]: float(row["rate_bps"]) for row in rows},
            {(row["from"], row["to"]): str(row["port"]) for row in rows},
        )

    def route(self, one: str, flow: Mapping[str, Any]) -> list[str]:
        """The ports on the path of a flow, its access line first."""
        lines = [self.joined[hop] for hop in pairwise(flow["path"])]
        return [line for line in (f"access/{one}", *lines) if line in self.rates]

    def shared(
        self, flows: Mapping[str, Any], demands: Mapping[str, float], minima: Mapping[str, float], mcr: Mcr
    ) -> dict[str, float]:
        """The max-min fair rate of each flow."""
        routes = {one: self.route(one, flow) for name, flow in flows.items() for one in members(name, flow["count"])}
        return max_min(self.rates, routes, demands=demands, minima=minima, mcr=mcr)


def is_adaptive(flow: Mapping[str, Any]) -> bool:
    """Whether control changes the rate at which a group sends: a reaction point, or a transport."""
    return is_controlled(flow) or "transport" in flow


def is_controlled(flow: Mapping[str, Any]) -> bool:
    """Whether the sources of a group have a reaction point that controls them."""
    return "uncontrolled" not in flow.get("reaction_point", {"uncontrolled": {}})


def _rules(scenario: Mapping[str, Any]) -> list[Mcr]:
    """How the congestion points share their lines among flows with minimum rates, each rule once."""
    sides = [side for line in scenario["line"].values() for side in (line, line.get("reverse") or {})]
    points = [point for side in sides for point in (side.get("congestion_point") or {}).values()]
    found: list[Mcr] = [point.get("erica", point)["mcr"] for point in points if "mcr" in point.get("erica", point)]
    return sorted(set(found))


def _minimum(reaction_point: Mapping[str, Any], first_line: float) -> float:
    """The minimum rate (MCR) of a source behind a first line of that rate, bits per second."""
    (keyword, given), *_ = reaction_point.items()
    pcr = given.get("pcr", "auto")
    peak = first_line if pcr == "auto" else min(bits_per_second(pcr), first_line)
    minimum = given.get("mcr", given.get("minimum", "0 b/s"))
    if keyword == "eprca" and minimum == "auto":
        return peak / 1000
    return min(bits_per_second(minimum), peak)
