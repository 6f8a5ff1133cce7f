"""Packets of a table, CSV or Parquet, block by block."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from math import isfinite
from typing import TYPE_CHECKING, BinaryIO

from penstock.core.counts import counted
from penstock.core.errors import InputError, did_you_mean
from penstock.core.quantities import SEPARATED, real
from penstock.importing.dates import Dates, is_date, is_day, is_leap_second
from penstock.importing.kinds import ROW, Kinds
from penstock.importing.names import plain, some_of
from penstock.importing.parquet import blocks
from penstock.importing.rows import AS_UTF_8, QUOTED, Rows, blocks_of
from penstock.importing.stated import of_frames, other_unit

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    import polars as pl

TIME_UNITS = {"s": 12, "ms": 9, "us": 6, "ns": 3, "ps": 0, "datetime": 3}
"""Units of times, each with its decimals down to the picosecond. A column of dates has the unit datetime."""
SIZE_UNITS = {"octets": 1, "bits": 8}
"""Units of sizes, each with its number in an octet."""
TIME, SIZE = "penstock.time_ps", "penstock.octets"
"""Columns of every frame beside its row: picoseconds since any time, octets. Bad values are null."""
OWN = "penstock."
"""How the names of columns begin that no table may have."""
FLOW = OWN + "of."
"""How the names of columns begin that tell the flows of a table apart, as they are written."""
WRITTEN_TIME, WRITTEN_SIZE = "penstock.time", "penstock.size"
"""Columns of a table: time and size as they are written."""
ZONED = "penstock.zoned"
"""A column of a table whose times are dates in texts: whether each has a distance from UTC."""
DATE_EXAMPLE = "2026-11-25T14:30:00.5Z"
MOST_PS = 10**37
"""The difference of two such times is a number of 128 bits."""
NANOSECONDS = {"ms": 10**6, "us": 10**3, "ns": 1}
"""Those of what a column of dates counts."""
VALUES = tuple("0123456789+-.")
"""How a number, an amount with its unit, or a date begins, and no name of a column that is chosen by its number."""
NO_VALUE = ("na", "n/a", "nil", "none", "null")
"""What tables have where a value is missing."""
NO_COMMENT = "delete the #, or write another column first"
"""The remedy for packets that are comments."""
HAS_CR = ("there is a CR within this line, and no LF behind it", "end each line with LF or CR LF: tr '\\r' '\\n'")
"""What is wrong with lines that end as on old systems, and what would be right."""
NESTED = ("List", "Array", "Struct", "Object")
"""Types of columns that have no order and identify no flow."""


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
    """The columns of a table that matter: time, size, those that identify a flow, and those that are compared."""

    time: Chosen
    size: Chosen
    flow: tuple[str, ...] = ()
    compared: tuple[str, ...] = ()


class Table:
    """The packets of one table, and what is known of it after its first block."""

    def __init__(self, file: str, columns: Columns) -> None:
        self.unit = "line"
        self.left_out: Mapping[str, int] = {}
        self.notes: list[str] = []
        self.comments = 0
        self._commented: Sequence[str] = ()
        self._file = file
        self._columns = columns
        self.bits_of_octet = SIZE_UNITS[columns.size.unit]
        self.time_unit = columns.time.unit
        self.time = self.size = ""
        self._dates = Dates()
        self.flow: tuple[str, ...] = ()

    def of_csv(self, stream: BinaryIO) -> Iterator[pl.DataFrame]:
        """The packets of a CSV, with or without a line of names. A row is a line of the file, from 1."""
        import polars as pl

        names = list[str]()
        kinds, before, open_quotes = Kinds(self._file, ()), 0, 0
        for rows in blocks_of(stream, self._file):
            if not names and not rows.octets:
                before += rows.comments
                continue
            self.comments += rows.comments
            open_quotes += rows.open_quotes
            if not names:
                self.comments -= len(rows.above)
                names, has_names = self._named(rows)
                self._commented = _words_of(rows)
                time, size = self._choose(names)
                kinds = Kinds(self._file, [name for name in self._columns.compared if name in {*names} - {time, size}])
                rows = rows.without_first() if has_names else rows
            if not rows.octets:
                continue
            try:
                texts = dict.fromkeys(names, pl.String())
                frame = pl.read_csv(rows.octets, separator=rows.separator, has_header=False, schema=texts)
            except pl.exceptions.PolarsError as error:
                raise self._misfit(rows, len(names), str(error)) from None
            if len(frame) != len(rows.numbers):
                raise self._misfit(rows, len(names), "a cell goes over several lines")
            if rows.cells != len(names) * len(frame):
                raise self._misfit(rows, len(names), "a line has too few columns")
            used = {time, size, *self.flow, *kinds.columns}
            frame = frame.with_columns(pl.col(name).str.strip_chars() for name in used)
            frame = self._with_flows(frame).with_columns(pl.Series(ROW, rows.numbers))
            yield self._measured(kinds.typed(frame), time, size)
        if not names and before:
            reason = f"all lines begin with #, which makes them comments: {before:,}"
            raise InputError(reason, file=self._file, remedy=NO_COMMENT)
        if not names:
            raise InputError("the file is empty", file=self._file, remedy="give a table of times and sizes")
        if number := self.comments:
            lines = "1 line behind the first begins" if number == 1 else f"{number:,} lines behind the first begin"
            self.notes.append(f"{lines} with #: a comment, and no packet.")
        if open_quotes:
            self.notes.append(
                f"{counted(open_quotes, 'line')} with a quote that is not closed: it is a part of its cell."
            )

    def _named(self, rows: Rows) -> tuple[list[str], bool]:
        """The names of the columns, and whether the first line has them; otherwise they are numbered."""
        try:
            head = rows.first.decode()
            cells = [cell.strip() for cell in next(csv.reader([head], delimiter=rows.separator), [])]
        except UnicodeDecodeError as error:
            raise InputError(_no_utf_8(error), file=self._file, line=rows.numbers[0], remedy=AS_UTF_8) from None
        except csv.Error as error:
            reason, remedy = f"the first line has no cells: {error}", "write every line with the same columns"
            if _has_cr(rows.first):
                reason, remedy = HAS_CR
            raise InputError(reason, file=self._file, line=rows.numbers[0], remedy=remedy) from None
        has_names = self._has_names(cells)
        return cells if has_names else [f"column_{number}" for number in range(1, len(cells) + 1)], has_names

    def of_parquet(self) -> Iterator[pl.DataFrame]:
        """The packets of a Parquet file. Rows are counted from 1."""
        time, size, row = "", "", 1
        self.unit = "row"
        for frame in blocks(self._file):
            if not time:
                time, size = self._choose(frame.columns)
                self._check_kinds(frame.schema, time, size)
            yield self._measured(self._with_flows(frame).with_row_index(ROW, row), time, size)
            row += len(frame)

    def _with_flows(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The rows with the columns that tell their flows apart, as they are written."""
        import polars as pl

        return frame.with_columns(pl.col(column).alias(FLOW + column) for column in self.flow)

    def _check_kinds(self, kinds: Mapping[str, pl.DataType], time: str, size: str) -> None:
        """Refuse columns whose values are neither numbers nor texts, or for a time, dates. One of nulls may be any."""
        import polars as pl

        wanted_time = f"a time is a number, a date or a text as {DATE_EXAMPLE}"
        for column, option, wanted in ((time, "--time", wanted_time), (size, "--size", "a size is a number or a text")):
            kind, is_time = kinds[column], option == "--time"
            if kind.is_numeric() or kind in (pl.String, pl.Null) or (is_time and kind in (pl.Date, pl.Datetime)):
                continue
            reason = f"this column has the type {kind}, and {wanted}"
            remedy = "write it as a number with its unit, or name another column"
            raise InputError(reason, path=option, value=column, file=self._file, remedy=remedy)
        for column in self.flow:
            if str(kinds[column].base_type()) in NESTED:
                reason = f"this column has the type {kinds[column]}, and a flow is told apart by texts or numbers"
                raise InputError(reason, path="--flow", value=column, file=self._file, remedy="name another column")

    def _choose(self, names: Sequence[str]) -> tuple[str, str]:
        """The names of the columns of time and size; keeps those of the flow."""
        if twice := [name for name in names if names.count(name) > 1]:
            reason = f"two columns have {'the same' if twice[0] else 'no'} name"
            raise InputError(reason, value=twice[0], file=self._file, remedy="give each its own name")
        if own := next((name for name in names if name.startswith(OWN)), ""):
            reason = f"no column has a name that begins with {OWN}"
            raise InputError(reason, value=own, file=self._file, remedy="give it another one")
        # A column may be named twice, by its name and by its number.
        self.flow = tuple(dict.fromkeys(self._name(column, names) for column in self._columns.flow))
        self.time = self._name(self._columns.time.column, names)
        self.size = self._name(self._columns.size.column, names)
        if self.time == self.size:
            remedy = "name the column that has the sizes"
            raise InputError("this is the column of the times", path="--size", value=self.size, remedy=remedy)
        self.notes += other_unit("--time", self.time, self._columns.time.unit)
        self.notes += other_unit("--size", self.size, self._columns.size.unit)
        self.notes += of_frames(self.size, names)
        return self.time, self.size

    def _name(self, column: str, names: Sequence[str]) -> str:
        if column in names:
            return column
        if column.isdecimal() and 1 <= int(column) <= len(names):
            return names[int(column) - 1]
        there = f"the table has {counted(len(names), 'column')}: {', '.join(names[:20])}"
        remedy = did_you_mean(column, names) or there
        if column in self._commented:
            remedy = "the line before the first has it, and is a comment: delete its #"
        raise InputError("there is no such column", value=column, file=self._file, remedy=remedy)

    def _has_names(self, cells: list[str]) -> bool:
        """Whether the first line has names: a column is chosen by its name, or time and size can be nothing else."""
        measured = (self._columns.time.column, self._columns.size.column)
        if any(not column.isdecimal() for column in (*measured, *self._columns.flow)):
            return True
        places = [int(column) for column in measured]
        if any(not 1 <= place <= len(cells) or not _can_be_name(cells[place - 1]) for place in places):
            return False
        self.notes.append(f"The first line has names, and no packet: {some_of([plain(cell) for cell in cells])}.")
        return True

    def _misfit(self, rows: Rows, columns: int, told: str) -> InputError:
        """The error of rows that cannot be read: their first line with a fault, if one has it."""
        remedy = "write every line with the same columns, each of one kind"
        lines = rows.octets.removesuffix(b"\n").split(b"\n")
        for line, number in zip(lines, rows.numbers, strict=False):
            reason = ""
            if line.count(b'"') % 2:
                reason, remedy = "a quote is not closed in this line", "close it: a row is one line"
            elif _has_cr(line):
                reason, remedy = HAS_CR
            elif (count := rows.cells_in(line)) != columns:
                reason = f"the line has {counted(count, 'column')}, and the first {columns}"
            else:
                try:
                    line.decode()
                except UnicodeDecodeError as error:
                    reason, remedy = _no_utf_8(error), AS_UTF_8
            if reason:
                return InputError(reason, file=self._file, line=number, remedy=remedy)
        return InputError(told.splitlines()[0], file=self._file, line=rows.numbers[0], remedy=remedy)

    def _measured(self, frame: pl.DataFrame, time: str, size: str) -> pl.DataFrame:
        """The rows with the columns of every frame; the chosen columns themselves are numbers, or dates of UTC."""
        import polars as pl

        times, zoned = self._times(frame[time])
        # What a decimal counts is its last digit, a picosecond here.
        since = times.to_physical()
        since = since.set(since.abs() > MOST_PS, None)
        sizes = _stripped(frame[size]).cast(pl.Float64, strict=False)
        is_dated = self._columns.time.unit == "datetime"
        compared = (times.cast(pl.Int128) // 1000).cast(pl.Datetime("us")) if is_dated else times.cast(pl.Float64)
        octets = sizes / SIZE_UNITS[self._columns.size.unit]
        written = [frame[time].cast(pl.String).alias(WRITTEN_TIME), frame[size].cast(pl.String).alias(WRITTEN_SIZE)]
        if zoned is not None:
            written.append(zoned.alias(ZONED))
        return frame.with_columns(
            compared.alias(time), sizes.alias(size), *written, since.alias(TIME), octets.alias(SIZE)
        )

    def _times(self, written: pl.Series) -> tuple[pl.Series, pl.Series | None]:
        """Times as decimals in their unit, exact to the picosecond, and whether dates in texts have a zone."""
        import polars as pl

        unit = self._columns.time.unit
        written = written.cast(pl.Datetime("us")) if written.dtype == pl.Date else written
        has_dates = isinstance(written.dtype, pl.Datetime)
        if unit == "datetime" and written.dtype in (pl.String, pl.Null):
            return self._dates.nanoseconds(written.cast(pl.String))
        if has_dates != (unit == "datetime"):
            reason = "this column has dates" if has_dates else f"this column has no dates but the type {written.dtype}"
            remedy = f"write {self._columns.time.column}:datetime" if has_dates else "state the unit of its numbers"
            raise InputError(reason, path="--time", value=f"{self._columns.time.column}:{unit}", remedy=remedy)
        if isinstance(written.dtype, pl.Datetime):
            # In 64 bits, nanoseconds end in 2262.
            ns = written.to_physical().cast(pl.Decimal(38, 3)) * NANOSECONDS[written.dtype.time_unit]
            return ns.cast(pl.Decimal(38, 3)), None
        return _stripped(written).cast(pl.Decimal(38, TIME_UNITS[unit]), strict=False), None


def _has_cr(line: bytes) -> bool:
    """Whether a line has a CR, but for its end and what is in quotes."""
    return b"\r" in QUOTED.sub(b"", line).rstrip(b"\r")


def _no_utf_8(error: UnicodeDecodeError) -> str:
    return f"octet {error.start + 1} of the line is not UTF-8"


def refused_time(written: str, unit: str) -> tuple[str, str]:
    """What is wrong with a time in this unit, and what would be right."""
    text = written.strip()
    far = "this is too far away for a time", "is the unit right?"
    if unit == "datetime":
        if re.fullmatch(r"[-+]?\d+\.?\d*(?:[eE][-+]?\d+)?", text):
            return "this is a number, and no date", "state its unit, as COLUMN:s"
        if not is_date(text):
            remedy = f"write it as {DATE_EXAMPLE}, or as seconds, as tshark does with -e frame.time_epoch"
            return "this is no date of ISO 8601", remedy
        if not is_day(text):
            return "the calendar has no such day", f"write a date as {DATE_EXAMPLE}"
        if is_leap_second(text):
            return "no day ends with this second 60", "only a leap second has it, 23:59:60 of UTC: write 59, or 00"
        return far
    if is_date(text):
        return "this is a date, and no number", "write COLUMN:datetime for a column of dates"
    try:
        return far if isfinite(real(text)) else ("this is no time", "write a number")
    except ValueError:
        if SEPARATED.fullmatch(text) and text.isascii() and not text[-1].isalpha():
            return "this is no number", "decimals follow a point, and nothing separates thousands, as in 1200.5"
        return "this is no number", f"write one, or a date as {DATE_EXAMPLE} with COLUMN:datetime"


def _words_of(rows: Rows) -> list[str]:
    """The cells of the comment before the first line, if there is one: it may have the names of the columns."""
    comment = rows.above[-1].lstrip().lstrip(b"#").decode(errors="replace") if rows.above else ""
    return [
        cell.strip(' \t"') for cell in (comment.split() if rows.separator == " " else comment.split(rows.separator))
    ]


def _can_be_name(cell: str) -> bool:
    """Whether a cell of the first line may name its column: it has letters, and is no value, not even a bad one."""
    if cell[:1] in VALUES or cell.lower() in NO_VALUE or not any(map(str.isalpha, cell)):
        return False
    try:
        real(cell)  # inf and nan
    except ValueError:
        return True
    return False


def _stripped(written: pl.Series) -> pl.Series:
    import polars as pl

    return written.str.strip_chars() if written.dtype == pl.String else written
