"""Max-min fair rates by water filling: Bertsekas and Gallager, Data Networks (1992), section 6.5.2.

With guaranteed minimum rates (MCR), ATM Forum TM 4.0, appendix I.3, has two definitions: "MCR plus equal share" and
"maximum of MCR or max-min share".
"""

from __future__ import annotations

import math
from collections.abc import Collection, Iterable, Mapping
from typing import Literal

Mcr = Literal["plus", "floor"]
"""How a line is shared among flows with minimum rates."""


def max_min(
    capacities: Mapping[str, float],
    routes: Mapping[str, Collection[str]],
    *,
    weights: Mapping[str, float] | None = None,
    demands: Mapping[str, float] | None = None,
    minima: Mapping[str, float] | None = None,
    mcr: Mcr = "plus",
) -> dict[str, float]:
    """Rate of each flow over the links of its route; in proportion to its weight (1), up to its demand (no limit).

    All rates grow together until a link is full or a demand met; those flows stop, the others continue.

    Flows have their minimum rates (0) from the start. With ``"plus"`` all grow from there: a rate is the minimum plus a
    share of what the minima leave. With ``"floor"`` a flow grows once the common level has reached its minimum: a rate
    is the larger of minimum and share. A minimum above the demand counts as the demand. All rates are in one unit.

    Raises :class:`ValueError` if the minima of the flows over a link need more than its capacity.
    """
    weight = dict.fromkeys(routes, 1.0) | dict(weights or {})
    demand = dict.fromkeys(routes, math.inf) | dict(demands or {})
    minimum = {flow: min(demand[flow], (minima or {}).get(flow, 0.0)) for flow in routes}
    _check_minima(capacities, routes, minimum)
    reserved = minimum if mcr == "plus" else dict.fromkeys(routes, 0.0)
    left = {
        link: capacities[link] - sum(reserved[flow] for flow in users) for link, users in _users(capacities, routes)
    }
    growing = dict(routes)
    shares: dict[str, float] = {}
    while growing:
        levels = {
            link: _level(left[link], [(weight[flow], minimum[flow] - reserved[flow]) for flow in users])
            for link, users in _users(capacities, growing)
            if users
        }
        level, full = min(((level, link) for link, level in levels.items()), default=(math.inf, ""))
        limited = {flow for flow in growing if demand[flow] - reserved[flow] <= level * weight[flow]}
        for flow in limited or {flow for flow, route in growing.items() if full in route}:
            share = demand[flow] - reserved[flow] if limited else level * weight[flow]
            shares[flow] = max(share, minimum[flow] - reserved[flow])
            for crossed in growing.pop(flow):
                left[crossed] -= shares[flow]
    return {flow: reserved[flow] + shares[flow] for flow in routes}


def _users(links: Iterable[str], routes: Mapping[str, Collection[str]]) -> list[tuple[str, list[str]]]:
    return [(link, [flow for flow, route in routes.items() if link in route]) for link in links]


def _level(capacity: float, flows: Collection[tuple[float, float]]) -> float:
    """The level at which the flows, each with its weight, fill the capacity: the sum of max(floor, weight x level)."""
    level = capacity / sum(weight for weight, _ in flows)
    while True:
        growing = [weight for weight, floor in flows if floor <= weight * level]
        rest = capacity - sum(floor for weight, floor in flows if floor > weight * level)
        # Floors above the level lower it for the others, until no more of them are above it.
        if not growing or rest / sum(growing) >= level:
            return level
        level = rest / sum(growing)


def _check_minima(
    capacities: Mapping[str, float], routes: Mapping[str, Collection[str]], minimum: Mapping[str, float]
) -> None:
    for link, users in _users(capacities, routes):
        needed = math.fsum(minimum[flow] for flow in users)
        if needed > capacities[link] * (1 + 1e-12):
            raise ValueError(
                f"the minimum rates over link {link!r} add up to {needed:g}, above its capacity of {capacities[link]:g}"
            )
