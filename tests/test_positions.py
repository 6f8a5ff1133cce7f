"""Where PDUs are at a stop, the way of one PDU, limits of queues and paths of flows, also on the command line."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest
from cells import CELLS

from penstock import InputError, Scenario, Simulation

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]

SATELLITE = Scenario.load("satellite/1-case-2").with_({"duration": "3 s"})


def at(time: str) -> Simulation:
    sim = Simulation(Scenario.parse(CELLS))
    sim.run_until(time)
    return sim


def test_every_pdu_has_a_place() -> None:
    places = at("2.25 ms").positions()
    assert places.select("sequence", "place", "queue", "ahead", "fraction", "leaves_s").rows() == [
        (0, "line", None, None, pytest.approx(1.25 / 3), 0.004),
        (1, "line", None, None, pytest.approx(0.25 / 3), 0.005),
        (2, "service", 0, 0, 0.25, 0.003),
        (3, "queue", 0, 1, None, None),
        (4, "queue", 0, 2, None, None),
    ]
    same = places.select("component", "flow", "group", "kind", "direction", "octets", "priority", "marks").unique()
    assert same.rows() == [("trunk", "data", "data", "data", "forward", 53, 0, "")]


def test_positions_match_the_readings_and_change_nothing() -> None:
    sim, other = Simulation(SATELLITE), Simulation(SATELLITE)
    for stop in ("0 s", "1.234567 s", "2.5 s"):
        sim.run_until(stop)
        places = sim.positions()
        queued = places.filter(pl.col("place").is_in(["queue", "service"])).group_by("component", "queue").len()
        held = {f"{port} queue_{queue}": float(count) for port, queue, count in queued.iter_rows()}
        read = {
            f"{row['component']} {row['quantity']}": row["value"]
            for row in sim.readings().iter_rows(named=True)
            if row["quantity"] in ("queue_0", "queue_1") and row["value"] > 0
        }
        assert read == held
        assert bool(places.height) == (stop != "0 s")
    for one in (sim, other):
        one.finish()
    assert sim.fingerprint == other.fingerprint


def test_feedback_is_told_from_data() -> None:
    sim = Simulation("abr/eprca-efci")
    sim.run_until("30 ms")
    places = sim.positions()
    assert set(places["kind"]) == {"data", "resource_management"}
    back = places.filter(direction="backward")
    assert set(back["kind"]) == {"resource_management"}
    assert back["marks"].str.contains("DIR").all()
    assert back["component"].str.ends_with(".reverse").all()
    forward = places.filter(direction="forward")
    assert not forward["marks"].str.contains("DIR").any()
    assert forward["marks"].str.contains("EFCI").any()


def test_the_way_of_one_pdu() -> None:
    steps = at("50 ms").history("data", 3)
    assert steps.select("step", "component", "time").rows() == [
        ("sent", "data", "1.5 ms"),
        ("arrived", "trunk", "1.5 ms"),
        ("started", "trunk", "3 ms"),
        ("departed", "trunk", "4 ms"),
        ("delivered", "data", "7 ms"),
    ]
    assert steps["time_s"].to_list() == [0.0015, 0.0015, 0.003, 0.004, 0.007]
    assert at("3.5 ms").history("data", 3)["step"].to_list() == ["sent", "arrived", "started"]
    # The queue is full at 3.5 ms.
    assert at("50 ms").history("data", 7)["step"].to_list() == ["sent", "arrived", "discarded"]


def test_the_way_of_a_pdu_of_a_fork_has_its_changes() -> None:
    sim = at("3.25 ms")
    fork = sim.fork()
    fork.change({"line.trunk.rate": "848 kb/s"})
    for one in (sim, fork):
        one.run_until("20 ms")
    # Cell 3 is a quarter sent at 3.25 ms.
    departed = [one.history("data", 3).filter(step="departed")["time"].to_list() for one in (sim, fork)]
    assert departed == [["4 ms"], ["3625 us"]]


def test_a_pdu_that_is_not_there_is_refused() -> None:
    sim = at("2 ms")
    for flow, sequence, why in [
        ("date", 0, "there is no such flow; did you mean `data`?"),
        ("data", 5, "sequence = 5: the flow has sent 5 data PDUs so far, and they are numbered from 0; give at most 4"),
        ("data", -1, "sequence = -1"),
    ]:
        with pytest.raises(InputError) as refused:
            sim.history(flow, sequence)
        assert why in str(refused.value)
    idle = Simulation(Scenario.parse(CELLS.replace('"0 s"', '"1 ms"')))
    with pytest.raises(InputError, match="has sent 0 data PDUs so far"):
        idle.history("data", 0)


def test_ports_tell_their_limits_and_flows_their_paths() -> None:
    sim = Simulation(SATELLITE)
    satellite = sim.ports().filter(port="satellite").to_dicts()
    assert [row["queue"] for row in satellite] == [0, 1]
    sim.change({"line.satellite.queues[0].clp_threshold.threshold": "100 cells"})
    sim.change({"line.satellite.rate": "3 Mb/s"})
    changed = sim.ports().filter(port="satellite", queue=0).row(0, named=True)
    assert (changed["clp_threshold_pdus"], changed["rate_bps"], changed["policy"]) == (100, 3e6, "clp_threshold")
    assert changed["size_pdus"] == satellite[0]["size_pdus"]
    row = at("0 s").flows().row(0, named=True)
    assert row == {"flow": "data", "group": "data", "from": "a", "to": "b", "ports": ["trunk"]}
    trunk = at("0 s").ports().filter(port="trunk").row(0, named=True)
    assert (trunk["policy"], trunk["size_pdus"], trunk["size_bits"], trunk["delay_s"]) == ("drop_tail", 4, None, 0.003)
    assert (trunk["congestion_point"], trunk["threshold"], trunk["threshold_pdus"]) == ("", "", None)


def test_a_congestion_point_tells_its_threshold() -> None:
    efci = CELLS.replace("[flow.data]", "congestion_point.efci = { qt = '2 cells' }\n[flow.data]")
    sim = Simulation(Scenario.parse("mismatches = 'warn'\n" + efci))
    trunk = sim.ports().filter(port="trunk").row(0, named=True)
    assert (trunk["congestion_point"], trunk["threshold"], trunk["threshold_pdus"]) == ("efci", "qt", 3)


def test_the_command_shows_an_instant(penstock: Command, tmp_path: Path) -> None:
    (tmp_path / "cells.toml").write_text(CELLS, encoding="utf-8")
    done = penstock("run", "cells.toml", "--at", "2.25 ms", "--show", "positions")
    assert (done.returncode, done.stderr) == (0, "")
    title, *lines = done.stdout.splitlines()
    assert title == "PDUs in the network at 2.25 ms: 5"
    assert lines[4].split() == ["trunk", "service", "0", "0", "0.2500", "data", "2", "data", "forward"]
    told = json.loads(penstock("run", "cells.toml", "--at", "2.25 ms", "--json").stdout)
    assert told["at_s"] == 0.00225
    assert [row["sequence"] for row in told["positions"]] == [0, 1, 2, 3, 4]
    shown = penstock("run", "cells.toml", "--at", "2.25 ms", "--show", "readings").stdout.splitlines()
    assert shown[0] == "Readings at 2.25 ms"
    assert ["trunk", "queue_0", "3", "PDUs"] in [line.split() for line in shown]


@pytest.mark.parametrize(
    ("words", "why"),
    [
        (["--at", "1 s"], "--at = 1 s: the run ends at 0.1 s"),
        (["--at", "2.25"], "--at = 2.25: "),
        (["--at", "-1 s"], "--at = -1 s: "),
        (["--at", "1 ms", "--show", "reading"], '--show = reading: this cannot be shown; did you mean "readings"?'),
        (
            ["--show", "readings"],
            "--show = readings: this shows one instant of the run; add a time of the run, as --at ",
        ),
        (["--at", "1 ms", "--replications", "3"], "--replications = 3: this does not go with --at"),
        (["--at", "1 ms", "--out", "x"], "--out = x: this does not go with --at"),
    ],
)
def test_bad_instants_are_refused(penstock: Command, tmp_path: Path, words: list[str], why: str) -> None:
    (tmp_path / "cells.toml").write_text(CELLS, encoding="utf-8")
    done = penstock("run", "cells.toml", *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert why in done.stderr
