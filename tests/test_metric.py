"""Metrics: every column has a kind, and its estimate respects its bounds."""

from __future__ import annotations

import polars as pl
import pytest

from penstock import Results, Scenario, Sweep
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


@pytest.fixture(scope="module")
def lossy(tmp_path_factory: pytest.TempPathFactory) -> Results:
    """Short bursts over a short queue, so that values of replications differ greatly."""
    axes = [{"line.trunk.rate": ["1 Mb/s", "100 Mb/s"]}]
    return Sweep(Scenario.parse(LOSSY), axes, replications=4).run(tmp_path_factory.mktemp("lossy"))


def test_every_column_that_can_be_a_metric_has_a_kind() -> None:
    tables = {name: pl.DataFrame(columns) for name, columns in Scenario.parse(LOSSY).blank_tables().items()}
    numeric = {name for table in NAMES for name, kind in tables[table].schema.items() if kind.is_numeric()}
    assert numeric == set(KINDS)
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


@pytest.mark.parametrize("name", sorted(KINDS))
def test_no_interval_has_impossible_values(lossy: Results, name: str) -> None:
    each = metric(name, Scenario.parse(LOSSY))
    for found in estimates(each, lossy):
        if found.estimate is None or found.estimate.low is None or found.estimate.high is None:
            assert found.estimate is None or found.estimate.count < LEAST
            continue
        least = 1 / 3 if each.kind.members else 0.0
        assert least <= found.estimate.low <= found.estimate.mean <= found.estimate.high <= each.kind.high
