"""Commands that list what there is, and ``check`` and ``run`` with the file of a league."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from test_league import LEAGUE

from penstock.cli import main
from penstock.core.counts import counted
from penstock.core.scenario import Scenario, networks, schemes


def test_check_knows_the_file_of_a_league(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "two.toml"
    file.write_text(LEAGUE, encoding="utf-8")
    assert main(["check", str(file)]) == 0
    assert capsys.readouterr().out == "two: valid, a league of 2 schemes in 4 cases\n"
    assert main(["check", str(file), "--set", "networks.*.duration=1 s"]) == 0
    capsys.readouterr()
    for option in (["--most-memory", "2"], ["--expanded"]):
        assert main(["check", str(file), *option]) == 2
        told = capsys.readouterr().err
        assert told.startswith(f"penstock: {option[0]} = ")
        assert "this does not go with the file of a league; leave it out" in told
    assert main(["run", str(file)]) == 2
    assert f"two.toml: this is the file of a league; `penstock league {file}` runs it" in capsys.readouterr().err
    file.write_text(LEAGUE.replace('"none"', '"noen"'), encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert 'schemes[0] = noen: there is no such scheme; did you mean "none"?' in capsys.readouterr().err
    file.write_text("schemes = [", encoding="utf-8")
    assert main(["check", str(file)]) == 2
    assert "this is not TOML" in capsys.readouterr().err


def test_one_of_a_kind_is_no_plural(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    line = 'duration = "1 s"\n[line.a]\nbetween = ["left", "right"]\nrate = "1 Mb/s"\n'
    text = f'{line}[flow.b]\npath = ["left", "right"]\ntraffic.poisson.rate = "1 kb/s"\n'
    (tmp_path / "one.toml").write_text(f'{text}[[sweep.axis]]\n"flow.b.count" = [2]', encoding="utf-8")
    assert main(["check", str(tmp_path / "one.toml")]) == 0
    assert capsys.readouterr().out.endswith("one.toml: valid, a sweep of 1 point\n")
    assert [counted(number, "run") for number in (0, 1, 2000)] == ["0 runs", "1 run", "2,000 runs"]


@pytest.mark.parametrize(("command", "known"), [("schemes", schemes), ("networks", networks)])
def test_what_there_is_has_one_line_each(
    command: str, known: Callable[[], Mapping[str, object]], capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([command]) == 0
    lines = capsys.readouterr().out.splitlines()[3:-1]
    assert [line.split()[0] for line in lines] == list(known())
    assert all(len(line.split()) > 3 for line in lines)
    assert main([command, "--json"]) == 0
    assert [row["name"] for row in json.loads(capsys.readouterr().out)] == list(known())


def test_networks_are_those_of_scenarios() -> None:
    text = 'network.dumbbell = { pairs = 2, rate = "1 Mb/s", delay = "1 ms" }'
    Scenario.parse(f'duration = "1 s"\n{text}')
    with pytest.raises(Exception, match="`dumbbel`") as caught:
        Scenario.parse(f'duration = "1 s"\n{text.replace("dumbbell", "dumbbel")}')
    assert all(name in str(caught.value) for name in networks())
