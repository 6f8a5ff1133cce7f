"""The clock, and CLNP: NPDUs, the output queues of systems, and the network of the study."""

from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable
from dataclasses import dataclass
from enum import Enum
from itertools import count

CAPACITY = 262_144
"""Capacity in bits of an output queue of an intermediate system, including the NPDU in transmission."""
ERROR_THRESHOLD = 131_072
"""Bits in an output queue above which a Data NPDU that arrives is reported."""
BACKBONE = 2_048_000.0
LINES = (
    *((f"is{number}", "is6", BACKBONE) for number in range(1, 6)),
    ("is6", "is7", 64_000.0),
    ("is6", "is10", 8_000.0),
    ("is7", "is8", BACKBONE),
    ("is7", "is9", BACKBONE),
    ("is10", "is11", 64_000.0),
)
"""Lines between intermediate systems: both ends, and the bits per second of each direction."""
LINE_DELAY = 0.005
HOSTS = ("is1", "is2", "is3", "is4", "is5", "is5", "is7", "is8", "is8", "is9", "is9", "is11", "is11")
"""The intermediate system of each end system, from es1 to es13."""
HOST_RATE = 10_000_000.0
HOST_DELAY = 0.0005


class Clock:
    """The time, and the scheduled calls up to the end of the run."""

    def __init__(self, end: float) -> None:
        self.now = 0.0
        self.end = end
        self._coming: list[tuple[float, int, Callable[..., None], tuple[object, ...]]] = []
        self._order = count()

    def after(self, delay: float, act: Callable[..., None], *arguments: object) -> None:
        """Schedules a call of `act` with these arguments after some time."""
        heapq.heappush(self._coming, (self.now + delay, next(self._order), act, arguments))

    def run(self) -> None:
        while self._coming and self._coming[0][0] < self.end:
            self.now, _, act, arguments = heapq.heappop(self._coming)
            act(*arguments)


class Kind(Enum):
    """The content of an NPDU: its short name, and the usual octets of the NPDU, 63 of them CLNP's header."""

    CONNECT_REQUEST = "CR", 103
    CONNECT_CONFIRM = "CC", 103
    DATA = "DT", 1672
    ACKNOWLEDGEMENT = "AK", 72
    DISCONNECT_REQUEST = "DR", 75
    DISCONNECT_CONFIRM = "DC", 69
    ERROR = "ER", 121

    def __init__(self, _name: str, octets: int) -> None:
        self.bits = 8 * octets


@dataclass(slots=True, eq=False)
class Npdu:
    """An NPDU with one TPDU; an Error NPDU has the one that it reports instead."""

    kind: Kind
    origin: str
    destination: str
    connection: int = 0
    number: int = 0
    credit: int = 0
    sent: float = 0.0
    priority: int = 0
    """From 0 to 14, which is served first where systems regard it."""
    back: bool = False
    """Data of the called side of a connection, or their acknowledgement."""
    congestion_experienced: bool = False
    reported: Npdu | None = None
    ends_packet: bool = True
    """Of data: whether it has the end of a packet (EOT)."""
    produced: float = 0.0
    """Of data: when the user produced the packet."""
    beyond: frozenset[int] = frozenset()
    """Of an acknowledgement: numbers beyond the next expected one that have arrived (selective acknowledgement)."""
    bits: int = 0
    """Its length; that of its kind unless it has another."""

    def __post_init__(self) -> None:
        self.bits = self.bits or self.kind.bits


class Output:
    """An output queue, first in first out, and its line. Those of end systems have no limit."""

    def __init__(self, clock: Clock, rate: float, delay: float, deliver: Callable[[Npdu], None]) -> None:
        self.clock = clock
        self.rate = rate
        self.delay = delay
        self.deliver = deliver
        self.held = self.waiting = 0.0
        """Bit seconds up to the end of the run, of all NPDUs in the queue and of those not yet in transmission."""
        self._departures: deque[tuple[float, int]] = deque()
        self._bits = 0
        self._free = 0.0

    def bits(self) -> int:
        """The bits in the queue now, including the whole NPDU in transmission."""
        while self._departures and self._departures[0][0] <= self.clock.now:
            self._bits -= self._departures.popleft()[1]
        return self._bits

    def take(self, npdu: Npdu) -> None:
        self.join(npdu)

    def join(self, npdu: Npdu) -> None:
        now, end = self.clock.now, self.clock.end
        start = max(now, self._free)
        bits = npdu.bits
        self._free = start + bits / self.rate
        self._departures.append((self._free, bits))
        self._bits += bits
        self.held += bits * (min(self._free, end) - now)
        self.waiting += bits * (min(start, end) - now)
        self.clock.after(self._free + self.delay - now, self.deliver, npdu)


