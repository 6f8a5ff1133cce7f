"""Tables as people have them: with and without names, with gaps, dates and values of every spelling."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from penstock import InputError, import_trace
from penstock.core.traces import folder
from penstock.importing.trace import ImportedTrace

pytestmark = pytest.mark.in_process

SECOND_PS = 10**12
NUMBERED = {"time": "1:s", "size": "2:octets"}
NAMED = {"time": "t:s", "size": "n:octets"}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


def of_csv(tmp_path: Path, text: str | bytes, **options: Any) -> ImportedTrace:
    (tmp_path / "a.csv").write_bytes(text if isinstance(text, bytes) else text.encode())
    return import_trace(tmp_path / "a.csv", **options)


def packets(trace: ImportedTrace) -> list[tuple[int, int, int]]:
    """Time in picoseconds, octets and flow of each packet."""
    return pl.read_parquet(folder() / trace.sha256 / "packets-*.parquet").rows()


def refused(tmp_path: Path, text: str | bytes, **options: Any) -> str:
    with pytest.raises(InputError) as refusal:
        of_csv(tmp_path, text, **options)
    return str(refusal.value).replace(str(tmp_path), "")


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ("nan,100", "line 1: nan: this is no time"),
        (",100", "line 1: there is no time"),
        ("NA,NA", "line 1: NA: this is no number"),
        ("0.1 s,100", "line 1: 0.1 s: this is no number"),
        ("0x10,100", "line 1: 0x10: this is no number"),
        ("1_000,100", "line 1: 1_000: this is no number"),
        ("1 000,100", "line 1: 1 000: this is no number"),
        ('"0,1",100', "line 1: 0,1: this is no number"),
        ("t,100", "line 1: t: this is no number"),
        ("25.11.2026 14:30,100", "line 1: 25.11.2026 14:30: this is no number"),
        ('"Nov 25, 2026",100', "line 1: Nov 25, 2026: this is no number"),
        ("20261125T143000Z,100", "line 1: 20261125T143000Z: this is no number"),
    ],
)
def test_a_packet_in_the_first_line_is_not_taken_for_names(first: str, said: str, tmp_path: Path) -> None:
    assert said in refused(tmp_path, f"{first}\n0.2,100\n", **NUMBERED)


@pytest.mark.parametrize("names", ["t,n", "Time (s),len", "e,E", '"Zeit","Länge"', "(s),[bytes]", "zeit_s,n1"])
def test_a_first_line_of_names_is_told_where_columns_have_numbers(names: str, tmp_path: Path) -> None:
    trace = of_csv(tmp_path, f"{names}\n0.2,100\n", **NUMBERED)
    assert packets(trace) == [(0, 100, 0)]
    told = names.replace('"', "").replace(",", ", ")
    assert f"# The first line has names, and no packet: {told}.\n" in trace.to_toml()


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
