"""Scenarios: read, complete, equal, changed, written."""

import copy
import json
import pickle
from pathlib import Path

import pytest

import penstock
from penstock import InputError, Scenario, Sweep, _engine, schema
from penstock.core.scenario import ready
from penstock.core.settings import parse_value


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


def test_a_star_is_every_entry_in_which_the_path_has_a_place(small: Scenario) -> None:
    spur = {**small.tree["line"]["trunk"], "between": ["right", "far"], "queues": [{"push_out": {"size": "7 cells"}}]}
    two = small.with_({"line.spur": spur})
    assert [line["delay"] for line in two.with_({"line.*.delay": "3 ms"}).tree["line"].values()] == ["3 ms"] * 2
    queues = {
        name: line["queues"]
        for name, line in two.with_({"line.*.queues[*].drop_tail.size": "9 cells"}).tree["line"].items()
    }
    assert queues["trunk"] == [{"drop_tail": {"size": "9 PDUs"}}]
    assert queues["spur"] == two.tree["line"]["spur"]["queues"]
    every = two.with_({"flow.*": small.tree["flow"]["steady"]}).tree["flow"]
    assert every["random"] == every["steady"] == small.tree["flow"]["steady"]


def test_a_key_with_dots_is_named_in_quotes_or_as_an_error_shows_it(small_text: str) -> None:
    scenario = Scenario.parse(
        small_text.replace("[flow.steady]", '[flow."a.b[1]"]') + SWEEP.replace("steady", "random")
    )
    for path in ('flow."a.b[1]".count', "flow.a.b[1].count", "flow.*.count"):
        assert scenario.with_({path: 9}).tree["flow"]["a.b[1]"]["count"] == 9
    with pytest.raises(InputError) as raised:
        scenario.with_({"sweep.axis[0].flow.random.count": []})
    assert scenario.with_({raised.value.path: [1, 2, 3]}).tree["sweep"]["axis"][0]["flow.random.count"] == [1, 2, 3]


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
        ("line.*.queues[0].push_out.size", "9 cells", ['"drop_tail" is chosen', "line.trunk.queues[0]={push_out={}}"]),
        ("line.trunk.queues[0].push_oot.size", "9 cells", ['there is no "push_oot"', "there are drop_tail"]),
        ("line.trunk.queues[0].becn.threshold", "9 cells", ['there is no "becn"', "there are drop_tail"]),
        ("flow.steady.reaction_point.stop.discards", 1, ["there is no key `discards`", "known here: pause"]),
        ("flow.steady.reactionpoint.stop.discards", 1, ['there is no "reactionpoint"']),
        ("flow.steady.traffic.greedy.start", "1 s", ['"cbr" is chosen', "traffic={greedy={}}"]),
        ("flow.steady.count.*", 1, ['there is no "*"', "the value 2"]),
        ("", 1, ["not a path"]),
        ("flow.[0]", 1, ["not a path"]),
        ("flow.steady.path[x]", 1, ["not a path"]),
        ("flow..count", 1, ["not a path"]),
        ('flow."steady', 1, ["not a path"]),
        ("flow.\udc80.count", 1, ['there is no "?"']),
        ("[0]", 1, ["not a path"]),
        ("flow.steady.count", 1.5, ["flow.steady.count"]),
        ("flow.steady.count", -1, ["flow.steady.count"]),
        ("flow.steady.count", {1, 2}, ["text, a number, a boolean"]),
        ("flow.steady.count", float("nan"), ["text, a number, a boolean"]),
        ("duration", "5 parsecs", ["duration", "5 parsecs"]),
    ],
)
def test_with_refuses(small: Scenario, path: str, value: object, words: list[str]) -> None:
    with pytest.raises(InputError) as raised:
        small.with_({path: value})
    for word in words:
        assert word in str(raised.value)
    assert "\n" not in str(raised.value)


def test_the_remedy_of_a_choice_that_is_not_there_works() -> None:
    scenario = Scenario.load("atn/scenario-b")
    with pytest.raises(InputError) as raised:
        scenario.with_({"flow.data.transport.tp4.credit.congestion_avoidance.initial": 2})
    path, _, value = raised.value.remedy.partition('--set "')[2].rstrip('"').partition("=")
    chosen = scenario.with_({path: parse_value(value)}).tree["flow"]["data"]["transport"]["tp4"]["credit"]
    assert list(chosen) == ["congestion_avoidance"]


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
    assert {"duration", "flow", "line", "defaults"} <= set(schema()["properties"])


