"""The max-min fair rates of a run's flows, if its traffic has any: sources that always send, and constant ones.

Each line, including access lines, is shared by water filling (:func:`penstock.truth.fairness.max_min`); constant
sources demand their rate, greedy ones have no limit. The shares are of whole lines: a scheme with a target of part of a
line should give that part of each share.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any

from penstock.core.scenario import Scenario
from penstock.truth.fairness import max_min

if TYPE_CHECKING:
    from penstock.api.run import Result

CONSTANT = {"cbr", "silent"}


def fair_shares(result: Result) -> dict[str, float]:
    """The max-min fair rate of one flow of each group, bits per second.

    Empty unless some flow is greedy and under control, and every other is greedy, silent or of a constant rate.
    """
    flows: Mapping[str, Any] = Scenario.of(result.manifest["scenario"]).expanded().tree["flow"]
    traffic = {name: next(iter(flow["traffic"])) for name, flow in flows.items()}
    controlled = [name for name, flow in flows.items() if is_controlled(flow)]
    if not set(traffic.values()) <= {"greedy", *CONSTANT} or not any(traffic[name] == "greedy" for name in controlled):
        return {}
    ports = result.ports.filter(replication=result.ports["replication"].min()).to_dicts()
    rates = {port["port"]: float(port["rate_bps"]) for port in ports}
    joined = {(port["from"], port["to"]): str(port["port"]) for port in ports}
    nominal = dict(result.groups.select("group", "nominal_bps").iter_rows())
    routes, demands = {}, {}
    for name, flow in flows.items():
        count = int(flow["count"])
        for number in range(1, count + 1):
            one = name if count == 1 else f"{name}/{number}"
            lines = [joined[hop] for hop in zip(flow["path"], flow["path"][1:], strict=False)]
            routes[one] = [line for line in (f"access/{one}", *lines) if line in rates]
            if traffic[name] in CONSTANT:
                demands[one] = nominal[name] / count
    shares = max_min(rates, routes, demands=demands)
    return {name: shares[name if flow["count"] == 1 else f"{name}/1"] for name, flow in flows.items()}


def is_controlled(flow: Mapping[str, Any]) -> bool:
    """Whether the sources of a group have a reaction point that controls them."""
    return "uncontrolled" not in flow.get("reaction_point", {"uncontrolled": {}})
