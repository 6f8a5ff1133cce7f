"""Packets of captures and tables: what is read, what is refused, and how much memory it takes."""

from __future__ import annotations

import re
import struct
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import dpkt
import polars as pl
import pytest

from penstock import InputError, import_trace
from penstock.core.traces import folder
from penstock.importing import rows, table
from penstock.importing.capture import NOT_IP
from penstock.importing.trace import ImportedTrace

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]
NANOSECONDS = 1_000
A, B = bytes([10, 0, 0, 1]), bytes([10, 0, 0, 2])
TABLE = {"time": "1:s", "size": "2:octets"}
DATES = {"time": "t:datetime"}


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


def udp(source: bytes, target: bytes, ports: tuple[int, int], octets: int) -> bytes:
    """An Ethernet frame with an IP packet of so many octets."""
    data = dpkt.udp.UDP(sport=ports[0], dport=ports[1], ulen=octets - 20, data=bytes(octets - 28))
    return bytes(dpkt.ethernet.Ethernet(type=0x800, data=ip(source, target, 17, data)))


def ip(source: bytes, target: bytes, protocol: int, data: object) -> Any:
    packet = dpkt.ip.IP(src=source, dst=target, p=protocol, data=data)
    packet.len = len(packet)
    return packet


def tcp(source: bytes, target: bytes, ports: tuple[int, int], octets: int) -> bytes:
    data = dpkt.tcp.TCP(sport=ports[0], dport=ports[1], data=bytes(octets - 40))
    return bytes(dpkt.ethernet.Ethernet(type=0x800, data=ip(source, target, 6, data)))


ARP = bytes(dpkt.ethernet.Ethernet(type=0x806, data=dpkt.arp.ARP()))
PACKETS = [
    (1_700_000_000.000001, udp(A, B, (5004, 6000), 40)),
    (1_700_000_000.0005, ARP),
    (1_700_000_000.001001, tcp(B, A, (80, 3000), 1500)),
    (1_700_000_000.003001, udp(A, B, (5004, 6000), 41)),
    (1_700_000_000.5, udp(B, A, (6000, 5004), 576)),
]


def capture(path: Path, writer: Callable[..., object], **options: object) -> Path:
    with path.open("wb") as file:
        written = writer(file, **options)
        for time, packet in PACKETS:
            written.writepkt(packet, time)  # type: ignore[attr-defined]
    return path


def packets(trace: ImportedTrace) -> list[tuple[int, int, int]]:
    return pl.read_parquet(folder() / trace.sha256 / "packets-*.parquet").rows()


def of_csv(tmp_path: Path, text: str, **options: Any) -> ImportedTrace:
    file = tmp_path / "trace.csv"
    file.write_text(text, encoding="utf-8")
    return import_trace(file, **{**TABLE, **options})


def refused(tmp_path: Path, text: str, **options: Any) -> str:
    with pytest.raises(InputError) as refusal:
        of_csv(tmp_path, text, **options)
    assert not list((tmp_path / "traces").glob("*")), "nothing is left of a trace that is refused"
    return str(refusal.value).replace(str(tmp_path), "")


def test_a_capture_is_split_into_flows_by_five_tuple(tmp_path: Path) -> None:
    trace = import_trace(capture(tmp_path / "lab.pcap", dpkt.pcap.Writer))
    expected = [(0, 40, 0), (10**9, 1500, 1), (3 * 10**9, 41, 0), (499_999_000_000, 576, 2)]
    assert packets(trace) == expected
    assert (trace.name, trace.packets, trace.flows, trace.octets, trace.left_out) == ("lab", 4, 3, 2157, {NOT_IP: 1})
    # ceil((n + 8) / 48): 1 for 40, 32 for 1500, 2 for 41, 13 for 576.
    assert (trace.cells, trace.duration_s, trace.longest_gap_s) == (48, 0.499999, 0.496999)
    flows = pl.read_parquet(folder() / trace.sha256 / "flows.parquet").rows()
    assert flows == [
        ("udp", "10.0.0.1", 5004, "10.0.0.2", 6000, 0, 2, 81),
        ("tcp", "10.0.0.2", 80, "10.0.0.1", 3000, 1, 1, 1500),
        ("udp", "10.0.0.2", 6000, "10.0.0.1", 5004, 2, 1, 576),
    ]


