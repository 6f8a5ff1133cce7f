"""Packets of a table, CSV or Parquet, block by block."""

from __future__ import annotations

import re
from dataclasses import dataclass
from decimal import Decimal
from typing import TYPE_CHECKING, BinaryIO

from penstock.core.errors import InputError, did_you_mean
from penstock.importing.dates import is_date, nanoseconds
from penstock.importing.parquet import blocks

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

TIME_UNITS = {"s": 12, "ms": 9, "us": 6, "ns": 3, "ps": 0, "datetime": 3}
"""Units of times, each with its decimals down to the picosecond. A column of dates has the unit datetime."""
SIZE_UNITS = {"octets": 1, "bits": 8}
"""Units of sizes, each with its number in an octet."""
ROW, TIME, SIZE = "penstock.row", "penstock.time_ps", "penstock.octets"
"""Columns of every frame: the place in the file, picoseconds since its first packet, octets. Bad values are null."""
WRITTEN_TIME, WRITTEN_SIZE = "penstock.time", "penstock.size"
"""Columns of a table: time and size as they are written."""
BLOCK = 1 << 24
"""Octets of CSV that are read at once."""
LONGEST_LINE = 1 << 20
SEPARATORS = (",", ";", "\t", " ")


@dataclass(frozen=True, slots=True)
class Chosen:
    """A column by its name or its number, with the unit of its values; the unit may be empty."""

    column: str
    unit: str = ""

    @classmethod
    def parse(cls, text: str, option: str, units: Sequence[str]) -> Chosen:
        """A column and its unit, as ``arrival:us``. Raises :class:`InputError` without a known unit."""
        column, _, unit = text.rpartition(":")
        known = ", ".join(units)
        if not column:
            raise InputError(
                "the unit is missing", path=option, value=text, remedy=f"write {text}:UNIT; there are {known}"
            )
        if unit not in units:
            raise InputError("there is no such unit", path=option, value=text, remedy=f"there are {known}")
        return cls(column, unit)


@dataclass(frozen=True, slots=True)
class Columns:
    """The columns of a table that matter: time, size, and those that identify a flow."""

    time: Chosen
    size: Chosen
    flow: tuple[str, ...] = ()


