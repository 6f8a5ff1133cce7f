"""Metrics: every column has a kind, and its estimate respects its bounds."""

from __future__ import annotations

import polars as pl
import pytest

from penstock import InputError, Results, Scenario, Sweep
from penstock.analyse.condition import condition
from penstock.analyse.estimates import estimates
from penstock.analyse.metric import KINDS, NAMES, metric
from penstock.statistics import LEAST

LOSSY = """
duration = "200 ms"
[line.trunk]
between = ["a", "b"]
rate = "1 Mb/s"
queues = [{ drop_tail = { size = "4 cells" } }]
[flow.bursts]
path = ["a", "b"]
count = 3
traffic.on_off = { peak_rate = "900 kb/s", on = "20 ms", off = "60 ms" }
"""
MESSAGES = """
duration = "1 s"
scheme = "cubic"
[defaults.flow]
path = ["a", "b"]
octets = 1000
[line.trunk]
between = ["a", "b"]
rate = "2 Mb/s"
delay = "5 ms"
queues = [{ drop_tail = { size = "40 PDUs" } }]
[flow.web]
traffic.messages = { arrivals.poisson.every = "20 ms", sizes = "2 kB" }
[flow.bulk]
traffic.messages = { arrivals.periodic.every = "1 s", sizes = "1 MB" }
"""


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Short bursts over a short queue, so that values of replications differ greatly."""
    axes = [{"line.trunk.rate": ["1 Mb/s", "100 Mb/s"]}]
    return Sweep(Scenario.parse(LOSSY), axes, replications=4).run(tmp_path_factory.mktemp("lossy"))


def test_every_column_that_can_be_a_metric_has_a_kind() -> None:
    tables = {name: pl.DataFrame(columns) for name, columns in Scenario.parse(LOSSY).blank_tables().items()}
    numeric = {name for table in NAMES for name, kind in tables[table].schema.items() if kind.is_numeric()}
    assert numeric - set(KINDS) == {"above_octets", "up_to_octets", "slowdown_p50", "slowdown_p99"}
    assert set(KINDS) < numeric
    for kind in KINDS.values():
        assert set(kind.columns.values()) <= numeric


def test_a_ratio_is_estimated_from_the_counts(lossy: Results) -> None:
    found, never = estimates(metric("loss_ratio", Scenario.parse(LOSSY)), lossy)
    lost, sent, mean = (
        lossy.table("groups").filter(point=0).select(pl.sum("lost"), pl.sum("sent"), pl.mean("loss_ratio")).row(0)
    )
    assert found.estimate is not None
    assert found.estimate.mean == pytest.approx(lost / sent)
    assert found.estimate.mean != pytest.approx(mean, rel=1e-3)
    assert never.events == 0
    assert never.estimate is not None
    assert (never.estimate.mean, never.estimate.low) == (0, 0)
    assert 0 < (never.estimate.high or 0) < 0.1


@pytest.fixture(scope="module")
def messages(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Messages of two groups: many short ones, and one in each run that is unfinished at its end."""
    return Sweep(Scenario.parse(MESSAGES), {"line.trunk.rate": ["2 Mb/s"]}, replications=4).run(
        tmp_path_factory.mktemp("messages")
    )


def test_a_metric_of_messages_is_of_all_lengths(messages: Results) -> None:
    own = metric("web.fct_p50_s", Scenario.parse(MESSAGES))
    table = messages.table("messages").filter(pl.col("class") == "all")
    assert own.values(messages)["value"].to_list() == table.filter(group="web")["fct_p50_s"].to_list()
    assert str(condition("web.fct_p50_s > 400 ms", Scenario.parse(MESSAGES), "--until")) == "web.fct_p50_s > 400 ms"


def test_a_quantile_that_an_unfinished_message_leaves_open_is_its_age(messages: Results) -> None:
    own = metric("bulk.fct_p99_s", Scenario.parse(MESSAGES))
    table = messages.table("messages").filter((pl.col("class") == "all") & (pl.col("group") == "bulk"))
    assert table["fct_p99_s"].null_count() == 4
    assert own.values(messages)["value"].to_list() == table["unfinished_age_max_s"].to_list()


def test_a_scenario_without_messages_has_no_metric_of_them() -> None:
    with pytest.raises(InputError, match=r"no flows of the scenario send messages"):
        metric("bursts.fct_p99_s", Scenario.parse(LOSSY))


@pytest.mark.parametrize("name", sorted(KINDS))
def test_no_interval_has_impossible_values(lossy: Results, messages: Results, name: str) -> None:
    is_of_messages = name in pl.DataFrame(Scenario.parse(MESSAGES).blank_tables()["messages"]).columns
    if is_of_messages:
        lossy = messages
    each = metric(name, Scenario.parse(MESSAGES if is_of_messages else LOSSY))
    for found in estimates(each, lossy):
        if found.estimate is None or found.estimate.low is None or found.estimate.high is None:
            assert found.estimate is None or found.estimate.count < LEAST
            continue
        least = 1 / 3 if each.kind.members else 0.0
        assert least <= found.estimate.low <= found.estimate.mean <= found.estimate.high <= each.kind.high
