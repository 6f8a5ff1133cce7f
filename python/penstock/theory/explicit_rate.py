"""Max-min shares of greedy flows under a scheme of explicit rates whose fixed point they are.

Charny's scheme, and ERICA with delta 0, give each flow the max-min rate on the target part of each line, once settled.
With another delta, with a minimum rate, and with the other schemes, the rates may differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from penstock.core.units import bits_per_second
from penstock.theory.scene import REVERSE, Row
from penstock.truth.fairness import max_min
from penstock.truth.shares import begins_at_once, members

if TYPE_CHECKING:
    from penstock.theory.scene import Scene

CONDITION = "greedy flows that obey explicit rates of {scheme}, once settled; RM cells included"


def rows(scene: Scene) -> Iterator[Row]:
    """One row for each group, if all flows are such flows and all lines on their paths have one such scheme."""
    if not scene.has_paths or not scene.shows_access_lines or not all(map(_is_greedy, scene.flows.values())):
        return
    used = {port for group in scene.flows for port in scene.route(group)}
    if any(_opposite(port) in used for port in used):  # backward RM cells take a part of it
        return
    targets = {port: _target(scene.port(port)) for port in used}
    schemes = {scheme for scheme, _ in targets.values()}
    if len(schemes) != 1 or "" in schemes or not all(_is_undisturbed(scene, port) for port in used):
        return
    capacities = {port: share * scene.rates[port] for port, (_, share) in targets.items()}
    routes, demands = {}, {}
    for group, flow in scene.flows.items():
        for one in members(group, flow["count"]):
            routes[one] = scene.route(group)
            own = scene.rates.get(f"access/{one}", scene.rates[routes[one][0]])
            demands[one] = min(own, bits_per_second(flow["reaction_point"]["explicit_rate"]["peak"]))
    shares = max_min(capacities, routes, demands=demands)
    for group, flow in scene.flows.items():
        measured = scene.estimate("groups", group, "sent_bps", scale=1 / flow["count"])
        if measured is not None:
            truth = shares[members(group, flow["count"])[0]]
            condition = CONDITION.format(scheme=next(iter(schemes)))
            yield Row("max-min", group, "rate of one flow (b/s)", "=", truth, measured, condition)


def _is_greedy(flow: Mapping[str, Any]) -> bool:
    """Whether a flow always sends, under an explicit rate without a minimum, with nothing else in its way."""
    greedy = flow["traffic"].get("greedy")
    obeys = flow.get("reaction_point", {}).get("explicit_rate")
    return (
        greedy is not None
        and begins_at_once(greedy)
        and obeys is not None
        and bits_per_second(obeys.get("minimum", "0 b/s")) == 0
        and "turn_round" in flow.get("notification_point", {})
        and not ({"transport", "peer", "policers"} & set(flow))
    )


def _target(port: Mapping[str, Any]) -> tuple[str, float]:
    """The scheme of a port and the part of the line's rate that it gives; without a name if its rates may differ."""
    ((scheme, own),) = port.get("congestion_point", {"": {}}).items()
    if scheme == "charny":
        return scheme, own["target"]
    if scheme == "erica" and own["delta"] == 0 and own["max_alloc_previous"]:
        return scheme, own["target"]
    return "", 0.0


def _is_undisturbed(scene: Scene, port: str) -> bool:
    """Whether a port always serves one queue, and no scheme acts on the RM cells that return past it."""
    opposite = scene.port(_opposite(port))
    return "outage" not in scene.line(port) and len(scene.queues(port)) == 1 and "congestion_point" not in opposite


def _opposite(port: str) -> str:
    return port.removesuffix(REVERSE) if port.endswith(REVERSE) else f"{port}{REVERSE}"
