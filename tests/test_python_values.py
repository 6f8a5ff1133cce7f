"""What Python code may give: files, dicts, ranges, and the values of NumPy and polars."""

from __future__ import annotations

from pathlib import Path
from types import MappingProxyType

import numpy as np
import polars as pl
import pytest

import penstock
from penstock import InputError, Scenario, Simulation, Sweep, run

COUNT = "flow.steady.count"


def test_a_run_takes_a_file_a_name_or_a_dict(small: Scenario, small_file: Path) -> None:
    expected = penstock.run(small).groups
    for source in (small_file, str(small_file), small.tree, MappingProxyType(small.tree)):
        assert penstock.run(source).groups.equals(expected)
    assert penstock.run(small_file).manifest["name"] == str(small_file)
    assert Scenario.of("satellite/1-case-2") == Scenario.load("satellite/1-case-2")


@pytest.mark.parametrize(
    ("source", "told"),
    [
        ("no-such-file.toml", "no such file"),
        ("duration = '1 s'\n[line.a]", "read a text with Scenario.parse"),
        (7, "this is a int; give a Scenario, the name of a file"),
        ({"duration": "1 s", "lines": {}}, "lines"),
        ({"duration": {1, 2}}, "scenario: a value must be text"),
    ],
)
def test_what_is_no_scenario_is_refused(source: object, told: str) -> None:
    with pytest.raises(InputError, match=told):
        penstock.run(source)  # type: ignore[arg-type]


def test_numbers_of_numpy(small: Scenario) -> None:
    result = penstock.run(small.with_({COUNT: np.int64(3)}), seed=np.int64(5), replications=np.int32(2))  # type: ignore[arg-type]
    assert result.manifest["seed"] == 5
    assert result.groups.filter(group="steady")["flows"].to_list() == [3, 3]
    for seed in (np.float64(5.0), 5.0, True, "5"):
        with pytest.raises(InputError, match=r"seed = .*not a whole number"):
            penstock.run(small, seed=seed)  # type: ignore[arg-type]


@pytest.mark.parametrize("values", [range(1, 4), np.arange(1, 4), [np.int16(1), 2, 3], (1, 2, 3), pl.Series([1, 2, 3])])
def test_an_axis_takes_any_sequence(small: Scenario, values: object) -> None:
    sweep = Sweep(small, [{COUNT: values}])
    assert [point.parameters[COUNT] for point in sweep.points] == [1, 2, 3]


def test_each_entry_of_a_dict_is_an_axis(small: Scenario, small_file: Path) -> None:
    axes = {COUNT: range(1, 4), "line.trunk.rate": ["2 Mb/s", "3 Mb/s"]}
    crossed = Sweep(small, [{path: values} for path, values in axes.items()])
    assert list(Sweep(small_file, axes).points) == list(crossed.points)
    assert len(crossed.points) == 6


@pytest.mark.parametrize("axes", [COUNT, [COUNT], 3, [[COUNT, [1, 2]]]])
def test_what_is_no_axis_is_refused(small: Scenario, axes: object) -> None:
    with pytest.raises(InputError, match=r"sweep.axis\[0\] = .*this is no axis; give for each axis a dict"):
        Sweep(small, axes)  # type: ignore[arg-type]


def test_a_sweep_tells_whether_it_is_complete(small: Scenario, tmp_path: Path) -> None:
    results = Sweep(small.with_({"duration": "10 ms"}), {COUNT: [1, 2]}).run(tmp_path)
    assert results.is_complete is True


def test_a_comparison_takes_files(small: Scenario, small_file: Path, tmp_path: Path) -> None:
    names = {"file": small_file, "dict": small.tree}
    results = penstock.compare(names, tmp_path / "out", replications=np.int64(2))  # type: ignore[arg-type]
    assert results.about["details"]["replications"] == 2
    with pytest.raises(InputError, match="scenarios: the scenarios have no names"):
        penstock.compare([small_file, small_file], tmp_path / "list")  # type: ignore[arg-type]


def test_a_dict_is_a_scenario(small: Scenario) -> None:
    assert Scenario(small.tree) == small
    assert Scenario(small.tree).name == ""
    with pytest.raises(InputError, match="duration"):
        Scenario({"duration": "1 parsec"})


@pytest.mark.parametrize("until", [1, 1.0, np.float64(1.0), np.int64(1), "1 s", "1000 ms"])
def test_a_number_is_a_time_in_seconds(small: Scenario, until: float) -> None:
    sim = Simulation(small)
    sim.run_until(until)
    assert sim.now_ps == 10**12


def test_a_number_is_an_exact_time(small: Scenario) -> None:
    sim = Simulation(small)
    sim.run_until(0.1)
    assert sim.now_ps == 10**11
    sim.change({"line.trunk.rate": "1 Mb/s"}, at=0.3)
    sim.run_until(lambda one: one.now_s > 0.5, every=1e-3)
    assert 0.5 < sim.now_s <= 0.502
    for wrong in (True, float("nan"), -1, "soon"):
        with pytest.raises(InputError):
            sim.run_until(wrong)


def test_a_word_that_begins_a_name_is_understood(small: Scenario) -> None:
    with pytest.raises(InputError, match=r'did you mean "loss_ratio"\?'):
        run(small).plot("loss")


def test_the_public_names_are_listed_alone() -> None:
    assert dir(penstock) == sorted(penstock.__all__)
    assert {"scenarios", "schemes", "networks"} <= set(dir(penstock))
    assert penstock.scenarios()["satellite/1-case-2"]
    assert penstock.schemes()["erica"].meaning
    assert penstock.networks()["dumbbell"]


def test_a_scenario_without_a_title_is_called_by_what_it_has(small: Scenario, tmp_path: Path) -> None:
    named = Scenario({"duration": "1 s", "network": {"dumbbell": {"pairs": 2, "rate": "1 Mb/s", "delay": "1 ms"}}})
    assert (named.label, small.label) == ("dumbbell", "Two groups on one line")
    assert Scenario({key: value for key, value in small.tree.items() if key != "title"}).label == "random, steady"
    for card in (named._repr_html_(), run(named)._repr_html_(), Simulation(named)._repr_html_()):
        assert "<b>dumbbell</b>" in card
    sweep = Sweep(small, {"flow.steady.count": [1, 2, 3]}, replications=2)
    assert repr(sweep) == "<Sweep 'Two groups on one line' over flow.steady.count: 3 points, 2 replications each>"
    results = sweep.run(tmp_path / "out", tell=lambda _state: None)
    assert repr(results) == f"<Results of the sweep 'small' in '{tmp_path / 'out'}': 6 of 6 runs>"
