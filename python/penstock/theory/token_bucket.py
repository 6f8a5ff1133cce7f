"""Bounds of network calculus: flows that token buckets limit, at a FIFO queue.

A constant source sends at most b = 1 PDU and its rate; a meter or a leaky bucket that discards passes at most its
bucket and its rate. At a queue of rate R that serves all of them in order, the backlog is at most the sum of bursts,
and the delay that sum over R, if the sum of rates is at most R.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import TYPE_CHECKING, Any

from penstock.core.units import bits_per_second, count, seconds
from penstock.theory.scene import Row, is_unlimited, places
from penstock.truth import calculus
from penstock.truth.calculus import Bucket, Server

if TYPE_CHECKING:
    from penstock.theory.scene import Scene

CONDITION = "flows limited by token buckets, at one FIFO queue, less offered than the line's rate"


def rows(scene: Scene) -> Iterator[Row]:
    """The bounds of each port that only such flows use."""
    if not scene.is_open_loop:
        return
    for port, rate in scene.rates.items():
        if port.startswith("access/"):
            continue
        groups = scene.crossing(port)
        octets = {scene.flows[group]["octets"] for group in groups}
        buckets = [_bucket(scene, group, port) for group in groups]
        if len(octets) != 1 or None in buckets or not _is_fifo(scene, port):
            continue
        bits = 8 * octets.pop()
        together = calculus.together(
            [
                Bucket(burst=each.burst * scene.flows[group]["count"], rate=each.rate * scene.flows[group]["count"])
                for group, each in zip(groups, buckets, strict=True)
                if each is not None
            ]
        )
        server = Server(rate=rate / bits)
        if together.rate > server.rate:
            continue
        longest = scene.largest("ports", port, "queue_max")
        if longest is not None:
            most = math.ceil(calculus.backlog(together, server) - 1e-9)
            yield Row("network calculus", port, "longest queue (PDUs)", "<=", most, longest, CONDITION)
        bound = calculus.delay(together, server) + scene.delay(port)
        for group in groups:
            delay = scene.largest("groups", group, "delay_max_s")
            if scene.route(group) == [port] and "access" not in scene.flows[group] and delay is not None:
                yield Row("network calculus", group, "largest delay (s)", "<=", bound, delay, CONDITION)


def _is_fifo(scene: Scene, port: str) -> bool:
    queues = scene.queues(port)
    return len(queues) == 1 and (is_unlimited(queues[0]) or places(queues[0]) is not None)


def _bucket(scene: Scene, group: str, port: str) -> Bucket | None:
    """The token bucket of one flow where it enters a port, in PDUs; None if nothing limits it there.

    A policer acts behind the first line of a flow: its own access line, or the first of its path.
    """
    flow = scene.flows[group]
    place = scene.place(group, port)
    behind = place if "rate" in flow.get("access", {}) else place - 1
    if behind == 0 and flow.get("policers"):
        return _policed(flow["policers"][-1], 8 * flow["octets"])
    kind, _ = scene.traffic(group)
    if kind == "cbr" and place == 0 and "access" not in flow:
        return Bucket(burst=1, rate=(scene.nominal[group] or 0.0) / (8 * flow["octets"]))
    return None


def _policed(policer: Mapping[str, Any], bits: int) -> Bucket | None:
    """What a policer lets pass, in PDUs; None if it passes tagged PDUs, too."""
    ((kind, own),) = policer.items()
    if kind == "gcra" and own["nonconforming"] == "discard":
        increment = seconds(own["increment"])
        return Bucket(burst=1 + seconds(own["limit"]) / increment, rate=1 / increment)
    if kind == "leaky_bucket" and own["nonconforming"] == "discard":
        return Bucket(burst=count(own["depth"]), rate=bits_per_second(own["drain"]) / bits)
    if kind == "peak_rate_controller" and own["overflow"] == "discard":
        return Bucket(burst=1, rate=bits_per_second(own["rate"]) / bits)
    return None