def test_pcapng_and_standard_input_give_the_same_digest(tmp_path: Path, penstock: Command) -> None:
    wanted = import_trace(capture(tmp_path / "lab.pcap", dpkt.pcap.Writer)).sha256
    assert import_trace(capture(tmp_path / "lab.pcapng", dpkt.pcapng.Writer)).sha256 == wanted
    rows = ["time,size,from", "0,40,a", "1000,1500,b", "3000,41,a", "499999,576,c"]
    table = {"time": "time:us", "size": "size:octets", "flow": ["from"]}
    assert of_csv(tmp_path, "\n".join(rows), **table).sha256 == wanted
    command = [sys.executable, "-m", "penstock", "import", "-", "--name", "piped"]
    with (tmp_path / "lab.pcap").open("rb") as file:
        done = subprocess.run(command, stdin=file, capture_output=True, check=True)
    assert f'name = "piped"\nsha256 = "{wanted}"\n' in done.stdout.decode()


def test_ip_of_version_6_and_fragments(tmp_path: Path) -> None:
    data = bytes(dpkt.udp.UDP(sport=1, dport=2, ulen=20, data=bytes(12)))
    source, target = bytes(15) + b"\1", bytes(15) + b"\2"

    def version_6(kind: int, payload: bytes) -> bytes:
        return struct.pack(">IHBB", 6 << 28, len(payload), kind, 64) + source + target + payload

    def fragment(offset: int) -> bytes:
        return version_6(44, struct.pack(">BBHI", 17, 0, offset << 3, 7) + data)

    rest = ip(A, B, 17, data)
    rest.offset = 185
    with (tmp_path / "raw.pcap").open("wb") as file:
        written = dpkt.pcap.Writer(file, linktype=101)
        for time, packet in enumerate([version_6(17, data), fragment(0), fragment(181), bytes(rest)]):
            written.writepkt(packet, time)
    trace = import_trace(tmp_path / "raw.pcap")
    # The header of version 6 has 40 octets, and that of a fragment 8.
    assert [(octets, flow) for _, octets, flow in packets(trace)] == [(60, 0), (68, 0), (68, 1), (40, 2)]
    flows = pl.read_parquet(folder() / trace.sha256 / "flows.parquet").rows()
    assert [row[:5] for row in flows] == [
        ("udp", "::1", 1, "::2", 2),
        ("udp", "::1", None, "::2", None),
        ("udp", "10.0.0.1", None, "10.0.0.2", None),
    ]


def test_nanoseconds_of_a_capture_are_exact(tmp_path: Path) -> None:
    with (tmp_path / "nano.pcap").open("wb") as file:
        written = dpkt.pcap.Writer(file, nano=True)
        header = written._pack_hdr  # the writer itself takes a float, which has too few digits
        for nanoseconds in (1, 4):
            packet = udp(A, B, (1, 2), 40)
            file.write(header(1_700_000_000, nanoseconds, len(packet), len(packet)) + packet)
    trace = import_trace(tmp_path / "nano.pcap")
    assert [time for time, _, _ in packets(trace)] == [0, 3 * NANOSECONDS]


