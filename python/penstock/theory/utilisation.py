"""Utilisation of lines below capacity: without loss, what is offered is carried.

The utilisation of a port is the sum of the mean rates of its flows over the rate of its line. This needs sources
without control, whose mean rate is known and constant, and no loss before the port.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.theory.scene import Row, is_unlimited
from penstock.truth.shares import members

if TYPE_CHECKING:
    from penstock.theory.scene import Scene

CONDITION = "sources without control, no loss, less offered than the line's rate"


def rows(scene: Scene) -> Iterator[Row]:
    """One row for each port that carries flows, if the whole network has no loss."""
    if not scene.is_open_loop or not all(_is_steady(scene, group) for group in scene.flows):
        return
    offered: dict[str, float] = {}
    for group, flow in scene.flows.items():
        for port in scene.route(group):
            offered[port] = offered.get(port, 0.0) + flow["count"] * (scene.nominal[group] or 0.0)
    if not all(_is_lossless(scene, port) and load < scene.rates[port] for port, load in offered.items()):
        return
    for port, load in offered.items():
        measured = scene.estimate("ports", port, "utilisation")
        if measured is not None and load > 0:
            yield Row("utilisation", port, "utilisation", "=", load / scene.rates[port], measured, CONDITION)


def _is_steady(scene: Scene, group: str) -> bool:
    """Whether the group's mean rate is that of its parameters from the start, and all of it reaches the network."""
    kind, parameters = scene.traffic(group)
    is_steady = {
        "poisson": True,
        "cbr": parameters.get("start", "random") == "random",
        "on_off": "session" not in parameters
        and parameters.get("first") == "phase"
        and parameters.get("start") == "random"
        and all(isinstance(parameters[time], str) for time in ("on", "off")),  # the first is as long as any other
        "two_rate_video": "session" not in parameters,
        "silent": True,
    }.get(kind, False)
    flow = scene.flows[group]
    access = flow.get("access")
    is_wide = access is None or (
        all(map(is_unlimited, access["queues"]))
        and ("rate" not in access or (scene.nominal[group] or 0.0) < _access_rate(scene, group))
    )
    return is_steady and is_wide and not flow.get("policers")


def _access_rate(scene: Scene, group: str) -> float:
    one = members(group, scene.flows[group]["count"])[0]
    return scene.rates.get(f"access/{one}", 0.0)  # without a row, nothing is known about it


def _is_lossless(scene: Scene, port: str) -> bool:
    return all(map(is_unlimited, scene.queues(port)))
