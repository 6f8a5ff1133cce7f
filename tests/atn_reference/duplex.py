"""Connections with data in both directions, each with its own numbers, credit and T1.

Section 4.2.2 of the paper permits them, and 3.1.2 counts TPDUs of all types, so the acknowledgements of one direction
count in the samples of the other. The called side may send once the confirmation of the connection is acknowledged, up
to the credit of the connect request. Its user produces packets from the connect request on.
"""

from __future__ import annotations

from collections.abc import Callable
from random import Random

from atn_reference.connection import State
from atn_reference.network import Kind, Network, Npdu
from atn_reference.receiver import Credit, Receiver, ReceiverCounts
from atn_reference.sender import Sender, SenderCounts
from atn_reference.simulation import Simulation

BACK_INTERPRODUCTION_TIME = 5.0


class Back(Network):
    """The network as the data of the called sides and their acknowledgements see it."""

    def __init__(self, network: Network) -> None:
        self._network = network

    def send(self, npdu: Npdu) -> None:
        npdu.back = True
        self._network.send(npdu)


class Outgoing(Sender):
    """The data of the called side."""

    def begin(self, credit: int) -> None:
        """The connection is confirmed."""
        self.state = State.OPEN
        self._credit = credit
        self.send_allowed()

    def end(self) -> None:
        self.state = State.CLOSED

    def release(self) -> None:
        """Only the side that opened a connection releases it. This side would, if a TPDU was sent 20 times in vain.

        That takes 34 minutes of T1, and connections last 3 minutes in the mean: a run in which it happens is no use.
        """
        raise RuntimeError("the called side sent a TPDU 20 times: shorten the connections of this run")

    def produce_later(self) -> None:
        self.clock.after(self._random.expovariate(1 / BACK_INTERPRODUCTION_TIME), self._produce)


class Incoming(Receiver):
    """The acknowledgement of these data at the side that opened the connection."""

    def begin(self, request: Npdu) -> None:
        """Nothing is confirmed: this side sent the request."""

    def initial(self) -> int:
        return self._credit.initial()

    def end(self) -> None:
        self.state = State.CLOSED


class Caller(Sender):
    """The side that opens the connection."""

    incoming: Incoming

    def connect(self) -> None:
        self.incoming.priority = self.priority
        self.request(Kind.CONNECT_REQUEST, self.incoming.initial())

    def take(self, npdu: Npdu) -> None:
        self.incoming.take(npdu)
        super().take(npdu)

    def release(self) -> None:
        self.incoming.end()
        super().release()

    def given_up(self) -> None:
        self.incoming.end()
        super().given_up()


class Called(Receiver):
    """The side that confirms it."""

    outgoing: Outgoing
    offered: int

    def take(self, npdu: Npdu) -> None:
        super().take(npdu)
        if self.state is State.CLOSED:
            self.outgoing.end()
        elif self.state is State.OPEN and self.outgoing.state is State.OPENING:
            self.outgoing.begin(self.offered)
        if npdu.back:
            self.outgoing.take(npdu)


class DuplexSimulation(Simulation):
    """Every called side has data too, a packet every five seconds on average."""

    back_credit: Callable[[], Credit] | None = None
    """The algorithm of the credit for these data, if it is not that of the strategy."""

    def run(self) -> dict[str, float]:
        """The columns of the data of the callers, and some of the others'."""
        self.back = Back(self.network)
        self.back_sent = SenderCounts()
        self.back_received = ReceiverCounts()
        columns = super().run()
        delivered = self.back_received.delivered
        return columns | {
            "back_delay_mean_s": self.back_received.delay / delivered,
            "back_accepted_per_s": delivered / self.scenario.duration,
            "back_success_all": delivered / self.back_sent.transmitted,
        }

    def caller(self, ends: tuple[str, str], number: int, random: Random, ended: Callable[[], None]) -> Caller:
        caller = Caller(self.clock, self.network, ends, number, self.strategy.window(), self.sent, random, ended)
        request = Npdu(Kind.CONNECT_REQUEST, origin=ends[1], destination=ends[0], connection=number)
        credit = (self.back_credit or self.strategy.credit)()
        caller.incoming = Incoming(self.clock, self.back, request, credit, self.back_received)
        return caller

    def called(self, request: Npdu) -> Called:
        called = Called(self.clock, self.network, request, self.strategy.credit(), self.received)
        ends = request.destination, request.origin
        random = Random(f"{self.seed} {request.connection} back")
        window = self.strategy.window()
        called.outgoing = Outgoing(
            self.clock, self.back, ends, request.connection, window, self.back_sent, random, called.given_up
        )
        called.outgoing.priority = request.priority
        called.offered = request.credit
        called.outgoing.produce_later()
        return called
