"""The packets that capture files record: pcap, and pcapng with any sections, interfaces and blocks of packets.

Formats: draft-ietf-opsawg-pcap and draft-ietf-opsawg-pcapng. The libraries for Python that read them do not say where a
file was cut, or leave out interfaces, or have not been kept since 2022.
"""

from __future__ import annotations

import struct
from collections.abc import Iterator
from dataclasses import dataclass
from typing import BinaryIO, NamedTuple

from penstock.core.errors import InputError
from penstock.importing.remarks import UNKNOWN_LOSS, Remarks

PCAP = {
    b"\xa1\xb2\xc3\xd4": (">", 10**6),
    b"\xd4\xc3\xb2\xa1": ("<", 10**6),
    b"\xa1\xb2\x3c\x4d": (">", 10**9),
    b"\x4d\x3c\xb2\xa1": ("<", 10**9),
}
"""The first octets of a pcap file: the order of its octets, and the parts of a second in its times."""
PCAPNG = b"\x0a\x0d\x0d\x0a"
"""The first octets of a pcapng file."""
MOST_OCTETS = 1 << 26
"""Octets of one block. The largest blocks of captures have some megabytes."""
INTERFACE, OLD_PACKET, SIMPLE_PACKET, STATISTICS, PACKET = 1, 2, 3, 5, 6
"""Types of the blocks of pcapng that matter here."""
PACKETS = (OLD_PACKET, SIMPLE_PACKET, PACKET)
PACKET_HEADS = {PACKET: "5I", OLD_PACKET: "H2x4I"}
"""What precedes the octets of a packet: interface, both halves of the time, octets captured, and length."""
ORDERS = {b"\x1a\x2b\x3c\x4d": ">", b"\x4d\x3c\x2b\x1a": "<"}
PCAP_VERSION = (2, 4)
"""Of pcap since 1998: those before have the two lengths of a packet in another order."""
VERSION = 1
"""Of pcapng: other major versions mean other blocks."""
END, RESOLUTION, FILTER, FCS_LENGTH, OFFSET = 0, 9, 11, 13, 14
"""Options of an interface."""
FLAGS, LOST = 2, 4
"""Options of a packet: bits 5 to 8 of the flags are the length of its frame check sequence, 0 if that is not known."""
PICOSECONDS = 10**12


class Record(NamedTuple):
    """One packet: the type of its link, its time, its captured octets, and its length before it was cut.

    The time is in picoseconds since 1970; None in a simple block, which has none. `fcs` is the number of octets of a
    frame check sequence at its end.
    """

    link: int
    fcs: int
    time_ps: int | None
    octets: bytes
    length: int


@dataclass(frozen=True, slots=True)
class Interface:
    """What pcapng says of an interface: its link, its longest packet (0: any), and what its times count."""

    link: int
    snap: int
    fcs: int
    per_second: int
    offset_s: int