SWEEP = """
[sweep]
replications = 3
precision = { loss_ratio = 0.1, "random.delay_mean_s" = 0.05 }
metrics = ["loss_ratio"]

[[sweep.axis]]
"flow.steady.count" = { from = 1, to = 5, step = 2 }
"flow.random.traffic.poisson.rate" = ["1 Mb/s", "500 kb/s", "250 kb/s"]

[[sweep.axis]]
"line.trunk.queues[0].drop_tail.size" = { from = "10 cells", to = "25 cells", step = "5 cells" }
"""


def test_a_sweep_is_kept_and_expanded(small: Scenario, small_text: str) -> None:
    scenario = Scenario.parse(small_text + SWEEP)
    assert (scenario.tree["sweep"]["seed"], scenario.tree["sweep"]["most_replications"]) == (1, 100)
    assert Scenario.parse(scenario.to_toml()) == scenario
    assert scenario.with_({"sweep": None}) == small
    points = scenario.points()
    assert points.lengths == [3, 4]
    assert points.paths == [
        "flow.random.traffic.poisson.rate",
        "flow.steady.count",
        "line.trunk.queues[0].drop_tail.size",
    ]
    assert json.loads(points.values(0, 12)) == [
        [rate, count, f"{size} cells"]
        for rate, count in (("1 Mb/s", 1), ("500 kb/s", 3), ("250 kb/s", 5))
        for size in (10, 15, 20, 25)
    ]


def test_a_scenario_without_a_sweep_has_no_axes(small: Scenario) -> None:
    assert "sweep" not in small.tree
    assert small.points().lengths == []
    assert small.points().values(0, 1) == "[[]]"
    assert small.points().document(0) == small.to_json()


def test_a_sweep_changes_no_run(small: Scenario, small_text: str) -> None:
    swept = Scenario.parse(small_text + SWEEP)
    plain, other = (penstock.run(scenario).manifest["runs"][0]["fingerprint"] for scenario in (small, swept))
    assert plain == other


def test_numbers_of_a_range_are_what_they_say(small: Scenario) -> None:
    quantities = {"measure.jitter_limit": {"from": "0.1 ms", "to": "1 ms", "step": "0.3 ms"}}
    numbers = {"flow.steady.share": {"from": 0.1, "to": 0.8, "step": 0.1}}
    swept = small.with_({"sweep": {"axis": [quantities, numbers]}})
    assert json.loads(swept.points().values(0, 32)) == [
        [f"{limit} ms", share]
        for limit in ("0.1", "0.4", "0.7", "1")
        for share in (0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8)
    ]


@pytest.mark.parametrize(
    ("right", "wrong", "path", "words"),
    [
        ("replications = 3", "replications = 0", "sweep.replications", ["at least once"]),
        ("replications = 3", "seeds = 3", "sweep.seeds", ["did you mean `seed`?"]),
        ("replications = 3", "most_replications = 0", "sweep.most_replications", ["more than that"]),
        ("loss_ratio = 0.1", "loss_ratio = 0", "sweep.precision.loss_ratio", ["above 0"]),
        ("step = 2", "step = 0", "sweep.axis[0].flow.steady.count", ["step of 0"]),
        ("step = 2", "step = -2", "sweep.axis[0].flow.steady.count", ["zero length", "sign"]),
        ("step = 2", "step = 1", "sweep.axis[0].flow.steady.count", ["5 values", "`flow.random.traffic.poisson.rate`"]),
        ("step = 2", "step = 1e-7", "sweep.axis[0].flow.steady.count", ["40000001 values", "at most 10000000"]),
        ('step = "5 cells"', "step = 5", "sweep.axis[1].line.trunk.queues[0].drop_tail.size", ["in one unit"]),
        ('step = "5 cells"', 'step = "5 cels"', "sweep.axis[1].line.trunk.queues[0].drop_tail.size", ['"5 cells"?']),
        ('"line.trunk.queues[0].drop_tail.size"', '"flow.steady"', "sweep.axis[1].flow.steady", ["axis[0]", "already"]),
        ('"line.trunk.queues[0].drop_tail.size"', '"sweep.seed"', "sweep.axis[1].sweep.seed", ["vary itself"]),
        ('"line.trunk.queues[0].drop_tail.size"', "flow.steady.octets", "sweep.axis[1].flow", ["in quotes"]),
    ],
)
def test_a_sweep_that_cannot_be(small_text: str, right: str, wrong: str, path: str, words: list[str]) -> None:
    text = small_text + SWEEP.replace(right, wrong)
    with pytest.raises(InputError) as raised:
        Scenario.parse(text, name="mine.toml")
    error = raised.value
    assert error.path.startswith(path)
    for word in words:
        assert word in str(error)
    assert error.line is not None
    line = text.splitlines()[error.line - 1]
    assert wrong in line or ("values" in words[0] and line.startswith('"flow.random.traffic.poisson.rate"'))


