"""Tables as people have them: with and without names, with gaps, dates and values of every spelling."""

from __future__ import annotations

import sys
from pathlib import Path

import polars as pl
import pytest
from tabled import NAMED, NUMBERED, SECOND_PS, of_csv, packets, refused

from penstock import InputError, import_trace
from penstock.core.traces import folder

pytestmark = pytest.mark.in_process


@pytest.fixture(autouse=True)
def store(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PENSTOCK_TRACES", str(tmp_path / "traces"))


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


def late(value: str, first: str = "1", rows: int = 1000) -> str:
    """A table whose third column has another value in its last line."""
    lines = "".join(f"{number},60,{first}\n" for number in range(rows))
    return f"t,n,x\n{lines}{rows},60,{value}\n"


@pytest.mark.parametrize("value", ["1.5", "http", "9" * 40, "-1", "true", "1e400", "2026-11-25"])
@pytest.mark.parametrize("first", ["1", "1.5", "true"])
def test_a_column_that_is_not_compared_may_have_any_values(value: str, first: str, tmp_path: Path) -> None:
    text = late(value, first, rows=120)
    assert of_csv(tmp_path, text, **NAMED).packets == 121
    trace = of_csv(tmp_path, text, **NAMED, flow=["x"])
    assert [row[2] for row in packets(trace)] == [0] * 120 + [int(value != first)]


def test_times_and_sizes_may_be_whole_numbers_first(tmp_path: Path) -> None:
    lines = "".join(f"{number},60\n" for number in range(300))
    assert packets(of_csv(tmp_path, f"{lines}300.5,61.0\n", **NUMBERED))[-1] == (
        300 * SECOND_PS + SECOND_PS // 2,
        61,
        0,
    )
    assert "line 301: abc: this is no number" in refused(tmp_path, f"{lines}abc,61.0\n", **NUMBERED)
    assert "line 301: abc: a packet has a whole" in refused(tmp_path, f"{lines}300,abc\n", **NUMBERED)


def test_a_column_that_is_compared_is_of_one_kind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert of_csv(tmp_path, late("1.5"), **NAMED, where="x > 1.2").packets == 1
    assert of_csv(tmp_path, late(""), **NAMED, where="x IS NULL").packets == 1
    assert of_csv(tmp_path, late("http", "udp"), **NAMED, where="x = 'udp'").packets == 1000
    assert of_csv(tmp_path, late("false", "true"), **NAMED, where="NOT x").packets == 1
    said = "a.csv, line 1002: x = http: the lines before have numbers in this column"
    assert said in refused(tmp_path, late("http"), **NAMED, where="x > 0")
    said = "a.csv, line 1002: x = 1: the lines before have true or false in this column"
    assert said in refused(tmp_path, late("1", "true"), **NAMED, where="x")
    monkeypatch.setattr("penstock.importing.rows.BLOCK", 40)
    assert of_csv(tmp_path, late("2.5", rows=9), **NAMED, where="x > 0", flow=["x"]).flows == 2
    assert "line 11: x = http" in refused(tmp_path, late("http", rows=9), **NAMED, where="x > 0")
    assert of_csv(tmp_path, late("2.5", "", rows=9), **NAMED, where="x > 0").packets == 1


def test_a_text_that_is_compared_with_a_number_is_named_with_its_line(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "t,n,the port\n0,60,80\n1,60,http\n"
    for where in ('"the port" = 80', '"the port" IN (80, 81)', 'n > "the port"'):
        told = refused(tmp_path, text, **NAMED, where=where)
        assert (
            "this expression cannot be used: it compares a text with a number; the port has texts, as in line 3" in told
        )
        assert told.endswith("so write them in quotes: \"the port\" = 'http'")
    assert of_csv(tmp_path, text, **NAMED, where="\"the port\" = '80'").packets == 1
    frame = pl.DataFrame({"t": [0.0, 1.0], "n": [60, 60], "p": ["", "80"]})
    monkeypatch.setattr("penstock.importing.table.blocks", lambda _file: iter([frame]))
    (tmp_path / "a.pq").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"p has texts, as in row 2, so write them in quotes: p = '80'$"):
        import_trace(tmp_path / "a.pq", **NAMED, where="p = 80")


def test_a_line_with_too_few_columns_is_refused_whatever_is_missing(tmp_path: Path) -> None:
    said = "a.csv, line 3: the line has 2 columns, and the first 3"
    for text in ("t,n,x\n0,60,a\n1,60\n", 't,n,x\n0,60,"a,b"\n1,60\n', "t\tn\tx\n0\t60\ta\n1\t60\n"):
        assert said in refused(tmp_path, text, **NAMED, flow=["x"])
    assert of_csv(tmp_path, "t,n,x\n0,60,a\n1,60,\n", **NAMED, flow=["x"]).flows == 2


def test_flows_are_told_apart_by_what_is_written(tmp_path: Path) -> None:
    text = "t,n,x\n1700000000.0000001,60,80\n1700000000.0000002,60, 80\n1700000000.0000003,60,080\n"
    assert [row[2] for row in packets(of_csv(tmp_path, text, **NAMED, flow=["x", "3"]))] == [0, 0, 1]
    # As numbers of 64 bits, the times would be the same.
    assert of_csv(tmp_path, text, **NAMED, flow=["t"]).flows == 3


def test_columns_that_cannot_be_used_are_refused(tmp_path: Path) -> None:
    assert "--size = t: this is the column of the times" in refused(tmp_path, "t,n\n0,1\n", time="t:s", size="1:octets")
    said = "penstock.row: no column has a name that begins with penstock."
    assert said in refused(tmp_path, "penstock.row,t,n\n0,0,1\n", **NAMED)


def test_packets_that_an_expression_leaves_out_are_counted(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "t,n,x\n0,60,5\n1,60,1\n2,60,\n3,60,7\n4,abc,7\n"
    for block in (1 << 20, 8):
        monkeypatch.setattr("penstock.importing.rows.BLOCK", block)
        trace = of_csv(tmp_path, text, **NAMED, where="x > 2 AND n > 0")
        assert (trace.packets, sum(trace.left_out.values())) == (2, 3)
        assert "# 1 packet for which --where is false was left out.\n" in trace.to_toml()
        assert "# 2 packets for which --where has no value were left out.\n" in trace.to_toml()
    assert of_csv(tmp_path, "t,n\n0,60\n", **NAMED, where="1 = 1").left_out == {}


def test_no_number_is_no_value_for_an_expression(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    text = "t,n,x\n0,60,5\n1,NaN,6\nnan,61,7\n2,62,NaN\n3,63,8\n"
    for where in ("n > 0 AND x > 5 AND t >= 0", "n IS NOT NULL AND t IS NOT NULL AND x < 9"):
        assert packets(of_csv(tmp_path, text, **NAMED, where=where))[-1][1] == 63
    told = refused(tmp_path, "t,n\n0,60\n1,NaN\n", **NAMED)
    assert "line 3: NaN: a packet has" in told
    assert told.endswith('--where "n > 0"')
    told = refused(tmp_path, "t,n\n0,60\nnan,60\n", **NAMED)
    assert "line 3: nan: this is no time" in told
    assert told.endswith('--where "t IS NOT NULL"')
    nan = float("nan")
    frame = pl.DataFrame({"t": [0.0, 1.0, nan, 2.0], "n": [60.0, nan, 61.0, 62.0], "x": [5.0, 6.0, 7.0, nan]})
    monkeypatch.setattr("penstock.importing.table.blocks", lambda _file: iter([frame]))
    (tmp_path / "a.pq").write_bytes(b"PAR1")
    trace = import_trace(tmp_path / "a.pq", **NAMED, where="n > 0 AND t >= 0 AND x > 0")
    assert packets(trace) == [(0, 60, 0)]
    assert trace.left_out == {"for which --where has no value": 3}


def test_a_line_of_tabulators_has_cells_that_are_empty(tmp_path: Path) -> None:
    said = "line 2: there is no time; a table has no gaps"
    assert said in refused(tmp_path, "0\t60\n\t\n1\t60\n", **NUMBERED)
    assert said in refused(tmp_path, "0\t60\n\t60\n1\t60\n", **NUMBERED)
    assert "line 1: there is no time" in refused(tmp_path, "\t60\n1\t60\n", **NUMBERED)
    # Elsewhere it is a blank line.
    for text in ("0,60\n\t\n1,61\n", "0 60\n\t\n\t1 61\n", "0 60\n1 61\t \n"):
        assert [row[1] for row in packets(of_csv(tmp_path, text, **NUMBERED))] == [60, 61]


def test_an_index_without_a_name_is_a_column(tmp_path: Path) -> None:
    for between in "\t,;":
        text = "\ttime\tsize\n0\t0.1\t60\n1\t0.2\t61\n".replace("\t", between)
        trace = of_csv(tmp_path, text, time="time:s", size="3:octets")
        assert packets(trace) == [(0, 60, 0), (SECOND_PS // 10, 61, 0)]


@pytest.mark.parametrize("end", ["", "\n", " ", " \n", "\t", " \r\n", "\r\n\r\n", "\r"])
def test_a_table_of_blanks_may_end_in_any_way(end: str, tmp_path: Path) -> None:
    assert [row[1] for row in packets(of_csv(tmp_path, f"0 60\n1\t61{end}", **NUMBERED))] == [60, 61]


def test_comments_behind_the_first_line_are_counted(tmp_path: Path) -> None:
    trace = of_csv(tmp_path, "# a\n0,60\n#1,61\n # 2,62\n3,63\n", **NUMBERED)
    assert "# 2 lines behind the first begin with #: a comment, and no packet.\n" in trace.to_toml()
    assert of_csv(tmp_path, "# a\n#\n0,60\n", **NUMBERED).notes == ()


def test_packets_that_are_comments_are_named_as_such(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    own = "delete the #, or write another column first"
    for block in (1 << 20, 8):
        monkeypatch.setattr("penstock.importing.rows.BLOCK", block)
        told = refused(tmp_path, "#1,0,60\n\n#2,1,60\n", time="2:s", size="3:octets")
        assert told == f"/a.csv: all lines begin with #, which makes them comments: 2; {own}"
        told = refused(tmp_path, "x,t,n\n#1,0,60\n#2,1,60\n#3,1,60\n", **NAMED)
        assert told == f"/a.csv: there is no packet: all lines behind the first begin with #, a comment: 3; {own}"
        text = "# a\n#b\n\nx,t,n\n#1,0,60\n#2,1,60\n3,1,60\n#4,2,60\n5,3,60\n#6,3,6\n"
        assert of_csv(tmp_path, text, **NAMED).notes == (
            "4 lines behind the first begin with #: a comment, and no packet.",
        )


@pytest.mark.parametrize("first", ["#t,n", "# x\n  # t, n ", '#"t","n"'])
def test_names_of_columns_that_are_a_comment_are_found(first: str, tmp_path: Path) -> None:
    told = refused(tmp_path, f"{first}\n\n0,60\n1,60\n", **NAMED)
    assert (
        told == "/a.csv: t: there is no such column; the line before the first has it, and is a comment: delete its #"
    )
    told = refused(tmp_path, "# t n\n0 60\n1 60\n", **NAMED)
    assert told.endswith("is a comment: delete its #")
    assert "the table has 2 columns: 0, 60" in refused(tmp_path, "# b, c\n0,60\n1,60\n", **NAMED)


@pytest.mark.parametrize(
    ("column", "unit", "stated"),
    [
        ("Time (ms)", "s", "ms"),
        ("time_us", "ns", "us"),
        ("Time [Sec]", "ms", "Sec"),
        ("arrival in min", "s", "min"),
        ("time (ps)", "us", "ps"),
        ("Time (ms)", "ms", ""),
        ("time [usec]", "us", ""),
        ("time_stamp", "us", ""),
    ],
)
def test_another_unit_in_the_name_of_a_column_of_times_is_told(
    column: str, unit: str, stated: str, tmp_path: Path
) -> None:
    trace = of_csv(tmp_path, f"{column},n\n0,60\n1000,60\n", time=f"{column}:{unit}", size="n:octets")
    told = (f"The column {column} states {stated}, and --time states {unit}, which counts.",) if stated else ()
    assert trace.notes == told


@pytest.mark.parametrize(
    ("column", "unit", "stated"),
    [
        ("len [bytes]", "bits", "bytes"),
        ("len_b", "octets", "b"),
        ("len (kB)", "octets", "kB"),
        ("len (B)", "octets", ""),
    ],
)
def test_another_unit_in_the_name_of_a_column_of_sizes_is_told(
    column: str, unit: str, stated: str, tmp_path: Path
) -> None:
    trace = of_csv(tmp_path, f"t,{column}\n0,80\n", time="t:s", size=f"{column}:{unit}")
    told = (f"The column {column} states {stated}, and --size states {unit}, which counts.",) if stated else ()
    assert trace.notes == told


@pytest.mark.parametrize(
    "times", [(0, 1e20), (-1e20, 0), (9e24, 9.1e24), (-9e24, 9e24), (1e25, 2e25), (-9e25, 9e25), (0, 9e6)]
)
def test_times_that_are_far_apart_are_refused_whatever_their_size(
    times: tuple[float, float], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    frame = pl.DataFrame({"t": times, "n": [60, 60]}, schema={"t": pl.Float64, "n": pl.Int64})
    monkeypatch.setattr("penstock.importing.table.blocks", lambda _file: iter([frame]))
    (tmp_path / "a.pq").write_bytes(b"PAR1")
    with pytest.raises(InputError, match=r"row 1: this is too far away for a time|row 2: the trace lasts"):
        import_trace(tmp_path / "a.pq", **NAMED)


DATES = """\
time,size
2026-11-25 14:30:00Z,60
2026-11-25T14:30:00.000000000001Z,61
2026-11-25T15:30:00.5+01:00,62
2026-11-25 09:00:01.25 -0530,63
"""


def test_dates_in_texts_are_exact_whatever_their_spelling(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(DATES, encoding="utf-8")
    wanted = [(0, 60), (1, 61), (SECOND_PS // 2, 62), (SECOND_PS * 5 // 4, 63)]
    trace = import_trace(tmp_path / "a.csv", time="time:datetime", size="size:octets")
    assert [row[:2] for row in packets(trace)] == wanted
    (tmp_path / "b.csv").write_text(DATES.partition("\n")[2].replace(",", ";"), encoding="utf-8")
    assert import_trace(tmp_path / "b.csv", time="1:datetime", size="2:octets").sha256 == trace.sha256


@pytest.mark.parametrize(
    ("date", "told"),
    [
        ("2026-02-30", "the calendar has no such day"),
        *((date, "this is no date of ISO 8601") for date in ("2026-11-25 24:00:00", "25.11.2026", "today")),
        ("1700000000", "this is a number, and no date; state its unit, as COLUMN:s"),
    ],
)
def test_what_is_no_date_is_refused_with_its_line(date: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(f"time,size\n2026-02-28,60\n{date},60\n", encoding="utf-8")
    with pytest.raises(InputError, match=f"line 3: {date}: {told}"):
        import_trace(tmp_path / "a.csv", time="time:datetime", size="size:octets")


def test_dates_without_their_unit_are_refused_with_the_remedy(tmp_path: Path) -> None:
    (tmp_path / "a.csv").write_text(DATES, encoding="utf-8")
    with pytest.raises(InputError, match=r"line 2: .*write COLUMN:datetime for a column of dates"):
        import_trace(tmp_path / "a.csv", time="time:s", size="size:octets")


def test_a_line_that_is_too_long_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.importing.rows.BLOCK", 12)
    monkeypatch.setattr("penstock.importing.rows.LONGEST_LINE", 30)
    said = "a.csv, line 3: a line has more than a million octets; give a table of short lines"
    assert said in refused(tmp_path, f"0,60\n1,60\n2,60,{'x' * 60}\n", **NUMBERED)


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_blanks_around_quotes_are_no_part_of_a_cell(between: str, tmp_path: Path) -> None:
    text = 't, "n" ,x\n"0", "60" , "a, ;""b"" "\n 1,"61","a, ;""b"" " \n2,62,a "b" c\n'.replace(",", between)
    trace = of_csv(tmp_path, text, **NAMED, flow=["x"])
    assert packets(trace) == [(0, 60, 0), (SECOND_PS, 61, 0), (2 * SECOND_PS, 62, 1)]
    names = pl.read_parquet(folder() / trace.sha256 / "flows.parquet").to_series(0).to_list()
    assert names == ['a, ;"b"'.replace(",", between), 'a "b" c']


@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_a_quote_that_is_not_closed_is_a_part_of_its_cell_between_tabulators(end: str, tmp_path: Path) -> None:
    rows = ["t,n,x", '0,60,a " b', '1,60,"', '2,60,c"d"e"', '3,60,"f; ""g"""', '"4",60, " h', "5,60,i"]
    lines = [row.replace(",", "\t") for row in rows]
    trace = of_csv(tmp_path, "".join(f"{line}{end}" for line in lines), **NAMED, flow=["x"])
    assert [row[:2] for row in packets(trace)] == [(number * SECOND_PS, 60) for number in range(6)]
    names = pl.read_parquet(folder() / trace.sha256 / "flows.parquet").to_series(0).to_list()
    assert names == ['a " b', '"', 'c"d"e"', 'f; "g"', '" h', "i"]
    assert trace.notes == ("4 lines with a quote that is not closed: it is a part of its cell.",)
    told = refused(tmp_path, "\n".join(rows), **NAMED, flow=["x"])
    assert "a.csv, line 2: a quote is not closed in this line" in told


@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("t,n\r0,60\r1,60\r", 1),
        ("t,n\n0,60\r1,60\n", 2),
        ('t,n,x\r\n0,60,"a\rb"\r\n1,60,c\r2,60,d\r\n', 3),
    ],
)
def test_a_line_that_ends_with_a_carriage_return_alone_is_named(text: str, line: int, tmp_path: Path) -> None:
    said = f"a.csv, line {line}: there is a CR within this line, and no LF behind it; end each line with LF or CR LF"
    assert said in refused(tmp_path, text, **NAMED)


@pytest.mark.skipif(sys.platform != "linux", reason="other systems have no such names of files")
def test_the_name_of_a_trace_is_printable(tmp_path: Path) -> None:
    for name, told in (("a\x7fb.csv", "a b"), ("a\nb.csv", "a b"), (".csv", "trace"), ("a\udcffb.csv", "a b")):
        (tmp_path / name).write_text("0,60\n", encoding="utf-8")
        trace = import_trace(tmp_path / name, **NUMBERED)
        assert trace.name == told
        assert f'name = "{told}"\n' in trace.to_toml()
    told = "--name = 'a\\nb': this is no name; give a name on one line, without control characters"
    assert told in refused(tmp_path, "0,60\n", **NUMBERED, name="a\nb")


@pytest.mark.parametrize("between", [",", ";", "\t"])
def test_a_spreadsheet_may_say_what_stands_between_its_cells(between: str, tmp_path: Path) -> None:
    for first in (f"sep={between}\r\n", f'\ufeff"sep={between}"\n'):
        text = first + "t,n\n0,60\n".replace(",", between)
        assert packets(of_csv(tmp_path, text, **NAMED)) == [(0, 60, 0)]
        told = refused(tmp_path, text + f"x{between}60\n", **NAMED)
        assert "a.csv, line 4: x: this is no number" in told


TUPLES = "t,octets,protocol,source,source_port\n0,60,udp,10.0.0.1,1000\n1,61,udp,10.0.0.1,1000\n"


@pytest.mark.parametrize(
    "where",
    [
        "octets > avg(octets)",
        "count(*) > 1",
        "first(octets) = octets",
        "sum(octets) over (partition by protocol) > 3",
        "rank() over (order by octets) > 1",
        "row_number() over (order by octets) < 3",
        "quantile_disc(octets, 0.5) > octets",
    ],
)
def test_an_expression_that_needs_other_packets_is_refused(where: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="this expression needs more than the packet that it is about"):
        of_csv(tmp_path, TUPLES, time="t:s", size="octets:octets", where=where)


def test_an_expression_about_one_packet_may_have_any_words(tmp_path: Path) -> None:
    where = "octets > 60 AND protocol IN ('udp', 'Agg') AND source <> 'Len' AND abs(source_port) < 2000"
    assert of_csv(tmp_path, TUPLES, time="t:s", size="octets:octets", where=where).packets == 1


@pytest.mark.parametrize("head", ['t,n,"host; port"', "t,n,host; port", "t,n,a;b;c"])
def test_a_semicolon_in_a_name_parts_no_columns_of_a_table_with_commas(tmp_path: Path, head: str) -> None:
    trace = of_csv(tmp_path, f"{head}\n0,100,x\n1,200,y\n", **NAMED)
    assert [octets for _, octets, _ in packets(trace)] == [100, 200]
