"""The limits of a run: checked before it starts, and refused if it certainly exceeds them."""

import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from test_bad_input import refused

import penstock as package
from penstock import InputError, Scenario, _engine
from penstock.execute import worker
from penstock.execute.worker import LEAST_SPAN_S, Limits, Task

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]

# 2 s of two sources of 300 kb/s are certainly 2,826 cells; of 4,717 random ones, about 4,160.
LEAST = 6_900

BACKLOG = """\
duration = "3000 s"

[line.trunk]
between = ["left", "right"]
rate = "150 Mb/s"

[flow.one]
path = ["left", "right"]
traffic.greedy = {}

[flow.two]
path = ["left", "right"]
traffic.greedy = {}
"""


def commands(file: Path) -> dict[str, list[object]]:
    other = file.with_name("other.toml")
    other.write_text(file.read_text(encoding="utf-8"), encoding="utf-8")
    swept = file.with_name("swept.toml")
    axis = '\n[[sweep.axis]]\n"flow.steady.count" = [2, 3]\n'
    swept.write_text(file.read_text(encoding="utf-8") + axis, encoding="utf-8")
    return {"run": [file], "check": [file], "sweep": [swept], "compare": [file, other]}


@pytest.mark.parametrize("name", ["run", "check", "sweep", "compare"])
def test_every_command_refuses_what_is_certain_to_be_too_much(penstock: Command, small_file: Path, name: str) -> None:
    arguments = commands(small_file)[name]
    told = refused(penstock(name, *arguments, "--most-pdus", LEAST - 100), "at least", "PDUs", "--most-pdus")
    assert "duration" in told
    assert not (small_file.parent / "out").exists()
    refused(penstock(name, *arguments, "--most-pdus", "few"), "--most-pdus", "whole number")
    refused(penstock(name, *arguments, "--most-memory", "0"), "--most-memory", "out of range")
    jobs = [] if name == "check" else ["--jobs", 1]
    assert penstock(name, *arguments, "--most-pdus", 2 * LEAST, "--most-memory", 1, *jobs).returncode == 0


def test_a_number_of_flows_is_refused_by_the_memory_that_is_given(penstock: Command, tmp_path: Path) -> None:
    file = tmp_path / "many.toml"
    many = BACKLOG.replace("traffic.greedy = {}", 'count = 1500000\naccess.rate = "1 Mb/s"\ntraffic.silent = {}')
    file.write_text(many.replace("3000 s", "1 s"), encoding="utf-8")
    for own, most in [([], "8.0 GB"), (["--most-memory", "2"], "2.0 GB")]:
        told = refused(penstock("check", file, *own), f"the limit is {most}", "such flows fit", "--most-memory")
        assert "3000000 flows would take about" in told
    assert penstock("check", file, "--most-memory", "16").returncode == 0


def test_the_keywords_do_the_same(small: Scenario, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="at least"):
        package.run(small, most_pdus=LEAST - 100)
    assert package.run(small, most_pdus=LEAST + 100).manifest["complete"]
    sweep = package.Sweep(small, [{"flow.steady.count": [2, 3]}])
    with pytest.raises(InputError, match="at least"):
        sweep.run(tmp_path / "sweep", most_pdus=LEAST - 100)
    with pytest.raises(InputError, match="at least"):
        package.compare({"a": small, "b": small}, tmp_path / "comparison", most_pdus=LEAST - 100)
    for bad in (0, 1.5, "1e9", 2**64):
        with pytest.raises(InputError, match="most_pdus"):
            package.run(small, most_pdus=bad)  # type: ignore[arg-type]
    with pytest.raises(InputError, match="most_memory_gb"):
        package.run(small, most_memory_gb=-1)


def test_a_worker_refuses_by_the_limits_of_its_task(small: Scenario) -> None:
    tasks = [Task(small.to_json(), 1, limits=Limits(pdus=10)), Task(small.to_json(), 1)]
    failed, done = worker.run_each(tasks, lambda _: None)
    assert isinstance(failed, worker.Failure)
    assert "the limit is 10" in failed.reason
    assert isinstance(done, worker.Outcome)
    failed, _ = worker.run_each([Task(small.to_json(), 1, limits=Limits(memory=10)), tasks[1]], lambda _: None)
    assert isinstance(failed, worker.Failure)
    assert "memory" in failed.reason


def test_the_usual_limit_is_the_one_that_is_told(small: Scenario) -> None:
    # Two sources of 23,584,905 cells a second.
    fast = small.with_({"line.trunk.rate": "40 Gb/s", "flow.steady.traffic.cbr.rate": "10 Gb/s"})
    with pytest.raises(InputError, match="the limit is 100000000000;"):
        fast.with_({"duration": "2130 s"}).check_limits()
    fast.with_({"duration": "2110 s"}).check_limits()


def test_a_backlog_that_cannot_fit_is_refused_before_the_run(penstock: Command, tmp_path: Path) -> None:
    file = tmp_path / "backlog.toml"
    file.write_text(BACKLOG, encoding="utf-8")
    for command in ("check", "run"):
        refused(penstock(command, file), "line 1", "duration", "queues without limit", "GB", "limit the queues")


def test_a_backlog_that_nobody_foresees_is_named_early(penstock: Command, tmp_path: Path) -> None:
    file = tmp_path / "backlog.toml"
    text = BACKLOG.replace("traffic.greedy = {}", "traffic.greedy = {}\nreaction_point.stop = {}")
    file.write_text(f'mismatches = "warn"\n{text}', encoding="utf-8")
    assert penstock("check", file).returncode == 0
    refused(
        penstock("run", file), "port `trunk`", "0.3 Gb/s arrives", "sends 150 Mb/s", "MB of memory", "limit its queue"
    )


def test_slices_have_a_floor(small: Scenario, monkeypatch: pytest.MonkeyPatch) -> None:
    spans = []

    class Slow:
        """A run in which each slice of any length takes a minute by its clock."""

        def __init__(self, *_arguments: object) -> None:
            self.run = engine_run(small.to_json(), 1, 0)

        def __getattr__(self, name: str) -> Any:
            return getattr(self.run, name)

        def advance(self, span_s: float) -> bool:
            spans.append(span_s)
            clock[0] += 60.0
            return bool(self.run.advance(LEAST_SPAN_S if len(spans) < 40 else 10.0))

    clock = [0.0]
    engine_run = _engine.Run
    monkeypatch.setattr(_engine, "Run", Slow)
    monkeypatch.setattr("penstock.execute.worker.time.perf_counter", lambda: clock[0])
    worker.simulate(Task(small.to_json(), 1), lambda _: None)
    assert len(spans) == 40
    assert set(spans) == {LEAST_SPAN_S}
