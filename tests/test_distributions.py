"""Distributions of times and sizes in scenario files: one definition for every traffic model."""

from __future__ import annotations

import pytest

from penstock import InputError, Scenario, run

NET = """
duration = "60 s"
[line.trunk]
between = ["a", "b"]
rate = "10 Mb/s"
[flow.data]
count = 50
path = ["a", "b"]
"""
LAWS = [
    ("constant", "40 kbit", 40_000),
    ("exponential", "40 kbit", 40_000),
    ("uniform", "40 kbit", 40_000),
    ("uniform", {"from": "10 kbit", "to": "30 kbit"}, 20_000),
    ("pareto", {"mean": "40 kbit", "shape": 3}, 40_000),
    ("lognormal", {"mean": "40 kbit", "variation": 0.5}, 40_000),
    ("weibull", {"mean": "40 kbit", "shape": 0.8}, 40_000),
    ("empirical", {"values": ["4 kbit", "40 kbit"], "weights": [1, 3]}, 31_000),
]


@pytest.mark.parametrize(("law", "parameters", "mean_bits"), LAWS)
def test_files_have_the_mean_size_of_their_distribution(law: str, parameters: object, mean_bits: float) -> None:
    scenario = Scenario.parse(NET + 'traffic.file_transfer = { rate = "400 kb/s", idle = { constant = "100 ms" } }')
    scenario = scenario.with_({"flow.data.traffic.file_transfer.size": {law: parameters}})
    assert Scenario.parse(scenario.to_toml()) == scenario
    group = run(scenario).groups.row(0, named=True)
    # A file has half a cell more on average. About 15,000 files with a variation of at most 1.3: 5 standard errors.
    bits = group["sent"] * 424 / (group["transfers"] + group["transfers_unfinished"] / 2)
    assert bits == pytest.approx(mean_bits + 212, rel=0.06)


def test_a_time_as_text_is_exponential_as_before() -> None:
    plain = Scenario.parse(NET + 'traffic.on_off = { on = "300 ms" }')
    assert plain.tree["flow"]["data"]["traffic"]["on_off"]["on"] == "0.3 s"
    assert plain.tree["flow"]["data"]["traffic"]["on_off"]["off"] == "0.5 s"
    table = plain.with_({"flow.data.traffic.on_off.on": {"exponential": "300 ms"}})
    other = plain.with_({"flow.data.traffic.on_off.on": {"weibull": {"mean": "300 ms", "shape": 0.5}}})
    flows = [run(scenario).flows for scenario in (plain, table, other)]
    assert flows[0].equals(flows[1])
    assert not flows[0].equals(flows[2])


@pytest.mark.parametrize(
    ("traffic", "said"),
    [
        ('on_off = { on = { pareto = { mean = "1 s", shape = 1 } } }', "on_off.on.pareto.shape = 1: this is out of"),
        ('on_off = { on = { pareto = { mean = "1 s" } } }', "traffic.on_off.on.pareto"),
        ('on_off = { on = { gamma = "1 s" } }', "there is no keyword `gamma`"),
        ("on_off = { on = 3 }", "3 needs a unit"),
        (
            'on_off = { off = { uniform = { from = "2 s", to = "1 s" } } }',
            "uniform.to = 1 s: the range begins at 2 s",
        ),
        (
            "file_transfer = { size = { empirical = { values = [] } } }",
            "empirical.values = 0 values: a table has 1",
        ),
        ('file_transfer = { size = { pareto = "1 s" } }', "is not an amount of data"),
        ('on_off = { on = { constant = "0 s" } }', "on_off.on = 0 s: the source would never send"),
    ],
)
def test_bad_distributions_are_refused_with_their_path(traffic: str, said: str) -> None:
    with pytest.raises(InputError) as refusal:
        Scenario.parse(f"{NET}traffic.{traffic}")
    assert said in str(refusal.value)


def test_gap_reports_need_files_of_one_size() -> None:
    text = f"{NET}notification_point.gap_report = {{}}\ntraffic.file_transfer = {{ size = {{ pareto = '1 Mbit' }} }}"
    with pytest.raises(InputError, match="it reports gaps in files of one size"):
        Scenario.parse(text)
