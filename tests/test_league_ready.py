"""The ready leagues: every scheme by name, with the packets of its transport; decades is killed and goes on."""

from __future__ import annotations

import os
import sys
from pathlib import Path

import pytest
from conftest import Command
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held
from test_league import LEAGUE, parsed
from test_sweep import tables

from penstock import InputError, Results
from penstock.core.errors import require_known
from penstock.core.scenario import schemes
from penstock.core.units import bits_per_second, seconds
from penstock.execute.store import Store
from penstock.league.document import Document, ready_leagues
from penstock.league.league import League, entered

pytestmark = pytest.mark.in_process


def test_help_names_every_ready_league(penstock: Command) -> None:
    told = " ".join(penstock("league", "--help").stdout.split())
    assert f"the name of a ready one: {' or '.join(ready_leagues())}" in told


@pytest.mark.parametrize(("name", "least"), [("decades", 200), ("standard", 50)])
def test_a_ready_league_has_seven_networks_and_every_scheme(name: str, least: int) -> None:
    assert list(ready_leagues()) == ["decades", "standard"]
    league = League.load(name)
    assert len(league.document.networks) == 7
    assert {entrant.name for entrant in league.document.entrants()} == set(schemes())
    assert len(league.cases) == 21
    for case in league.cases:
        assert set(case.refused) <= {"rate_factor"}, case.name
        for scenario in case.scenarios.values():
            tree = scenario.expanded().tree
            assert seconds(tree["duration"]) - seconds(tree["warm_up"]) >= (least - 0.01) * case.round_trip_s
        assert case.network.startswith("satellite") is any(name.startswith("satellite") for name in tree["line"])
        if case.network.startswith("satellite"):
            assert all(bits_per_second(line["rate"]) <= 10e6 for line in tree["line"].values())


@pytest.mark.parametrize(("scheme", "octets"), [("erica", 53), ("decbit", 1000), ("cubic", 1460)])
def test_the_schemes_of_a_transport_share_changes(scheme: str, octets: int) -> None:
    """The packets of a ready league follow from the transport of a scheme, so a new scheme needs no line there."""
    document = Document.load("decades")
    assert schemes()[scheme].transport == {53: "", 1000: "tp4", 1460: "stream"}[octets]
    (entrant,) = (each for each in document.entrants() if each.name == scheme)
    flows = entered(document.tree_of("lan", "greedy"), entrant, document.file).expanded().tree["flow"]
    assert {flow["octets"] for flow in flows.values()} == {octets}


def test_the_changes_of_a_scheme_come_before_those_of_its_transport(tmp_path: Path) -> None:
    text = LEAGUE.replace('schemes = ["none"', 'schemes = ["cubic", { scheme = "abe", with.warm_up = "1 ms" }')
    text += '[with.stream]\nwarm_up = "2 ms"\ndefaults.flow.octets = 1460\n'
    changes = {each.name: each.changes for each in parsed(text, tmp_path).entrants()}
    octets = {"flow": {"octets": 1460}}
    assert changes["cubic"] == {"warm_up": "2 ms", "defaults": octets}
    assert changes["abe"] == {"warm_up": "1 ms", "defaults": octets}
    assert changes["charny, 50 %"] == {}


def test_values_that_are_set_leave_the_networks_in_their_order() -> None:
    changed = League.load("decades", changes={"networks.*.duration": "20 ms", "seed": 3}).document
    plain = Document.load("decades")
    assert list(changed.networks) == list(plain.networks)
    assert list(changed.traffics) == list(plain.traffics)
    assert changed.networks["wan"]["duration"] == "20 ms"
    assert changed.seed == 3


def test_a_refused_scheme_is_told_with_what_would_let_it() -> None:
    case = League.load("decades").cases[0]
    assert "greedy has none (at flow.clearances_1); " in case.refused["rate_factor"]
    assert "give traffic with a rate, such as cbr" in case.refused["rate_factor"]


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="kill -9 is of POSIX systems")
def test_decades_is_killed_and_goes_on(penstock: Command, tmp_path: Path) -> None:
    """Two of its schemes, with a thousandth of its times."""
    short = ['schemes=["decbit", "cubic"]', "networks.*.warm_up=1ms"]
    short += [f"networks.*.{each}duration=3ms" for each in ("", "traffics.messages.")]
    words = ["league", "decades", "--replications", "1", *(word for each in short for word in ("--set", each))]
    command = [sys.executable, "-m", "penstock", *words, "--out", "killed", "--jobs", "1"]
    with started(command, cwd=tmp_path, env=held_at(FIRST_SEGMENT_STORED)) as process:
        wait_until_held(process)
        process.kill()
        process.communicate()
    assert 1 <= len(Store.open_to_read(tmp_path / "killed").runs) < 42
    for out, further in (("killed", ["--resume"]), ("whole", [])):
        done = penstock(*words, "--out", out, "--jobs", "1", *further)
        assert done.returncode == 0, done.stderr
    killed, whole = (Results(tmp_path / out) for out in ("killed", "whole"))
    assert len(whole.store.runs) == 42
    assert tables(killed) == tables(whole)


def test_a_traffic_of_a_network_in_a_league_without_traffics_is_told(tmp_path: Path) -> None:
    text = LEAGUE[: LEAGUE.index("[traffics.greedy]")]
    with pytest.raises(InputError, match=r"there are none: write \[traffics.beside\], or its keys into") as refused:
        parsed(text, tmp_path)
    assert refused.value.path == "networks.long.traffics.beside"
    with pytest.raises(InputError, match="there is no such port; there are none"):
        require_known("port", "out", [])
