"""ERICA at one port, as ``control/abr/erica.rs`` has it, with intervals that end by time, and no minimum rates."""

from __future__ import annotations

from dataclasses import dataclass, field
from math import inf
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.scheme import Pdu, Port, PortQueue

CELLS = 8
"""PDUs of each flow in an interval."""


@dataclass
class Connection:
    """What the port keeps of one connection: rates in bits per second, and the intervals of what they are from."""

    ccr: float = 0.0
    share: float = 0.0
    decided: int = 0
    seen: int = 0


@dataclass
class Erica:
    """Measures the load in each interval, and grants equal rates to all connections that can use them."""

    target: float = 0.9
    delta: float = 0.1
    connections: dict[int, Connection] = field(default_factory=dict)

    sends = ("explicit_rates",)
    hears = ("forward_rm_cells",)
    wants_backward = True
    controls_last_queue = True

    def begin(self, port: Port) -> None:
        """The first interval begins at time 0."""
        self.last = port.queues - 1
        self.line_rate = self.available = port.rate
        bits = CELLS * max(port.flow_count, 1) * port.octets * 8
        self.length = max((bits * 10**12 + int(port.rate) // 2) // int(port.rate), 1)  # picoseconds
        self.end, self.interval = self.length, 1
        self.bits = self.bits_above = 0
        self.peer = [port.peer(flow) for flow in range(port.network_flows)]
        self.connections = {flow: Connection() for flow in range(port.network_flows)}
        self.input, self.load, self.active, self.count = 0.0, inf, 0, 0
        self.goal = self.fair = self.most_before = self.most = self.target * self.available

    def on_arrival(self, pdu: Pdu, queue: PortQueue) -> None:
        """Counts the PDU, and reads the rate of a forward RM cell."""
        if queue.now_ps >= self.end:
            self.close(queue.now_ps)
        is_backward = pdu.is_backward
        ccr = pdu.ccr
        if ccr is not None and not is_backward:
            self.connections[pdu.flow].ccr = ccr
        if pdu.priority < self.last:
            self.bits_above += pdu.bits
            return
        connection = self.connections[self.peer[pdu.flow] if is_backward else pdu.flow]
        if connection.seen != self.interval:
            connection.seen = self.interval
            self.count += 1
        if pdu.is_data or not pdu.is_tagged:
            self.bits += pdu.bits

    def on_backward(self, pdu: Pdu, queue: PortQueue) -> None:
        """Lowers the explicit rate to the grant."""
        if queue.now_ps >= self.end:
            self.close(queue.now_ps)
        granted = pdu.er
        if granted is None:
            return
        connection = self.connections[pdu.flow]
        if connection.decided != self.interval:
            connection.share = self.allocate(connection.ccr)
            connection.decided = self.interval
        if connection.share < granted:
            pdu.er = max(connection.share, 0.0)

    def allocate(self, ccr: float) -> float:
        """The rate of a connection that sends at ``ccr``."""
        own = ccr / self.load
        common = self.fair if self.load > 1.0 + self.delta else self.most_before
        rate = max(common, own)
        self.most = max(self.most, rate)
        if ccr < self.fair:
            rate = min(rate, self.fair)  # it rises in two steps
        return min(rate, self.goal)

    def close(self, now: int) -> None:
        """Ends the interval, and those without a PDU since."""
        seconds = self.length / 1e12
        above, bits = self.bits_above / seconds, self.bits / seconds
        self.bits = self.bits_above = 0
        further = (now - self.end) // self.length
        self.end += self.length * (further + 1)
        self.end_interval(bits, max(self.line_rate - above, 0.0))
        for _ in range(min(further, 2)):  # from the second on nothing changes
            self.end_interval(0.0, self.line_rate)

    def end_interval(self, measured: float, available: float) -> None:
        """Computes the shares of the next interval."""
        self.available, self.goal = available, self.target * available
        if measured > 0.0:
            self.input, self.active = measured, self.count
        if self.input > 0.0:
            self.load = self.input / self.goal if self.goal > 0.0 else inf
        self.count = 0
        self.fair = self.goal / max(float(self.active), 1.0)
        self.most_before, self.most = self.most, self.fair
        self.interval += 1