def test_axes_of_nothing_are_refused(small: Scenario) -> None:
    for axis, word in [({}, "varies nothing"), ({"duration": []}, "zero length"), ({"duration": [None]}, "null")]:
        with pytest.raises(InputError, match=word):
            small.with_({"sweep": {"axis": [axis]}})


def test_lines_are_found_by_path(small_text: str) -> None:
    text = small_text + SWEEP
    lines = text.splitlines()
    for path, start in {
        "flow.random.traffic.poisson": "traffic.poisson",
        "sweep.precision.random.delay_mean_s": "precision",
        "sweep.axis[0].flow.random.traffic.poisson.rate": '"flow.random.traffic',
        "sweep.axis[1].line.trunk.queues[0].drop_tail.size.step": '"line.trunk',
    }.items():
        line = _engine.line_of(text, path)
        assert line is not None
        assert lines[line - 1].startswith(start)
    assert _engine.line_of(text, "sweep.axis[1]") == len(lines) - 1
    assert _engine.line_of(text, "absent.key") is None
    assert _engine.line_of("no = [TOML", "no") is None


def test_numbers_keep_every_digit(small: Scenario) -> None:
    swept = small.with_({"sweep": {"axis": [{"flow.steady.share": [0.20808996944717306, 0.1 + 0.2, 1 / 3]}]}})
    assert swept.tree["sweep"]["axis"][0]["flow.steady.share"] == [0.20808996944717306, 0.1 + 0.2, 1 / 3]


def test_rows_of_flows_are_left_out_on_request(small: Scenario) -> None:
    whole, short = (penstock.run(small.with_({"measure.flows": flows}), replications=2) for flows in (True, False))
    assert whole.flows.height == 2 * sum(flow["count"] for flow in small.tree["flow"].values())
    assert short.flows.is_empty()
    assert short.flows.schema == whole.flows.schema
    assert short.groups.equals(whole.groups)
    assert short.ports.equals(whole.ports.filter(~whole.ports["port"].str.starts_with("access/")))


def test_distributions_are_kept_on_request(small: Scenario) -> None:
    assert penstock.run(small).distributions.is_empty()
    result = penstock.run(small.with_({"measure.distributions": True}), replications=2)
    assert result.distributions.columns == ["replication", "group", "delay_s", "count", "count_generation"]
    for group in result.groups.iter_rows(named=True):
        steps = result.distributions.filter(replication=group["replication"], group=group["group"])
        assert steps["count"].sum() == group["delivered"]
        assert (steps["count"] > 0).all()
        assert steps["count_generation"].to_list() == steps["count"].to_list(), "nothing waits"
        assert steps["delay_s"].is_sorted()
        assert steps["delay_s"].n_unique() == steps.height
        assert group["delay_max_s"] < steps["delay_s"].item(-1) <= group["delay_max_s"] * 1.008


def test_a_change_of_defaults_that_flows_have_taken_is_refused() -> None:
    flow = '[flow.%s]\npath = ["a", "b"]\n'
    text = f"""
duration = "1 s"
defaults.flow.traffic.cbr = {{ rate = "1 Mb/s" }}
[line.out]
between = ["a", "b"]
rate = "10 Mb/s"
{flow % "one"}{flow % "two"}
"""
    scenario = Scenario.parse(text)
    with pytest.raises(InputError, match=r"would not reach one, two; change flow\.\*\.octets"):
        scenario.with_({"defaults.flow.octets": 500})
    assert scenario.with_({"flow.*.octets": 500}).tree["flow"]["two"]["octets"] == 500
    swept = text + '[[sweep.axis]]\n"defaults.flow.octets" = [500, 1000]\n'
    with pytest.raises(InputError, match=r"line \d+: sweep.axis\[0\].defaults.flow.octets = 500: defaults are copied"):
        Sweep.of(Scenario.parse(swept), swept)
