"""What a pcapng file says of packets that it has not: they were lost, passed no filter, or are in unknown blocks."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Iterable

from penstock.core.counts import counted
from penstock.importing.names import plain, some_of

WITHOUT_PACKETS = (4, 9, 10)
"""Types of blocks that have names of hosts, entries of a journal of the system, or secrets of encryption."""
LOST_BY_INTERFACE, LOST_BY_SYSTEM = 5, 7
"""Options of the statistics of an interface: packets that were lost since the capture began."""
UNKNOWN_LOSS = 0xFFFF
"""What an old block of a packet has instead of a number of lost packets."""


class Remarks:
    """Collects what the blocks of a file say, and makes sentences of it."""

    def __init__(self) -> None:
        self._lost: dict[tuple[int, int], tuple[int, int]] = {}
        self._lost_between = 0
        self._unread: Counter[int] = Counter()
        self._filters: dict[str, None] = {}

    def lost_between(self, packets: int) -> None:
        """So many packets were lost between a packet and the one before it."""
        self._lost_between += packets

    def unread(self, kind: int) -> None:
        """There is a block of a type that is not known."""
        self._unread[kind] += kind not in WITHOUT_PACKETS

    def filtered(self, option: bytes) -> None:
        """An interface captured only what a filter lets through, a text behind an octet of zero."""
        text = plain(option[1:].decode(errors="replace")) if option[:1] == b"\0" else ""
        self._filters[text or "one that is no text"] = None

    def statistics(self, order: str, section: int, body: bytes, options: Iterable[tuple[int, bytes]]) -> None:
        """The statistics of an interface of a section; the last count. Raises ``struct.error`` if they are cut."""
        (interface,) = struct.unpack_from(order + "I", body)
        found = {option: struct.unpack(order + "Q", value)[0] for option, value in options if len(value) == 8}
        self._lost[section, interface] = found.get(LOST_BY_INTERFACE, 0), found.get(LOST_BY_SYSTEM, 0)

    @property
    def notes(self) -> list[str]:
        """What the file says, a sentence each."""
        by_interface, by_system = (sum(lost[place] for lost in self._lost.values()) for place in (0, 1))
        notes = []
        if lost := by_interface + by_system:
            where = f"{by_interface:,} at the interface, {by_system:,} in the system"
            notes.append(f"The capture lost {counted(lost, 'packet')}, its statistics say: {where}.")
        if self._lost_between:
            notes.append(f"The capture lost {counted(self._lost_between, 'packet')} before others, which say so.")
        notes += [f"Only packets were captured that pass this filter: {text}." for text in self._filters]
        unread = [f"{number:,} of type 0x{kind:08X}" for kind, number in self._unread.items() if number]
        if unread:
            notes.append(f"Blocks that are not known were left out: {some_of(unread)}.")
        return notes
