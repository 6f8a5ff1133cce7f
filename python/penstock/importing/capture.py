"""The IP packets of a capture file: their times, their sizes and their five-tuples."""

from __future__ import annotations

import struct
from collections import Counter
from socket import AF_INET, AF_INET6, inet_ntop
from typing import TYPE_CHECKING, BinaryIO, NamedTuple

from penstock.core.counts import counted
from penstock.importing.kinds import ROW
from penstock.importing.links import FINDERS
from penstock.importing.records import Record, Records
from penstock.importing.table import SIZE, TIME

if TYPE_CHECKING:
    from collections.abc import Iterator

    import polars as pl

FIVE_TUPLE = ("protocol", "source", "source_port", "destination", "destination_port")
"""What identifies a flow. Ports are absent in protocols without them, and in fragments."""
AT_ONCE = 100_000
"""Packets of one frame."""
PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 47: "gre", 50: "esp", 58: "icmp6", 132: "sctp"}
WITH_PORTS = (6, 17, 33, 132, 136)
"""TCP, UDP, DCCP, SCTP and UDP-Lite: two ports are the first octets of their headers."""
FRAGMENT, AUTHENTICATION = 44, 51
EXTENSIONS = (0, 43, 60, 135, 139, 140, FRAGMENT, AUTHENTICATION)
"""Headers of IP version 6 between the first and the protocol."""
LEAST_IPV4, IPV6_HEADER, NOTHING = 20, 40, 59
"""Octets of headers, and the number of the protocol that has no octets."""
BROKEN = "whose header of IP contradicts its own length"
NOT_IP, CUT, TIMELESS = "that are not IP", "that are cut before the end of the header of IP", "without a time"

LONGER = "longer by the header of IP than by the record: the header counts"
NO_LENGTH = "without a length in the header of IP: that of the record counts"
"""What may be wrong with the size of packets: a network card that divides packets leaves their length at 0."""
LATER = "behind the first fragment, without ports: a flow of its own"
SHORT = "too short for both ports: what there is of them tells the flow"
NO_PROTOCOL = "cut before the protocol: the number of the last header that is there tells the flow"
"""What may be missing in the five-tuple."""

Row = tuple[int, str, str, "int | None", str, "int | None"]
"""Octets of the IP packet, and its five-tuple."""
Ends = tuple["int | None", "int | None"]
"""The ports of both ends."""


class Header(NamedTuple):
    """What a header of IP says: octets of the packet, 0 if it does not say them, its protocol, and both addresses.

    Ports are at `ports` if the protocol has them, and the packet ends at `end`, as far as it was captured. `missing`
    says why there are none; it is empty otherwise.
    """

    size: int
    protocol: int
    source: str
    target: str
    ports: int
    end: int
    missing: str


class Capture:
    """The IP packets of a capture file. ``left_out`` counts the other packets, by the reason why they are left out."""

    flow, size, unit = FIVE_TUPLE, "octets", "packet"

    def __init__(self, stream: BinaryIO, file: str) -> None:
        self.left_out: Counter[str] = Counter()
        self._told: Counter[str] = Counter()
        self._records = Records(stream, file)

    @property
    def notes(self) -> list[str]:
        """What is said of packets that are not left out, and of those that the file has not."""
        told = (
            f"{counted(packets, 'packet')} {'is' if packets == 1 else 'are'} {what}."
            for what, packets in self._told.items()
        )
        return [*told, *self._records.notes]

    def frames(self) -> Iterator[pl.DataFrame]:
        """The packets with the columns of every frame, ``octets`` and those of the five-tuple."""
        rows: list[tuple[object, ...]] = []
        first: int | None = None
        for row, record in enumerate(self._records, 1):
            packet = _packet(record, self._told)
            if isinstance(packet, str):
                self.left_out[packet] += 1
                continue
            time_ps = record.time_ps or 0
            first = time_ps if first is None else first
            rows.append((row, time_ps - first, *packet))
            if len(rows) == AT_ONCE:
                yield _frame(rows)
                rows = []
        if rows:
            yield _frame(rows)


def _packet(record: Record, told: Counter[str]) -> Row | str:
    """The IP packet of a record, or why there is none that a trace can have. Counts what is told of its values."""
    if record.time_ps is None:
        return TIMELESS
    finder = FINDERS.get(record.link)
    if finder is None:
        return f"with a link of type {record.link}, which is not read"
    try:
        at = finder(record.octets)
        if not isinstance(at, int):
            return at or NOT_IP
        (first,) = struct.unpack_from("B", record.octets, at)
        read = {4: _version_4, 6: _version_6}.get(first >> 4)
        if read is None:
            return NOT_IP
        if (header := read(record.octets, at)) is None:
            return BROKEN
    except struct.error:
        return CUT
    size, whole = header.size, record.length - record.fcs - at
    if not size or size > whole:
        told[LONGER if size else NO_LENGTH] += 1
    ports = _ports(record.octets[: header.end], header, told)
    name = PROTOCOLS.get(header.protocol, str(header.protocol))
    return size or whole, name, header.source, ports[0], header.target, ports[1]


def _version_4(octets: bytes, at: int) -> Header | None:
    first, length, fragment, protocol, source, target = struct.unpack_from(">BxH2xHxB2x4s4s", octets, at)
    size = (first & 15) * 4
    if size < LEAST_IPV4 or 0 < length < size:
        return None
    missing = LATER if fragment & 0x1FFF else ""
    end = at + length if length else len(octets)
    return Header(length, protocol, inet_ntop(AF_INET, source), inet_ntop(AF_INET, target), at + size, end, missing)


def _version_6(octets: bytes, at: int) -> Header:
    payload, protocol, source, target = struct.unpack_from(">4xHBx16s16s", octets, at)
    size = payload + IPV6_HEADER if payload or protocol == NOTHING else 0
    end = min(at + size, len(octets)) if size else len(octets)
    place, missing = at + IPV6_HEADER, ""
    # What follows in a fragment behind the first is no header.
    while protocol in EXTENSIONS and not missing:
        if place + 4 > end:
            missing = NO_PROTOCOL
            break
        following, units, offset = struct.unpack_from(">BBH", octets, place)
        if protocol == FRAGMENT:
            missing, units = LATER if offset >> 3 else "", 0
        place += (units + 2) * 4 if protocol == AUTHENTICATION else (units + 1) * 8
        protocol = following
    return Header(size, protocol, inet_ntop(AF_INET6, source), inet_ntop(AF_INET6, target), place, end, missing)


def _ports(octets: bytes, header: Header, told: Counter[str]) -> Ends:
    """The two ports of a packet, as far as they are there. Counts those that are not."""
    if header.missing:
        told[header.missing] += 1
        return None, None
    if header.protocol not in WITH_PORTS:
        return None, None
    place, known = header.ports, len(octets) - header.ports
    if known >= 4:
        return struct.unpack_from(">HH", octets, place)
    told[SHORT] += 1
    return (int.from_bytes(octets[place : place + 2]) if known >= 2 else None), None


def _frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    import polars as pl

    of_tuple = {column: pl.Int64 if column.endswith("port") else pl.String for column in FIVE_TUPLE}
    # In 64 bits, picoseconds last 106 days, and clocks that were set jump by years.
    kinds = {ROW: pl.Int64, TIME: pl.Int128, "octets": pl.Int64, **of_tuple}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.col("octets").cast(pl.Float64).alias(SIZE))
