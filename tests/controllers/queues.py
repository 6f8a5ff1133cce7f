"""Queue disciplines, as ``queue/codel.rs`` and ``queue/drop_tail.rs`` have them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.scheme import Arrival, Head, Line, Pdu


@dataclass
class Codel:
    """Discards at the head, while PDUs have waited too long for an interval (RFC 8289). Times in picoseconds."""

    target: int = 5 * 10**9
    interval: int = 100 * 10**9
    size: int | None = None

    decides_at_head = True

    def begin(self, line: Line) -> None:
        """Nothing has waited yet."""
        self.late_from: int | None = None
        self.next = self.count = self.count_at_start = self.longest = 0
        self.is_signalling = self.has_discarded = False

    def on_head(self, pdu: Pdu, head: Head) -> bool:
        """Whether the PDU is sent."""
        now = head.now_ps
        self.longest = max(self.longest, pdu.bits)
        is_late = self.is_late(now, head)
        if self.has_discarded and is_late:
            self.next = self.after(self.next)
        self.has_discarded = False
        if not is_late:
            self.is_signalling = False
            return True
        if not self.is_signalling:
            added = self.count - self.count_at_start
            is_recent = max(now - self.next, 0) < 16 * self.interval
            self.count = self.count_at_start = added if added > 1 and is_recent else 1
            self.next = self.after(now)
            self.is_signalling = True
            return False
        if now < self.next:
            return True
        self.count += 1
        self.has_discarded = True
        return False

    def after(self, time: int) -> int:
        """When the discard after this one is due."""
        return time + int(self.interval / sqrt(self.count) + 0.5)

    def is_late(self, now: int, head: Head) -> bool:
        """Whether the waiting times have exceeded the target for an interval."""
        if head.sojourn_ps < self.target or head.behind <= self.longest:
            self.late_from = None
            return False
        if self.late_from is None:
            self.late_from = now + self.interval
        return now >= self.late_from


class DropTail:
    """Discards what arrives at a long queue."""

    def __init__(self, threshold: int, size: int | None = None) -> None:
        """The length from which on it discards."""
        self.threshold, self.size = threshold, size

    def on_arrival(self, pdu: Pdu, queue: Arrival) -> bool:
        """Whether the PDU joins."""
        return queue.length < self.threshold
