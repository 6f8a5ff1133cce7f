"""Congestion points of the engine as classes: what a port writes beside segments, and Error Reports of CLNP."""

from __future__ import annotations

from dataclasses import dataclass

from penstock.scheme import Answer, Hop, Pdu, PortQueue


class Plain:
    """`telemetry`: it writes what the port measures."""

    writes_telemetry = True


class Counted:
    """The same, counted by itself."""

    writes_telemetry = True
    sent = 0

    def on_service(self, pdu: Pdu, hop: Hop) -> Hop:
        """What the port has sent before the PDU, and what waits behind it."""
        told = hop.replace(sent_bits=self.sent, waiting_bits=hop.waiting_bits)
        self.sent += pdu.bits
        return told


@dataclass
class Told:
    """It tells a part of the bits that wait."""

    writes_telemetry = True
    part: float = 1.0

    def on_service(self, _pdu: Pdu, hop: Hop) -> Hop:
        """The part of them."""
        return hop.replace(waiting_bits=round(self.part * hop.waiting_bits))


@dataclass
class Intermediate:
    """`clnp` with Error Reports."""

    makes_error_reports = True
    counts_bits = True
    threshold: int = 0

    def on_arrival(self, pdu: Pdu, queue: PortQueue) -> Answer | None:
        """Reports an NPDU that finds more bits than the threshold; one that is discarded is reported then."""
        is_above = 0 < self.threshold < queue.length and not queue.is_refused
        return self.on_discard(pdu, queue) if is_above else None

    def on_discard(self, pdu: Pdu, _queue: PortQueue) -> Answer | None:
        """Reports an NPDU that asks for it."""
        return Answer.error_report(pdu) if pdu.wants_error_report else None
