"""SIGTERM, and closed standard streams: finished runs are stored, the status is the usual one, without messages."""

from __future__ import annotations

import json
import multiprocessing
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest
from test_sweep import SWEEP

from penstock.api.run import Task
from penstock.cli.process import PIPE_CLOSED, TERMINATED, terminable
from penstock.core.scenario import Scenario
from penstock.execute.executors import Processes, Stop, interruptible
from penstock.execute.spread import Spread
from penstock.execute.store import Store
from penstock.execute.worker import Outcome

pytestmark = pytest.mark.skipif(os.name != "posix", reason="of POSIX systems")

PATIENCE_S = 300
"""Turns a hang into a failure, and has no other effect."""

HELD = """
[sweep]
[[sweep.axis]]
duration = ["1 s", "2 s", "3 s", "1000000 s", "1000001 s"]
"""
"""Three runs that end at once, and two that occupy two processes until they are stopped."""

SCRIPT = """
import sys
from penstock import Sweep
try:
    Sweep.load(sys.argv[1]).run("out/held", jobs=2)
except KeyboardInterrupt:
    print("interrupted")
"""


def start(folder: Path, *command: object) -> subprocess.Popen[str]:
    """Starts Python in its own process group. All its children keep its standard output and error open."""
    return subprocess.Popen(
        [sys.executable, *map(str, command)],
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )


def wait_until(holds: Callable[[], bool], process: subprocess.Popen[str]) -> None:
    limit = time.monotonic() + PATIENCE_S
    while not holds():
        assert process.poll() is None, process.communicate()
        assert time.monotonic() < limit
        time.sleep(0.05)


def runs_in(folder: Path) -> int:
    return len(Store.open_to_read(folder).runs) if (folder / "store.json").exists() else 0


def end(process: subprocess.Popen[str], *, group: bool) -> tuple[str, str]:
    """Sends SIGTERM, and waits until the process and all that it started have closed their output: they have ended."""
    (os.killpg if group else os.kill)(process.pid, signal.SIGTERM)
    return process.communicate(timeout=PATIENCE_S)


def complains(told: str) -> bool:
    return any(word in told for word in ("Traceback", "leaked", "Exception ignored", "resource_tracker", "Error"))


# ------------------------------------------------------------------------------------------------ SIGTERM
@pytest.mark.parametrize("group", [False, True], ids=["alone", "group"])
def test_sigterm_keeps_what_has_finished(small_text: str, tmp_path: Path, group: bool) -> None:
    (tmp_path / "held.toml").write_text(small_text.replace('duration = "2 s"', 'duration = "1 s"') + HELD)
    process = start(tmp_path, "-m", "penstock", "sweep", "held.toml", "--jobs", 2)
    wait_until(lambda: runs_in(tmp_path / "out" / "held") == 3, process)
    out, told = end(process, group=group)
    assert process.returncode == TERMINATED == 143
    assert "penstock: interrupted: 3 of 5 runs are stored; continue with --resume\n" in told
    assert "groups: mean" in out
    assert not complains(told)
    assert runs_in(tmp_path / "out" / "held") == 3


def test_sigterm_of_a_script_is_ctrl_c(small_text: str, tmp_path: Path) -> None:
    (tmp_path / "held.toml").write_text(small_text + HELD)
    process = start(tmp_path, "-c", SCRIPT, "held.toml")
    wait_until(lambda: runs_in(tmp_path / "out" / "held") == 3, process)
    out, told = end(process, group=False)
    assert (process.returncode, out) == (0, "interrupted\n")
    assert not complains(told)
    assert runs_in(tmp_path / "out" / "held") == 3


@pytest.mark.parametrize("jobs", [1, 2])
def test_sigterm_of_a_run_is_told(small_text: str, tmp_path: Path, jobs: int) -> None:
    (tmp_path / "held.toml").write_text(small_text.replace('"2 s"', '"1000000 s"'))
    command = ["run", "held.toml", "--replications", 2, "--jobs", jobs, "--out", "results"]
    process = start(tmp_path, "-m", "penstock", *command)
    wait_until((tmp_path / "results").exists, process)  # the last step before the run
    assert end(process, group=True) == ("", "penstock: interrupted\n")
    assert process.returncode == TERMINATED


def test_sigterm_is_a_wish_and_what_was_there_before_comes_back() -> None:
    before = signal.getsignal(signal.SIGTERM)
    assert before == signal.SIG_DFL
    with interruptible() as stop:
        signal.raise_signal(signal.SIGTERM)
        assert stop.wished
    assert signal.getsignal(signal.SIGTERM) == before


def test_who_has_a_handler_of_sigterm_keeps_it() -> None:
    seen = []
    before = signal.signal(signal.SIGTERM, lambda number, _frame: seen.append(number))
    try:
        with interruptible() as stop, terminable():
            signal.raise_signal(signal.SIGTERM)
            assert not stop.wished
    finally:
        signal.signal(signal.SIGTERM, before)
    assert seen == [signal.SIGTERM]


def test_sigterm_of_the_command_does_what_ctrl_c_does_then() -> None:
    with terminable() as termination:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGTERM)
        assert [termination.status(status) for status in (0, 1, 2, 130)] == [0, 1, 2, 143]
    with terminable() as termination, interruptible() as stop:
        assert termination.status(130) == 130
        signal.raise_signal(signal.SIGTERM)
        assert stop.wished
        assert termination.came


