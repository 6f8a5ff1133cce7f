"""``--format`` of the commands that print tables, and remedies that never name what was typed."""

from __future__ import annotations

import argparse
import csv
import io
import json
from pathlib import Path

import polars as pl
import pytest
from conftest import Command

from penstock import Scenario, run
from penstock.cli import parser
from penstock.cli.command import commands_of
from penstock.core.errors import InputError, did_you_mean

pytestmark = pytest.mark.in_process


def test_a_run_prints_any_of_its_tables_as_csv(penstock: Command, small_file: Path, small: Scenario) -> None:
    result = run(small, seed=3, replications=2)
    for words, name in ([], "groups"), (["--table", "ports"], "ports"):
        done = penstock("run", small_file, "--seed", 3, "--replications", 2, "--format", "csv", *words)
        assert (done.returncode, done.stderr) == (0, "")
        told = pl.read_csv(io.StringIO(done.stdout), infer_schema_length=None)
        table = result.tables()[name]
        assert told.columns == table.columns
        assert told["utilisation" if name == "ports" else "delay_mean_s"].to_list() == pytest.approx(
            table["utilisation" if name == "ports" else "delay_mean_s"].to_list()
        )


def test_a_table_that_is_not_measured_is_told_with_its_key(penstock: Command, small_file: Path, tmp_path: Path) -> None:
    for table, key in (("distributions", "measure.distributions = true"), ("series", 'measure.sample = "10 ms"')):
        words = ("run", small_file, "--format", "csv", "--table", table)
        done = penstock(*words)
        assert (done.returncode, done.stdout.count("\n")) == (0, 1)
        assert f"the table `{table}` is empty: the scenario does not measure it. Add {key}" in " ".join(
            done.stderr.split()
        )
        added = penstock(*words, "--set", key.replace(" = ", "=").replace('"', ""))
        assert (added.returncode, added.stderr) == (0, "")
        assert added.stdout.count("\n") > 1
        assert f"It needs {key}." in penstock("help", table).stdout
    off = penstock("run", small_file, "--format", "csv", "--table", "flows", "--set", "measure.flows=false")
    assert "Add measure.flows = true" in " ".join(off.stderr.split())


def test_json_and_a_table_have_both_names(penstock: Command, small_file: Path) -> None:
    assert penstock("run", small_file, "--format", "table").stdout == penstock("run", small_file).stdout
    told = (json.loads(penstock("run", small_file, *form).stdout) for form in (["--json"], ["--format", "json"]))
    first, second = ({**each, "manifest": None} for each in told)
    assert first == second
    both = penstock("run", small_file, "--json", "--format", "csv")
    assert both.returncode == 2
    assert "not allowed with argument --json" in both.stderr


@pytest.mark.parametrize("name", ["scenarios", "schemes", "networks"])
def test_lists_are_csv_too(penstock: Command, name: str) -> None:
    rows = list(csv.DictReader(io.StringIO(penstock(name, "--format", "csv").stdout)))
    assert rows == json.loads(penstock(name, "--format", "json").stdout)


def test_an_instant_and_a_first_loss_are_csv_too(penstock: Command, small_file: Path) -> None:
    told = penstock("run", small_file, "--at", "1 s", "--show", "readings", "--format", "csv").stdout
    assert told.startswith("component,quantity,")
    tight = ["--set", "line.trunk.queues[0].drop_tail.size=1 cell"]
    told = penstock("run", small_file, "--until-first-loss", "--format", "csv", *tight).stdout
    assert told.startswith("replication,group,")


def test_a_sweep_and_its_runs_are_csv_too(penstock: Command, small_text: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(
        f'{small_text}\n[sweep]\nreplications = 3\nmetrics = ["random.loss_ratio"]\n'
        'axis = [{"flow.steady.count" = [1, 2]}]',
        encoding="utf-8",
    )
    rows = list(csv.DictReader(io.StringIO(penstock("sweep", "own.toml", "--quiet", "--format", "csv").stdout)))
    assert [row["flow.steady.count"] for row in rows] == ["1", "2"]
    told = json.loads(penstock("sweep", "own.toml", "--quiet", "--json").stdout)
    assert float(rows[1]["random.loss_ratio.high"]) == pytest.approx(told[1]["random.loss_ratio"]["high"])
    listed = penstock("runs", "list", "out/own", "--format", "csv").stdout.splitlines()
    assert listed[0].startswith("run,flow.steady.count,seed,replication,")
    assert len(listed) == 7
    exported = penstock("runs", "export", "out/own", "--table", "distributions")
    assert exported.returncode == 0
    assert "Add measure.distributions = true" in " ".join(exported.stderr.split())


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--table", "ports"], "only CSV prints one table; add --format csv, or leave it out"),
        (["--format", "csv", "--table", "prots"], 'there is no such table; did you mean "ports"?'),
        (["--format", "cvs"], 'did you mean "csv"?'),
        (["--at", "1 s", "--format", "csv", "--table", "ports"], "this does not go with --at"),
    ],
)
def test_what_does_not_go_together_is_refused(penstock: Command, small_file: Path, words: list[str], told: str) -> None:
    done = penstock("run", small_file, *words)
    assert (done.returncode, done.stdout) == (2, "")
    assert told in done.stderr


def test_every_command_with_json_has_the_other_form() -> None:
    for name, own in commands_of(parser()):
        options = own._option_string_actions
        assert ("--json" in options) <= ("--format" in options), name


def test_nothing_that_was_typed_is_proposed() -> None:
    assert did_you_mean("--set", ["--set", "--seed"]) == 'did you mean "--seed"?'
    assert did_you_mean("loss", ["loss"]) == ""
    whole = parser()
    known = dict.fromkeys(option for _, own in commands_of(whole) for option in own._option_string_actions)
    told = {option: refusal(whole, ["schema", option]) for option in known}
    assert any(told.values())
    assert [option for option, text in told.items() if f'did you mean "{option}"' in text] == []


def refusal(whole: argparse.ArgumentParser, words: list[str]) -> str:
    """What is wrong with the words; empty if nothing is."""
    try:
        whole.parse_args(words)
    except InputError as error:
        return str(error)
    except SystemExit:  # help
        return ""
    return ""
