"""The commands about many runs, as a user sees them: sweep, compare, report, runs."""

from __future__ import annotations

import io
import json
import os
import re
import shutil
import signal
import subprocess
import sys
from pathlib import Path

import duckdb
import polars as pl
import pytest
from moments import FIRST_SEGMENT_STORED, held_at, started, wait_until_held
from test_cli import Command
from test_sweep import SWEEP

from penstock.analyse.results import Results
from penstock.core.scenario import ready
from penstock.execute.store import Store
from penstock.show.sweep import metrics_of
from penstock.show.sweep_figures import sheets

pytestmark = pytest.mark.in_process


@pytest.fixture
def sweep_file(small_text: str, tmp_path: Path) -> Path:
    path = tmp_path / "rates.toml"
    path.write_text(small_text + SWEEP, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def swept_once(small_text: str, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The directory of a finished sweep."""
    folder = tmp_path_factory.mktemp("swept")
    (folder / "rates.toml").write_text(small_text + SWEEP, encoding="utf-8")
    command = [sys.executable, "-m", "penstock", "sweep", "rates.toml", "--out", "swept", "--jobs", "1", "--quiet"]
    subprocess.run(command, cwd=folder, stdout=subprocess.DEVNULL, check=True)
    return folder / "swept"


@pytest.fixture
def swept(swept_once: Path, sweep_file: Path) -> Path:
    """A copy of it beside its file."""
    return shutil.copytree(swept_once, sweep_file.parent / "swept")


def test_a_sweep_prints_estimates_and_keeps_its_runs(penstock_in_new_process: Command, sweep_file: Path) -> None:
    done = penstock_in_new_process("sweep", sweep_file)
    assert done.returncode == 0
    assert "rates, groups: mean\n" in done.stdout  # of two replications, too few for an interval
    for word in ("count", "rate", "delay mean (s)", "utilisation", "has too few replications for one"):
        assert word in done.stdout
    assert done.stderr.startswith("the runs are stored in out/rates: `penstock report out/rates` writes a page")
    assert len(Store.open_to_read(sweep_file.parent / "out" / "rates").runs) == 12
    told = json.loads(penstock_in_new_process("sweep", sweep_file, "--json", "--metric", "steady.loss_ratio").stdout)
    assert len(told) == 6
    assert told[0]["flow.steady.count"] == 1
    assert told[0]["steady.loss_ratio"]["count"] == 2
    assert told[0]["steady.loss_ratio"]["trials"] > 1000


def test_zero_events_read_as_a_bound(penstock: Command, sweep_file: Path) -> None:
    done = penstock("sweep", sweep_file, "--metric", "steady.loss_ratio")
    assert re.search(r"0 of [\d,]+ PDUs, below [\d.e-]+ at 95 %", done.stdout)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["--metric", "los_ratio"], 'did you mean "loss_ratio"?'),
        (["--jobs", "0"], "--jobs = 0: this is out of range"),
        (["--jobs", "2", "--cluster", "tcp://x:1"], "not allowed with"),
        (["--resum"], 'did you mean "--resume"?'),
        (["--cluster", "nowhere:1"], "--cluster = nowhere:1"),
    ],
)
def test_bad_arguments_of_a_sweep(penstock: Command, sweep_file: Path, arguments: list[str], told: str) -> None:
    done = penstock("sweep", sweep_file, *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1
    assert list(sweep_file.parent.iterdir()) == [sweep_file]  # before anything was made, or run


@pytest.mark.skipif(os.name != "posix", reason="sends POSIX signals")
@pytest.mark.parametrize("ending", [signal.SIGINT, signal.SIGKILL])
def test_a_sweep_that_ends_early_goes_on_with_resume(penstock: Command, sweep_file: Path, ending: int) -> None:
    text = sweep_file.read_text(encoding="utf-8").replace("replications = 2", "replications = 20")
    sweep_file.write_text(text, encoding="utf-8")
    command = [sys.executable, "-m", "penstock", "sweep", str(sweep_file), "--out", "swept", "--jobs", "2"]
    folder = sweep_file.parent / "swept"
    with started(command, cwd=sweep_file.parent, env=held_at(FIRST_SEGMENT_STORED)) as process:
        wait_until_held(process)
        (os.killpg if ending == signal.SIGINT else os.kill)(process.pid, ending)
        os.killpg(process.pid, signal.SIGCONT)
        out, told = process.communicate()
    there = len(Store.open_to_read(folder).runs)
    assert 1 <= there < 120
    if ending == signal.SIGINT:
        assert process.returncode == 130
        assert f"penstock: interrupted: {there} of 120 runs are stored; continue with --resume\n" in told
        assert "Traceback" not in told
        assert ", groups: " in out
    refused = penstock("sweep", sweep_file, "--out", "swept")
    assert refused.returncode == 2
    assert f"has an unfinished sweep with {there} finished runs; continue it with --resume" in refused.stderr
    assert penstock("sweep", sweep_file, "--out", "swept", "--resume").returncode == 0
    assert len(Store.open_to_read(folder).runs) == 120


def test_runs_are_listed_shown_and_exported(penstock: Command, swept: Path) -> None:
    listed = penstock("runs", "list", swept)
    assert listed.returncode == 0
    assert "12 runs of the sweep" in listed.stdout
    rows = json.loads(penstock("runs", "list", swept, "--json").stdout)
    assert len(rows) == 12
    shown = penstock("runs", "show", swept, rows[3]["run"][:8])
    assert shown.returncode == 0
    for word in (rows[3]["fingerprint"], "groups", "ports", "steady", "drop_tail", "[flow.steady]"):
        assert word in shown.stdout
    told = json.loads(penstock("runs", "show", swept, rows[3]["run"], "--json").stdout)
    assert told["scenario"]["flow"]["steady"]["count"] == rows[3]["flow.steady.count"]
    of_csv = pl.read_csv(io.StringIO(penstock("runs", "export", swept).stdout))
    assert of_csv.height == 24
    for form, reader in (("parquet", pl.read_parquet), ("arrow", pl.read_ipc)):
        out = swept.parent / f"groups.{form}"
        assert penstock("runs", "export", swept, "--format", form, "--out", out).returncode == 0
        assert (
            reader(out)
            .select("point", "group", "sent")
            .equals(of_csv.select("point", "group", "sent"), null_equal=True)
            or reader(out)["sent"].to_list() == of_csv["sent"].to_list()
        )


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["list", "nowhere"], "there is no such directory"),
        (["list", "."], "there is no store of runs"),
        (["show", "swept", "xyz"], "there is no such run"),
        (["show", "swept", ""], "several runs start with these digits"),
        (["export", "swept", "--table", "group"], 'did you mean "groups"?'),
        (["export", "swept", "--format", "xls"], "invalid choice"),
        (["lst"], 'did you mean "list"?'),
    ],
)
def test_bad_questions_about_runs(penstock: Command, swept: Path, arguments: list[str], told: str) -> None:
    done = penstock("runs", *arguments)
    assert done.returncode == 2
    assert told in done.stderr
    assert done.stderr.count("\n") == 1


def test_damage_is_told_and_made_good(
    penstock: Command, penstock_in_new_process: Command, swept: Path, sweep_file: Path
) -> None:
    hurt = next(iter(sorted((swept / "segments").iterdir()))) / "groups.parquet"
    hurt.write_bytes(hurt.read_bytes()[:-4])
    exported = penstock("runs", "export", swept)
    assert exported.returncode == 1
    assert "groups.parquet is damaged" in exported.stderr
    repaired = penstock_in_new_process("sweep", sweep_file, "--out", "swept", "--resume", "--jobs", 1)
    assert repaired.returncode == 0
    assert "groups.parquet is damaged" in repaired.stderr
    assert pl.read_csv(io.StringIO(penstock("runs", "export", swept).stdout)).height == 24


def test_the_documented_question_to_duckdb_is_answered(swept: Path) -> None:
    text = (Path(__file__).parent.parent / "docs" / "guides" / "sweeps.md").read_text(encoding="utf-8")
    (query,) = re.findall(r"```sql\n(.*?)```", text, re.DOTALL)
    answer = duckdb.connect().execute(query.replace("out/rates", str(swept))).fetchall()
    assert [row[:2] for row in answer] == [(count, rate) for count in (1, 2, 3) for rate in ("1 Mb/s", "2 Mb/s")]
    assert all(0 < row[2] < 1 and row[3] == 2 for row in answer)


def test_a_report_is_one_page_that_needs_nothing_else(penstock: Command, swept: Path, sweep_file: Path) -> None:
    done = penstock("report", swept)
    assert (done.returncode, done.stdout) == (0, f"{swept / 'report.html'}\n")
    page = (swept / "report.html").read_text(encoding="utf-8")
    for word in (
        "Two groups on one line",
        "<svg",
        "flow.steady.count",
        "drop_tail",
        f"penstock sweep {sweep_file.name}",
    ):
        assert word in page
    assert not re.search(r'(?:src|href)="(?!#|data[:/])', page)
    for link in re.findall(r'href="(data/[^"]+)"', page):
        assert (swept / link).is_file()
    assert 'href="data/figures.csv"' in page
    (headline,) = re.findall(r'<p class="headline">(.*)</p>', page)
    assert re.fullmatch(r"Delay mean \(s\) of random goes from .* \(at .*\) to .* \(at .*\)\.", headline)
    assert page.index(headline) < page.index("<svg") < page.index("Contents</summary>")  # on the first screen
    before = (swept / "report.html").read_bytes()
    assert penstock("report", swept).returncode == 0
    assert (swept / "report.html").read_bytes() == before


def test_scenarios_are_ranked_under_the_same_traffic(penstock: Command, small_text: str, tmp_path: Path) -> None:
    for name, rate in (("narrow", "1.3 Mb/s"), ("wide", "3 Mb/s"), ("twin", "3 Mb/s")):
        text = small_text.replace('rate = "2 Mb/s"', f'rate = "{rate}"')
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    files = ["narrow.toml", "wide.toml", "twin.toml"]
    done = penstock("compare", *files, "--metric", "random.delay_mean_s", "--replications", 5, "--out", "compared")
    assert done.returncode == 0
    assert "delay mean (s) of random, lower is better, 5 replications" in done.stdout
    told = json.loads(
        penstock(
            "compare",
            *files,
            "--metric",
            "random.throughput_bps",
            "--metric",
            "random.delay_mean_s",
            "--replications",
            5,
            "--out",
            "compared",
            "--json",
        ).stdout
    )
    delays = next(row for row in told if row["metric"] == "random.delay_mean_s")
    assert {row["name"]: row["rank"] for row in delays["ranking"]} == {"wide": 1, "twin": 1, "narrow": 3}
    (equal,) = [row for row in delays["differences"] if {row["first"], row["second"]} == {"wide", "twin"}]
    assert equal["estimate"]["mean"] == 0
    assert not equal["significant"]
    assert len(Store.open_to_read(tmp_path / "compared").runs) == 10  # two of the scenarios are the same
    zero = penstock("compare", *files[1:], "--metric", "random.loss_ratio", "--replications", 2)
    assert zero.stdout.count("PDUs, below ") == 2
    page = penstock("report", "compared")
    assert page.returncode == 0
    told_again = (tmp_path / "compared" / "report.html").read_text(encoding="utf-8")
    assert "Paired differences" in told_again
    (headline,) = re.findall(r'<p class="headline">(.*)</p>', told_again)
    assert "random: no clear best" in headline
    assert "penstock compare narrow.toml wide.toml twin.toml --metric" in told_again


def test_identical_runs_are_told_apart_from_ties(penstock: Command, small_text: str, tmp_path: Path) -> None:
    """A greater queue that never fills changes nothing. A rate below all others loses cells in all replications."""
    for name, rate, places in (("a", "2", 50), ("b", "2", 60), ("c", "1.2", 50), ("d", "1.9", 50)):
        text = small_text.replace('"2 Mb/s"', f'"{rate} Mb/s"').replace("50 cells", f"{places} cells")
        (tmp_path / f"{name}.toml").write_text(text, encoding="utf-8")
    metrics = ("--metric", "random.loss_ratio", "--metric", "trunk.utilisation")
    files = [f"{name}.toml" for name in "abcd"]
    done = penstock("compare", *files, *metrics, "--replications", 10, "--out", "four")
    told = "identical runs: these parts do not bear on one another"
    assert done.stdout.startswith(f"a and b: {told}\n")
    (line,) = [line for line in done.stdout.splitlines() if line.lstrip().startswith("b - a")][:1]
    assert line.endswith(told)
    assert re.search(r"^  a +0 a +0\.\d+ c$", done.stdout, re.MULTILINE)
    assert re.search(r"^  c +0\.\d+ b +0\.\d+ a$", done.stdout, re.MULTILINE)
    assert (
        "identical runs" not in penstock("compare", *files[1:], *metrics, "--replications", 3, "--out", "three").stdout
    )
    few = penstock("compare", *files, *metrics, "--replications", 2, "--out", "two")
    assert "too few replications to tell: try 10" in few.stdout
    assert "1 to " in few.stdout
    assert penstock("report", "four").returncode == 0
    page = (tmp_path / "four" / "report.html").read_text(encoding="utf-8")
    assert page.index("All scenarios and metrics") < page.index("Paired differences")
    assert told in page


def test_a_comparison_of_other_traffic_says_so(penstock: Command, small_text: str, tmp_path: Path) -> None:
    (tmp_path / "a.toml").write_text(small_text, encoding="utf-8")
    (tmp_path / "b.toml").write_text(small_text.replace("1 Mb/s", "1.1 Mb/s"), encoding="utf-8")
    done = penstock("compare", "a.toml", "b.toml", "--replications", 2)
    assert done.returncode == 0
    assert 'note: traffic of the flows "random" differs between a and b' in done.stderr
    assert penstock("compare", "a.toml").returncode == 2
    assert "twice" in penstock("compare", "a.toml", "a.toml").stderr


def test_ready_sweeps_run(penstock: Command, tmp_path: Path) -> None:
    """They exist and are valid; `make test-long` runs them completely."""
    names = [name for name, file in ready().items() if "[sweep]" in file.read_text(encoding="utf-8")]
    assert {"queueing/buffer-size", "satellite/sweep-trigger"} <= set(names)
    for name in names:
        done = penstock("check", name)
        assert done.returncode == 0
        assert re.search(r"valid, a sweep of \d+ points", done.stdout)


def test_a_sweep_that_cannot_be_is_not_sound(penstock: Command, sweep_file: Path) -> None:
    text = sweep_file.read_text(encoding="utf-8")
    sweep_file.write_text(text.replace("[1, 2, 3]", "[1, 2, -3]"), encoding="utf-8")
    done = penstock("check", sweep_file)
    assert done.returncode == 2
    assert "sweep.axis[0].flow.steady.count = -3" in done.stderr


@pytest.mark.long
@pytest.mark.parametrize("name", ["queueing/buffer-size", "satellite/sweep-trigger"])
def test_ready_sweeps_run_whole(penstock: Command, tmp_path: Path, name: str) -> None:
    assert penstock("sweep", name).returncode == 0
    (folder,) = (tmp_path / "out").iterdir()
    results = Results(folder)
    assert results.about["complete"]
    assert results.missing() == 0


def test_figures_show_every_step_of_an_axis_whose_paths_go_together(
    penstock: Command, small_text: str, tmp_path: Path
) -> None:
    axis = '"flow.random.count" = [1, 1, 2, 2]\n"line.trunk.rate" = ["3 Mb/s", "10 Mb/s", "3 Mb/s", "10 Mb/s"]'
    (tmp_path / "zip.toml").write_text(f"{small_text}\n[[sweep.axis]]\n{axis}\n", encoding="utf-8")
    assert penstock("sweep", "zip.toml", "--quiet").returncode == 0
    results = Results(tmp_path / "out" / "zip")
    first = sheets(results, metrics_of(results, ["random.delay_mean_s"]))[0]
    (curve,) = first.panels[0].curves
    assert list(curve.points) == ["1, 3 Mb/s", "1, 10 Mb/s", "2, 3 Mb/s", "2, 10 Mb/s"]
    assert first.panels[0].x_label == "count, rate"
