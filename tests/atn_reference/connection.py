"""Code of both sides of a transport connection: a state, T1, and TPDUs that are sent until they are answered."""

from __future__ import annotations

from collections.abc import Callable
from enum import Enum, auto

from atn_reference.network import Clock, Kind, Npdu

SAW = 7
"""The largest window that a receiver advertises."""
MOST_TRANSMISSIONS = 20
LEAST_T1 = 8.0
MOST_T1 = 120.0


class RetransmissionTimer:
    """T1 of a connection, from the mean and the mean deviation of its round trips."""

    def __init__(self) -> None:
        self._mean = self._deviation = 0.0
        self._has_sample = False

    def sample(self, round_trip: float) -> None:
        if self._has_sample:
            error = round_trip - self._mean
            self._mean += error / 8
            self._deviation += (abs(error) - self._deviation) / 4
        else:
            self._mean, self._deviation, self._has_sample = round_trip, round_trip / 2, True

    def t1(self, retransmissions: int) -> float:
        """T1 of a TPDU: doubled for each retransmission, up to the maximum."""
        return min(max(LEAST_T1, self._mean + 4 * self._deviation) * 2.0**retransmissions, MOST_T1)


class State(Enum):
    OPENING = auto()
    OPEN = auto()
    RELEASING = auto()
    CLOSED = auto()


class Connection:
    """One side of a connection: its own end, the other, and the number of the connection."""

    def __init__(self, clock: Clock, send: Callable[[Npdu], None], own: str, peer: str, number: int) -> None:
        self.clock = clock
        self.peer = peer
        self.state = State.OPENING
        self.timer = RetransmissionTimer()
        self.priority = 0
        """Of all its NPDUs, in both directions."""
        self.requests = 0
        """How often the last request was sent."""
        self._send = send
        self._own = own
        self._number = number

    def transmit(self, kind: Kind, number: int = 0, credit: int = SAW) -> None:
        self.transmit_npdu(self.npdu(kind, number, credit))

    def npdu(self, kind: Kind, number: int = 0, credit: int = SAW) -> Npdu:
        return Npdu(kind, self._own, self.peer, self._number, number, credit, priority=self.priority)

    def transmit_npdu(self, npdu: Npdu) -> None:
        self._send(npdu)

    def request(self, kind: Kind, credit: int = SAW) -> None:
        """Sends a TPDU, and again whenever its T1 runs out and the state is still the same."""
        self._repeat(kind, credit, self.state, 0)

    def given_up(self) -> None:
        """A request was sent the maximum number of times."""
        self.state = State.CLOSED

    def _repeat(self, kind: Kind, credit: int, state: State, before: int) -> None:
        if self.state is not state:
            return
        if before == MOST_TRANSMISSIONS:
            self.given_up()
            return
        self.requests = before + 1
        self.transmit(kind, credit=credit)
        self.clock.after(self.timer.t1(before), self._repeat, kind, credit, state, before + 1)
