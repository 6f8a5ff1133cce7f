"""The readings of a time series: each declares its unit and its range, and the series has no others."""

import polars as pl
import pytest

from penstock.api.run import run
from penstock.core.scenario import Scenario


@pytest.mark.parametrize(
    ("name", "sample", "expected"),
    [
        (
            "satellite/3-case-2",
            "500 ms",
            {"factor": ("", None), "filtered.total": ("", None), "queue_0": ("PDUs", None)},
        ),
        ("abr/gfc-2-erica", "1 ms", {"fair_share": ("b/s", None), "load_factor": ("", None), "rate": ("b/s", None)}),
        (
            "atn/decbit",
            "20 s",
            {"average_queue": ("PDUs", None), "credit": ("PDUs", None), "queue_bits": ("bits", None)},
        ),
        ("atm_lan/figure-4", "1 ms", {"level": ("", None), "notices": ("", None), "utilisation": ("", 1.0)}),
        (
            "abr/lan-congested-reverse",
            "1 ms",
            {"acr": ("b/s", None), "acr.mean": ("b/s", None), "unack": ("PDUs", None)},
        ),
    ],
)
def test_each_reading_declares_its_unit_and_range(
    name: str, sample: str, expected: dict[str, tuple[str, float | None]]
) -> None:
    scenario = Scenario.load(name).with_({"measure": {"sample": sample, "sample_flows": True}})
    declared = {(one.component, one.quantity): one for one in scenario.readings()}
    for quantity, (unit, most) in expected.items():
        assert {(one.unit, one.most) for one in declared.values() if one.quantity == quantity} == {(unit, most)}
    series = run(scenario.with_({"duration": scenario.tree["measure"]["sample"], "warm_up": "0 s"})).series
    assert set(series.select("component", "quantity").iter_rows()) == set(declared)
    assert series.filter(pl.col("value") < 0).is_empty()
    bounded = {key: one.most for key, one in declared.items() if one.most is not None}
    for component, quantity, value in series.select("component", "quantity", "value").iter_rows():
        assert value <= bounded.get((component, quantity), value) * (1 + 1e-9)
