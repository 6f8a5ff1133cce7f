"""``--set`` of every command that reads a scenario, and the commands that pages name."""

from __future__ import annotations

import json
import shlex
from pathlib import Path

import pytest
from test_league import LEAGUE

from penstock import Results, Scenario, compare
from penstock.cli import COMMANDS, main
from penstock.core.settings import parse_value, setting
from penstock.show import page_of

NAMED = """\
duration = "40 ms"
scheme = "erica"
[network.dumbbell]
pairs = 2
rate = "10 Mb/s"
delay = "1 ms"
"""
AXIS = """\
[[sweep.axis]]
"network.dumbbell.delay" = ["1 ms", "2 ms"]
"""
SLOWER = ["--set", "scheme.erica.target=0.5"]


@pytest.fixture
def named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A small scenario with a scheme by name, in the present directory."""
    monkeypatch.chdir(tmp_path)
    Path("a.toml").write_text(NAMED + AXIS, encoding="utf-8")
    return Path("a.toml")


def base_of(directory: str) -> Scenario:
    """The scenario of the only point, or of the first."""
    details = Results(directory).about["details"]
    return Scenario.of(details["scenario"] if "scenario" in details else details["scenarios"]["a"])


def test_a_part_that_is_chosen_by_its_name_alone_has_its_parameters() -> None:
    scenario = Scenario.parse(NAMED)
    changed = scenario.with_({"scheme.erica.target": 0.5})
    assert changed.tree["scheme"] == {"erica": {"target": 0.5}}
    assert changed == scenario.with_({"scheme": {"erica": {"target": 0.5}}})
    assert scenario.with_({"scheme.erica.target": None}) == scenario
    with pytest.raises(ValueError, match=r"scheme\.erica\.targt"):
        scenario.with_({"scheme.erica.targt": 0.5})
    with pytest.raises(ValueError, match='there is no "becn"'):
        scenario.with_({"scheme.becn.filter": 0.5})


COMMANDS_OF = {
    "sweep": ["sweep", "a.toml"],
    "search": [
        *("search", "a.toml", "--over", "network.dumbbell.pairs=1,2", "--maximise", "pairs.throughput_bps"),
        *("--replications", "3", "--trials", "2"),
    ],
    "capacity": [
        *("capacity", "a.toml", "--of", "network.dumbbell.pairs=1..2", "--until", "pairs.loss_ratio > 0.5"),
        *("--replications", "3"),
    ],
    "compare": ["compare", "a.toml", "b.toml", "--replications", "2"],
}


@pytest.mark.parametrize("command", COMMANDS_OF)
def test_a_value_is_changed_and_stands_in_the_command_of_the_page(command: str, named: Path) -> None:
    Path("b.toml").write_text(named.read_text(encoding="utf-8").replace("10 Mb/s", "9 Mb/s"), encoding="utf-8")
    assert main([*COMMANDS_OF[command], *SLOWER, "--out", "out", "--quiet"]) in (0, 1)
    assert base_of("out").tree["scheme"] == {"erica": {"target": 0.5}}
    words = shlex.split(page_of(Results("out")).command)
    assert words[:2] == ["penstock", command]
    place = words.index("--set")
    assert words[place - (2 if command == "compare" else 1) : place + 2] == [
        *(["a.toml", "b.toml"] if command == "compare" else ["a.toml"]),
        *SLOWER,
    ]
    assert main([*words[1:], "--quiet", "--resume"]) in (0, 1)  # the same runs: nothing is refused
    assert base_of("out").tree["scheme"] == {"erica": {"target": 0.5}}


def test_a_league_is_changed_at_paths_into_its_file(named: Path, capsys: pytest.CaptureFixture[str]) -> None:
    league = named.with_name("two.toml")
    league.write_text(LEAGUE, encoding="utf-8")
    changes = ["--set", "replications=2", "--set", "networks.*.duration=90 ms"]
    assert main(["league", "two.toml", *changes, "--out", "out", "--quiet"]) == 0
    results = Results("out")
    assert results.about["details"]["league"]["replications"] == 2
    assert all(net["duration"] == "90 ms" for net in results.about["details"]["league"]["networks"].values())
    command = page_of(results).command
    assert "two.toml --set replications=2 --set 'networks.*.duration=90 ms'" in command
    capsys.readouterr()
    assert main(["league", "two.toml", "--set", "networks.lam.duration=90 ms"]) == 2
    assert "networks.lam.duration = " in capsys.readouterr().err


def test_the_studio_has_no_scenario_to_change_without_one(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["studio", "--no-browser", "--set", "duration=1 s"]) == 2
    assert "there is no scenario to change; name one" in capsys.readouterr().err


def test_every_command_that_reads_a_scenario_or_a_league_has_it() -> None:
    import argparse

    for command in COMMANDS:
        own = argparse.ArgumentParser(add_help=False)
        command.arguments(own)
        reads = {action.dest for action in own._actions} & {"scenario", "scenarios", "league"}
        if reads and command.name != "admission":
            assert "--set" in own._option_string_actions, command.name


@pytest.mark.parametrize(
    "value", [5, 0.25, True, "5", "true", "2 Mb/s", "a b", [1, 2], ["1 ms", "2 ms"], {"becn": {"filter": "on"}}, {}, ""]
)
def test_a_setting_is_read_as_what_it_was_written_from(value: object) -> None:
    path, _, text = setting("flow.a.count", value).partition("=")
    assert (path, parse_value(text)) == ("flow.a.count", value)


def test_only_what_a_command_can_make_has_one(named: Path, tmp_path: Path) -> None:
    scenario = Scenario.load(named)
    assert scenario.words() == ["a.toml"]
    twice = scenario.with_({"duration": "1 s"}).with_({"warm_up": "1 ms"}).with_({"duration": "2 s"})
    assert twice.words() == ["a.toml", "--set", "warm_up=1 ms", "--set", "duration=2 s"]
    assert Scenario.of(scenario.tree).words() == []
    assert scenario.with_({"scheme": None}).words() == []
    results = compare({"one": scenario, "two": scenario.with_({"duration": "50 ms"})}, tmp_path / "c", replications=2)
    assert page_of(results).command == ""
    assert json.loads((tmp_path / "c" / "experiment.json").read_text(encoding="utf-8"))["details"]["words"] == []
