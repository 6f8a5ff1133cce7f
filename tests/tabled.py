"""What the tests of imported tables share: their columns, and the packets of a CSV or why it is refused."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import polars as pl
import pytest

from penstock import InputError, import_trace
from penstock.core.traces import folder
from penstock.importing.trace import ImportedTrace

SECOND_PS = 10**12
NUMBERED = {"time": "1:s", "size": "2:octets"}
NAMED = {"time": "t:s", "size": "n:octets"}


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
