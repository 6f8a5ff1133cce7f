"""Captures as people have them: any link, any block of pcapng, cut packets and cut files. All are made here by hand."""

from __future__ import annotations

import gzip
import struct
from collections.abc import Iterable
from pathlib import Path

import polars as pl
import pytest
from conftest import Command

from penstock import InputError, import_trace
from penstock.core.traces import folder
from penstock.importing.capture import BROKEN, CUT, NOT_IP, TIMELESS
from penstock.importing.links import CARRIED, CHANGED, OTHER_SNAP
from penstock.importing.trace import ImportedTrace

START_S = 1_700_000_000
A, B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
ETHERNET, RAW = 1, 101
MAC = bytes(12)
SECOND_PS = 10**12


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


def ip(octets: int, source_port: int = 1000, length: int | None = None) -> bytes:
    """A UDP packet of so many octets, which its header may deny."""
    header = struct.pack(">BBHHHBBH", 0x45, 0, octets if length is None else length, 1, 0, 64, 17, 0) + A + B
    return (header + struct.pack(">HHHH", source_port, 2000, octets & 0xFFFF, 0)).ljust(octets, b"\0")


def ip_6(payload: bytes, following: int, length: int | None = None) -> bytes:
    length = len(payload) if length is None else length
    return struct.pack(">IHBB", 6 << 28, length, following, 64) + bytes(15) + b"\1" + bytes(15) + b"\2" + payload


def pcap(packets: Iterable[bytes], link: int = ETHERNET, snap: int = 262_144, lengths: Iterable[int] = ()) -> bytes:
    """A capture with a packet each second."""
    body = b""
    for number, (packet, length) in enumerate(zip(packets, [*lengths] or map(len, packets), strict=True)):
        cut = packet[:snap]
        body += struct.pack("<IIII", START_S + number, 0, len(cut), length) + cut
    return struct.pack("<IHHiIII", 0xA1B2C3D4, 2, 4, 0, 0, snap, link) + body


def block(kind: int, body: bytes, order: str = "<") -> bytes:
    body += bytes(-len(body) % 4)
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def section(order: str = "<") -> bytes:
    return block(0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1), order)


def interface(link: int, snap: int = 0, order: str = "<", **options: int) -> bytes:
    body = struct.pack(order + "HHI", link, 0, snap)
    for number, kind, name in ((9, "Bxxx", "resolution"), (13, "Bxxx", "fcs"), (14, "q", "offset_s")):
        if name in options:
            value = struct.pack(order + kind, options[name])
            body += struct.pack(order + "HH", number, 8 if kind == "q" else 1) + value
    return block(1, body, order)


def packet(number: int, time: int, octets: bytes, order: str = "<", options: bytes = b"") -> bytes:
    head = struct.pack(order + "IIIII", number, time >> 32, time & 0xFFFFFFFF, len(octets), len(octets))
    return block(6, head + octets + bytes(-len(octets) % 4) + options, order)


def read(tmp_path: Path, content: bytes, name: str = "a.pcap") -> ImportedTrace:
    (tmp_path / name).write_bytes(content)
    return import_trace(tmp_path / name)


def packets(trace: ImportedTrace) -> list[tuple[int, int, int]]:
    """Time in picoseconds, octets and flow of each packet."""
    return pl.read_parquet(folder() / trace.sha256 / "packets-*.parquet").rows()


def flows(trace: ImportedTrace) -> list[tuple[object, ...]]:
    """What identifies each flow."""
    return [row[:5] for row in pl.read_parquet(folder() / trace.sha256 / "flows.parquet").rows()]


