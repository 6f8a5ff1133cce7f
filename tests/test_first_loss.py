"""`penstock run --until-first-loss`: when and where the first PDU is lost."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest
from cells import CELLS

import penstock as package
from penstock.core.units import readable

pytestmark = pytest.mark.in_process

Command = Callable[..., subprocess.CompletedProcess[str]]


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "cells.toml"
    path.write_text(CELLS, encoding="utf-8")
    return path


def test_it_says_when_and_where_and_shows_the_tables_so_far(penstock: Command, file: Path) -> None:
    done = penstock("run", file, "--until-first-loss")
    assert (done.returncode, done.stderr) == (0, "")
    lines = done.stdout.splitlines()
    assert lines[0] == "first loss at 3.5 ms: trunk discarded 1 cell of data"
    # Cells of 0, 0.5 .. 3.5 ms are sent.
    assert next(line for line in lines if line.split()[:1] == ["data"]).split()[:4] == ["data", "1", "8", "1"]


def test_it_is_json_too_and_the_tables_can_be_kept(penstock: Command, file: Path, tmp_path: Path) -> None:
    done = penstock("run", file, "--until-first-loss", "--json", "--out", tmp_path / "out", "--quiet")
    assert (done.returncode, done.stderr) == (0, "")
    told = json.loads(done.stdout)
    loss = {"place": "trunk", "group": "data", "discarded": 1, "control_discarded": 0}
    assert told["first_loss"] == {"at_s": 0.0035, "losses": [loss]}
    assert (told["groups"][0]["sent"], told["manifest"]["stopped"]) == (8, "3.5 ms")
    kept = package.load_result(tmp_path / "out")
    assert (kept.manifest["stopped"], kept.groups["lost"].to_list()) == ("3.5 ms", [1])


def test_without_a_loss_it_says_so_with_its_own_status(penstock: Command, file: Path) -> None:
    # A queue of 200 cells holds all that come in 100 ms.
    done = penstock("run", file, "--until-first-loss", "--set", "line.trunk.queues[0].drop_tail.size=200 cells")
    assert done.returncode == 1
    assert done.stdout.startswith(
        "no loss: the run ended at 100 ms, and all cells sent are delivered or on their way\n"
    )
    assert json.loads(penstock("run", file, *done.args[-3:], "--json").stdout)["first_loss"] is None


def test_the_seed_decides_when(penstock: Command) -> None:
    times = set()
    for seed in (1, 2):
        sim = package.Simulation("satellite/1-case-1", seed)
        sim.run_until(package.first_loss())
        done = penstock("run", "satellite/1-case-1", "--until-first-loss", "--seed", seed, "--quiet")
        assert done.stdout.startswith(f"first loss at {readable(sim.now)}: satellite discarded 1 cell of ")
        times.add(sim.now)
    assert len(times) == 2


def test_a_loss_at_the_start_has_tables(penstock: Command, file: Path) -> None:
    file.write_text(CELLS.replace("4 cells", "1 cells") + CELLS[CELLS.index("[flow") :].replace("data", "more"))
    done = penstock("run", file, "--until-first-loss")
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("first loss at 0 s: trunk discarded 1 cell of ")


def test_a_loss_in_warm_up_has_counts_and_no_rates(penstock: Command, file: Path) -> None:
    done = penstock("run", file, "--until-first-loss", "--set", "warm_up=50 ms")
    assert (done.returncode, done.stderr) == (0, "")
    (row,) = (line.split() for line in done.stdout.splitlines() if line.split()[:1] == ["data"])
    assert (row[:4], row[-2:]) == (["data", "1", "8", "1"], ["-", "-"])


@pytest.mark.parametrize(
    ("others", "option"),
    [
        (["--replications", "3"], "--replications = 3"),
        (["--jobs", "2"], "--jobs = 2"),
        (["--trace", "figures"], "--trace = figures"),
    ],
)
def test_what_does_not_go_with_it_is_refused(penstock: Command, file: Path, others: list[str], option: str) -> None:
    done = penstock("run", file, "--until-first-loss", *others)
    assert (done.returncode, done.stdout) == (2, "")
    assert option in done.stderr
    assert "does not go with --until-first-loss" in done.stderr
    assert not (file.parent / "figures").exists()


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2349200420182 ps", "2.349200420182 s"),
        ("3.5 ms", "3.5 ms"),
        ("0.0035 s", "3.5 ms"),
        ("90 min", "5400 s"),
        ("0 s", "0 s"),
        ("1 ps", "1 ps"),
        ("100 s", "100 s"),
    ],
)
def test_a_time_is_shown_exactly_in_a_suitable_unit(time: str, shown: str) -> None:
    assert readable(time) == shown
