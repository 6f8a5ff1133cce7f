"""The max-min fair rates of a run's flows, if its traffic has any: sources that always send, and constant ones.

Each line, including access lines, is shared by water filling (:func:`penstock.truth.fairness.max_min`); constant
sources demand their rate, greedy ones have no limit. The shares are of whole lines: a scheme with a target of part of a
line should give that part of each share. Minimum rates (MCR) count as the congestion points treat them.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.core.scenario import Scenario
from penstock.core.units import bits_per_second
from penstock.truth.fairness import Mcr, max_min

if TYPE_CHECKING:
    from penstock.api.run import Result

CONSTANT = {"cbr", "silent"}


def fair_shares(result: Result) -> dict[str, float]:
    """The max-min fair rate of one flow of each group, bits per second.

    Empty unless some flow is greedy and under control, and every other is greedy, silent or of a constant rate. Also
    empty if a group has no written path, if lines share a capacity, or if the congestion points have different rules
    for minimum rates.
    """
    scenario = Scenario.of(result.manifest["scenario"]).expanded().tree
    flows: Mapping[str, Any] = scenario["flow"]
    traffic = {name: next(iter(flow["traffic"])) for name, flow in flows.items()}
    controlled = [name for name, flow in flows.items() if is_controlled(flow)]
    if not set(traffic.values()) <= {"greedy", *CONSTANT} or not any(traffic[name] == "greedy" for name in controlled):
        return {}
    if "capacity" in scenario:  # rates of lines change
        return {}
    if any("path" not in flow for flow in flows.values()):  # the engine chooses the paths
        return {}
    ports = result.ports.filter(replication=result.ports["replication"].min()).to_dicts()
    rates = {port["port"]: float(port["rate_bps"]) for port in ports}
    joined = {(port["from"], port["to"]): str(port["port"]) for port in ports}
    nominal = dict(result.groups.select("group", "nominal_bps").iter_rows())
    rules = _rules(scenario)
    if len(rules) > 1:
        return {}
    routes, demands, minima = {}, {}, {}
    for name, flow in flows.items():
        count = int(flow["count"])
        for number in range(1, count + 1):
            one = name if count == 1 else f"{name}/{number}"
            lines = [joined[hop] for hop in zip(flow["path"], flow["path"][1:], strict=False)]
            routes[one] = [line for line in (f"access/{one}", *lines) if line in rates]
            if traffic[name] in CONSTANT:
                demands[one] = nominal[name] / count
            if rules:
                minima[one] = _minimum(flow.get("reaction_point", {"uncontrolled": {}}), rates[routes[one][0]])
    shares = max_min(rates, routes, demands=demands, minima=minima, mcr=rules[0] if rules else "plus")
    return {name: shares[name if flow["count"] == 1 else f"{name}/1"] for name, flow in flows.items()}


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
    peak = min(bits_per_second(given.get("pcr", "inf b/s")), first_line)
    absent = f"{peak / 1000} b/s" if keyword == "eprca" else "0 b/s"
    return min(bits_per_second(given.get("mcr", given.get("minimum", absent))), peak)
