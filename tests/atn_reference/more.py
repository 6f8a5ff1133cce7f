"""Segmentation and selective acknowledgement, which the standard (ISO 8073, X.224) has and the paper does not mention.

- A TPDU size of 1024 octets leaves 1015 for user data. A packet of 1600 octets takes two DT TPDUs.
- An acknowledgement names what has arrived beyond a missing TPDU, in blocks of consecutive numbers. What is named is
  not sent again. Of the others, those below the highest that was named are missing, and each is sent again by its own
  T1. TPDUs that are sent again at one instant are one loss. A TPDU out of sequence is acknowledged like a duplicate.
"""

from __future__ import annotations

from collections.abc import Iterable

from atn_reference.network import Npdu
from atn_reference.receiver import Receiver
from atn_reference.sender import Outstanding, Sender
from atn_reference.simulation import Simulation

PARAMETER_OCTETS, BLOCK_OCTETS = 2, 8
"""Of the parameter that has the blocks, and of each block."""


class SegmentingSender(Sender):
    parts = (1015, 585)


class SelectiveSender(Sender):
    _lost_at = -1.0

    def is_lost(self, number: int) -> bool:
        named = [other for other, copy in self._outstanding.items() if copy.is_reported]
        return super().is_lost(number) or number < max(named, default=-1)

    def lost(self) -> None:
        if self._lost_at != self.clock.now:
            self._lost_at = self.clock.now
            super().lost()

    def reported(self, npdu: Npdu) -> list[Outstanding]:
        named = (self._outstanding[number] for number in sorted(npdu.beyond) if number in self._outstanding)
        new = [copy for copy in named if not copy.is_reported]
        for copy in new:
            copy.is_reported = True
        return new


class SelectiveReceiver(Receiver):
    def out_of_sequence(self) -> None:
        self.acknowledge_soon()

    def report(self, npdu: Npdu, ahead: Iterable[int]) -> None:
        npdu.beyond = frozenset(ahead)
        blocks = sum(number - 1 not in npdu.beyond for number in npdu.beyond)
        if blocks:
            npdu.bits += 8 * (PARAMETER_OCTETS + BLOCK_OCTETS * blocks)


class SegmentingSimulation(Simulation):
    """A packet takes two DT TPDUs."""

    sender = SegmentingSender


class SelectiveSimulation(Simulation):
    """Acknowledgements are selective."""

    sender = SelectiveSender
    receiver = SelectiveReceiver
