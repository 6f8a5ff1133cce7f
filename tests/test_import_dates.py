"""Dates of imported packets, of every spelling: in texts and in columns of dates."""

from __future__ import annotations

from pathlib import Path

import polars as pl
import pytest
from tabled import NAMED, SECOND_PS, of_csv, packets, refused

from penstock import import_trace

pytestmark = pytest.mark.in_process


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


DATED = {"time": "t:datetime", "size": "n:octets"}


def of_dates(tmp_path: Path, *dates: str) -> list[int]:
    """The times of packets with these dates, in picoseconds."""
    return [row[0] for row in packets(of_csv(tmp_path, "t,n\n" + "".join(f'"{one}",60\n' for one in dates), **DATED))]


@pytest.mark.parametrize("blank", ["T", "t", " "])
@pytest.mark.parametrize("zone", ["Z", "z", "UTC", " UTC", " GMT", "+00:00", "-00:00", "+0000", "+00", " +00:00"])
@pytest.mark.parametrize(
    ("digits", "ps"), [("", 0), (".1", 10**11), (",123456789", 123_456_789_000), (".0000000000199", 19)]
)
def test_dates_of_every_spelling(blank: str, zone: str, digits: str, ps: int, tmp_path: Path) -> None:
    assert of_dates(tmp_path, f"2026-11-25{blank}14:30:00{zone}", f"2026-11-25{blank}14:30:00{digits}{zone}") == [0, ps]


def test_distances_from_utc_are_subtracted(tmp_path: Path) -> None:
    dates = "2026-11-25T14:30Z", "2026-11-25T15:31+01", "2026-11-25 09:02:00 -0530", "2026-11-26T00:33:00.5+10:00"
    assert of_dates(tmp_path, *dates) == [0, 60 * SECOND_PS, 120 * SECOND_PS, 180 * SECOND_PS + SECOND_PS // 2]


@pytest.mark.parametrize("zone", ["", "Z", "+01:00"])
def test_a_leap_second_is_one_of_its_own(zone: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    hour, day, later = (0, "2017-01-01", 1) if zone == "+01:00" else (23, "2016-12-31", 0)
    before = [f"{day} {hour:02}:59:{second}{zone}" for second in ("59.5", "60", "60.5")]
    after = [f"2017-01-01 {later:02}:00:{second}{zone}" for second in ("00.0", "00.2")]
    wanted = [0, SECOND_PS // 2, SECOND_PS, 3 * SECOND_PS // 2, 17 * SECOND_PS // 10]
    assert of_dates(tmp_path, *before, *after) == wanted
    monkeypatch.setattr("penstock.importing.rows.BLOCK", 30)
    assert of_dates(tmp_path, *before, *after) == wanted


@pytest.mark.parametrize(
    ("date", "said"),
    [
        ("2026-11-25T14:31:60Z", "no day ends with this second 60; only a leap second has it, 23:59:60 of UTC"),
        ("2026-11-25T14:29:60Z", "no day ends with this second 60"),
        ("2026-11-25T14:31:60", "no day ends with this second 60"),
        ("2026-11-25T14:30:61", "this is no date of ISO 8601"),
        ("2026-11-25T14:30:00+24:00", "this is no date of ISO 8601"),
        ("2026-11-25T14:30:00+05:60", "this is no date of ISO 8601"),
        ("2026-11-25T14:30:00.", "this is no date of ISO 8601"),
        ("2026-11-25T14", "this is no date of ISO 8601"),
        ("2026-11-25Z", "this is no date of ISO 8601"),
        ("٢٠٢٦-11-25", "this is no date of ISO 8601"),
        ("0000-01-01", "the calendar has no such day"),
        ("2026-04-31", "the calendar has no such day"),
    ],
)
def test_a_wrong_date_is_refused_with_its_line(date: str, said: str, tmp_path: Path) -> None:
    assert f"a.csv, line 3: {date}: {said}" in refused(tmp_path, f"t,n\n2026-11-25,60\n{date},60\n", **DATED)
    assert f"a.csv, line 2: {date}: {said}" in refused(tmp_path, f"t,n\n{date},60\n2026-11-25,60\n", **DATED)


def test_dates_of_which_some_have_no_distance_from_utc_are_refused(tmp_path: Path) -> None:
    for first, other in (("Z", ""), ("", "+01"), ("", " UTC")):
        lines = "".join(f"2026-11-25 14:30:00{zone},60\n" for zone in (first, first, other))
        assert "line 4: 2026-11-25 14:30:00" in refused(tmp_path, f"t,n\n{lines}", **DATED)


def test_an_expression_compares_dates_of_utc(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    dates = ["2026-11-25T14:30:00+01:00", "2026-11-25T13:30:00.500001Z", "2026-11-25T13:30:01Z"]
    text = "t,n\n" + "".join(f"{date},{60 + number}\n" for number, date in enumerate(dates))
    for where, kept in (
        ("t > TIMESTAMP '2026-11-25 13:30:00'", [61, 62]),
        ("t <= TIMESTAMP '2026-11-25 13:30:00.5'", [60]),
        ("t >= DATE '2026-11-25' AND t < DATE '2026-11-26'", [60, 61, 62]),
    ):
        assert [row[1] for row in packets(of_csv(tmp_path, text, **DATED, where=where))] == kept
        naive = pl.Series("t", dates).str.to_datetime("%+", time_unit="ns", time_zone="UTC").dt.replace_time_zone(None)
        for column in (naive, naive.dt.replace_time_zone("UTC").dt.convert_time_zone("Asia/Tokyo")):
            frame = pl.DataFrame([column, pl.Series("n", [60, 61, 62])])
            monkeypatch.setattr("penstock.importing.table.blocks", lambda _file, frame=frame: iter([frame]))
            (tmp_path / "a.pq").write_bytes(b"PAR1")
            assert [row[1] for row in packets(import_trace(tmp_path / "a.pq", **DATED, where=where))] == kept
    told = refused(tmp_path, text, **DATED, where="t > '2026-11-25'")
    assert "write SQL as in --where \"t > TIMESTAMP '2026-11-25 14:30:00.5'\"; the columns are t, n" in told


def test_what_is_before_a_jump_of_the_clock_can_be_left_out(tmp_path: Path) -> None:
    text = "t,n\n0,60\n1,60\n1700000000.5,61\n1700000001,62\n"
    said = "line 4: the trace lasts 19,676 days; it may last 100; is the unit of the times right, or was a clock set?"
    assert said in refused(tmp_path, text, **NAMED)
    assert packets(of_csv(tmp_path, text, **NAMED, where="t > 1e9")) == [(0, 61, 0), (SECOND_PS // 2, 62, 0)]
    dates = "t,n\n1970-01-01,60\n2026-11-25T14:30:00,61\n2026-11-25T14:30:01,62\n"
    assert "line 3: the trace lasts 20,783 days" in refused(tmp_path, dates, **DATED)
    assert of_csv(tmp_path, dates, **DATED, where="t > DATE '2000-01-01'").packets == 2
