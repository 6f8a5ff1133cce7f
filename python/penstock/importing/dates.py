"""Dates of ISO 8601 in texts, exact to the picosecond: `2026-11-25 14:30:00.5`, also with T, Z or a distance to UTC."""

from __future__ import annotations

import re
from datetime import date
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

DATE = (
    r"^(\d{4}-\d{2}-\d{2})"
    r"(?:[T ]([01]\d|2[0-3]):([0-5]\d)(?::([0-5]\d|60)(?:[.,](\d{1,12})\d*)?)? ?(?:Z|UTC|([+-])(\d{2}):?(\d{2}))?)?$"
)
"""A date, and the time of the day with its distance from UTC. Digits behind the picosecond are dropped."""
ZONE = r"(?:Z|UTC|:\d{2}(?:[.,]\d+)? ?[+-]\d{2}:?\d{2})\s*$"
"""How a date ends that has a distance from UTC."""
DAY_S, HOUR_S, MINUTE_S = 86_400, 3_600, 60
FIRST = "0001-01-01"
"""Seconds are counted from here, so that none is negative."""


def is_date(text: str) -> bool:
    """Whether a text is a date."""
    return re.match(DATE, text.strip()) is not None


def is_day(text: str) -> bool:
    """Whether the calendar has the day of a date."""
    try:
        date.fromisoformat(text.strip()[:10])
    except ValueError:
        return False
    return True


def has_zone(written: pl.Series) -> pl.Series:
    """Whether each date has a distance from UTC."""
    return written.str.contains(ZONE)


def nanoseconds(written: pl.Series) -> pl.Series:
    """The time of each date in nanoseconds, with three decimals; null where there is no date.

    Dates without a distance from UTC count as UTC: only differences of times matter.
    """
    import polars as pl

    day, hour, minute, second, fraction, sign, hours, minutes = (pl.col(str(place)) for place in range(1, 9))
    number = [part.cast(pl.Int64).fill_null(0) for part in (hour, minute, second, hours, minutes)]
    days = (day.str.to_date("%Y-%m-%d", strict=False) - pl.lit(FIRST).str.to_date()).dt.total_days()
    offset = (number[3] * HOUR_S + number[4] * MINUTE_S) * pl.when(sign == "-").then(-1).otherwise(1)
    # A day before the first one, for those that are east of UTC.
    seconds = (days + 1) * DAY_S + number[0] * HOUR_S + number[1] * MINUTE_S + number[2] - offset
    digits = fraction.fill_null("").str.pad_end(12, "0")
    text = seconds.cast(pl.String) + digits.str.head(9) + "." + digits.str.tail(3)
    parts = written.str.strip_chars().str.extract_groups(DATE).struct.unnest()
    return parts.select(text.cast(pl.Decimal(38, 3), strict=False)).to_series()
