"""Dates of ISO 8601 in texts, exact to the picosecond: `2026-11-25 14:30:00.5`, also with T, Z or a distance to UTC."""

from __future__ import annotations

import re
from datetime import date
from decimal import Decimal
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

DATE = (
    r"^([0-9]{4}-[0-9]{2}-[0-9]{2})"
    r"(?:[Tt ]([01][0-9]|2[0-3]):([0-5][0-9])(?::([0-5][0-9]|60)(?:[.,]([0-9]{1,12})[0-9]*)?)?"
    r" ?([Zz]|UTC|GMT|([+-])([01][0-9]|2[0-3])(?::?([0-5][0-9]))?)?)?$"
)
"""A date, and the time of the day with its distance from UTC. Digits behind the picosecond are dropped."""
GROUPS = ("day", "hour", "minute", "second", "fraction", "zone", "sign", "hours", "minutes")
"""What the groups of :data:`DATE` are."""
LEAP = re.compile(r":[0-5][0-9]:60")
DAY_S, HOUR_S, QUARTER_S, MINUTE_S = 86_400, 3_600, 900, 60
FIRST = "0001-01-01"
"""Seconds are read as since the day before, so that none is negative."""
SINCE_1970_NS = Decimal((date(1970, 1, 1) - date(1, 1, 1)).days + 1) * DAY_S * 10**9
"""Nanoseconds from the day before the first to 1970."""


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


def is_leap_second(text: str) -> bool:
    """Whether a date is in a second 60."""
    return LEAP.search(text) is not None


class Dates:
    """Reads the dates of a column, block by block, as times that do not decrease: a leap second is one of its own."""

    def __init__(self) -> None:
        self._is_behind_leap = False

    def nanoseconds(self, written: pl.Series) -> tuple[pl.Series, pl.Series]:
        """Nanoseconds since 1970 of each date, with three decimals, and whether it has a distance from UTC.

        The time is null where there is no date. Dates without a distance count as UTC: only differences of times
        matter. A second 60 must end a day of UTC, or without a distance a quarter of an hour, for all clocks of the
        world differ by whole quarters. All dates behind it are a second later than they say.
        """
        import polars as pl

        frame = written.str.strip_chars().str.extract_groups(DATE).struct.rename_fields(GROUPS).struct.unnest()
        hour, minute, second, hours, minutes = (
            pl.col(name).cast(pl.Int64).fill_null(0) for name in ("hour", "minute", "second", "hours", "minutes")
        )
        days = (pl.col("day").str.to_date("%Y-%m-%d", strict=False) - pl.lit(FIRST).str.to_date()).dt.total_days()
        east = (hours * HOUR_S + minutes * MINUTE_S) * pl.when(pl.col("sign") == "-").then(-1).otherwise(1)
        # A day before the first one, for those that are east of UTC.
        since = (days + 1) * DAY_S + hour * HOUR_S + minute * MINUTE_S + second - east
        ends = since % pl.when(pl.col("zone").is_null()).then(QUARTER_S).otherwise(DAY_S) == 0
        is_leap = (second == MINUTE_S) & ends
        digits = pl.col("fraction").fill_null("").str.pad_end(12, "0")
        frame = frame.select(
            pl.when((days >= 0) & ((second < MINUTE_S) | is_leap)).then(since).alias("seconds"),
            (digits.str.head(9) + "." + digits.str.tail(3)).alias("nanoseconds"),
            pl.col("zone").is_not_null().alias("zoned"),
            is_leap.fill_null(value=False).alias("leap"),
        )
        behind = (frame["leap"].cum_max() | self._is_behind_leap) & ~frame["leap"]
        self._is_behind_leap |= bool(frame["leap"].any())
        text = (frame["seconds"] + behind.cast(pl.Int64)).cast(pl.String) + frame["nanoseconds"]
        return text.cast(pl.Decimal(38, 3), strict=False) - SINCE_1970_NS, frame["zoned"]
