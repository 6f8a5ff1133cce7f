"""Traces of packets: read block by block, checked, and kept in the store of traces under their SHA-256."""

from __future__ import annotations

import io
import os
import sys
from collections import Counter
from collections.abc import Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from penstock.core.counts import counted
from penstock.core.errors import InputError
from penstock.core.reading import AT_ONCE, GZIP, STDIN, STDIN_NAME, NotRegularError, Unzipping, require_regular
from penstock.core.traces import MOST_PACKETS, Writer
from penstock.importing.capture import Capture
from penstock.importing.document import quoted
from penstock.importing.expression import columns_in, condition, needs_other_rows, said_of, texts_in, unknown_in
from penstock.importing.formats import LOOKED_AT, begins_as_network
from penstock.importing.kinds import ROW
from penstock.importing.library import reading
from penstock.importing.names import plain
from penstock.importing.records import PCAP, PCAPNG
from penstock.importing.table import (
    FLOW,
    NO_COMMENT,
    OWN,
    SIZE,
    SIZE_UNITS,
    TIME,
    TIME_UNITS,
    WRITTEN_SIZE,
    WRITTEN_TIME,
    ZONED,
    Chosen,
    Columns,
    Table,
    refused_time,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    import polars as pl

    _Told = tuple[str, str]

MOST_FLOWS = 1_000_000
MOST_OCTETS = 65_535
"""Octets of a packet: what IP and AAL5 can carry."""
LONGEST_S = 100 * 86_400
FASTEST_BPS = 1e14
"""A trace with a higher mean rate has another unit. No line in Penstock is faster."""
PARQUET = b"PAR1"
FOREIGN = {
    b"\x28\xb5\x2f\xfd": ("compressed by zstd", "unpack it: unzstd FILE"),
    b"\xfd7zX": ("compressed by xz", "unpack it: unxz FILE"),
    **{b"BZh%d1AY&" % level: ("compressed by bzip2", "unpack it: bunzip2 FILE") for level in range(1, 10)},
    b"\x04\x22\x4d\x18": ("compressed by lz4", "unpack it: lz4 -d FILE"),
    b"PK\3\4": ("a ZIP archive, or a file of a spreadsheet", "unpack it, or save the table as CSV"),
    b"snoop\0\0\0": ("a capture of snoop", "make it one of pcapng: editcap FILE OTHER.pcapng"),
    b"\xa1\xb2\xcd\x34": ("a modified pcap", "make it one of pcapng: editcap FILE OTHER.pcapng"),
    b"\x34\xcd\xb2\xa1": ("a modified pcap", "make it one of pcapng: editcap FILE OTHER.pcapng"),
}
"""How files begin that are not read, what they are, and what to do."""
PACKED = (".gz", ".zst", ".xz", ".bz2", ".lz4", ".zip")
CAPTURES = (".pcap", ".pcapng", ".cap")
TABLES = (".csv", ".tsv", ".parquet")
MET = OWN + "met"
"""A column that says whether a packet meets ``--where``; null if it compares a value that is missing."""
CELL, PAYLOAD, TRAILER = 53, 48, 8
"""Octets of a cell, of its payload, and of the trailer of AAL5."""


@dataclass(frozen=True, slots=True)
class ImportedTrace:
    """A trace in the store.

    Attributes:
        name: its name, for readers.
        sha256: the digest under which it is kept.
        packets: number of packets.
        flows: number of flows, by five-tuple or by the columns given.
        octets: sum of the sizes of all packets.
        cells: number of cells that AAL5 makes of them.
        duration_s: time from the first packet to the last.
        longest_gap_s: the longest time between two packets.
        left_out: numbers of packets that were left out, by the reason.
        notes: what the file says that the packets do not show, and what stands for what it does not say.
    """

    name: str
    sha256: str
    packets: int
    flows: int
    octets: int
    cells: int
    duration_s: float
    longest_gap_s: float
    left_out: Mapping[str, int] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def mean_bps(self) -> float:
        """Mean rate in bits per second; 0 if all packets have the same time."""
        return self.octets * 8 / self.duration_s if self.duration_s else 0.0

    def to_toml(self) -> str:
        """The traffic of a group of flows, as a part of a scenario file, with comments about the trace."""
        comments = [
            f"{counted(self.packets, 'packet')} of {counted(self.flows, 'flow')} in {self.duration_s:.6g} s, "
            f"{self.octets:,} octets, mean {self.mean_bps / 1e6:.4g} Mb/s.",
            f"AAL5 makes {counted(self.cells, 'cell')} of them: "
            f"{self.cells * CELL / self.octets:.3f} octets for each octet.",
            f"The longest time without a packet is {self.longest_gap_s:.6g} s.",
        ]
        comments += [
            f"{counted(packets, 'packet')} {reason} {'was' if packets == 1 else 'were'} left out."
            for reason, packets in self.left_out.items()
        ]
        comments += self.notes
        comments += [
            "The trace is open-loop: packets come at their times, whatever happens to the packets before. The measured",
            "senders reacted to their own network, so a backlog under control is not that of the measured network.",
            "A run sends the packets of its own duration. A second trace is a group of another name than data. What",
            "each needs beside is its path:",
            '[flow.data] with path = ["...", "..."], or in a network with from = ["..."] and to = ["..."].',
        ]
        told = "".join(f"# {comment}\n" for comment in comments)
        return f'{told}[flow.data.traffic.trace]\nname = {quoted(self.name)}\nsha256 = "{self.sha256}"\n'


def is_trace(file: str | Path) -> bool:
    """Whether a file has packets and no network: by its first octets, or by the end of its name."""
    suffixes = [suffix.lower() for suffix in Path(file).suffixes]
    if suffixes[-1:] and suffixes[-1] in PACKED:
        suffixes.pop()
    if suffixes[-1:] and suffixes[-1] in (*CAPTURES, *TABLES):
        return True
    with suppress(OSError, ValueError, InputError), _opened(str(file)) as stream:
        return stream.peek(4)[:4] in (*PCAP, PCAPNG, PARQUET)
    return False


def import_trace(
    file: str | Path,
    *,
    name: str = "",
    time: str = "",
    size: str = "",
    flow: Sequence[str] = (),
    where: str | None = None,
) -> ImportedTrace:
    """Read the packets of a capture or a table into the store of traces, once.

    The file is read block by block, so its size does not matter. ``-`` is standard input. gzip may have compressed it.

    Args:
        file: pcap or pcapng, CSV with or without a line of names, or Parquet.
        name: the name of the trace; by default that of the file.
        time: of a table, the column of the time and its unit, as ``arrival:us`` or ``1:s``: s, ms, us, ns, ps, or
            datetime for dates of ISO 8601.
        size: of a table, the column of the size and its unit, as ``length:octets`` or ``2:bits``. The size of a packet
            is that of IP, as captures have it: without the header of its link.
        flow: of a table, the columns that identify a flow. Without them it is one flow.
        where: an expression in SQL over the columns; packets for which it is false are left out. A capture has
            ``protocol``, ``source``, ``source_port``, ``destination``, ``destination_port`` and ``octets``. None
            leaves nothing out.

    Raises:
        InputError: a file or a column that cannot be read, a value that is missing or no number, times that decrease,
            units that cannot be right, an expression that is empty, needs other packets than the one it is about, or
            is met by no packet, more than 50 million packets.
    """
    if where is not None and not where.strip():
        remedy = "write SQL over the columns, or leave it out to take every packet"
        raise InputError("the expression is empty", path="--where", value=repr(where), remedy=remedy)
    source = str(file)
    given = STDIN_NAME if source == STDIN else source
    if not name.isprintable():
        remedy = "give a name on one line, without control characters"
        raise InputError("this is no name", path="--name", value=repr(name), remedy=remedy)
    name = name or plain(Path(given).name.split(".")[0]) or "trace"
    with _opened(source) as stream, reading("packets", given):
        start = stream.peek(4)[:4]
        if start in (*PCAP, PCAPNG):
            _refuse_columns(time, size, flow, given)
            capture = Capture(cast("BinaryIO", stream), given)
            return _Keeper(capture, given, where).keep(capture.frames(), name)
        _refuse_foreign(stream.peek(8)[:8], given)
        _refuse_other_captures(start, time, given)
        if source == STDIN and not time and begins_as_network(stream.peek(LOOKED_AT)[:LOOKED_AT]):
            remedy = "save it as a file, and import that"
            raise InputError("this looks like a network: standard input has packets", file=given, remedy=remedy)
        table = Table(given, _columns(time, size, flow, where, given))
        if start == PARQUET:
            if source == STDIN:
                raise InputError("Parquet is not read from standard input", file=given, remedy="name the file")
            if given.endswith(".gz"):
                raise InputError("Parquet is not read from gzip", file=given, remedy="unpack it: gunzip FILE")
            return _Keeper(table, given, where).keep(table.of_parquet(), name)
        return _Keeper(table, given, where).keep(table.of_csv(cast("BinaryIO", stream)), name)


@contextmanager
def _opened(source: str) -> Iterator[io.BufferedReader]:
    if source == STDIN:
        yield _plain(cast("io.BufferedReader", sys.stdin.buffer), STDIN_NAME)
        return
    try:
        require_regular(Path(source))
        stream = os.fdopen(os.open(source, AT_ONCE), "rb")
    except NotRegularError as error:
        remedy = f"name a file, or give {STDIN} and its content on standard input"
        raise InputError(f"this is {error.what}", file=source, remedy=remedy) from None
    except (OSError, ValueError) as error:
        reason = error.strerror if isinstance(error, OSError) else str(error)
        raise InputError(f"the file cannot be read: {reason}", file=source, remedy="check its name") from None
    with stream:
        yield _plain(stream, source)


def _plain(stream: io.BufferedReader, file: str) -> io.BufferedReader:
    """What is in a stream, unpacked if gzip has compressed it."""
    return io.BufferedReader(Unzipping(stream, file)) if stream.peek(2)[:2] == GZIP else stream


def _refuse_foreign(start: bytes, file: str) -> None:
    """A file that is compressed or a capture in a way that is not read."""
    for begin, (what, remedy) in FOREIGN.items():
        if start.startswith(begin):
            raise InputError(f"this is {what}, which is not read", file=file, remedy=remedy)


def _refuse_other_captures(start: bytes, time: str, file: str) -> None:
    """A file with the name of a capture that does not begin as one."""
    if not time and Path(file.removesuffix(".gz")).suffix.lower() in CAPTURES:
        begins = f"it begins with {start.hex(' ')}" if start else "it is empty"
        reason = f"this is no pcap and no pcapng: {begins}"
        raise InputError(reason, file=file, remedy="write it again, with tcpdump -w or editcap -F pcapng")


def _columns(time: str, size: str, flow: Sequence[str], where: str | None, file: str) -> Columns:
    for option, value, example in (("--time", time, "arrival:us"), ("--size", size, "length:octets")):
        if not value:
            reason = "a table needs the columns of time and size, each with its unit"
            remedy = f"write for example {option} {example}; a column may have its number, from 1, as its name"
            raise InputError(reason, path=option, file=file, remedy=remedy)
    chosen = Chosen.parse(time, "--time", list(TIME_UNITS)), Chosen.parse(size, "--size", list(SIZE_UNITS))
    return Columns(*chosen, tuple(flow), tuple(columns_in(where or "")))


def _refuse_columns(time: str, size: str, flow: Sequence[str], file: str) -> None:
    for option, value in (("--time", time), ("--size", size), ("--flow", ",".join(flow))):
        if value:
            raise InputError("a capture has its own columns", path=option, value=value, file=file, remedy="delete it")


class _Keeper:
    """Checks the packets of a source, frame by frame, numbers their flows, and writes them into the store."""

    def __init__(self, source: Capture | Table, file: str, where: str | None) -> None:
        self._source = source
        self._file = file
        self._where = where
        self._time_unit = source.time_unit if isinstance(source, Table) else ""
        self._unmet: Counter[str] = Counter()
        self._read = self._packets = self._octets = self._cells = 0
        self._first_ps: int | None = None
        self._zoned: bool | None = None
        self._last_ps = self._longest_ps = 0
        self._flows: pl.DataFrame | None = None

    def keep(self, frames: Iterator[pl.DataFrame], name: str) -> ImportedTrace:
        """Write all packets. Raises :class:`InputError`; then nothing is left of them."""
        with Writer() as writer:
            for frame in frames:
                self._read += len(frame)
                kept = self._filtered(frame)
                self._packets += len(kept)
                # Beyond the limit they are only counted, to say how many there are.
                if len(kept) and self._packets <= MOST_PACKETS:
                    writer.add(self._numbered(self._checked(kept)))
            flows = self._check_all()
            sha256 = writer.finish(flows)
        return ImportedTrace(
            name,
            sha256,
            self._packets,
            len(flows),
            self._octets,
            self._cells,
            self._last_ps / 1e12,
            self._longest_ps / 1e12,
            {**self._source.left_out, **{reason: number for reason, number in self._unmet.items() if number}},
            tuple(self._source.notes),
        )

    def _filtered(self, frame: pl.DataFrame) -> pl.DataFrame:
        import polars as pl

        if self._where is None:
            return frame
        names = [name for name in frame.columns if not name.startswith(OWN)]
        try:
            expression = pl.sql_expr(self._where)
            unknown, remedy = unknown_in(expression, names)
            if unknown:
                raise InputError(f"there is no column {unknown}", path="--where", value=self._where, remedy=remedy)
            if needs_other_rows(expression):
                raise InputError(
                    "this expression needs more than the packet that it is about, as a sum or a rank does",
                    path="--where",
                    value=self._where,
                    remedy=f"compare the columns of one packet, as in {condition(self._source.size, '> 100')}",
                )
            # Polars has NaN as the greatest number: it would meet n > 0.
            compared = frame.with_columns(pl.selectors.float().fill_nan(None))
            frame = frame.with_columns(compared.with_columns(expression.alias(MET))[MET])
            kept = frame.filter(pl.col(MET))
            self._unmet["for which --where is false"] += len(frame) - len(kept) - frame[MET].null_count()
            self._unmet["for which --where has no value"] += frame[MET].null_count()
            return kept
        except pl.exceptions.PolarsError as error:
            texts = texts_in(self._where, frame, self._source.unit)
            raise InputError(
                f"this expression cannot be used: {said_of(str(error))}",
                path="--where",
                value=self._where,
                remedy=texts or f"write SQL as in {condition(*self._example())}; the columns are {', '.join(names)}",
            ) from None

    def _example(self) -> tuple[str, str]:
        """A column and what it is compared with, as an example."""
        source = self._source
        if isinstance(source, Table) and source.time_unit == "datetime" and source.time in (self._where or ""):
            return source.time, "> TIMESTAMP '2026-11-25 14:30:00.5'"
        return source.size, "> 100"

    def _checked(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The packets with whole octets, and with times since the first packet. Raises :class:`InputError`."""
        import polars as pl

        octets = pl.col(SIZE)
        is_size = (octets == octets.floor()) & octets.is_between(1, MOST_OCTETS)
        self._refuse(frame, pl.col(TIME).is_null(), WRITTEN_TIME, self._of_time)
        if ZONED in frame.columns:
            self._zoned = bool(frame[ZONED][0]) if self._zoned is None else self._zoned
            self._refuse(frame, pl.col(ZONED) != self._zoned, WRITTEN_TIME, self._of_zone)
        is_capture = isinstance(self._source, Capture)
        told = self._of_captured_size if is_capture else self._of_size
        self._refuse(frame, ~is_size.fill_null(value=False), SIZE if is_capture else WRITTEN_SIZE, told)
        if self._first_ps is None:
            self._first_ps = int(frame[TIME][0])
        frame = frame.with_columns(pl.col(TIME) - self._first_ps)
        gaps = pl.col(TIME).diff().fill_null(pl.col(TIME) - self._last_ps)
        frame = frame.with_columns(gaps.alias("penstock.gap"))
        self._refuse(frame, pl.col("penstock.gap") < 0, TIME, self._of_decrease)
        self._last_ps = int(frame[TIME][-1])
        self._refuse(frame, pl.col(TIME) > LONGEST_S * 10**12, TIME, self._of_length)
        self._longest_ps = max(self._longest_ps, int(frame.select(pl.col("penstock.gap").max()).item()))
        self._octets += int(frame.select(octets.sum()).item())
        self._cells += int(frame.select(((octets + TRAILER) / PAYLOAD).ceil().sum()).item())
        return frame

    def _refuse(self, frame: pl.DataFrame, is_bad: pl.Expr, column: str, told: Callable[[object], _Told]) -> None:
        """Refuse the first packet that is bad."""
        bad = frame.filter(is_bad).head(1)
        if not len(bad):
            return
        row, written = int(bad[ROW][0]), bad[column][0] if column in bad.columns else None
        reason, remedy = told(written)
        is_line = self._source.unit == "line"
        raise InputError(
            reason if is_line else f"{self._source.unit} {row}: {reason}",
            value="" if column in (TIME, SIZE) or written is None else written,
            file=self._file,
            line=row if is_line else None,
            remedy=remedy,
        )

    def _of_time(self, written: object) -> _Told:
        if written is None or not str(written).strip():
            return "there is no time", self._left_out(cast("Table", self._source).time)
        if str(written).strip().lower() == "nan":
            return "this is no time", self._left_out(cast("Table", self._source).time)
        return refused_time(str(written), self._time_unit)

    @staticmethod
    def _left_out(column: str) -> str:
        return f"a table has no gaps: remove the row, or leave it out: {condition(column, 'IS NOT NULL')}"

    def _of_zone(self, _written: object) -> _Told:
        has = ("has no distance from UTC, and the first has one", "has a distance from UTC, and the first has none")
        return f"this time {has[not self._zoned]}", "write it for all times, as +02:00 or Z, or for none"

    def _of_size(self, written: object) -> _Told:
        table = cast("Table", self._source)
        if written is None or not str(written).strip():
            return "there is no size", self._left_out(table.size)
        reason = f"a packet has a whole number of octets from 1 to {MOST_OCTETS}"
        # `--where` has texts that are no numbers as nulls, which meet no test.
        with suppress(ValueError):
            octets = float(str(written)) / table.bits_of_octet
            if octets >= 1 and octets % 1:
                return reason, "is the unit right?"
            if octets > MOST_OCTETS:
                most = condition(table.size, f"<= {MOST_OCTETS * table.bits_of_octet}")
                return reason, f"is the unit right? This leaves such packets out: {most}"
        return reason, f"is the unit right? This leaves such packets out: {condition(table.size, '> 0')}"

    @staticmethod
    def _of_captured_size(size: object) -> _Told:
        reason = f"this IP packet has {cast('float', size):,.0f} octets, and one in a trace has 1 to {MOST_OCTETS:,}"
        remedy = 'capture on the line, where the card has divided it, or leave it out: --where "octets <= 65535"'
        return reason, remedy

    def _of_length(self, time_ps: object) -> _Told:
        days = cast("int", time_ps) / 1e12 / 86_400
        remedy = "was a clock set? Leave out what is before or behind, with "
        if isinstance(self._source, Capture):
            remedy += "editcap -A or -B"
        else:
            remedy = f"is the unit of the times right, or {remedy}--where"
        return f"the trace lasts {days:,.0f} days; it may last {LONGEST_S // 86_400}", remedy

    @staticmethod
    def _of_decrease(_time: object) -> _Told:
        return "this is earlier than the packet before it", "sort the packets by time (captures: reordercap)"

    def _numbered(self, frame: pl.DataFrame) -> pl.DataFrame:
        """The columns of the store: flows have numbers in the order of their first packets."""
        import polars as pl

        columns = list(self._source.flow)
        prefix = FLOW if isinstance(self._source, Table) else ""
        octets = pl.col(SIZE).cast(pl.UInt32).alias("octets")
        packets = frame.select(pl.col(TIME).cast(pl.UInt64).alias("time_ps"), octets)
        if not columns:
            self._flows = pl.DataFrame({"flow": [0]}, schema={"flow": pl.UInt32})
            return packets.with_columns(pl.lit(0, pl.UInt32).alias("flow"))
        keys = frame.select(pl.col(prefix + column).alias(f"of.{column}") for column in columns)
        known = keys.head(0).with_columns(pl.lit(0, pl.UInt32).alias("flow")) if self._flows is None else self._flows
        unique = keys.unique(maintain_order=True)
        new = unique.join(known, on=keys.columns, how="anti", nulls_equal=True, maintain_order="left")
        known = pl.concat([known, new.with_row_index("flow", len(known)).select(known.columns)])
        if len(known) > MOST_FLOWS:
            reason = f"there are more than {MOST_FLOWS:,} flows"
            raise InputError(reason, file=self._file, remedy="leave some out with --where")
        self._flows = known
        numbered = keys.join(known, on=keys.columns, how="left", nulls_equal=True, maintain_order="left")
        return packets.with_columns(numbered["flow"])

    def _check_all(self) -> pl.DataFrame:
        """What identifies the flows. Raises :class:`InputError` for a fault of all packets together."""
        if self._packets > MOST_PACKETS:
            raise InputError(
                f"there are {self._packets:,} packets, and a trace may have {MOST_PACKETS:,}",
                file=self._file,
                remedy="leave some out with --where, or import a part of the file",
            )
        if self._flows is None:
            what, remedy = f"none of the {self._read:,} packets meets it", "write another"
            if not self._read:
                what, remedy = self._nothing()
            path = "--where" if self._where and self._read else ""
            raise InputError(what, path=path, value=(self._where or "") if path else "", file=self._file, remedy=remedy)
        rate = self._octets * 8 / (self._last_ps / 1e12) if self._last_ps else 0.0
        if rate > FASTEST_BPS:
            reason = f"the mean rate would be {rate / 1e12:.3g} Tb/s, and no line is faster than {FASTEST_BPS / 1e12:g}"
            raise InputError(reason, file=self._file, remedy="is the unit of the times right?")
        return self._flows

    def _nothing(self) -> _Told:
        """That there is no packet, with those that were left out or are comments."""
        others = [f"{packets:,} {reason}" for reason, packets in self._source.left_out.items()]
        if others:
            return f"there is no IP packet with a time, but {' and '.join(others)}", "give another file"
        if comments := getattr(self._source, "comments", 0):
            return f"there is no packet: all lines behind the first begin with #, a comment: {comments:,}", NO_COMMENT
        return "there is no packet", "give another file"