SNAP = b"\xaa\xaa\x03\0\0\0\x08\0"
LINKS = {
    "BSD loopback": (0, struct.pack("<I", 2)),
    "OpenBSD loopback": (108, struct.pack(">I", 2)),
    "Ethernet": (1, MAC + b"\x08\0"),
    "Ethernet with the bit of its FCS": (1 | 0x04000000 | 2 << 28, MAC + b"\x08\0"),
    "VLAN": (1, MAC + b"\x81\0\0\2\x08\0"),
    "QinQ": (1, MAC + b"\x88\xa8\0\1\x81\0\0\2\x08\0"),
    "old QinQ": (1, MAC + b"\x91\0\0\1\x81\0\0\2\x08\0"),
    "PPPoE": (1, MAC + b"\x88\x64\x11\0\0\1\0\x1e\0\x21"),
    "PPPoE in a VLAN": (1, MAC + b"\x81\0\0\2\x88\x64\x11\0\0\1\0\x1e\0\x21"),
    "SNAP": (1, MAC + b"\0\x24" + SNAP),
    "LLC of IP": (1, MAC + b"\0\x1f\6\6\3"),
    "MPLS": (1, MAC + b"\x88\x47\0\1\0\x40\0\2\1\x40"),
    "PPP as ns-3 writes it": (9, b"\0\x21"),
    "PPP with address and control": (9, b"\xff\x03\0\x21"),
    "PPP with a short protocol": (9, b"\x21"),
    "PPP over HDLC": (50, b"\xff\x03\0\x21"),
    "PPP, but Cisco HDLC": (9, b"\x0f\0\x08\0"),
    "PPP over HDLC, but Cisco HDLC": (50, b"\x8f\0\x08\0"),
    "PPPoE alone": (51, b"\x11\0\0\1\0\x1e\0\x21"),
    "PPP with direction": (204, b"\1\xff\x03\0\x21"),
    "PPP with direction, without framing": (204, b"\1\0\x21"),
    "PPP of pppd, received": (166, b"\0\x03\0\x21"),
    "PPP of pppd, sent, with a short protocol": (166, b"\1\x03\x21"),
    "PPP of pppd without control": (166, b"\1\0\x21"),
    "ATM with LLC": (100, SNAP),
    "ATM with LLC of IP": (100, b"\6\6\3"),
    "ATM, bridged with a check sequence": (100, b"\xaa\xaa\x03\0\x80\xc2\0\1\0\0" + MAC + b"\x08\0"),
    "ATM, bridged": (100, b"\xaa\xaa\x03\0\x80\xc2\0\7\0\0" + MAC + b"\x81\0\0\2\x08\0"),
    "ATM with ISO's identifier of IP": (100, b"\xfe\xfe\x03\xcc"),
    "SNAP of a bridge": (1, MAC + b"\0\x24\xaa\xaa\x03\0\0\xf8\x08\0"),
    "priority tag": (1, MAC + b"\x81\0\xe0\0\x08\0"),
    "SNAP in a VLAN": (1, MAC + b"\x81\0\0\2\0\x24" + SNAP),
    "cooked LLC": (113, bytes(14) + b"\0\4" + SNAP),
    "cooked VLAN": (113, bytes(14) + b"\x81\0\0\2\x08\0"),
    "Cisco HDLC": (104, b"\x0f\0\x08\0"),
    "raw IP": (101, b""),
    "raw IP of BSD": (12, b""),
    "raw IP of version 4": (228, b""),
    "cooked": (113, bytes(14) + b"\x08\0"),
    "cooked, version 2": (276, b"\x08\0" + bytes(18)),
}


@pytest.mark.parametrize("link", LINKS)
def test_the_packets_of_a_link_are_those_of_ip(link: str, tmp_path: Path) -> None:
    number, header = LINKS[link]
    trace = read(tmp_path, pcap([header + ip(60), header + ip(1500)], number))
    assert packets(trace) == [(0, 60, 0), (SECOND_PS, 1500, 0)]
    assert flows(trace) == [("udp", "10.0.0.1", 1000, "10.0.0.2", 2000)]
    assert not trace.left_out


def test_what_is_no_ip_is_counted_by_its_reason(tmp_path: Path) -> None:
    others = [
        MAC + b"\x08\x06" + bytes(28),  # ARP
        MAC + b"\0\x26\x42\x42\x03" + bytes(35),  # spanning tree over LLC
        MAC + b"\x88\x64\x11\0\0\1\0\x1e\xc0\x21" + bytes(8),  # PPPoE with LCP
        MAC + b"\x08\0" + bytes(40),  # no version of IP
        MAC + b"\x08\0\x42" + bytes(40),  # a header of 8 octets
        MAC + b"\x08\0" + ip(60, length=19),
        MAC + b"\x81\0\0",  # cut in the tag
        MAC + b"\x08\0" + ip(60)[:19],  # cut in the header
    ]
    trace = read(tmp_path, pcap([MAC + b"\x08\0" + ip(60), *others]))
    assert trace.left_out == {NOT_IP: 4, BROKEN: 2, CUT: 2}
    assert "# 4 packets that are not IP were left out.\n# 2 packets whose header" in trace.to_toml()


