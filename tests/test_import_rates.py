"""The traces of Mahimahi as the rate of a line, and lists in files beside a scenario. All files are made here."""

from __future__ import annotations

import gzip
import hashlib
import os
import re
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from conftest import Command

from penstock import InputError, Scenario, import_network, import_opportunities, import_rates, run
from penstock.core.files import HOST

pytestmark = pytest.mark.in_process


def series(path: Path, times: list[int], **options: Any) -> tuple[list[list[str]], str]:
    """The values of the series that a trace with these times becomes, and its text."""
    path.write_text("".join(f"{time}\n" for time in times), encoding="utf-8")
    text = import_rates(path, "cell", **options)
    (found,) = tomllib.loads(text)["series"]
    assert found["path"] == "line.cell.rate"
    return found["list"], text


def test_the_number_of_lines_in_a_span_is_its_rate(tmp_path: Path) -> None:
    # 3 packets of 12,000 bits in the first 10 ms, 1 in the second, none in the third, 2 in the fourth, one at its end.
    values, text = series(tmp_path / "a.up", [0, 1, 10, 15, 31, 40], span="10 ms")
    assert values == [["0 ns", "3.6 Mb/s"], ["10 ms", "1.2 Mb/s"], ["20 ms", "1 b/s"], ["30 ms", "2.4 Mb/s"]]
    assert "mean 1.8 Mb/s" in text
    assert "# 1 of 4 spans have no opportunity: 1 b/s stands for nothing there." in text


def test_an_opportunity_at_the_end_of_a_span_is_in_it(tmp_path: Path) -> None:
    for times, rates in (
        ([50, 100, 100], [["0 ns", "240 kb/s"], ["50 ms", "480 kb/s"]]),
        ([0, 51, 100], [["0 ns", "240 kb/s"], ["50 ms", "480 kb/s"]]),
    ):
        assert series(tmp_path / "a.up", times, span="50 ms")[0] == rates


def test_rates_that_are_rounded_are_counted(tmp_path: Path) -> None:
    values, text = series(tmp_path / "a.up", [1, 8, 9, 21], span="7 ms")
    assert values == [["0 ns", "1.714286 Mb/s"], ["7 ms", "3.428571 Mb/s"], ["14 ms", "1.714286 Mb/s"]]
    assert "# 3 of 3 rates are rounded to whole b/s.\n" in text
    assert "rounded" not in series(tmp_path / "a.up", [1, 8, 9, 21], span="3 ms")[1]


def test_a_trace_begins_again_at_its_end(tmp_path: Path) -> None:
    assert series(tmp_path / "a.up", [1], span="100 ms", duration="1 s")[0] == [["0 ns", "12 Mb/s"]]
    # Again at 30, 33, 36 ...: the last span of the first pass has the begin of the second.
    values, _ = series(tmp_path / "b.up", [20, 30], span="20 ms", duration="60 ms")
    assert values == [["0 ns", "600 kb/s"], ["40 ms", "1.2 Mb/s"]]


@pytest.mark.parametrize(
    ("duration", "told"),
    [
        ("", "The trace lasts 0.055 s. At its end it begins again, until 0.06 s."),
        ("40 ms", "The trace lasts 0.055 s. Its first 0.04 s are here."),
        ("1 s", "The trace lasts 0.055 s. At its end it begins again, until 1 s."),
    ],
)
def test_a_comment_tells_when_the_rates_end(duration: str, told: str, tmp_path: Path) -> None:
    _, text = series(tmp_path / "a.up", [20, 55], span="20 ms", duration=duration)
    until = told.removesuffix(".").split(" ")[-2] if "until" in told else "0.04"
    assert f"# {told}\n# From {until} s on the line keeps the last value: give a longer run its own --duration" in text
    whole = series(tmp_path / "a.up", [20, 40], span="20 ms")[1]
    assert "# The trace lasts 0.04 s.\n# From 0.04 s on the line keeps the last value:" in whole


def test_a_line_with_such_a_rate_carries_what_the_trace_allows(tmp_path: Path) -> None:
    times = [*range(1, 101), *range(200, 301)]  # 12 Mb/s, then nothing for 0.1 s, then 12 Mb/s
    _, text = series(tmp_path / "a.up", times, span="50 ms")
    scenario = f"""
duration = "300 ms"
[line.cell]
between = ["A", "B"]
rate = "12 Mb/s"
delay = "1 ms"
queues = [{{ drop_tail = {{ size = "100000 cells" }} }}]
[flow]
all = {{ path = ["A", "B"], octets = 1500, traffic.cbr = {{ rate = "12 Mb/s" }} }}
{text}"""
    ports = run(Scenario.parse(scenario)).ports
    (departed,) = (port["departed"] for port in ports.to_dicts() if port["port"] == "cell")
    assert departed == pytest.approx(201, abs=2)


