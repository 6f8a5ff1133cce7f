"""Scenarios: read, complete, equal, changed, written."""

import copy
import json
import pickle
from pathlib import Path

import pytest

from penstock import InputError, Scenario, schema
from penstock.scenario import parse_value, ready


def test_a_file_and_its_text_are_the_same_scenario(small: Scenario, small_file: Path) -> None:
    loaded = Scenario.load(small_file)
    assert loaded == small
    assert hash(loaded) == hash(small)
    assert loaded.name == str(small_file)


def test_the_order_of_a_file_does_not_matter(small: Scenario, small_text: str) -> None:
    head, line, steady, other = small_text.split("\n\n")
    assert Scenario.parse("\n\n".join([head, other, steady, line])) == small


def test_defaults_are_written_out(small: Scenario) -> None:
    assert small.tree["measure"]["jitter_limit"] == "20 ms"
    assert small.tree["flow"]["random"]["count"] == 1
    assert Scenario.parse(small.to_toml()) == small
    assert json.loads(small.to_json()) == small.tree


def test_the_tree_is_a_copy(small: Scenario) -> None:
    small.tree["flow"].clear()
    assert set(small.tree["flow"]) == {"steady", "random"}


def test_with_changes_values_and_leaves_the_original(small: Scenario) -> None:
    changed = small.with_({"flow.steady.count": 7, "line.trunk.queues[0].drop_tail.size": "9 cells", "duration": "3 s"})
    assert changed.tree["flow"]["steady"]["count"] == 7
    assert changed.tree["line"]["trunk"]["queues"][0]["drop_tail"]["size"] == "9 PDUs"
    assert small.tree["flow"]["steady"]["count"] == 2
    assert changed != small
    assert small.with_({}) == small


def test_with_checks_all_changes_together(small: Scenario) -> None:
    renamed = small.with_(
        {"line.trunk.between": ["left", "middle"], "flow.steady.path": ["left", "middle"], "flow.random": None}
    )
    assert list(renamed.tree["flow"]) == ["steady"]


def test_with_sets_and_removes_optional_values(small: Scenario) -> None:
    sampled = small.with_({"measure.sample": "100 ms"})
    assert sampled.tree["measure"]["sample"] == "0.1 s"
    assert sampled.with_({"measure.sample": None}) == small


@pytest.mark.parametrize(
    ("path", "value", "words"),
    [
        ("flow.stedy.count", 3, ['there is no "stedy"', 'did you mean "steady"?']),
        ("flow.steady.cuont", 3, ["cuont", "did you mean `count`?"]),
        ("flow.steady.path[7]", "x", ["2 entries"]),
        ("flow.steady.count.deep", 1, ['"deep"', "the value 2"]),
        ("line.trunk.queues.drop_tail", 1, ["as [0]"]),
        ("", 1, ["no path"]),
        ("flow..count", 1, ["no path"]),
        ("[0]", 1, ["no path"]),
        ("flow.steady.count", 1.5, ["flow.steady.count"]),
        ("flow.steady.count", -1, ["flow.steady.count"]),
        ("flow.steady.count", {1, 2}, ["no text, number, boolean"]),
        ("flow.steady.count", float("nan"), ["no text, number, boolean"]),
        ("duration", "5 parsecs", ["duration", "5 parsecs"]),
    ],
)
def test_with_refuses(small: Scenario, path: str, value: object, words: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        small.with_({path: value})
    for word in words:
        assert word in str(raised.value)
    assert "\n" not in str(raised.value)


def test_an_error_knows_file_line_path_value_and_remedy(small_text: str) -> None:
    text = small_text.replace("count = 2", "cuont = 2")
    with pytest.raises(InputError) as raised:
        Scenario.parse(text, name="mine.toml")
    error = raised.value
    assert (error.file, error.line) == ("mine.toml", 1 + text[: text.index("cuont")].count("\n"))
    assert error.path == "flow.steady.cuont"
    assert "`count`" in error.remedy
    assert str(error).startswith("mine.toml, line 11: flow.steady.cuont")


def test_an_error_found_across_parts_knows_its_line_too(small_text: str) -> None:
    text = small_text.replace(
        'path = ["left", "right"]\ntraffic.poisson', 'path = ["left", "nowhere"]\ntraffic.poisson'
    )
    with pytest.raises(InputError) as raised:
        Scenario.parse(text, name="mine.toml")
    assert raised.value.path.startswith("flow.random.path")
    assert raised.value.line == 1 + text[: text.index("nowhere")].count("\n")


def test_scenarios_and_errors_travel_between_processes(small: Scenario) -> None:
    assert pickle.loads(pickle.dumps(small)) == small
    assert copy.copy(small) == small
    error = InputError("why", path="a.b", value="3", remedy="do that", file="f", line=4)
    again = pickle.loads(pickle.dumps(error))
    assert str(again) == str(error) == "f, line 4: a.b = 3: why; do that"
    assert again.line == 4


def test_repr_names_what_matters(small: Scenario) -> None:
    assert repr(small) == "<Scenario 'small': 2 s; 1 random, 2 steady>"


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("88", 88),
        ("0.9", 0.9),
        ("true", True),
        ('"270 ms"', "270 ms"),
        ("270 ms", "270 ms"),
        ("6 Mb/s", "6 Mb/s"),
        ('["a", "b"]', ["a", "b"]),
        ("{ a = 1 }", {"a": 1}),
        ("1\nother = 2", "1\nother = 2"),
        ("", ""),
        ("[" * 5000, "[" * 5000),
    ],
)
def test_values_of_the_command_line(text: str, value: object) -> None:
    assert parse_value(text) == value


@pytest.mark.parametrize("name", ready())
def test_ready_scenarios_are_sound_and_titled(name: str) -> None:
    scenario = Scenario.load(name)
    assert scenario.title
    assert scenario.name == name
    assert Scenario.parse(scenario.to_toml()) == scenario


def test_a_file_goes_before_a_ready_scenario(
    small: Scenario, small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bench").mkdir()
    small_file.rename(tmp_path / "bench" / "w1")
    monkeypatch.chdir(tmp_path)
    assert Scenario.load("bench/w1") == small


def test_the_schema_is_a_json_schema() -> None:
    assert {"duration", "flow", "line"} <= set(schema()["properties"])
