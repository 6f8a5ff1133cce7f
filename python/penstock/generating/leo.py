"""A line over satellites in a low orbit: its delay, which moves with the satellite and jumps at each reconfiguration.

A terminal and its gateway stand at one place, and the satellite repeats what it hears. It is on a circle of radius
``r = R + height`` around the centre of the Earth. If the angle between satellite and terminal, seen from there, is
`c`, then

    range^2 = R^2 + r^2 - 2 R r cos c            the law of cosines
    sin(elevation) = (r cos c - R) / range

and the delay of the line is two ranges at the speed of light, up and down. The orbit turns by ``sqrt(G M / r^3)``
radians a second; that the Earth turns, too, is left out (6 % of that speed at 550 km).

At each reconfiguration, every 15 s in the networks that were measured, the terminal takes another satellite: its place
is uniform over the part of the sphere above the least elevation, and so is its direction, among those that stay above
it until the next reconfiguration. Source: docs/models/lines.md.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.quantities import DELAY_UNITS, RATE_UNITS, shown
from penstock.generating.arguments import MS, S, generator, limited, number, outages_of, rate_bps, time_ns
from penstock.importing.document import quoted
from penstock.importing.series import entry, kept_from, series_of

EARTH_KM = 6371.0
"""Mean radius of the Earth (IUGG)."""
GRAVITY_KM3_S2 = 398_600.4418
"""The Earth's mass times the constant of gravitation (WGS 84)."""
LIGHT_KM_S = 299_792.458
MOST_OF_A_PASS = 0.5
"""Of the longest pass, a reconfiguration lasts at most this share: else hardly any satellite stays so long."""


@dataclass(frozen=True, slots=True)
class Orbit:
    """A circular orbit of this height in km, seen above this elevation in degrees."""

    height_km: float
    elevation: float

    @property
    def radius_km(self) -> float:
        """The distance from the centre of the Earth."""
        return EARTH_KM + self.height_km

    @property
    def turn(self) -> float:
        """Radians a second."""
        return math.sqrt(GRAVITY_KM3_S2 / self.radius_km**3)

    @property
    def widest(self) -> float:
        """The angle at the centre of the Earth between the terminal and a satellite at the least elevation."""
        least = math.radians(self.elevation)
        return math.acos(EARTH_KM / self.radius_km * math.cos(least)) - least

    @property
    def longest_pass_s(self) -> float:
        """Seconds that a satellite is seen which passes the zenith."""
        return 2 * self.widest / self.turn

    def range_km(self, cosine: float) -> float:
        """The distance of a satellite at an angle with this cosine, seen from the centre of the Earth."""
        return math.sqrt(EARTH_KM**2 + self.radius_km**2 - 2 * EARTH_KM * self.radius_km * cosine)


@dataclass(frozen=True, slots=True)
class Pass:
    """A satellite that a terminal takes: where it is, and where it goes.

    `cosine` and `slope` are the components of its place and of its direction, both unit vectors from the centre of the
    Earth, towards the terminal.
    """

    cosine: float
    slope: float

    def at(self, angle: float) -> float:
        """The cosine of its angle from the terminal when it has turned by `angle`."""
        return self.cosine * math.cos(angle) + self.slope * math.sin(angle)


def drawn_pass(orbit: Orbit, seconds: float, draw: random.Random) -> Pass:
    """A satellite that is seen now and `seconds` from now; in between it is higher than at one of these."""
    least = math.cos(orbit.widest)
    while True:
        cosine = draw.uniform(least, 1.0)
        slope = math.sqrt(max(0.0, 1.0 - cosine * cosine)) * math.cos(draw.uniform(0.0, 2 * math.pi))
        taken = Pass(cosine, slope)
        if taken.at(orbit.turn * seconds) >= least:
            return taken