@pytest.mark.parametrize(
    ("link", "header", "reason"),
    [
        (1, MAC + b"\0\x24\xaa\xaa\x03\0\0\x0c\x08\0", OTHER_SNAP),  # a type of Cisco's own
        (100, b"\xaa\xaa\x03\0\x80\xc2\0\x0a\0\0", OTHER_SNAP),  # bridged FDDI
        (1, MAC + b"\x88\xe5" + bytes(8), CARRIED),  # MACsec
        (1, MAC + b"\x81\0\0\1\x88\xe7" + bytes(16), CARRIED),  # the bridge of a provider
        (9, b"\0\x2d", CHANGED),
        (9, b"\xff\x03\0\xfd", CHANGED),
        (166, b"\1\x03\0\x3d", CHANGED),
        (166, b"\1\x03\xc0\x21", NOT_IP),
    ],
)
def test_what_may_be_ip_behind_a_header_that_is_not_read_has_its_own_reason(
    link: int, header: bytes, reason: str, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match=f"no IP packet with a time, but 2 {reason}"):
        read(tmp_path, pcap([header + ip(60), header + ip(60)], link))


def test_a_link_that_is_not_read_is_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no IP packet with a time, but 2 with a link of type 147, which is not read"):
        read(tmp_path, pcap([ip(60), ip(60)], link=147))


def test_a_short_snap_length_keeps_the_ports_it_has(tmp_path: Path) -> None:
    frames = [MAC + b"\x08\0" + ip(1500, port) for port in (1, 2, 1)]
    trace = read(tmp_path, pcap(frames, snap=38, lengths=[1514] * 3))
    assert [(octets, flow) for _, octets, flow in packets(trace)] == [(1500, 0), (1500, 1), (1500, 0)]
    assert [row[2] for row in flows(trace)] == [1, 2]
    # 36 octets end with the port of the source, and 34 with the header of IP.
    assert flows(read(tmp_path, pcap(frames, snap=36, lengths=[1514] * 3)))[0][2:] == (1, "10.0.0.2", None)
    assert flows(read(tmp_path, pcap(frames, snap=34, lengths=[1514] * 3)))[0][2:] == (None, "10.0.0.2", None)


def test_a_length_of_0_is_that_of_the_frame_without_its_check_sequence(tmp_path: Path) -> None:
    frame = MAC + b"\x08\0" + ip(3000, length=0) + bytes(4)
    link = 1 | 0x04000000 | 2 << 28  # two units of two octets
    trace = read(tmp_path, pcap([frame], link, snap=60, lengths=[3018]))
    assert packets(trace) == [(0, 3000, 0)]
    content = section() + interface(1, fcs=4) + packet(0, 0, frame)
    assert packets(read(tmp_path, content)) == [(0, 3000, 0)]


def test_a_length_of_ip_that_the_record_denies_is_told(tmp_path: Path) -> None:
    frame = MAC + b"\x08\0"
    contents = [frame + ip(60), frame + ip(60, length=1500), frame + ip(100, length=0), frame + ip(60, length=61)]
    trace = read(tmp_path, pcap([*contents, frame + ip_6(bytes(8), 17, 0)]))
    assert [octets for _, octets, _ in packets(trace)] == [60, 1500, 100, 61, 48]
    told = trace.to_toml()
    assert "# 2 packets are longer by the header of IP than by the record: the header counts.\n" in told
    assert "# 2 packets are without a length in the header of IP: that of the record counts.\n" in told
    # The record was longer than what of it was captured.
    trace = read(tmp_path, pcap([frame + ip(1500)], snap=60, lengths=[1514]))
    assert (packets(trace)[0][1], trace.notes) == (1500, ())


