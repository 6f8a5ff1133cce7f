"""Rates and delays as texts: numbers with a stated unit, or texts with their own."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from decimal import ROUND_HALF_EVEN, Decimal, InvalidOperation

from penstock.core.errors import InputError
from penstock.core.units import BITS_PER_SECOND

RATE_UNITS = {unit: Decimal(size) for unit, size in BITS_PER_SECOND.items()}
"""Units of a rate, in bits per second."""
DELAY_UNITS = {"ns": Decimal(1), "us": Decimal(10**3), "ms": Decimal(10**6), "s": Decimal(10**9)}
"""Units of a delay, in nanoseconds."""
LENGTH_UNITS = {"km": Decimal(1), "kilometers": Decimal(1), "kilometres": Decimal(1)}
"""Units of the length of a line, in km, in small letters."""
WITH_UNIT = re.compile(r"([+-]?[0-9.]+(?:[eE][+-]?[0-9]+)?)\s*([A-Za-zµμ/]+)")
SEPARATED = re.compile(r"[+-]?\d[\d.,'_\s]*[A-Za-zµμ/]*")
"""A number as spreadsheets write it for readers: with a decimal comma, or with separators of thousands."""
PREFIXES = {"": 1, "k": 10**3, "m": 10**6, "g": 10**9, "t": 10**12}
SPELT_RATE = re.compile(
    r"([kKMGT]?)b(?:ps|p/s|/s|/sec)?"  # a large B is octets
    r"|([kKMGT])(?:/s)?"  # one small letter, as m or g, is no prefix that all write so
    r"|([MGT])bE|(G)(?:ig)?E"  # the name of an Ethernet
    r"|([mgt])b(?:ps|p/s|/s|/sec)"  # no rate is in thousandths of a bit
    r"|(?i:([kmgt]?)bits?(?:ps|p/s|/s|/sec|/second|persec|persecond)?)"
)
"""How files of other tools spell the unit of a rate: `Mbps`, `Mbit/s`, `MBITPERSEC`, `Gb`, `GbE`, or `G` alone."""
SPELT_DELAY = re.compile(r"(n|u|µ|μ|m|)(?:s|secs?|seconds?)|(nano|micro|milli)seconds?")
"""How they spell the unit of a time: `msec`, `µs`, `seconds`."""
DELAY_PREFIXES = {"": "s", "m": "ms", "milli": "ms", "n": "ns", "nano": "ns"}
NAMED_UNIT = re.compile(
    r"(.+?)(?:\s*[(\[]\s*([A-Za-zµμ/%]+)\s*[)\]]"  # in brackets
    r"|(?:\s+|_)in(?:\s+|_)([A-Za-zµμ/]+)"
    r"|(?:[_.:-]|\s+)([A-Za-zµμ/]+))"
)
"""The name of values with their unit, as `rate (Mb/s)`, `demand [Gbps]`, `traffic_Mbps` or `delay in ms`."""
HUMP = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[a-z])(?=[kmgt]?bps$)")
"""Where a word of a name may begin without anything between, as in `delayMs` or `capacitymbps`."""
OF_WORDS = re.compile(
    r"(.+?)(?:[_.:-]|\s+|(?<=[a-z0-9])(?=[A-Z]))([kKMGTmgt]?(?:[bB](?:its?|ytes?)?))(?:[_.:-]|\s+)"
    r"(?:per(?:[_.:-]|\s+))?(?:s|sec|second)"
)
"""The name of values with a unit of several words, as `speed_Gbit_s` or `rate_kbit_per_sec`."""
CAPITALS = re.compile(r"([KMGT]?)B(?:PS|/S)$")
"""A unit of rates in capitals, in which bits and octets look alike."""
AMOUNT = "[kmgt]?i?(?:b|bits?|bytes?|octets?|packets?|pkts?|cells?)"
PER_TIME = re.compile(
    rf"(?i)[a-zµμ]+/(?:s|sec|second|min|minute|h|hour)|{AMOUNT}(?:ps|persec(?:ond)?)|[kmgt]?i?bytes?|%"
)
"""What looks like the unit of a rate: `MB/s`, `MBps`, `packets/s`."""
MOST = Decimal(10**20)
"""Greater amounts are no rates and no delays."""


class NoUnitError(ValueError):
    """A number without a unit, where none is given."""


def quantity(value: object, unit: str, units: Mapping[str, Decimal]) -> Decimal:
    """A value in the smallest of these units. Raises ``ValueError`` with the reason if it is none.

    A number has the given `unit`; a text may have its own, and zero needs none. Units may be spelt as :func:`size_of`
    has them.
    """
    text = str(value).strip()
    found = WITH_UNIT.fullmatch(text)
    number, unit = (found[1], found[2]) if found else (text, unit)
    size = size_of(unit, units)
    if size is None and unit:
        bits = as_bits(in_capitals(unit))
        raise ValueError(
            f"{unit} may be bits or octets: write {bits} for bits"
            if bits and units is RATE_UNITS
            else f"{unit} is no unit that is known here: there are {known_units(units)}"
        )
    try:
        exact = Decimal(number)
        real(number)
    except (InvalidOperation, ValueError):
        told = ": decimals follow a point, and nothing separates thousands, as in 1200.5"
        raise ValueError(f"this is not a number{told if SEPARATED.fullmatch(text) else ''}") from None
    if isinstance(value, bool) or not exact.is_finite():
        raise ValueError("this is not a finite number")
    if exact < 0:
        raise ValueError("this is less than zero")
    if exact == 0:
        return exact  # in any unit
    if size is None:
        raise NoUnitError("this number has no unit")
    if exact > MOST / size:
        raise ValueError("this is too large")
    return exact * size


def size_of(unit: str, units: Mapping[str, Decimal]) -> Decimal | None:
    """A unit in the smallest of these; None if it is unknown. Other tools spell it ``Gbps`` or ``msec``."""
    if unit in units:
        return units[unit]
    if units is LENGTH_UNITS:
        return units.get(unit.lower())
    if units is RATE_UNITS and unit and (spelt := SPELT_RATE.fullmatch(unit)):
        return Decimal(PREFIXES[next(prefix for prefix in (*spelt.groups(), "") if prefix is not None).lower()])
    if units is DELAY_UNITS and (spelt := SPELT_DELAY.fullmatch(unit)):
        return DELAY_UNITS[DELAY_PREFIXES.get(spelt[1] if spelt[1] is not None else spelt[2], "us")]
    return None


def own_unit(value: object) -> str:
    """The unit that a text has behind its number; empty for any other value."""
    found = WITH_UNIT.fullmatch(value.strip()) if isinstance(value, str) else None
    return found[2] if found else ""


def unit_in_name(name: str, units: Mapping[str, Decimal]) -> tuple[str, str]:
    """The name of values without the unit that it states, and the unit: that of ``rate (Mb/s)`` or ``traffic_Mbps``.

    One letter is no unit in a name, as in ``rate_b``, but in brackets or after `in`; only ``delay_s`` is in seconds.
    """
    column, unit = parted(name)
    found = NAMED_UNIT.fullmatch(name)
    is_clear = len(unit) > 1 or (found is not None and (found[4] is None or unit in units))
    return (column, unit) if unit and is_clear and size_of(unit, units) is not None else (name, "")


def parted(name: str) -> tuple[str, str]:
    """The name of values, and the last word of it, which may be a unit; the name alone if it is one word."""
    if found := OF_WORDS.fullmatch(name):
        return found[1], f"{found[2]}/s"
    if found := NAMED_UNIT.fullmatch(name):
        return found[1], found[2] or found[3] or found[4]
    column, word = name, ""
    for place in (found.start() for found in HUMP.finditer(name)):
        column, word = name[:place], name[place:]
        if size_of(word, RATE_UNITS) is not None:
            break
        if len(word) > 1 and size_of(word.lower(), DELAY_UNITS) is not None:
            return column, word.lower()  # as in `delayMs`
    return column, word


def is_length_unit(text: str) -> bool:
    """Whether a text by itself is the unit of a length, as ``km`` or ``KM``."""
    return size_of(text, LENGTH_UNITS) is not None


def is_rate_unit(text: str) -> bool:
    """Whether a text by itself is the unit of a rate. One or two letters may as well be a name."""
    return len(text) > 2 and size_of(text, RATE_UNITS) is not None


def seems_rate_unit(text: str) -> bool:
    """Whether a text looks like the unit of a rate that is not known here, as ``MB/s`` or ``packets/s``."""
    return size_of(text, RATE_UNITS) is None and PER_TIME.fullmatch(text) is not None


def in_capitals(name: str) -> str:
    """The unit of rates at the end of a name, if it is in capitals, as ``GBPS`` of ``CAPACITY_GBPS``; or empty.

    In capitals, no letter says whether bits or octets are meant.
    """
    word = parted(name)[1] or name
    found = CAPITALS.search(word) if word.isupper() else None
    return found[0] if found else ""


def as_bits(capitals: str) -> str:
    """A unit in capitals as it is written if it means bits: ``Gb/s`` for ``GBPS``; empty if there is none."""
    return f"{found[1].replace('K', 'k')}b/s" if (found := CAPITALS.match(capitals)) else ""


def known_units(units: Mapping[str, Decimal]) -> str:
    """The units that are read, for a message. Of rates, Tb/s is read, though no scenario writes it."""
    return ", ".join([*units, *(["Tb/s"] if units is RATE_UNITS else [])])


def real(text: str) -> float:
    """A number of a file. Raises ``ValueError`` also for what Python alone takes for one, as ``10_000``."""
    if "_" in text or not text.isascii():
        raise ValueError("a number has digits, and nothing separates thousands")
    return float(text)


def finite(text: str) -> float:
    """A finite number of a file. Raises ``ValueError`` for others, also for 1e999, which is infinite as a float."""
    value = real(text)
    if not math.isfinite(value):
        raise ValueError("a number is finite")
    return value


def is_number(text: str) -> bool:
    """Whether a text is a finite number, without a unit."""
    try:
        finite(text)
    except ValueError:
        return False
    return True


def given(name: str, text: str, units: Mapping[str, Decimal], example: str) -> Decimal:
    """An argument with its own unit, in the smallest of these. Raises :class:`InputError`, which names `example`."""
    try:
        return quantity(text, "", units)
    except ValueError as error:
        raise InputError(str(error), path=name, value=text, remedy=f'write it as "{example}"') from None


def is_rounded(amount: Decimal) -> bool:
    """Whether a scenario file, which has whole numbers of the smallest unit, changes an amount."""
    return amount != amount.to_integral_value()


def shown(amount: Decimal, units: Mapping[str, Decimal]) -> str:
    """An amount as in a scenario file, a whole number of the smallest unit: ``155.52 Mb/s``."""
    whole = amount.quantize(Decimal(1), rounding=ROUND_HALF_EVEN)
    unit = max((name for name in units if units[name] <= whole), key=units.__getitem__, default=next(iter(units)))
    number = (whole / units[unit]).normalize()
    return f"{number:f} {unit}"