PHONE = """
duration = "19 ms"
[line.cell]
between = ["A", "B"]
rate = "RATE"
delay = "1 ms"
"""
FLOW = '[flow.a]\npath = ["A", "B"]\ntraffic.greedy = {}\n'
PACKETS = [(0, 1500), (0, 500), (0, 1500), (3, 1500), (11, 1500), (11, 600)]
"""Milliseconds and octets of the packets in row M9 of the validation page."""


def test_a_line_has_the_opportunities_of_a_trace(tmp_path: Path, penstock: Command) -> None:
    """Row M9: they leave at 2, 2, 5, 10, 12 and 12 ms, and arrive 1 ms later."""
    trace = tmp_path / "LTE.up"
    trace.write_text("2\n2\n5\n10\n", encoding="utf-8")
    told = penstock("import", str(trace), "--line", "cell", "--exact")
    text = import_opportunities(trace, "cell")
    assert (told.returncode, told.stdout) == (0, text)
    assert 'rate = "4800000 b/s"' in text
    flows = (
        f'[flow.{name}]\npath = ["A", "B"]\noctets = {octets}\n'
        f'traffic.cbr = {{ rate = "4 kb/s", start = "{start} ms" }}\n'
        for name, (start, octets) in zip("abcdef", PACKETS, strict=True)
    )
    net = tmp_path / "net.toml"
    net.write_text(PHONE.replace("RATE", "4800000 b/s") + "".join(flows) + text, encoding="utf-8")
    groups = run(Scenario.load(net)).groups
    arrived = dict(groups.select("group", "delay_mean_s").iter_rows())
    left = [start + 1000 * arrived[name] - 1 for name, (start, _) in zip("abcdef", PACKETS, strict=True)]
    assert left == pytest.approx([2, 2, 5, 10, 12, 12], abs=1e-8)
    # What is stored has the instants, and no file.
    assert Scenario.load(net).tree["line"]["cell"]["opportunities"]["list"] == [2, 2, 5, 10]
    trace.write_text("1\n", encoding="utf-8")
    with pytest.raises(InputError, match=r"line.cell.opportunities.file = LTE.up: its SHA-256"):
        Scenario.load(net)


def test_the_comment_has_the_opportunities_of_a_line_in_braces(tmp_path: Path) -> None:
    """A network that an import wrote has such lines, and no table can be added to them."""
    (tmp_path / 'LTE "1".up').write_text("2\n2\n5\n10\n", encoding="utf-8")
    text = import_opportunities(tmp_path / 'LTE "1".up', "cell")
    (keys,) = re.findall(r"^# (rate = .*, opportunities = .*)$", text, re.MULTILINE)
    net = tmp_path / "net.toml"
    line = f'[line]\ncell = {{ between = ["A", "B"], delay = "1 ms", {keys} }}\n'
    net.write_text(f'duration = "19 ms"\n{line}{FLOW}', encoding="utf-8")
    assert Scenario.load(net).tree["line"]["cell"]["opportunities"]["list"] == [2, 2, 5, 10]
    net.write_text(f"{net.read_text(encoding='utf-8')}{text}", encoding="utf-8")
    with pytest.raises(InputError, match="put the key between the braces"):
        Scenario.load(net)


TRACES = {
    "plain": "1\n2\n",
    "signed": "+1\n2\n",
    "of Windows": "1\r\n2\r\n",
    "form feeds": "1\f\n2\n",
    "a form feed between": "1\f2\n",
    "vertical tab": "1\v\n2\n",
    "line separator": "1\u2028\n2\n",
    "file separator": "1\x1c\n2\n",
    "zeros before": "01\n00000000000004\n",
    "blanks, no end": " 1\t\n2",
    "underscore": "1_0\n20\n",
    "fraction": "1.0\n2\n",
    "Arabic digits": "\u0661\n2\n",
    "ends at 0": "0\n",
    "empty": "\n",
    "not sorted": "2\n1\n",
    "latest": "4294967295\n",
    "too late": "4294967296\n",
    "long number": "9" * 5000,
    "most instants": "1\n" * 1_000_000,
    "too many instants": "1\n" * 1_000_001,
}