def test_ports_are_those_of_the_packet_and_no_octets_behind_it(tmp_path: Path) -> None:
    padded = MAC + b"\x08\0" + ip(20) + bytes(18)  # the ports are behind the length of IP
    assert flows(read(tmp_path, pcap([padded])))[0] == ("udp", "10.0.0.1", None, "10.0.0.2", None)
    part = padded[:16] + b"\0\x16" + padded[18:]  # 22 octets: one port
    assert flows(read(tmp_path, pcap([part])))[0][2::2] == (1000, None)
    later = ip_6(struct.pack(">BBHI", 60, 0, 8 << 3, 1) + bytes([17, 0, 1, 4, 0, 0, 0, 0, 0, 7, 0, 8]), 44)
    # The data of a later fragment look like a header of options.
    assert [row[0] for row in flows(read(tmp_path, pcap([later], RAW)))] == ["60"]


def test_a_packet_larger_than_ip_allows_is_refused_with_a_remedy_that_works(tmp_path: Path) -> None:
    content = pcap([MAC + b"\x08\0" + ip(60), MAC + b"\x08\0" + ip(70_000, length=0)])
    with pytest.raises(InputError, match=r"packet 2: this IP packet has 70,000 octets.*--where \"octets <= 65535\""):
        read(tmp_path, content)
    assert import_trace(tmp_path / "a.pcap", where="octets <= 65535").packets == 1


def test_headers_of_version_6(tmp_path: Path) -> None:
    udp = struct.pack(">HHHH", 7, 8, 8, 0)
    hops = bytes([17, 0, 1, 4, 0, 0, 0, 0])
    trace = read(tmp_path, pcap([ip_6(udp, 17), ip_6(hops + udp, 0), ip_6(b"", 59), ip_6(b"", 17, 8)], RAW))
    assert [(octets, flow) for _, octets, flow in packets(trace)] == [(48, 0), (56, 0), (40, 1), (48, 2)]
    assert [(row[0], row[2]) for row in flows(trace)] == [("udp", 7), ("59", None), ("udp", None)]