class LimitedOutput(Output):
    """The queue of an intermediate system: it marks, discards, and may report both to the origin."""

    def __init__(
        self,
        clock: Clock,
        rate: float,
        delay: float,
        deliver: Callable[[Npdu], None],
        ce_threshold: int,
        report: Callable[[Npdu], None] | None,
    ) -> None:
        super().__init__(clock, rate, delay, deliver)
        self.ce_threshold = ce_threshold
        self.report = report
        self.discarded = 0
        """NPDUs discarded, without those of the called sides' data."""

    def take(self, npdu: Npdu) -> None:
        found = self.bits_before(npdu)
        if found > self.ce_threshold:
            npdu.congestion_experienced = True
        has_room = self.bits() + npdu.bits <= CAPACITY
        if self.report and npdu.kind is not Kind.ERROR and (found > ERROR_THRESHOLD or not has_room):
            self.report(npdu)
        if has_room:
            self.join(npdu)
        else:
            self.discarded += not npdu.back

    def bits_before(self, npdu: Npdu) -> int:
        """The depth of the queue for this NPDU, which both thresholds are about."""
        return self.bits()


class PriorityOutput(LimitedOutput):
    """Sub-queues by priority in one capacity: the highest is served first, each in order of arrival.

    The paper has only the intention, in its summary: marking that takes the priority of the DT PDU into account. The
    depth for an NPDU is that of its own and the higher priorities, without a transmission of a lower one.
    """

    def __init__(
        self,
        clock: Clock,
        rate: float,
        delay: float,
        deliver: Callable[[Npdu], None],
        ce_threshold: int,
        report: Callable[[Npdu], None] | None,
    ) -> None:
        super().__init__(clock, rate, delay, deliver, ce_threshold, report)
        self._queue: list[Npdu] = []
        self._transmitted: Npdu | None = None

    def bits(self) -> int:
        return sum(npdu.bits for npdu in self._present())

    def bits_before(self, npdu: Npdu) -> int:
        return sum(other.bits for other in self._present() if other.priority >= npdu.priority)

    def join(self, npdu: Npdu) -> None:
        # As if it stayed to the end of the run; what it does not is taken off when it is served and when it leaves.
        self.held += npdu.bits * (self.clock.end - self.clock.now)
        self.waiting += npdu.bits * (self.clock.end - self.clock.now)
        self._queue.append(npdu)
        if self._transmitted is None:
            self._transmit()

    def _present(self) -> list[Npdu]:
        return self._queue if self._transmitted is None else [self._transmitted, *self._queue]

    def _transmit(self) -> None:
        first = max(self._queue, key=lambda npdu: npdu.priority)  # of several, the one that came first
        self._queue.remove(first)
        self._transmitted = first
        self.waiting -= first.bits * (self.clock.end - self.clock.now)
        self.clock.after(first.bits / self.rate, self._sent, first)

    def _sent(self, npdu: Npdu) -> None:
        self._transmitted = None
        self.held -= npdu.bits * (self.clock.end - self.clock.now)
        self.clock.after(self.delay, self.deliver, npdu)
        if self._queue:
            self._transmit()


class Network:
    """Eleven intermediate and thirteen end systems; being a tree, it has one way from each to each."""

    def __init__(
        self,
        clock: Clock,
        ce_threshold: int,
        has_reports: bool,
        deliver: Callable[[Npdu], None],
        output: type[LimitedOutput],
    ) -> None:
        self.sent = self.reports = 0
        """NPDUs that end systems sent, and Error NPDUs of intermediate systems."""
        self.outputs: dict[tuple[str, str], Output] = {}
        self._clock = clock
        self._deliver = deliver
        lines = [(one, other, rate, LINE_DELAY) for one, other, rate in LINES]
        lines += [(f"es{number}", system, HOST_RATE, HOST_DELAY) for number, system in enumerate(HOSTS, start=1)]
        for one, other, rate, delay in lines:
            for here, there in ((one, other), (other, one)):
                arrive = self._arrival(there)
                if here.startswith("is"):
                    report = self._reporter(here) if has_reports else None
                    self.outputs[here, there] = output(clock, rate, delay, arrive, ce_threshold, report)
                else:
                    self.outputs[here, there] = Output(clock, rate, delay, arrive)
        self._ways = {(here, end): output for end in self._systems() for here, output in self._towards(end)}

    @property
    def discarded(self) -> int:
        return sum(output.discarded for output in self.outputs.values() if isinstance(output, LimitedOutput))

    def send(self, npdu: Npdu) -> None:
        """From an end system."""
        self.sent += 1
        npdu.sent = self._clock.now
        self._ways[npdu.origin, npdu.destination].take(npdu)

    def _systems(self) -> set[str]:
        return {here for here, _ in self.outputs}

    def _towards(self, end: str) -> list[tuple[str, Output]]:
        """The output of each other system on the way to one, found from that one outwards."""
        found: dict[str, Output] = {}
        edge = [end]
        while edge:
            reached = edge.pop()
            for (here, there), output in self.outputs.items():
                if there == reached and here != end and here not in found:
                    found[here] = output
                    edge.append(here)
        return list(found.items())

    def _arrival(self, system: str) -> Callable[[Npdu], None]:
        def arrive(npdu: Npdu) -> None:
            if npdu.destination == system:
                self._deliver(npdu)
            else:
                self._ways[system, npdu.destination].take(npdu)

        return arrive

    def _reporter(self, system: str) -> Callable[[Npdu], None]:
        def report(npdu: Npdu) -> None:
            self.reports += 1
            error = Npdu(Kind.ERROR, system, npdu.origin, priority=npdu.priority, reported=npdu)
            self._ways[system, npdu.origin].take(error)

        return report
