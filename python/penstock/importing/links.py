"""Where the IP packet begins in what a link carries. Numbers of links: tcpdump.org/linktypes.html."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial

IPV4, IPV6, MPLS, PPPOE = 0x0800, 0x86DD, (0x8847, 0x8848), 0x8864
TAGS = (0x8100, 0x88A8, 0x9100, 0x9200)
"""Types of the tags of virtual networks (IEEE 802.1Q and 802.1ad, and those before it)."""
LONGEST_802_3 = 1500
"""A type of Ethernet up to this is a length, and a header of LLC follows."""
SNAP, LLC_IP = b"\xaa\xaa\x03", b"\x06\x06\x03"
"""The headers of LLC before the type of Ethernet, and before IP itself (service access point 6)."""
FAMILIES = (2, 10, 24, 28, 30)
"""What loopback links of several systems call IP."""
PPP_IP, PPP_MPLS = (0x21, 0x57), (0x281, 0x283)
CISCO = (b"\x0f\0", b"\x8f\0")
"""Address and control of Cisco HDLC, to one station and to all."""
LAST_LABEL = 0x100

Finder = Callable[[bytes], "int | None"]
"""Finds the place of the IP packet; None if there is none. Raises ``struct.error`` if the packet is cut before it."""


def _u16(octets: bytes, at: int) -> int:
    return int(struct.unpack_from(">H", octets, at)[0])


def _of_type(octets: bytes, kind: int, at: int) -> int | None:
    """The place of the IP packet behind a field with the type of Ethernet, which ends at `at`."""
    while kind not in (IPV4, IPV6):
        if kind in TAGS:
            kind, at = _u16(octets, at + 2), at + 4
        elif kind in MPLS:
            return _behind_labels(octets, at)
        elif kind == PPPOE:
            return _ppp(octets, at + 6)
        elif kind > LONGEST_802_3:
            return None
        elif (llc := struct.unpack_from("3s", octets, at)[0]) == SNAP:
            kind, at = _u16(octets, at + 6), at + 8
        else:
            return at + len(LLC_IP) if llc == LLC_IP else None
    return at


def _behind_labels(octets: bytes, at: int) -> int:
    while not struct.unpack_from(">I", octets, at)[0] & LAST_LABEL:
        at += 4
    return at + 4


def _typed(octets: bytes, field: int, end: int) -> int | None:
    """As :func:`_of_type`, for a header of `end` octets that has the type in two of them."""
    return _of_type(octets, _u16(octets, field), end)


def _ppp(octets: bytes, at: int) -> int | None:
    """PPP (RFC 1661, 1662): address and control may be left out, and the protocol may have one octet."""
    if octets[at : at + 2] == b"\xff\x03":
        at += 2
    protocol, octets_of_it = int(struct.unpack_from("B", octets, at)[0]), 1
    if not protocol & 1:
        protocol, octets_of_it = _u16(octets, at), 2
    at += octets_of_it
    if protocol in PPP_MPLS:
        return _behind_labels(octets, at)
    return at if protocol in PPP_IP else None


def _ppp_or_cisco(octets: bytes) -> int | None:
    """PPP in frames of HDLC, or what Cisco's routers send instead, which captures call PPP, too."""
    return _typed(octets, field=2, end=4) if octets[:2] in CISCO else _ppp(octets, 0)


def _loopback(octets: bytes) -> int | None:
    """A family of addresses, in the order of octets of the host or of the network."""
    return 4 if any(struct.unpack_from(order + "I", octets)[0] in FAMILIES for order in "<>") else None


def _raw(_octets: bytes) -> int:
    return 0


FINDERS: dict[int, Finder] = {
    0: _loopback,
    1: partial(_typed, field=12, end=14),  # Ethernet
    9: _ppp_or_cisco,
    12: _raw,
    14: _raw,
    50: _ppp_or_cisco,
    51: partial(_ppp, at=6),  # PPPoE
    100: partial(_of_type, kind=0, at=0),  # LLC over ATM
    101: _raw,
    104: partial(_typed, field=2, end=4),  # Cisco HDLC
    108: _loopback,
    113: partial(_typed, field=14, end=16),  # Linux cooked
    166: partial(_ppp, at=1),  # with an octet for the direction
    204: partial(_ppp, at=1),
    228: _raw,
    229: _raw,
    276: partial(_typed, field=0, end=20),  # Linux cooked, version 2
}
"""The links that are read, by their numbers."""