def test_interfaces_of_a_pcapng_have_their_own_links_and_clocks(tmp_path: Path) -> None:
    content = (
        section()
        + interface(ETHERNET)  # microseconds
        + interface(RAW, resolution=9)
        + interface(RAW, resolution=0x80 | 10, offset_s=START_S - 5)  # 1/1024 s, from another year
        + packet(0, START_S * 10**6, MAC + b"\x08\0" + ip(60))
        + packet(1, START_S * 10**9 + 1, ip(61))
        + block(5, bytes(12))  # statistics
        + packet(2, 5 * 1024 + 1, ip(62))
    )
    assert packets(read(tmp_path, content)) == [(0, 60, 0), (1000, 61, 0), (SECOND_PS // 1024, 62, 0)]


def test_times_may_be_before_1970_but_not_reversed(tmp_path: Path) -> None:
    head = section() + interface(RAW, resolution=9, offset_s=-10)
    times = [packet(0, time, ip(60)) for time in (1, 10**10, 10**10 + 7)]
    assert [row[0] for row in packets(read(tmp_path, head + b"".join(times)))] == [
        0,
        10 * SECOND_PS - 1000,
        10**13 + 6000,
    ]
    with pytest.raises(
        InputError, match=r"packet 3: this is earlier .*sort the packets by time \(captures: reordercap\)"
    ):
        read(tmp_path, head + times[0] + times[2] + times[1])


def test_a_section_has_its_own_order_of_octets_and_interfaces(tmp_path: Path) -> None:
    first = section() + interface(RAW) + packet(0, START_S * 10**6, ip(60))
    second = (
        section(">") + interface(113, order=">") + packet(0, (START_S + 1) * 10**6, LINKS["cooked"][1] + ip(61), ">")
    )
    assert packets(read(tmp_path, first + second)) == [(0, 60, 0), (SECOND_PS, 61, 0)]


def test_old_and_simple_blocks_of_packets(tmp_path: Path) -> None:
    time = START_S * 10**6
    old = struct.pack("<HHIIII", 0, 3, time >> 32, time & 0xFFFFFFFF, 60, 60) + ip(60)
    content = section() + interface(RAW) + block(2, old) + block(3, struct.pack("<I", 60) + ip(60))
    trace = read(tmp_path, content)
    assert packets(trace) == [(0, 60, 0)]
    assert trace.left_out == {TIMELESS: 1}


@pytest.mark.parametrize(
    ("content", "told"),
    [
        (pcap([ip(60), ip(60)], RAW)[:-1], "the file ends within packet 2"),
        (pcap([ip(60), ip(60)], RAW)[:-70], "the file ends within packet 2"),
        (
            pcap([ip(60)], RAW)[:20],
            "first packet or before it, so no packet is whole; copy the file again",
        ),
        (
            (section() + interface(RAW) + packet(0, 0, ip(60)))[:-1],
            "ends within its first packet or before it",
        ),
        ((section() + interface(RAW) + packet(0, 0, ip(60)) + b"\6\0"), "the file ends within packet 2"),
        (
            (section() + interface(RAW) + packet(0, 0, ip(60)) + block(5, bytes(12)))[:-3],
            "the file ends within a block behind packet 1; write the packets before it",
        ),
        (section() + packet(0, 0, ip(60)), "packet 1: it is from interface 0, and the section has 0; .*made it$"),
        (section() + interface(RAW) + block(6, bytes(8)), "packet 1: a block is too short for its type"),
        (section() + block(6, bytes(8))[:-4] + b"\1\0\0\0", "the two lengths of a block differ"),
        (section()[:8] + bytes(20), "a section begins without the mark of the order of its octets"),
        (section().replace(b"\1\0\0\0", b"\2\0\0\0", 1), "packet 1: a section has version 2 of pcapng"),
        (section() + struct.pack("<II", 6, 0), "a block has a length of 0 octets"),
        (pcap([ip(60)], RAW)[:32] + b"\xff\xff\xff\xff" + bytes(80), "packet 1: it would have 4,294,967,295 octets"),
        (
            section() + interface(RAW) + block(6, struct.pack("<IIIII", 0, 0, 0, 99, 99)),
            "it has 99 octets in a block with room for 0",
        ),
        (pcap([], RAW).replace(b"\2\0\4\0", b"\2\0\3\0", 1), "this is version 2.3 of pcap, and version 2.4 is known"),
        (
            pcap([], RAW) + struct.pack("<IIII", 1, 10**6, 60, 60) + ip(60),
            "packet 1: the fraction of its time is 1,000,000 of 1,000,000 parts of a second",
        ),
        (b"\xa1\xb2\xcd\x34" + bytes(40), "this is a modified pcap, which is not read; make it one of pcapng: editcap"),
        (b"\xa1\xb2\xcd\x35" + bytes(40), "this is no pcap and no pcapng: it begins with a1 b2 cd 35"),
        (b"snoop\0\0\0" + bytes(40), "this is a capture of snoop, which is not read"),
        (b"\x28\xb5\x2f\xfd" + bytes(40), "this is compressed by zstd, which is not read; unpack it: unzstd FILE"),
        (b"", "this is no pcap and no pcapng: it is empty"),
        (gzip.compress(pcap([ip(60)], RAW))[:-9], "the compressed file is damaged"),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)
def test_a_cut_or_damaged_file_says_so_and_where(content: bytes, told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        read(tmp_path, content)
    assert not list((tmp_path / "traces").glob("*"))


def test_a_jump_of_the_clock_is_the_refusal_of_a_long_trace(tmp_path: Path, penstock: Command) -> None:
    packets_of_years = [struct.pack("<IIII", time, 0, 60, 60) + ip(60) for time in (0, START_S, START_S + 1)]
    (tmp_path / "gap.pcap").write_bytes(pcap([], RAW) + b"".join(packets_of_years))
    done = penstock("import", str(tmp_path / "gap.pcap"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "gap.pcap: packet 2: the trace lasts 19,676 days; it may last 100; was a clock set?" in done.stderr
    content = section() + interface(RAW, resolution=0) + packet(0, 0, ip(60)) + packet(0, 2**64 - 1, ip(60))
    with pytest.raises(InputError, match="packet 2: the trace lasts 213,503,982,334,601 days"):
        read(tmp_path, content)


def test_gzip_of_a_capture_is_that_capture(tmp_path: Path) -> None:
    content = pcap([ip(60), ip(61)], RAW)
    wanted = read(tmp_path, content).sha256
    assert read(tmp_path, gzip.compress(content), "a.pcap.gz").sha256 == wanted
    assert read(tmp_path, gzip.compress(content), "a.gz").sha256 == wanted
    (tmp_path / "t.csv.gz").write_bytes(gzip.compress(b"time,size\n0,60\n1,61\n"))
    assert import_trace(tmp_path / "t.csv.gz", time="time:s", size="size:octets").sha256 == wanted


def test_what_a_killed_import_left_is_removed_by_the_next(tmp_path: Path) -> None:
    left = tmp_path / "traces" / ".123.partial"
    left.mkdir(parents=True)
    (left / "packets-00000.parquet").write_bytes(b"PAR1")
    trace = read(tmp_path, pcap([ip(60)], RAW))
    assert [entry.name for entry in (tmp_path / "traces").iterdir()] == [trace.sha256]


def test_an_import_leaves_what_another_is_writing(tmp_path: Path) -> None:
    from penstock.core.traces import Writer

    with Writer() as writer:
        read(tmp_path, pcap([ip(60)], RAW))
        writer.add(pl.DataFrame({"time_ps": [0], "octets": [1], "flow": [0]}, schema_overrides={"time_ps": pl.UInt64}))
        flow = pl.DataFrame({"flow": [0]}, schema={"flow": pl.UInt32})
        writer.finish(flow)
    assert len(list((tmp_path / "traces").iterdir())) == 2


@pytest.mark.parametrize("order", ["<", ">"])
def test_a_packet_says_the_length_of_its_frame_check_sequence(order: str, tmp_path: Path) -> None:
    """The card has left the length of IP at 0, so that of the record counts, without the sequence at its end."""
    octets = MAC + b"\x08\0" + ip(1500, length=0)

    def flagged(fcs: int, comment: bytes = b"") -> bytes:
        before = struct.pack(order + "HH", 1, len(comment)) + comment + bytes(-len(comment) % 4) if comment else b""
        flags = before + struct.pack(order + "HHI", 2, 4, fcs << 5 | 1) + bytes(4)
        return packet(0, START_S * 10**6, octets + bytes(fcs), order, flags)

    of_interface = packet(0, START_S * 10**6, octets + bytes(2), order, struct.pack(order + "HHI", 2, 4, 1))
    whole = section(order) + interface(ETHERNET, order=order, fcs=2) + flagged(4) + flagged(4, b"odd") + of_interface
    assert [size for _, size, _ in packets(read(tmp_path, whole))] == [1500, 1500, 1500]
    old = struct.pack(order + "HH4I", 0, 0, 0, START_S, len(octets) + 4, len(octets) + 4) + octets + bytes(4)
    flags = bytes(-len(octets) % 4) + struct.pack(order + "HHI", 2, 4, 4 << 5)
    whole = section(order) + interface(ETHERNET, order=order) + block(2, old + flags, order)
    assert [size for _, size, _ in packets(read(tmp_path, whole))] == [1500]


def option(number: int, value: bytes) -> bytes:
    return struct.pack("<HH", number, len(value)) + value + bytes(-len(value) % 4)


def statistics(of_interface: int, by_interface: int, by_system: int) -> bytes:
    counts = ((4, 100), (5, by_interface), (7, by_system))
    body = struct.pack("<III", of_interface, 0, 0)
    return block(5, body + b"".join(option(number, struct.pack("<Q", count)) for number, count in counts))


def test_packets_that_a_capture_has_lost_are_told(tmp_path: Path) -> None:
    time = START_S * 10**6
    own = packet(0, time, ip(60), options=option(2, bytes(4)) + option(4, struct.pack("<Q", 9)) + bytes(4))
    old = b"".join(
        block(2, struct.pack("<HHIIII", 0, lost, time >> 32, time & 0xFFFFFFFF, 60, 60) + ip(60))
        for lost in (5, 0xFFFF)
    )
    # The last statistics of each interface of each section count.
    first = section() + interface(RAW) + interface(RAW) + own + old + statistics(0, 3, 0) + statistics(0, 4, 1)
    trace = read(tmp_path, first + statistics(1, 2, 0) + section() + interface(RAW) + own + statistics(0, 10, 0))
    assert trace.packets == 4
    assert trace.notes == (
        "The capture lost 17 packets, its statistics say: 16 at the interface, 1 in the system.",
        "The capture lost 23 packets before others, which say so.",
    )
    assert "# The capture lost 23 packets before others, which say so.\n" in trace.to_toml()
    assert read(tmp_path, section() + interface(RAW) + packet(0, time, ip(60)) + statistics(0, 0, 0)).notes == ()


def test_blocks_that_are_not_known_and_filters_are_told(tmp_path: Path) -> None:
    others = [
        block(4, bytes(4)),
        block(0xBAD, bytes(8)),
        block(0x40000BAD, bytes(8)),
        block(0xBAD, bytes(8)),
        block(9, b"{}"),
    ]
    filtered = block(1, struct.pack("<HHI", RAW, 0, 0) + option(11, b"\0tcp port 80") + option(11, b"\1\6\0\0"))
    trace = read(tmp_path, section() + filtered + b"".join(others) + packet(0, START_S * 10**6, ip(60)))
    assert trace.notes == (
        "Only packets were captured that pass this filter: tcp port 80.",
        "Only packets were captured that pass this filter: one that is no text.",
        "Blocks that are not known were left out: 2 of type 0x00000BAD, 1 of type 0x40000BAD.",
    )


def test_the_check_sequence_of_an_interface_may_be_in_bits(tmp_path: Path) -> None:
    for fcs, octets in ((4, 4), (32, 4), (16, 2), (2, 2), (0, 0)):
        frame = MAC + b"\x08\0" + ip(1500, length=0) + bytes(octets)
        assert packets(read(tmp_path, section() + interface(ETHERNET, fcs=fcs) + packet(0, 0, frame))) == [(0, 1500, 0)]


def test_what_is_missing_in_a_five_tuple_is_told(tmp_path: Path) -> None:
    def fragment(offset: int) -> bytes:
        return ip(60)[:6] + struct.pack(">H", offset) + ip(60)[8:]

    udp = struct.pack(">HHHH", 7, 8, 8, 0)
    hops = ip_6(bytes([17, 0, 1, 4, 0, 0, 0, 0]) + udp, 0)
    contents = [ip(60), ip(60), fragment(5), fragment(0x2000), hops, hops, ip_6(b"\0\7", 17)]
    kept = [60, 23, 60, 60, 56, 43, 42]
    written = b"".join(
        struct.pack("<IIII", START_S, number, size, len(content)) + content[:size]
        for number, (content, size) in enumerate(zip(contents, kept, strict=True))
    )
    trace = read(tmp_path, pcap([], RAW) + written)
    assert [row[0:3:2] for row in flows(trace)] == [
        *(("udp", 1000), ("udp", 1000), ("udp", None), ("udp", 7), ("0", None)),
        ("udp", 7),
    ]
    assert trace.notes == (
        "2 packets are too short for both ports: what there is of them tells the flow.",
        "1 packet is behind the first fragment, without ports: a flow of its own.",
        "1 packet is cut before the protocol: the number of the last header that is there tells the flow.",
    )


@pytest.mark.parametrize("name", ["a.pcap.zst", "a.pcapng.xz", "a.csv.bz2"])
def test_the_command_says_that_packets_are_compressed_in_a_way_that_is_not_read(
    name: str, tmp_path: Path, penstock: Command
) -> None:
    (tmp_path / name).write_bytes(
        {"t": b"\x28\xb5\x2f\xfd", "z": b"\xfd7zXZ\0", "2": b"BZh91AY&SY"}[name[-1]] + bytes(40)
    )
    options = ["--time", "1:s", "--size", "2:octets"] if "csv" in name else []
    done = penstock("import", str(tmp_path / name), *options)
    assert (done.returncode, done.stdout) == (2, "")
    assert f"{name}: this is compressed by " in done.stderr
