"""Random tables against what they are made of: each is spelt in one of many ways, and read as it was meant."""

from __future__ import annotations

import gzip
import random
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import polars as pl
import pytest

from penstock import import_trace
from penstock.core.traces import folder

pytestmark = pytest.mark.in_process

DECIMALS = {"s": 12, "ms": 9, "us": 6, "ns": 3, "ps": 0}
Meant = tuple[int, int, str | None]
"""Picoseconds since the first packet, octets, and the name of the flow."""


def _rows(draw: random.Random) -> list[Meant]:
    time, rows = 0, list[Meant]()
    for _ in range(draw.randrange(1, 40)):
        name = draw.choice(("a", "ä b", 'say "x"', "80", "080", "1.0", "true", "x;y", "x,y", None))
        rows.append((time, draw.choice((1, 40, 1500, 65_535, draw.randrange(1, 9000))), name))
        time += draw.choice((0, 1000, 10**12, draw.randrange(10**13)))
    return rows


def _number(draw: random.Random, units: int, decimals: int) -> str:
    """A number of this many parts of its unit, spelt in some way."""
    whole, part = divmod(units, 10**decimals)
    fraction = f"{part:0{decimals}}" if decimals else ""
    kept = fraction.rstrip("0") if draw.randrange(2) else fraction
    plain = f"{whole}.{kept}" if kept else f"{whole}"
    return draw.choice((plain, plain, f"+{plain}", f"{units}e-{decimals}", f"{units}E-{decimals}"))


def _date(draw: random.Random, ps: int, zones: bool) -> str:
    """A date that many picoseconds after a second of 2026, with a distance from UTC or without."""
    at = datetime(2026, 2, 28, 23, 59, 50, tzinfo=UTC) + timedelta(seconds=ps // 10**12)
    fraction = f"{ps % 10**12:012}"
    digits = fraction.rstrip("0") if draw.randrange(2) else fraction
    minutes = draw.choice((0, 60, -330, 840)) if zones else 0
    local = at.astimezone(timezone(timedelta(minutes=minutes)))
    sign, (hours, rest) = "-" if minutes < 0 else "+", divmod(abs(minutes), 60)
    distances = [f"{sign}{hours:02}:{rest:02}", f" {sign}{hours:02}{rest:02}"]
    distances += [] if rest else [f"{sign}{hours:02}"]
    distances += [] if minutes else ["Z", "z", " UTC"]
    text = f"{local:%Y-%m-%d}{draw.choice('Tt ')}{local:%H:%M:%S}"
    return text + (f"{draw.choice('.,')}{digits}" if digits else "") + (draw.choice(distances) if zones else "")


def _cell(draw: random.Random, text: str | None, separator: str) -> str:
    """A cell in quotes, if it needs them or by chance; one that is missing has none."""
    if text is None:
        return ""
    if draw.randrange(4) == 0 or any(mark in text for mark in ' \t";,'):
        return '"{}"'.format(text.replace('"', '""'))
    return text if separator == " " else draw.choice(("", " ")) + text + draw.choice(("", " "))


def _table(draw: random.Random, rows: list[Meant], unit: str, bits: bool, named: bool) -> bytes:
    separator = draw.choice(",;\t ")
    between = separator if separator != " " else draw.choice((" ", "  ", " \t "))
    zones, start = draw.random() < 0.5, draw.randrange(10**3) * 10**12
    lines = [between.join(("number", "time", "size", "name"))] if named else []
    for number, (ps, octets, name) in enumerate(rows):
        decimals = DECIMALS.get(unit, 0)
        time = _date(draw, ps, zones) if unit == "datetime" else _number(draw, start + ps, decimals)
        size = draw.choice((f"{octets * (8 if bits else 1)}", f"{octets * (8 if bits else 1)}.0"))
        # Between blanks, a cell that is missing needs quotes.
        last = '""' if name is None and separator == " " else _cell(draw, name, separator)
        cells = (str(number), _cell(draw, time, separator), _cell(draw, size, separator), last)
        lines.append(between.join(cells))
        lines += draw.choice(([], [], [], [""], [" "], ["# a; comment, with\tall"]))
    end = draw.choice(("\n", "\r\n"))
    text = draw.choice(("", "# first\n\n")) + end.join(lines) + draw.choice(("", end, end * 2))
    return draw.choice((b"", b"\xef\xbb\xbf")) + text.encode()


@pytest.mark.parametrize("seed", range(30))
def test_a_random_table_is_what_it_is_made_of(seed: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))
    draw = random.Random(f"table {seed}")
    monkeypatch.setattr("penstock.importing.rows.BLOCK", draw.choice((40, 200, 1 << 20)))
    rows = _rows(draw)
    unit, bits, named = draw.choice((*DECIMALS, "datetime", "datetime")), draw.random() < 0.3, draw.random() < 0.7
    content = _table(draw, rows, unit, bits, named)
    (tmp_path / "a.csv").write_bytes(gzip.compress(content) if draw.randrange(4) == 0 else content)
    time, size, flow = ("time", "size", "name") if named and draw.randrange(2) else ("2", "3", "4")
    trace = import_trace(
        tmp_path / "a.csv", time=f"{time}:{unit}", size=f"{size}:{'bits' if bits else 'octets'}", flow=[flow]
    )
    place = folder() / trace.sha256
    flows = {row[1]: row[0] or None for row in pl.read_parquet(place / "flows.parquet").rows()}
    packets = pl.read_parquet(place / "packets-*.parquet").rows()
    assert [(time, octets, flows[number]) for time, octets, number in packets] == rows
    assert not trace.left_out