def test_packets_that_an_expression_leaves_out(tmp_path: Path) -> None:
    file = capture(tmp_path / "lab.pcap", dpkt.pcap.Writer)
    voice = import_trace(file, where="protocol = 'udp' AND source_port = 5004")
    assert [(time, octets) for time, octets, _ in packets(voice)] == [(0, 40), (3 * 10**9, 41)]
    with pytest.raises(InputError, match="none of the 4 packets meets it"):
        import_trace(file, where="protocol = 'sctp'")
    with pytest.raises(InputError, match=r'no column protocl; did you mean "protocol"\?; a text stands in single'):
        import_trace(file, where="protocl = 'udp'")
    assert of_csv(tmp_path, "t,n\n0,0\n1,50\n", time="t:s", size="n:octets", where="n > 0").packets == 1


def test_an_empty_expression_is_not_the_same_as_none(tmp_path: Path, penstock: Command) -> None:
    file = capture(tmp_path / "lab.pcap", dpkt.pcap.Writer)
    done = penstock("import", str(file), "--where", " ")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--where = ' ': the expression is empty; write SQL over the columns, or leave" in done.stderr
    assert import_trace(file).packets == import_trace(file, where=None).packets == 4


def test_tables_of_every_kind_are_read(tmp_path: Path) -> None:
    plain = of_csv(tmp_path, "0.1,100\n0.2,200\n0.25,50\n")
    assert packets(plain) == [(0, 100, 0), (10**11, 200, 0), (15 * 10**10, 50, 0)]
    same = [
        of_csv(tmp_path, "number;t;n\n1;100;800\n2;200;1600\n3;250;400\n", time="t:ms", size="n:bits"),
        of_csv(tmp_path, "t\tn\r\n1e5\t100\r\n2e5\t200\r\n2.5e5\t50\r\n", time="1:us"),
        of_csv(tmp_path, '"t" "n"\n100 100\n200 200\n250 50', time="t:ms", size="n:octets"),
    ]
    frame = pl.DataFrame({"t": [0.5, 0.6, 0.65], "n": [100, 200, 50]})
    frame.write_parquet(tmp_path / "a.parquet")
    same.append(import_trace(tmp_path / "a.parquet", **TABLE))
    dates = pl.from_epoch(pl.Series([10**18, 10**18 + 10**8, 10**18 + 15 * 10**7]), "ns")
    frame.with_columns(dates.alias("t")).write_parquet(tmp_path / "b.parquet")
    same.append(import_trace(tmp_path / "b.parquet", time="t:datetime", size="n:octets"))
    assert {trace.sha256 for trace in same} == {plain.sha256}
    # Seconds since 1970 with picoseconds: no float has so many digits.
    fine = of_csv(tmp_path, "1700000000.123456789012,40\n1700000000.123456789999,40\n1700000001.123456789012,40\n")
    assert [time for time, _, _ in packets(fine)] == [0, 987, 10**12]


@pytest.mark.parametrize(
    ("text", "where", "said"),
    [
        ("t,octets\n0,0\n1,50\n", None, 'line 2: 0: .*leaves such packets out: --where "octets > 0"'),
        ("t,frame.len\n0,x\n1,50\n", None, "x: .*such packets out: --where '\"frame.len\" > 0'"),
        ("t,order\n0,\n1,50\n", None, "leave it out: --where '\"order\" IS NOT NULL'"),
        ("t,n\n0,524288\n1,400\n", None, 'leaves such packets out: --where "n <= 524280"'),
        ("t,n\n0,100\n1,400\n", None, "octets from 1 to 65535; is the unit right\\?$"),
        ("t,n\n0,80\n", "size > 0", "--where = size > 0: there is no column size; there are t, n; a text"),
        ("t,frame.len\n0,80\n", "frame > 0", 'and a column such as "frame.len" in double ones$'),
        ("t,n\n0,80\n", "n > SUM(n)", 'columns of one packet, as in --where "n > 100"'),
        ("t,n\n0,80\n", "n >", 'write SQL as in --where "n > 100"; the columns are t, n$'),
    ],
)
def test_a_remedy_names_the_columns_of_the_table(tmp_path: Path, text: str, where: str | None, said: str) -> None:
    named = {"time": "t:s", "size": f"{text.partition(chr(10))[0][2:]}:bits"}
    told = refused(tmp_path, text, **named, where=where)
    assert re.search(said, told), told
    if remedy := re.search(r"--where (['\"])(.*)\1$", told) if where is None else None:
        assert of_csv(tmp_path, text.replace(",50\n", ",80\n"), **named, where=remedy[2]).packets == 1


