"""Theory beside a run: what it says, and that it says nothing about scenarios that miss one condition."""

from __future__ import annotations

import polars as pl
import pytest
from conftest import Command

import penstock
from penstock import Result, Scenario
from penstock.core.scenario import ready
from penstock.show.summary import print_summary, summary
from penstock.show.trace import page_of
from penstock.statistics import Estimate
from penstock.theory import KINDS, Row, theory
from penstock.theory.admission import needs
from penstock.theory.scene import Scene

Changes = dict[str, object]

QUEUE = """
duration = "60 s"
warm_up = "2 s"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
delay = "5 ms"
[flow.cells]
count = 2
path = ["a", "b"]
traffic.poisson = { rate = "169.6 kb/s" }
"""
GREEDY = """
duration = "3 s"
warm_up = "2 s"
[defaults.line]
congestion_point.charny = { target = 0.9 }
reverse = {}
[line.first]
between = ["a", "b"]
rate = "60 Mb/s"
[line.second]
between = ["b", "c"]
rate = "30 Mb/s"
[defaults.flow]
traffic.greedy = {}
reaction_point.explicit_rate = { initial = "1 Mb/s", peak = "60 Mb/s" }
notification_point.turn_round = {}
access = { rate = "100 Mb/s", delay = "1 ms" }
[flow.long]
path = ["a", "b", "c"]
[flow.short]
count = 2
path = ["a", "b"]
[flow.end]
path = ["b", "c"]
"""
CONSTANT = """
duration = "4 s"
[line.server]
between = ["a", "b"]
rate = "424 kb/s"
delay = "1 ms"
[flow.steady]
count = 20
path = ["a", "b"]
traffic.cbr = { rate = "20 kb/s" }
"""
METERED = """
duration = "20 s"
[line.entry]
between = ["a", "b"]
rate = "10 Mb/s"
[line.server]
between = ["b", "c"]
rate = "424 kb/s"
[flow.bursts]
count = 3
path = ["a", "b", "c"]
traffic.on_off = { peak_rate = "1 Mb/s", on = "200 ms", off = "200 ms" }
policers = [{ gcra = { increment = "5 ms", limit = "45 ms", nonconforming = "discard" } }]
"""


def rows_of(text: str, changes: Changes | None = None, replications: int = 1) -> list[Row]:
    scenario = Scenario.parse(text)
    changed = scenario.with_({"mismatches": "warn", **changes}) if changes else scenario
    return theory(penstock.run(changed, replications=replications))


def found(rows: list[Row], theory: str) -> dict[tuple[str, str], float]:
    return {(row.of, row.quantity): row.truth for row in rows if row.theory == theory}


def holds(row: Row) -> bool:
    """Whether the measurement agrees: within its interval, or below the bound."""
    if row.relation == "<=":
        return row.measured.mean <= row.truth * (1 + 1e-9)
    assert row.measured.low is not None
    assert row.measured.high is not None
    return row.measured.low <= row.truth <= row.measured.high


def test_a_poisson_queue() -> None:
    # Load 0.8 and a service of 1 ms: the wait is 2 ms, and 0.8 (2 + 1) PDUs are present.
    rows = rows_of(QUEUE, replications=10)
    assert found(rows, "M/D/1") == {
        ("server", "mean queue (PDUs)"): pytest.approx(2.4),
        ("cells", "mean delay (s)"): pytest.approx(0.002 + 0.001 + 0.005),
    }
    assert found(rows, "utilisation") == {("server", "utilisation"): pytest.approx(0.8)}
    assert all(map(holds, rows))


def test_a_finite_poisson_queue() -> None:
    finite: Changes = {"line.server.queues": [{"drop_tail": {"size": "5 cells"}}]}
    rows = rows_of(QUEUE, finite, replications=10)
    assert [row.theory for row in rows] == ["M/D/1/K"]
    assert rows[0].truth == pytest.approx(0.03529040)  # truths.md, 3
    assert holds(rows[0])


OTHER = {"path": ["a", "b"], "traffic": {"cbr": {"rate": "10 kb/s"}}}


