"""The summary of `penstock run`, printed and as JSON: columns that fit the traffic, units that fit the numbers."""

from __future__ import annotations

import json

import pytest
from test_cli import Command

from penstock import Scenario, run
from penstock.show.summary import print_summary, summary

MIXED = """\
duration = "100 s"

[line.radio]
between = ["air", "ground"]
rate = "9.6 kb/s"
delay = "0.5 s"
queues = [{ drop_tail_bits = { size = "16384 bits" } }]

[line.spare]
between = ["ground", "other"]
rate = "9.6 kb/s"

[flow.reports]
count = 3
path = ["air", "ground"]
transport.tp4 = {}

[flow.reports.traffic.connections]
inter_connection_time.constant = "10 s"
interproduction_time.exponential = "0.6 s"
packet_size.constant = "300 octets"

[flow.voice]
path = ["air", "ground"]
traffic.cbr = { rate = "1 kb/s" }
"""
SHOWN = ["connections", "retransmitted", "accepted_per_s", "power", "success_once", "success_all", "discard_share"]


def table(printed: str, title: str) -> list[list[str]]:
    """Headings and rows of a printed table, without the line between them."""
    block = next(part for part in printed.split("\n\n") if part.startswith(title))
    lines = [line.split() for line in block.splitlines()[1:]]
    return [lines[0], *lines[2:]]


def test_transport_connections_have_columns_of_sums_and_their_ratios() -> None:
    result = run(Scenario.parse(MIXED), replications=2)
    rows = {row["group"]: row for row in summary(result)["groups"]}
    runs = result.groups.filter(group="reports").to_dicts()
    sums = {name: sum(row[name] for row in runs) for name in runs[0] if name != "group" and runs[0][name] is not None}
    assert min(row["retransmitted"] for row in runs) > 0
    reports = rows["reports"]
    assert reports["retransmitted"] == sums["retransmitted"]
    assert reports["connections"] == sums["connections"]
    assert reports["success_once"] == sums["accepted"] / sums["transmitted"]
    assert reports["success_all"] == sums["accepted"] / sums["sent"]
    assert reports["power"] == sums["power"] / 2
    assert reports["accepted_per_s"] == sums["accepted"] / 200
    discarded = [round(row["discard_share"] * row["sent"]) for row in runs]
    assert min(discarded) > 0
    assert reports["discard_share"] == pytest.approx(sum(discarded) / sums["sent"], rel=1e-12)
    assert [rows["voice"][name] for name in SHOWN] == [None] * len(SHOWN)


def test_connections_are_printed_where_there_are_any(capsys: pytest.CaptureFixture[str]) -> None:
    result = run(Scenario.parse(MIXED))
    print_summary(result)
    _, *rows = table(capsys.readouterr().out, "Transport connections")
    (own,) = (row for row in summary(result)["groups"] if row["group"] == "reports")
    assert [row[0] for row in rows] == ["reports"]
    assert [float(value) for value in rows[0][1:]] == pytest.approx([own[name] for name in SHOWN], rel=5e-3)


def test_without_connections_nothing_is_said_of_them(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(small)
    assert not set(SHOWN) & set(summary(result)["groups"][0])
    print_summary(result)
    assert "connections" not in capsys.readouterr().out


@pytest.mark.parametrize(("speed", "unit", "size"), [("2 Mb/s", "Mb/s", 1e6), ("200 kb/s", "kb/s", 1e3)])
def test_rates_are_printed_in_the_unit_that_suits_the_greatest(
    small: Scenario, capsys: pytest.CaptureFixture[str], speed: str, unit: str, size: float
) -> None:
    result = run(small.with_({"flow.random.traffic.poisson.rate": speed}))
    print_summary(result)
    headings, *rows = table(capsys.readouterr().out, "Traffic classes")
    assert headings[-4:] == ["throughput", unit, "load", unit]
    loads = {row["group"]: row["load_bps"] for row in summary(result)["groups"]}
    assert {row[0]: float(row[-1]) for row in rows} == pytest.approx(
        {name: load / size for name, load in loads.items()}, abs=5e-5
    )


def test_ports_that_carried_nothing_are_only_counted(capsys: pytest.CaptureFixture[str]) -> None:
    outage = 'outage = { from = "0 s", to = "100 s" }'
    broken = MIXED.replace("[line.spare]", f"[line.spare]\n{outage}")
    lost = broken + '\n[flow.lost]\npath = ["ground", "other"]\ntraffic.cbr = { rate = "1 kb/s" }\n'
    for text, shown, told in [(MIXED, [], 2), (lost, ["spare"], 1)]:
        result = run(Scenario.parse(text))
        print_summary(result)
        printed = capsys.readouterr().out
        assert [row[0] for row in table(printed, "Ports")[1:]] == ["radio", "radio.reverse", *shown]
        assert f"Ports - and {told} that carried nothing\n" in printed
        assert len(summary(result)["ports"]) == 4


def test_json_keeps_every_port_and_has_the_columns_of_connections(penstock: Command) -> None:
    done = penstock("run", "atn/scenario-b", "--json", "--set", "duration=60 s")
    told = json.loads(done.stdout)
    assert len(told["ports"]) == 46
    assert set(SHOWN) <= set(told["groups"][0])


STREAMS = """\
duration = "4 s"
warm_up = "1 s"
[line.trunk]
between = ["a", "b"]
rate = "12 Mb/s"
delay = "20 ms"
queues = [{ drop_tail.size = "40 PDUs" }]
[flow.bulk]
path = ["a", "b"]
octets = 1460
traffic.greedy = {}
transport.stream = { controller.cubic = {} }
[flow.web]
path = ["a", "b"]
octets = 1460
traffic.messages = { arrivals.poisson.load = { share = 0.2, of = "trunk" }, sizes = "30 kB" }
transport.stream = {}
"""


def test_streams_and_messages_have_tables(capsys: pytest.CaptureFixture[str]) -> None:
    result = run(Scenario.parse(STREAMS), replications=2)
    print_summary(result)
    printed = capsys.readouterr().out
    heads, *streams = table(printed, "Byte streams")
    assert [row[0] for row in streams] == ["bulk", "web"]
    for name in ("recoveries", "timeouts", "probes"):
        counts = [result.groups.filter(group=row[0])[name].sum() for row in streams]
        assert [int(row[heads.index(name)].replace(",", "")) for row in streams] == counts
    _, *messages = table(printed, "Messages by length")
    assert [row[:1] for row in messages] == [["web"], ["web"]]
    (own,) = (row for row in summary(result)["messages"] if row["class"] == "all")
    every = result.messages.filter(group="web", **{"class": "all"})
    assert own["finished"] == every["finished"].sum() > 0
    assert own["fct_mean_s"] == pytest.approx(every["fct_mean_s"].mean())
    assert [float(text) for text in messages[1][-3:]] == pytest.approx(
        [own[name] for name in ("slowdown_mean", "slowdown_p50", "slowdown_p99")], rel=5e-3
    )
    assert own["slowdown_p50"] >= 1
    assert "Transport connections" not in printed


def test_without_streams_there_are_no_tables_of_them(small: Scenario, capsys: pytest.CaptureFixture[str]) -> None:
    result = run(small)
    print_summary(result)
    printed = capsys.readouterr().out
    assert summary(result)["messages"] == []
    assert "Byte streams" not in printed
    assert "Messages by length" not in printed
