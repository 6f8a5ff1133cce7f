"""Max-min fair rates by water filling: Bertsekas and Gallager, Data Networks (1992), section 6.5.2."""

import math
from collections.abc import Collection, Mapping


def max_min(
    capacities: Mapping[str, float],
    routes: Mapping[str, Collection[str]],
    *,
    weights: Mapping[str, float] | None = None,
    demands: Mapping[str, float] | None = None,
) -> dict[str, float]:
    """Rate of each flow over the links of its route; in proportion to its weight (1), up to its demand (no limit).

    All rates grow together until a link is full or a demand met; those flows stop, the others continue.
    """
    weight = dict.fromkeys(routes, 1.0) | dict(weights or {})
    demand = dict.fromkeys(routes, math.inf) | dict(demands or {})
    left = dict(capacities)
    growing = dict(routes)
    rates: dict[str, float] = {}
    while growing:
        users = {link: [flow for flow, route in growing.items() if link in route] for link in left}
        levels = {link: left[link] / sum(weight[flow] for flow in flows) for link, flows in users.items() if flows}
        level, link = min(((level, link) for link, level in levels.items()), default=(math.inf, ""))
        limited = {flow for flow in growing if demand[flow] <= level * weight[flow]}
        for flow in limited or users[link]:
            rates[flow] = demand[flow] if limited else level * weight[flow]
            for crossed in growing.pop(flow):
                left[crossed] -= rates[flow]
    return {flow: rates[flow] for flow in routes}
