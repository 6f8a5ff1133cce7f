"""The unit of an attribute: what its value, an attribute beside it, its name, the format of the file and the user say.

The unit of the value itself goes first, or that of an attribute beside it, as `LinkSpeedUnits` beside `LinkSpeed`; the
two must agree. Then come that of the user, that of the format, and that of the name. Each that is not followed is
told.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal

from penstock.core.quantities import (
    DELAY_UNITS,
    RATE_UNITS,
    NoUnitError,
    as_bits,
    in_capitals,
    is_length_unit,
    known_units,
    own_unit,
    parted,
    seems_rate_unit,
    size_of,
    unit_in_name,
)
from penstock.importing.graph import Attributes, is_gap
from penstock.importing.names import plain

LENGTH = re.compile(r"length|distance|span|fib(?:er|re)|(?<![^\W_])(?:dist|len)(?![^\W_])", re.IGNORECASE)
"""What the name of a length has in it."""
PREFIXES = ("k", "K", "M", "G", "T")
"""Units of a rate that are one letter."""
ENDINGS = ("units", "unit")
"""How the name of an attribute ends that has the unit of another."""
ORDINARY = {
    *("rate", "capacity", "bandwidth", "bw", "speed", "throughput", "load", "traffic", "demand", "volume"),
    *("delay", "latency", "time", "distance", "dist", "length", "len", "weight", "cost"),
    *(
        "label",
        "type",
        "class",
        "metric",
        "name",
        "value",
        "raw",
        "total",
        "max",
        "avg",
        "mean",
        "link",
        "edge",
        "up",
        "down",
        "in",
        "out",
    ),
}
"""Last words of names that are taken for no unit by anyone, as in `link_capacity`."""


@dataclass(frozen=True, slots=True)
class Kind:
    """What an attribute may be: its name, its units, the option with the unit of the user, and one as an example."""

    name: str
    units: Mapping[str, Decimal]
    option: str
    example: str


RATE = Kind("rate", RATE_UNITS, "--rate-unit", "Mb/s")
DELAY = Kind("delay", DELAY_UNITS, "--delay-unit", "ms")


def beside(attributes: Attributes, name: str) -> dict[str, str]:
    """The attributes that state the unit of another one, with what they say: `LinkSpeedUnits` of `LinkSpeed`."""
    stems = {name, _bare(name).removesuffix("value")}
    stems |= {unit_in_name(name, units)[0] for units in (RATE_UNITS, DELAY_UNITS)}
    wanted = {_bare(stem) + ending for stem in stems if stem for ending in ENDINGS}
    found = {str(other): value for other, value in attributes.items() if _bare(str(other)) in wanted}
    return {other: text for other, value in found.items() if not is_gap(value) and (text := plain(str(value)))}


def unit_of(attributes: Attributes, name: str, of_format: str, kind: Kind, given: str, notes: list[str]) -> str:
    """The unit of the attribute `name`; may be empty. Adds to `notes` what is not followed.

    Args:
        attributes: those of the edge.
        name: the attribute.
        of_format: the unit that the format has for it; empty without one.
        kind: what it is.
        given: the unit of the user; empty without one.
        notes: what is said of the edge.

    Raises:
        ValueError: with the reason, if two units are stated for one value, or its name has one of another quantity.
    """
    said = [own] if (own := own_unit(attributes[name])) else []
    said += beside(attributes, name).values()
    if unlike := [unit for unit in said if _size(unit, kind) != _size(said[0], kind)]:
        raise ValueError(f"two units are stated for it, {said[0]} and {unlike[0]}")
    stated = of_format or _in_name(name, kind)
    if (in_name := _in_name(name, kind)) and _size(in_name, kind) != _size(stated, kind):
        raise ValueError(f"two units are stated for it, {in_name} in its name and {stated}")
    if said:
        if given and _size(said[0], kind) != _size(given, kind):
            notes.append(f"{kind.option} {given} is for numbers: {name} has its own unit")
        if stated and _size(said[0], kind) != _size(stated, kind):
            notes.append(f"{name} has its own unit, {said[0]}, instead of {stated}")
        notes += prefix_notes(said[:1])
        return said[0]
    capitals = in_capitals(name) if kind is RATE and not stated else ""
    if capitals and not given:
        raise NoUnitError(f"its name ends in {capitals}, which may be bits or octets")
    if is_length_unit(stated) and given and not is_length_unit(given):
        notes.append(f"{name} is a length in {stated}, so not in {kind.option} {given}")
    elif given and stated and _size(given, kind) != _size(stated, kind):
        notes.append(f"{kind.option} {given} instead of the file's {stated}")
    elif capitals:
        notes.append(f"the name of {name} ends in {capitals}, in capitals: {kind.option} {given}")
    elif given and not stated and (word := _doubtful(name, kind)):
        notes.append(f"the name of {name} ends in {word}, which is no unit of a {kind.name}: {kind.option} {given}")
    elif given and not stated and kind is DELAY and LENGTH.search(name) and not is_length_unit(given):
        notes.append(f"{name} is called a length, and read as a time: {kind.option} {given}")
    notes += [] if given else prefix_notes([stated])
    return stated if is_length_unit(stated) else given or stated


def without_unit(name: str, kind: Kind) -> str:
    """What to do about an attribute whose numbers have no unit."""
    if kind is DELAY and LENGTH.search(name):
        return f"add {kind.option} km if it is a length in km, or {kind.option} {kind.example} if it is a time"
    if kind is RATE and (bits := as_bits(in_capitals(name))):
        return f"add {kind.option} {bits} if they are bits"
    return f"add {kind.option} {kind.example}"


def prefix_notes(units: Iterable[str]) -> list[str]:
    """How units are read that are one letter, as the G of 2.5G, or M/s."""
    letters = {unit: unit.removesuffix("/s") for unit in units}
    return [
        f"{unit} is read as {letter.replace('K', 'k')}b/s" for unit, letter in letters.items() if letter in PREFIXES
    ]


def _bare(name: str) -> str:
    """A name in small letters, without what divides its words."""
    return re.sub(r"[\W_]+", "", name).lower()


def _size(unit: str, kind: Kind) -> object:
    """What tells a unit apart from others, however it is spelt."""
    if kind is DELAY and is_length_unit(unit):
        return "km"
    size = size_of(unit, kind.units)
    return unit if size is None else size


def _in_name(name: str, kind: Kind) -> str:
    """The unit in the name of an attribute; empty without one."""
    word = parted(name)[1] or name
    if kind is DELAY and is_length_unit(word):
        return word
    if kind is DELAY and len(word) > 1 and (word.isupper() or word == name):
        return word.lower() if size_of(word.lower(), DELAY_UNITS) is not None else ""
    if kind is RATE and seems_rate_unit(word) and not in_capitals(name):
        reason = f"its name ends in {word}, which is no unit that is known here: there are {known_units(kind.units)}"
        raise ValueError(reason)
    return unit_in_name(name, kind.units)[1]


def _doubtful(name: str, kind: Kind) -> str:
    """The last word of a name, if it may be a unit, but none that is known."""
    word = parted(name)[1]
    return "" if word.lower() in ORDINARY else word
