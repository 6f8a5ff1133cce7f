"""The rates to which explicit-rate switches settle with minimum cell rates (MCR), against the exact shares."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import polars as pl
import pytest

from penstock import Scenario, run
from penstock.truth.fairness import Mcr, max_min

TARGET = 0.9
SCHEMES = {
    "charny": "charny = {{ target = {target}, mcr = '{mcr}' }}",
    "erica": "erica = {{ target = {target}, delta = 0.0, interval = {{ time = '10 ms' }}, mcr = '{mcr}' }}",
}
# Trunks between switches in a row, Mb/s. Of each group of flows: their number, trunks, and minimum rate in Mb/s.
Network = tuple[Sequence[int], Mapping[str, tuple[int, Sequence[int], float]]]
ONE_LINE: Network = ([150], {"low": (1, [0], 10), "middle": (1, [0], 20), "high": (1, [0], 60)})
# The minima take 21, 78, 78 and 39 Mb/s of the four trunks.
GFC_1: Network = (
    [50, 150, 150, 100],
    {
        "a": (3, [0, 1, 2], 1),
        "b": (3, [1, 2, 3], 5),
        "c": (3, [2], 20),
        "d": (6, [0], 3),
        "e": (6, [3], 4),
        "f": (2, [1], 30),
    },
)


def text(network: Network, point: str, seconds: int, source: str) -> str:
    trunks, groups = network
    lines = "".join(
        f'[line.trunk_{n}]\nbetween = ["s{n}", "s{n + 1}"]\nrate = "{rate} Mb/s"\n' for n, rate in enumerate(trunks)
    )
    flows = "".join(
        f"[flow.{name}]\ncount = {count}\npath = {[f's{n}' for n in (*crossed, crossed[-1] + 1)]}\n"
        f"reaction_point.{source.format(minimum=minimum)}\n"
        for name, (count, crossed, minimum) in groups.items()
    )
    return f"""
duration = "{seconds} s"
measure = {{ sample = "{seconds} s", sample_flows = true }}
[defaults.line]
delay = "167 us"
congestion_point.{point}
reverse = {{}}
[defaults.flow]
access = {{ rate = "150 Mb/s", delay = "1 ms" }}
traffic.greedy = {{}}
notification_point.turn_round = {{}}
{lines}{flows}"""


def shares(network: Network, target: float, mcr: Mcr) -> dict[str, float]:
    """The exact rate of each flow on the target part of each trunk, Mb/s."""
    trunks, groups = network
    flows = {
        name if count == 1 else f"{name}/{number}": (crossed, minimum)
        for name, (count, crossed, minimum) in groups.items()
        for number in range(1, count + 1)
    }
    return max_min(
        {str(n): target * rate for n, rate in enumerate(trunks)},
        {flow: [str(n) for n in crossed] for flow, (crossed, _) in flows.items()},
        minima={flow: minimum for flow, (_, minimum) in flows.items()},
        mcr=mcr,
    )


def settled(scenario: str, quantity: str) -> dict[str, float]:
    """The last allowed rate of every flow, Mb/s."""
    last = run(Scenario.parse(scenario)).series.filter(pl.col("quantity") == quantity, pl.col("time_s") > 0)
    return {flow: value / 1e6 for flow, value in last.select("component", "value").iter_rows()}


EXPLICIT = "explicit_rate = {{ initial = '30 Mb/s', peak = '150 Mb/s', minimum = '{minimum} Mb/s' }}"


@pytest.mark.parametrize("mcr", ["plus", "floor"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_sources_of_the_standard_settle_on_one_line(scheme: str, mcr: Mcr) -> None:
    point = SCHEMES[scheme].format(target=TARGET, mcr=mcr)
    source = "tm40 = {{ mcr = '{minimum} Mb/s', rif = 1.0 }}"
    expected = shares(ONE_LINE, TARGET, mcr)
    printed = {"plus": [25.0, 35.0, 75.0], "floor": [37.5, 37.5, 60.0]}[mcr]
    assert list(expected.values()) == pytest.approx(printed)
    assert settled(text(ONE_LINE, point, 2, source), "acr") == pytest.approx(expected, rel=1e-3)


@pytest.mark.parametrize("mcr", ["plus", "floor"])
@pytest.mark.parametrize("scheme", SCHEMES)
def test_a_network_settles(scheme: str, mcr: Mcr) -> None:
    point = SCHEMES[scheme].format(target=TARGET, mcr=mcr)
    expected = shares(GFC_1, TARGET, mcr)
    assert settled(text(GFC_1, point, 8, EXPLICIT), "rate") == pytest.approx(expected, rel=1e-3)
