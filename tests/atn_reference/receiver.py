"""A transport connection at the side that receives the data, and advertises the window."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from enum import Enum, auto
from typing import Protocol

from atn_reference.connection import SAW, Connection, State
from atn_reference.network import Clock, Kind, Network, Npdu

LOCAL_ACKNOWLEDGEMENT_TIME = 0.1
WINDOW_TIME = 60.0
INITIAL_WINDOW = 2
DECREASE = 0.625
MULTIPLE = 4


class Credit(Protocol):
    """The algorithm for the window that the receiver advertises."""

    def initial(self) -> int: ...

    def arrived(self, npdu: Npdu) -> None: ...

    def advertise(self, lower_edge: int) -> int: ...


class Whole:
    """The largest window, always."""

    def initial(self) -> int:
        return SAW

    def arrived(self, npdu: Npdu) -> None:
        pass

    def advertise(self, lower_edge: int) -> int:
        return SAW


class CongestionAvoidance:
    """Section 3.1.2 of the paper.

    A sampling period lasts twice the window in DT TPDUs, from one decision to the next: counted from the last credit,
    as in the text, it would restart with each acknowledgement. The window is what the CDT field carries: whole;
    the text does not say how a product is rounded.
    """

    def __init__(self) -> None:
        self._window: float = INITIAL_WINDOW
        self._begin_period()

    def initial(self) -> int:
        return INITIAL_WINDOW

    def advertise(self, lower_edge: int) -> int:
        return int(self._window)

    def arrived(self, npdu: Npdu) -> None:
        self._all += 1
        self._marked += npdu.congestion_experienced
        self._data += npdu.kind is Kind.DATA
        if npdu.kind is Kind.DATA and self._data >= 2 * int(self._window):
            is_congested = 2 * self._marked >= self._all
            self._window = max(1.0, self.whole(DECREASE * self._window)) if is_congested else min(self._window + 1, SAW)
            self._begin_period()

    def whole(self, window: float) -> float:
        """The whole window next to a product, the larger of two."""
        return int(Decimal(window).quantize(Decimal(1), ROUND_HALF_UP))

    def _begin_period(self) -> None:
        self._all = self._marked = self._data = 0


class Phase(Enum):
    """The states of section 3.2.2, in the paper's letters: NCE, CE-CAW and CE-OAW."""

    NO_CONGESTION = auto()
    CLOSING = auto()
    OPENING = auto()


class WithdrawingCredit:
    """The algorithm of section 3.2.2; the largest window is above 1, so its comparison of 1 with it is left out."""

    def __init__(self) -> None:
        self._phase = Phase.NO_CONGESTION
        self._upper_edge = self._new_window = SAW
        self._arrived = 0

    def initial(self) -> int:
        return SAW

    def arrived(self, npdu: Npdu) -> None:
        if npdu.congestion_experienced:
            self._phase = Phase.CLOSING
        elif self._phase is Phase.OPENING:
            self._arrived += 1
            if self._arrived == MULTIPLE * self._new_window:
                self._new_window += 1
                self._arrived = 0
                if self._new_window == SAW:
                    self._phase = Phase.NO_CONGESTION

    def advertise(self, lower_edge: int) -> int:
        if self._phase is Phase.NO_CONGESTION:
            self._upper_edge = lower_edge + SAW
        elif self._phase is Phase.OPENING:
            self._upper_edge = lower_edge + self._new_window
        elif self._upper_edge == lower_edge:
            self._phase = Phase.OPENING
            self._arrived = 0
            self._new_window = 1
            self._upper_edge = lower_edge + 1
        return self._upper_edge - lower_edge


@dataclass(slots=True)
class ReceiverCounts:
    """DT TPDUs that arrived for the first time at any receiver, and the sum of their seconds under way."""

    delivered: int = 0
    delay: float = 0.0
    packets: int = 0
    """Packets that arrived whole, after all before them."""
    packet_delay: float = 0.0
    """The sum of their seconds since production."""


class Receiver(Connection):
    """The connection from the connect request's arrival to that of the disconnect request."""

    def __init__(self, clock: Clock, network: Network, request: Npdu, credit: Credit, counts: ReceiverCounts) -> None:
        super().__init__(clock, network.send, request.destination, request.origin, request.connection)
        self._credit = credit
        self._counts = counts
        self._next = 0
        self._ahead: dict[int, Npdu] = {}
        self._acknowledgements = 0
        self._is_due = False
        self.priority = request.priority
        self.begin(request)

    def begin(self, request: Npdu) -> None:
        """The connect request arrives."""
        self._credit.arrived(request)
        self.request(Kind.CONNECT_CONFIRM, self._credit.initial())

    def take(self, npdu: Npdu) -> None:
        if self.state is State.CLOSED:
            return
        if npdu.kind is Kind.DISCONNECT_REQUEST:
            self.state = State.CLOSED
            return
        self._credit.arrived(npdu)
        if npdu.kind is Kind.CONNECT_REQUEST:
            if self.state is State.OPENING:
                self.transmit(Kind.CONNECT_CONFIRM, 0, self._credit.initial())
            return
        self._open()
        if npdu.kind is Kind.DATA:
            self._data(npdu)

    def _open(self) -> None:
        if self.state is State.OPENING:
            self.state = State.OPEN
            self._acknowledge_after(WINDOW_TIME)

    def _data(self, npdu: Npdu) -> None:
        if npdu.number < self._next or npdu.number in self._ahead:
            # The acknowledgement may have been lost.
            self.acknowledge_soon()
            return
        self._counts.delivered += 1
        self._counts.delay += self.clock.now - npdu.sent
        self._ahead[npdu.number] = npdu
        if npdu.number > self._next:
            self.out_of_sequence()
            return
        while self._next in self._ahead:
            self._in_sequence(self._ahead.pop(self._next))
            self._next += 1
        self._acknowledge()

    def _in_sequence(self, npdu: Npdu) -> None:
        if npdu.ends_packet:
            self._counts.packets += 1
            self._counts.packet_delay += self.clock.now - npdu.produced

    def out_of_sequence(self) -> None:
        """A DT TPDU arrived behind a missing one: nothing is acknowledged."""

    def acknowledge_soon(self) -> None:
        if not self._is_due:
            self._is_due = True
            self._acknowledge_after(LOCAL_ACKNOWLEDGEMENT_TIME)

    def _acknowledge_after(self, time: float) -> None:
        """Unless there is another acknowledgement before."""
        self.clock.after(time, self._time_over, self._acknowledgements)

    def _time_over(self, acknowledgements: int) -> None:
        if self.state is State.OPEN and acknowledgements == self._acknowledgements:
            self._acknowledge()

    def _acknowledge(self) -> None:
        self._acknowledgements += 1
        self._is_due = False
        npdu = self.npdu(Kind.ACKNOWLEDGEMENT, self._next, self._credit.advertise(self._next))
        self.report(npdu, self._ahead.keys())
        self.transmit_npdu(npdu)
        self._acknowledge_after(WINDOW_TIME)

    def report(self, npdu: Npdu, ahead: Iterable[int]) -> None:
        """An acknowledgement may report what has arrived out of sequence."""
