"""Users, hosts, the two scenarios and the five strategies, and the measures of a run."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from itertools import count
from random import Random

from atn_reference.network import Clock, Kind, LimitedOutput, Network, Npdu, PriorityOutput
from atn_reference.receiver import CongestionAvoidance, Credit, Receiver, ReceiverCounts, Whole, WithdrawingCredit
from atn_reference.sender import CongestionWindow, CreditOnly, Sender, SenderCounts, Window

GAP = 10.0
"""Mean time before a user's first connection, and from the release of one to the next."""
DURATION = 180.0
"""Mean time from the connect request to the release."""


@dataclass(frozen=True, slots=True)
class Scenario:
    """The senders, the receivers, the duration, and the congested queue."""

    duration: float
    senders: tuple[str, ...]
    receivers: tuple[str, ...]
    congested: tuple[str, str]
    ce_threshold: int


SCENARIOS = {
    "a": Scenario(
        duration=600.0,
        senders=("es1", "es2", "es3", "es4", "es5", "es6"),
        receivers=("es7", "es8", "es9", "es10", "es11"),
        congested=("is6", "is7"),
        ce_threshold=27_000,
    ),
    "b": Scenario(
        duration=2400.0,
        senders=("es1", "es2"),
        receivers=("es12", "es13"),
        congested=("is6", "is10"),
        ce_threshold=1,
    ),
}
"""Those of table 5-1 and of table 5-2."""


@dataclass(frozen=True, slots=True)
class Strategy:
    """The algorithms of the receiver and of the sender, and whether Data NPDUs ask for Error Reports."""

    credit: Callable[[], Credit] = Whole
    window: Callable[[], Window] = CreditOnly
    has_reports: bool = False


STRATEGIES = {
    "none": Strategy(),
    "avoidance": Strategy(credit=CongestionAvoidance),
    "withdrawing": Strategy(credit=WithdrawingCredit),
    "backoff": Strategy(window=CongestionWindow),
    "error": Strategy(window=CongestionWindow, has_reports=True),
}


class Simulation:
    """One run. All random numbers follow from the seed, with a generator for each user."""

    sender: type[Sender] = Sender
    """The class that opens connections: a test of another interpretation has a subclass here."""
    receiver: type[Receiver] = Receiver
    """The class that confirms them."""
    output: type[LimitedOutput] = LimitedOutput
    """The class of the output queues of intermediate systems."""
    priorities: Sequence[int] = (0,)
    """Those from which each connection's is drawn, uniformly."""

    def __init__(self, scenario: Scenario, strategy: Strategy, seed: int) -> None:
        self.scenario = scenario
        self.strategy = strategy
        self.clock = Clock(scenario.duration)
        self.network = Network(self.clock, scenario.ce_threshold, strategy.has_reports, self._deliver, self.output)
        self.sent = SenderCounts()
        self.received = ReceiverCounts()
        self.numbers = count()
        self.seed = seed
        self._users = {host: User(self, host, seed) for host in scenario.senders}
        self._receivers: dict[int, Receiver] = {}

    def run(self) -> dict[str, float]:
        """The columns of the paper's tables, the load without the NPDU in transmission, and the delay of packets."""
        self.clock.run()
        delay = self.received.delay / self.received.delivered
        throughput = self.received.delivered / self.scenario.duration
        congested = self.network.outputs[self.scenario.congested]
        return {
            "delay_mean_s": delay,
            "accepted_per_s": throughput,
            "power": throughput / delay,
            "discard_share": self.network.discarded / self.sent.transmitted,
            "success_once": self.received.delivered / self.sent.first_copies,
            "success_all": self.received.delivered / self.sent.transmitted,
            "queue_mean_bits": congested.held / self.scenario.duration,
            "waiting_mean_bits": congested.waiting / self.scenario.duration,
            "delay_tsdu_mean_s": self.received.packet_delay / self.received.packets,
            "error_report_share": self.network.reports / (self.network.reports + self.network.sent),
        }

    def caller(self, ends: tuple[str, str], number: int, random: Random, ended: Callable[[], None]) -> Sender:
        """The side of a connection that opens it."""
        return self.sender(self.clock, self.network, ends, number, self.strategy.window(), self.sent, random, ended)

    def called(self, request: Npdu) -> Receiver:
        """The side that confirms it."""
        return self.receiver(self.clock, self.network, request, self.strategy.credit(), self.received)

    def _deliver(self, npdu: Npdu) -> None:
        if npdu.destination in self._users:
            self._users[npdu.destination].take(npdu)
        elif npdu.kind is not Kind.ERROR:  # about credit: nothing that a receiver could do
            self._receive(npdu)

    def _receive(self, npdu: Npdu) -> None:
        """Processes arrivals at the receiving side; every release is confirmed, also of unknown connections."""
        receiver = self._receivers.get(npdu.connection)
        if receiver:
            receiver.take(npdu)
        elif npdu.kind is Kind.CONNECT_REQUEST:
            self._receivers[npdu.connection] = self.called(npdu)
        if npdu.kind is Kind.DISCONNECT_REQUEST:
            ends = npdu.destination, npdu.origin
            self.network.send(Npdu(Kind.DISCONNECT_CONFIRM, *ends, npdu.connection, priority=npdu.priority))


class PrioritySimulation(Simulation):
    """Connections of all fifteen priorities, and intermediate systems that serve and mark by them."""

    output = PriorityOutput
    priorities: Sequence[int] = range(15)


class User:
    """Opens one connection at a time from its host, each to a random peer.

    Durations start at the connect request and gaps at the release, independent of the network's answers.
    """

    def __init__(self, simulation: Simulation, host: str, seed: int) -> None:
        self._simulation = simulation
        self._host = host
        self._random = Random(f"{seed} {host}")
        self._priorities = Random(f"{seed} {host} priorities")
        self._connections: dict[int, Sender] = {}
        self._newest: Sender | None = None
        self._open_later()

    def take(self, npdu: Npdu) -> None:
        if npdu.reported is None:
            self._connections[npdu.connection].take(npdu)
        elif self._newest and self._newest.peer == npdu.reported.destination:
            # A report has only the addresses of hosts; with one connection at a time it belongs to the newest.
            self._newest.congestion_reported()

    def _open_later(self) -> None:
        self._simulation.clock.after(self._random.expovariate(1 / GAP), self._open)

    def _open(self) -> None:
        run = self._simulation
        ends = self._host, self._random.choice(run.scenario.receivers)
        number = next(run.numbers)
        self._newest = self._connections[number] = run.caller(ends, number, self._random, self._open_later)
        self._newest.priority = self._priorities.choice(run.priorities)
        run.clock.after(self._random.expovariate(1 / DURATION), self._newest.release)
        self._newest.connect()
