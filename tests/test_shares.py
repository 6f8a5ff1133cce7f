"""Max-min shares of a run's flows, and how `penstock run` shows them."""

from __future__ import annotations

import pytest

from penstock.api.run import run
from penstock.core.scenario import Scenario
from penstock.show.summary import print_summary, summary
from penstock.truth.shares import fair_shares

GRANTED = """
duration = "200 ms"
warm_up = "100 ms"
[line.first]
between = ["a", "b"]
rate = "60 Mb/s"
congestion_point.constant_grant = { rate = "20 Mb/s" }
[line.second]
between = ["b", "c"]
rate = "30 Mb/s"
[flow.long]
path = ["a", "b", "c"]
traffic.greedy = {}
reaction_point.explicit_rate = { initial = "1 Mb/s", peak = "60 Mb/s" }
notification_point.turn_round = {}
[flow.short]
count = 2
path = ["a", "b"]
access = { rate = "100 Mb/s", delay = "1 ms" }
traffic.greedy = {}
reaction_point.explicit_rate = { initial = "1 Mb/s", peak = "60 Mb/s" }
notification_point.turn_round = {}
[flow.steady]
path = ["b", "c"]
traffic.cbr = { rate = "12 Mb/s" }
"""


def test_water_is_filled_over_lines_and_constant_rates() -> None:
    # On the second line 12 of 30 Mb/s are taken, so the long flow has 18; the short ones share 42 of the first.
    result = run(Scenario.parse(GRANTED))
    assert fair_shares(result) == pytest.approx({"long": 18e6, "short": 21e6, "steady": 12e6})
    rows = {row["group"]: row for row in summary(result)["groups"]}
    assert rows["short"]["max_min_bps"] == pytest.approx(21e6)
    # The port grants 20 Mb/s to each; RM cells are counted in.
    assert rows["short"]["sent_bps"] / 2 == pytest.approx(20e6, rel=1e-3)


def test_access_lines_bind_too(capsys: pytest.CaptureFixture[str]) -> None:
    result = run(Scenario.parse(GRANTED.replace("100 Mb/s", "5 Mb/s")))
    assert fair_shares(result)["short"] == pytest.approx(5e6)
    print_summary(result)
    (line,) = [line for line in capsys.readouterr().out.splitlines() if line.split()[:2] == ["short", "2"]][1:]
    # Whole cells of 100 ms.
    rate, share, ratio = map(float, line.split()[2:])
    assert share == 5.0
    assert abs(rate - 5.0) < 5e-3
    assert abs(ratio - 1.0) < 1e-3


def test_parameters_that_change_leave_no_shares() -> None:
    change = '[[change]]\nat = "150 ms"\npath = "line.second.rate"\nvalue = "15 Mb/s"\n'
    assert fair_shares(run(Scenario.parse(GRANTED)))
    assert fair_shares(run(Scenario.parse(GRANTED + change))) == {}


def test_traffic_without_such_rates_has_none() -> None:
    bursts = GRANTED.replace('traffic.cbr = { rate = "12 Mb/s" }', "traffic.on_off = {}")
    assert fair_shares(run(Scenario.parse(bursts))) == {}
    assert "max_min_bps" not in summary(run(Scenario.parse(bursts)))["groups"][0]


GUARANTEED = """
duration = "20 ms"
[line.trunk]
between = ["a", "b"]
rate = "150 Mb/s"
congestion_point.charny = { mcr = "MCR" }
reverse = {}
[defaults.flow]
path = ["a", "b"]
traffic.greedy = {}
notification_point.turn_round = {}
[flow]
low.reaction_point.explicit_rate = { initial = "10 Mb/s", peak = "150 Mb/s", minimum = "10 Mb/s" }
middle.reaction_point.eprca = { pcr = "50 Mb/s", mcr = "20000 kb/s", icr = "20 Mb/s" }
high.reaction_point.tm40 = { mcr = "60 Mb/s" }
"""


@pytest.mark.parametrize(
    ("mcr", "shares"),
    [("plus", {"low": 30e6, "middle": 40e6, "high": 80e6}), ("floor", {"low": 45e6, "middle": 45e6, "high": 60e6})],
)
def test_minimum_rates_count(mcr: str, shares: dict[str, float]) -> None:
    assert fair_shares(run(Scenario.parse(GUARANTEED.replace("MCR", mcr)))) == pytest.approx(shares)


def test_the_minimum_rate_of_eprca_is_a_thousandth_of_the_peak() -> None:
    # The peak is the line's rate.
    given = 'pcr = "50 Mb/s", mcr = "20000 kb/s", icr = "20 Mb/s"'
    text = GUARANTEED.replace("MCR", "plus").replace(given, 'pcr = "200 Mb/s"')
    rest = (150e6 - 70e6 - 150e3) / 3
    shares = {"low": 10e6 + rest, "middle": 150e3 + rest, "high": 60e6 + rest}
    assert fair_shares(run(Scenario.parse(text))) == pytest.approx(shares)


def test_different_rules_for_minimum_rates_have_no_shares() -> None:
    back = 'reverse.congestion_point.eds = { mcr = "floor" }'
    mixed = GUARANTEED.replace("MCR", "plus").replace("reverse = {}", back)
    assert fair_shares(run(Scenario.parse(mixed))) == {}