def test_comments_and_repeated_blanks_are_read_as_in_matrices(tmp_path: Path) -> None:
    plain = of_csv(tmp_path, "0,100\n1,200\n")
    for text in (
        "# made by hand\n0   100\n\n#\n  1\t 200  \n",
        "0  100  \r\n1 200\r\n",
        "\ufeff# of a spreadsheet\n0,100\n # one\n1,200",
        "0;100\n \n1;200\n# the end",
    ):
        assert of_csv(tmp_path, text).sha256 == plain.sha256
    named = of_csv(tmp_path, '#\n"a time"  size\n0   100\n1 200\n', time="a time:s", size="size:octets")
    assert named.sha256 == plain.sha256


def test_a_value_of_another_kind_than_those_before_is_refused_with_its_line(tmp_path: Path) -> None:
    lines = [f"{number},100,{number % 3}\n" for number in range(200)]
    text, named = "t,n,port\n" + "".join(lines) + "200,100,http\n", {"time": "t:s", "size": "n:octets"}
    told = refused(tmp_path, text, **named, where="port < 2")
    assert "line 202: port = http: the lines before have numbers in this column; write the column" in told
    assert of_csv(tmp_path, text, **named, flow=["port"]).flows == 4


def test_octets_that_are_no_text_are_refused_with_their_line(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_bytes(b"0,100,a\n1,100,b\n2,100,\xff\n")
    with pytest.raises(InputError, match="line 3: octet 7 of the line is not UTF-8; save the table as UTF-8"):
        import_trace(tmp_path / "a.csv", **TABLE)


@pytest.mark.parametrize(
    ("octets", "told"),
    [
        (
            "t;Länge\n0;100\n".encode("cp1252"),
            "line 1: octet 4 of the line is not UTF-8; save the table as UTF-8",
        ),
        ("# ä\nt;Länge\n".encode().replace(b"L\xc3\xa4", b"L\xe4"), "line 2: octet 4 of the line is not UTF-8"),
        *(
            (
                "t;Länge\r\n0;100\r\n".encode(code),
                "a.csv: this looks like UTF-16, and not like UTF-8; save the table",
            )
            for code in ("utf-16", "utf-16-le", "utf-16-be")
        ),
    ],
)
def test_the_encoding_of_a_table_is_said(tmp_path: Path, octets: bytes, told: str) -> None:
    (tmp_path / "a.csv").write_bytes(octets)
    with pytest.raises(InputError, match=told):
        import_trace(tmp_path / "a.csv", time="t:s", size="Länge:octets")


def of_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, frame: pl.DataFrame, **options: Any) -> ImportedTrace:
    """The trace of a Parquet file with this frame, which no other process reads."""
    monkeypatch.setattr(table, "blocks", lambda _file: iter([frame]))
    (tmp_path / "a.parquet").write_bytes(b"PAR1")
    return import_trace(tmp_path / "a.parquet", **{"time": "t:s", "size": "n:octets", **options})


