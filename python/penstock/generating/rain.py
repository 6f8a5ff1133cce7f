"""A line of two rates: that of a clear sky, and that in rain. Both last for exponential times (a two-state line).

So it is a continuous chain of Markov: the line is in rain for the share ``rain / (clear + rain)`` of the time, of the
means of both times, and in a long run its mean rate is the mean of both rates with these weights.
"""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path

from penstock.core.errors import InputError
from penstock.core.quantities import RATE_UNITS, shown
from penstock.generating.arguments import MS, generator, limited, rate_bps, time_ns
from penstock.importing.document import quoted
from penstock.importing.series import MOST_VALUES, entry, kept_from, series_of


def rain_line(
    line: str,
    *,
    clear: str,
    rain: str,
    clear_time: str = "60 s",
    rain_time: str = "15 s",
    duration: str = "180 s",
    seed: int = 1,
    list_out: str | Path | None = None,
) -> str:
    """The rate of a line that is now clear and now in rain, as a part of a scenario file. It begins clear.

    Args:
        line: the name of the line.
        clear: its rate with a clear sky.
        rain: its rate in rain, less than that.
        clear_time: the mean of the times without rain.
        rain_time: the mean of the times with rain.
        duration: until when.
        seed: that of the times: the same seed makes the same line.
        list_out: a file to write the rates into. The scenario names it, with its SHA-256, and is to be beside it.

    Raises:
        InputError: a value that is none or out of range, or too many values.
    """
    bps = [rate_bps("clear", clear), rate_bps("rain", rain)]
    if bps[1] >= bps[0]:
        reason = f"rain takes away of the clear rate, {clear}"
        raise InputError(reason, path="rain", value=rain, remedy=f'write less than "{clear}"')
    means_ns = [time_ns("clear_time", clear_time, least=MS), time_ns("rain_time", rain_time, least=MS)]
    end_ns = time_ns("duration", duration)
    limited(int(2 * end_ns / sum(means_ns)), "clear_time", clear_time)
    draw = generator(seed)
    changes = _changes(means_ns, end_ns, draw)
    values = [entry(at_ns, quoted(shown(bps[state], RATE_UNITS))) for at_ns, state in changes]
    limited(len(values), "clear_time", clear_time)
    return series_of(line, "rate", values, _notes(changes, means_ns, end_ns, seed), list_out)


def _changes(means_ns: list[Decimal], end_ns: Decimal, draw: random.Random) -> list[tuple[Decimal, int]]:
    """The times at which a state begins, 0 clear and 1 rain."""
    found: list[tuple[Decimal, int]] = []
    at, state = Decimal(0), 0
    while at < end_ns and len(found) <= MOST_VALUES:
        found.append((at, state))
        lasts = means_ns[state] * Decimal(-math.log(1.0 - draw.random()))
        at += max(MS, lasts.quantize(Decimal(1)) // MS * MS)
        state = 1 - state
    return found


def _notes(changes: list[tuple[Decimal, int]], means_ns: list[Decimal], end_ns: Decimal, seed: int) -> Iterator[str]:
    ends = [*(at for at, _ in changes[1:]), end_ns]
    rain = sum(end - at for (at, state), end in zip(changes, ends, strict=True) if state)
    expected = means_ns[1] / sum(means_ns)
    yield f"In rain for {100 * rain / end_ns:.1f} % of the time (in a long run {100 * expected:.1f} %; seed {seed})."
    yield kept_from(end_ns)
