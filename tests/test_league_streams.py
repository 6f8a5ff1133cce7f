"""Byte streams in a league: beside rate control on cells, and with messages."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

import penstock
from penstock import League
from penstock.league.measures import GOODPUT, LOSS, MESSAGE_TIME, SLOWDOWN
from penstock.league.table import CaseTable, tables_of
from penstock.show.league_tables import tables_in, together

LEAGUE = """
schemes = ["erica", "cubic", "dctcp"]
replications = 3
[networks.line]
duration = "500 ms"
warm_up = "200 ms"
network.dumbbell = { pairs = 2, rate = "20 Mb/s", delay = "1 ms" }
defaults.line.queues = [{ drop_tail.size = "60 PDUs" }]
defaults.flow.octets = 1460
[traffics.greedy]
defaults.flow.traffic.greedy.phase = "50 ms"
"""
MESSAGES = LEAGUE.replace('"erica", ', "").replace(
    'defaults.flow.traffic.greedy.phase = "50 ms"',
    'defaults.flow.traffic.messages = { arrivals.poisson.load = { share = 0.5, of = "trunk" }, sizes = "10 kB" }',
)


def run(text: str, folder: Path) -> tuple[penstock.Results, CaseTable]:
    file = folder / "league.toml"
    file.write_text(text, encoding="utf-8")
    league = League.load(file)
    results = league.run(folder / "out")
    (table,) = tables_of(league, results)
    return results, table


def test_streams_stand_beside_rate_control(tmp_path: Path) -> None:
    _, table = run(LEAGUE, tmp_path)
    goodput, loss = table.column(GOODPUT, "data"), table.column(LOSS, "data")
    assert goodput is not None
    assert loss is not None
    assert set(goodput.samples) == {"erica", "cubic", "dctcp"}
    # The payload of a segment of 1,460 octets is that without its 40 of headers, which the line carries too.
    assert goodput["dctcp"].estimate.mean == pytest.approx(20e6 * 1460 / 1500, rel=0.03)
    assert "dctcp" in loss.best
    times = table.column(MESSAGE_TIME, "data")
    assert times is not None
    assert set(times.reasons.values()) == {"no traffic of messages"}


def test_messages_have_completion_times_and_slowdowns(tmp_path: Path) -> None:
    results, table = run(MESSAGES, tmp_path)
    assert "groups of flows together" not in str(tables_in(table)[0].note)
    times, slowdowns = table.column(MESSAGE_TIME, "data"), table.column(SLOWDOWN, "data")
    assert times is not None
    assert slowdowns is not None
    rows = results.table("messages")
    rows = rows.filter((rows["class"] == "all") & (rows["scheme"] == "cubic"))
    assert rows["finished"].min() > 0  # type: ignore[operator]
    assert times["cubic"].estimate.mean == pytest.approx(rows["fct_mean_s"].mean())
    assert slowdowns["cubic"].estimate.mean == pytest.approx(rows["slowdown_mean"].mean())
    assert slowdowns["cubic"].estimate.mean >= 1


def test_a_league_changes_the_defaults_of_a_network_in_a_file(tmp_path: Path) -> None:
    net = """
duration = "100 ms"
defaults.flow = { count = 2, traffic.greedy = {} }
[line.out]
between = ["a", "b"]
rate = "10 Mb/s"
delay = "1 ms"
queues = [{ drop_tail.size = "50 PDUs" }]
[flow.plain]
path = ["a", "b"]
[flow.own]
path = ["a", "b"]
octets = 500
"""
    (tmp_path / "net.toml").write_text(net, encoding="utf-8")
    file = tmp_path / "league.toml"
    text = 'schemes = ["cubic", "dctcp"]\nnetworks.n.file = "net.toml"\nwith.stream.defaults.flow.octets = 1460\n'
    file.write_text(text + "traffics.t.defaults.flow.traffic.greedy.phase = '5 ms'\n", encoding="utf-8")
    (case,) = League.load(file).cases
    flows = case.scenarios["cubic"].tree["flow"]
    assert {name: flow["octets"] for name, flow in flows.items()} == {"plain": 1460, "own": 500}
    assert {flow["traffic"]["greedy"]["phase"] for flow in flows.values()} == {"5 ms"}
    assert {flow["count"] for flow in flows.values()} == {2}


def test_the_groups_of_a_class_are_named(tmp_path: Path) -> None:
    quiet = 'path = ["left", "right"], scheme = "none", traffic.poisson.rate = "1 Mb/s"'
    flows = f'flow.short.path = ["left", "right"]\nflow.data = {{ {quiet} }}\nflow.voice = {{ {quiet} }}\n'
    file = tmp_path / "league.toml"
    file.write_text(MESSAGES + flows, encoding="utf-8")
    (case,) = League.load(file).cases
    outside = "data (outside every scheme)"
    assert case.classes == {"data": outside, "pairs": "data", "short": "data", "voice": "voice"}
    (told,) = together(case, ["", "data", outside, "voice"])
    assert told.startswith("The values of data are those of 2 groups of flows together, ")
    assert told.endswith(": pairs, short.")
    many = replace(case, classes=dict.fromkeys(map(str, range(10)), "data"))
    assert together(many, ["data"])[0].endswith(": 0, 1, 2, 3, 4, 5, 6, 7 and 2 more.")
