"""Packets of a capture file, pcap or pcapng, read with dpkt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, BinaryIO, cast

from penstock.core.errors import InputError
from penstock.importing.library import missing
from penstock.importing.table import ROW, SIZE, TIME

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from decimal import Decimal
    from types import ModuleType

    import polars as pl

PCAP = (b"\xa1\xb2\xc3\xd4", b"\xd4\xc3\xb2\xa1", b"\xa1\xb2\x3c\x4d", b"\x4d\x3c\xb2\xa1")
"""The first octets of a pcap file: times in micro- or nanoseconds, either order of octets."""
PCAPNG = b"\x0a\x0d\x0d\x0a"
"""The first octets of a pcapng file."""
FIVE_TUPLE = ("protocol", "source", "source_port", "destination", "destination_port")
"""What identifies a flow. Ports are absent in protocols without them, and in fragments."""
AT_ONCE = 100_000
"""Packets of one frame."""
IPV6_HEADER = 40


class Capture:
    """The IP packets of a capture file. ``others`` counts the packets that are not IP, which are left out."""

    flow = FIVE_TUPLE

    def __init__(self, stream: BinaryIO, start: bytes, file: str) -> None:
        self._file = file
        self.others = 0
        self._dpkt = _import_dpkt(file)
        read = self._dpkt.pcapng.Reader if start[:4] == PCAPNG else self._dpkt.pcap.Reader
        try:
            self._packets = read(stream)
        except (ValueError, self._dpkt.UnpackError) as error:
            raise InputError(
                f"this is no capture that can be read: {error}", file=file, remedy="write it again, with tcpdump -w"
            ) from None
        self._decode = self._decoder()

    def frames(self) -> Iterator[pl.DataFrame]:
        """The packets with the columns of every frame, ``octets`` and those of the five-tuple."""
        rows: list[tuple[object, ...]] = []
        first: int | None = None
        for row, (time, octets) in enumerate(self._each(), 1):
            time_ps = _picoseconds(time)
            first = time_ps if first is None else first
            packet = self._packet(octets)
            if packet is None:
                self.others += 1
                continue
            rows.append((row, time_ps - first, *packet))
            if len(rows) == AT_ONCE:
                yield _frame(rows)
                rows = []
        if rows:
            yield _frame(rows)

    def _each(self) -> Iterator[tuple[float | Decimal, bytes]]:
        row = 0
        try:
            for time, octets in self._packets:
                yield time, octets
                row += 1
        except (ValueError, self._dpkt.UnpackError, OSError) as error:
            raise InputError(
                f"the file ends within packet {row + 1}, or is damaged there: {error}",
                file=self._file,
                remedy="write the packets before it to another file, with tcpdump -r FILE -w OTHER",
            ) from None

    def _decoder(self) -> Callable[[bytes], Any]:
        """The function that finds the network layer in a packet, by the type of the link."""
        dpkt = self._dpkt
        link = self._packets.datalink()
        layers: dict[int, Callable[[bytes], Any]] = {
            dpkt.pcap.DLT_NULL: lambda octets: dpkt.loopback.Loopback(octets).data,
            dpkt.pcap.DLT_LOOP: lambda octets: dpkt.loopback.Loopback(octets).data,
            dpkt.pcap.DLT_EN10MB: lambda octets: dpkt.ethernet.Ethernet(octets).data,
            dpkt.pcap.DLT_LINUX_SLL: lambda octets: dpkt.sll.SLL(octets).data,
            dpkt.pcap.DLT_LINUX_SLL2: lambda octets: dpkt.sll2.SLL2(octets).data,
        }
        raw = {12, 14, 101, 228, 229}  # IP without a link layer, on any system
        if link in raw:
            return lambda octets: (dpkt.ip6.IP6 if octets[0] >> 4 == 6 else dpkt.ip.IP)(octets)
        if link not in layers:
            raise InputError(
                f"the packets have a link layer of type {link}, which is not known",
                file=self._file,
                remedy="capture Ethernet, Linux cooked or raw IP, or give a table of times and sizes",
            )
        return layers[link]

    def _packet(self, octets: bytes) -> tuple[object, ...] | None:
        """Octets of the IP packet, and its five-tuple; None if it is not IP."""
        dpkt = self._dpkt
        try:
            packet = self._decode(octets)
        except (dpkt.UnpackError, IndexError):
            return None
        if isinstance(packet, dpkt.ip.IP):
            # A network card that segments by itself leaves the length at 0.
            size, protocol, first = packet.len or len(packet), packet.p, packet.offset == 0
        elif isinstance(packet, dpkt.ip6.IP6):
            size, protocol = (packet.plen or len(packet.data)) + IPV6_HEADER, packet.p
            first = not any(getattr(header, "frag_off", 0) for header in packet.extension_hdrs.values() if header)
        else:
            return None
        data = packet.data
        ports = (getattr(data, "sport", None), getattr(data, "dport", None)) if first else (None, None)
        source, destination = dpkt.utils.inet_to_str(packet.src), dpkt.utils.inet_to_str(packet.dst)
        return size, _PROTOCOLS.get(protocol, str(protocol)), source, ports[0], destination, ports[1]


_PROTOCOLS = {1: "icmp", 6: "tcp", 17: "udp", 47: "gre", 50: "esp", 58: "icmp6", 132: "sctp"}


def _picoseconds(time: float | Decimal) -> int:
    """A time in seconds. dpkt gives nanoseconds of pcap exactly, as a decimal, and others as a float."""
    if isinstance(time, float):  # of today's seconds, a float has seven digits after the point
        return round(time * 1e6) * 10**6
    return int(time * 10**12)


def _frame(rows: list[tuple[object, ...]]) -> pl.DataFrame:
    import polars as pl

    of_tuple = {column: pl.Int64 if column.endswith("port") else pl.String for column in FIVE_TUPLE}
    kinds = {ROW: pl.Int64, TIME: pl.Int64, "octets": pl.Int64, **of_tuple}
    return pl.DataFrame(rows, schema=kinds, orient="row").with_columns(pl.col("octets").cast(pl.Float64).alias(SIZE))


def _import_dpkt(file: str) -> ModuleType:
    try:
        import dpkt
    except ImportError:
        raise missing("dpkt", "a capture", file) from None
    return cast("ModuleType", dpkt)