@pytest.mark.parametrize(
    "changes",
    [
        {"flow.cells.traffic": {"cbr": {"rate": "169.6 kb/s"}}},
        {"flow.cells.traffic.poisson.rate": "212 kb/s"},  # load 1
        {"flow.cells.access": {"rate": "1 Mb/s"}},
        {"flow.other": OTHER},
        {"flow.other": {**OTHER, "traffic": {"poisson": {"rate": "10 kb/s"}}, "octets": 100}},
        {"line.server.queues": [{"unlimited": {}}, {"unlimited": {}}]},
        {"line.server.queues": [{"drop_tail_bits": {"size": "1 kB"}}]},
        {"line.server.outage": {"from": "1 s", "to": "2 s"}},
        {"line.server.congestion_point": {"class_rates": {"interval": "50 ms"}}},
        {"scheme": "becn"},
        {"line.before": {"between": ["z", "a"], "rate": "1 Mb/s"}, "flow.cells.path": ["z", "a", "b"]},
    ],
    ids=["constant", "full", "access", "other", "sizes", "priorities", "bits", "outage", "control", "scheme", "behind"],
)
def test_no_md1_without_all_it_needs(changes: Changes) -> None:
    rows = [row for row in rows_of(QUEUE, changes) if row.of != "before"]
    assert not [row for row in rows if row.theory.startswith("M/D/1")]


@pytest.mark.parametrize(
    "changes",
    [
        {"line.server.queues": [{"drop_tail": {"size": "50 cells"}}]},
        {"flow.cells.traffic.poisson.rate": "213 kb/s"},
        {
            "flow.cells.policers": [
                {"leaky_bucket": {"depth": "5 cells", "drain": "100 kb/s", "nonconforming": "discard"}}
            ]
        },
        {"flow.cells.access": {"rate": "150 kb/s"}},
        {"flow.other": {**OTHER, "traffic": {"cbr": {"rate": "10 kb/s", "start": "10 s"}}}},
        {"flow.other": {**OTHER, "traffic": {"on_off": {"session": {}}}}},
        {"flow.other": {**OTHER, "traffic": {"file_transfer": {}}}},
        {"flow.other": {**OTHER, "traffic": {"on_off": {"first": "gap", "peak_rate": "1 kb/s"}}}},
        {"scheme": "becn"},
    ],
    ids=["finite", "overload", "policed", "narrow access", "late", "sessions", "files", "gaps", "scheme"],
)
def test_no_utilisation_without_all_it_needs(changes: Changes) -> None:
    assert not [row for row in rows_of(QUEUE, changes) if row.theory == "utilisation"]


def test_utilisation_of_every_line_on_a_path() -> None:
    rows = rows_of(METERED, {"flow.bursts.policers": None, "flow.bursts.traffic.on_off.peak_rate": "200 kb/s"})
    assert found(rows, "utilisation") == {
        ("entry", "utilisation"): pytest.approx(0.03),
        ("server", "utilisation"): pytest.approx(300 / 424),
    }


def test_max_min_shares() -> None:
    # The second line gives 13.5 Mb/s to each of its two; the short ones share 54 - 13.5 on the first.
    rows = rows_of(GREEDY)
    assert found(rows, "max-min") == {
        ("long", "rate of one flow (b/s)"): pytest.approx(13.5e6),
        ("short", "rate of one flow (b/s)"): pytest.approx(20.25e6),
        ("end", "rate of one flow (b/s)"): pytest.approx(13.5e6),
    }
    assert all(row.measured.mean == pytest.approx(row.truth, rel=1e-3) for row in rows)
    erica = {"erica": {"target": 0.8, "delta": 0.0, "interval": {"time": "10 ms"}}}
    changed = rows_of(GREEDY, {f"line.{name}.congestion_point": erica for name in ("first", "second")})
    assert found(changed, "max-min")["long", "rate of one flow (b/s)"] == pytest.approx(12e6)
    peak = rows_of(GREEDY, {"flow.end.reaction_point.explicit_rate.peak": "5 Mb/s"})
    assert found(peak, "max-min")["long", "rate of one flow (b/s)"] == pytest.approx(18e6)  # 54 in three


@pytest.mark.parametrize(
    "changes",
    [
        {"line.first.congestion_point": {"erica": {"target": 0.9, "delta": 0.0}}},
        {f"line.{name}.congestion_point": {"erica": {}} for name in ("first", "second")},
        {f"line.{name}.congestion_point": {"phantom": {}} for name in ("first", "second")},
        {f"line.{name}.congestion_point": {"constant_grant": {"rate": "5 Mb/s"}} for name in ("first", "second")},
        {"flow.end.reaction_point.explicit_rate.minimum": "1 Mb/s"},
        {"flow.end.reaction_point": {"tm40": {}}},
        {"flow.end.traffic.greedy.start": "1 s"},
        {"flow.end.path": ["c", "b"]},
        {"flow.other": {"path": ["b", "c"], "traffic": {"cbr": {"rate": "1 Mb/s"}}}},
        {"line.second.outage": {"from": "1 s", "to": "2 s"}},
        {"line.second.reverse": None},
    ],
    ids=["mixed", "delta", "phantom", "grant", "minimum", "tm40", "start", "opposite", "constant", "outage", "reverse"],
)
def test_no_max_min_without_all_it_needs(changes: Changes) -> None:
    assert not found(rows_of(GREEDY, changes), "max-min")


