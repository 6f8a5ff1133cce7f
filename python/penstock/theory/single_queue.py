"""One server with Poisson arrivals of PDUs of one size: M/D/1, and M/D/1/K.

The queue of a line is such a server if every flow that uses it is Poisson, of the same size, without control, and
enters the network there without an access line. One that has crossed another line is not Poisson any more.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

from penstock.theory.scene import Row, is_unlimited, places

if TYPE_CHECKING:
    from penstock.theory.scene import Scene

CONDITION = "Poisson arrivals of one size, at one queue"


def rows(scene: Scene) -> Iterator[Row]:
    """The rows of each port that is such a server."""
    if not scene.is_open_loop:
        return
    for port in scene.rates:
        if port.startswith("access/"):
            continue
        groups = scene.crossing(port)
        if not groups or not all(_is_fresh(scene, group, port) for group in groups):
            continue
        if len({scene.flows[group]["octets"] for group in groups}) == 1 and len(scene.queues(port)) == 1:
            yield from _rows_of(scene, port, groups)


def _is_fresh(scene: Scene, group: str, port: str) -> bool:
    """Whether the group's own Poisson arrivals are those at the port."""
    flow = scene.flows[group]
    return scene.traffic(group)[0] == "poisson" and scene.route(group)[0] == port and "access" not in flow


def _rows_of(scene: Scene, port: str, groups: list[str]) -> Iterator[Row]:
    from penstock.truth import md1  # needs SciPy, and few runs need it

    rate = scene.rates[port]
    service = 8 * scene.flows[groups[0]]["octets"] / rate
    load = sum(scene.flows[group]["count"] * (scene.nominal[group] or 0.0) for group in groups) / rate
    (queue,) = scene.queues(port)
    if is_unlimited(queue) and 0 < load < 1:
        present = load * (md1.wait_mean(load) + 1)  # Little's law
        measured = scene.estimate("ports", port, "queue_mean")
        if measured is not None:
            yield Row("M/D/1", port, "mean queue (PDUs)", "=", present, measured, CONDITION)
        fixed = scene.delay(port) + service
        for group in groups:
            delay = scene.estimate("groups", group, "delay_mean_s")
            if scene.route(group) == [port] and delay is not None and not scene.flows[group].get("policers"):
                truth = md1.wait_mean(load) * service + fixed
                yield Row("M/D/1", group, "mean delay (s)", "=", truth, delay, CONDITION)
    limit = places(queue)
    if limit is not None and load > 0:
        truth = md1.loss(load, limit)
        for group in groups:
            lost = scene.estimate("groups", group, "loss_ratio")
            if scene.route(group) == [port] and lost is not None and not scene.flows[group].get("policers"):
                yield Row("M/D/1/K", group, "loss ratio", "=", truth, lost, f"{CONDITION} of {limit} places")