class Records:
    """The packets of a capture file, in its order.

    Raises:
        InputError: the file ends within a packet, or contradicts its format.
    """

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self._stream, self._file = stream, file
        self._packet, self._is_packet = 1, True
        self._interfaces: list[Interface] = []
        self._sections = 0
        self._remarks = Remarks()

    @property
    def notes(self) -> list[str]:
        """What the file says of packets that it has not."""
        return self._remarks.notes

    def __iter__(self) -> Iterator[Record]:
        start = self._read(4)
        for record in self._pcapng(start) if start == PCAPNG else self._pcap(start):
            yield record
            self._packet += 1

    def _pcap(self, start: bytes) -> Iterator[Record]:
        order, parts = PCAP[start]
        *version, link = struct.unpack(order + "HH12xI", self._read(20))
        if tuple(version) != PCAP_VERSION:
            reason = f"this is version {version[0]}.{version[1]} of pcap, and version 2.4 is known"
            raise InputError(reason, file=self._file, remedy="write it again, with tcpdump -r FILE -w OTHER")
        # The upper bits say whether the frame check sequence is there, and its length in units of two octets.
        fcs = (link >> 28) * 2 if link & 0x04000000 else 0
        header, part_ps = struct.Struct(order + "IIII"), PICOSECONDS // parts
        while head := self._read(16, may_end=True):
            seconds, fraction, captured, length = header.unpack(head)
            if fraction >= parts:
                raise self._damaged(f"the fraction of its time is {fraction:,} of {parts:,} parts of a second")
            time_ps = seconds * PICOSECONDS + fraction * part_ps
            yield Record(link & 0xFFFF, fcs, time_ps, self._read(captured), length)

    def _pcapng(self, start: bytes) -> Iterator[Record]:
        order = ""
        while start:
            if start == PCAPNG:
                length, magic = self._read(4), self._read(4)
                if magic not in ORDERS:
                    raise self._damaged("a section begins without the mark of the order of its octets")
                order, self._interfaces, self._sections = ORDERS[magic], [], self._sections + 1
                (version,) = struct.unpack_from(order + "H", self._body(order, length, taken=12).ljust(2, b"\0"))
                if version != VERSION:
                    raise self._damaged(f"a section has version {version} of pcapng, and version {VERSION} is known")
            else:
                (kind,) = struct.unpack(order + "I", start)
                self._is_packet = kind in PACKETS
                try:
                    yield from self._block(order, kind, self._body(order, self._read(4), taken=8))
                except struct.error:
                    raise self._damaged("a block is too short for its type") from None
            self._is_packet = True
            start = self._read(4, may_end=True)

    def _body(self, order: str, length: bytes, taken: int) -> bytes:
        """The rest of a block of which so many octets have been taken, without the length that ends it."""
        (octets,) = struct.unpack(order + "I", length)
        if octets < taken + 4:
            raise self._damaged(f"a block has a length of {octets} octets")
        body = self._read((octets + 3) // 4 * 4 - taken)
        if body[-4:] != length:
            raise self._damaged("the two lengths of a block differ")
        return body[:-4]

    def _block(self, order: str, kind: int, body: bytes) -> Iterator[Record]:
        if kind == INTERFACE:
            self._interfaces.append(self._interface(order, body))
        elif kind in PACKET_HEADS:
            number, high, low, captured, length = struct.unpack_from(order + PACKET_HEADS[kind], body)
            if kind == OLD_PACKET and (lost := struct.unpack_from(order + "H", body, 2)[0]) != UNKNOWN_LOSS:
                self._remarks.lost_between(lost)
            record = self._record(number, (high << 32) + low, body[20:], captured, length)
            yield self._with_options(order, record, kind, body[20 + (captured + 3) // 4 * 4 :])
        elif kind == SIMPLE_PACKET:
            (length,) = struct.unpack_from(order + "I", body)
            snap = self._interfaces[0].snap if self._interfaces else 0
            yield self._record(0, None, body[4:], min(length, snap or length), length)
        elif kind == STATISTICS:
            self._remarks.statistics(order, self._sections, body, _options(order, body[12:]))
        else:
            self._remarks.unread(kind)

    def _with_options(self, order: str, record: Record, kind: int, options: bytes) -> Record:
        """A packet with the length of its frame check sequence, if its own options say it: its interface is asked else.

        They may also say that packets before it were lost.
        """
        for option, value in _options(order, options):
            if option == FLAGS and len(value) == 4 and (fcs := struct.unpack(order + "I", value)[0] >> 5 & 0xF):
                record = record._replace(fcs=fcs)
            elif option == LOST and kind == PACKET and len(value) == 8:
                self._remarks.lost_between(struct.unpack(order + "Q", value)[0])
        return record

    def _record(self, number: int, time: int | None, octets: bytes, captured: int, length: int) -> Record:
        if number >= len(self._interfaces):
            raise self._damaged(f"it is from interface {number}, and the section has {len(self._interfaces)}")
        if captured > len(octets):
            raise self._damaged(f"it has {captured:,} octets in a block with room for {len(octets):,}")
        at = self._interfaces[number]
        time_ps = None if time is None else time * PICOSECONDS // at.per_second + at.offset_s * PICOSECONDS
        return Record(at.link, at.fcs, time_ps, octets[:captured], length)

    def _interface(self, order: str, body: bytes) -> Interface:
        link, snap = struct.unpack_from(order + "H2xI", body)
        per_second, fcs, offset_s = 10**6, 0, 0
        for option, value in _options(order, body[8:]):
            if option == RESOLUTION and value:
                per_second = 2 ** (value[0] & 0x7F) if value[0] & 0x80 else 10 ** value[0]
            elif option == FCS_LENGTH and value:
                # In bits, but the example of the format is "4".
                fcs = value[0] // 8 or value[0]
            elif option == FILTER:
                self._remarks.filtered(value)
            elif option == OFFSET:
                (offset_s,) = struct.unpack(order + "q", value[:8])
        return Interface(link, snap, fcs, per_second, offset_s)

    def _read(self, count: int, *, may_end: bool = False) -> bytes:
        """So many octets; none at the end of the file, if it may end here."""
        if count > MOST_OCTETS:
            raise self._damaged(f"it would have {count:,} octets")
        octets = self._stream.read(count)
        if len(octets) < count and (octets or not may_end):
            if self._packet == 1:
                reason = "the file ends within its first packet or before it, so no packet is whole"
                raise InputError(reason, file=self._file, remedy="copy the file again, or capture again")
            place = f"packet {self._packet}" if self._is_packet else f"a block behind packet {self._packet - 1}"
            remedy = "write the packets before it to another file, with tcpdump -r FILE -w OTHER"
            raise InputError(f"the file ends within {place}", file=self._file, remedy=remedy)
        return octets

    def _damaged(self, reason: str) -> InputError:
        remedy = "write the file again with the tool that made it"
        remedy += ", or the packets before the damage, with editcap" if self._packet > 1 else ""
        return InputError(f"the file is damaged at packet {self._packet}: {reason}", file=self._file, remedy=remedy)


def _options(order: str, octets: bytes) -> Iterator[tuple[int, bytes]]:
    """The options at the end of a block, each with its octets."""
    place = 0
    while place + 4 <= len(octets):
        option, length = struct.unpack_from(order + "HH", octets, place)
        if option == END:
            return
        place += 4
        yield option, octets[place : place + length]
        place += (length + 3) // 4 * 4