def test_workers_that_sigterm_reached_too_hand_in_what_they_have(small: Scenario) -> None:
    """As if a whole group gets the signal: a worker that died at once would lose its batch."""
    tasks = [Task(small.to_json(), 1, number) for number in range(40)]
    with Processes(2) as pool:
        got = 0
        for batch in Spread(tasks, len(tasks), pool, Stop()):
            if batch and not got:
                for process in multiprocessing.active_children():
                    process.terminate()
            got += sum(isinstance(result, Outcome) for _, _, result in batch)
    assert got == len(tasks)


# ------------------------------------------------------------------------------------------------ standard streams
@pytest.fixture
def folder(small_text: str, tmp_path: Path) -> Path:
    """A scenario, another, a sweep, and the directory of one."""
    (tmp_path / "small.toml").write_text(small_text)
    (tmp_path / "other.toml").write_text(small_text.replace('"2 Mb/s"', '"3 Mb/s"'))
    (tmp_path / "rates.toml").write_text(small_text + SWEEP)
    return tmp_path


@pytest.fixture
def swept(folder: Path) -> Path:
    done = shell(folder, "sweep rates.toml --jobs 1 --out swept --quiet")
    assert done.returncode == 0
    return folder


def shell(folder: Path, line: str) -> subprocess.CompletedProcess[str]:
    """Runs the command with a shell's redirections."""
    command = ["sh", "-c", f'exec "$0" -m penstock {line}', sys.executable]
    return subprocess.run(command, cwd=folder, capture_output=True, text=True, timeout=PATIENCE_S, check=False)


def without_reader(folder: Path, *arguments: str, stream: str = "stdout") -> subprocess.CompletedProcess[str]:
    """Runs the command with a pipe whose reader has ended before anything was written."""
    read, write = os.pipe()
    os.close(read)
    with os.fdopen(write, "wb") as closed:
        streams = {"stdout": subprocess.PIPE, "stderr": subprocess.PIPE, stream: closed}
        command = [sys.executable, "-m", "penstock", *arguments]
        return subprocess.run(command, cwd=folder, text=True, timeout=PATIENCE_S, check=False, **streams)  # type: ignore[call-overload, no-any-return]


LOOKS = [
    "scenarios --json",
    "run --help",
    "report swept",
    "runs export swept --format parquet",
]
"""JSON, help, a page and octets: each way in which a command prints."""
MORE_LOOKS = ["check small.toml", "runs list swept"]
MORE_LOOKS += ["check small.toml --defaults", "scenarios", "schema", "--version", "--help", "runs list swept --json"]
MORE_LOOKS += ["runs export swept", "runs show swept RUN", "runs show swept RUN --json"]


@pytest.mark.parametrize("lines", [LOOKS, pytest.param(MORE_LOOKS, marks=pytest.mark.long)], ids=["each way", "more"])
def test_a_reader_that_has_gone_ends_every_command_quietly(swept: Path, lines: list[str]) -> None:
    run = min(Store.open_to_read(swept / "swept").runs)
    for line in lines:
        done = without_reader(swept, *line.replace("RUN", run).split())
        assert done.returncode in ((0, PIPE_CLOSED) if "--help" in line else (PIPE_CLOSED,)), line
        assert done.stderr == "", line
    assert (swept / "swept" / "report.html").exists() == ("report swept" in lines)


def test_a_reader_that_has_gone_leaves_what_was_run(folder: Path) -> None:
    for arguments in (["run", "small.toml", "--out", "results"], ["run", "small.toml", "--json", "--out", "json"]):
        done = without_reader(folder, *arguments)
        assert done.returncode == PIPE_CLOSED
        assert not complains(done.stderr)
        assert (folder / arguments[-1] / "manifest.json").exists()
    for arguments, runs in ((["sweep", "rates.toml"], 12), (["compare", "small.toml", "other.toml"], 20)):
        done = without_reader(folder, *arguments, "--jobs", "1", "--out", arguments[0])
        assert done.returncode == PIPE_CLOSED
        assert not complains(done.stderr)
        assert runs_in(folder / arguments[0]) == runs
        assert json.loads((folder / arguments[0] / "experiment.json").read_text())["complete"]


def test_nobody_reads_the_messages(folder: Path) -> None:
    done = without_reader(folder, "sweep", "rates.toml", "--jobs", "1", stream="stderr")
    assert done.returncode == 0
    assert "groups: mean" in done.stdout
    assert without_reader(folder, "check", "missing", stream="stderr").returncode == 2


def test_closed_standard_output_is_as_if_nobody_wanted_it(folder: Path) -> None:
    for line in ("sweep rates.toml --jobs 2 --out swept >&-", "run small.toml --out results >&-", "schema >&-"):
        done = shell(folder, line)
        assert done.returncode == 0, done.stderr
        assert not complains(done.stderr)
    assert runs_in(folder / "swept") == 12
    assert (folder / "results" / "manifest.json").exists()
    assert shell(folder, "--help >&-").returncode == 0
    assert "no such file" in shell(folder, "check missing >&-").stderr


def test_closed_standard_error_gives_nothing_to_standard_output(folder: Path) -> None:
    done = shell(folder, "sweep rates.toml --jobs 2 --out swept 2>&-")
    assert done.returncode == 0
    assert "groups: mean" in done.stdout
    assert "the runs are stored" not in done.stdout
    refused = shell(folder, "check missing 2>&-")
    assert (refused.returncode, refused.stdout) == (2, "")
    none = shell(folder, "run small.toml --out results <&- >&- 2>&-")
    assert none.returncode == 0
    assert (folder / "results" / "manifest.json").exists()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is always full")
def test_standard_output_that_takes_nothing_is_told_once(folder: Path) -> None:
    for line in ("schema > /dev/full", "check small.toml > /dev/full", "scenarios --json > /dev/full"):
        done = shell(folder, line)
        assert (done.returncode, done.stderr) == (1, "penstock: the output: No space left on device\n")