@pytest.mark.parametrize("text", TRACES.values(), ids=TRACES.keys())
def test_the_importer_and_the_engine_take_the_same_traces(tmp_path: Path, text: str) -> None:
    trace = tmp_path / "LTE.up"
    trace.write_bytes(text.encode())

    def read_by_engine(rate: str) -> None:
        flow = f'{FLOW}[line.cell.opportunities]\nfile = "LTE.up"\n'
        (tmp_path / "net.toml").write_text(PHONE.replace("RATE", rate) + flow, encoding="utf-8")
        Scenario.load(tmp_path / "net.toml")

    try:
        part = import_opportunities(trace, "cell")
    except InputError:
        with pytest.raises(InputError, match=r"line\.cell\.opportunities\."):
            read_by_engine("12 Mb/s")
    else:
        read_by_engine(part.partition('rate = "')[2].partition('"')[0])


def test_a_compressed_trace_goes_into_a_file_of_its_own(tmp_path: Path, penstock: Command) -> None:
    trace = tmp_path / "LTE.up.gz"
    trace.write_bytes(gzip.compress(b"0\n\n5\n5\n"))
    with pytest.raises(InputError, match="names no file that is compressed; write --list-out FILE"):
        import_opportunities(trace, "cell")
    text = import_opportunities(trace, "cell", list_out=tmp_path / "cell.up")
    assert 'file = "cell.up"' in text
    assert (tmp_path / "cell.up").read_text(encoding="utf-8") == "0\n5\n5\n"
    told = penstock("import", str(trace), "--line", "cell", "--exact", "--span", "1 s")
    assert (told.returncode, told.stdout) == (2, "")
    assert "with --exact the opportunities are taken as they are" in told.stderr


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("1\n2\nx\n", 'line 3: "x" is no time in whole milliseconds'),
        ("1\n3\n2\n", "line 3: 2 is earlier than the time before it, 3"),
        ("0\n0\n", "the trace ends at 0 ms"),
        ("1.5\n", 'line 1: "1.5" is no time'),
        *((text, "there is no time; give one in whole milliseconds a line") for text in ("", "\n \n")),
    ],
)
def test_what_is_no_such_trace_is_refused_with_its_line(text: str, told: str, tmp_path: Path) -> None:
    (tmp_path / "a.up").write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=told):
        import_rates(tmp_path / "a.up", "cell")


@pytest.mark.parametrize(
    ("options", "told"),
    [
        ({"span": "0 ms"}, "--span = 0 ms: this is no whole number of milliseconds"),
        ({"span": "100"}, "--span = 100: this number has no unit"),
        ({"span": "1 ms", "duration": "1000000 s"}, "1,000,000,000 ms have 1,000,000,000 spans"),
    ],
)
def test_times_that_do_not_fit_are_refused(options: dict[str, str], told: str, tmp_path: Path) -> None:
    with pytest.raises(InputError, match=told):
        series(tmp_path / "a.up", [1], **options)


@pytest.mark.parametrize("beside", ["a.up", "./a.up", "link.up", "folder/../a.up"])
@pytest.mark.parametrize("exact", [[], ["--exact"]])
def test_a_list_is_not_written_over_the_file_that_it_is_made_of(
    beside: str, exact: list[str], tmp_path: Path, penstock: Command
) -> None:
    (tmp_path / "folder").mkdir()
    (tmp_path / "a.up").write_text("5\n6\n9\n", encoding="utf-8")
    (tmp_path / "link.up").symlink_to("a.up")
    done = penstock("import", "a.up", "--line", "c", "--list-out", beside, *exact)
    assert (done.returncode, done.stdout) == (2, "")
    assert ": this file is read, so nothing is written over it; name another one" in done.stderr
    assert (tmp_path / "link.up").is_symlink()
    assert (tmp_path / "a.up").read_text(encoding="utf-8") == "5\n6\n9\n"


def test_no_command_writes_over_what_it_reads(tmp_path: Path, penstock: Command) -> None:
    (tmp_path / "n.json").write_text(NETWORK, encoding="utf-8")
    (tmp_path / "m.csv").write_text('from,to,rate\nA,"B, C",2 Mb/s\n', encoding="utf-8")
    (tmp_path / "outages.csv").write_text("1 s, 2 s\n", encoding="utf-8")
    (tmp_path / "net.svg").write_text(PHONE.replace("RATE", "1 Mb/s") + FLOW, encoding="utf-8")
    before = {file.name: file.read_bytes() for file in tmp_path.iterdir()}
    network = ["import", "n.json", "--default-rate", "1 Mb/s", "--default-delay", "1 ms", "--demands", "m.csv"]
    for arguments in (
        [*network, "--list-out", "m.csv"],
        [*network, "--list-out", "n.json"],
        ["series", "outages", "c", "outages.csv", "--list-out", "outages.csv"],
        ["draw", "net.svg", "--out", "net.svg"],
    ):
        done = penstock(*arguments)
        assert done.returncode == 2
        assert "this file is read" in done.stderr
    assert {file.name: file.read_bytes() for file in tmp_path.iterdir()} == before