def test_bounds_of_constant_flows() -> None:
    # Twenty cells at most at once, on a line of one cell a millisecond.
    rows = rows_of(CONSTANT, replications=5)
    assert found(rows, "network calculus") == {
        ("server", "longest queue (PDUs)"): 20,
        ("steady", "largest delay (s)"): pytest.approx(0.021),
    }
    assert all(holds(row) for row in rows if row.theory == "network calculus")


def test_bounds_behind_a_meter() -> None:
    # 1 + 45 / 5 = 10 cells of each of three; 3 x 200 cells per second are less than 1000.
    rows = rows_of(METERED, replications=5)
    assert found(rows, "network calculus") == {("server", "longest queue (PDUs)"): 30}
    assert all(map(holds, rows))
    largest = next(row.measured.mean for row in rows)
    assert largest > 10  # so the bound says something


@pytest.mark.parametrize(
    "changes",
    [
        {"flow.bursts.policers": [{"gcra": {"increment": "5 ms", "limit": "45 ms"}}]},
        {"flow.bursts.policers": [{"gcra": {"increment": "2 ms", "limit": "8 ms", "nonconforming": "discard"}}]},
        {"flow.bursts.policers": None},
        {"line.server.queues": [{"unlimited": {}}, {"unlimited": {}}]},
        {"line.last": {"between": ["c", "d"], "rate": "424 kb/s"}, "flow.bursts.path": ["a", "b", "c", "d"]},
        {"flow.other": {"path": ["b", "c"], "traffic": {"poisson": {"rate": "1 kb/s"}}}},
        {"flow.other": {"path": ["b", "c"], "traffic": {"cbr": {"rate": "1 kb/s"}}, "octets": 100}},
    ],
    ids=["marking", "overload", "no meter", "priorities", "further", "poisson", "sizes"],
)
def test_no_bounds_without_all_they_need(changes: Changes) -> None:
    rows = rows_of(METERED, changes)
    wanted = {("server", "longest queue (PDUs)")} if "line.last" in changes else set()
    assert set(found(rows, "network calculus")) == wanted


@pytest.mark.parametrize("name", ["satellite/1-case-2", "abr/gfc-2-phantom", "abr/satellite-crm-32"])
def test_nothing_about_controlled_networks(name: str) -> None:
    assert theory(penstock.run(Scenario.load(name).with_({"duration": "1 s", "warm_up": "0 s"}))) == []


@pytest.mark.parametrize("name", sorted(ready()))
def test_every_ready_scenario_can_be_read(name: str) -> None:
    """Nothing in a scenario is unknown to a theory or to admission. The first benchmark is an M/D/1 queue."""
    scenario = Scenario.load(name)
    tables = {table: pl.DataFrame(own) for table, own in scenario.blank_tables().items()}
    scene = Scene(scenario.expanded().tree, tables["groups"], tables["ports"])
    covered = {row.theory for kind in KINDS for row in kind.rows(scene)}
    assert covered == ({"utilisation", "M/D/1"} if name == "bench/w1" else set())
    found, without = needs(scenario)
    assert {group for need in found for group in need.left_out} | set(without) <= set(scenario.expanded().tree["flow"])


def test_a_summary_and_a_page_show_it(capsys: pytest.CaptureFixture[str]) -> None:
    scenario = Scenario.parse(QUEUE, name="queue")
    result = penstock.run(scenario, replications=3)
    told = summary(result)["theory"]
    assert [row["theory"] for row in told] == ["utilisation", "M/D/1", "M/D/1"]
    print_summary(result)
    printed = capsys.readouterr().out
    assert "Theory\n" in printed
    assert "Poisson arrivals of one size, at one queue" in printed
    (table,) = [table for table in page_of(scenario, result, [], "").sections[1].tables if table.title == "Theory"]
    assert len(table.rows) == 3


def test_one_table_of_max_min_shares(capsys: pytest.CaptureFixture[str]) -> None:
    print_summary(penstock.run(Scenario.parse(GREEDY)))
    printed = capsys.readouterr().out
    assert "max-min" in printed
    assert "fair share of the lines" not in printed


def test_the_command_shows_it(penstock: Command, tmp_path_factory: pytest.TempPathFactory) -> None:
    file = tmp_path_factory.mktemp("queue") / "queue.toml"
    file.write_text(QUEUE, encoding="utf-8")
    assert "M/D/1" in penstock("run", file).stdout


def test_bounds_have_no_interval() -> None:
    result: Result = penstock.run(Scenario.parse(CONSTANT), replications=3)
    row = next(row for row in theory(result) if row.relation == "<=")
    assert row.measured == Estimate(row.measured.mean, None, None, 3)
