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
