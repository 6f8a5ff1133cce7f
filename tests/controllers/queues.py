"""Queue disciplines, as ``queue/codel.rs`` and ``queue/drop_tail.rs`` have them."""

from __future__ import annotations

from dataclasses import dataclass
from math import sqrt
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from penstock.scheme import Arrival, Head, Line, Lists, Moment, Pdu


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


class FqCodel:
    """A list for each flow, served by turns, new ones first, and CoDel in each (RFC 8290, as ``queue/fq_codel.rs``)."""

    decides_at_head = True
    keeps_lists = True
    readings = ("turns",)

    def __init__(self, quantum: int = 1514 * 8, size: int | None = None) -> None:
        """The bits of a turn, and the limit."""
        self.quantum, self.size = quantum, size
        self.numbers: dict[tuple[int, bool], int] = {}
        self.laws: list[Codel] = []
        self.credit: list[int] = []
        self.new: list[int] = []
        self.old: list[int] = []
        self.longest = self.served = self.turns = 0

    def begin(self, line: Line) -> None:
        """Nothing has waited yet."""
        self.line = line

    def number(self, pdu: Pdu) -> int:
        """The list of the flow of a PDU."""
        flow = (pdu.flow, pdu.is_backward)
        if flow not in self.numbers:
            self.numbers[flow] = len(self.laws)
            self.laws.append(Codel())
            self.laws[-1].begin(self.line)
            self.credit.append(0)
        return self.numbers[flow]

    def list_of(self, pdu: Pdu, _moment: Moment) -> int:
        """A list that had no turn gets one."""
        number = self.number(pdu)
        if number not in self.new and number not in self.old:
            self.credit[number] = self.quantum
            self.new.append(number)
        return number

    def make_room(self, pdu: Pdu, lists: Lists) -> tuple[int, int] | None:
        """Discards half of the longest list, up to 64 PDUs."""
        own = self.number(pdu)
        bits = [lists.bits(number) + pdu.bits * (number == own) for number in range(len(self.laws))]
        longest = max(range(len(bits)), key=lambda number: (bits[number], number == own, number))
        count = min(max((lists.length(longest) + (longest == own)) // 2, 1), 64)
        return (longest, count) if count <= lists.length(longest) else None

    def next_list(self, lists: Lists, _moment: Moment) -> int | None:
        """The first list that has credit and PDUs."""
        while self.new or self.old:
            turns = self.new or self.old
            first = turns[0]
            if self.credit[first] <= 0:
                self.credit[first] += self.quantum
                self.turns += 1
                self.old.append(turns.pop(0))
            elif lists.length(first):
                self.served = first
                return first
            elif turns is self.new:
                self.old.append(turns.pop(0))
            else:
                turns.pop(0)
        return None

    def on_head(self, pdu: Pdu, head: Head) -> bool:
        """CoDel of the list that is served."""
        self.longest = max(self.longest, pdu.bits)
        law = self.laws[self.served]
        law.longest = self.longest
        sent = law.on_head(pdu, head)
        self.credit[self.served] -= pdu.bits * sent
        return sent
