"""The command as a user sees it: standard output, standard error, exit status, files."""

import json
import os
import shlex
import signal
import subprocess
import sys
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import polars as pl
import pytest
from moments import Running, started

import penstock as package
from penstock import Scenario, cli
from penstock.core.scenario import ready

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]

COMMANDS = [command.name for command in cli.COMMANDS]


def test_version(penstock_in_new_process: Command) -> None:
    done = penstock_in_new_process("--version")
    assert (done.returncode, done.stdout, done.stderr) == (0, f"penstock {package.__version__}\n", "")


@pytest.mark.parametrize("command", [[], ["runs"], *(name.split() for name in COMMANDS)], ids=" ".join)
def test_help_has_an_example(penstock: Command, command: list[str]) -> None:
    done = penstock(*command, "--help")
    assert done.returncode == 0
    assert done.stderr == ""
    assert "examples:\n  penstock " in done.stdout
    assert all(name in done.stdout for name in (command or " ".join(COMMANDS).split()))
    assert max(map(len, done.stdout.splitlines())) <= 120


def test_every_scenario_that_an_example_names_is_ready_or_made_by_the_example_before() -> None:
    made: set[str] = set()
    for command in cli.COMMANDS:
        for example in command.examples:
            words = shlex.split(example)
            end = next((place for place, word in enumerate(words) if word in (">", ">>")), len(words))
            options = vars(cli.parser().parse_args(words[1:end]))
            for name in [*options.get("scenarios", []), *([options["scenario"]] if options.get("scenario") else [])]:
                assert name in {*ready(), *made}, example
            made.update(words[end + 1 :])


def test_every_command_is_there() -> None:
    assert [
        *("run", "check"),
        *("scenarios", "schemes", "networks"),
        *("help", "schema"),
        "watch",
        *("draw", "import"),
        *("series leo", "series rain", "series outages"),
        "studio",
        *("sweep", "compare", "league", "reproduce", "report"),
        *("search", "capacity", "verify"),
        *("runs list", "runs show", "runs export"),
        "completion",
    ] == COMMANDS


def test_run_prints_a_summary(penstock_in_new_process: Command, small_file: Path) -> None:
    done = penstock_in_new_process("run", small_file, "--seed", 4)
    assert done.returncode == 0
    assert done.stderr == ""
    assert "\x1b" not in done.stdout
    for word in ["Traffic classes", "steady", "loss ratio", "p99 ms", "jitter share", "Ports", "trunk", "utilisation"]:
        assert word in done.stdout
    assert not list(small_file.parent.glob("*.parquet"))


def test_run_prints_json(penstock: Command, small_file: Path) -> None:
    done = penstock("run", small_file, "--json", "--replications", 3, "--jobs", 2)
    told = json.loads(done.stdout)
    assert set(told) == {"groups", "ports", "messages", "theory", "feedback", "manifest"}
    assert told["theory"] == []  # its queue is finite
    steady = next(row for row in told["groups"] if row["group"] == "steady")
    assert steady["sent"] == pytest.approx(3 * 2 * 2 * 300_000 / 424, abs=9)
    assert steady["lost"] / steady["sent"] == steady["loss_ratio"]
    assert len(told["manifest"]["runs"]) == 3


def test_run_writes_tables_and_manifest(penstock: Command, small_file: Path) -> None:
    done = penstock("run", small_file, "--out", "results", "--replications", 2, "--set", "flow.steady.count=3")
    assert done.returncode == 0
    assert done.stderr == "wrote 11 files to results\n"
    folder = small_file.parent / "results"
    names = ["distributions", "flows", "groups", "levels", "losses", "messages"]
    names += ["ports", "queues", "series", "slowdowns"]
    assert sorted(file.name for file in folder.iterdir()) == sorted(
        [*(f"{name}.parquet" for name in names), "manifest.json"]
    )
    assert pl.read_parquet(folder / "flows.parquet").height == 2 * 4
    assert json.loads((folder / "manifest.json").read_text())["scenario"]["flow"]["steady"]["count"] == 3


