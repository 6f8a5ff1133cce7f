"""RM cells that a congested switch makes itself (BN=1), in whole networks."""

from __future__ import annotations

import pytest

from penstock.api.run import Result, run
from penstock.core.errors import InputError
from penstock.core.scenario import Scenario

NETWORK = """
duration = "90 ms"
measure = { sample = "1 ms", sample_flows = true }

[line.trunk]
between = ["here", "there"]
rate = "10 Mb/s"
delay = "50 ms"
congestion_point.efci = { qt = "50 cells", bn = { threshold = "100 cells" } }

[flow.greedy]
path = ["here", "there"]
access = { rate = "100 Mb/s", delay = "0 s" }
traffic.greedy = {}
reaction_point.tm40 = { icr = "20 Mb/s", pcr = "20 Mb/s" }
notification_point.turn_round = {}
"""


def outcome(**changes: object) -> Result:
    scenario = Scenario.parse(NETWORK)
    return run(scenario.with_({path.replace("__", "."): value for path, value in changes.items()}))


def readings(result: Result, quantity: str) -> list[float]:
    """A reading of the source, from 5 ms on, in order."""
    rows = result.series.filter((result.series["quantity"] == quantity) & (result.series["time_s"] > 0.005))
    return [float(value) for value in rows.filter(rows["component"] == "greedy")["value"]]


def test_the_source_hears_of_the_queue_long_before_its_rm_cells_come_back() -> None:
    """The input is 10 Mb/s above the line: 100 cells wait after 4.3 ms. The first RM cell returns after 100 ms.

    One BN cell lowers ACR by RDF, from 20 to 18.75 Mb/s. It acknowledges no forward RM cell (rule 6).
    """
    with_bn = outcome()
    assert with_bn.ports.row(0, named=True)["notices_mild"] == 1
    assert set(readings(with_bn, "acr")) == {18.75e6}
    assert readings(with_bn, "unack") == readings(with_bn, "forward_rm_cells")
    without = outcome(line__trunk__congestion_point={"efci": {"qt": "50 cells"}})
    assert set(readings(without, "acr")) == {20e6}
    assert without.ports.row(0, named=True)["notices_mild"] == 0


def test_a_connection_gets_ten_a_second() -> None:
    """RDF is small enough that the queue stays, and the destination says nothing: BN cells at 4, 104, .., 904 ms."""
    result = outcome(
        duration="990 ms",
        flow__greedy__reaction_point__tm40__rdf=1 / 32768,
        line__trunk__congestion_point__efci__qt="1000000 cells",
        flow__greedy__reaction_point__tm40__rif=1 / 32768,
    )
    assert result.ports.row(0, named=True)["notices_mild"] == 10


def test_a_source_that_sends_no_rm_cells_gets_none() -> None:
    result = outcome(
        flow__greedy__reaction_point={"uncontrolled": {}},
        flow__greedy__notification_point=None,
        flow__greedy__traffic={"cbr": {"rate": "20 Mb/s"}},
        mismatches="warn",
    )
    assert result.ports.row(0, named=True)["notices_mild"] == 0


def test_more_than_ten_a_second_are_refused() -> None:
    with pytest.raises(InputError, match="at most ten of these cells a second"):
        outcome(line__trunk__congestion_point__efci__bn__spacing="50 ms")