def test_dates_without_a_time_of_day_are_read_from_parquet(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    days = pl.DataFrame({"t": ["3026-11-25", "3026-11-26"], "n": [100, 200]})
    for kind in (pl.Date, pl.Datetime("us"), pl.Datetime("ms")):
        dated = days.with_columns(pl.col("t").str.to_date().cast(kind))
        trace = of_parquet(tmp_path, monkeypatch, dated, time="t:datetime")
        assert [time for time, _, _ in packets(trace)] == [0, 86_400 * 10**12]


@pytest.mark.parametrize(
    ("kind", "options", "said"),
    [
        (pl.Boolean, {"size": "x:octets"}, "--size = x: this column has the type Boolean, and a size is a number"),
        (pl.Boolean, {"time": "x:s"}, "--time = x: this column has the type Boolean, and a time is a number"),
        (pl.Time, {"time": "x:s"}, "the type Time, and a time is a number, a date or a text as 2026-11-25T14:30:00.5Z"),
        (pl.Time, {"time": "x:datetime"}, "the type Time"),
        (pl.Duration("us"), {"time": "x:us"}, "the type Duration(time_unit='us')"),
        (pl.Binary, {"size": "x:octets"}, "the type Binary, and a size is a number or a text; write it as a number"),
        (pl.List(pl.Int64), {"size": "x:octets"}, "the type List(Int64)"),
        (pl.Date, {"size": "x:octets"}, "the type Date"),
        (pl.Date, {"time": "x:s"}, "--time = x:s: this column has dates; write x:datetime"),
        (pl.List(pl.Int64), {"flow": ["x"]}, "--flow = x: this column has the type List(Int64), and a flow is told"),
        (pl.Struct({"a": pl.Int64}), {"flow": ["x"]}, "--flow = x: this column has the type Struct("),
    ],
    ids=str,
)
def test_columns_of_other_types_are_refused(
    kind: Any, options: dict[str, Any], said: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"t": [0.0, 1.0], "n": [100, 200]}).with_columns(pl.lit(None, kind).alias("x"))
    with pytest.raises(InputError, match=re.escape(said)):
        of_parquet(tmp_path, monkeypatch, frame, **options)


