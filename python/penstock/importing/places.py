"""The places of nodes on the earth, and the distance of two."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress

from penstock.core.quantities import real

LATITUDES, LONGITUDES = ("latitude", "lat"), ("longitude", "lon", "long", "lng")
EARTH_KM = 6371.0
"""Mean radius of the earth, in km (IUGG)."""
US_PER_KM = 5.0
"""Delay in a fibre: light at two thirds of its speed in vacuum."""


def place_of(attributes: Mapping[str, object]) -> tuple[float, float] | None:
    """The latitude and longitude of a node in degrees; None if it has none, or no place on the earth."""
    lower = {str(name).lower(): value for name, value in attributes.items() if is_coordinate(name)}
    latitude, longitude = (next(numbers(lower, names), None) for names in (LATITUDES, LONGITUDES))
    if latitude is None or longitude is None or not (abs(latitude) <= 90 and abs(longitude) <= 180):
        return None
    return latitude, longitude


def unplaced(attributes: Mapping[str, object]) -> tuple[str, str]:
    """Why the coordinates of a node are no place, and the one that is wrong; two empty texts if nothing is wrong."""
    said = {str(name): value for name, value in attributes.items() if is_coordinate(name) and value is not None}
    if not said or place_of(attributes) is not None:
        return "", ""
    for name, value in said.items():
        if next(numbers({"": value}, ("",)), None) is None:
            return "are no numbers (decimals follow a point)", f"{name} = {value}"
    for names, most in ((LATITUDES, 90), (LONGITUDES, 180)):
        of_kind = {name: value for name, value in said.items() if name.lower() in names}
        if not of_kind:
            return "are latitudes or longitudes alone", f"no {names[0]}"
        for name, value in of_kind.items():
            if not abs(next(numbers({"": value}, ("",)))) <= most:
                return "are no places on the earth", f"{name} = {value}"
    return "", ""


def contradicting(attributes: Mapping[str, object]) -> list[str]:
    """Attributes of a node that say different latitudes, or different longitudes; empty if there are none."""
    for names in (LATITUDES, LONGITUDES):
        said = {str(name): value for name, value in attributes.items() if str(name).lower() in names}
        if listed := [name for name, value in said.items() if isinstance(value, list)]:
            return listed[:1]  # GML with the same key twice
        values = {
            next(numbers({"": value}, ("",)), str(value)): name for name, value in said.items() if value is not None
        }
        if len(values) > 1:
            return sorted(values.values())[:2]
    return []


def is_coordinate(name: object) -> bool:
    """Whether an attribute of a node has this name for its latitude or its longitude."""
    return str(name).lower() in (*LATITUDES, *LONGITUDES)


def numbers(attributes: Mapping[str, object], names: Sequence[str]) -> Iterator[float]:
    """The attributes of these names that are numbers, or texts of numbers."""
    for name in names:
        value = attributes.get(name)
        if isinstance(value, (int, float, str)) and not isinstance(value, bool):
            with suppress(ValueError, OverflowError):
                yield real(str(value))


def distance_km(one: tuple[float, float], other: tuple[float, float]) -> float:
    """The length of the great circle between two places (latitude, longitude in degrees), by the haversine formula."""
    (south, west), (north, east) = (tuple(map(math.radians, place)) for place in (one, other))
    half = math.sin((north - south) / 2) ** 2
    half += math.cos(south) * math.cos(north) * math.sin((east - west) / 2) ** 2
    return 2 * EARTH_KM * math.asin(math.sqrt(min(1.0, half)))