def test_a_list_does_not_replace_the_file_that_standard_output_goes_to(tmp_path: Path) -> None:
    (tmp_path / "a.up").write_text("5\n6\n9\n", encoding="utf-8")
    (tmp_path / "net.toml").write_text("mine\n", encoding="utf-8")
    command = [sys.executable, "-m", "penstock", "import", "a.up", "--line", "c", "--list-out", "net.toml"]
    with (tmp_path / "net.toml").open("a") as out:
        done = subprocess.run(command, cwd=tmp_path, stdout=out, stderr=subprocess.PIPE, check=False, encoding="utf-8")
    assert done.returncode == 2
    assert "net.toml: standard output goes to this file" in done.stderr
    assert (tmp_path / "net.toml").read_text(encoding="utf-8") == "mine\n"


def test_the_command_knows_such_a_trace_by_its_content(tmp_path: Path, penstock: Command) -> None:
    marked = b"\xef\xbb\xbf1\n2\n"
    for name, content in (
        *(("a.up", b"1\n2\n"), ("trace", b"1\n2\n"), ("a.gz", gzip.compress(b"1\n2\n"))),
        *(("marked", marked), ("marked.gz", gzip.compress(marked))),
    ):
        (tmp_path / name).write_bytes(content)
        done = penstock("import", str(tmp_path / name), "--line", "cell")
        assert done.returncode == 0, done.stderr
        assert 'path = "line.cell.rate"\nlist = [\n  ["0 ns", "12 Mb/s"],\n]\n' in done.stdout
    done = penstock("import", str(tmp_path / "trace"))
    assert (done.returncode, done.stdout) == (2, "")
    assert "--line: the rates are those of a line; write --line NAME" in done.stderr
    done = penstock("import", str(tmp_path / "trace"), "--line", "cell", "--rate", "bw")
    assert "this option is for a network" in done.stderr


NETWORK = """{"directed": false, "multigraph": false, "nodes": [{"id": "A"}, {"id": "B, C"}],
 "links": [{"source": "A", "target": "B, C"}]}"""


def test_demands_in_a_file_are_the_flows_that_they_were(tmp_path: Path, penstock: Command) -> None:
    (tmp_path / "n.json").write_text(NETWORK, encoding="utf-8")
    (tmp_path / "m.csv").write_text('from,to,rate\nA,"B, C",2 Mb/s\n"B, C",A,\n', encoding="utf-8")
    options: dict[str, Any] = {"default_rate": "10 Mb/s", "default_delay": "1 ms", "demands": tmp_path / "m.csv"}
    inline = Scenario.parse(import_network(tmp_path / "n.json", **options))
    text = import_network(tmp_path / "n.json", list_out=tmp_path / "d.toml", **options)
    listed = (tmp_path / "d.toml").read_bytes()
    assert f'[demands]\nfile = "d.toml"\nsha256 = "{hashlib.sha256(listed).hexdigest()}"\n' in text
    (tmp_path / "n.toml").write_text(text, encoding="utf-8")
    scenario = Scenario.load(tmp_path / "n.toml")
    assert scenario.expanded() == inline
    assert Scenario.parse(scenario.to_toml()) == scenario
    assert penstock("run", str(tmp_path / "n.toml"), "--set", "duration='20 ms'").returncode == 0
    (tmp_path / "d.toml").write_bytes(listed + b"\n")
    done = penstock("check", str(tmp_path / "n.toml"))
    assert done.returncode == 2
    assert "demands.file = d.toml: its SHA-256 is" in done.stderr


def test_rates_too_many_for_a_scenario_file_go_beside_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("penstock.importing.series.LARGEST_FILE", 1000)
    times = [time for time in range(1, 101) for _ in range(1 + time % 3)]
    with pytest.raises(
        InputError, match="100 values make a scenario of more than 1,000 octets; write them into a file"
    ):
        series(tmp_path / "a.up", times, span="1 ms")
    text = import_rates(tmp_path / "a.up", "cell", span="1 ms", list_out=tmp_path / "cell.toml")
    assert len(text) < 1000


