"""Other readings of the paper and of the standard, each of one rule.

- ``RealSimulation``: the window of congestion avoidance is a real number; ``DownSimulation``: it is rounded down.
- ``NewestSimulation``: only the newest DT TPDU that an acknowledgement covers decides whether it gives a round trip.
- ``WaitingSimulation``: the thresholds of an output queue count what waits, without the NPDU in transmission.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

from atn_reference.network import LimitedOutput, Npdu
from atn_reference.receiver import CongestionAvoidance, Receiver
from atn_reference.sender import Outstanding, Sender
from atn_reference.simulation import Simulation


class RealAvoidance(CongestionAvoidance):
    def whole(self, window: float) -> float:
        return window


class DownAvoidance(CongestionAvoidance):
    def whole(self, window: float) -> float:
        return math.floor(window)


class NewestSender(Sender):
    def measure(self, covered: Sequence[Outstanding]) -> None:
        super().measure(covered[-1:])


class WaitingOutput(LimitedOutput):
    def bits_before(self, npdu: Npdu) -> int:
        bits = self.bits()
        return bits - self._departures[0][1] if self._departures else bits


class RealSimulation(Simulation):
    """For congestion avoidance."""

    def called(self, request: Npdu) -> Receiver:
        return self.receiver(self.clock, self.network, request, RealAvoidance(), self.received)


class DownSimulation(Simulation):
    """For congestion avoidance."""

    def called(self, request: Npdu) -> Receiver:
        return self.receiver(self.clock, self.network, request, DownAvoidance(), self.received)


class NewestSimulation(Simulation):
    """Round trips of the newest."""

    sender = NewestSender


class WaitingSimulation(Simulation):
    """Thresholds of what waits."""

    output = WaitingOutput
