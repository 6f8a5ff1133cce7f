"""Random captures against what they are made of: every packet is written with its headers, and read as it was meant."""

from __future__ import annotations

import ipaddress
import random
import struct
from collections import Counter
from pathlib import Path
from typing import NamedTuple

import polars as pl
import pytest

from penstock import import_trace
from penstock.core.traces import folder
from penstock.importing.capture import CUT, LATER, NOT_IP, SHORT, TIMELESS
from penstock.importing.links import OTHER_SNAP

pytestmark = pytest.mark.in_process

NAMES = {1: "icmp", 6: "tcp", 17: "udp", 33: "33", 47: "gre", 58: "icmp6", 89: "89", 132: "sctp", 136: "136"}
WITH_PORTS = (6, 17, 33, 132, 136)
START_S = 1_700_000_000


class Meant(NamedTuple):
    """A packet as it is meant: its octets, its size on the line, its five-tuple, and what is told of that."""

    octets: bytes
    size: int
    flow: tuple[str, str, int | None, str, int | None]
    told: str


class Framed(NamedTuple):
    """A frame of a link, where IP begins in it, and why it is left out; empty if it is not."""

    link: int
    octets: bytes
    at: int
    reason: str


def _ip(draw: random.Random) -> Meant:
    """A packet of IP with options, extension headers and fragments."""
    protocol = draw.choice(list(NAMES))
    ports = draw.randrange(1, 5), draw.randrange(1, 5)
    is_later = draw.random() < 0.1
    payload = struct.pack(">HH", *ports) + bytes(draw.randrange(4, 1200))
    if draw.randrange(2):
        ends: list[ipaddress.IPv4Address | ipaddress.IPv6Address] = []
        ends += [ipaddress.IPv4Address(draw.randrange(1, 2**32)) for _ in range(2)]
        options = bytes(4 * draw.choice((0, 0, 1, 10)))
        size = 20 + len(options) + len(payload)
        fragment = draw.randrange(1, 0x1FFF) if is_later else draw.choice((0, 0x4000, 0x2000))
        head = struct.pack(">BBHHHBBH", 0x45 + len(options) // 4, 0, size, 7, fragment, 64, protocol, 0)
        octets = head + ends[0].packed + ends[1].packed + options + payload
    else:
        ends = [ipaddress.IPv6Address(draw.randrange(1, 2**128)) for _ in range(2)]
        following, kinds = protocol, [draw.choice((0, 43, 60, 135, 51)) for _ in range(draw.randrange(3))]
        for kind in kinds:
            # Authentication counts in units of four octets, and without two of them.
            units = draw.randrange(3)
            size = (units + 2) * 4 if kind == 51 else (units + 1) * 8
            payload = bytes([following, units]) + bytes(size - 2) + payload
            following = kind
        if is_later or draw.randrange(5) == 0:
            # A later fragment has no header behind its own.
            following = protocol if is_later else following
            offset = draw.randrange(1, 0x1FFF) << 3 if is_later else 1
            payload, following = struct.pack(">BBHI", following, 0, offset, 7) + payload, 44
        octets = struct.pack(">IHBB", 6 << 28, len(payload), following, 64)
        octets += ends[0].packed + ends[1].packed + payload
        size = 40 + len(payload)
    known = ports if protocol in WITH_PORTS and not is_later else (None, None)
    flow = NAMES[protocol], str(ends[0]), known[0], str(ends[1]), known[1]
    return Meant(octets, size, flow, LATER if is_later else "")


def _tagged(draw: random.Random, kind: bytes) -> tuple[bytes, str]:
    """A type of Ethernet and what is between it and IP, with tags, PPPoE, MPLS or SNAP; and why it is left out."""
    tags = b"".join(
        draw.choice((b"\x81\0", b"\x88\xa8", b"\x91\0")) + struct.pack(">H", draw.choice((0, 0xE000, 7)))
        for _ in range(draw.choice((0, 0, 1, 2)))
    )
    session = b"\x88\x64\x11\0\0\1\0\0" + (b"\0\x21" if kind == b"\x08\0" else b"\0\x57")
    labels = b"\x88\x47" + b"\0\1\0\x40" * draw.randrange(3) + b"\0\2\1\x40"
    snap = b"\0\x40\xaa\xaa\x03" + draw.choice((b"\0\0\0", b"\0\0\xf8")) + kind
    behind, reason = draw.choice(
        (
            *(((kind, ""),) * 3),
            (session, ""),
            (labels, ""),
            (snap, ""),
            (b"\0\x40\xaa\xaa\x03\0\0\x0c" + kind, OTHER_SNAP),
            (b"\x08\x06", NOT_IP),
            (b"\x88\x63\x11\0\0\1\0\0", NOT_IP),
        )
    )
    return tags + behind, reason


def _framed(draw: random.Random, link: int, packet: bytes) -> Framed:
    """A packet in a frame of this link."""
    is_4 = packet[0] >> 4 == 4
    kind, ppp = (b"\x08\0", b"\0\x21") if is_4 else (b"\x86\xdd", b"\0\x57")
    head, reason = b"", ""
    match link:
        case 1:
            typed, reason = _tagged(draw, kind)
            head = draw.randbytes(12) + typed
        case 113:
            typed, reason = _tagged(draw, kind)
            head = bytes(14) + typed
        case 276:
            head = kind + bytes(18)
        case 9:
            head = draw.choice((b"", b"\xff\x03")) + draw.choice((ppp, ppp[1:]))
        case 166:
            head = draw.choice((b"\0\x03", b"\1\x03")) + ppp
        case 204:
            head = draw.choice((b"\0", b"\1")) + draw.choice((b"", b"\xff\x03")) + ppp
        case 0:
            head = struct.pack(draw.choice("<>") + "I", 2 if is_4 else draw.choice((10, 24, 28, 30)))
        case 100:
            bridged = b"\xaa\xaa\x03\0\x80\xc2\0\7\0\0" + draw.randbytes(12) + kind
            head = draw.choice((b"\xaa\xaa\x03\0\0\0" + kind, bridged))
    # Ethernet fills short frames up, here with what looks like ports.
    padding = b"\x07" * max(0, 60 - len(head) - len(packet)) if link == 1 else b""
    return Framed(link, head + packet + padding, len(head), reason)


LINKS = (0, 1, 1, 1, 9, 100, 101, 113, 166, 204, 276)


def _cut(draw: random.Random, frame: Framed, meant: Meant) -> tuple[bytes, tuple[object, ...], str]:
    """A part of a frame, with what remains of its five-tuple, or why it is left out."""
    if draw.random() > 0.2:
        return frame.octets, meant.flow, frame.reason
    least = 20 if meant.octets[0] >> 4 == 4 else 40
    if frame.reason or draw.randrange(2):
        # Also the reason may be behind the cut.
        kept = frame.at + least if frame.reason else frame.at + draw.randrange(least)
        return frame.octets[:kept], meant.flow, frame.reason or CUT
    # Behind the addresses; without options, ports are next.
    is_plain = meant.octets[0] == 0x45
    kept = draw.choice((0, 1, 2, 3, 4)) if is_plain else len(meant.octets) - least
    name, source, source_port, target, target_port = meant.flow
    flow = name, source, source_port if kept >= 2 else None, target, target_port if kept >= 4 else None
    return frame.octets[: frame.at + least + kept], flow, ""


def _pcap(draw: random.Random, link: int, count: int) -> tuple[bytes, list[tuple[object, ...]], list[str]]:
    """A capture of one link, with its packets as they are meant and the reasons of those that are left out."""
    order, (magic, parts) = draw.choice("<>"), draw.choice(((0xA1B2C3D4, 10**6), (0xA1B23C4D, 10**9)))
    content = struct.pack(order + "IHHiIII", magic, 2, 4, 0, 0, 65_535, link)
    time, rows, reasons = START_S * parts, list[tuple[object, ...]](), list[str]()
    for _ in range(count):
        meant = _ip(draw)
        frame = _framed(draw, link, meant.octets)
        octets, flow, reason = _cut(draw, frame, meant)
        content += struct.pack(order + "IIII", *divmod(time, parts), len(octets), len(frame.octets)) + octets
        if reason:
            reasons.append(reason)
        else:
            rows.append(
                (time * (10**12 // parts), meant.size, *flow, meant.told or (SHORT if flow != meant.flow else ""))
            )
        time += draw.randrange(1, 2 * parts)
    return content, rows, reasons


def _block(order: str, kind: int, body: bytes) -> bytes:
    length = struct.pack(order + "I", len(body) + 12)
    return struct.pack(order + "I", kind) + length + body + length


def _pcapng(draw: random.Random, count: int) -> tuple[bytes, list[tuple[object, ...]], list[str]]:
    """Sections with several interfaces, each with its link and its clock; all blocks of packets, and others."""
    content, now_ms, rows, reasons = b"", START_S * 1000, list[tuple[object, ...]](), list[str]()
    for _ in range(3):
        order = draw.choice("<>")
        content += _block(order, 0x0A0D0D0A, struct.pack(order + "IHHq", 0x1A2B3C4D, 1, 0, -1))
        clocks = []
        for _ in range(draw.randrange(1, 4)):
            power = draw.choice((None, 0, 3, 6, 9, 12, 0x80 | 10, 0x80 | 20))
            # In 64 bits, picoseconds since 1970 end in the same year.
            offset_s = START_S if power == 12 else draw.choice((0, 5, -START_S))
            options = b"" if power is None else struct.pack(order + "HHBxxx", 9, 1, power)
            options += struct.pack(order + "HHq", 14, 8, offset_s) + bytes(4)
            link = draw.choice(LINKS)
            content += _block(order, 1, struct.pack(order + "HHI", link, 0, 0) + options)
            per_s = 10**6 if power is None else 2 ** (power & 0x7F) if power & 0x80 else 10**power
            clocks.append((link, per_s, offset_s))
        for _ in range(count // 3):
            now_ms += draw.randrange(1000, 3000)
            number = draw.randrange(len(clocks))
            link, per_s, offset_s = clocks[number]
            meant = _ip(draw)
            frame = _framed(draw, link if (is_timed := draw.random() > 0.1) else clocks[0][0], meant.octets)
            body, padding = frame.octets, bytes(-len(frame.octets) % 4)
            if not is_timed:
                content += _block(order, 3, struct.pack(order + "I", len(body)) + body + padding)
                reasons.append(TIMELESS)
                continue
            ticks = (now_ms // 1000 - offset_s) * per_s + now_ms % 1000 * per_s // 1000
            halves, sizes = ((ticks >> 32) & 0xFFFFFFFF, ticks & 0xFFFFFFFF), (len(body), len(body))
            if draw.randrange(2):
                content += _block(order, 6, struct.pack(order + "5I", number, *halves, *sizes) + body + padding)
            else:
                content += _block(order, 2, struct.pack(order + "HH4I", number, 0, *halves, *sizes) + body + padding)
            content += _block(order, draw.choice((4, 5)), bytes(12)) if draw.randrange(3) == 0 else b""
            if frame.reason:
                reasons.append(frame.reason)
            else:
                rows.append((ticks * 10**12 // per_s + offset_s * 10**12, meant.size, *meant.flow, meant.told))
    return content, rows, reasons


def _read(file: Path) -> tuple[list[tuple[object, ...]], dict[str, int], tuple[str, ...]]:
    """The packets of a capture with what identifies their flows, and what was left out."""
    trace = import_trace(file)
    place = folder() / trace.sha256
    flows = {row[5]: row[:5] for row in pl.read_parquet(place / "flows.parquet").rows()}
    packets = pl.read_parquet(place / "packets-*.parquet").rows()
    return [(time, size, *flows[flow]) for time, size, flow in packets], dict(trace.left_out), trace.notes


@pytest.mark.parametrize("seed", range(24))
def test_a_random_capture_is_what_it_is_made_of(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))
    draw = random.Random(f"capture {seed}")
    made = _pcapng(draw, 90) if seed % 2 else _pcap(draw, LINKS[seed // 2 % len(LINKS)], 90)
    content, meant, reasons = made
    (tmp_path / "a.pcap").write_bytes(content)
    rows, left_out, notes = _read(tmp_path / "a.pcap")
    first = meant[0][0]
    assert isinstance(first, int)
    assert rows == [(int(str(time)) - first, *others) for time, *others, _told in meant]
    assert left_out == {reason: reasons.count(reason) for reason in reasons}
    told = Counter(str(row[-1]) for row in meant if row[-1])
    assert notes == tuple(
        f"{number} packet{'s are' if number > 1 else ' is'} {reason}." for reason, number in told.items()
    )