def test_a_scenario_is_not_replaced_by_the_manifest_of_its_run(penstock: Command, small_file: Path) -> None:
    file = small_file.parent / "manifest.json"
    small_file.rename(file)
    done = penstock("run", file, "--out", small_file.parent)
    assert (done.returncode, done.stdout) == (2, "")
    assert "manifest.json: this file is read, so nothing is written over it" in done.stderr


def test_quiet_is_quiet(penstock: Command, small_file: Path) -> None:
    assert penstock("run", small_file, "--out", "results", "--quiet").stderr == ""


def test_the_log_goes_to_standard_error(penstock_in_new_process: Command, small_file: Path) -> None:
    done = penstock_in_new_process("run", small_file, "--log-level", "debug")
    assert "fingerprint" in done.stderr
    assert "DEBUG" not in done.stdout


def test_set_takes_values_as_people_write_them(penstock: Command, small_file: Path) -> None:
    done = penstock(
        "check", small_file, "--defaults",
        "--set", "line.trunk.rate=3 Mb/s", "--set", 'duration="1 s"', "--set", "flow.random.priority = 1",
    )  # fmt: skip
    assert done.returncode == 0
    tree = Scenario.parse(done.stdout).tree
    assert tree["line"]["trunk"]["rate"] == "3 Mb/s"
    assert tree["duration"] == "1 s"
    assert tree["flow"]["random"]["priority"] == 1


def test_check(penstock: Command, small_file: Path) -> None:
    done = penstock("check", small_file)
    assert (done.returncode, done.stdout, done.stderr) == (0, f"{small_file}: valid\n", "")


def test_scenarios_lists_names_and_titles(penstock: Command) -> None:
    table, told = penstock("scenarios"), penstock("scenarios", "--json")
    rows = json.loads(told.stdout)
    assert [row["name"] for row in rows] == list(ready())
    for row in rows:
        assert f"{row['name']} " in table.stdout
        assert row["title"] in table.stdout


def test_schema_is_json(penstock_in_new_process: Command) -> None:
    assert json.loads(penstock_in_new_process("schema").stdout)["properties"]["duration"]


def test_a_study_that_is_none(penstock: Command, tmp_path: Path) -> None:
    done = penstock("reproduce", "satelite")
    assert done.returncode == 2
    assert 'did you mean "satellite"?' in done.stderr
    assert list(tmp_path.iterdir()) == []


