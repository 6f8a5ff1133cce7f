"""Connection admission: what sources need of each line, before anything is run.

Three rules, from the most careful to the least: the sum of peak rates, the effective bandwidth for a loss in the buffer
of the queue, and the sum of mean rates. They are about sources that nothing controls, with rates of their own: on/off
sources, sources of two rates, and constant ones.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal

from penstock.core.units import bits, bits_per_second, count, seconds, size_of
from penstock.theory.scene import Scene
from penstock.truth import effective
from penstock.truth.effective import OnOff
from penstock.truth.shares import is_controlled

if TYPE_CHECKING:
    from penstock.core.scenario import Scenario

LOSS = 1e-6
"""The loss that the effective bandwidth is for."""
Verdict = Literal["peaks fit", "effective bandwidth fits", "only means fit", "overloaded", "no such sources"]


@dataclass(frozen=True, slots=True)
class Need:
    """What the sources on one port need, in bits per second.

    Attributes:
        port: the port.
        rate: the rate of its line.
        flows: how many flows the sums are of.
        buffers: the size of each of its queues, by priority, as in the scenario; None without a limit.
        peaks: the sum of their peak rates.
        means: the sum of their mean rates.
        effective: their effective bandwidth for the loss, the sum over the queues.
        left_out: the groups that the rules do not cover, each with the reason.
    """

    port: str
    rate: float
    flows: int
    buffers: Sequence[str | None]
    peaks: float
    means: float
    effective: float
    left_out: Mapping[str, str]

    @property
    def verdict(self) -> Verdict:
        """The most careful rule by which the sources may be admitted."""
        if not self.flows:
            return "no such sources"
        if self.peaks <= self.rate:
            return "peaks fit"
        if self.effective <= self.rate:
            return "effective bandwidth fits"
        return "only means fit" if self.means < self.rate else "overloaded"


def needs(scenario: Scenario) -> tuple[list[Need], dict[str, str]]:
    """What each port that carries flows needs; and the groups without a path of their own, with the reason."""
    import polars as pl

    tables = scenario.blank_tables()
    scene = Scene(scenario.expanded().tree, pl.DataFrame(tables["groups"]), pl.DataFrame(tables["ports"]))
    without = {group: "the scenario names no path" for group, flow in scene.flows.items() if "path" not in flow}
    used: dict[str, list[str]] = {}
    for group in scene.flows:
        for port in scene.route(group) if group not in without else ():
            used.setdefault(port, []).append(group)
    return [_need(scene, port, used[port]) for port in scene.rates if port in used], without


def _need(scene: Scene, port: str, groups: Sequence[str]) -> Need:
    queues = scene.queues(port)
    by_queue: list[list[OnOff]] = [[] for _ in queues]
    least_bits = [math.inf] * len(queues)
    left_out = {}
    for group in groups:
        flow = scene.flows[group]
        place = min(flow["priority"], len(queues) - 1)
        source = _source(scene, group)
        if isinstance(source, str):
            left_out[group] = source
            continue
        by_queue[place] += [source] * flow["count"]
        least_bits[place] = min(least_bits[place], 8.0 * flow["octets"])
    sources = [source for own in by_queue for source in own]
    total = sum(
        _capacity(own, _buffer(queue, pdu)) for own, queue, pdu in zip(by_queue, queues, least_bits, strict=True) if own
    )
    return Need(
        port,
        scene.rates[port],
        len(sources),
        [size_of(own) for queue in queues for own in queue.values()],
        sum(source.peak for source in sources),
        sum(source.mean for source in sources),
        total,
        left_out,
    )


def _capacity(sources: Sequence[OnOff], buffer: float) -> float:
    """The effective bandwidth of the sources of one queue; with an endless buffer that is their mean."""
    if math.isinf(buffer):
        return sum(source.mean for source in sources)
    return effective.capacity(sources, LOSS, buffer)


def _buffer(queue: Mapping[str, Any], pdu: float) -> float:
    """The bits that a queue holds, of PDUs of so many bits; infinity without a limit."""
    (own,) = queue.values()
    size = size_of(own)
    if size is None:
        return math.inf
    return bits(size) if "drop_tail_bits" in queue else count(size) * pdu


def _source(scene: Scene, group: str) -> OnOff | str:
    """The source of one flow of the group while its session is active; or why the rules do not cover it."""
    kind, own = scene.traffic(group)
    flow = scene.flows[group]
    if "transport" in flow:
        return "a transport protocol controls it"
    if kind == "greedy":
        return "it is greedy: it has no rate of its own"
    if kind == "file_transfer":
        return "it sends files: its load comes in whole files, not in spurts"
    if is_controlled(flow):
        return "a control scheme changes its rate"
    if kind == "on_off" and not (isinstance(own["on"], str) and isinstance(own["off"], str)):
        return "its spurts or silences are not exponential"
    if kind == "on_off":
        return OnOff(peak=bits_per_second(own["peak_rate"]), mean_on=seconds(own["on"]), mean_off=seconds(own["off"]))
    if kind == "two_rate_video":
        high, low = bits_per_second(own["high"]), bits_per_second(own["low"])
        return OnOff(peak=high, low=low, mean_on=seconds(own["high_time"]), mean_off=seconds(own["low_time"]))
    if kind == "cbr":
        return OnOff(peak=scene.nominal[group] or 0.0, mean_on=1.0, mean_off=0.0)
    return f"it is no on/off source ({kind})"