class Table:
    """The packets of one table, and what is known of it after its first block."""

    def __init__(self, file: str, columns: Columns) -> None:
        self.left_out: Mapping[str, int] = {}
        self._file = file
        self._columns = columns
        self._origin: Decimal | None = None
        self._names: list[str] = []
        self.flow: tuple[str, ...] = ()

    def of_csv(self, stream: BinaryIO) -> Iterator[pl.DataFrame]:
        """The packets of a CSV, with or without a line of names. A row is a line of the file, from 1."""
        import polars as pl

        block = _lines(stream, self._file)
        if not block.strip():
            raise InputError("the file is empty", file=self._file, remedy="give a table of times and sizes")
        head = block.split(b"\n", 1)[0].decode("utf-8-sig", errors="replace").strip("\r")
        separator = next((one for one in SEPARATORS if one in head), ",")
        cells = [cell.strip().strip('"') for cell in head.split(separator)]
        has_names = self._has_names(cells)
        names = cells if has_names else [f"column_{number}" for number in range(1, len(cells) + 1)]
        time, size = self._choose(names)
        self._names = names
        line = 1
        if has_names:
            block, line = block.partition(b"\n")[2] or _lines(stream, self._file), 2
        kinds: dict[str, pl.DataType | type[pl.DataType]] = {}
        while block:
            try:
                if not kinds:
                    read = pl.read_csv(block, separator=separator, has_header=False, new_columns=names)
                    kinds = {**read.schema, time: pl.String(), size: pl.String()}
                frame = pl.read_csv(block, separator=separator, has_header=False, schema=kinds)
            except pl.exceptions.PolarsError as error:
                raise self._misfit(block, separator, line, error) from None
            yield self._measured(frame, time, size, line)
            line += block.count(b"\n")
            block = _lines(stream, self._file)

    def of_parquet(self) -> Iterator[pl.DataFrame]:
        """The packets of a Parquet file. Rows are counted from 1."""
        time, size, row = "", "", 1
        for frame in blocks(self._file):
            if not time:
                time, size = self._choose(frame.columns)
            yield self._measured(frame, time, size, row)
            row += len(frame)

    def _choose(self, names: Sequence[str]) -> tuple[str, str]:
        """The names of the columns of time and size; keeps those of the flow."""
        if len(set(names)) < len(names):
            raise InputError("two columns have the same name", file=self._file, remedy="give each its own name")
        self.flow = tuple(self._name(column, names) for column in self._columns.flow)
        return self._name(self._columns.time.column, names), self._name(self._columns.size.column, names)

    def _name(self, column: str, names: Sequence[str]) -> str:
        if column in names:
            return column
        if column.isdecimal() and 1 <= int(column) <= len(names):
            return names[int(column) - 1]
        remedy = did_you_mean(column, names) or f"there are {len(names)} columns: {', '.join(names[:20])}"
        raise InputError("there is no such column", value=column, file=self._file, remedy=remedy)

    def _has_names(self, cells: list[str]) -> bool:
        """Whether the first line has names: a column is chosen by its name, or the time there is no number."""
        chosen = (self._columns.time.column, self._columns.size.column, *self._columns.flow)
        if any(not column.isdecimal() for column in chosen):
            return True
        place = int(self._columns.time.column)
        return 1 <= place <= len(cells) and not _is_time(cells[place - 1])

    def _misfit(self, block: bytes, separator: str, first: int, error: Exception) -> InputError:
        """The error of a block that does not fit: the first line with another number of columns, if there is one."""
        rows = block.splitlines()
        counts = [row.count(separator.encode()) + 1 for row in rows]
        most = len(self._names)
        at = next((place for place, count in enumerate(counts) if count != most), None)
        reason = f"the line has {counts[at]} columns, and the first {most}" if at is not None else str(error)
        return InputError(
            reason.splitlines()[0],
            file=self._file,
            line=first if at is None else first + at,
            remedy="write every line with the same columns, each of one kind",
        )

    def _measured(self, frame: pl.DataFrame, time: str, size: str, first: int) -> pl.DataFrame:
        """The rows with the columns of every frame; the chosen columns themselves are numbers."""
        import polars as pl

        times = self._times(frame[time])
        if self._origin is None and (known := times.drop_nulls()).len():
            self._origin = known[0]
        decimals = TIME_UNITS[self._columns.time.unit]
        since = ((times - (self._origin or Decimal(0))) * 10**decimals).cast(pl.Int64, strict=False)
        sizes = _stripped(frame[size]).cast(pl.Float64, strict=False)
        numbers = [times.cast(pl.Float64).alias(time), sizes.alias(size)]
        octets = sizes / SIZE_UNITS[self._columns.size.unit]
        written = [frame[time].cast(pl.String).alias(WRITTEN_TIME), frame[size].cast(pl.String).alias(WRITTEN_SIZE)]
        return frame.with_row_index(ROW, first).with_columns(*numbers, *written, since.alias(TIME), octets.alias(SIZE))

    def _times(self, written: pl.Series) -> pl.Series:
        """Times as decimals in their unit, exact to the picosecond."""
        import polars as pl

        unit = self._columns.time.unit
        has_dates = isinstance(written.dtype, pl.Datetime)
        if unit == "datetime" and written.dtype == pl.String:
            return nanoseconds(written)
        if has_dates != (unit == "datetime"):
            reason = "this column has dates" if has_dates else "this column has no dates"
            remedy = f"write {self._columns.time.column}:datetime" if has_dates else "state the unit of its numbers"
            raise InputError(reason, path="--time", value=f"{self._columns.time.column}:{unit}", remedy=remedy)
        plain = written.dt.epoch("ns") if has_dates else _stripped(written)
        return plain.cast(pl.Decimal(38, TIME_UNITS[unit]), strict=False)


def _is_time(cell: str) -> bool:
    return re.fullmatch(r"[-+0-9.eE]+", cell) is not None or is_date(cell)


def _stripped(written: pl.Series) -> pl.Series:
    import polars as pl

    return written.str.strip_chars() if written.dtype == pl.String else written


def _lines(stream: BinaryIO, file: str) -> bytes:
    """Whole lines of about one block; empty at the end."""
    block = stream.read(BLOCK)
    if block and not block.endswith(b"\n"):
        rest = stream.readline(LONGEST_LINE)
        if len(rest) == LONGEST_LINE:
            raise InputError("a line has more than a million octets", file=file, remedy="give a table of short lines")
        block += rest
    return block
