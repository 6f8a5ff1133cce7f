"""HPCC, as ``controller/hpcc.rs`` has it: it reads what the ports write beside the segments."""

from __future__ import annotations

from dataclasses import dataclass
from math import ceil
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.scheme import Ack, Hop, Stream, Telemetry


@dataclass
class Hpcc:
    """The target of the load, and how it is approached."""

    eta: float = 0.95
    most_stages: int = 5
    flows: int = 100

    paces = True
    heeds_delay = True
    repairs_alone = True
    reads_telemetry = True
    begins_at_line = True

    def begin(self, stream: Stream) -> None:
        """The rate of the line, for a base round trip."""
        self.segment, self.bits, self.base = stream.segment, stream.bits_per_octet, stream.base_round_trip
        self.first = stream.line_rate * self.base / self.bits
        self.size = self.reference = self.first
        self.stages, self.load = 0, 1.0
        self.last: list[Hop] = []
        self.set_ps: int | None = None
        self.is_new_round = self.is_fresh = False

    @property
    def window(self) -> int:
        """In octets, of whole segments."""
        return int(max(float(ceil(self.size / self.segment)), 1.0) * self.segment)

    @property
    def pacing_rate(self) -> float:
        """Bits per second on the line."""
        return self.size * self.bits / self.base

    def on_telemetry(self, telemetry: Telemetry) -> None:
        """The load of the most loaded port."""
        pairs = zip(self.last, telemetry.hops, strict=False)
        loads = [self.load_of(before, hop) for before, hop in pairs if hop.now_ps > before.now_ps]
        if loads:
            load, time = max(loads, key=lambda pair: pair[0])
            self.load += min(time / self.base, 1.0) * (load - self.load)
            self.is_fresh = True
        self.is_new_round = self.set_ps is not None and telemetry.sent_ps >= self.set_ps
        self.last = telemetry.hops

    def load_of(self, before: Hop, hop: Hop) -> tuple[float, float]:
        """The load of a port between two segments, and the time between them in seconds."""
        time = (hop.now_ps - before.now_ps) / 1e12
        sent = (hop.sent_bits - before.sent_bits) / time
        queue = min(hop.waiting_bits, before.waiting_bits) / self.base
        return (sent + queue) / hop.rate, time

    def on_ack(self, ack: Ack) -> None:
        """The window for the load."""
        if self.set_ps is None:
            self.set_ps = ack.now_ps
        if ack.octets == 0 or not self.is_fresh:
            return
        self.is_fresh = False
        added = (1.0 - self.eta) * self.first / self.flows
        if self.load >= self.eta or self.stages >= self.most_stages:
            size, stages = self.reference * self.eta / self.load + added, 0
        else:
            size, stages = self.reference + added, self.stages + 1
        self.size = min(size, self.first)
        if self.is_new_round:
            self.reference, self.stages, self.set_ps = self.size, stages, ack.now_ps
