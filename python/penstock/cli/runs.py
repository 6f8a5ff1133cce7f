"""Commands that read a store: ``runs list``, ``runs show``, ``runs export``."""

from __future__ import annotations

import json
import sys
from typing import TYPE_CHECKING, Any

from penstock.cli.command import DONE, FAILED, Command, add_format, add_wide, fail, print_csv, say, say_if_unmeasured
from penstock.core.counts import counted
from penstock.core.errors import InputError, did_you_mean, require_known

if TYPE_CHECKING:
    import argparse

    from penstock.analyse.results import Results

SHORT_ID = 12


def show_list(options: argparse.Namespace) -> int:
    """``penstock runs list``: one line a finished run, by point and replication."""
    results = _results(options)
    columns = ["run", *results.parameters, "seed", "replication", "fingerprint", "events", "wall_s"]
    rows = results.table("runs")
    kept = rows.select(columns).to_dicts() if rows.height else []
    if options.json:
        print(json.dumps(kept, indent=1))
        return _end(results)
    if options.csv:
        print_csv(kept)
        return _end(results)
    from penstock.show.terminal import print_table

    for row in kept:
        row["run"] = row["run"][:SHORT_ID]
    missing = results.missing()
    state = "" if not missing else f" - {missing:,} are missing"
    print_table(
        f"{counted(len(kept), 'run')} of the {results.about['kind']} {results.about['name']}{state}",
        [(name, name, str if name in ("run", *results.parameters) else _plain) for name in columns],
        kept,
    )
    return _end(results)


def show(options: argparse.Namespace) -> int:
    """``penstock runs show``: one run: its scenario and its results."""
    results = _results(options)
    rows = results.table("runs")
    found = rows.filter(rows["run"].str.starts_with(options.run)).to_dicts() if rows.height else []
    if len({row["run"] for row in found}) != 1:
        known = rows["run"].to_list() if rows.height else []
        raise InputError(
            "several runs start with these digits" if found else "there is no such run",
            path="RUN",
            value=options.run,
            remedy=("give more of its digits" if found else did_you_mean(options.run, known))
            or "`penstock runs list DIR` lists them",
        )
    about = found[0]
    scenario = about.pop("scenario_json")
    tables = {name: _of_run(results, name, about["run"]) for name in ("groups", "ports")}
    if options.json:
        told = {"run": about, "scenario": json.loads(scenario), **tables}
        print(json.dumps(told, indent=2, default=str))
        return _end(results)
    from penstock.core.scenario import Scenario
    from penstock.show.terminal import print_table

    for name, value in about.items():
        print(f"{name:>16}  {value}")
    print()
    for name, of_table in tables.items():
        columns = [column for column in (of_table[0] if of_table else {}) if column not in results.plan.columns]
        print_table(name, [(column, column, _plain) for column in columns], of_table)
    print(Scenario(scenario, "json").to_toml(), end="")
    return _end(results)


def export(options: argparse.Namespace) -> int:
    """``penstock runs export``: a table over all runs, to standard output or a file."""
    results = _results(options)
    from penstock.analyse.results import encode
    from penstock.core.files import prepare_file, write_bytes
    from penstock.execute.worker import TABLES

    require_known("table", options.table, ["runs", *TABLES], "--table")
    out = None if options.out is None else prepare_file(options.out, results.files)
    rows = results.table(options.table)
    octets = encode(rows, options.format)
    if out is None:
        if options.format != "csv" and sys.stdout.isatty():
            raise InputError(
                "a terminal cannot show this format", path="--format", value=options.format, remedy="add --out FILE"
            )
        sys.stdout.buffer.write(octets)
    else:
        write_bytes(out, octets)
        say(f"wrote {out}", quiet=options.quiet)
    if not rows.height and (runs := results.table("runs")).height:
        trees = (json.loads(text) for text in runs["scenario_json"])
        say_if_unmeasured(options.table, trees, quiet=options.quiet)
    return _end(results)


def _results(options: argparse.Namespace) -> Results:
    from penstock.analyse.results import Results

    return Results(options.directory)


def _end(results: Results) -> int:
    """Print what is damaged; the table then has only the rest."""
    for damage in results.store.damaged:
        fail(f"{damage}; run the same command again with --resume to repair it", FAILED)
    return FAILED if results.store.damaged else DONE


def _of_run(results: Results, name: str, run: str) -> list[dict[str, Any]]:
    rows = results.table(name)
    return rows.filter(rows["run"] == run).unique(maintain_order=True).to_dicts() if rows.height else []


def _plain(value: object) -> str:
    if isinstance(value, float):
        return f"{value:.6g}"
    return f"{value:,}" if isinstance(value, int) else str(value)


def _add_directory(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("directory", metavar="DIR", help="the directory of a sweep, a comparison or a study")


def _add_list(parser: argparse.ArgumentParser) -> None:
    _add_directory(parser)
    add_format(parser, "the list", csv=True)
    add_wide(parser)


def _add_show(parser: argparse.ArgumentParser) -> None:
    _add_directory(parser)
    parser.add_argument("run", metavar="RUN", help="the run, or the first digits of its name")
    add_format(parser, "all")
    add_wide(parser)


def _add_export(parser: argparse.ArgumentParser) -> None:
    _add_directory(parser)
    parser.add_argument("--table", default="groups", metavar="NAME", help="groups (the default), ports, runs, ...")
    from penstock.analyse.results import FORMATS

    parser.add_argument("--format", choices=FORMATS, default="csv", metavar="FORM", help=f"{', '.join(FORMATS)}")
    parser.add_argument("--out", metavar="FILE", help="where to write (default: standard output)")


COMMANDS = (
    Command(
        "runs list",
        show_list,
        "list the finished runs",
        ("penstock runs list out/sweep", "penstock runs list out/satellite --json"),
        _add_list,
    ),
    Command(
        "runs show",
        show,
        "show one run: its scenario and its results",
        ("penstock runs show out/sweep 3f1c", "penstock runs show out/sweep 3f1c --json"),
        _add_show,
    ),
    Command(
        "runs export",
        export,
        "write a table over all runs",
        (
            "penstock runs export out/sweep > groups.csv",
            "penstock runs export out/sweep --table ports --format parquet --out ports.parquet",
        ),
        _add_export,
    ),
)
