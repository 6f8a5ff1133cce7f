"""Where the IP packet begins in what a link carries. Numbers of links: tcpdump.org/linktypes.html."""

from __future__ import annotations

import struct
from collections.abc import Callable
from functools import partial

IPV4, IPV6, MPLS, PPPOE = 0x0800, 0x86DD, (0x8847, 0x8848), 0x8864
TAGS = (0x8100, 0x88A8, 0x9100, 0x9200)
"""Types of the tags of virtual networks (IEEE 802.1Q and 802.1ad, and those before it)."""
CARRIERS = (0x22F3, 0x88E5, 0x88E7, 0x8909, 0x8926, 0x892F, 0x894F, 0x8870, 0x4305)
"""Types of headers before a whole frame or packet: TRILL, MACsec, provider bridges, and others."""
CARRIED = "in a frame that a header of another type carries, which is not read"
LONGEST_802_3 = 1500
"""A type of Ethernet up to this is a length, and a header of LLC follows."""
SNAP = b"\xaa\xaa\x03"
"""The header of LLC before an organisation and its type."""
LLC_IP = {b"\x06\x06\x03": 3, b"\xfe\xfe\x03\xcc": 4}
"""The headers of LLC before IP itself, each with its octets: service access point 6, and ISO's identifier of IP."""
OF_ETHERNET = (b"\0\0\0", b"\0\0\xf8")
"""Organisations whose types in SNAP are those of Ethernet (RFC 1042, IEEE 802.1H)."""
BRIDGED = (b"\0\x80\xc2\0\1", b"\0\x80\xc2\0\7")
"""IEEE 802.1 with its types of a whole frame of Ethernet, with and without its check sequence (RFC 2684)."""
OTHER_SNAP = "behind a SNAP header of an organisation or a type that is not read"
FAMILIES = (2, 10, 24, 28, 30)
"""What loopback links of several systems call IP."""
PPP_IP, PPP_MPLS = (0x21, 0x57), (0x281, 0x283)
PPP_CHANGED = (
    *(0x2D, 0x2F),  # Van Jacobson's headers
    *(0x61, 0x63, 0x65, 0x67, 0x69, 0x2061, 0x2063, 0x2065, 0x2067, 0x2069),  # RFC 2509
    *(0x03, 0x05),  # ROHC
    *(0x31, 0x3D, 0x53, 0x55, 0xFB, 0xFD),  # bridged, several links, encrypted, compressed
)
CHANGED = "that PPP bridges, divides, compresses or encrypts"
CISCO = (b"\x0f\0", b"\x8f\0")
"""Address and control of Cisco HDLC, to one station and to all."""
LAST_LABEL = 0x100

Place = int | str | None
"""The place of the IP packet; None if there is none, and a text if there may be one that is not read."""
Finder = Callable[[bytes], Place]
"""Finds the place of the IP packet. Raises ``struct.error`` if the packet is cut before it."""


def _u16(octets: bytes, at: int) -> int:
    return int(struct.unpack_from(">H", octets, at)[0])


def _of_type(octets: bytes, kind: int, at: int) -> Place:
    """The place of the IP packet behind a field with the type of Ethernet, which ends at `at`."""
    while kind not in (IPV4, IPV6):
        if kind in TAGS:
            kind, at = _u16(octets, at + 2), at + 4
        elif kind in MPLS:
            return _behind_labels(octets, at)
        elif kind == PPPOE:
            return _ppp(octets, at + 6)
        elif kind > LONGEST_802_3:
            return CARRIED if kind in CARRIERS else None
        elif struct.unpack_from("3s", octets, at)[0] != SNAP:
            return next((at + size for header, size in LLC_IP.items() if octets.startswith(header, at)), None)
        else:
            kind, at = _u16(octets, at + 6), at + 8
            if octets[at - 5 : at] in BRIDGED:  # two octets fill up to the frame
                kind, at = _u16(octets, at + 14), at + 16
            elif octets[at - 5 : at - 2] not in OF_ETHERNET:
                return OTHER_SNAP
    return at


def _behind_labels(octets: bytes, at: int) -> int:
    while not struct.unpack_from(">I", octets, at)[0] & LAST_LABEL:
        at += 4
    return at + 4


def _typed(octets: bytes, field: int, end: int) -> Place:
    """As :func:`_of_type`, for a header of `end` octets that has the type in two of them."""
    return _of_type(octets, _u16(octets, field), end)


def _ppp(octets: bytes, at: int) -> Place:
    """PPP (RFC 1661, 1662): address and control may be left out, and the protocol may have one octet."""
    if octets[at : at + 2] == b"\xff\x03":
        at += 2
    protocol, octets_of_it = int(struct.unpack_from("B", octets, at)[0]), 1
    if not protocol & 1:
        protocol, octets_of_it = _u16(octets, at), 2
    at += octets_of_it
    if protocol in PPP_MPLS:
        return _behind_labels(octets, at)
    return at if protocol in PPP_IP else CHANGED if protocol in PPP_CHANGED else None


def _ppp_of_pppd(octets: bytes) -> Place:
    """PPP with an octet for the direction in the place of the address; some write it before PPP without control."""
    return _ppp(octets, 2 if octets[1:2] == b"\x03" else 1)


def _ppp_or_cisco(octets: bytes) -> Place:
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
    166: _ppp_of_pppd,
    204: partial(_ppp, at=1),  # with an octet for the direction
    228: _raw,
    229: _raw,
    276: partial(_typed, field=0, end=20),  # Linux cooked, version 2
}
"""The links that are read, by their numbers."""