def test_flows_keep_their_numbers_from_block_to_block(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "0,40,a\n1,40,b\n2,40,b\n3,40,c\n4,40,a\n5,40,d\n"
    whole = of_csv(tmp_path, text, flow=["3"])
    # Two lines a block: the second has a new flow beside a known one, and so has the third.
    monkeypatch.setattr(rows, "BLOCK", len("0,40,a\n1,40,b\n"))
    parts = of_csv(tmp_path, text, flow=["3"])
    assert [flow for _, _, flow in packets(parts)] == [0, 1, 1, 2, 0, 3]
    assert (parts.flows, parts.longest_gap_s, parts.sha256) == (4, 1.0, whole.sha256)


@pytest.mark.parametrize("later", ["0.999999", "0"])
def test_a_block_does_not_begin_before_the_end_of_the_last(
    later: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(rows, "BLOCK", len("0,40\n1,40\n"))
    assert "line 3: this is earlier than the packet before it" in refused(tmp_path, f"0,40\n1,40\n{later},40\n")


@pytest.mark.parametrize(
    ("text", "options", "said"),
    [
        ("0.1,100\n0.05,200\n", {}, "/trace.csv, line 2: this is earlier than the packet before it"),
        ("0.1,100\n0.099999,200\n", {}, "/trace.csv, line 2: this is earlier than the packet before it"),
        ("0.1,100\n0.2,0\n", {}, "/trace.csv, line 2: 0: a packet has a whole number of octets from 1 to 65535"),
        ("0.1,100\n,200\n", {}, "/trace.csv, line 2: there is no time; a table has no gaps"),
        ("0.1,100\n0.2,\n", {}, "/trace.csv, line 2: there is no size; a table has no gaps"),
        (
            "0.1,100\nx,200\n",
            {},
            "/trace.csv, line 2: x: this is no number; write one, or a date as 2026-11-25T14:30:00.5Z",
        ),
        ("0.1,100\n0.2,abc\n", {}, "/trace.csv, line 2: abc: a packet has a whole number of octets from 1 to 65535"),
        (
            "0.1,100\n0.2,70000\n",
            {},
            "70000: a packet has a whole number of octets from 1 to 65535; is the",
        ),
        ("0.1,100\n0.2,804\n", {"size": "2:bits"}, "line 1: 100: a packet has a whole number of octets"),
        ("0.1,100\n0.2,3,4\n", {}, "/trace.csv, line 2: the line has 3 columns, and the first 2"),
        ("0,100\n9e6,100\n", {}, "the trace lasts 104 days; it may last 100; is the unit of the times right, or"),
        (
            "0,100\n1e10,100\n",
            {},
            "line 2: the trace lasts 115,741 days; it may last 100; is the unit of the times right, or was",
        ),
        ("0,100\n1e30,100\n", {}, "line 2: 1e30: this is too far away for a time; is the unit right?"),
        ("0,1500\n10,1500\n", {"time": "1:ps"}, "the mean rate would be 2.4e+03 Tb/s, and no line is faster than 100"),
        ("0,100\n", {"time": "1"}, "--time = 1: the unit is missing; write 1:UNIT; there are s, ms, us, ns, ps"),
        ("0,100\n", {"time": "1:h"}, "--time = 1:h: there is no such unit; there are s, ms"),
        ("0,100\n", {"time": ""}, "--time: a table needs the columns of time and size, each with its unit"),
        ("t,n\n0,100\n", {"time": "u:s"}, "/trace.csv: u: there is no such column; the table has 2 columns: t, n"),
        ("0,100\n", {"time": "3:s"}, "3: there is no such column"),
        ("t,,\n0,100,\n", {"time": "t:s"}, "trace.csv: two columns have no name; give each its own name"),
        ("t,t\n0,100\n", {"time": "t:s"}, "t: two columns have the same name"),
        ("0,100\n", {"time": "1:datetime"}, "line 1: 0: this is a number, and no date; state its unit"),
        ("", {}, "/trace.csv: the file is empty"),
        ("\n \n", {}, "/trace.csv: the file is empty"),
        ("# a\n\n0,100\n # b\n\nx,100\n", {}, "/trace.csv, line 6: x: this is no number"),
        ('0,100\n"1,100\n2,100\n', {}, "line 2: a quote is not closed in this line; close it: a row is one line"),
        ('0,100,a\n1,100,"b\n2"\n', {}, "line 2: a quote is not closed in this line"),
        ('0,100,"a,b"\n1,100,c,d\n', {}, "line 2: the line has 4 columns, and the first 3"),
        (
            "t,n\n25.11.2026 14:30,100\n",
            DATES,
            "25.11.2026 14:30: this is no date of ISO 8601; write it as 2026-11-25T",
        ),
        (
            't,n\n"Nov 25, 2026 14:30:00 CET",1\n',
            DATES,
            "this is no date of ISO 8601; write it as 2026-11-25T14:30:00.5Z,",
        ),
        ("t,n\n20261125T143000Z,100\n", DATES, "20261125T143000Z: this is no date of ISO 8601"),
        ("t,n\n2026-02-30T14:30:01,100\n", DATES, "2026-02-30T14:30:01: the calendar has no such day; write a date as"),
        ("t,n\n2026-01-01,100\n2026-12-01,100\n", DATES, "line 3: the trace lasts 334 days; it may last 100"),
        (
            "t,n\n2026-10-25T02:30:00+02:00,100\n2026-10-25T02:30:01,100\n",
            DATES,
            "line 3: 2026-10-25T02:30:01: this time has no distance from UTC, and the first has one; write it for all",
        ),
        ("t,n\n2026-10-25,1\n2026-10-25 02:30Z,1\n", DATES, "2026-10-25 02:30Z: this time has a distance from UTC"),
        ("t,n\n2026-01-01,100\n", {"time": "t:s"}, "this is a date, and no number; write COLUMN:datetime"),
        ("t,n\n", {"time": "t:s", "size": "n:octets"}, "/trace.csv: there is no packet"),
    ],
)
def test_bad_tables_are_refused_with_their_line(text: str, options: dict[str, str], said: str, tmp_path: Path) -> None:
    assert said in refused(tmp_path, text, **options)


def test_one_verb_imports_networks_and_packets(tmp_path: Path, penstock: Command) -> None:
    file = capture(tmp_path / "lab.pcap", dpkt.pcap.Writer)
    done = penstock("import", str(file), "--where", "protocol = 'tcp'")
    assert done.returncode == 0, done.stderr
    assert "# 1 packet of 1 flow in 0 s, 1,500 octets" in done.stdout
    assert "# The trace is open-loop" in done.stdout
    assert re.search(r'\[flow\.data\.traffic\.trace\]\nname = "lab"\nsha256 = "[0-9a-f]{64}"\n$', done.stdout)
    done = penstock("import", str(file), "--rate", "capacity")
    assert (done.returncode, done.stdout) == (2, "")
    assert "--rate = capacity: this option is for a network" in done.stderr
    done = penstock("import", "net.graphml", "--where", "protocol = 'tcp'")
    assert "--where = protocol = 'tcp': this option is for packets" in done.stderr
    (tmp_path / "net.txt").write_text("?SNDlib native format; type: network; version: 1.0\n", encoding="utf-8")
    for asked, kind in ((("--line", "cell", "--exact"), "the rate of a line"), (("--time", "a:s"), "packets")):
        for network in ("net.graphml", str(tmp_path / "net.txt")):
            told = penstock("import", network, *asked).stderr
            assert f"{asked[0]} = {asked[1]}: this option is for {kind}, and {network} has a network; delete it" in told
    (tmp_path / "a.up").write_text("1\n5\n", encoding="utf-8")
    told = penstock("import", str(tmp_path / "a.up"), "--time", "1:ms", "--size", "1:octets").stderr
    assert "this option is for packets, and" in told
    assert "a.up has the rate of a line; delete it" in told


STREAM = """
import resource, sys
from penstock.importing.table import Chosen, Columns, Table
from penstock.importing.trace import _Keeper

class Generated:
    '''A CSV of so many lines of 1,000 octets, made while it is read.'''
    def __init__(self, lines):
        self.lines, self.next, self.rest = lines, 0, b""
    def _line(self):
        self.next += 1
        return f"{self.next},{40 + self.next % 1460},".encode().ljust(999, b"x") + b"\\n"
    def readline(self, most):
        line, self.rest = self.rest, b""
        return line
    def read(self, octets):
        parts, size = [self.rest], len(self.rest)
        self.rest = b""
        while size < octets and self.next < self.lines:
            parts.append(self._line()); size += len(parts[-1])
        block = b"".join(parts)
        self.rest = block[octets:]
        # The rest of a line follows with readline.
        cut = self.rest.find(b"\\n") + 1
        block, self.rest = block[:octets] + self.rest[:cut], self.rest[cut:]
        return block

lines = int(sys.argv[1])
table = Table("generated", Columns(Chosen("1", "us"), Chosen("2", "octets")))
trace = _Keeper(table, "generated", None).keep(table.of_csv(Generated(lines)), "generated")
assert trace.packets == lines
print(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
"""


@pytest.mark.long
def test_a_large_table_is_streamed_in_bounded_memory() -> None:
    """A stream of 10 GB takes no more memory than one of 0.5 GB, but for the packets that wait to be written."""

    def peak_kb(lines: int) -> int:
        done = subprocess.run([sys.executable, "-c", STREAM, str(lines)], capture_output=True, text=True, check=True)
        return int(done.stdout)

    small, large = peak_kb(500_000), peak_kb(10_000_000)
    assert large < 1.25 * small + 16_000, (small, large)


def test_too_many_packets_are_refused_with_their_number(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.importing.trace.MOST_PACKETS", 3)
    assert "there are 5 packets, and a trace may have 3" in refused(tmp_path, "0,1\n1,1\n2,1\n3,1\n4,1\n")
    assert of_csv(tmp_path, "0,1\n1,1\n2,1\n").packets == 3
