"""A transport connection at the side that opens it and sends the data."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from random import Random
from typing import Protocol

from atn_reference.connection import MOST_TRANSMISSIONS, Connection, State
from atn_reference.network import Clock, Kind, Network, Npdu

INTERPRODUCTION_TIME = 1.0
RECHECK = 0.3
"""A DT TPDU that is not the oldest is checked again after this part of its own T1."""
INITIAL_THRESHOLD = 8
HEADERS = 72
"""Octets in front of user data: 63 of CLNP, and 9 of the DT TPDU."""


class Window(Protocol):
    """The sender's own limit on outstanding packets."""

    def size(self) -> float: ...

    def begin_phase(self) -> None: ...

    def acknowledged(self, count: int, credit: int) -> None: ...


class CreditOnly:
    """The sender obeys the receiver's credit and no window of its own."""

    def size(self) -> float:
        return math.inf

    def begin_phase(self) -> None:
        pass

    def acknowledged(self, count: int, credit: int) -> None:
        pass


class CongestionWindow:
    """Section 3.3.2 of the paper; the first phase begins with the connection."""

    def __init__(self) -> None:
        self._size = 2 * INITIAL_THRESHOLD
        self.begin_phase()

    def size(self) -> float:
        return self._size

    def begin_phase(self) -> None:
        self._threshold = max(self._size // 2, 1)
        self._size = 1
        self._received = 0

    def acknowledged(self, count: int, credit: int) -> None:
        if self._size >= credit:
            return
        if self._size < self._threshold:
            self._size = min(self._size + count, self._threshold, credit)
            return
        self._received += count
        if self._received > self._size:
            self._received -= self._size
            self._size = min(self._size + 1, credit)


@dataclass(slots=True)
class Outstanding:
    """A DT TPDU that is not acknowledged: its last transmission, T1 at that time, and how often it was sent."""

    sent: float = 0.0
    t1: float = 0.0
    transmissions: int = 0
    is_reported: bool = False


@dataclass(slots=True)
class SenderCounts:
    """DT TPDUs that all senders sent, and those among them that were not sent before."""

    transmitted: int = 0
    first_copies: int = 0


class Sender(Connection):
    """The connection from its connect request to the confirmation of its release."""

    parts: Sequence[int] = (1600,)
    """Octets of user data in each DT TPDU of a packet."""

    def __init__(
        self,
        clock: Clock,
        network: Network,
        ends: tuple[str, str],
        number: int,
        window: Window,
        counts: SenderCounts,
        random: Random,
        ended: Callable[[], None],
    ) -> None:
        super().__init__(clock, network.send, *ends, number)
        self._window = window
        self._counts = counts
        self._random = random
        self._ended = ended
        self._requested = clock.now
        self._credit = 0
        self._produced: list[float] = []
        self._next = 0
        self._outstanding: dict[int, Outstanding] = {}

    @property
    def _lasts(self) -> bool:
        return self.state in (State.OPENING, State.OPEN)

    def connect(self) -> None:
        self.request(Kind.CONNECT_REQUEST)

    def release(self) -> None:
        """Immediate: packets that are not sent or not acknowledged are dropped."""
        if self._lasts:
            self.state = State.RELEASING
            self.request(Kind.DISCONNECT_REQUEST)
            self._ended()

    def given_up(self) -> None:
        """A release without confirmation counts from its request."""
        if self.state is State.OPENING:
            self._ended()
        super().given_up()

    def take(self, npdu: Npdu) -> None:
        if npdu.kind is Kind.CONNECT_CONFIRM and self.state is State.OPENING:
            self._open(npdu)
        elif npdu.kind is Kind.CONNECT_CONFIRM and self.state is State.OPEN:
            self.transmit(Kind.ACKNOWLEDGEMENT)
        elif npdu.kind is Kind.ACKNOWLEDGEMENT and self.state is State.OPEN:
            self._acknowledged(npdu)
        elif npdu.kind is Kind.DISCONNECT_CONFIRM and self.state is State.RELEASING:
            self.state = State.CLOSED

    def congestion_reported(self) -> None:
        if self.state is State.OPEN:
            self._window.begin_phase()

    def produce_later(self) -> None:
        self.clock.after(self._random.expovariate(1 / INTERPRODUCTION_TIME), self._produce)

    def _open(self, confirm: Npdu) -> None:
        self.state = State.OPEN
        self._credit = confirm.credit
        self.transmit(Kind.ACKNOWLEDGEMENT)
        if self.requests == 1:
            self.timer.sample(self.clock.now - self._requested)
        self.opened()

    def opened(self) -> None:
        """Packets are produced from now on."""
        self.produce_later()

    def _produce(self) -> None:
        if self._lasts:
            self._produced.append(self.clock.now)
            self.produce_later()
            self.send_allowed()

    def send_allowed(self) -> None:
        """Sends all that both windows allow."""
        allowed = min(self._credit, self._window.size())
        ready = len(self._produced) * len(self.parts)
        while self.state is State.OPEN and len(self._outstanding) < allowed and self._next < ready:
            self._outstanding[self._next] = Outstanding()
            self._counts.first_copies += 1
            self._next += 1
            self._send_data(self._next - 1)

    def _send_data(self, number: int) -> None:
        copy = self._outstanding[number]
        copy.sent = self.clock.now
        copy.t1 = self.timer.t1(copy.transmissions)
        copy.transmissions += 1
        self._counts.transmitted += 1
        packet, part = divmod(number, len(self.parts))
        npdu = self.npdu(Kind.DATA, number)
        npdu.bits = 8 * (HEADERS + self.parts[part])
        npdu.produced, npdu.ends_packet = self._produced[packet], part == len(self.parts) - 1
        self.transmit_npdu(npdu)
        self.clock.after(copy.t1, self._expired, number)

    def _expired(self, number: int) -> None:
        """T1 of a DT TPDU ran out."""
        copy = self._outstanding.get(number)
        if self.state is not State.OPEN or copy is None or copy.is_reported:
            return
        if not self.is_lost(number):
            self.clock.after(RECHECK * copy.t1, self._expired, number)
        elif copy.transmissions == MOST_TRANSMISSIONS:
            self.release()
        else:
            self.lost()
            self._send_data(number)

    def is_lost(self, number: int) -> bool:
        """Whether it is sent again, of those whose T1 ran out: only the oldest is."""
        return number == min(self._outstanding)

    def lost(self) -> None:
        self._window.begin_phase()

    def _acknowledged(self, npdu: Npdu) -> None:
        self._credit = npdu.credit
        covered = [self._outstanding.pop(number) for number in sorted(self._outstanding) if number < npdu.number]
        news = [copy for copy in covered if not copy.is_reported] + self.reported(npdu)
        if news:
            self.measure(news)
        if covered:
            self._window.acknowledged(len(covered), self._credit)
        self.send_allowed()

    def reported(self, npdu: Npdu) -> list[Outstanding]:
        """What an acknowledgement reports for the first time beyond the next expected number."""
        return []

    def measure(self, covered: Sequence[Outstanding]) -> None:
        """A round trip from an acknowledgement: the newest that it covers, if it covers none that was sent twice."""
        if all(copy.transmissions == 1 for copy in covered):
            self.timer.sample(self.clock.now - covered[-1].sent)