def leo_line(
    line: str,
    *,
    height_km: float = 550.0,
    elevation: float = 25.0,
    every: str = "15 s",
    step: str = "1 s",
    handover: str = "0 s",
    rates: tuple[str, str] | None = None,
    duration: str = "180 s",
    seed: int = 1,
    list_out: str | Path | None = None,
) -> str:
    """The delay of a line over satellites in a low orbit, as a part of a scenario file.

    Args:
        line: the name of the line.
        height_km: the height of the orbit, 160 to 40,000 km.
        elevation: the least elevation at which a satellite is used, 0 to 89 degrees.
        every: the time between two reconfigurations, at most half of the longest pass.
        step: the time between two values of the delay.
        handover: the line is broken at each reconfiguration, for a time that is uniform from 0 to this.
        rates: the least and the largest rate: each reconfiguration draws one, uniform. By default the rate stays.
        duration: until when.
        seed: that of the satellites: the same seed makes the same line.
        list_out: a file to write the delays into. The scenario names it, with its SHA-256, and is to be beside it.

    Raises:
        InputError: a value that is none or out of range, or too many values.
    """
    orbit = Orbit(
        number("height_km", height_km, 160, 40_000, "a height in km"),
        number("elevation", elevation, 0, 89, "an elevation in degrees"),
    )
    every_ns, step_ns = time_ns("every", every, least=MS), time_ns("step", step, least=MS)
    handover_ns = time_ns("handover", handover, least=Decimal(0))
    _check_times(orbit, every_ns, handover_ns, every, handover)
    end_ns = time_ns("duration", duration)
    limited(int(end_ns / min(step_ns, every_ns)), "step", step)
    draw = generator(seed)
    delays, breaks, found = [], [], []
    for start_ns in _multiples(every_ns, end_ns):
        length_ns = min(every_ns, end_ns - start_ns)
        taken = drawn_pass(orbit, float(every_ns / S), draw)
        for after_ns in _multiples(step_ns, length_ns):
            cosine = taken.at(orbit.turn * float(after_ns / S))
            delay_ns = _whole_us(2e9 * orbit.range_km(cosine) / LIGHT_KM_S)
            delays.append(entry(start_ns + after_ns, quoted(shown(delay_ns, DELAY_UNITS))))
        # Drawn always, so that a longer break changes no satellite.
        broken_ns = _whole_us(float(handover_ns) * draw.random())
        if start_ns and broken_ns:
            breaks.append((start_ns, start_ns + broken_ns))
        found.append((start_ns, draw.random()))
    parts = [series_of(line, "delay", delays, _notes(orbit, every, seed, end_ns), list_out)]
    if breaks:
        parts.append(series_of(line, "outage", outages_of(breaks)))
    if rates is not None:
        parts.append(series_of(line, "rate", _rates(rates, found)))
    return "\n".join(parts)


def _whole_us(ns: float) -> Decimal:
    """Rounded to microseconds, which no platform's last bit of a cosine changes."""
    return Decimal(round(ns / 1e3)) * DELAY_UNITS["us"]


def _multiples(step: Decimal, end: Decimal) -> Iterator[Decimal]:
    at = Decimal(0)
    while at < end:
        yield at
        at += step


def _check_times(orbit: Orbit, every_ns: Decimal, handover_ns: Decimal, every: str, handover: str) -> None:
    longest_s = orbit.longest_pass_s
    if float(every_ns / S) > MOST_OF_A_PASS * longest_s:
        reason = f"the longest pass above this elevation takes {longest_s:.0f} s, and too few satellites stay so long"
        remedy = f'write "{MOST_OF_A_PASS * longest_s:.0f} s" or less, or a lower elevation'
        raise InputError(reason, path="every", value=every, remedy=remedy)
    if handover_ns >= every_ns:
        reason = "the line may still be broken at the next reconfiguration"
        raise InputError(reason, path="handover", value=handover, remedy=f'write less than "{every}"')


def _rates(rates: tuple[str, str], found: list[tuple[Decimal, float]]) -> Iterator[str]:
    least, largest = (rate_bps("rates", rate) for rate in rates)
    if least > largest:
        reason, value = "the least rate is above the largest", f"{rates[0]}..{rates[1]}"
        raise InputError(reason, path="rates", value=value, remedy="write the least rate first")
    for at_ns, share in found:
        yield entry(at_ns, quoted(shown(least + (largest - least) * Decimal(share), RATE_UNITS)))


def _notes(orbit: Orbit, every: str, seed: int, end_ns: Decimal) -> Iterator[str]:
    ends_ms = (2e3 * orbit.range_km(math.cos(angle)) / LIGHT_KM_S for angle in (0.0, orbit.widest))
    yield (
        f"Satellites at {orbit.height_km:g} km, seen above {orbit.elevation:g} degrees, another one every {every} "
        f"(seed {seed})."
    )
    yield "Up and down the delay is {:.3f} to {:.3f} ms.".format(*ends_ms)
    yield kept_from(end_ns)