def test_a_closed_pipe_is_no_defect(small_file: Path) -> None:
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        done = subprocess.run(
            [sys.executable, "-m", "penstock", "schema"], stdout=closed, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.stderr == ""


def test_an_ascii_terminal_is_enough(penstock_in_new_process: Command, small_file: Path) -> None:
    small_file.write_text(small_file.read_text().replace("Two", "Zw\u00f6lf \u2192"), encoding="utf-8")
    done = penstock_in_new_process("run", small_file, "--json", PYTHONIOENCODING="ascii", PYTHONUTF8="0")
    assert done.returncode == 0


@pytest.mark.skipif(os.name != "posix", reason="needs a pseudo-terminal")
@pytest.mark.parametrize("environment", [{"TERM": "xterm"}, {"TERM": "xterm", "NO_COLOR": "1"}, {"TERM": "dumb"}])
def test_colour_and_bars_only_on_a_willing_terminal(small_file: Path, environment: dict[str, str]) -> None:
    leader, terminal = os.openpty()
    command = [sys.executable, "-m", "penstock", "run", str(small_file)]
    plain = {key: value for key, value in os.environ.items() if key not in ("NO_COLOR", "FORCE_COLOR")}
    with subprocess.Popen(command, stdout=terminal, stderr=terminal, env={**plain, **environment}) as process:
        os.close(terminal)
        told = b""
        try:
            while piece := os.read(leader, 65536):
                told += piece
        except OSError:  # how Linux says that the other side is closed
            pass
    os.close(leader)
    assert process.returncode == 0
    assert b"Traffic classes" in told
    assert (b"\x1b[" in told) == (environment == {"TERM": "xterm"})


@pytest.mark.skipif(os.name != "posix", reason="sends a POSIX signal")
@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_with_130_and_no_traceback(small_file: Path, jobs: int) -> None:
    command = [sys.executable, "-m", "penstock", "run", str(small_file), "--jobs", str(jobs), "--replications", "4"]
    command += ["--set", "duration=1000000 s", "--out", str(small_file.parent / "results")]
    with closing(Running(small_file.parent)) as running, started(command, env=running.environment) as process:
        running.wait_for(jobs, process)
        os.killpg(process.pid, signal.SIGINT)
        out, told = process.communicate()
    assert process.returncode == 130
    assert told == "penstock: interrupted\n"
    assert out == ""
    assert list((small_file.parent / "results").iterdir()) == []


def test_interrupted_replications_are_kept(
    small_file: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    from contextlib import contextmanager

    @contextmanager
    def bar(_label: str, *, quiet: bool):  # type: ignore[no-untyped-def]
        yield lambda share: signal.raise_signal(signal.SIGINT) if share >= 0.5 else None

    monkeypatch.setattr("penstock.show.progress.bar", bar)
    out = small_file.parent / "results"
    arguments = ["run", str(small_file), "--replications", "4", "--jobs", "1", "--out", str(out)]
    assert cli.main(arguments) == 130
    captured = capsys.readouterr()
    assert "Traffic classes" in captured.out
    assert "penstock: interrupted: " in captured.err
    manifest = json.loads((out / "manifest.json").read_text())
    assert manifest["complete"] is False
    assert 1 <= len(manifest["runs"]) < 4


def test_a_trace_is_a_figure_of_the_run_against_time(penstock: Command, tmp_path: Path) -> None:
    changes = ["--set", "stop.departures=40000", "--set", "warm_up=1000 cell times"]
    done = penstock("run", "atm_lan/figure-2", "--trace", "drawn", *changes)
    assert done.returncode == 0
    assert "no measure.sample in the scenario: read every 2 cell times for the figures\n" in done.stderr
    assert "Traffic classes" in done.stdout
    names = {f"{name}.{suffix}" for name in ("network", "trace", "trace-close-up") for suffix in ("svg", "png")}
    assert {file.name for file in (tmp_path / "drawn").iterdir()} == {*names, "data", "report.html"}
    page = (tmp_path / "drawn" / "report.html").read_text(encoding="utf-8")
    assert "The busiest line, output, is used" in page
    assert 'href="data/series.csv"' in page
    assert 'href="trace.svg"' in page
    assert "penstock run atm_lan/figure-2 --set stop.departures=40000" in page


def test_a_page_is_opened_in_the_browser(
    penstock_in_new_process: Command, small_file: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("BROWSER", f"{sys.executable} -c \"open('opened', 'w').write('%s')\"")
    change = ["--set", "measure.sample=10 ms"]
    done = penstock_in_new_process("run", small_file, "--trace", "drawn", "--open", *change)
    assert done.returncode == 0, done.stderr
    assert (tmp_path / "opened").read_text() == (tmp_path / "drawn" / "report.html").resolve().as_uri()
    refused = penstock_in_new_process("run", small_file, "--open")
    assert refused.returncode == 2
    assert "--open: a run has a page only with its figures; add --trace DIR" in refused.stderr


def test_a_trace_of_a_scenario_with_readings_needs_no_second_run(penstock: Command, tmp_path: Path) -> None:
    done = penstock("run", "atm_lan/start-up", "--trace", "drawn", "--json")
    assert done.returncode == 0
    assert json.loads(done.stdout)["groups"]
    drew = [f"drew {Path('drawn') / name}" for name in ("network.svg", "network.png", "trace.svg", "trace.png")]
    assert done.stderr.splitlines() == [*drew, f"wrote {Path('drawn') / 'report.html'}"]
    drawn = (tmp_path / "drawn" / "trace.svg").read_text(encoding="utf-8")
    for text in ("queue (cells)", "threshold", "notices in", "all rates (% of output)", "source/1"):
        assert text in drawn, text