def test_a_damaged_gzip_says_so(tmp_path: Path, penstock: Command) -> None:
    whole = gzip.compress(b"1\n2\n5\n")
    for damaged in (whole[:-6], whole[:6], whole[:10] + b"xx" + whole[12:]):
        (tmp_path / "a.up.gz").write_bytes(damaged)
        done = penstock("import", "a.up.gz", "--line", "c")
        assert (done.returncode, done.stdout) == (2, "")
        assert "a.up.gz: the compressed file is damaged" in done.stderr
        assert "copy it again: gzip -t FILE says whether it is whole" in done.stderr


@pytest.mark.skipif(os.name == "nt", reason="Windows does not say whether a process lives")
def test_what_a_killed_command_left_of_a_list_is_removed_by_the_next(tmp_path: Path) -> None:
    (tmp_path / "a.up").write_text("5\n", encoding="utf-8")
    done = subprocess.Popen([sys.executable, "-c", ""])
    done.wait()
    killed, living, other = (
        tmp_path / f".cell.toml.{middle}.partial"
        for middle in (f"{HOST}.{done.pid}", f"{HOST}.{os.getppid()}", f"elsewhere.{done.pid}")
    )
    for draft in (killed, living, other):
        draft.touch()
    import_rates(tmp_path / "a.up", "cell", list_out=tmp_path / "cell.toml")
    assert sorted(tmp_path.glob(".*")) == sorted([living, other])


def test_a_matrix_too_large_for_a_scenario_file_goes_beside_it(tmp_path: Path) -> None:
    nodes = [f"node-{number:03}-of-a-network-with-long-names" for number in range(90)]
    rows = "".join(f"{one},{other},1\n" for one in nodes for other in nodes if one != other)
    (tmp_path / "m.csv").write_text(f"from,to,rate\n{rows}", encoding="utf-8")
    edges = ",".join(f'{{"source": "{nodes[0]}", "target": "{node}"}}' for node in nodes[1:])
    ids = ",".join(f'{{"id": "{node}"}}' for node in nodes)
    (tmp_path / "n.json").write_text(f'{{"nodes": [{ids}], "links": [{edges}]}}', encoding="utf-8")
    options: dict[str, Any] = {"default_rate": "10 Gb/s", "default_delay": "1 ms", "demand_unit": "kb/s"}
    options["demands"] = tmp_path / "m.csv"
    with pytest.raises(InputError, match="more than 1,000,000 octets; write them into a file beside it: --list-out"):
        import_network(tmp_path / "n.json", **options)
    text = import_network(tmp_path / "n.json", list_out=tmp_path / "d.toml", **options)
    (tmp_path / "n.toml").write_text(text, encoding="utf-8")
    assert len(Scenario.load(tmp_path / "n.toml").tree["demands"]["list"]) == 90 * 89


def test_a_sweep_of_a_scenario_with_lists_has_the_runs_of_its_points() -> None:
    text = """
duration = "20 ms"
[line]
one = { between = ["A", "B"], rate = "10 Mb/s", delay = "1 ms", queues = [{ drop_tail = { size = "9 cells" } }] }
two = { between = ["B", "C"], rate = "10 Mb/s", delay = "1 ms", queues = [{ drop_tail = { size = "9 cells" } }] }
[demands]
list = [["A", "C", "2 Mb/s"], ["C", "A", "3 Mb/s"], ["A", "B"]]
[[series]]
path = "line.two.rate"
list = [["5 ms", "1 Mb/s"], ["10 ms", "3 Mb/s"]]
[[sweep.axis]]
"line.one.rate" = ["10 Mb/s", "4 Mb/s"]
[[sweep.axis]]
"demands.list[1][2]" = ["3 Mb/s", "1 Mb/s"]
[[sweep.axis]]
"series[0].list[1][1]" = ["3 Mb/s", "2 Mb/s"]
"""
    scenario = Scenario.parse(text)
    points = scenario.points()
    for number in range(8):
        one, demand, value = number // 4, number // 2 % 2, number % 2
        changes = {
            "line.one.rate": ("10 Mb/s", "4 Mb/s")[one],
            "demands.list[1][2]": ("3 Mb/s", "1 Mb/s")[demand],
            "series[0].list[1][1]": ("3 Mb/s", "2 Mb/s")[value],
            "sweep": None,
        }
        assert points.document(number) == scenario.with_(changes).expanded().to_json()
    assert len(points.digests(0, 8)) == 8 * 16
